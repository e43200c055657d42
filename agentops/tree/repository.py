"""Which repository this is, and whether `ao` can work in it as things are."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from agentops.core.errors import AoError, EnvironmentUnusable
from agentops.host.files import ensure_folder, read_bounded
from agentops.tree.refs import read_head

if TYPE_CHECKING:
    from agentops.host.git import Git

_SMALL = 1 << 20
_UNDER_WAY = (
    ("rebase-merge", "a rebase", "git rebase --continue   (or --abort)"),
    ("rebase-apply/applying", "an am", "git am --continue   (or --abort)"),
    ("rebase-apply", "a rebase", "git rebase --continue   (or --abort)"),
    ("MERGE_HEAD", "a merge", "git merge --continue   (or --abort)"),
    ("CHERRY_PICK_HEAD", "a cherry-pick", "git cherry-pick --continue   (or --abort)"),
    ("REVERT_HEAD", "a revert", "git revert --continue   (or --abort)"),
    ("sequencer", "a cherry-pick or revert of several commits", "git cherry-pick --continue   (or --abort)"),
    ("BISECT_LOG", "a bisect", "git bisect reset"),
)
OPERATION_FILES = (
    *(name for name, _, _ in _UNDER_WAY if "/" not in name),
    "MERGE_MSG", "MERGE_MODE", "AUTO_MERGE", "SQUASH_MSG", "REBASE_HEAD",
    "BISECT_START", "BISECT_NAMES", "BISECT_TERMS", "BISECT_EXPECTED_REV", "BISECT_RUN", "BISECT_ANCESTORS_OK",
)  # fmt: skip
"""What git keeps in its folder while an operation waits for a person (gitrepository-layout(5))."""


@dataclass(frozen=True, slots=True)
class Repository:
    """A git work tree that can be worked in. All paths absolute, as the file system decodes them (`os.fsdecode`).

    `git_dir`: this work tree's own (`.git`, or `.git/worktrees/NAME`). `common_dir`: shared by all work trees.
    `state`: our own folder, `common_dir/ao`, mode 0700. `branch`: short name. `head`: commit at discovery.
    `notices`: what a person should know before they rely on us here.
    """

    top: str
    git_dir: str
    common_dir: str
    state: str
    branch: str
    head: str
    notices: tuple[str, ...] = ()


def discover(git: Git, cwd: str, env: Mapping[str, str], *, to_work: bool = True, make: bool = True) -> Repository:
    """The repository that `cwd` lies in. Raises EnvironmentUnusable with the command that mends it.

    `env` is ours before cleaning; only the names of what it would have redirected are read, for a notice.
    Without `to_work`, what only keeps us from working is let pass (`branch` or `head` is then empty) and nothing is
    made: a session whose agent detached HEAD or began a merge must still be seen and stopped. Without `make` the state
    folder is not made either: a dry run writes nothing at all.
    """
    top, git_dir = _find(os.path.realpath(cwd))
    common_dir = _common(git_dir)
    _ask_git(git, top)
    if to_work and (waiting := under_way(git_dir)) is not None:
        raise EnvironmentUnusable(f"{waiting[0]} is under way in {top}.", mend=waiting[1])
    head = read_head(git_dir, common_dir)
    if to_work and head.branch is None:
        raise EnvironmentUnusable(f"HEAD is detached in {top}: its commits would hang on no branch.", mend="git switch -c NAME")
    if to_work and head.sha is None:
        raise EnvironmentUnusable(f"{top} has no commit yet.", mend="git add -A && git commit -m start")
    config = _config(common_dir)
    if "refstorage" in config:
        raise EnvironmentUnusable(
            f"{top} keeps its refs in another format than files; ao reads files only.", mend="git refs migrate --ref-format=files"
        )
    state = os.path.join(common_dir, "ao")
    if to_work and make:
        try:
            ensure_folder(state, 0o700)
        except OSError as error:
            raise EnvironmentUnusable(f"{state} can't be made: {error.strerror}.", mend=f"ls -ld {common_dir}") from error
    notices = _notices(top, git_dir, config, env)
    return Repository(top, git_dir, common_dir, state, head.branch or "", head.sha or "", notices)


def whereabouts(start: str) -> tuple[str, str]:
    """Top and common git folder of the repository that `start` lies in, without asking git. Raises EnvironmentUnusable."""
    top, git_dir = _find(os.path.realpath(start))
    return top, _common(git_dir)


def under_way(git_dir: str) -> tuple[str, str] | None:
    """The operation that waits for a person in this work tree, and how to end it."""
    for name, what, mend in _UNDER_WAY:
        if os.path.lexists(os.path.join(git_dir, name)):
            return what, mend
    return None


def _find(start: str) -> tuple[str, str]:
    """Top and git folder: the nearest `.git` upwards, as git itself looks for it."""
    here = start
    while True:
        mark = os.path.join(here, ".git")
        if os.path.isdir(mark) and os.path.lexists(os.path.join(mark, "HEAD")):
            return here, mark
        if os.path.isfile(mark):
            return here, _linked(mark)
        if all(os.path.lexists(os.path.join(here, name)) for name in ("HEAD", "objects", "refs")):
            raise EnvironmentUnusable(f"{here} is a bare repository or git's own folder: no files to work on.", mend="git clone")
        above = os.path.dirname(here)
        if above == here:
            raise EnvironmentUnusable(f"{start} lies in no git repository.", mend="git init && git add -A && git commit -m start")
        here = above


def _linked(mark: str) -> str:
    """The git folder that a `.git` file names (linked work trees, submodules)."""
    try:
        text = os.fsdecode(read_bounded(mark, _SMALL))
    except OSError as error:
        raise EnvironmentUnusable(f"{mark} can't be read: {error.strerror}.", mend=f"ls -l {mark}") from error
    target = os.path.normpath(os.path.join(os.path.dirname(mark), text.removeprefix("gitdir:").strip("\r\n").lstrip(" ")))
    if not text.startswith("gitdir:") or not os.path.isdir(target):
        raise EnvironmentUnusable(f"{mark} names no git folder.", mend="git worktree repair")
    return target


def _common(git_dir: str) -> str:
    try:
        text = os.fsdecode(read_bounded(os.path.join(git_dir, "commondir"), _SMALL)).strip("\r\n")
    except FileNotFoundError:
        return git_dir
    return os.path.normpath(os.path.join(git_dir, text))


def _ask_git(git: Git, top: str) -> None:
    """Git's own word that it works here: it is installed, trusts the owner, and sees the same work tree."""
    try:
        said = git.run("-C", top, "rev-parse", "--is-bare-repository", "--show-cdup", check=False)
    except AoError as error:
        raise EnvironmentUnusable(f"git does not run here: {error}", mend="git --version") from error
    if said.code != 0:
        words = said.err.decode("utf-8", "replace").strip().splitlines() or ["it said nothing"]
        mend = f"git config --global --add safe.directory {top}" if b"dubious ownership" in said.err else "git status"
        raise EnvironmentUnusable(f"git can't work in {top}: {words[0]}", mend=mend)
    bare, _, cdup = said.out.partition(b"\n")
    if bare == b"true":
        raise EnvironmentUnusable(f"{top} is configured as bare: no files to work on.", mend="git config core.bare false")
    if cdup.strip(b"\n"):
        raise EnvironmentUnusable(f"core.worktree puts the files of {top} elsewhere.", mend="git config --unset core.worktree")


def _config(common_dir: str) -> str:
    try:
        return read_bounded(os.path.join(common_dir, "config"), _SMALL).decode("utf-8", "replace").lower()
    except OSError as error:
        raise EnvironmentUnusable(f"{common_dir}/config can't be read: {error.strerror}.", mend="git config --list") from error


def _notices(top: str, git_dir: str, config: str, env: Mapping[str, str]) -> tuple[str, ...]:
    said = []
    if os.path.lexists(os.path.join(top, ".gitmodules")):
        said.append("Submodules: only their commit is watched; changes inside them are neither protected nor taken back.")
    if "sparsecheckout = true" in config or os.path.exists(os.path.join(git_dir, "info", "sparse-checkout")):
        said.append("Sparse checkout: only the files that are checked out are worked on.")
    if "logallrefupdates = false" in config:
        said.append("core.logAllRefUpdates is off: commits made during a cycle can't be told apart and count as someone else's.")
    dropped = sorted(name for name in ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE") if name in env)
    if dropped:
        said.append(f"{', '.join(dropped)} in the environment would redirect git and is not passed on.")
    return tuple(said)
