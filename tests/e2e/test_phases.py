"""The worker `phases` as whole runs: what an agent may say, and what becomes of it."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

from tests.torture.books import ledger
from tests.torture.ground import Ground
from tests.torture.looking import look
from tests.torture.person import Person, first_commit
from tests.torture.scenarios import GUARD, MADE, goals
from tests.torture.starting import Acts, Ended, evolve, write_script

DONE: Acts = (("write", "made.txt", "done\n"),)


def start(ground: Ground) -> Person:
    first_commit(ground, goals(MADE, GUARD), {b"a.txt": b"a\n"})
    return Person(ground, random.Random(1))


def verdict(word: str, **more: Any) -> tuple[str, str, str]:
    return ("leave", "verdict.json", json.dumps({"verdict": word, **more}))


def play(ground: Ground, implementation: Acts = DONE, cycles: int = 1, **phases: Acts) -> Ended:
    """One start; `implementation_2` stands for the second try."""
    write_script(ground, implementation, more={name.replace("_", "-"): acts for name, acts in phases.items()})
    return evolve(ground, f"--max-cycles={cycles}")


def told(ground: Ground, phase: str, key: str = "said") -> list[Any]:
    lines = [json.loads(line) for line in (ground.state / "events.jsonl").read_bytes().splitlines()]
    return [line.get(key) for line in lines if line["event"] == "phase.ended" and line["phase"] == phase]


def queued(ground: Ground) -> list[dict[str, Any]]:
    path = ground.repo / ".agents" / "rpi" / "next-work.jsonl"
    return [item for line in path.read_bytes().splitlines() for item in json.loads(line)["items"]] if path.exists() else []


def row(ground: Ground) -> tuple[str, str]:
    last = ledger(ground)[-1]
    return last["result"], last["reason"]


def test_work_that_is_not_done_is_done_again_with_its_reason(ground: Ground) -> None:
    start(ground)
    again = ("leave", "prompt-check", "x")
    play(
        ground,
        (verdict("PARTIAL", summary="the second half is missing"),),
        implementation_2=(again, *DONE, verdict("DONE")),
        validation_1=(verdict("PASS"),),
    )
    assert told(ground, "implementation") == ["PARTIAL", "DONE"]
    assert row(ground) == ("improved", "target_reached")
    results = json.loads((ground.repo / ".agents/rpi/phase-2-result.json").read_text())
    assert (results["status"], results["retries"]) == ("completed", 1)


def test_three_blocked_tries_are_not_done_and_leave_nothing(ground: Ground) -> None:
    start(ground)
    before = look(ground)
    ended = play(ground, (("write", "half.txt", "x\n"), verdict("BLOCKED", summary="the service is away")))
    assert told(ground, "implementation") == ["BLOCKED"] * 3
    assert row(ground) == ("unchanged", "not_done"), ended.told()
    assert look(ground) == before


def test_no_verdict_from_three_failing_runs_names_how_they_ended(ground: Ground) -> None:
    start(ground)
    write_script(ground, (("write", "half.txt", "x\n"),), discovery=(verdict("PASS"),), code=3)
    evolve(ground, "--max-cycles=1")
    assert row(ground) == ("unchanged", "agent:error")


def test_a_verdict_beats_the_exit_code(ground: Ground) -> None:
    start(ground)
    write_script(
        ground, (*DONE, verdict("DONE")), code=3, more={"discovery": (verdict("PASS"),), "validation": (verdict("PASS"),)}
    )
    evolve(ground, "--max-cycles=1")
    assert row(ground) == ("improved", "target_reached")


def test_already_done_counts_only_when_the_check_says_so(ground: Ground) -> None:
    start(ground)
    play(ground, discovery=(verdict("ALREADY_DONE", summary="it is there"),))
    assert told(ground, "discovery") == ["ALREADY_DONE"] * 3
    assert told(ground, "implementation") == []
    assert row(ground) == ("unchanged", "not_done")


def test_already_done_that_is_true_needs_no_further_phase(ground: Ground) -> None:
    start(ground)
    play(ground, (*DONE, verdict("ALREADY_DONE")), discovery=(verdict("PASS"),))
    assert told(ground, "validation") == []
    assert row(ground) == ("improved", "target_reached")


def test_a_scope_escape_ends_the_attempt_with_a_report_for_the_person(ground: Ground) -> None:
    start(ground)
    found = ["forty callers outside the program's scope"]
    ended = play(ground, discovery=(verdict("SCOPE_ESCAPE", summary="it needs another API", findings=found),))
    assert told(ground, "implementation") == []
    assert row(ground) == ("unchanged", "scope_escape")
    (report,) = (ground.repo / ".agents/evolve/scope-escapes").iterdir()
    assert "it needs another API" in report.read_text() and found[0] in report.read_text()
    assert report.name.encode() in ended.err, "the person is told where it is"
    assert b"scope-escapes" not in ground.git("status", "--porcelain", "-uall")


def test_follow_ups_of_the_validation_are_queued_once(ground: Ground) -> None:
    start(ground)
    ups = [{"title": "Close the leak", "severity": "high", "type": "bug"}, "Tidy the docs", {"no": "title"}, "made.txt is done"]
    play(ground, validation=(verdict("PASS", follow_ups=[*ups, "close the LEAK!"]),))
    assert row(ground) == ("improved", "target_reached")
    assert [(one["title"], one["severity"], one["type"]) for one in queued(ground)] == [
        ("Close the leak", "high", "bug"),
        ("Tidy the docs", "medium", "task"),
    ]


def test_follow_ups_of_failed_work_are_not_queued(ground: Ground) -> None:
    start(ground)
    play(ground, (verdict("PARTIAL", follow_ups=["The other half"]),))
    assert queued(ground) == []


def test_work_of_many_slices_does_the_first_wave_and_queues_the_rest(ground: Ground) -> None:
    start(ground)
    slices = [{"title": f"part {number}", "subsystem": "web" if number < 3 else "db"} for number in range(5)]
    agent = ground.control / "agent.sh"
    agent.write_text(
        f"cat > {ground.control}/prompt-$AO_PHASE\n"
        f"test $AO_PHASE != discovery || cp {ground.control}/plan.json $AO_PHASE_DIR/verdict.json\n"
        "test $AO_PHASE != implementation || echo done > made.txt\n"
    )
    (ground.control / "plan.json").write_text(json.dumps({"verdict": "PASS", "slices": slices}))
    evolve(ground, "--max-cycles=1", "--agent", "command", "--agent-command", f"bash {agent}", agent=False)
    prompt = (ground.control / "prompt-implementation").read_text()
    assert "- part 2\n" in prompt and "part 3" not in prompt
    assert [one["title"] for one in queued(ground)] == ["part 3", "part 4"]
    packet = json.loads((ground.repo / ".agents/rpi/execution-packet.json").read_text())
    assert packet["done_criteria"] == ["part 0", "part 1", "part 2"] and packet["objective"] == "made.txt is done"


def test_a_council_report_speaks_when_it_is_new_and_never_when_it_is_old(ground: Ground) -> None:
    start(ground)
    folder = ground.repo / ".agents" / "council"
    folder.mkdir(parents=True)
    (folder / "2026-01-01-vibe.md").write_text("## Council Verdict: FAIL\n")
    fresh = ("write", ".agents/council/2026-01-02-pre-mortem.md", "# x\n## Council Verdict: WARN\n")
    play(ground, discovery=(fresh,))
    assert told(ground, "discovery") == ["WARN"]
    assert told(ground, "validation") == ["DONE"], "an old report is no word of this run"


def test_the_last_promise_of_the_last_lines_counts(ground: Ground) -> None:
    start(ground)
    many = "".join(f"line {number}\n" for number in range(150))
    early, late = "<promise>FAIL</promise>\n", "<promise>PARTIAL</promise> no: <promise>DONE</promise>\n"
    play(ground, (*DONE, ("tell", early + many + late)), validation=(("tell", early + many),))
    assert (told(ground, "implementation"), told(ground, "validation")) == (["DONE"], ["DONE"])


def test_a_verdict_that_contradicts_its_numbers_is_said_and_does_not_turn_green_work_red(ground: Ground) -> None:
    start(ground)
    play(ground, (*DONE, verdict("DONE", tests={"passed": 8, "failed": 2})))
    assert row(ground) == ("improved", "target_reached")
    assert told(ground, "implementation", "doubts") == [["it says DONE, and in its own words tests.failed = 2"]]


def test_prompts_of_the_repository_are_used_and_may_extend_ours(ground: Ground) -> None:
    start(ground)
    own = ground.repo / "prompts"
    own.mkdir()
    (own / "discovery.md.j2").write_text('{% extends "ao/discovery.md.j2" %}{% block task %}Only look.\n{% endblock %}')
    (ground.repo / "ao.toml").write_text('[prompts]\ndir = "prompts"\n')
    agent = ground.control / "agent.sh"
    agent.write_text(f"cat > {ground.control}/prompt-$AO_PHASE\ntest $AO_PHASE != implementation || echo done > made.txt\n")
    evolve(ground, "--max-cycles=1", "--agent", "command", "--agent-command", f"bash {agent}", agent=False)
    assert "Only look.\n" in (ground.control / "prompt-discovery").read_text()
    assert "verdict.json" in (ground.control / "prompt-discovery").read_text()
    assert "Do it completely" in (ground.control / "prompt-implementation").read_text()


def test_a_broken_prompt_ends_the_start_with_file_and_line(ground: Ground) -> None:
    start(ground)
    (ground.repo / "prompts").mkdir()
    (ground.repo / "prompts" / "validation.md.j2").write_text("# Look\n\n{{ item.titel }}\n")
    (ground.repo / "ao.toml").write_text('[prompts]\ndir = "prompts"\n')
    ended = play(ground)
    assert ended.code == 2 and b"prompts/validation.md.j2:3: " in ended.err, ended.err
    assert ledger(ground) == []


def test_a_phase_sees_exactly_its_variables_and_a_folder_of_its_own(ground: Ground) -> None:
    """evolve.md section 4: what names a place in git or nests an agent is gone, identity passes."""
    from tests.torture.starting import Attended, ao

    start(ground)
    agent = ground.control / "agent.sh"
    agent.write_text(
        f"env -0 > {ground.control}/env-$AO_PHASE\nstat -c %a $AO_PHASE_DIR > {ground.control}/mode-$AO_PHASE\n"
        f"ls -A $AO_PHASE_DIR > {ground.control}/ls-$AO_PHASE\ntest $AO_PHASE != implementation || echo done > made.txt\n"
    )
    argv = (*ao(), "evolve", "--json", "--max-cycles=1", "--agent", "command", "--agent-command", f"bash {agent}")
    gone = {
        "GIT_DIR": str(ground.repo / ".git"),
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "user.name",
        "GIT_CONFIG_VALUE_0": "x",
        "GIT_OBJECT_DIRECTORY": "/nowhere",
        "GIT_NAMESPACE": "n",
        "GIT_PREFIX": "p/",
        "CLAUDECODE": "1",
        "CLAUDE_CODE_SESSION_ID": "s",
    }
    kept = {"GIT_AUTHOR_NAME": "Person", "GIT_SSH_COMMAND": "ssh -4"}
    ended = Attended(ground, argv, gone | kept, on_sync=None, on_hold=None).attend()
    assert ended.code == 0, ended.told()
    home = str(ground.folder / "home")
    for phase in ("discovery", "implementation", "validation"):
        seen = dict(one.split("=", 1) for one in (ground.control / f"env-{phase}").read_text().split("\0") if one)
        ours = {name: value for name, value in seen.items() if name.startswith("AO_")}
        assert ours.pop("AO_RUN_ID").endswith(".1") and ours.pop("AO_TREE")  # by which survivors are found
        folder = ours.pop("AO_PHASE_DIR")
        assert ours == {"AO_CYCLE": "1", "AO_PHASE": phase, "AO_ATTEMPT": "1", "AO_TARGET": "made"}
        assert folder.startswith(home) and not folder.startswith(str(ground.repo))
        assert seen["GIT_REFLOG_ACTION"].startswith("ao:")
        assert not gone.keys() & seen.keys()
        assert {name: seen[name] for name in kept} == kept
        assert (ground.control / f"mode-{phase}").read_text() == "700\n"
        assert (ground.control / f"ls-{phase}").read_text() == ""
        assert not Path(folder).exists(), "what a phase left is in our state, not in the cache"


@pytest.mark.parametrize("left", ["link", "folder", "pipe"])
def test_a_queue_that_an_agent_replaced_gets_no_follow_ups_and_ends_nothing(ground: Ground, left: str) -> None:
    start(ground)
    victim = ground.folder / "victim"
    victim.write_text("theirs\n")
    queue = ".agents/rpi/next-work.jsonl"
    act = {"link": ("symlink", str(victim), queue), "folder": ("mkdir", queue), "pipe": ("mkdir", f"{queue}/x")}[left]
    play(ground, (("mkdir", ".agents/rpi"), *DONE, act), validation=(verdict("PASS", follow_ups=["More"]),))
    assert row(ground)[0] == "improved"
    assert victim.read_text() == "theirs\n"
