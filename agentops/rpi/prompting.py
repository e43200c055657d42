"""Prompts from templates that a repository may override; what a template misspells is an error, not an empty line.

Read and tried out once, at the session's start: a prompt that breaks in the night would cost the night.
"""

from __future__ import annotations

import difflib
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from types import TracebackType

from jinja2 import (
    ChoiceLoader,
    DictLoader,
    FunctionLoader,
    PrefixLoader,
    StrictUndefined,
    TemplateError,
    TemplateSyntaxError,
    nodes,
)
from jinja2.meta import find_undeclared_variables
from jinja2.sandbox import ImmutableSandboxedEnvironment

from agentops.core.errors import UnusableFile
from agentops.core.work import WorkItem
from agentops.host.files import read_bounded
from agentops.rpi.slices import Slice, Wave
from agentops.rpi.verdicts import Phase

ENDING = ".md.j2"
_BUILT_IN = os.path.join(os.path.dirname(__file__), "prompts")
_LARGEST = 64 * 1024


class BrokenPrompt(UnusableFile):
    """A prompt template of this repository can't be used."""

    mend = "mend the template, or take `dir` out of `[prompts]` in the configuration"


@dataclass(frozen=True, slots=True)
class Given:
    """What a template may name. `earlier`: folders of finished phases; `reason`: what this run is told about the last one,
    `again`: because that did not go through; `wave`: the slices to do now and those that are left for later.
    """

    item: WorkItem
    phase_dir: str
    earlier: tuple[str, ...] = ()
    reason: str = ""
    again: bool = False
    test_first: bool = True
    wave: Wave = field(default_factory=Wave)


class Prompts:
    """The three templates: the repository's where it has one in `folder`, ours for the rest. Raises BrokenPrompt.

    A template of a repository may extend ours (`{% extends "ao/discovery.md.j2" %}`) and replace single blocks. It comes
    with a clone, so it runs in Jinja's sandbox: it can write text and nothing else.
    """

    def __init__(self, folder: str | None = None) -> None:
        own = _read(folder, required=True) if folder else {}
        built_in = _read(_BUILT_IN)
        self._own = {name: os.path.join(folder or "", name) for name in own}
        ours = DictLoader(built_in)
        loader = ChoiceLoader([FunctionLoader(self._source(own)), PrefixLoader({"ao": ours}), ours])
        # Plain text for a model: escaping for HTML would corrupt code.
        self._rooms = ImmutableSandboxedEnvironment(
            loader=loader, undefined=StrictUndefined, trim_blocks=True, keep_trailing_newline=True, autoescape=False
        )
        for name, path in self._own.items():
            _phase_of(name, path)
            self._names_only_what_there_is(own[name], path)
        if self._own:
            for phase in Phase:
                for sample in _SAMPLES:
                    self.render(phase, sample)

    @property
    def overridden(self) -> tuple[str, ...]:
        """The files of the repository that are used, for the start lines."""
        return tuple(self._own.values())

    def render(self, phase: Phase, given: Given) -> str:
        """The prompt of one phase. Raises BrokenPrompt with file and line where the template does not work."""
        values = {one.name: getattr(given, one.name) for one in fields(given)}
        try:
            return self._rooms.get_template(f"{phase}{ENDING}").render(values)
        except (TemplateError, TypeError, ValueError, ArithmeticError, LookupError, AttributeError) as error:
            path = self._own.get(f"{phase}{ENDING}", f"{phase}{ENDING}")
            raise self._broken(error, path) from error

    def _names_only_what_there_is(self, source: str, path: str) -> None:
        """Also what stands in a branch that no sample takes."""
        try:
            tree = self._rooms.parse(source, filename=path)
        except TemplateSyntaxError as error:
            raise self._broken(error, path) from error
        unknown = find_undeclared_variables(tree) - _NAMES
        for name in tree.find_all(nodes.Name):
            if name.name in unknown:
                near = difflib.get_close_matches(name.name, _NAMES, n=1)
                hint = f"; did you mean `{near[0]}`?" if near else f"; there are {', '.join(sorted(_NAMES))}"
                raise BrokenPrompt(f"{path}:{name.lineno}: there is no `{name.name}`{hint}")

    def _broken(self, error: Exception, path: str) -> BrokenPrompt:
        if isinstance(error, TemplateSyntaxError):
            file, line = error.filename or path, error.lineno
        else:
            file, line = next(iter(_frames(error.__traceback__, set(self._own.values()))), (path, 1))
        return BrokenPrompt(f"{file}:{line}: {error}")

    def _source(self, own: Mapping[str, str]) -> Callable[[str], tuple[str, str, Callable[[], bool]] | None]:
        """With the file's own path, so that errors name it."""
        return lambda name: (own[name], self._own[name], lambda: True) if name in own else None


def _read(folder: str, *, required: bool = False) -> dict[str, str]:
    """The templates of a folder by name. Raises BrokenPrompt when a folder that was named can't be read."""
    try:
        names = sorted(name for name in os.listdir(folder) if name.endswith(ENDING))
        found = {name: read_bounded(os.path.join(folder, name), _LARGEST).decode() for name in names}
    except (OSError, UnicodeDecodeError) as error:
        raise BrokenPrompt(f"{folder}: {getattr(error, 'strerror', None) or error}") from error
    if required and not found:
        raise BrokenPrompt(f"{folder}: no template is there; they are called {', '.join(f'{phase}{ENDING}' for phase in Phase)}")
    return found


def _phase_of(name: str, path: str) -> None:
    """A template that no phase uses was meant to be one; `_name.md.j2` is a part that others include."""
    known = [f"{phase}{ENDING}" for phase in Phase]
    if name not in known and not name.startswith("_"):
        near = difflib.get_close_matches(name, known, n=1)
        raise BrokenPrompt(f"{path}:1: no phase is called so; {f'did you mean {near[0]}?' if near else ', '.join(known)}")


def _frames(trace: TracebackType | None, paths: set[str]) -> list[tuple[str, int]]:
    """Where in the templates an error came up, innermost first; Jinja puts the template's lines into the traceback."""
    found: list[tuple[str, int]] = []
    while trace is not None:
        if trace.tb_frame.f_code.co_filename in paths:
            found.append((trace.tb_frame.f_code.co_filename, trace.tb_lineno))
        trace = trace.tb_next
    return found[::-1]


_NAMES = frozenset(one.name for one in fields(Given))
_FULL = WorkItem("goal", "key", "title", "prompt", check="true", fix="true", metric="higher", timeout=1.0, output="output")
_CUT = Wave((Slice("now", "one", ("file",)),), (Slice("later", "two"),))
_SAMPLES = (
    Given(_FULL, "/phase", ("/earlier",), "reason", True, True, _CUT),
    Given(_FULL, "/phase", ("/earlier",), "reason", False, True, _CUT),
    Given(WorkItem("goal", "key", "title", "prompt"), "/phase", test_first=False),
)
