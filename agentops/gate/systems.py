"""Which test commands a repository has: every build system at its root whose test target really runs something.

A target that is missing, up to date or a placeholder is no gate: it would be green for ever and prove nothing.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import msgspec

from agentops.core.processes import Ended, Exit, Host, Limits, Spec
from agentops.core.stops import Scope
from agentops.host import files
from agentops.host.environment import resolve
from agentops.host.faults import fault

PROBE_SECONDS = 20.0
PYTEST_NOTHING_RAN = frozenset({5})
"""pytest's code for "no tests were collected"."""
_PLACEHOLDER = "no test specified"
_LARGEST = 4 * 1024 * 1024
_PYTHON_SIGNS = ("pyproject.toml", "setup.py", "setup.cfg", "pytest.ini", "tests")
_MAKEFILES = ("GNUmakefile", "makefile", "Makefile")


@dataclass(frozen=True, slots=True)
class GateCommand:
    """One command of the gate. `number` counts from 1; `nothing_ran`: exit codes that say that there was nothing to run.

    `env` is set for this command on top of the place's.
    """

    number: int
    argv: tuple[str, ...]
    title: str
    nothing_ran: frozenset[int] = frozenset()
    env: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Detected:
    """The commands in the order in which they run, and what looked like a gate and is none, with the reason."""

    commands: tuple[GateCommand, ...] = ()
    notices: tuple[str, ...] = ()


def survey(top: str, env: Mapping[str, str], host: Host, scope: Scope) -> Detected:
    """Look at every recognised system. Starts a few short processes (make, an interpreter); writes nothing."""
    root = _Root(os.path.abspath(top), dict(env), host, scope)
    found: list[GateCommand] = []
    notices: list[str] = []
    for look in (_make, _npm, _go, _cargo, _pytest, _wiring):
        for one in look(root):
            if isinstance(one, str):
                notices.append(one)
            else:
                found.append(replace(one, number=len(found) + 1))
    return Detected(tuple(found), tuple(notices))


@dataclass(frozen=True, slots=True)
class _Root:
    top: str
    env: dict[str, str]
    host: Host
    scope: Scope

    def has(self, *names: str) -> str | None:
        return next((name for name in names if os.path.exists(os.path.join(self.top, name))), None)

    def tool(self, name: str) -> str | None:
        return resolve(name, self.env, self.top)

    def probe(self, *argv: str) -> Exit:
        fault("gate.probe.before")
        # A `make` above us would hand down its own flags, `-n` among them; messages are compared, so they are English.
        env = {name: value for name, value in self.env.items() if name not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL")}
        env |= {"LC_ALL": "C", "PYTHONDONTWRITEBYTECODE": "1"}
        return self.host.run(Spec(argv, self.top, env, limits=Limits(total=PROBE_SECONDS)), self.scope)


_Found = Iterator[GateCommand | str]


def _command(
    *argv: str, title: str = "", nothing_ran: frozenset[int] = frozenset(), env: Mapping[str, str] | None = None
) -> GateCommand:
    return GateCommand(0, argv, title or " ".join(argv), nothing_ran, tuple((env or {}).items()))


def _make(root: _Root) -> _Found:
    name = root.has(*_MAKEFILES)
    if name is None:
        return
    if root.tool("make") is None:
        yield f"{name} is no gate: make is not installed"
        return
    asked = root.probe("make", "-q", "test")
    if asked.code not in (0, 1):
        yield f"{name} is no gate: {_last_words(asked)}"
    elif asked.code == 0:
        yield f"{name} is no gate: `make test` has nothing to do"
    elif b"No rule to make target 'test'." in root.probe("make", "-r", "-q", "test").err:
        # A file such as test.sh or test.c at the root is enough for make's built-in rules to invent the target.
        yield f"{name} is no gate: it has no target `test`"
    else:
        nested = {"MAKEFLAGS": "", "MAKELEVEL": "0"} if "MAKELEVEL" in root.env else {}
        yield _command("make", "test", env=nested)


def _npm(root: _Root) -> _Found:
    if root.has("package.json") is None:
        return
    try:
        package = msgspec.json.decode(files.read_bounded(os.path.join(root.top, "package.json"), _LARGEST))
    except (OSError, msgspec.DecodeError, ValueError, RecursionError) as error:
        yield f"package.json is no gate: {error}"
        return
    scripts = package.get("scripts") if isinstance(package, dict) else None
    script = scripts.get("test") if isinstance(scripts, dict) else None
    if not isinstance(script, str) or not script.strip():
        yield "package.json is no gate: it has no `test` script"
    elif _PLACEHOLDER in script:
        yield "package.json is no gate: its `test` script is npm's placeholder"
    elif root.tool("npm") is None:
        yield "package.json is no gate: npm is not installed"
    else:
        # Without CI in the environment several runners of that world watch files and never end.
        yield _command("npm", "test", env={"CI": "1"})


def _go(root: _Root) -> _Found:
    if root.has("go.mod") is None:
        return
    if root.tool("go") is None:
        yield "go.mod is no gate: go is not installed"
        return
    for act in ("build", "vet", "test"):
        yield _command("go", act, "./...")


def _cargo(root: _Root) -> _Found:
    if root.has("Cargo.toml") is None:
        return
    if root.tool("cargo") is None:
        yield "Cargo.toml is no gate: cargo is not installed"
        return
    yield _command("cargo", "build")
    yield _command("cargo", "test")


def _pytest(root: _Root) -> _Found:
    sign = root.has(*_PYTHON_SIGNS)
    if sign is None:
        return
    own = os.path.join(root.top, ".venv", "bin", "python")
    python = own if os.access(own, os.X_OK) else root.tool("python3")
    if python is None:
        yield f"{sign} is no gate: there is no python3"
        return
    asked = root.probe(python, "-c", "import pytest")
    if asked.good:
        yield _command(python, "-m", "pytest", "-q", title="pytest", nothing_ran=PYTEST_NOTHING_RAN)
    else:
        yield f"{sign} is no gate: {python} has no pytest ({_last_words(asked)})"


def _wiring(root: _Root) -> _Found:
    script = "scripts/check-wiring-closure.sh"
    if root.has(script) is not None:
        yield _command("bash", script, title=script)


def _last_words(ended: Exit) -> str:
    said = (ended.err + ended.err_tail).decode("utf-8", "replace").strip() or ended.error
    if ended.ended is Ended.TIMEOUT:
        return f"the probe took longer than {PROBE_SECONDS:.0f} s"
    return said.splitlines()[-1] if said else f"the probe ended with {ended.code}"
