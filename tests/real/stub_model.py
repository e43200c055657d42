"""A model on loopback that says what a test wants, in the two wire formats that the real clients here speak.

`POST …/responses` (OpenAI responses, streamed) and `POST …/chat/completions` (OpenAI chat, streamed). The first answer of a
conversation is one call of the client's shell tool, the one after its result is a closing word. The scenario is the first
part of the path, so that one server serves all tests: `/SCENARIO@KEY/v1/…`, each key with its own counters.
"""

from __future__ import annotations

import json
import re
import threading
from collections import Counter
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

TOKENS_IN, TOKENS_OUT = 1234, 56
SHELLS = ("exec_command", "shell_command", "shell", "local_shell", "bash")
VERDICT = 'echo "{\\"verdict\\": \\"$1\\", \\"summary\\": \\"from the stub\\"}" > "$AO_PHASE_DIR/verdict.json"'
EDIT = f"""case $AO_PHASE in
discovery) set -- PASS ;; validation) set -- PASS ;;
*) set -- DONE; echo fixed > fixed.txt ;;
esac; {VERDICT}"""
SCRIPTS = {
    "edit": EDIT,
    "sleep": "sleep 7321",
    "read": "echo 'API Error: 429 rate limit reached, resets 3am; 401 Unauthorized'; " + EDIT,
}
"""What the shell tool is asked to run. `nothing` asks for none; `e401`, `e429` and `e429x2` answer with that status, the last
one twice; `cut` breaks off in the middle of its answer."""

Event = tuple[str | None, dict[str, Any] | str]


class Model:
    """The server; `url(scenario, key)` is the base for one test. `requests`: how many came, by scenario and key."""

    def __init__(self) -> None:
        self.requests: Counter[str] = Counter()
        model = self

        class Handler(_Handler):
            owner = model

        self._server = _Server(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)
        self._thread.start()

    def url(self, scenario: str, key: str = "") -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}/{scenario}@{key}/v1"

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Clients that hang up are what these tests are about."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    owner: Model

    def log_message(self, *words: Any) -> None:
        """Silent."""

    def do_GET(self) -> None:
        self._json(200, {"object": "list", "data": [{"id": "stub-model", "object": "model", "created": 0, "owned_by": "stub"}]})

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers.get("Content-Length") or 0)) or b"{}")
        key = self.path.split("/")[1]
        scenario = key.partition("@")[0]
        self.owner.requests[key] += 1
        failing = re.fullmatch(r"e(\d{3})(?:x(\d+))?", scenario)
        if failing and (failing[2] is None or self.owner.requests[key] <= int(failing[2])):
            status = int(failing[1])
            headers = {"Retry-After": "1"} if status == 429 else {}
            self._json(status, {"error": {"message": f"stub error {status}", "type": "stub", "code": f"stub_{status}"}}, headers)
            return
        script = SCRIPTS.get(scenario, SCRIPTS["edit"])
        move = None if scenario == "nothing" or _answered(asked) or _is_preflight(asked) else _shell(asked, script)
        encode = _responses if self.path.endswith("/responses") else _chat
        self._stream(encode(move, asked.get("model") or "stub-model"), cut=scenario == "cut")

    def _json(self, status: int, body: dict[str, Any], headers: dict[str, str] | None = None) -> None:
        raw = json.dumps(body).encode()
        self.send_response(status)
        for name, value in {"Content-Type": "application/json", "Content-Length": str(len(raw)), **(headers or {})}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(raw)

    def _stream(self, events: Iterator[Event], cut: bool) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        self.close_connection = True
        for number, (name, data) in enumerate(events):
            if cut and number == 1:
                self.connection.close()
                return
            line = data if isinstance(data, str) else json.dumps(data)
            self.wfile.write(((f"event: {name}\n" if name else "") + f"data: {line}\n\n").encode())
            self.wfile.flush()


def _answered(asked: dict[str, Any]) -> bool:
    """Whether the conversation holds a tool's result already."""
    chat = any(one.get("role") == "tool" for one in asked.get("messages") or [])
    given = asked.get("input")
    return chat or (isinstance(given, list) and any(str(one.get("type", "")).endswith("_output") for one in given))


def _is_preflight(asked: dict[str, Any]) -> bool:
    return "single word READY" in json.dumps(asked)


def _shell(asked: dict[str, Any], script: str) -> tuple[str, dict[str, Any]] | None:
    """A call of whatever shell tool the client offers, its arguments named as the client names them."""
    for tool in asked.get("tools") or []:
        described = tool.get("function") or tool
        if described.get("name") not in SHELLS:
            continue
        wanted = (described.get("parameters") or {}).get("properties") or {}
        command: Any = ["bash", "-c", script] if wanted.get("command", {}).get("type") == "array" else script
        return described["name"], {name: command for name in ("command", "cmd") if name in wanted}
    return None


def _responses(move: tuple[str, dict[str, Any]] | None, model: str) -> Iterator[Event]:
    item: dict[str, Any]
    if move is None:
        content = [{"type": "output_text", "text": "READY. All is done.", "annotations": []}]
        item = {"id": "msg_1", "type": "message", "role": "assistant", "status": "completed", "content": content}
    else:
        arguments = json.dumps(move[1])
        item = {"id": "fc_1", "type": "function_call", "status": "completed", "call_id": "call_1", "name": move[0]}
        item["arguments"] = arguments
    whole: dict[str, Any] = {
        "id": "resp_1", "object": "response", "created_at": 0, "status": "completed", "model": model, "error": None,
        "output": [item], "parallel_tool_calls": True, "tool_choice": "auto", "tools": [],
        "usage": {"input_tokens": TOKENS_IN, "input_tokens_details": {"cached_tokens": 0}, "output_tokens": TOKENS_OUT,
                  "output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": TOKENS_IN + TOKENS_OUT},
    }  # fmt: skip
    begun = {**whole, "status": "in_progress", "output": [], "usage": None}
    events: list[tuple[str, dict[str, Any]]] = [
        ("response.created", {"response": begun}),
        ("response.output_item.added", {"output_index": 0, "item": {**item, "status": "in_progress"}}),
        ("response.output_item.done", {"output_index": 0, "item": item}),
        ("response.completed", {"response": whole}),
    ]
    for number, (name, data) in enumerate(events):
        yield name, {"type": name, "sequence_number": number} | data


def _chat(move: tuple[str, dict[str, Any]] | None, model: str) -> Iterator[Event]:
    head = {"id": "chat_1", "object": "chat.completion.chunk", "created": 0, "model": model}
    deltas: list[dict[str, Any]]
    if move is None:
        deltas, reason = [{"role": "assistant", "content": ""}, {"content": "READY. All is done."}], "stop"
    else:
        call = {"index": 0, "id": "call_1", "type": "function", "function": {"name": move[0], "arguments": json.dumps(move[1])}}
        deltas, reason = [{"role": "assistant", "content": None}, {"tool_calls": [call]}], "tool_calls"
    for delta in deltas:
        yield None, {**head, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]}
    yield None, {**head, "choices": [{"index": 0, "delta": {}, "finish_reason": reason}]}
    usage = {"prompt_tokens": TOKENS_IN, "completion_tokens": TOKENS_OUT, "total_tokens": TOKENS_IN + TOKENS_OUT}
    yield None, {**head, "choices": [], "usage": usage}
    yield None, "[DONE]"
