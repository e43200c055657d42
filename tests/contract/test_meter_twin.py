"""The meter's twin keeps the promises of the session's meter: one suite, run on both."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from agentops.core.agents import Usage
from agentops.core.clock import Instant
from agentops.core.meters import Grant, Meter
from agentops.core.stops import Stop, StopReason
from agentops.meter.session import Caps, SessionMeter, WorkingTime
from tests.twins.meter import TwinMeter
from tests.twins.time import VirtualClock

HOUR = 3600.0
Make = Callable[[VirtualClock], Meter]


def twin(clock: VirtualClock) -> Meter:
    return TwinMeter(clock, cap=2 * HOUR)


def real(clock: VirtualClock) -> Meter:
    return SessionMeter(clock, WorkingTime(clock), hours=2.0, until=None)


@pytest.fixture(params=[twin, real], ids=["twin", "real"])
def make(request: pytest.FixtureRequest) -> Make:
    chosen: Make = request.param
    return chosen


def work(meter: Meter, clock: VirtualClock, seconds: float) -> None:
    grant = meter.reserve("agent", Usage())
    assert isinstance(grant, Grant)
    clock.pass_(seconds)
    meter.settle(grant, Usage(seconds))


def test_what_is_below_the_cap_is_granted_each_with_its_own_grant(make: Make) -> None:
    meter = make(VirtualClock())
    one, other = meter.reserve("agent", Usage()), meter.reserve("agent", Usage())
    assert isinstance(one, Grant) and isinstance(other, Grant) and one != other


def test_a_cap_that_is_passed_stops_everybody(make: Make) -> None:
    clock = VirtualClock()
    meter = make(clock)
    work(meter, clock, 3 * HOUR)
    for account in ("agent", "another"):
        stop = meter.reserve(account, Usage())
        assert isinstance(stop, Stop) and stop.reason is StopReason.BUDGET


def test_a_grant_that_is_settled_twice_counts_once(make: Make) -> None:
    clock = VirtualClock()
    meter = make(clock)
    grant = meter.reserve("agent", Usage())
    assert isinstance(grant, Grant)
    for _ in range(5):
        meter.settle(grant, Usage(HOUR))
    assert isinstance(meter.reserve("agent", Usage()), Grant)


def test_a_limit_pauses_its_own_account_until_it_is_over(make: Make) -> None:
    clock = VirtualClock()
    meter = make(clock)
    until = clock.now().plus(600.0)
    meter.pause("agent", until)
    paused = meter.reserve("agent", Usage())
    assert isinstance(paused, Instant) and paused == until
    assert isinstance(meter.reserve("another", Usage()), Grant)
    clock.pass_(601.0)
    assert isinstance(meter.reserve("agent", Usage()), Grant)


def spends(meter: SessionMeter, usage: Usage) -> None:
    grant = meter.reserve("agent", Usage())
    assert isinstance(grant, Grant)
    meter.settle(grant, usage)


@pytest.mark.parametrize(
    ("caps", "usage"),
    [(Caps(usd=5.0), Usage(usd=2.6)), (Caps(tokens=1000), Usage(tokens_in=400, tokens_out=110))],
)
def test_no_cycle_starts_past_what_may_be_spent_and_a_running_one_has_a_tenth_more(caps: Caps, usage: Usage) -> None:
    clock = VirtualClock()
    meter = SessionMeter(clock, WorkingTime(clock), 2.0, None, caps)
    spends(meter, usage)
    assert meter.over() is None
    spends(meter, usage)
    over = meter.over()
    assert over is not None and over.reason is StopReason.BUDGET and "the cap is" in over.detail
    assert meter.overrun() is None
    spends(meter, usage)
    assert meter.overrun() is not None


def test_a_session_that_goes_on_has_not_got_its_money_back() -> None:
    clock = VirtualClock()
    meter = SessionMeter(clock, WorkingTime(clock), 2.0, None, Caps(usd=5.0), Usage(usd=4.9))
    assert meter.over() is None
    spends(meter, Usage(usd=0.2))
    assert meter.over() is not None


def test_what_is_not_known_to_cost_anything_is_under_no_cap_of_money() -> None:
    clock = VirtualClock()
    meter = SessionMeter(clock, WorkingTime(clock), 2.0, None, Caps(usd=0.01))
    spends(meter, Usage(seconds=60.0))
    assert meter.over() is None
