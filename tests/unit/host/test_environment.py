"""What we hand on, and words for people on a stream that dies."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from pathlib import Path

import pytest

from agentops.host.environment import clean_environment, resolve
from agentops.host.terminal import Voice

ROOT = Path(__file__).resolve().parents[3]


def test_places_of_git_and_marks_of_an_outer_agent_go_and_identity_and_transport_stay() -> None:
    kept = {
        "GIT_AUTHOR_NAME": "a",
        "GIT_SSH_COMMAND": "ssh",
        "PATH": "/bin",
        "CLAUDE_CODE_USE_BEDROCK": "1",
        "ANTHROPIC_API_KEY": "k",
    }
    dropped = {"GIT_DIR": "x", "GIT_CONFIG_KEY_7": "x", "GIT_CONFIG_COUNT": "8", "CLAUDECODE": "1", "CLAUDE_CODE_SESSION_ID": "s"}
    assert clean_environment({**kept, **dropped}) == (kept, tuple(sorted(dropped)))


def test_every_variable_by_which_git_finds_a_place_is_known() -> None:
    said = subprocess.run(["git", "rev-parse", "--local-env-vars"], stdout=subprocess.PIPE, check=True, text=True).stdout.split()
    place = [name for name in said if name not in ("GIT_NO_REPLACE_OBJECTS", "GIT_REPLACE_REF_BASE")]
    assert set(clean_environment(dict.fromkeys(place, "x"))[1]) == set(place)


def test_tools_resolve_by_the_path_given_and_relative_ones_by_the_folder(tmp_path: Path) -> None:
    tool = tmp_path / "tool"
    tool.write_text("#!/bin/sh\n")
    assert resolve("tool", {"PATH": str(tmp_path)}) is None
    tool.chmod(0o755)
    assert resolve("tool", {"PATH": f"/no/such:{tmp_path}"}) == str(tool)
    assert resolve("./tool", {}, str(tmp_path)) == f"{tmp_path}/./tool"
    assert resolve("tool", {"PATH": "."}, str(tmp_path.parent)) is None


SAYING = """
import sys
from agentops.host.terminal import Voice
voice = Voice()
for _ in range(20000):
    voice.say("line \\u2192 of words")
print(voice.quiet, file=sys.stderr)
"""


def test_reader_that_went_away_does_not_end_a_run() -> None:
    env = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "ascii"}
    running = subprocess.Popen([sys.executable, "-c", SAYING], env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert running.stdout is not None and running.stderr is not None
    assert running.stdout.readline() == b"line ? of words\n"
    running.stdout.close()
    assert running.stderr.read() == b"True\n"
    assert running.wait() == 0


@pytest.mark.parametrize("text", ["plain", "→ ünïcode"])
def test_voice_says_all_that_the_stream_can(text: str) -> None:
    stream = io.StringIO()
    Voice(stream).say(text)
    assert stream.getvalue() == text + "\n"
