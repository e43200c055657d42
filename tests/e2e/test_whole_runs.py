"""`ao evolve` as a person types it, on a repository as they have it, from the first line to the report."""

from __future__ import annotations

import json
import os
import random
import re
import select
import signal
import subprocess
from pathlib import Path

import pytest

from tests.torture.books import journal, ledger, wrong_books, wrong_repository
from tests.torture.ground import Ground
from tests.torture.looking import commits_of, look, universe
from tests.torture.person import Person, first_commit
from tests.torture.scenarios import GUARD, MADE, goals
from tests.torture.starting import Attended, ao, evolve, say, write_script

LINES = "| lines | `test $(wc -l < list.txt) = 3` | 9 | list.txt has three lines | `sort -u -o list.txt list.txt` |\n"
TIDY = "| tidy | `! grep -n ' $' notes.md` | 4 | No blanks at line ends | `sed -i 's/ *$//' notes.md` |\n"
HOPELESS = "| hopeless | `test -e never` | 2 | Nobody can make this | `touch tried; false` |\n"


def _start(ground: Ground, *rows: str) -> Person:
    first_commit(ground, goals(*rows), {b"list.txt": b"b\na\nc\na\n", b"notes.md": b"one \ntwo\n"})
    return Person(ground, random.Random(1))


def test_what_commands_can_mend_is_mended_and_committed_without_an_agent(ground: Ground) -> None:
    _start(ground, LINES, TIDY, HOPELESS, GUARD)
    ended = evolve(ground, "--max-cycles=5", agent=False)
    assert (ended.code, ended.stop_reason) == (0, "stagnation"), ended.told()
    rows = [(row["target"], row["result"]) for row in ledger(ground) if row["target"] != "idle"]
    assert rows == [("lines", "improved"), ("tidy", "improved")]
    assert (ground.repo / "list.txt").read_text() == "a\nb\nc\n"
    assert not (ground.repo / "tried").exists(), "what did not help was taken back"
    assert look(ground).status == {}
    titles = ground.git("log", "--format=%s%n%b").decode()
    assert "Ao-Cycle: 1" in titles and "Ao-Cycle: 2" in titles


def test_the_report_counts_what_the_ledger_holds(ground: Ground) -> None:
    _start(ground, LINES, TIDY, GUARD)
    ended = evolve(ground, "--max-cycles=2", agent=False)
    report = ended.report
    assert report is not None and (report["stop_reason"], report["exit_code"], ended.code) == ("max-cycles", 0, 0)
    assert [row["cycle"] for row in report["rows"]] == [row["cycle"] for row in ledger(ground)] == [1, 2]
    passing = [sum(goal["result"] == "pass" for goal in report[when]["goals"]) for when in ("before", "after")]
    assert passing == [1, 3]
    assert report["head_after"] in commits_of(ground)


def test_a_target_without_success_rests_after_three_tries(ground: Ground) -> None:
    _start(ground, MADE, GUARD)
    write_script(ground, (("write", "junk.txt", "no help\n"), ("git", "add", "-A"), ("git", "commit", "-qm", "junk")))
    ended = evolve(ground, "--max-cycles=6")
    tries = [row for row in ledger(ground) if row["target"] == "made"]
    assert [(row["result"], row["reason"]) for row in tries] == [("unchanged", "target_unmoved")] * 3, ended.told()
    assert ended.report is not None and [each["key"] for each in ended.report["resting"]] == ["made"]
    assert not (ground.repo / "junk.txt").exists()


def test_work_that_breaks_another_goal_is_taken_back_and_can_be_restored(ground: Ground) -> None:
    _start(ground, MADE, GUARD)
    write_script(ground, (("write", "made.txt", "done\n"), ("write", "guard.txt", "broken\n")))
    evolve(ground, "--max-cycles=1")
    assert [(row["result"], row["reason"]) for row in ledger(ground)] == [("regressed", "goal:guard")]
    assert (ground.repo / "guard.txt").read_text() == "intact\n" and not (ground.repo / "made.txt").exists()
    done = say(ground, "restore", "1", "--path", "made.txt")
    assert done.returncode == 0, done.stderr
    assert (ground.repo / "made.txt").read_text() == "done\n"


def test_a_second_supervisor_is_refused_with_the_holder_and_changes_nothing(ground: Ground) -> None:
    _start(ground, MADE, GUARD)
    write_script(ground, (("sync", "here"), ("write", "made.txt", "done\n")))
    second: list[subprocess.CompletedProcess[bytes]] = []

    def on_sync(attended: Attended, _: str) -> None:
        second.append(say(ground, "evolve", "--max-cycles=1"))
        assert str(attended.pid).encode() in second[0].stderr

    ended = evolve(ground, "--max-cycles=1", on_sync=on_sync)
    assert second[0].returncode == 6, second[0].stderr
    assert ended.code == 0 and len(ledger(ground)) == 1


