"""The `command` agent: any program that takes a prompt on stdin, or in the file that `{prompt_file}` names."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Mapping

from agentops.core.agents import AgentRun, Usage
from agentops.core.clock import Clock
from agentops.core.places import Place, Purpose, Start
from agentops.core.processes import Ended, Exit, Host, Limits
from agentops.core.stops import Scope
from agentops.host.files import write_atomic
from agentops.host.transcript import Transcript

PROMPT_FILE = "{prompt_file}"
LAST_LINES = 100
"""How much of what it printed counts as its final message (evolve.md section 4)."""


class CommandAgent:
    """Runs `argv` once per phase. Its exit code and its last lines are all that it says; it can't tell what it cost."""

    name = "command"

    def __init__(self, argv: tuple[str, ...], host: Host, clock: Clock, limits: Limits, transcripts: str) -> None:
        self._argv = argv
        self._host = host
        self._clock = clock
        self._limits = limits
        self._transcripts = transcripts

    def run(self, prompt: str, place: Place, scope: Scope, *, start: Start, env: Mapping[str, str]) -> AgentRun:
        transcript = Transcript(os.path.join(self._transcripts, f"{start.cycle}-{env['AO_PHASE']}-{env['AO_ATTEMPT']}.log"))
        last: deque[bytes] = deque(maxlen=LAST_LINES)

        def heard(line: bytes) -> None:
            transcript.write(line)
            last.append(line[:16_384])

        # a file name in the prompt may be no text: half a surrogate pair must not end the night
        argv, stdin = self._argv, prompt.encode("utf-8", "backslashreplace")
        if any(PROMPT_FILE in word for word in argv):
            file = os.path.join(env["AO_PHASE_DIR"], "prompt.md")
            write_atomic(file, stdin)
            argv, stdin = tuple(word.replace(PROMPT_FILE, file) for word in argv), b""
        spec = place.spec(
            argv,
            Purpose.AGENT,
            env=env,
            stdin=stdin,
            limits=self._limits,
            writable=(env["AO_PHASE_DIR"],),
            merged=True,
            start=start,
        )
        try:
            done = self._host.run(spec, scope, heard)
        finally:
            transcript.close()
        text = b"\n".join(last).decode("utf-8", "replace")
        return AgentRun(
            ended=_ended(done),
            text=text,
            usage=Usage(seconds=done.seconds),
            error=done.error or None,
            transcript=transcript.path,
            level=str(done.level),
            survivors=done.survivors,
            stop=done.stop,
            agent=self.name,
        )


def _ended(done: Exit) -> Ended:
    """The launcher's word; a plain non-zero exit is an error, whatever was printed (loop-peers B-L1)."""
    if done.ended is Ended.OK and done.code not in (0, None):
        return Ended.ERROR
    return done.ended
