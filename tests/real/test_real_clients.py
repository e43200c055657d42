"""Real coding-agent clients through `ao evolve`, against a model on loopback. `scripts/real-agents` installs them, pinned.

Where a client is not installed its tests are skipped; `scripts/test` says so in one line.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from agentops.host.trees import pids
from tests.paths import PATH
from tests.real.stub_model import TOKENS_IN, TOKENS_OUT, Model

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
AO = str(Path(sys.executable).with_name("ao"))
FOLDERS = [os.environ.get("AO_REAL_AGENTS", ""), str(ROOT / ".cache" / "agents" / "bin")]
GOALS = """# Real

## Gates

| ID | Check | Weight | Description |
|----|-------|--------|-------------|
| fixed | `test -f fixed.txt` | 5 | The file is there |
"""
CODEX = """model = "stub-model"
model_provider = "stub"
[model_providers.stub]
name = "stub"
base_url = "{url}"
env_key = "OPENAI_API_KEY"
wire_api = "responses"
request_max_retries = {retries}
stream_max_retries = {retries}
"""


def _codex(home: Path, url: str, retries: int = 0) -> str:
    (home / ".codex").mkdir()
    (home / ".codex" / "config.toml").write_text(CODEX.format(url=url, retries=retries))
    return ""


def _pi(home: Path, url: str, retries: int = 0) -> str:
    model = {
        "id": "stub-model",
        "name": "stub",
        "reasoning": False,
        "input": ["text"],
        "contextWindow": 128000,
        "maxTokens": 4096,
    }
    model["cost"] = {"input": 1, "output": 2, "cacheRead": 0, "cacheWrite": 0}
    provider = {"baseUrl": url, "apiKey": "sk-fake", "api": "openai-completions", "models": [model]}
    (home / ".pi" / "agent").mkdir(parents=True)
    (home / ".pi" / "agent" / "models.json").write_text(json.dumps({"providers": {"stub": provider}}))
    settings = {"retry": {"enabled": retries > 0, "maxRetries": retries, "baseDelayMs": 100}}
    (home / ".pi" / "agent" / "settings.json").write_text(json.dumps(settings))
    return '[agents.pi]\nargs = ["--provider", "stub", "--model", "stub-model"]\n'


CLIENTS: dict[str, Callable[..., str]] = {"codex": _codex, "pi": _pi}


@dataclass
class Ground:
    """A repository with one failing goal, and a client that is configured to ask the stub."""

    client: str
    folder: Path
    model: Model
    path: str

    def prepare(self, scenario: str, retries: int = 0, url: str = "") -> None:
        home, repo = self.folder / "home", self.folder / "repo"
        for one in (home, repo, home / ".config" / "ao"):
            one.mkdir(parents=True)
        words = CLIENTS[self.client](home, url or self.model.url(scenario, self.folder.name), retries)
        (home / ".config" / "ao" / "config.toml").write_text(words)
        (repo / "GOALS.md").write_text(GOALS)
        for argv in (("init", "-q", "-b", "main"), ("add", "-A"), ("commit", "-qm", "start")):
            subprocess.run(["git", *argv], cwd=repo, env=self.env, check=True)

    @property
    def env(self) -> dict[str, str]:
        who = {f"GIT_{one}_{what}": f"{one}@localhost" for one in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
        offline = {"OPENAI_API_KEY": "sk-fake", "PI_OFFLINE": "1", "PI_SKIP_VERSION_CHECK": "1"}
        return {"PATH": self.path, "HOME": str(self.folder / "home"), "LANG": "C.UTF-8", "TZ": "UTC", **who, **offline}

    def argv(self, *more: str) -> list[str]:
        return [AO, "evolve", "--agent", self.client, "--max-cycles=1", "--json", *more]

    def evolve(self, *more: str, seconds: float = 90.0) -> tuple[int, dict[str, Any], str]:
        """Exit code, the one row (empty without one), and what was said on stderr."""
        repo = self.folder / "repo"
        done = subprocess.run(
            self.argv(*more), cwd=repo, env=self.env, stdin=subprocess.DEVNULL, capture_output=True, timeout=seconds, check=False
        )
        return done.returncode, self.row(), done.stderr.decode("utf-8", "replace")

    def begin(self, *more: str) -> subprocess.Popen[bytes]:
        """Start it and let it run."""
        null, pipe = subprocess.DEVNULL, subprocess.PIPE
        repo = self.folder / "repo"
        return subprocess.Popen(self.argv(*more), cwd=repo, env=self.env, stdin=null, stdout=null, stderr=pipe)

    def stop(self) -> None:
        """As a person does by hand."""
        folder = self.folder / "repo" / ".agents" / "evolve"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "STOP").write_text("")

    def row(self) -> dict[str, Any]:
        ledger = self.folder / "repo" / ".agents" / "evolve" / "cycle-history.jsonl"
        return dict(json.loads(ledger.read_text().splitlines()[-1])) if ledger.exists() else {}

    def alive(self) -> list[int]:
        """Processes that run in this ground."""
        mark = f"HOME={self.folder / 'home'}".encode()
        return [pid for pid in pids() if mark in _environ(pid)]


def _environ(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/environ").read_bytes()
    except OSError:
        return b""


@pytest.fixture(scope="module")
def model() -> Iterator[Model]:
    served = Model()
    yield served
    served.close()


@pytest.fixture(params=sorted(CLIENTS))
def ground(request: pytest.FixtureRequest, tmp_path: Path, model: Model) -> Iterator[Ground]:
    path = os.pathsep.join([*filter(None, FOLDERS), PATH])
    if shutil.which(request.param, path=path) is None:
        pytest.skip(f"{request.param} is not installed (scripts/real-agents)")
    made = Ground(request.param, tmp_path, model, path)
    yield made
    assert made.alive() == [], "a process of the client outlived its run"


def test_an_edit_reaches_the_goal_and_its_cost_is_known(ground: Ground) -> None:
    ground.prepare("edit")
    code, row, said = ground.evolve()
    assert (code, row["result"], row["reason"], row["agent"]) == (0, "improved", "target_reached", ground.client), said
    # Two requests each in three phases: one that calls the tool, one that ends.
    assert (row["tokens_in"], row["tokens_out"]) == (6 * TOKENS_IN, 6 * TOKENS_OUT), said
    assert row.get("cost_known") is (ground.client == "pi"), row


def test_a_limit_that_a_tool_prints_is_none(ground: Ground) -> None:
    ground.prepare("read")
    code, row, said = ground.evolve()
    assert (code, row["result"]) == (0, "improved"), said


def test_a_model_that_does_nothing_is_no_success(ground: Ground) -> None:
    ground.prepare("nothing")
    code, row, said = ground.evolve()
    assert (code, row["result"]) == (0, "unchanged"), said
    assert row["reason"] == "no_op", row


def test_not_logged_in_is_found_out_before_the_session_starts(ground: Ground) -> None:
    ground.prepare("e401")
    code, row, said = ground.evolve()
    assert (code, row) == (7, {}), said
    assert f"{ground.client} is not logged in" in said and "401" in said


def test_a_login_that_is_lost_ends_the_session_with_the_command_that_mends_it(ground: Ground) -> None:
    ground.prepare("e401")
    code, row, said = ground.evolve("--no-preflight")
    assert (code, row["reason"]) == (7, "agent:auth"), said
    assert ground.model.requests[f"e401@{ground.folder.name}"] <= 3, "no retries are burnt on it"


def test_a_few_refusals_that_the_client_gets_over_by_itself_are_no_limit(ground: Ground) -> None:
    ground.prepare("e429x2", retries=3)
    code, row, said = ground.evolve("--no-preflight")
    assert (code, row["result"]) == (0, "improved"), said


@pytest.mark.parametrize("scenario", ["e429", "refused"])
def test_what_is_waited_for_parks_and_a_stop_ends_the_wait(ground: Ground, scenario: str) -> None:
    ground.prepare(scenario, url="http://127.0.0.1:9/v1" if scenario == "refused" else "")
    running = ground.begin("--no-preflight", "--phase-timeout=8s" if scenario == "refused" else "--phase-timeout=80s")
    assert running.stderr is not None
    heard = b""
    for line in running.stderr:
        heard += line
        if b"parked until" in line:
            ground.stop()
            break
    heard += running.stderr.read()
    assert running.wait(60) == 0, heard
    running.stderr.close()
    assert ground.row()["reason"] == "interrupted", heard


def test_an_answer_that_breaks_off_is_no_success(ground: Ground) -> None:
    """Codex reports it, and it is waited for; pi calls it an empty answer, three times."""
    ground.prepare("cut")
    running = ground.begin("--no-preflight")
    assert running.stderr is not None
    for line in running.stderr:
        if b"parked until" in line:
            ground.stop()
            break
    _, heard = running.communicate(timeout=60)
    assert ground.row()["reason"] == ("interrupted" if ground.client == "codex" else "agent:no_op"), heard


def test_a_stop_ends_a_sleeping_tool_and_nothing_is_left(ground: Ground) -> None:
    ground.prepare("sleep")
    running = ground.begin("--no-preflight")
    waited = 0
    while not any(b"7321" in _cmdline(pid) for pid in ground.alive()) and waited < 600:
        try:
            running.wait(0.1)
            break
        except subprocess.TimeoutExpired:
            waited += 1
    ground.stop()
    _, said = running.communicate(timeout=60)
    assert running.returncode == 0, said
    assert ground.row()["reason"] == "interrupted"


def _cmdline(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""
