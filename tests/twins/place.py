"""A place in memory: the same promises as the person's checkout, without files."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence

from agentops.core.places import Change, Effect, Purpose, Settled, Snapshot, Start
from agentops.core.processes import Limits, Spec
from tests.twins.time import VirtualClock

Files = dict[str, bytes]


class TwinPlace:
    """`files` is the tree; `work` writes as the cycle, `person` as somebody else. Commits are states of the tree."""

    name = "twin"
    path = "/twin"

    def __init__(self, clock: VirtualClock, run: str = "run") -> None:
        self.clock, self.run = clock, run
        self.files: Files = {}
        self.changed_at: dict[str, float] = {}
        self.commits: list[str] = ["c0"]
        self.ours: set[str] = set()
        self.snapshots: dict[str, Files] = {}
        self._made = 0

    def write(self, path: str, content: bytes | None) -> None:
        """Save a file, or delete it with None."""
        self.files.pop(path, None)
        if content is not None:
            self.files[path] = content
        self.changed_at[path] = self.clock.now().wall

    def commit(self, mine: bool) -> str:
        self._made += 1
        self.commits.append(f"c{self._made}")
        if mine:
            self.ours.add(self.commits[-1])
        return self.commits[-1]

    def begin(self, cycle: int) -> Start:
        return Start(cycle, self.run, self.clock.now(), self._snap(f"{cycle}/pre"))

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
        return Spec(tuple(argv), self.path, dict(env or {}), stdin, limits or Limits(), merged=merged, marker=self.run)

    def effect(self, start: Start) -> Effect:
        post = self._snap(f"{start.cycle}/post")
        before, after = self.snapshots[start.pre.tree], self.snapshots[post.tree]
        since = self.commits[self.commits.index(start.pre.head) + 1 :] if start.pre.head in self.commits else []
        return Effect(
            post=post,
            paths=_difference(before, after),
            commits=tuple(one for one in since if one in self.ours),
            foreign=tuple(one for one in since if one not in self.ours),
        )

    def keep(self, start: Start, effect: Effect, title: str) -> Settled:
        if effect.paths and self.commits[-1] == effect.post.head:
            self.commit(mine=True)
        return Settled(self.commits[-1], (self.commits[-1],))

    def take_back(self, start: Start, effect: Effect) -> Settled:
        contested = self._put(effect, to=start.pre.tree, expected=effect.post.tree)
        if effect.commits and self.commits[-1] == effect.post.head:
            self.commit(mine=True)
        return Settled(self.commits[-1], (), contested)

    def set_aside(self, start: Start, effect: Effect) -> frozenset[str]:
        return self._put(effect, to=start.pre.tree, expected=effect.post.tree)

    def bring_back(self, start: Start, effect: Effect) -> frozenset[str]:
        return self._put(effect, to=effect.post.tree, expected=start.pre.tree)

    def park(self, start: Start, effect: Effect) -> None:
        self.snapshots[f"{start.cycle}/parked"] = dict(self.snapshots[effect.post.tree])

    def tidy(self, since: Snapshot, leave: Container[str] = frozenset()) -> frozenset[str]:
        changed = {path for path in _difference(self.snapshots[since.tree], self.files) if path not in leave}
        for path in changed:
            self.write(path, self.snapshots[since.tree].get(path))
        return frozenset(changed)

    def same(self, one: Snapshot, other: Snapshot) -> bool:
        return self.snapshots.get(one.tree) == self.snapshots.get(other.tree)

    def changed_after(self, start: Start, wall: float) -> frozenset[str]:
        changed = _difference(self.snapshots[start.pre.tree], self.files)
        return frozenset(path for path in changed if self.changed_at.get(path, 0.0) > wall)

    def foreign_head(self, start: Start) -> tuple[str, ...]:
        since = self.commits[self.commits.index(start.pre.head) + 1 :]
        return tuple(one for one in since if one not in self.ours)

    def post_still_equal(self, effect: Effect) -> bool:
        return self.files == self.snapshots[effect.post.tree]

    def protect_state(self, start: Start, effect: Effect, paths: Sequence[str]) -> frozenset[str]:
        return frozenset()

    def held(self, start: Start, path: str) -> bytes | None:
        return None

    def paths_between(self, one: str, other: str) -> frozenset[str]:
        return frozenset()

    def forget(self) -> None:
        """What pruning does after thirty days."""
        self.snapshots.clear()
        self.commits = self.commits[-1:]

    def _snap(self, name: str) -> Snapshot:
        self._made += 1
        tree = f"{name}#{self._made}"
        self.snapshots[tree] = dict(self.files)
        return Snapshot(tree, self.commits[-1], "main", "")

    def _put(self, effect: Effect, to: str, expected: str) -> frozenset[str]:
        contested = set()
        for path in effect.paths:
            now, target = self.files.get(path), self.snapshots[to].get(path)
            if now == target:
                continue
            if now == self.snapshots[expected].get(path):
                self.write(path, target)
            else:
                contested.add(path)
        return frozenset(contested)


def _difference(before: Files, after: Files) -> dict[str, Change]:
    kinds = {}
    for path in before.keys() | after.keys():
        if before.get(path) != after.get(path):
            kinds[path] = Change.ADDED if path not in before else Change.DELETED if path not in after else Change.MODIFIED
    return kinds
