"""Every adapter read on a small stream of its own: how it went well, how it did not, and what it must not be fooled by."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pytest

from agentops.agents.adapter import Adapter
from agentops.agents.catalog import Catalog
from agentops.agents.ending import Ending, ending
from agentops.agents.reading import Reader
from agentops.agents.rules import Meanings
from agentops.core.processes import Ended, Exit

BAIT = "API Error: 429 rate limit reached · resets 3am. 401 Unauthorized. overloaded_error"
"""What a file may hold that an agent reads; it says nothing about the agent."""


@dataclass
class Told:
    """An adapter, and what was understood of what it printed."""

    adapter: Adapter
    reader: Reader
    end: Ending

    @property
    def text(self) -> str:
        return self.reader.heard.text or "\n".join(self.reader.lines)

    def sums(self) -> tuple[float | None, float | None, float | None]:
        heard = self.reader.heard
        return heard.sum("tokens_in"), heard.sum("tokens_out"), heard.sum("usd")


def told(name: str, stream: Sequence[Any], code: int | None = 0, err: str = "", prompt: str = "", **facts: Any) -> Told:
    """Events as dictionaries, lines of text as they are."""
    adapter = Catalog().get(name)
    reader = Reader(adapter, prompt)
    for one in stream:
        reader.line(one.encode() if isinstance(one, str) else json.dumps(one).encode())
    ended = facts.pop("ended", Ended.OK if code == 0 else Ended.ERROR)
    done = Exit(ended, code, err=err.encode(), **facts)
    return Told(adapter, reader, ending(adapter, Meanings(adapter.messages), reader.heard, done))


def claude_message(*content: dict[str, Any], id: str = "m1", **more: Any) -> dict[str, Any]:  # noqa: A002
    usage = {"input_tokens": 10, "cache_creation_input_tokens": 5, "cache_read_input_tokens": 100, "output_tokens": 7}
    return {"type": "assistant", "message": {"id": id, "content": list(content), "usage": usage}, **more}


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


def tool(**arguments: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": "t1", "name": "Bash", "input": arguments}


CLAUDE_USAGE = {"input_tokens": 20, "cache_creation_input_tokens": 5, "cache_read_input_tokens": 200, "output_tokens": 14}
CLAUDE = [
    {"type": "system", "subtype": "init", "model": "m"},
    claude_message(tool(command="ls")),
    {"type": "user", "message": {"content": [{"type": "tool_result", "tool_use_id": "t1", "is_error": True, "content": BAIT}]}},
    claude_message(text("Done <promise>DONE</promise>"), id="m2"),
    {"type": "result", "subtype": "success", "is_error": False, "result": "Done <promise>DONE</promise>", "usage": CLAUDE_USAGE,
     "total_cost_usd": 0.25, "num_turns": 2},
]  # fmt: skip
CODEX = [
    {"type": "thread.started", "thread_id": "1"},
    {"type": "item.completed", "item": {"type": "error", "message": "Model metadata not found"}},
    {"type": "turn.started"},
    {"type": "item.started", "item": {"type": "command_execution", "command": "cat notes", "aggregated_output": ""}},
    {"type": "item.completed", "item": {"type": "command_execution", "command": "cat notes", "aggregated_output": BAIT}},
    {"type": "item.completed", "item": {"type": "agent_message", "text": "Done <promise>DONE</promise>"}},
    {"type": "turn.completed", "usage": {"input_tokens": 225, "cached_input_tokens": 200, "output_tokens": 14}},
]
OPENCODE_STEP = {"tokens": {"input": 10, "output": 5, "reasoning": 2, "cache": {"read": 100, "write": 2}}, "cost": 0.125}
OPENCODE = [
    {"type": "step_start", "part": {}},
    {"type": "tool_use", "part": {"tool": "bash", "state": {"input": {"command": "cat notes"}, "output": BAIT}}},
    {"type": "step_finish", "part": {**OPENCODE_STEP, "reason": "tool-calls"}},
    {"type": "step_start", "part": {}},
    {"type": "text", "part": {"text": "Done <promise>DONE</promise>"}},
    {"type": "step_finish", "part": {**OPENCODE_STEP, "reason": "stop"}},
]
GEMINI = [
    {"type": "init", "session_id": "1", "model": "m"},
    {"type": "message", "role": "user", "content": "the prompt"},
    {"type": "tool_use", "tool_name": "shell", "tool_id": "1", "parameters": {"command": "cat notes"}},
    {"type": "tool_result", "tool_id": "1", "status": "success", "output": BAIT},
    {"type": "message", "role": "assistant", "content": "Done ", "delta": True},
    {"type": "message", "role": "assistant", "content": "<promise>DONE</promise>", "delta": True},
    {"type": "result", "status": "success", "stats": {"input_tokens": 225, "output_tokens": 14, "total_tokens": 239}},
]
QWEN = [
    {"type": "system", "subtype": "init"},
    {"type": "assistant", "message": {"id": "1", "content": [tool(command="ls")], "usage": {"input_tokens": 5, "output_tokens": 1}}},  # noqa: E501
    {"type": "user", "message": {"content": [{"type": "tool_result", "content": BAIT}]}},
    {"type": "assistant", "message": {"id": "2", "content": [text("Done <promise>DONE</promise>")], "usage": {"input_tokens": 6}}},  # noqa: E501
    {"type": "result", "subtype": "success", "is_error": False, "result": "Done <promise>DONE</promise>",
     "usage": {"input_tokens": 225, "output_tokens": 14}},
]  # fmt: skip
PI_USAGE = {
    "input": 12,
    "output": 7,
    "cacheRead": 100,
    "cacheWrite": 0,
    "totalTokens": 119,
    "cost": {"input": 0.1, "total": 0.125},
}
PI = [
    {"type": "agent_start"},
    {"type": "message_end", "message": {"role": "user", "content": [text("the prompt")]}},
    {"type": "message_end", "message": {"role": "assistant", "content": [{"type": "toolCall"}], "usage": PI_USAGE, "stopReason": "toolUse"}},  # noqa: E501
    {"type": "tool_execution_start", "toolName": "bash", "args": {"command": "cat notes"}},
    {"type": "tool_execution_end", "toolName": "bash", "result": {"content": [text(BAIT)]}, "isError": False},
    {"type": "message_end", "message": {"role": "toolResult", "content": [text(BAIT)]}},
    {"type": "message_end", "message": {"role": "assistant", "content": [text("Done <promise>DONE</promise>")], "usage": PI_USAGE,
                                        "stopReason": "stop"}},
    {"type": "agent_end", "messages": [{"role": "assistant", "stopReason": "stop"}]},
]  # fmt: skip
AMP = [
    {"type": "system", "subtype": "init"},
    claude_message(tool(command="ls")),
    {"type": "user", "message": {"content": [{"type": "tool_result", "content": BAIT}]}},
    claude_message(text("Done <promise>DONE</promise>"), id="m2"),
    {"type": "result", "subtype": "success", "is_error": False, "result": "Done <promise>DONE</promise>"},
]
CURSOR = [
    {"type": "system", "subtype": "init"},
    {"type": "user", "message": {"content": [text("the prompt")]}},
    {"type": "tool_call", "subtype": "started", "call_id": "1", "tool_call": {"shellToolCall": {"args": {"command": "ls"}}}},
    {"type": "tool_call", "subtype": "completed", "call_id": "1", "tool_call": {"shellToolCall": {"result": BAIT}}},
    {"type": "assistant", "message": {"content": [text("Done <promise>DONE</promise>")]}},
    {"type": "result", "subtype": "success", "is_error": False, "result": "Done <promise>DONE</promise>", "duration_ms": 1,
     "usage": {"inputTokens": 25, "cacheReadTokens": 200, "outputTokens": 14}},
]  # fmt: skip
COPILOT = [
    {"type": "assistant.message", "data": {"content": "", "toolRequests": [{"name": "bash", "arguments": {"command": "ls"}}]}},
    {"type": "tool.execution_complete", "data": {"result": {"content": BAIT}}},
    {"type": "assistant.message", "data": {"content": "Done <promise>DONE</promise>", "toolRequests": []}},
]
AIDER = [
    "Aider v0.86.2",
    "hello.py",
    "I read the file. It says:",
    f"> {BAIT}",
    "Done <promise>DONE</promise>",
    "Tokens: 225 sent, 14 received. Cost: $0.12 message, $0.25 session.",
]
GOOSE = ["starting session", "─── shell ───", BAIT, "Done <promise>DONE</promise>"]

WELL: dict[str, tuple[list[Any], tuple[float | None, float | None, float | None]]] = {
    "claude": (CLAUDE, (225, 14, 0.25)),
    "codex": (CODEX, (225, 14, None)),
    "opencode": (OPENCODE, (224, 14, 0.25)),
    "gemini": (GEMINI, (225, 14, None)),
    "qwen": (QWEN, (225, 14, None)),
    "pi": (PI, (224, 14, 0.25)),
    "amp": (AMP, (230, 14, None)),
    "cursor": (CURSOR, (225, 14, None)),
    "copilot": (COPILOT, (None, None, None)),
    "aider": (AIDER, (225, 14, 0.12)),
    "goose": (GOOSE, (None, None, None)),
}


def test_no_adapter_is_left_out() -> None:
    assert {*WELL, "mini-swe-agent"} == set(Catalog().names())


@pytest.mark.parametrize("name", sorted(WELL))
def test_a_run_that_went_well_is_read_as_one_whatever_its_tools_printed(name: str) -> None:
    stream, sums = WELL[name]
    run = told(name, stream)
    assert run.end == Ending(Ended.OK)
    assert "<promise>DONE</promise>" in run.text
    assert run.sums() == pytest.approx(sums)


@pytest.mark.parametrize("name", sorted(name for name in WELL if name not in ("aider", "goose")))
def test_tool_calls_are_seen(name: str) -> None:
    assert told(name, WELL[name][0]).reader.heard.tools == 1


@pytest.mark.parametrize("name", sorted(name for name in WELL if Catalog().get(name).tells_end))
def test_a_stream_that_breaks_off_is_no_success(name: str) -> None:
    assert told(name, WELL[name][0][:-1]).end.ended is Ended.TRUNCATED


@pytest.mark.parametrize("name", sorted(WELL))
def test_rubbish_between_the_lines_changes_nothing(name: str) -> None:
    stream, sums = WELL[name]
    noise = ["{not json", '{"type": 5}', "[1,2]", "\x1b[2K\x00", '{"type":"nobody.knows","x":{}}', '{"type":"result"', "{}"]
    run = told(name, [*noise, *(one for event in stream for one in (event, '{"type"'))])
    assert run.end.ended is Ended.OK and run.sums() == pytest.approx(sums)


MINI_OK = {
    "info": {"exit_status": "Submitted", "submission": "Done <promise>DONE</promise>", "model_stats": {"instance_cost": 0.25}}
}


@pytest.mark.parametrize(
    ("status", "ended"),
    [
        ("Submitted", Ended.OK),
        ("LimitsExceeded", Ended.ERROR),
        ("RateLimitError", Ended.LIMIT),
        ("AuthenticationError", Ended.AUTH),
        ("APIConnectionError", Ended.OVERLOADED),
    ],
)
def test_mini_swe_agent_is_judged_by_the_file_that_it_leaves(status: str, ended: Ended) -> None:
    adapter = Catalog().get("mini-swe-agent")
    reader = Reader(adapter)
    reader.event({"info": {**MINI_OK["info"], "exit_status": status}})
    end = ending(adapter, Meanings(adapter.messages), reader.heard, Exit(Ended.OK, 0))
    assert end.ended is ended and reader.heard.sum("usd") == 0.25


RESULT_ERROR = {"type": "result", "subtype": "success", "is_error": True}
REJECTED = {"status": "rejected", "resetsAt": 1796100000, "rateLimitType": "five_hour"}
PI_ERROR = {"role": "assistant", "content": [], "stopReason": "error", "errorMessage": "401 stub error 401"}
BADLY: list[tuple[str, str, list[Any], int, str, Ended]] = [
    ("claude", "limit event", [{"type": "rate_limit_event", "rate_limit_info": REJECTED}, {**RESULT_ERROR, "result": "x"}], 1, "",
     Ended.LIMIT),
    ("claude", "limit by text", [{**RESULT_ERROR, "result": "You've hit your limit · resets 1am (Europe/Oslo)"}], 1, "", Ended.LIMIT),  # noqa: E501
    ("claude", "limit by status", [{**RESULT_ERROR, "result": "API Error", "api_error_status": 429}], 0, "", Ended.LIMIT),
    ("claude", "overloaded", [{**RESULT_ERROR, "result": "API Error: 529 Overloaded", "api_error_status": 529}], 1, "",
     Ended.OVERLOADED),
    ("claude", "auth", [claude_message(text("Invalid API key · Please run /login"), error="authentication_failed")], 1, "", Ended.AUTH),  # noqa: E501
    ("claude", "max turns", [{"type": "result", "subtype": "error_max_turns", "is_error": False}], 0, "", Ended.ERROR),
    ("claude", "old limit on stderr", [], 1, "Claude AI usage limit reached|1796100000", Ended.LIMIT),
    ("claude", "root", [], 1, "--dangerously-skip-permissions cannot be used with root/sudo privileges", Ended.BAD_CONFIG),
    ("claude", "no word", [{"type": "result", "subtype": "success", "is_error": False, "result": ""}], 0, "", Ended.NO_OP),
    ("codex", "limit", [{"type": "error", "message": "You've hit your usage limit. … try again at 3:42 PM."},
                        {"type": "turn.failed", "error": {"message": "it ended"}}], 1, "Reading prompt from stdin...", Ended.LIMIT),  # noqa: E501
    ("codex", "auth", [{"type": "turn.failed", "error": {"message": "unexpected status 401 Unauthorized: x"}}], 1, "", Ended.AUTH),  # noqa: E501
    ("codex", "empty turn", [{"type": "turn.started"}, {"type": "turn.completed", "usage": {"input_tokens": 0}}], 0, "", Ended.NO_OP),  # noqa: E501
    ("codex", "unknown words", [{"type": "turn.failed", "error": {"message": "something new"}}], 1, "", Ended.ERROR),
    ("opencode", "auth", [{"type": "error", "error": {"name": "APIError", "data": {"message": "no", "statusCode": 401}}}], 1, "",
     Ended.AUTH),
    ("gemini", "auth by its exit code", [], 41, "Please set an Auth method", Ended.AUTH),
    ("gemini", "quota", [{"type": "result", "status": "error", "error": {"type": "x", "message": "RESOURCE_EXHAUSTED"}}], 1, "",
     Ended.LIMIT),
    ("qwen", "a success that is none", [{"type": "result", "subtype": "success", "is_error": False,
                                         "result": "[API Error: 401 Incorrect API key provided]"}], 0, "", Ended.AUTH),
    ("pi", "auth, with exit 0", [{"type": "message_end", "message": PI_ERROR}, {"type": "agent_end", "messages": [PI_ERROR]}], 0, "",  # noqa: E501
     Ended.AUTH),
    ("aider", "auth, with exit 0", ["litellm.AuthenticationError: OpenAIException - Incorrect API key"], 0, "", Ended.AUTH),
    ("aider", "limit", ["litellm.RateLimitError: Rate limit reached"], 0, "", Ended.LIMIT),
    ("goose", "limit", ["error: Rate limit exceeded: 429"], 1, "", Ended.LIMIT),
    ("amp", "auth", ["Error: Not logged in. Run `amp login`"], 1, "", Ended.AUTH),
    ("cursor", "auth", [], 1, "Error: Authentication required. Please run 'cursor-agent login'", Ended.AUTH),
    ("copilot", "limit", [{"type": "session.error", "data": {"message": "You have exceeded your premium request allowance"}}], 1, "",  # noqa: E501
     Ended.LIMIT),
]  # fmt: skip


@pytest.mark.parametrize(("name", "what", "stream", "code", "err", "ended"), BADLY, ids=[f"{one[0]}: {one[1]}" for one in BADLY])
def test_a_run_that_went_badly_is_called_by_its_name(
    name: str, what: str, stream: list[Any], code: int, err: str, ended: Ended
) -> None:
    assert told(name, stream, code, err).end.ended is ended


def test_what_was_overcome_is_no_error() -> None:
    """Retries are told as errors; when the run then goes well, they were none (loop-peers B-L9)."""
    retried = [{"type": "error", "message": "Reconnecting... 1/5 (unexpected status 429)"}]
    assert told("codex", [*CODEX[:3], *retried, *CODEX[3:]]).end == Ending(Ended.OK)
    first = [PI[0], {"type": "message_end", "message": PI_ERROR}, {"type": "agent_end", "messages": [PI_ERROR]}]
    assert told("pi", [*first, {"type": "auto_retry_start"}, *PI]).end == Ending(Ended.OK)
    assert told("aider", ["litellm.RateLimitError: slow down", "Retrying in 0.2 seconds...", *AIDER]).end == Ending(Ended.OK)


def test_an_echo_of_the_prompt_is_not_the_agent_s_word() -> None:
    echoed = "litellm.RateLimitError: as the task says"
    assert told("aider", [echoed, "done"], prompt=f"the task\n{echoed}\n").end.ended is Ended.OK


def test_the_first_specific_error_is_kept_and_not_the_last() -> None:
    stream = [{"type": "error", "message": "refresh token has expired"}, {"type": "turn.failed", "error": {"message": "429"}}]
    assert told("codex", stream, 1).end.error == "refresh token has expired"


@pytest.mark.parametrize("ended", [Ended.STALLED, Ended.TIMEOUT])
def test_one_that_waits_in_silence_for_its_limit_is_limited_not_stalled(ended: Ended) -> None:
    log = "WARN service=llm error=AI_APICallError: usage limit reached, resets in 3h"
    assert told("opencode", [{"type": "step_start"}], None, log, ended=ended).end.ended is Ended.LIMIT
    assert told("opencode", [{"type": "step_start"}], None, "", ended=ended).end.ended is ended


def test_a_signal_from_outside_blames_nobody() -> None:
    assert told("claude", CLAUDE[:-1], None, ended=Ended.KILLED, signal=15).end == Ending(Ended.KILLED, "signal 15")
    assert told("gemini", GEMINI[:-1], 0, ended=Ended.OK).end.ended is Ended.TRUNCATED


def test_going_in_circles_and_asking_nobody_end_a_run() -> None:
    same = [claude_message(tool(command="make"), id=str(number)) for number in range(8)]
    enough = told("claude", same).reader.heard.enough
    assert enough is not None and enough[0] is Ended.STALLED
    waiting = [claude_message(tool(command="sleep 30; gh run view"), id=str(number)) for number in range(12)]
    assert told("claude", waiting).reader.heard.enough is None
    denied = {
        "type": "tool_result",
        "is_error": True,
        "content": "Claude requested permissions to write to /x, but you haven't granted it",
    }
    refused = [{"type": "user", "message": {"content": [denied]}}] * 3
    enough = told("claude", refused).reader.heard.enough
    assert enough is not None and enough[0] is Ended.PERMISSION_DENIED
    failing = {"type": "tool_result", "is_error": True, "content": "Exit code 1: tests failed"}
    assert told("claude", [{"type": "user", "message": {"content": [failing]}}] * 5).reader.heard.enough is None


def test_usage_of_a_run_that_was_killed_is_what_its_messages_said() -> None:
    run = told("claude", [*CLAUDE[:4], CLAUDE[3]], None, ended=Ended.KILLED, signal=9)
    assert run.sums() == (230, 14, None)  # the message that came twice counts once


@pytest.mark.parametrize(
    "line",
    [
        "    at run (/usr/lib/cli.js:401:12)",
        "    at run (cli.js:500:12)",
        "app.py:429: DeprecationWarning",
        "wrote 500 lines",
        "500 files were looked at",
        "ran 429 tests in 502 ms",
    ],
)
def test_a_line_number_or_a_sum_on_stderr_is_no_status(line: str) -> None:
    """`cli.js:401:12` of a crash ended the night as "not logged in"; 500 lines were a server that is overloaded."""
    assert told("goose", ["done"], 0, line).end.ended is Ended.OK
    assert told("claude", CLAUDE[:-1], 1, line).end.ended is Ended.ERROR


@pytest.mark.parametrize(
    ("line", "ended"),
    [
        ('API Error: 401 {"type"', Ended.AUTH),
        ("HTTP/1.1 503", Ended.OVERLOADED),
        ("Error code: 429 - {'error'", Ended.LIMIT),
        ("request failed (status_code=502)", Ended.OVERLOADED),
        ("upstream said no [429]", Ended.LIMIT),
        ('529 {"type":"error"}', Ended.OVERLOADED),
        ("504 Gateway Time-out", Ended.OVERLOADED),
        ("429", Ended.LIMIT),
    ],
)
def test_a_status_that_is_said_to_be_one_counts(line: str, ended: Ended) -> None:
    assert told("claude", CLAUDE[:-1], 1, line).end.ended is ended


def test_a_header_s_seconds_are_a_number_in_quotes() -> None:
    data = {"message": "slow down", "statusCode": 429, "responseHeaders": {"retry-after": "1800"}}
    problem = told("opencode", [{"type": "error", "error": {"name": "APIError", "data": data}}], 1).end.problem
    assert problem is not None and problem.resets_in == 1800.0
