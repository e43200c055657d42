"""What an agent's TOML file may say: how a coding agent is started, read and understood, as data.

Every part is optional but `program`. `docs/agents.md` explains each field with an example. A wrong field is an error that
names the file and the path inside it.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from enum import StrEnum
from typing import Any

import msgspec

from agentops.agents.event_paths import compiled
from agentops.core.errors import UnusableFile
from agentops.core.processes import Ended

Scalar = str | int | float | bool


class BadAdapter(UnusableFile):
    """An agent's description cannot be used."""

    mend = "docs/agents.md says what each field means"


class PromptBy(StrEnum):
    """How the prompt reaches the agent. `stdin` is neither seen in `ps` nor cut at 128 KiB."""

    STDIN = "stdin"
    FILE = "file"
    ARGUMENT = "argument"


class Format(StrEnum):
    """What it prints: one JSON object a line, or text for people."""

    JSONL = "jsonl"
    TEXT = "text"


class Ends(StrEnum):
    """What a terminal event says of the run."""

    OK = "ok"
    ERROR = "error"


def _regex(pattern: str) -> None:
    try:
        re.compile(pattern)
    except (re.error, OverflowError, RecursionError) as error:
        raise ValueError(f"`{pattern}` is no regular expression: {error}") from None


class Record(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A table that knows its fields."""


class EventRule(Record, frozen=True):
    """What one kind of event means.

    `when`: path → value (or list of values; `"*"`: anything) that must all hold. `each`: a path to a list; the other paths and
    `where` (conditions like `when`) then start at its elements. `says` adds to the agent's last message, `final` replaces it.
    `tool` with `arguments`: a tool call. `denied`: a call that nobody is there to allow. `tokens_in`, `tokens_out`, `usd`:
    paths whose numbers are added up; `count = "all"`: they are the run's totals so far. `id`: numbers of one id are counted
    once, the last ones. `turn`: one turn of the model. `error`: paths to an error's words, the first that leads anywhere;
    `matching`: the rule counts only if these words, or those of `denied`, match. `status`: path to an HTTP status. `kind`:
    what kind of ending it is, where the event itself says so. `resets`: path to a moment (epoch seconds), `resets_in`: path to
    seconds. `ends`: the terminal event; `begins`: what came before was not the end after all.
    """

    when: dict[str, Scalar | list[Scalar]] = {}
    each: str = ""
    where: dict[str, Scalar | list[Scalar]] = {}
    says: str = ""
    final: str = ""
    tool: str = ""
    arguments: str = ""
    denied: str = ""
    tokens_in: list[str] = []
    tokens_out: list[str] = []
    usd: list[str] = []
    count: str = "each"
    id: str = ""
    turn: bool = False
    error: list[str] = []
    matching: str = ""
    status: str = ""
    kind: Ended | None = None
    resets: str = ""
    resets_in: str = ""
    ends: Ends | None = None
    begins: bool = False

    def __post_init__(self) -> None:
        named = [self.each, self.says, self.final, self.tool, self.arguments, self.denied, self.id, self.status]
        named += [self.resets, self.resets_in, *self.when, *self.where, *self.tokens_in, *self.tokens_out, *self.usd, *self.error]
        for path in filter(None, named):
            compiled(path)
        _regex(self.matching)
        if self.count not in ("each", "all"):
            raise ValueError('`count` is "each" or "all"')


class MessageRule(Record, frozen=True):
    """What an error's words mean: a regular expression (letter case ignored) and the kind of ending."""

    match: str
    kind: Ended

    def __post_init__(self) -> None:
        _regex(self.match)


class Output(Record, frozen=True):
    """How its output is read.

    `first_byte`: seconds within which a streaming agent must have printed something (loop-peers B-H1). `error_line`: which
    lines of text are its own error messages, and no tool's output. `usage_line`: a regular expression with the groups
    `tokens_in`, `tokens_out`, `usd` (numbers may end with k or M). `file`: a JSON document that it leaves, read as one event.
    `last_lines`: how many lines of text count as its final message.
    """

    format: Format = Format.TEXT
    first_byte: float = 120.0
    error_line: str = ""
    usage_line: str = ""
    file: str = ""
    last_lines: int = 100

    def __post_init__(self) -> None:
        _regex(self.error_line)
        _regex(self.usage_line)


class Environment(Record, frozen=True):
    """`set`: variables it gets. `pass`: names (`*` at the end: all that begin so) handed on beside the usual ones.
    `pass_when`: a variable that, when it is set, lets others through.
    """

    set: dict[str, str] = {}
    pass_: list[str] = msgspec.field(default_factory=list, name="pass")
    pass_when: dict[str, list[str]] = {}


class Adapter(Record, frozen=True):
    """One coding agent. The command line is `argv`, `model_args`, `turns_args`, `args` (what the owner adds), `last`; in it stand
    `{prompt}`, `{prompt_file}`, `{phase_dir}`, `{model}`, `{turns}`.

    `homes`: folders and files of its own under the home folder, writable in every sandbox. `account`: whose limits it shares;
    its name if empty. `login`: what a person types when it is not logged in. `turns_args`: how it is given a cap of turns.
    `exits`: exit codes that have a meaning.
    """

    program: str | list[str]
    name: str = ""
    title: str = ""
    argv: list[str] = []
    args: list[str] = []
    last: list[str] = []
    model: str = ""
    model_args: list[str] = []
    turns_args: list[str] = []
    prompt: PromptBy = PromptBy.STDIN
    account: str = ""
    version: tuple[str, ...] = ("--version",)
    login: str = ""
    homes: list[str] = []
    environment: Environment = Environment()
    output: Output = Output()
    exits: dict[str, Ended] = {}
    events: list[EventRule] = []
    messages: list[MessageRule] = []

    def __post_init__(self) -> None:
        if not self.programs or not all(self.programs):
            raise ValueError("`program` names no program")
        if self.model and not self.model_args:
            raise ValueError("`model` is given but `model_args` does not say how it is handed over")
        placed = any("{prompt}" in word or "{prompt_file}" in word for word in (*self.argv, *self.last))
        if self.prompt is not PromptBy.STDIN and not placed:
            raise ValueError(f'prompt = "{self.prompt}" needs {{prompt}} or {{prompt_file}} in `argv` or `last`')
        if not all(code.isdecimal() for code in self.exits):
            raise ValueError("`exits` maps exit codes to endings")

    @property
    def programs(self) -> tuple[str, ...]:
        """Names under which the program may be installed, the usual one first."""
        return (self.program,) if isinstance(self.program, str) else tuple(self.program)

    @property
    def streams(self) -> bool:
        """Whether it tells what it does while it does it."""
        return self.output.format is Format.JSONL

    @property
    def tells_end(self) -> bool:
        """Whether its stream has a terminal event, without which the run was cut off."""
        return any(rule.ends is not None for rule in self.events)


def read_toml(raw: bytes, where: str) -> dict[str, Any]:
    """The tables of a TOML file. Raises BadAdapter with line and column."""
    try:
        return tomllib.loads(raw.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise BadAdapter(f"{where}: not UTF-8 at byte {error.start}") from None
    except (ValueError, RecursionError) as error:  # also a number of five thousand digits
        raise BadAdapter(f"{where}: {error}") from None


def adapter_of(name: str, tables: Mapping[str, Any], where: str) -> Adapter:
    """A validated adapter. Raises BadAdapter that names file and path."""
    try:
        return msgspec.convert({**tables, "name": name}, Adapter, strict=True)
    except msgspec.ValidationError as error:
        raise BadAdapter(f"{where}: {error}") from None


def laid_over(base: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    """One description on top of another: tables grow together, `messages` of both count (the upper ones first), anything
    else that the upper one gives replaces what was there.
    """
    result = dict(base)
    for key, value in over.items():
        below = result.get(key)
        if isinstance(value, Mapping) and isinstance(below, Mapping):
            result[key] = laid_over(below, value)
        elif key == "messages" and isinstance(value, list) and isinstance(below, list):
            result[key] = [*value, *below]
        else:
            result[key] = value
    return result
