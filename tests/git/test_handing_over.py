"""From a limited agent to the next: the tree as the phase found it, the person's own work untouched, nothing lost."""

from __future__ import annotations

from agentops.rpi.handing_over import back_to_phase_start
from tests.git.ground import Ground, cycle


def test_the_next_agent_finds_what_the_phase_found_and_the_rest_is_kept(repo: Ground) -> None:
    repo.write("b.txt", "mine\n")
    now = cycle(repo, 1)
    repo.write("plan.txt", "from discovery\n")
    begun = now.effect()
    at_phase = repo.look()
    repo.write("a.txt", "half done\n")
    repo.write("plan.txt", "scribbled over\n")
    repo.git("add", "-A")
    repo.git("commit", "-qm", "the agent's", env={"GIT_REFLOG_ACTION": f"ao:{now.start.run}/1"})
    left = back_to_phase_start(now.place, now.start, begun)
    assert left == frozenset()
    assert repo.look() == at_phase
    done = now.effect()
    assert set(done.paths) == {"plan.txt"} and not done.commits


def test_what_someone_else_saved_meanwhile_stays_and_is_named(repo: Ground) -> None:
    now = cycle(repo, 1)
    begun = now.effect()
    repo.write("a.txt", "half done\n")
    done = now.effect()
    repo.write("a.txt", "a person's save\n")
    now.place.park(now.start, done)
    left = now.place.set_aside(now.start, done) | now.place.bring_back(now.start, begun)
    assert left == {"a.txt"}
    assert (repo.top / "a.txt").read_text() == "a person's save\n"
