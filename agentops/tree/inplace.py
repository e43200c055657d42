"""The person's own checkout as a place. Always works; nothing that a person had written is lost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from agentops.core.clock import Clock
from agentops.core.places import Effect, Place, Purpose, Settled, Start
from agentops.core.processes import Limits, SandboxLevel, Spec
from agentops.host.git import Git
from agentops.tree.repository import Repository


class InPlace(Place):
    """See `core.places.Place`."""

    def __init__(
        self,
        repository: Repository,
        git: Git,
        clock: Clock,
        run: str,
        level: SandboxLevel | None = None,
        *,
        env: Mapping[str, str] | None = None,
        run_hooks: bool = False,
        masked: Sequence[str] = (),
    ) -> None:
        raise NotImplementedError

    def begin(self, cycle: int) -> Start:
        raise NotImplementedError

    def spec(
        self,
        argv: Sequence[str],
        purpose: Purpose,
        *,
        env: Mapping[str, str] | None = None,
        stdin: bytes = b"",
        limits: Limits | None = None,
        writable: Sequence[str] = (),
        merged: bool = False,
        start: Start | None = None,
    ) -> Spec:
        raise NotImplementedError

    def effect(self, start: Start) -> Effect:
        raise NotImplementedError

    def keep(self, start: Start, effect: Effect, title: str) -> Settled:
        raise NotImplementedError

    def take_back(self, start: Start, effect: Effect) -> Settled:
        raise NotImplementedError

    def set_aside(self, start: Start, effect: Effect) -> frozenset[str]:
        raise NotImplementedError

    def bring_back(self, start: Start, effect: Effect) -> frozenset[str]:
        raise NotImplementedError

    def changed_after(self, start: Start, wall: float) -> frozenset[str]:
        """Paths that differ from `pre` now and were last changed after `wall`; in doubt, later."""
        raise NotImplementedError

    def foreign_head(self, start: Start) -> tuple[str, ...]:
        """Where someone else moved HEAD to since the start, oldest first."""
        raise NotImplementedError

    def park(self, start: Start, effect: Effect) -> None:
        """Hold `post` under `parked` as well."""
        raise NotImplementedError

    def post_still_equal(self, start: Start, effect: Effect) -> bool:
        """The tree, HEAD and the ignored files are still as `post` saw them."""
        raise NotImplementedError

    def protect_state(self, start: Start, effect: Effect, paths: Sequence[str]) -> frozenset[str]:
        """Put protected state back from `pre`; what is ours by right in it stays. Returns what was put back."""
        raise NotImplementedError
