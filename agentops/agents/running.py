"""One run of a coding agent that an adapter describes: command line, environment, limits, reading, ending."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from datetime import tzinfo

import msgspec

from agentops.agents.adapter import Adapter, PromptBy
from agentops.agents.ending import Ending, ending
from agentops.agents.environment import allowed
from agentops.agents.heard import Problem
from agentops.agents.limits import backoff, due, read
from agentops.agents.reading import Reader
from agentops.agents.rules import Meanings, Rules
from agentops.agents.watching import Watching
from agentops.core import wire
from agentops.core.agents import AgentRun, Usage
from agentops.core.clock import Clock, Instant
from agentops.core.places import Place, Purpose, Start, Startable
from agentops.core.processes import Ended, Exit, Host, Limits
from agentops.core.stops import Scope
from agentops.host.files import read_bounded, write_atomic
from agentops.host.transcript import Transcript

ARGUMENT_BYTES = 100_000
"""A longer prompt does not fit on a command line (the kernel's limit is 128 KiB a word); it is put into a file then."""
_DOCUMENT = 64 * 1024 * 1024
_LONG = "Your task is described in the file {file}. Read all of it, then do what it says."


class AdapterAgent:
    """Implements `Agent`. `program`: the absolute path; `args`: what stands before the adapter's own words (a wrapper).

    Limits and overloads in a row are counted, so that waits grow; any other ending begins anew.
    """

    def __init__(
        self,
        adapter: Adapter,
        program: str,
        host: Host,
        clock: Clock,
        limits: Limits,
        transcripts: str,
        zone: tzinfo,
        turns: int | None = None,
    ) -> None:
        self.name = adapter.name
        self.account = adapter.account or adapter.name
        self.adapter = adapter
        self.program = program
        self._host, self._clock, self._zone, self._turns = host, clock, zone, turns
        self._limits = replace(limits, start=adapter.output.first_byte if adapter.streams else None)
        self._transcripts = transcripts
        self._rules, self._meanings = Rules(adapter), Meanings(adapter.messages)
        self._streak = 0

    def run(self, prompt: str, place: Place, scope: Scope, *, start: Start, env: Mapping[str, str]) -> AgentRun:
        name = f"{start.cycle}-{env['AO_PHASE']}-{env['AO_ATTEMPT']}-{self.name}.log"
        return self.ask(prompt, place, scope, env=env, transcript=name, start=start)

    def ask(
        self,
        prompt: str,
        place: Startable,
        scope: Scope,
        *,
        env: Mapping[str, str],
        transcript: str,
        start: Start | None = None,
        limits: Limits | None = None,
    ) -> AgentRun:
        """One fresh run anywhere. `transcript`: its name among the transcripts; `env` holds `AO_PHASE_DIR`, writable."""
        record = Transcript(os.path.join(self._transcripts, transcript))
        reader = Reader(self.adapter, prompt, self._rules)
        watching = Watching(scope, reader.heard)

        def heard(line: bytes) -> None:
            record.write(line)
            reader.line(line)

        argv, stdin = self._command(prompt, env["AO_PHASE_DIR"])
        spec = place.spec(
            argv,
            Purpose.AGENT,
            env=env,
            stdin=stdin,
            limits=self._limits if limits is None else replace(limits, start=self._limits.start),
            writable=(env["AO_PHASE_DIR"],),
            start=start,
        )
        given = self.adapter.environment
        home = spec.env.get("HOME", "")
        kept, _ = allowed(spec.env, given.set, given.pass_, given.pass_when)
        homes = tuple(os.path.join(home, one[2:]) if one.startswith("~/") else one for one in self.adapter.homes if home)
        mounts = replace(spec.mounts, writable=(*spec.mounts.writable, *homes))
        try:
            done = self._host.run(replace(spec, env=kept, mounts=mounts), watching, heard)
        finally:
            record.close()
        self._read_file(reader, env["AO_PHASE_DIR"])
        return self._result(
            reader, done, ending(self.adapter, self._meanings, reader.heard, done, watching.finished), record.path
        )

    def _command(self, prompt: str, folder: str) -> tuple[tuple[str, ...], bytes]:
        adapter = self.adapter
        words = list(adapter.argv)
        if adapter.model:
            words += [one.replace("{model}", adapter.model) for one in adapter.model_args]
        if self._turns is not None:
            words += [one.replace("{turns}", str(self._turns)) for one in adapter.turns_args]
        words += [*adapter.args, *adapter.last]
        raw = prompt.replace("\0", "").encode("utf-8", "backslashreplace")  # file names in it may be no text
        prompt = raw.decode()
        too_long = adapter.prompt is PromptBy.ARGUMENT and len(raw) > ARGUMENT_BYTES
        if too_long or any("{prompt_file}" in one for one in words):
            file = os.path.join(folder, "prompt.md")
            write_atomic(file, raw)
            words = [one.replace("{prompt_file}", file) for one in words]
            prompt = _LONG.format(file=file) if too_long else prompt
        words = [one.replace("{phase_dir}", folder) for one in words]
        words = [one.replace("{prompt}", prompt) for one in words]
        return (self.program, *words), raw if adapter.prompt is PromptBy.STDIN else b""

    def _read_file(self, reader: Reader, folder: str) -> None:
        """The document that some agents leave instead of a stream; one that is missing or broken says nothing."""
        if not self.adapter.output.file:
            return
        path = self.adapter.output.file.replace("{phase_dir}", folder)
        if os.path.islink(path) or not os.path.isfile(path):
            return
        try:
            document = wire.parse(read_bounded(path, _DOCUMENT))
        except (OSError, msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            return
        if isinstance(document, dict):
            reader.event(document)

    def _result(self, reader: Reader, done: Exit, found: Ending, transcript: str) -> AgentRun:
        heard = reader.heard
        retry_at = self._retry_at(found)
        tokens_in, tokens_out = heard.sum("tokens_in"), heard.sum("tokens_out")
        return AgentRun(
            ended=found.ended,
            text=heard.text or "\n".join(reader.lines),
            usage=Usage(
                done.seconds,
                None if tokens_in is None else int(tokens_in),
                None if tokens_out is None else int(tokens_out),
                heard.sum("usd"),
                heard.turns or None,
            ),
            retry_at=retry_at,
            error=self._said(found),
            transcript=transcript,
            level=str(done.level),
            survivors=done.survivors,
            stop=None if found.ended is not Ended.KILLED else done.stop,
            agent=self.name,
        )

    def _said(self, found: Ending) -> str | None:
        """The error, verbatim; where it is not logged in, with what a person types."""
        login = self.adapter.login if found.ended is Ended.AUTH else ""
        return f"{found.error or found.ended} (log in: {login})" if login else found.error

    def _retry_at(self, found: Ending) -> Instant | None:
        streak, now = self._streak, self._clock.now()
        self._streak = streak + 1 if found.ended in (Ended.LIMIT, Ended.OVERLOADED) else 0
        if found.ended is Ended.OVERLOADED:
            return backoff(now, streak, self.name)
        if found.ended is not Ended.LIMIT:
            return None
        return due(_named(found.problem, now, self._zone), now, streak)


def _named(problem: Problem | None, now: Instant, zone: tzinfo) -> Instant | None:
    """The moment that the problem names in its fields, else in its words."""
    if problem is None:
        return None
    if problem.resets_in is not None:
        return now.plus(problem.resets_in)
    if problem.resets is not None:
        return now.plus(problem.resets - now.wall)
    return read(problem.words, now, zone)
