"""A rule that decides how many run at once sees what each of them needs, and is asked again while nothing ends."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from agentops.core.processes import Beside, Limits, Spec
from tests.process.conftest import Rig


def test_a_rule_tells_who_computes_from_who_waits_and_starts_the_next_when_it_likes(strong: Rig) -> None:
    scripts = ("while ! [ -e go ]; do :; done", "until [ -e go ]; do sleep 0.05; done", "touch go")
    taken: list[str] = []
    seen: dict[int, Beside] = {}

    def specs() -> Iterator[Spec]:
        for script in scripts:
            taken.append(script)
            yield strong.spec("bash", "-c", script, limits=Limits(total=60.0))

    def rule(running: Sequence[Beside]) -> bool:
        assert len(running) == len(taken), "a spec is taken when it starts"
        seen.update({one.index: one for one in running})
        return len(running) < 2 or (seen[0].cpu_seconds > 0.1 and seen[0].busy > 0.5 > seen[1].busy)

    ended = {index: done.code for index, done in strong.launcher.run_all(specs(), strong.scope, rule)}
    assert ended == {0: 0, 1: 0, 2: 0}
    assert seen[0].cpu_seconds > seen[1].cpu_seconds


def test_beside_nothing_one_always_starts(strong: Rig) -> None:
    ended = list(strong.launcher.run_all([strong.spec("true")] * 3, strong.scope, lambda _: False))
    assert [index for index, _ in ended] == [0, 1, 2]
