"""One act on a repository, to be run in a process that may be killed: start and effect travel in a file, as in a journal."""

from __future__ import annotations

import json
from pathlib import Path

from agentops.core import wire
from agentops.core.places import Effect, Start
from agentops.tree.commits import commit_paths
from agentops.tree.undo import undo
from tests.git.ground import Ground


def act(ground: Ground, name: str, file: Path) -> None:
    place = ground.place()
    facts = json.loads(file.read_text()) if file.exists() else {}
    start = wire.record(Start, facts["start"]) if "start" in facts else None
    effect = wire.record(Effect, facts["effect"]) if "effect" in facts else None
    match name:
        case "begin":
            facts["start"] = json.loads(wire.dump(place.begin(1)))
        case "effect" if start:
            facts["effect"] = json.loads(wire.dump(place.effect(start)))
        case "keep" if start and effect:
            place.keep(start, effect, "work")
        case "take_back" if start and effect:
            place.take_back(start, effect)
        case "set_aside" if start and effect:
            place.set_aside(start, effect)
        case "bring_back" if start and effect:
            place.bring_back(start, effect)
        case "ledger":
            commit_paths(
                place.repository, place.checkout.git, [".agents/evolve/cycle-history.jsonl"], "evolve: cycle 1", mark="ao:r/1"
            )
        case "undo":
            undo(place.repository, place.checkout.git, place.checkout.clock, place.run.partition(".")[0])
        case _:
            raise SystemExit(f"nothing to do for {name}")
    file.write_text(json.dumps(facts))
