"""Which fixers a failing check has, and why not others. Pure, but for what the toolbox looks up."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

from agentops.core.work import WorkItem
from agentops.rpi.fixers import FIXERS, SNAPSHOTS, Fixer
from agentops.rpi.shell_words import Command, commands, printed_commands, shell_text

_OWNERS = frozenset(("goal", "directive"))
"""Sources whose words a person wrote; a queued item may be an agent's."""
MOST = 6


class Toolbox(Protocol):
    """What is here of tools and configuration."""

    def find(self, command: Command) -> str | None:
        """How to call the command's program from its folder; None when it is not installed here."""
        ...

    def configured(self, signs: tuple[str, ...], folder: str) -> bool:
        """Whether one of these files (`file:text` for a text in one) is there."""
        ...


@dataclass(frozen=True, slots=True)
class Fixing:
    """`texts`: shell commands in the order in which they run, each once. `why_not`: one reason for each tool that has none."""

    texts: tuple[str, ...] = ()
    why_not: tuple[str, ...] = ()


def fixing(item: WorkItem, toolbox: Toolbox) -> Fixing:
    """The fixers for an item's check: those that the check itself names, then those that its output shows."""
    if item.check is None:
        return Fixing()
    texts: list[str] = []
    why: list[str] = []
    named = commands(item.check)
    seen = {(one.tool, one.words, one.folder) for one in named}
    shown = [one for one in printed_commands(item.output) if (one.tool, one.words, one.folder) not in seen]
    for command, by_check in (*((one, True) for one in named), *((one, False) for one in shown)):
        for fixer in _meant(command):
            found = _fix(fixer, command, item, toolbox, by_check=by_check)
            (texts if found.texts else why).extend(found.texts or found.why_not)
    return Fixing(tuple(dict.fromkeys(texts))[:MOST], tuple(dict.fromkeys(why)))


def _meant(command: Command) -> Iterable[Fixer]:
    for fixer in FIXERS:
        verb = command.words[0] if command.words else ""
        if fixer.tool == command.tool and (not fixer.verbs or verb in fixer.verbs):
            yield fixer


def _fix(fixer: Fixer, command: Command, item: WorkItem, toolbox: Toolbox, *, by_check: bool) -> Fixing:
    if fixer.says and not re.search(fixer.says, item.output):
        return Fixing()
    if fixer.asked and not (item.source in _OWNERS and re.search(SNAPSHOTS, f"{item.title}\n{item.prompt}")):
        return Fixing(why_not=(f"{fixer.tool}: renewing snapshots would make a test expect whatever the code does",))
    if not by_check and not toolbox.configured(fixer.signs, command.folder):
        return Fixing(why_not=(f"{fixer.tool}: the check's output names it, and nothing here configures it",))
    program = toolbox.find(command)
    if program is None:
        return Fixing(why_not=(f"{fixer.tool}: the check needs it, and it is not installed here",))
    text = shell_text((*command.prefix, program, *mending(fixer, command.words)), quoted=fixer.patterns)
    return Fixing((f"cd {shlex.quote(command.folder)} && {text}" if command.folder else text,))


def mending(fixer: Fixer, words: tuple[str, ...]) -> tuple[str, ...]:
    """The words behind the program, turned from looking into mending."""
    verb, rest = (words[:1], words[1:]) if fixer.verbs else ((), words)
    if fixer.cut == "*":
        rest = ()
    elif fixer.cut in rest:
        rest = rest[: rest.index(fixer.cut)]
    kept = [word for word in rest if word not in fixer.drop]
    while kept and kept[-1] == "--":
        kept.pop()  # `cargo fmt -- --check` without its end
    return (*(fixer.becomes.split() or verb), *fixer.add, *kept)
