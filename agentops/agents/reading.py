"""Reading an agent's output line by line as it comes: bounded, tolerant, and never fooled by what a tool printed."""

from __future__ import annotations

import re
from collections import deque
from typing import Any

import msgspec

from agentops.agents.adapter import Adapter, Format
from agentops.agents.event_paths import total, values, words
from agentops.agents.heard import Heard, Problem
from agentops.agents.rules import Rule, Rules, Steps
from agentops.core import wire

LINE = 16 * 1024
"""Bytes of one line of text that are kept."""
_EVENT = 8 * 1024 * 1024
_NUMBER = re.compile(r"([\d.,]*\d)\s*([kKmM]?)")
_SCALE = {"": 1.0, "k": 1e3, "m": 1e6}


class Reader:
    """Feeds `heard` from stdout. `prompt`: lines of it that an agent echoes are not its own words (loop-peers B-L1)."""

    def __init__(self, adapter: Adapter, prompt: str = "", rules: Rules | None = None) -> None:
        self.heard = Heard()
        self._rules = rules or Rules(adapter)
        self._json = adapter.output.format is Format.JSONL
        self._error_line = re.compile(adapter.output.error_line) if adapter.output.error_line else None
        self._usage_line = re.compile(adapter.output.usage_line) if adapter.output.usage_line else None
        self._prompt = frozenset(line.strip() for line in prompt.splitlines() if line.strip())
        self.lines: deque[str] = deque(maxlen=adapter.output.last_lines)

    def line(self, line: bytes) -> None:
        """One line of stdout. What is no event is text; an event that does not parse is passed over."""
        if self._json and line[:1] == b"{":
            if len(line) >= _EVENT:  # cut by the launcher: no JSON any more; the transcript has its beginning
                return
            try:
                event = wire.parse(line)
            except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
                return
            if isinstance(event, dict):
                self.event(event)
            return
        self._text(line)

    def event(self, event: dict[str, Any]) -> None:
        """One event, or the document that an agent leaves in a file."""
        self.heard.events += 1
        for rule in self._rules.of(event):
            for subject in rule.subjects(event):
                self._apply(rule, subject, event)

    def _apply(self, rule: Rule, subject: object, event: object) -> None:
        heard, given = self.heard, rule.given
        if rule.matching is not None and rule.matching.search(_words_of(rule, subject)) is None:
            return
        if given.begins:
            heard.begins()
        if given.turn:
            heard.turns += 1
        if rule.says and (said := words(subject, rule.says)):
            heard.says(said)
        if rule.final and (said := words(subject, rule.final)):
            heard.says(said, afresh=True)
        if rule.tool and (name := words(subject, rule.tool)):
            called = list(values(subject, rule.arguments)) if rule.arguments else []
            heard.calls(name, wire.dump(called) if called else b"")
        if rule.denied and (what := words(subject, rule.denied)):
            heard.denies(what)
        id_ = "".join(str(one) for one in values(event, rule.id)) if rule.id else ""
        for what, paths in (("tokens_in", rule.tokens_in), ("tokens_out", rule.tokens_out), ("usd", rule.usd)):
            if paths and (amount := total(subject, paths)) is not None:
                heard.adds(what, amount, id_, whole=given.count == "all")
        if rule.error or rule.status or given.kind is not None:
            self._problem(rule, subject)
        if given.ends is not None:
            heard.done = given.ends

    def _problem(self, rule: Rule, subject: object) -> None:
        said = _error_of(rule, subject)
        status = next((one for one in values(subject, rule.status) if isinstance(one, int)), None) if rule.status else None
        if not (said or status or rule.given.kind):
            return
        resets = _number(subject, rule.resets)
        if resets is not None and resets > 1e11:
            resets /= 1000.0  # milliseconds
        resets_in = _number(subject, rule.resets_in)
        self.heard.problem(Problem(said[:4000], rule.given.kind, status, resets, resets_in))

    def _text(self, line: bytes) -> None:
        text = line[:LINE].decode("utf-8", "replace").rstrip()
        if not text or text.strip() in self._prompt:
            return
        self.lines.append(text)
        if self._error_line is not None and self._error_line.search(text):
            self.heard.problem(Problem(text))
        if self._usage_line is not None and (found := self._usage_line.search(text)):
            self.heard.problems.clear()  # a message came through: what it had tried again is over
            for what, said in found.groupdict().items():
                if said and (amount := _amount(said)) is not None:
                    self.heard.adds(what, amount, "")


def _number(subject: object, steps: Steps) -> float | None:
    """The number that the path leads to; the value of an HTTP header is one in quotes."""
    if not steps:
        return None
    number = total(subject, (steps,))
    return number if number is not None else _amount(words(subject, steps))


def _error_of(rule: Rule, subject: object) -> str:
    return next(filter(None, (words(subject, path) for path in rule.error)), "")


def _words_of(rule: Rule, subject: object) -> str:
    return _error_of(rule, subject) or (words(subject, rule.denied) if rule.denied else "")


def _amount(said: str) -> float | None:
    """`1.2k`, `3,456`, `0.05`."""
    found = _NUMBER.fullmatch(said.strip())
    if found is None:
        return None
    try:
        return float(found[1].replace(",", "")) * _SCALE[found[2].lower()]
    except ValueError:
        return None
