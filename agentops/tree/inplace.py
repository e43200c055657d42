"""The person's own checkout as a place. Always works; nothing that a person had written is lost."""

from __future__ import annotations

import os
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import replace

from agentops.core.clock import Clock
from agentops.core.errors import GitFailed
from agentops.core.paths import raw_of, text_of
from agentops.core.places import Effect, Place, Purpose, Settled, Snapshot, Start
from agentops.core.processes import Limits, Mounts, SandboxLevel, Spec
from agentops.host.environment import clean_environment
from agentops.host.git import Git
from agentops.tree import control
from agentops.tree.as_found import AsFound
from agentops.tree.blame import mark
from agentops.tree.checkout import shared
from agentops.tree.effect import commits_between, compose, content, diff, ours_by_right, paths_of, tree_changes
from agentops.tree.heads import Stand, at_start, move_heads
from agentops.tree.index_lock import clear_own
from agentops.tree.index_moves import move_index, same_entries
from agentops.tree.keeping import keep
from agentops.tree.manifest import Manifest, load
from agentops.tree.protected import protect
from agentops.tree.refs import LogEnd, moves_since
from agentops.tree.repository import Repository
from agentops.tree.snapshot import REFS, hold, take, with_seen
from agentops.tree.taking_back import back, put_files, take_back
from agentops.tree.tidying import same_files, tidy

_SHELL_STARTS = ("BASH_ENV", "ENV")


