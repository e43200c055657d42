"""What other tools read along."""

from __future__ import annotations

from pathlib import Path

from agentops.app.loop_telemetry import LoopTelemetry
from agentops.core.events import Event
from agentops.evolve.own_files import SESSION_STATE
from agentops.host.clock import SystemClock


class Heard:
    """Events that are remembered."""

    def __init__(self) -> None:
        self.texts: list[object] = []

    def emit(self, name: Event, **facts: object) -> None:
        self.texts.append(facts["text"])


def test_a_session_state_that_had_to_give_way_was_replaced_in_silence(tmp_path: Path) -> None:
    path = tmp_path / SESSION_STATE
    path.parent.mkdir(parents=True)
    path.write_text("somebody's notes")
    heard = Heard()
    telemetry = LoopTelemetry(str(tmp_path), str(tmp_path / "ao"), "s", SystemClock(), heard)
    telemetry.project(cycle=1)
    telemetry.project(cycle=2)
    assert heard.texts == [f"{path} was no JSON object; it is kept as {path}.bad and written anew"]
