"""Directives: what the owner wants more or less of, as `### N. Title` blocks of the `## Directives` section. Pure.

A body is kept as it stands, for whoever works on it. Lines of it that begin with a bold word say what can be checked:
`**Steer:** increase`, and of ours `**Gates:** lint, tests-green` and `**Target:** coverage >= 80`. In each, the last wins;
upstream keeps the latter two as part of the body, and so do we.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from agentops.goals.lines import Kind, MarkdownLine, Problem, Section

_NUMBERED = re.compile(r"([0-9]{1,9})\.\s+(\S.*)")
_SAID = re.compile(r"\s*\*\*(steer|gates?|targets?|directive id)(?::\*\*|\*\*\s*:)\s*(.*?)\s*", re.IGNORECASE)
_ID = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_PARTED = re.compile(r"[,;\s]+")
_TARGET = re.compile(r"`?([a-z0-9]+(?:-[a-z0-9]+)*)`?\s*(>=|<=|==|=|>|<|≥|≤)\s*([+-]?[0-9]{1,15}(?:\.[0-9]{1,15})?)\s*%?")
_SIGNS = {"≥": ">=", "≤": "<=", "=": "=="}
_NOT_A_LETTER = re.compile(r"[\W_]+")
COMPLETE = "complete"
STEERS = ("increase", "decrease", "hold", "explore")
"""What `ao goals steer add` takes; a person may write anything, and `complete` says that nothing is left to do."""


class Sign(StrEnum):
    """How a target compares."""

    AT_LEAST = ">="
    AT_MOST = "<="
    MORE = ">"
    LESS = "<"
    EQUAL = "=="


_COMPARE: dict[Sign, Callable[[float, float], bool]] = {
    Sign.AT_LEAST: operator.ge,
    Sign.AT_MOST: operator.le,
    Sign.MORE: operator.gt,
    Sign.LESS: operator.lt,
    Sign.EQUAL: operator.eq,
}


@dataclass(frozen=True, slots=True)
class Target:
    """`coverage >= 80`: what the number that a goal's check prints shall come to."""

    goal_id: str
    sign: Sign
    bound: float

    def met(self, value: float) -> bool:
        """Whether a value is where it shall be."""
        return _COMPARE[self.sign](value, self.bound)

    def __str__(self) -> str:
        return f"{self.goal_id} {self.sign} {self.bound:g}"


@dataclass(frozen=True, slots=True)
class Directive:
    """One block. `description` is its body without the Steer lines; `steer` free text, empty where none is written.

    `gates` are ids of goals that must pass, `target` a number that must be reached; without either nobody but a person
    can say whether it is done. `name` is what a `**Directive ID:**` line says. `line` is the heading's, from 1.
    """

    number: int
    title: str
    description: str = ""
    steer: str = ""
    line: int = 0
    gates: tuple[str, ...] = ()
    target: Target | None = None
    name: str = ""

    @property
    def complete(self) -> bool:
        """The owner says that nothing is left to do."""
        return self.steer.casefold() == COMPLETE

    @property
    def key(self) -> str:
        """What rows and claims call it. Made of its name or title: its number changes when others are put before it."""
        return self.name or _NOT_A_LETTER.sub("-", self.title.casefold()).strip("-") or f"directive-{self.number}"


def parse_directives(
    lines: Sequence[MarkdownLine], section: Section, goal_ids: frozenset[str]
) -> tuple[tuple[Directive, ...], tuple[Problem, ...]]:
    """The directives of a section in the order of the file, and what a person should see of them.

    An unnumbered `###` heading is part of the body above it; before the first numbered one it belongs to nothing.
    """
    found: list[Directive] = []
    problems: list[Problem] = []
    for at, end in blocks(lines, section):
        directive, said = _directive(lines[at], lines[at + 1 : end], goal_ids)
        if (same := next((other for other in found if other.key == directive.key), None)) is not None:
            said.append(_note(lines[at], f"directive `{directive.title}` is there already, on line {same.line}"))
        found.append(directive)
        problems += said
    for line in lines[section.start + 1 : found[0].line - 1 if found else section.end]:
        if line.heading is not None:
            problems.append(_note(line, f"`{line.text.strip()}` has no number (`### 1. Title`), so it is no directive"))
    return tuple(found), tuple(problems)


def blocks(lines: Sequence[MarkdownLine], section: Section) -> list[tuple[int, int]]:
    """Where each directive's heading is, and where its body ends: indices of `lines`."""
    starts = [at for at in range(section.start + 1, section.end) if numbered(lines[at]) is not None]
    return list(zip(starts, [*starts[1:], section.end], strict=True)) if starts else []


def numbered(line: MarkdownLine) -> tuple[int, str] | None:
    """Number and title of a directive's heading; None for any other line."""
    level_and_title = line.heading
    if level_and_title is None or level_and_title[0] != 3:
        return None
    found = _NUMBERED.fullmatch(level_and_title[1])
    return (int(found[1]), found[2]) if found else None


def _directive(head: MarkdownLine, body: Sequence[MarkdownLine], goal_ids: frozenset[str]) -> tuple[Directive, list[Problem]]:
    number, title = numbered(head) or (0, "")
    kept: list[str] = []
    problems: list[Problem] = []
    steer = name = ""
    gates: tuple[str, ...] = ()
    target: Target | None = None
    for line in body:
        if line.kind is Kind.COMMENT:
            continue  # what is commented out must not reach an agent
        said = _SAID.fullmatch(line.text) if line.kind is Kind.TEXT else None
        word = said[1].casefold().removesuffix("s") if said else ""
        if said is None:
            pass
        elif word == "steer":
            steer = said[2]
            continue
        elif word == "gate":
            gates, unknown = _gates(said[2], goal_ids)
            problems += [_note(line, text) for text in unknown]
        elif word == "target":
            target, trouble = _target(said[2], goal_ids)
            problems += [_note(line, trouble)] if trouble else []
        elif _ID.fullmatch(said[2].strip("`")):
            name = said[2].strip("`")
        kept.append(line.text)
    description = "\n".join(kept).strip()
    return Directive(number, title, description, steer, head.number, gates, target, name), problems


def _gates(text: str, goal_ids: frozenset[str]) -> tuple[tuple[str, ...], list[str]]:
    """The ids of a Gates line. One that names no goal stays: a gate that is gone is no reason to think the work done."""
    ids = tuple(dict.fromkeys(one for word in _PARTED.split(text) if (one := word.strip("`"))))
    return ids, [f"the Gates name `{one}`, and there is no goal of that name" for one in ids if one not in goal_ids]


def _target(text: str, goal_ids: frozenset[str]) -> tuple[Target | None, str]:
    found = _TARGET.fullmatch(text.strip("`"))
    if found is None:
        return None, f"the Target is `{text}` where something such as `coverage >= 80` is meant; it is not used"
    target = Target(found[1], Sign(_SIGNS.get(found[2], found[2])), float(found[3]))
    if target.goal_id not in goal_ids:
        return target, f"the Target names `{target.goal_id}`, and there is no goal of that name"
    return target, ""


def _note(line: MarkdownLine, text: str) -> Problem:
    return Problem(line.number, text, fatal=False)
