"""HEAD and the start's branch, moved by compare-and-swap; what they left stays in the reflog."""

from __future__ import annotations

from dataclasses import dataclass

from agentops.host.faults import fault
from agentops.tree.checkout import Checkout
from agentops.tree.manifest import Manifest
from agentops.tree.refs import BRANCHES, Head, LogEnd, moves_since, read_ref


@dataclass(frozen=True, slots=True)
class Stand:
    """Where HEAD stands and where the start's branch does. `tip` None: there is no such branch."""

    head: Head
    branch: str
    tip: str | None

    @classmethod
    def of(cls, manifest: Manifest) -> Stand:
        return cls(Head(manifest.branch, manifest.head), manifest.start_branch, manifest.branch_tip)


def at_start(pre: Manifest) -> Stand:
    """HEAD on the start's branch, and that at the start commit."""
    return Stand(Head(pre.branch, pre.head), pre.start_branch, pre.head)


def go_home(checkout: Checkout, pre: Manifest, post: Manifest, mark: str) -> bool:
    """HEAD and branch from where a cycle left them to the start. False when someone else has moved them.

    Once gone it is not asked again: what is on the branch by then (our own commit of the work, a person's) belongs there.
    """
    message = f"{mark}: back to the start"
    moves = moves_since(checkout.repository.git_dir, LogEnd(pre.log_size, pre.log_last))
    if checkout.head().branch == pre.branch and any(move.message == message for move in moves):
        return True
    return move_heads(checkout, Stand.of(post), at_start(pre), message)


def stand_now(checkout: Checkout, branch: str) -> Stand:
    """Where HEAD and the branch stand at this moment."""
    return Stand(checkout.head(), branch, read_ref(checkout.repository.common_dir, BRANCHES + branch))


def move_heads(checkout: Checkout, old: Stand, new: Stand, message: str) -> bool:
    """From one stand to the other, branch first. False, with nothing moved, when someone else has moved either.

    Called again after a crash it goes on where it stopped.
    """
    now = stand_now(checkout, old.branch)
    if now.tip not in (old.tip, new.tip) or not (_on(now.head, old.head) or _on(now.head, new.head)):
        return False
    if now.tip != new.tip and new.tip is not None:
        fault("heads.branch.before")
        expected = now.tip or checkout.zero
        checkout.git.run(
            "update-ref", "--create-reflog", "-m", message, BRANCHES + new.branch, new.tip, expected, durable=True, writes=True
        )
    if not _on(checkout.head(), new.head):
        fault("heads.head.before")
        if new.head.branch is not None:
            checkout.git.run("symbolic-ref", "-m", message, "HEAD", BRANCHES + new.head.branch, durable=True, writes=True)
        else:
            checkout.git.run("update-ref", "--no-deref", "-m", message, "HEAD", new.head.sha or "", durable=True, writes=True)
    return True


def advance(checkout: Checkout, branch: str, new: str, old: str, message: str) -> None:
    """Move a branch from one commit to another. Raises GitFailed when it is not at `old` any more."""
    fault("heads.advance.before")
    checkout.git.run("update-ref", "-m", message, BRANCHES + branch, new, old, durable=True, writes=True)


def _on(one: Head, other: Head) -> bool:
    """The same branch; detached ones at the same commit."""
    return one.branch == other.branch and (one.branch is not None or one.sha == other.sha)
