"""Which items of the work queue are free, and in which order they are taken (agentops 1.4, 1.5). Pure.

The order is upstream's command's: repository, never failed, severity, kind of work, place in the file. Ranks are single
numbers, so that a hundred thousand items sort in a blink and none is turned into a work item before its turn.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from agentops.core.passing import PassedOver
from agentops.records.queue import walk
from agentops.records.queue_rows import Light, LightRow, QueueItem, State, items_of, plainly_free, states

ANY = "*"
SEVERITIES = {"high": 3, "critical": 3, "blocker": 3, "medium": 2, "moderate": 2, "low": 1, "minor": 1}
"""Upstream ranks every other word than its three below `low`; `critical` and `HIGH` say what they mean here (nw-021)."""
WORK = {**dict.fromkeys(("feature", "improvement", "tech-debt", "pattern-fix", "bug", "task"), 2)}
WORK.update(dict.fromkeys(("process-improvement", "docs", "chore"), 1))
MOST_SAID = 40
"""So many items that were passed over are named each; of the others only their number is said."""
_NUMBER_BITS = 24
_ROW_BITS = 32


@dataclass(frozen=True, slots=True)
class Ranking:
    """A queue file in order. `ranks`: free items, best first, each a packed number; `passed_over`: the others, with reasons.

    `states`: how many items there are of each; `odd_lines`: lines that hold no work, with what is wrong with them.
    """

    data: bytes = b""
    ranks: tuple[int, ...] = ()
    passed_over: tuple[PassedOver, ...] = ()
    states: Counter[State] = field(default_factory=Counter)
    odd_lines: tuple[tuple[int, str], ...] = ()
    odd: int = 0
    _starts: array[int] = field(default_factory=lambda: array("Q"))
    _ends: array[int] = field(default_factory=lambda: array("Q"))
    _lines: array[int] = field(default_factory=lambda: array("Q"))

    def __len__(self) -> int:
        return len(self.ranks)

    def __iter__(self) -> Iterator[QueueItem]:
        """The free items with all their fields, best first, each read from its row when its turn comes."""
        return map(self.at, range(len(self.ranks)))

    def at(self, place: int) -> QueueItem:
        """The item at this place in the order."""
        packed = self.ranks[place]
        row = (packed >> _NUMBER_BITS) & ((1 << _ROW_BITS) - 1)
        start, end = self._starts[row], self._ends[row]
        return items_of(self.data[start:end], self._lines[row])[packed & ((1 << _NUMBER_BITS) - 1)]


def rank(data: bytes, repo: str = "") -> Ranking:
    """Read a queue. `repo`: whose items are wanted; empty for everybody's."""
    starts, ends, lines = array("Q"), array("Q"), array("Q")
    ranks: list[int] = []
    counts: Counter[State] = Counter()
    passed: list[PassedOver] = []
    unsaid: Counter[str] = Counter()
    odd_lines: list[tuple[int, str]] = []
    odd = 0
    free = 0
    for line, start, end, row in walk(data):
        item = plainly_free(row) if row is not None else None
        if item is not None and (not repo or not item.target_repo or item.target_repo in (ANY, repo)):
            free += 1
            ranks.append((_rank(item, repo) << _ROW_BITS | len(starts)) << _NUMBER_BITS)
            starts.append(start)
            ends.append(end)
            lines.append(line)
            continue
        work = row.work() if row is not None else ()
        if row is None or not work:
            # A harvest that found nothing leaves a row without items: that is no work, and nothing odd.
            if row is None or row.items is None:
                odd += 1
                if len(odd_lines) < MOST_SAID:
                    odd_lines.append((line, "it is no JSON object" if row is None else "there is no work item in it"))
            continue
        at = len(starts)
        starts.append(start)
        ends.append(end)
        lines.append(line)
        for number, (item, state) in enumerate(zip(work, states(row), strict=True)):
            counts[state] += 1
            if state is State.CONSUMED:
                continue
            why = _why_not(item, state, repo)
            if why is None:
                ranks.append((_rank(item, repo) << _ROW_BITS | at) << _NUMBER_BITS | number)
            elif len(passed) < MOST_SAID:
                passed.append(PassedOver(_key(item, line, number), _who(row, data, start, end, line, number) or why))
            else:
                unsaid[why] += 1
    ranks.sort()
    if free:
        counts[State.AVAILABLE] += free
    passed += [PassedOver(f"{count} more items", why) for why, count in unsaid.items()]
    passed += [PassedOver(f"line {line}", why) for line, why in odd_lines]
    if odd > len(odd_lines):
        passed.append(PassedOver(f"{odd - len(odd_lines)} more lines", "there is no work item in them"))
    return Ranking(data, tuple(ranks), tuple(passed), counts, tuple(odd_lines), odd, starts, ends, lines)


def _rank(item: Light, repo: str) -> int:
    """Smaller is better; every part is counted from its best value."""
    target = item.target_repo
    affinity = 0 if not repo else 1 if not target else 2 if target == ANY else 3
    severity = _known(SEVERITIES, item.severity)
    work = _known(WORK, item.type)
    return (((3 - affinity) * 2 + bool(item.failed_at)) * 4 + 3 - severity) * 3 + 2 - work


def _known(words: dict[str, int], said: str | None) -> int:
    if not said:
        return 0
    found = words.get(said)
    return found if found is not None else words.get(said.lower(), 0)


def _why_not(item: Light, state: State, repo: str) -> str | None:
    if state is State.IN_PROGRESS:
        return "it is claimed by someone else"
    if state is State.HELD:
        return f"it is held: {item.held_by}"
    if not item.title or not item.title.strip():
        return "it has no title"
    if repo and item.target_repo and item.target_repo not in (ANY, repo):
        return f"it is for another repository ({item.target_repo})"
    return None


def _key(item: Light, line: int, number: int) -> str:
    return (item.title or "").strip()[:120] or f"line {line}, item {number + 1}"


def _who(row: LightRow, data: bytes, start: int, end: int, line: int, number: int) -> str | None:
    """Whose claim it is, where the item is claimed: read in full only for those that are named."""
    found = items_of(data[start:end], line)[number]
    if found.state is not State.IN_PROGRESS:
        return None
    since = f" since {found.text('claimed_at')}" if found.text("claimed_at") else ""
    return f"{found.text('claimed_by') or 'someone'} has claimed it{since}; `ao queue release {found.ref}` frees it"
