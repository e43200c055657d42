"""Whose commits are whose: pure, from the reflog's marks and the graph of what is new (design-review E19)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from agentops.tree.refs import Moved

Graph = Mapping[str, Sequence[str]]
"""New commits (not reachable from the start) with their parents."""


@dataclass(frozen=True, slots=True)
class Blamed:
    """`ours`: made by moves that carry the mark; `foreign`: by others, also when they are on no branch any more.

    Oldest first. `ancestral`: the start is (an ancestor of) the tip. `unexplained`: those of the foreign ones that no move
    brought in.
    """

    ours: tuple[str, ...]
    foreign: tuple[str, ...]
    ancestral: bool
    unexplained: frozenset[str] = frozenset()


def mark(run: str, cycle: int) -> str:
    """What `GIT_REFLOG_ACTION` holds while a cycle's agent runs."""
    return f"ao:{run}/{cycle}"


def marked(move: Moved, wanted: str) -> bool:
    """The move was made under this mark."""
    return move.message == wanted or move.message.startswith((f"{wanted}:", f"{wanted} "))


def blame(moves: Iterable[Moved], graph: Graph, order: Sequence[str], start: str, tips: Sequence[str], wanted: str) -> Blamed:
    """Give each new commit to the move that brought it in.

    `order`: the graph's commits, oldest first. `tips`: where HEAD and the start's branch are now. A commit that no move
    explains is foreign: the safe side. A bare switch between branches (a mark with nothing behind it) brings in nothing.
    """
    owner: dict[str, bool] = {}
    for move in moves:
        if move.message == wanted:
            continue
        ours = marked(move, wanted)
        for commit in reach(graph, [move.new]) - reach(graph, [move.old]):
            owner.setdefault(commit, ours)
    alive = reach(graph, tips)
    ours_alive = tuple(commit for commit in order if commit in alive and owner.get(commit, False))
    foreign = tuple(commit for commit in order if not owner.get(commit, commit not in alive))
    tip = tips[0] if tips else start
    ancestral = tip == start or any(start in graph[commit] for commit in reach(graph, [tip]))
    return Blamed(ours_alive, foreign, ancestral, frozenset(foreign) - owner.keys())


def reach(graph: Graph, tips: Iterable[str]) -> set[str]:
    """New commits reachable from these."""
    found: set[str] = set()
    waiting = [tip for tip in tips if tip in graph]
    while waiting:
        commit = waiting.pop()
        if commit not in found:
            found.add(commit)
            waiting += [parent for parent in graph[commit] if parent in graph]
    return found
