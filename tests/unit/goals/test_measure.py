"""Measuring with real processes: how checks end, what they leave behind, and what must not leak into them."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import psutil
import pytest

from agentops.core.errors import EnvironmentUnusable, UsageError
from agentops.core.fitness import Fitness, Goal, GoalOutcome, GoalResult
from agentops.core.places import Purpose
from agentops.core.stops import Stop
from agentops.goals.checks import Watch
from agentops.goals.document import GoalsDocument
from agentops.goals.folder import Folder
from agentops.goals.measure import measure, once_more
from agentops.goals.pace import Pace
from agentops.host import faults
from agentops.host.clock import SystemClock
from agentops.host.launcher import Launcher
from agentops.host.scope import StopFile, StopScope

CLOCK = SystemClock()
HOST = Launcher(CLOCK)


def goals(checks: Mapping[str, str], **more: Any) -> GoalsDocument:
    return GoalsDocument(
        "/nowhere/GOALS.md", "", tuple(Goal(name, check, name, **more) for name, check in checks.items()), (), b""
    )


def measured(folder: Path, document: GoalsDocument, *, env: Mapping[str, str] | None = None, **limits: Any) -> Fitness:
    place = Folder(str(folder), {**os.environ, **(env or {})}, run=f"test-{folder.name}-{os.getpid()}")
    fitness = measure(document, place, HOST, StopScope(CLOCK), **limits)
    assert fitness is not None
    return fitness


def one(folder: Path, check: str, *, env: Mapping[str, str] | None = None, **more: Any) -> GoalResult:
    return measured(folder, goals({"a": check}, **more), env=env).goals[0]


@pytest.mark.parametrize(
    ("check", "outcome", "broken"),
    [
        ("true", GoalOutcome.PASS, False),
        ("exit 3", GoalOutcome.FAIL, False),
        ("exit 77", GoalOutcome.SKIP, False),
        ("exit 126", GoalOutcome.FAIL, True),
        ("no-such-tool-zz", GoalOutcome.FAIL, True),
        ("./not-executable", GoalOutcome.FAIL, True),
        ("if true", GoalOutcome.FAIL, True),
        ("echo 'open", GoalOutcome.FAIL, True),
        ("exit 2", GoalOutcome.FAIL, False),
        ("echo 'bash: -c: line 1: syntax error'; exit 2", GoalOutcome.FAIL, False),
        ("no-such-tool-zz || exit 1", GoalOutcome.FAIL, False),
        ("kill -TERM $$", GoalOutcome.FAIL, False),
    ],
)
def test_how_a_check_ends_decides(tmp_path: Path, check: str, outcome: GoalOutcome, broken: bool) -> None:
    (tmp_path / "not-executable").write_text("x")
    result = one(tmp_path, check)
    assert (result.outcome, result.broken, result.timed_out, result.out_of_memory) == (outcome, broken, False, False)


def test_a_syntax_error_is_known_in_any_language(tmp_path: Path) -> None:
    assert one(tmp_path, "LC_ALL=C; fi", env={"LC_ALL": "de_DE.UTF-8", "LANGUAGE": "de"}).broken


def test_a_check_that_the_kernel_killed_is_not_simply_failing(tmp_path: Path) -> None:
    result = one(tmp_path, "kill -KILL $$")
    assert (result.outcome, result.out_of_memory, result.broken) == (GoalOutcome.FAIL, True, False)


def test_a_check_that_does_not_end_is_skipped_and_the_others_are_measured(tmp_path: Path) -> None:
    document = goals({"slow": "echo so far; sleep 600", "ok": "true", "bad": "false"})
    fitness = measured(tmp_path, document, per_goal=0.5, whole=60.0)
    slow, ok, bad = fitness.goals
    assert (slow.outcome, slow.timed_out, slow.output) == (GoalOutcome.SKIP, True, "so far")
    assert (ok.outcome, bad.outcome, fitness.passing) == (GoalOutcome.PASS, GoalOutcome.FAIL, 1)


def test_the_limit_of_the_whole_skips_the_rest_and_says_why(tmp_path: Path) -> None:
    document = goals({"slow": "sleep 600", "never": "sleep 600"}, exclusive=True)
    fitness = measured(tmp_path, document, whole=0.5)
    assert [(goal.outcome, goal.timed_out) for goal in fitness.goals] == [(GoalOutcome.SKIP, True)] * 2
    assert all("whole measurement" in goal.output for goal in fitness.goals)


def test_a_goals_own_limit_lengthens_the_whole(tmp_path: Path) -> None:
    document = GoalsDocument(
        "G", "", (Goal("patient", "sleep 1; true", "d", timeout=30.0), Goal("hasty", "sleep 600", "d", timeout=0.2)), (), b""
    )
    patient, hasty = measured(tmp_path, document, per_goal=0.1, whole=0.2).goals
    assert patient.outcome is GoalOutcome.PASS and hasty.timed_out


def test_what_a_check_leaves_in_the_background_is_gone(tmp_path: Path) -> None:
    marker = f"left-over-{os.getpid()}"
    result = one(tmp_path, f"setsid bash -c 'exec -a {marker} sleep 600' & (bash -c 'exec -a {marker} sleep 600' &) ; exit 0")
    assert result.outcome is GoalOutcome.PASS
    assert not [process for process in psutil.process_iter(["cmdline"]) if marker in (process.info["cmdline"] or ())]


def test_a_check_that_the_machine_cannot_start_is_no_failing_goal(tmp_path: Path) -> None:
    result = one(tmp_path, f": {'x' * 200_000}")
    assert result.outcome is GoalOutcome.SKIP and "did not start" in result.output


def test_endless_output_is_bounded_and_its_start_is_shown(tmp_path: Path) -> None:
    result = one(tmp_path, "yes žluť | head -c 50000000")
    assert result.outcome is GoalOutcome.PASS and len(result.output) == 500 and result.output.startswith("žluť\nžluť")


def test_output_is_both_streams_trimmed_and_any_byte_is_text(tmp_path: Path) -> None:
    assert one(tmp_path, r"printf '\n\n  out\n'; printf 'err \xff\n\n' >&2").output == "out\nerr \ufffd"


def test_a_letter_is_not_cut_in_two(tmp_path: Path) -> None:
    assert one(tmp_path, "printf 'ž%.0s' $(seq 600)").output == "ž" * 500


@pytest.mark.parametrize(
    ("check", "metric", "value"),
    [
        ("echo 86.1", None, 86.1),
        ("echo covered: 3; echo 86.1", None, None),
        ("echo covered: 3; echo ' 86.1 '; echo", "higher", 86.1),
        ("echo 86.1; exit 1", "higher", 86.1),
        ("yes | head -c 1000000; echo 12", "lower", 12.0),
        ("echo nan", "higher", None),
        ("echo inf", None, None),
        ("echo 1e999", "higher", None),
        ("echo 1_000", "higher", None),
        ("printf '1%.0s' $(seq 60000); echo x", "higher", None),
        ("echo 5%", "higher", None),
        ("true", "higher", None),
    ],
)
def test_the_number_that_a_check_prints(tmp_path: Path, check: str, metric: str | None, value: float | None) -> None:
    assert one(tmp_path, check, metric=metric).value == value


def test_a_check_reads_nothing_and_sources_nothing_of_the_persons(tmp_path: Path) -> None:
    poison = tmp_path / "poison"
    poison.write_text("echo sourced; alias true=false")
    env = {"BASH_ENV": str(poison), "ENV": str(poison), "HOME": str(tmp_path), "KEEP": "1"}
    (tmp_path / ".bashrc").write_text("echo sourced")
    assert (
        one(tmp_path, 'read -r x; echo "rc=$? [$x][${BASH_ENV-unset}][${ENV-unset}][$KEEP]"', env=env).output
        == "rc=1 [][unset][unset][1]"
    )


def test_a_git_hooks_variables_do_not_redirect_a_check(tmp_path: Path) -> None:
    assert one(tmp_path, 'echo "[${GIT_DIR-unset}]"', env={"GIT_DIR": "/elsewhere"}).output == "[unset]"


def test_a_check_that_measures_itself_ends(tmp_path: Path) -> None:
    seen = one(tmp_path, 'echo "$AO_MEASURING"').output
    document = goals({"a": "touch ran", "b": "true"})
    place = Folder(str(tmp_path), os.environ)
    fitness = measure(document, place, HOST, StopScope(CLOCK), env={"AO_MEASURING": seen})
    assert fitness is not None and [goal.outcome for goal in fitness.goals] == [GoalOutcome.SKIP, GoalOutcome.PASS]
    assert not (tmp_path / "ran").exists() and "its own check" in fitness.goals[0].output


def test_exclusive_checks_and_go_tests_have_nothing_beside_them(tmp_path: Path) -> None:
    def check(extra: str = "") -> str:
        return f"mkdir lock{extra} && sleep 0.1 && rmdir lock{extra}"

    alone = [Goal(f"x{at}", check(), "d", exclusive=True) for at in range(3)] + [Goal("go", f": go test; {check()}", "d")]
    watching = [Goal(f"w{at}", "sleep 0.05; test ! -d lock", "d") for at in range(6)]
    fitness = measured(tmp_path, GoalsDocument("G", "", (*alone[:2], *watching, *alone[2:]), (), b""))
    assert [goal.outcome for goal in fitness.goals] == [GoalOutcome.PASS] * 10


def test_checks_that_wait_for_each_other_are_run_side_by_side(tmp_path: Path) -> None:
    meet = "touch {}; for i in $(seq 200); do test -e {} && exit 0; sleep 0.05; done; exit 1"
    fitness = measured(tmp_path, goals({"left": meet.format("l", "r"), "right": meet.format("r", "l")}))
    assert fitness.passing == 2


def test_fifty_waiting_checks_are_all_measured_in_the_order_of_the_file(tmp_path: Path) -> None:
    document = goals({f"g-{at}": f"sleep 0.2; exit {at % 2}" for at in range(50)})
    ended: list[str] = []
    watch = Watch(ended=lambda one, _: ended.append(one.goal_id))
    fitness = measure(document, Folder(str(tmp_path), os.environ), HOST, StopScope(CLOCK), watch=watch)
    assert fitness is not None
    assert [goal.goal_id for goal in fitness.goals] == [f"g-{at}" for at in range(50)]
    assert [goal.outcome for goal in fitness.goals] == [GoalOutcome.PASS, GoalOutcome.FAIL] * 25
    assert sorted(ended) == sorted(f"g-{at}" for at in range(50))


def test_a_stop_during_a_measurement_is_no_measurement_and_leaves_nothing_running(tmp_path: Path) -> None:
    stop = tmp_path / "STOP"
    marker = f"stopped-{os.getpid()}"
    scope = StopScope(CLOCK, [StopFile(str(stop), 0.5)], poll=0.05)
    document = goals(
        {"quick": "true", "stops": f"touch {stop}; exec -a {marker} sleep 600", "later": "touch later"}, exclusive=True
    )
    assert measure(document, Folder(str(tmp_path), os.environ, run=marker), HOST, scope, whole=None) is None
    assert not (tmp_path / "later").exists()
    assert not [process for process in psutil.process_iter(["cmdline"]) if marker in (process.info["cmdline"] or ())]


def test_a_deadline_of_the_caller_is_no_measurement_either(tmp_path: Path) -> None:
    scope = StopScope(CLOCK).within(0.3)
    assert measure(goals({"slow": "sleep 600"}), Folder(str(tmp_path), os.environ), HOST, scope, whole=60.0) is None


def test_only_what_was_asked_for_is_run_and_an_unknown_goal_is_an_error(tmp_path: Path) -> None:
    document = goals({"a": "touch a", "b": "touch b"})
    place = Folder(str(tmp_path), os.environ)
    fitness = measure(document, place, HOST, StopScope(CLOCK), only={"b"})
    assert fitness is not None and [goal.goal_id for goal in fitness.goals] == ["b"] and os.listdir(tmp_path) == ["b"]
    with pytest.raises(UsageError, match="has no goal `zzz`"):
        measure(document, place, HOST, StopScope(CLOCK), only={"zzz"})


def test_no_goals_are_measured_at_once(tmp_path: Path) -> None:
    assert measured(tmp_path, goals({})).goals == ()


def test_a_machine_without_bash_is_said(tmp_path: Path) -> None:
    with pytest.raises(EnvironmentUnusable, match="no bash on PATH"):
        measured(tmp_path, goals({"a": "true"}), env={"PATH": str(tmp_path)})


def test_what_passes_now_is_no_longer_suspected_and_the_rest_is(tmp_path: Path) -> None:
    document = goals({"a": "false", "b": "true", "c": "touch c", "hangs": "sleep 600", "skips": "exit 77"})
    place = Folder(str(tmp_path), os.environ)
    seen = once_more(document, {"a", "b", "hangs", "skips", "gone"}, place, HOST, StopScope(CLOCK), per_goal=1.0)
    assert (seen.failing, seen.unclear) == (frozenset({"a"}), frozenset({"hangs"})) and not (tmp_path / "c").exists()


def test_a_check_that_could_not_be_started_clears_nobody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = Folder(str(tmp_path), os.environ)
    monkeypatch.setattr(faults, "_armed", faults._Armed("launcher.spawn.before:1:error", None))
    seen = once_more(goals({"a": "false"}), {"a"}, place, HOST, StopScope(CLOCK))
    assert (seen.failing, seen.unclear) == (frozenset(), frozenset({"a"}))


class Told(StopScope):
    """A session that was told to stop before."""

    def stopped(self) -> Stop | None:
        return super().stopped() or StopScope(CLOCK).within(-1.0).stopped()


def test_a_stop_clears_nobody(tmp_path: Path) -> None:
    place = Folder(str(tmp_path), os.environ)
    assert once_more(goals({"a": "true", "b": "true"}), {"a"}, place, HOST, Told(CLOCK)).unclear == {"a"}


def test_a_folder_marks_its_checks_so_that_survivors_can_be_found() -> None:
    spec = Folder("/", {"PATH": "/bin"}, run="r.1").spec(("true",), Purpose.CHECK)
    assert spec.env["AO_RUN_ID"] == spec.marker == "r.1" and spec.cwd == "/"


def test_a_session_remembers_what_its_checks_needed(tmp_path: Path) -> None:
    pace = Pace()
    document = goals({"waits": "sleep 0.3", "computes": "for ((i=0; i<60000; i++)); do :; done"})
    measure(document, Folder(str(tmp_path), os.environ), HOST, StopScope(CLOCK), pace=pace)
    waits, computes = pace.seen["sleep 0.3"], pace.seen[document.goals[1].check]
    assert waits.cpu_seconds / waits.seconds < computes.cpu_seconds / computes.seconds
