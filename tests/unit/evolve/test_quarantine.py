"""Oscillation: which rows count, what is written once, and what ends it."""

from __future__ import annotations

import json
import tempfile
from dataclasses import replace
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from agentops.core.judging import Result
from agentops.evolve.quarantine import LIMIT, Standing, after, in_quarantine, oscillations
from agentops.evolve.standings import Standings, fold
from agentops.evolve.supervisor import Supervisor
from agentops.policy.settings import Settings
from agentops.records import rows, targets
from agentops.records.rows import CycleRow
from tests.twins.agent import BAD
from tests.twins.loop import World

REASONS = ("target_reached", "target_reached:moved", "judged", "target_unmoved", "interrupted", "goal:x", "agent:limit", None)
ROWS = st.lists(
    st.tuples(
        st.sampled_from(["a", "b", "idle", ""]),
        st.sampled_from([Result.IMPROVED, Result.REGRESSED, Result.UNCHANGED]),
        st.sampled_from(REASONS),
    ),
    max_size=30,
).map(lambda found: [row(at + 1, *one) for at, one in enumerate(found)])


def row(cycle: int, target: str = "a", result: Result = Result.IMPROVED, reason: str | None = "target_reached") -> CycleRow:
    return CycleRow(cycle, target, result, "2026-01-01T00:00:00Z", reason=reason)


def standings_of(found: list[CycleRow], since: dict[str, int] | None = None) -> dict[str, Standing]:
    standings: dict[str, Standing] = {}
    fold(standings, found, since or {})
    return standings


@given(ROWS)
def test_every_transition_needs_a_success_of_its_own(found: list[CycleRow]) -> None:
    for target, one in standings_of(found).items():
        reached = [each for each in found if each.target == target and each.result is Result.IMPROVED]
        assert oscillations(one) <= len(reached)


@given(ROWS)
def test_empty_passes_and_interruptions_change_nothing(found: list[CycleRow]) -> None:
    noise = [row(100 + at, "a", Result.UNCHANGED, "interrupted") for at in range(5)]
    noise += [row(200, "idle", Result.UNCHANGED, "idle")]
    plain, more = standings_of(found), standings_of([*found, *noise])
    assert oscillations(plain.get("a")) == oscillations(more.get("a")) and "idle" not in more and "" not in more


@given(ROWS, st.integers(0, 30))
def test_counting_in_two_parts_is_counting_at_once(found: list[CycleRow], at: int) -> None:
    standings: dict[str, Standing] = {}
    fold(standings, found[:at], {})
    fold(standings, found[at:], {})
    assert standings == standings_of(found)


@given(ROWS)
def test_a_target_that_counts_afresh_has_no_past(found: list[CycleRow]) -> None:
    assert oscillations(standings_of(found, {"a": 1000}).get("a")) == 0


def test_a_healthy_goal_that_is_never_chosen_again_does_not_oscillate() -> None:
    assert oscillations(standings_of([row(1), row(2, "b"), row(3, "b", Result.REGRESSED, "goal:a")])["a"]) == 1


def test_chosen_again_after_a_success_is_a_transition_whatever_came_of_it() -> None:
    """loop-peers F1-3: rows never say `fail`; being chosen again says it."""
    three = [row(1), row(2), row(3)]
    assert oscillations(standings_of(three)["a"]) == LIMIT
    assert oscillations(standings_of([row(1), row(2, result=Result.REGRESSED, reason="goal:b"), row(3)])["a"]) == 2


def test_a_value_on_its_way_and_a_judged_success_are_no_falling_back() -> None:
    for reason in ("target_reached:moved", "judged", "ungated"):
        assert oscillations(standings_of([row(at, reason=reason) for at in range(1, 9)])["a"]) == 0


def test_the_row_itself_is_what_carries_the_quarantine_over(tmp_path: Path) -> None:
    ledger = str(tmp_path / "ledger")
    for at in range(1, 4):
        rows.append(ledger, row(at))
    rows.append(ledger, replace(row(4, result=Result.QUARANTINED, reason=None), oscillations=3))
    for _ in range(2):
        book = Standings(str(tmp_path / "targets.json"), ledger)
        assert list(in_quarantine(book.of)) == ["a"] and book.of["a"].oscillations == 3
    assert book.release(["a", "never heard of"], 5) == {"a"}
    rows.append(ledger, row(5))
    assert oscillations(Standings(str(tmp_path / "targets.json"), ledger).of["a"]) == 1