def test_a_commit_that_a_person_makes_meanwhile_survives_a_take_back(ground: Ground) -> None:
    person = _start(ground, MADE, GUARD)
    write_script(ground, (("write", "guard.txt", "broken\n"), ("git", "commit", "-qam", "worse"), ("sync", "here")))

    def on_sync(_: Attended, __: str) -> None:
        person.save(b"mine.txt", b"the person's\n")
        person.add(b"mine.txt")
        person.commit("mine")

    evolve(ground, "--max-cycles=1", on_sync=on_sync)
    assert person.commits[0] in commits_of(ground)
    assert (ground.repo / "mine.txt").read_text() == "the person's\n"
    assert (ground.repo / "guard.txt").read_text() == "intact\n"
    assert list(wrong_books(ground)) == []


@pytest.mark.slow
def test_what_was_changed_after_a_crash_is_asked_about_until_it_is_answered(ground: Ground) -> None:
    """design-review E1: eight hours of a person's work on the remains of a crash were reverted."""
    person = _start(ground, MADE, GUARD)
    write_script(ground, (("write", "made.txt", "half\n"), ("write", "left.txt", "the agent's\n"), ("sync", "here")))
    evolve(ground, "--max-cycles=1", on_sync=lambda attended, _: attended.kill())
    person.save(b"made.txt", b"the person went on with it\n", later=True)
    write_script(ground, (("write", "made.txt", "done\n"),))
    for _ in range(2):  # another session asks again
        ended = evolve(ground, "--max-cycles=1")
        assert ended.code == 7 and b"ao recover" in ended.err + ended.out
        assert len(ledger(ground)) == 1
    assert (ground.repo / "made.txt").read_text() == "the person went on with it\n"
    shown = say(ground, "recover", "--show").stdout.decode()
    assert "made.txt (changed later)" in shown and "  left.txt\n" in shown and ".agents/" not in shown
    assert say(ground, "recover", "--take-back").returncode == 0
    assert (ground.repo / "made.txt").read_text() == "the person went on with it\n"
    assert not (ground.repo / "left.txt").exists()
    assert evolve(ground, "--max-cycles=1").code == 0
    assert list(wrong_books(ground)) == []


@pytest.mark.slow
@pytest.mark.parametrize("what", ["deleted", "torn"])
def test_a_crash_that_left_no_goals_file_is_recovered_from(ground: Ground, what: str) -> None:
    """Recovery comes before the goals are read: it is what brings them back."""
    _start(ground, MADE, GUARD)
    act = ("delete", "GOALS.md") if what == "deleted" else ("write", "GOALS.md", "\x00")
    write_script(ground, (act, ("sync", "here")))
    evolve(ground, "--max-cycles=1", on_sync=lambda attended, _: attended.kill())
    write_script(ground, (("write", "made.txt", "done\n"),))
    ended = evolve(ground, "--max-cycles=1")
    assert ended.code == 0, ended.told()
    assert [row["reason"] for row in ledger(ground)] == ["interrupted", "target_reached"]


@pytest.mark.slow
@pytest.mark.parametrize(
    "acts",
    [
        (("git", "checkout", "-q", "--detach"),),
        (("git", "checkout", "-q", "side"), ("git", "rm", "-q", "-r", "-f", ".")),
        (("write", "side.txt", "other\n"), ("git", "add", "-A"), ("git", "commit", "-qm", "x"), ("git", "merge", "-q", "side")),
        (("delete", ".agents"), ("write", ".agents", "no folder\n")),
        (("write", ".agents/evolve/cycle-history.jsonl/x", "no file\n"),),
        (("write", ".agents/evolve/cycle-history.jsonl", '{"cycle":99,"target":"x","result":"improved","timestamp":""}\n'),),
    ],
    ids=["detached", "other-branch", "merge-under-way", "file-for-folder", "folder-for-ledger", "forged-ledger"],
)
def test_whatever_a_cut_off_agent_left_the_next_start_needs_no_help(ground: Ground, acts: tuple[tuple[str, ...], ...]) -> None:
    person = _start(ground, MADE, GUARD)
    for name in ("modified", "staged-and-more", "key"):
        person.act(name, "")
    before = look(ground)
    write_script(ground, (*acts, ("sync", "here")))
    evolve(ground, "--max-cycles=1", on_sync=lambda attended, _: attended.kill())
    write_script(ground, (("write", "made.txt", "done\n"),))
    ended = evolve(ground, "--max-cycles=1")
    assert ended.code == 0, ended.told()
    assert [row["cycle"] for row in ledger(ground)] == [1, 2]
    after = look(ground)
    assert {path: entry for path, entry in after.files.items() if path != b"made.txt"} == before.files
    assert after.status == before.status
    assert list(wrong_books(ground)) == []