class InPlace(Place):
    """See `core.places.Place`.

    `run` names this start of `ao` in refs, marks and `AO_RUN_ID`. `level`: what the launcher can hold trees with; below
    `unshare` nothing is mounted read-only, and what a cycle does to git's own files is only seen and put back afterwards.
    `masked`: absolute paths that nothing started here may see. `env`: what processes start from, else our own.
    `found`: the times of folders before this start wrote anything.
    """

    name = "in-place"

    def __init__(
        self,
        repository: Repository,
        git: Git,
        clock: Clock,
        run: str,
        level: SandboxLevel | None = None,
        *,
        env: Mapping[str, str] | None = None,
        run_hooks: bool = False,
        masked: Sequence[str] = (),
        found: AsFound | None = None,
    ) -> None:
        self.repository, self.run, self.level = repository, run, level
        self.path = repository.top
        self.checkout = shared(repository, git, clock, env)
        self.run_hooks, self.masked = run_hooks, tuple(masked)
        self._env, _ = clean_environment(os.environ if env is None else env)
        self._env.pop("GIT_REFLOG_ACTION", None)
        self._found: AsFound = found or {}
        self._manifests: dict[str, Manifest] = {}

    def begin(self, cycle: int) -> Start:
        """Take `pre`. A second call for the same cycle looks again; the first snapshot keeps a ref of its own."""
        at = self.checkout.clock.now()
        manifest = take(self.checkout)
        pre = hold(self.checkout, manifest, self.run, cycle, "pre")
        self._manifests = {pre.manifest: manifest}
        return Start(cycle, self.run, at, pre)

    def spec(
        self,
        argv: Sequence[str],
        purpose: Purpose,
        *,
        env: Mapping[str, str] | None = None,
        stdin: bytes = b"",
        limits: Limits | None = None,
        writable: Sequence[str] = (),
        merged: bool = False,
        start: Start | None = None,
    ) -> Spec:
        """A process at the top of the tree. Git's configuration, hooks and our own state are read-only to it."""
        whole = {**self._env, **(env or {}), "AO_RUN_ID": self.run}
        if purpose is Purpose.CHECK:
            for name in _SHELL_STARTS:  # `bash -c` would run the file they name before every check
                whole.pop(name, None)
        elif start is not None:
            whole["GIT_REFLOG_ACTION"] = mark(start.run, start.cycle)
        repository = self.repository
        guarded = (
            *(os.path.join(repository.common_dir, one) for one in ("config", "hooks", "info")),
            os.path.join(repository.git_dir, "config.worktree"),
            repository.state,
        )
        mounts = Mounts(base_writable=True, writable=tuple(writable), read_only=guarded, masked=self.masked)
        return Spec(tuple(argv), self.path, whole, stdin, limits or Limits(), mounts, True, merged, self.run)

    def effect(self, start: Start) -> Effect:
        """Take `post` and say what differs. Whoever calls it again gets a snapshot of its own; earlier ones stay."""
        pre = self._manifest(start.pre)
        after = take(self.checkout, pre)
        found = diff(pre, after, self.checkout)
        commits = commits_between(self.checkout, start, pre, after)
        after = with_seen(after, self.checkout, frozenset(map(raw_of, found.paths)))
        post = hold(self.checkout, after, start.run, start.cycle, "post")
        self._manifests[post.manifest] = after
        effect = compose(post, found, commits, pre, after)
        return replace(effect, kept_anyway=ours_by_right(self.checkout, pre, after, found))

    def keep(self, start: Start, effect: Effect, title: str) -> Settled:
        pre, post = self._both(start, effect)
        return keep(self.checkout, start, effect, title, pre, post, self.run_hooks)

    def take_back(self, start: Start, effect: Effect) -> Settled:
        pre, post = self._both(start, effect)
        return take_back(self.checkout, start, effect, pre, post, self._foreign_paths(effect))

    def set_aside(self, start: Start, effect: Effect) -> frozenset[str]:
        """Files, index and branch as at the start, unless someone else has committed: then only the files."""
        pre, post = self._both(start, effect)
        left = put_files(self.checkout, start, pre, post, back(effect))
        if effect.foreign:
            return _texts(left.contested)
        label = f"{mark(start.run, start.cycle)}: set aside"
        if not move_heads(self.checkout, Stand.of(post), at_start(pre), label):
            return _texts(left.contested) | frozenset(effect.paths)
        return _texts({*left.contested, *move_index(self.checkout, post, pre)})

    def bring_back(self, start: Start, effect: Effect) -> frozenset[str]:
        pre, post = self._both(start, effect)
        left = put_files(self.checkout, start, pre, post, back(effect), forward=True)
        if effect.foreign:
            return _texts(left.contested)
        label = f"{mark(start.run, start.cycle)}: brought back"
        if not move_heads(self.checkout, at_start(pre), Stand.of(post), label):
            return _texts(left.contested) | frozenset(effect.paths)
        return _texts({*left.contested, *move_index(self.checkout, pre, post)})

    def changed_after(self, start: Start, wall: float) -> frozenset[str]:
        """Paths that differ from `pre` now and were last changed after `wall` (seconds since the epoch).

        The larger of ctime and mtime counts; a path that is missing goes by its nearest existing folder; in doubt, later.
        """
        pre = self._manifest(start.pre)
        now = take(self.checkout, pre)
        found = diff(pre, now, self.checkout)
        changed = {*found.paths, *found.ignored, *control.tampered(pre, now)}
        return frozenset(text for text in changed if self._changed(text) > wall)

    def foreign_head(self, start: Start) -> tuple[str, ...]:
        """Commits that someone else moved HEAD to since the start, oldest first. `ao`'s own moves are not among them."""
        pre = self._manifest(start.pre)
        moves = moves_since(self.repository.git_dir, LogEnd(pre.log_size, pre.log_last))
        foreign = tuple(move.new for move in moves if not move.message.startswith("ao:"))
        head = self.checkout.head()
        unexplained = not moves and (head.sha != pre.head or head.branch != pre.branch)
        return (*foreign, head.sha or "") if unexplained else foreign

    def park(self, start: Start, effect: Effect) -> None:
        """Hold `post` under `parked` as well."""
        ref = f"{REFS}{start.run}/{start.cycle}/parked"
        self.checkout.git.run("update-ref", ref, effect.post.tree, durable=True, writes=True)

    def post_still_equal(self, effect: Effect) -> bool:
        """Files, HEAD and what is staged are still as `post` saw them."""
        post = self._manifest(effect.post)
        now = take(self.checkout, post)
        found = diff(post, now, self.checkout)
        stands = (now.head, now.branch) == (post.head, post.branch) and post.branch_tip in (None, now.branch_tip)
        changed = found.paths or found.ignored or control.tampered(post, now)
        return stands and not changed and same_entries(self.checkout, now, post)

    def protect_state(self, start: Start, effect: Effect, paths: Sequence[str]) -> frozenset[str]:
        """Put protected state back from `pre`, where it is as `post` saw it; rows appended to the work queue stay.

        Returns the paths that are as at the start now and were not before. No commit is made, the index is not moved.
        """
        pre, post = self._both(start, effect)
        return protect(self.checkout, start, effect, pre, post, frozenset(paths))

    def tidy(self, since: Snapshot, leave: Container[str] = frozenset()) -> frozenset[str]:
        return tidy(self.checkout, since, self._manifest(since), self.run, leave)

    def same(self, one: Snapshot, other: Snapshot) -> bool:
        return one == other or same_files(self.checkout, self._manifest(one), self._manifest(other))

    def held(self, start: Start, path: str) -> bytes | None:
        return content(self.checkout, self._manifest(start.pre), path)

    def paths_between(self, one: str, other: str) -> frozenset[str]:
        """Paths that differ between two commits; nothing when one of them is gone."""
        try:
            return frozenset(map(text_of, tree_changes(self.checkout, one, other)))
        except GitFailed:
            return frozenset()

    def _both(self, start: Start, effect: Effect) -> tuple[Manifest, Manifest]:
        clear_own(self.checkout)
        return self._manifest(start.pre), self._manifest(effect.post)

    def _manifest(self, snapshot: Snapshot) -> Manifest:
        if snapshot.manifest not in self._manifests:
            self._manifests[snapshot.manifest] = load(snapshot.manifest)
        return self._manifests[snapshot.manifest]

    def _foreign_paths(self, effect: Effect) -> frozenset[str]:
        return frozenset(text for changed in paths_of(self.checkout, effect.foreign).values() for text in changed)

    def _changed(self, text: str) -> float:
        """When a path last changed, in seconds since the epoch; infinity when that can't be told."""
        if text.startswith(control.PREFIX):
            full = os.fsencode(os.path.join(self.repository.common_dir, text.removeprefix(control.PREFIX)))
        else:
            full = self.checkout.at(raw_of(text))
        missing = False
        while True:
            if missing and full in self._found:
                if (found := self._found[full]) is not None:
                    return found
                full = os.path.dirname(full)
                continue
            try:
                facts = os.lstat(full)
            except (FileNotFoundError, NotADirectoryError):
                full, missing = os.path.dirname(full), True
                continue
            except OSError:
                return float("inf")
            return max(facts.st_ctime, facts.st_mtime)


def _texts(paths: Iterable[bytes]) -> frozenset[str]:
    return frozenset(map(text_of, paths))