@given(st.lists(ROWS, min_size=1, max_size=4), st.sampled_from(["keep", "lose", "garbage", "shorten"]))
def test_the_book_says_what_counting_the_whole_ledger_says(parts: list[list[CycleRow]], fate: str) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        path, ledger = Path(folder) / "targets.json", Path(folder) / "ledger"
        ledger.touch()
        for part in parts:
            book = Standings(str(path), str(ledger))
            for one in part:
                with ledger.open("ab") as file:
                    file.write(rows.encode(one) + b"\n")
            book.catch_up()
            if fate == "lose":
                path.unlink(missing_ok=True)
            elif fate == "garbage":
                path.write_bytes(b'{"version":1,"ledger":"x')
            elif fate == "shorten":
                ledger.write_bytes(ledger.read_bytes()[len(ledger.read_bytes()) // 2 :])
        found, _ = rows._rows_of(ledger.read_bytes().split(b"\n"))
        assert dict(Standings(str(path), str(ledger)).of) == standings_of(list(found))


def test_rows_that_a_cycle_forged_and_that_were_put_back_do_not_count(tmp_path: Path) -> None:
    """A start reads the ledger before recovery puts it back; the forged successes brought the target into quarantine."""
    ledger = tmp_path / "ledger"
    rows.append(str(ledger), row(1, "b"))
    honest = ledger.read_bytes()
    for cycle in range(2, 6):
        rows.append(str(ledger), row(cycle))
    book = Standings(str(tmp_path / "targets.json"), str(ledger))
    assert oscillations(book.of["a"]) >= 3
    ledger.write_bytes(honest)
    rows.append(str(ledger), row(2, "b"))
    book.catch_up()
    assert set(book.of) == {"b"}


def test_how_a_goal_read_when_it_was_left_alone_outlives_a_lost_ledger(tmp_path: Path) -> None:
    ledger, path = tmp_path / "ledger", str(tmp_path / "targets.json")
    rows.append(str(ledger), row(1))
    book = Standings(path, str(ledger))
    book.quarantine("a", "as it read")
    rows.append(str(ledger), replace(row(4, result=Result.QUARANTINED, reason=None), oscillations=3))
    book.catch_up()
    ledger.write_bytes(b"\n" + ledger.read_bytes())
    assert Standings(path, str(ledger)).of["a"].check == "as it read"


def test_a_look_that_must_not_write_does_not(tmp_path: Path) -> None:
    ledger = str(tmp_path / "ledger")
    rows.append(ledger, row(1))
    assert Standings(str(tmp_path / "targets.json"), ledger, write=False).of["a"].cycle == 1
    assert not (tmp_path / "targets.json").exists()


def session(world: World, name: str, cycles: int = 3) -> list[CycleRow]:
    """One session in which an agent mends what a person broke before."""
    before = len(world.ledger.rows)
    world.journal.run = f"{name}.1"
    world.journal.begin_session(name, head=world.tree.commits[-1], last_cycle=world.journal.last_cycle())
    parts, scope = world.parts(name, f"{name}.1", Settings(max_cycles=cycles))
    Supervisor(parts).run(scope)
    return world.ledger.rows[before:]


def test_the_third_falling_back_is_one_row_with_a_number_of_its_own_and_no_agent_is_paid() -> None:
    world = World(3, crashes=0.0, flaky=0.0)
    for goal in range(8):
        world.tree.write(f"g{goal}", b"good")
    for at in (1, 2, 3):
        world.ledger.append(row(at, "g7"))
    world.tree.write("g7", BAD)
    found = session(world, "s1")
    (only,) = [one for one in found if one.result is Result.QUARANTINED]
    assert (only.target, only.oscillations, only.reason) == ("g7", 3, None)
    assert [one.cycle for one in found] == sorted({one.cycle for one in found})
    assert [one for one in found if one.target == "g7"] == [only]
    again = session(world, "s2")
    assert not [one for one in again if one.target == "g7"], "carried over sessions, written once"


def test_a_quarantine_is_no_cycle_and_no_try() -> None:
    """Invisible to --max-cycles and to streaks."""
    from agentops.evolve.dormancy import idle_streak
    from agentops.evolve.outcomes import IDLE, Outcome
    from agentops.evolve.rest import resting

    out = [Outcome(at, "a", Result.QUARANTINED, "", 0.0) for at in range(1, 6)]
    assert not any(one.counts for one in out) and resting(out) == {}
    idle = Outcome(7, IDLE, Result.UNCHANGED, "idle", 0.0)
    assert idle_streak([idle, out[0], idle]) == 2


def test_after_is_pure() -> None:
    one = Standing()
    after(one, row(1))
    assert one == Standing()


@given(
    st.fixed_dictionaries(
        {"cycle": st.sampled_from([1, 2.0, -1, 2**53, "3", True, None])},
        optional={
            "target": st.sampled_from(["a", "", None, 3]),
            "goal_id": st.just("b"),
            "parallel": st.just(True),
            "result": st.sampled_from(["improved", "quarantined", "odd", None, 1]),
            "timestamp": st.sampled_from(["2026-01-01T00:00:00Z", "", None]),
            "started_at": st.just("2025-01-01T00:00:00Z"),
            "reason": st.sampled_from(["judged", None, 7]),
            "oscillations": st.sampled_from([3, 3.0, True, "3", None]),
            "phases": st.just({"discovery": 1.5}),
        },
    )
)
def test_a_row_of_any_writer_is_counted_as_it_is_read_everywhere_else(found: dict[str, object]) -> None:
    line = json.dumps(found).encode()
    whole = rows.decode(line)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "ledger")
        path.write_bytes(line + b"\n\xff{}\n[1]\n")
        counted = list(targets.rows_from(str(path), 0, path.stat().st_size))
    names = ("cycle", "target", "result", "timestamp", "reason", "oscillations", "productive")
    assert [[getattr(one, name) for name in names] for one in counted] == [
        [getattr(one, name) for name in names] for one in (whole,) if one is not None
    ]
