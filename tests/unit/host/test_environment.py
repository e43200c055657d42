"""What we hand on to what we start."""

from __future__ import annotations

import subprocess
from pathlib import Path

from agentops.host.environment import clean_environment, resolve


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
