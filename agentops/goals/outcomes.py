"""What the end of a check means for its goal. Pure."""

from __future__ import annotations

from agentops.core.fitness import Goal, GoalOutcome, GoalResult
from agentops.core.processes import Ended, Exit
from agentops.goals.numbers import number

SKIP_CODE = 77
SYNTAX_CODE = 2
"""What bash ends with when it cannot read a command; also an honest answer of many tools, so it is asked again."""
SHOWN = 500
"""Characters of `output`."""
_TAIL = 1500


def result_of(goal: Goal, exit_: Exit, *, unreadable: bool = False) -> GoalResult:
    """The result of a check that ended by itself or by its own limit. `unreadable`: bash found a syntax error in it."""
    output = shown(exit_)
    timed_out = exit_.ended is Ended.TIMEOUT
    killed = not timed_out and exit_.killed
    if timed_out or exit_.ended is Ended.SPAWN_ERROR:
        outcome = GoalOutcome.SKIP
        output = output or (f"timed out after {exit_.seconds:.0f} s" if timed_out else f"it did not start: {exit_.error}")
    elif exit_.code == 0:
        outcome, output = _against_threshold(goal, exit_, output)
    else:
        outcome = GoalOutcome.SKIP if exit_.code == SKIP_CODE else GoalOutcome.FAIL
    return GoalResult(
        goal_id=goal.id,
        outcome=outcome,
        weight=goal.weight,
        seconds=exit_.seconds,
        output=output[:SHOWN],
        tail=tail_of(exit_),
        value=value_of(goal, exit_) if not timed_out else None,
        broken=outcome is GoalOutcome.FAIL and (unreadable or exit_.cannot_run),
        timed_out=timed_out,
        out_of_memory=killed and outcome is GoalOutcome.FAIL,
        not_started=exit_.ended is Ended.SPAWN_ERROR,
        threshold=goal.threshold.bound if goal.threshold else None,
    )


def _against_threshold(goal: Goal, exit_: Exit, output: str) -> tuple[GoalOutcome, str]:
    """A check that succeeded passes; with a threshold its number decides, and without a number nobody can say."""
    if goal.threshold is None:
        return GoalOutcome.PASS, output
    value = value_of(goal, exit_)
    if value is None:
        said = f": {output}" if output else ""
        return GoalOutcome.SKIP, f"it printed no number to hold against {goal.threshold.bound:g}{said}"
    return (GoalOutcome.PASS if goal.threshold.met(value) else GoalOutcome.FAIL), output


def skipped(goal: Goal, why: str, *, timed_out: bool = False) -> GoalResult:
    """The result of a check that was not run to its end, with the reason as its output."""
    return GoalResult(goal.id, GoalOutcome.SKIP, goal.weight, 0.0, why, timed_out=timed_out)


def shown(exit_: Exit) -> str:
    """The first 500 characters of what was printed, blanks at both ends removed; bytes that are no UTF-8 are replaced."""
    start = exit_.out.lstrip()[: 8 * SHOWN].decode("utf-8", "replace")
    return start.strip()[:SHOWN]


def tail_of(exit_: Exit) -> str:
    """The last 1,500 characters of a long output, as far as `shown` does not hold them; empty for a short one."""
    whole = (exit_.out + exit_.out_tail).strip() if not exit_.dropped else exit_.out_tail.strip()
    text = whole[-8 * _TAIL :].decode("utf-8", "replace")
    rest = text if exit_.dropped or len(whole) > 8 * _TAIL else text[SHOWN:]
    return rest[-_TAIL:].strip()


def value_of(goal: Goal, exit_: Exit) -> float | None:
    """The number that a check printed: its last line for a goal with a metric, else the whole output when it is one number."""
    end = exit_.out_tail if exit_.dropped else exit_.out + exit_.out_tail
    lines = end.decode("utf-8", "replace").strip().splitlines()
    if not lines or (goal.metric is None and (len(lines) > 1 or exit_.dropped)):
        return None
    return number(lines[-1])