def test_a_parked_cycle_is_given_up_without_blame_where_nobody_can_go_on(ground: Ground) -> None:
    _start(ground, MADE, GUARD)
    write_script(ground, (), discovery=(("write", "plan.txt", "half\n"), ("sync", "pause")))

    def pause(_: Attended, __: str) -> None:
        (ground.state / "PAUSE").write_text("the person's\n")

    evolve(ground, "--max-cycles=1", fault="journal.parked.after:1:kill", on_sync=pause)
    (ground.state / "PAUSE").unlink()
    assert evolve(ground, "--max-cycles=1", agent=False).code == 0
    assert ledger(ground)[0]["reason"] == "interrupted"
    assert not (ground.repo / "plan.txt").exists()


def test_a_parked_cycle_goes_on_in_another_run_with_the_files_of_its_discovery(ground: Ground) -> None:
    _start(ground, MADE, GUARD)
    agent = ground.control / "agent.sh"
    agent.write_text(
        f"cat > {ground.control}/prompt-$AO_PHASE\n"
        "test $AO_PHASE != discovery || echo 'the plan' > $AO_PHASE_DIR/plan.md\n"
        "test $AO_PHASE != implementation || echo done > made.txt\n"
    )
    argv = (*ao(), "evolve", "--json", "--max-cycles=1", "--agent", "command", "--agent-command", f"bash {agent}")

    def pause(_: Attended) -> None:
        (ground.state / "PAUSE").write_text("the person's\n")

    # The pause is asked for while discovery begins; the kill comes when implementation is parked.
    Attended(
        ground, argv, {"AO_FAULT": "journal.phase.after:1:hold,journal.parked.after:1:kill"}, on_sync=None, on_hold=pause
    ).attend()
    assert [line["step"] for line in journal(ground)][-1] == "parked"
    (ground.state / "PAUSE").unlink()
    Attended(ground, argv, {}, on_sync=None, on_hold=None).attend()
    assert [row["result"] for row in ledger(ground)] == ["improved"]
    prompt = (ground.control / "prompt-implementation").read_text()
    assert any((Path(folder) / "plan.md").is_file() for folder in re.findall(r"`(/[^`\n]+)`", prompt)), prompt


def test_started_from_a_git_hook_it_works_on_its_own_repository(ground: Ground) -> None:
    """`GIT_DIR` and `GIT_INDEX_FILE`, which git sets for hooks, would redirect every git call (evolve.md section 0.1)."""
    _start(ground, LINES, GUARD)
    other = ground.folder / "other"
    ground.git("init", "-q", str(other))
    env = ground.env({"GIT_DIR": str(other / ".git"), "GIT_INDEX_FILE": str(other / ".git" / "index")})
    argv = (*ao(), "evolve", "--json", "--max-cycles=1")
    done = subprocess.run(argv, cwd=ground.repo, env=env, check=False, capture_output=True, timeout=60)
    assert json.loads(done.stdout)["rows"][0]["result"] == "improved", done.stderr
    assert os.listdir(other) == [".git"] and not (other / ".git" / "index").exists()


def test_nothing_of_a_persons_gets_lost_when_the_agent_cleans_up(ground: Ground) -> None:
    """loop-peers B-W1 to B-W4: `clean -fdx` and `reset --hard` took untracked results and a day's edits."""
    person = _start(ground, MADE, GUARD)
    for name in ("modified", "untracked", "ignored", "key", "staged-and-more", "own-notes"):
        person.act(name, "")
    before = look(ground)
    write_script(ground, (("git", "reset", "-q", "--hard"), ("git", "clean", "-q", "-ffdx"), ("write", "guard.txt", "broken\n")))
    evolve(ground, "--max-cycles=1")
    assert look(ground) == before
    assert {one.oid for one in person.wrote} <= universe(ground)


def test_what_is_only_staged_survives_an_agent_that_resets_and_collects_garbage(ground: Ground) -> None:
    """The index alone names a staged blob; under autocrlf no file holds its bytes, and intent-to-add names the empty blob."""
    person = _start(ground, MADE, GUARD)
    person.act("mixed-endings", "")
    person.add(b"mixed.txt")
    person.act("intent-to-add", "")
    before = look(ground)
    garbage = (("git", "reflog", "expire", "--expire=now", "--all"), ("git", "gc", "-q", "--prune=now"))
    write_script(ground, (("git", "reset", "-q", "--hard"), *garbage, ("write", "guard.txt", "broken\n")))
    ended = evolve(ground, "--max-cycles=1")
    assert [row["result"] for row in ledger(ground)] == ["regressed"], ended.told()
    assert look(ground) == before
    assert list(wrong_repository(ground, [])) == []


