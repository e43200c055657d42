"""`ao logs`: what happened last, and what happens now."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterator

import click

from agentops.cli.opened import opened
from agentops.cli.voice import Voice, standard_out
from agentops.core.clock import Clock
from agentops.core.events import Event
from agentops.core.stops import Scope
from agentops.host.files import tail_lines
from agentops.host.holders import holder
from agentops.host.scope import StopScope
from agentops.views import events
from agentops.views.events import Follower
from agentops.views.log_lines import agent_line, line

_LOOK = 0.25
_AGENT_LINES = 10
_AGENT_TAIL = 64 * 1024


@click.command()
@click.option("-f", "--follow", is_flag=True, help="Go on while the session runs, and end with it.")
@click.option(
    "-n", "--lines", type=click.IntRange(min=0), default=40, show_default=True, metavar="N", help="How many past lines."
)
def command(follow: bool, lines: int) -> None:
    """What happened last: cycles, phases, checks, and the agent's own last words."""
    at = opened()
    voice = standard_out()
    log, transcripts = at.events, os.path.join(at.state, "transcripts")
    following = _Following(log, transcripts) if follow else None
    past = deque((text for one in events.tail(log) if (text := line(one)) is not None), maxlen=lines)
    if not past and following is None:
        voice.line("Nothing has been logged here yet: ao evolve")
    voice.lines(past)
    newest = _newest(transcripts)
    if newest is not None and lines:
        voice.lines(agent_line(raw) for raw in tail_lines(newest, _AGENT_TAIL)[-_AGENT_LINES:])
    if following is None:
        return
    lock = at.lock
    if holder(lock) is None:
        voice.line("No session is running.")
        return
    # a scope without stop files: a stop is exactly what a follower wants to see to its end
    _follow(following, lock, voice, StopScope(at.clock), at.clock)


class _Following:
    """The event log and the newest transcript, from now on."""

    def __init__(self, log: str, transcripts: str) -> None:
        self.events = Follower(log)
        self.transcripts = transcripts
        newest = _newest(transcripts)
        self.agent = Follower(newest) if newest is not None else None

    def more(self) -> Iterator[str | Event]:
        """New lines, and the events behind them."""
        for raw in self.events.more():
            one = events.decode(raw)
            if one is not None:
                text = line(one)
                if text is not None:
                    yield text
                yield one.event
        newest = _newest(self.transcripts)
        if newest is not None and (self.agent is None or self.agent.path != newest):
            self.agent = Follower(newest, from_start=True)
        if self.agent is not None:
            yield from map(agent_line, self.agent.more())


def _follow(following: _Following, lock: str, voice: Voice, scope: Scope, clock: Clock) -> None:
    running = True
    while running:
        # asked before the last look, so that what was written up to the end is still shown
        running = holder(lock) is not None
        for new in following.more():
            if isinstance(new, Event):
                running = running and new is not Event.SESSION_ENDED
            else:
                voice.line(new)
        if running:
            scope.wait(clock.now().plus(_LOOK))


def _newest(transcripts: str) -> str | None:
    """The transcript that was written to last; sessions have folders of their own."""
    newest: tuple[float, str] | None = None
    folders = [transcripts]
    while folders:
        try:
            entries = list(os.scandir(folders.pop()))
        except OSError:
            continue
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                folders.append(entry.path)
            elif entry.is_file(follow_symlinks=False):
                at = entry.stat(follow_symlinks=False).st_mtime
                if newest is None or at > newest[0]:
                    newest = at, entry.path
    return newest[1] if newest is not None else None