def test_a_file_that_was_only_announced_and_that_the_agent_deleted_does_not_stop_every_later_start(ground: Ground) -> None:
    person = _start(ground, MADE, GUARD)
    person.act("intent-to-add", "")
    person.act("modified", "")
    write_script(ground, (("git", "rm", "-q", "-f", "intent.txt"), ("write", "made.txt", "done\n"), ("git", "add", "-A")))
    ended = evolve(ground, "--max-cycles=1")
    assert (ended.code, [row["result"] for row in ledger(ground)]) == (0, ["improved"]), ended.told()
    assert {one.oid for one in person.wrote} <= universe(ground)
    assert list(wrong_books(ground)) == []


@pytest.mark.slow
@pytest.mark.parametrize("held", ["", "hand-made"])
def test_a_start_long_after_a_crash_does_not_take_our_own_files_for_a_persons(ground: Ground, held: str) -> None:
    """The lease that a start takes is written after the crash; it was asked about as if a person had changed it."""
    person = _start(ground, MADE, GUARD)
    for name in ("modified", "untracked", "key"):
        person.act(name, "")
    if held:
        (ground.repo / ".agents" / "evolve").mkdir(parents=True)
        (ground.repo / ".agents" / "evolve" / "session-state.json").write_text("{}")
    before = look(ground)
    write_script(ground, (("write", "made.txt", "half\n"), ("write", "left.txt", "the agent's\n"), ("sync", "here")))
    evolve(ground, "--max-cycles=1", on_sync=lambda attended, _: attended.kill())
    select.select([], [], [], 5.5)  # the time that has to be over is the thing under test (evolve.md section 8)
    ended = evolve(ground, "--max-cycles=1", agent=False)
    assert ended.code == 0, ended.told()
    assert ledger(ground)[0]["reason"] == "interrupted"
    assert look(ground) == before


def test_work_that_had_ended_before_the_crash_is_judged_again_and_not_done_again(ground: Ground) -> None:
    _start(ground, MADE, GUARD)
    write_script(ground, (("write", "made.txt", "done\n"),))
    assert evolve(ground, "--max-cycles=1", fault="journal.ended.after:1:kill").killed
    assert evolve(ground, "--max-cycles=1", agent=False).code == 0  # nobody is there to do it again
    first = ledger(ground)[0]
    assert (first["cycle"], first["result"], first["reason"]) == (1, "improved", "target_reached")


def test_a_contested_cycle_ends_its_session_even_if_the_machine_died_between_the_two(ground: Ground) -> None:
    _start(ground, MADE, GUARD)
    write_script(ground, (("write", "made.txt", "done\n"), ("write", "guard.txt", "broken\n")))
    fault = "journal.verdict.after:1:hold,journal.cleared.after:1:kill"
    first = evolve(ground, "--max-cycles=3", fault=fault, on_hold=lambda _: _save(ground))
    assert first.killed and [row["reason"] for row in ledger(ground)] == ["contested"]
    second = evolve(ground, "--max-cycles=3")
    assert (second.code, second.stop_reason) == (7, "contested"), second.told()
    assert b"made.txt" in second.out and len(ledger(ground)) == 1
    assert (ground.repo / "made.txt").read_text() == "the person's\n"
    assert evolve(ground, "--max-cycles=1").code == 0, "it was said; the next start goes on"


def test_a_session_that_died_before_it_could_obey_a_stop_obeys_it_when_it_goes_on(ground: Ground) -> None:
    _start(ground, MADE, GUARD)
    write_script(ground, (("write", "made.txt", "done\n"), ("sync", "told")))

    def told(attended: Attended, _: str) -> None:
        attended.signal(signal.SIGSTOP)  # it is not to hear of it
        assert b"ends now" in say(ground, "stop").stdout
        attended.kill()

    assert evolve(ground, "--max-cycles=3", on_sync=told).killed
    ended = evolve(ground, "--max-cycles=3")
    assert (ended.code, ended.stop_reason, ended.heard) == (0, "kill-switch", []), ended.told()
    assert [row["reason"] for row in ledger(ground)] == ["interrupted"] and not (ground.repo / "made.txt").exists()
    assert not list(wrong_books(ground))
    write_script(ground, (("write", "made.txt", "done\n"),))
    assert evolve(ground, "--max-cycles=1").code == 0, "the word went with its session"
    assert (ground.repo / "made.txt").exists()


def _save(ground: Ground) -> None:
    (ground.repo / "made.txt").write_text("the person's\n")
