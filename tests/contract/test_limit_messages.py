"""Every message by which coding agents and their services tell of a limit, and every form in which they name its end.

The wording is theirs and changes; a new one is a line here and, if need be, one in `agents/messages.toml` (loop-peers E3).
"""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from agentops.agents.catalog import Catalog
from agentops.agents.limits import read
from agentops.agents.rules import Meanings
from agentops.core.clock import Instant
from agentops.core.processes import Ended

BERLIN = ZoneInfo("Europe/Berlin")
NOW = Instant(1000.0, datetime(2026, 11, 30, 23, 10, tzinfo=BERLIN).timestamp())  # a Monday
CODEX = "You've hit your usage limit. Upgrade to Pro or try again "

RESETS = [
    # what they say, what that is in Berlin
    ("Claude AI usage limit reached|1796100000", "2026-12-01 05:40:00"),
    ("Claude AI usage limit reached|1796100000000", "2026-12-01 05:40:00"),
    ("5-hour limit reached ∙ resets 3am", "2026-12-01 03:00:00"),
    ("5-hour limit reached ∙ resets 3pm", "2026-12-01 15:00:00"),
    ("Weekly limit reached · resets Dec 5", "2026-12-05 00:00:00"),
    ("Limit reached · resets Dec 17 at 6am (Europe/Oslo)", "2026-12-17 06:00:00"),
    ("You've hit your limit · resets 1am (Europe/Oslo)", "2026-12-01 01:00:00"),
    ("You've hit your session limit · resets 12:50am (America/Los_Angeles)", "2026-12-01 09:50:00"),
    ("You've hit your session limit · resets 12:50pm (Asia/Tokyo)", "2026-12-01 04:50:00"),
    ("You're out of extra usage · resets 11:30pm", "2026-11-30 23:30:00"),
    (CODEX + "at 3:42 PM.", "2026-12-01 15:42:00"),
    (CODEX + "at Mar 10th, 2027 3:39 AM.", "2027-03-10 03:39:00"),
    (CODEX + "in 2 hours 13 minutes.", "2026-12-01 01:23:00"),
    (CODEX + "in 3 days 1 hour 2 minutes.", "2026-12-04 00:12:00"),
    ('{"error":{"type":"usage_limit_reached","resets_at":1796100000,"resets_in_seconds":7380}}', "2026-12-01 01:13:00"),
    ('{"error":{"type":"usage_limit_reached","resets_at":1796100000}}', "2026-12-01 05:40:00"),
    ('RESOURCE_EXHAUSTED … {"@type": "…RetryInfo", "retryDelay": "34.5s"}', "2026-11-30 23:10:34.5"),
    ("Please retry in 34.5s.", "2026-11-30 23:10:34.5"),
    ("Your quota will reset after 14h32m11s.", "2026-12-01 13:42:11"),
    ("Quota resets at midnight Pacific time", "2026-12-01 09:00:00"),
    ("429 Too Many Requests, Retry-After: 120", "2026-11-30 23:12:00"),
    ("retry-after: Tue, 01 Dec 2026 03:00:00 GMT", "2026-12-01 04:00:00"),
    ("resets in 3h 5m", "2026-12-01 02:15:00"),
    ("rate limited, wait 4 minutes and 30 seconds", "2026-11-30 23:14:30"),
    ("try again in about an hour", "2026-12-01 00:10:00"),
    ("resets 2026-12-01T03:00:00Z", "2026-12-01 04:00:00"),
    ("resets 2026-12-01T03:00:00-05:00", "2026-12-01 09:00:00"),
    ("resets at 2026-12-01 03:00:00", "2026-12-01 03:00:00"),
    ("resets at 3 PM UTC", "2026-12-01 16:00:00"),
    ("resets at 15:00 (UTC+2)", "2026-12-01 14:00:00"),
    ("resets tomorrow at 3am", "2026-12-01 03:00:00"),
    ("resets Monday 11:30pm", "2026-11-30 23:30:00"),
    ("resets Monday 9am", "2026-12-07 09:00:00"),
    ("resets Thu at 15:00 (UTC)", "2026-12-03 16:00:00"),
    ("available again at noon", "2026-12-01 12:00:00"),
    # it has just passed: the limit outlives its own reset, and tomorrow is not meant
    ("5-hour limit reached ∙ resets 11pm", "2026-11-30 23:00:00"),
    ("5-hour limit reached ∙ resets 8:15pm", "2026-11-30 20:15:00"),
    ("5-hour limit reached ∙ resets 8:05pm", "2026-12-01 20:05:00"),
]
NO_RESET = [
    "API Error: Rate limit reached",
    "exceeded retry limit, last status: 429",
    "5-hour limit reached",
    "Selected model is at capacity. Please try a different model.",
    "You have used 1796100000 tokens of 2000000000",
    "resets 25:99",
    "resets 13pm",
    "resets 2026-13-45",
    "",
]


@pytest.mark.parametrize(("message", "then"), RESETS, ids=[message[:60] for message, _ in RESETS])
def test_a_named_reset_is_understood(message: str, then: str) -> None:
    found = read(message, NOW, BERLIN)
    assert found is not None
    assert found.wall == pytest.approx(datetime.fromisoformat(then).replace(tzinfo=BERLIN).timestamp(), abs=0.01)
    assert found.mono - NOW.mono == pytest.approx(found.wall - NOW.wall)


@pytest.mark.parametrize("message", NO_RESET)
def test_what_names_no_reset_is_not_guessed(message: str) -> None:
    assert read(message, NOW, BERLIN) is None


MEANINGS = [
    (Ended.LIMIT, "Claude AI usage limit reached|1796100000"),
    (Ended.LIMIT, "5-hour limit reached ∙ resets 3pm"),
    (Ended.LIMIT, "Weekly limit reached · resets Aug 20"),
    (Ended.LIMIT, "Limit reached · resets Dec 17 at 6am (Europe/Oslo)"),
    (Ended.LIMIT, "You've hit your limit · resets 1am (Europe/Oslo)"),
    (Ended.LIMIT, "You've hit your session limit · resets 12:50am (America/Los_Angeles)"),
    (Ended.LIMIT, "You're out of extra usage · resets 9pm"),
    (Ended.LIMIT, "API Error: Rate limit reached"),
    (Ended.LIMIT, "Opus weekly limit reached ∙ resets Oct 6, 1pm"),
    (Ended.LIMIT, CODEX + "at 3:42 PM."),
    (Ended.LIMIT, '{"error":{"type":"usage_limit_reached"}}'),
    (Ended.LIMIT, "exceeded retry limit, last status: 429 Too Many Requests"),
    (Ended.LIMIT, "Quota exceeded. Check your plan and billing details."),
    (Ended.LIMIT, "Your credit balance is too low to access the Anthropic API."),
    (Ended.LIMIT, "[API Error: 429 You exceeded your current quota, please check your plan and billing details.]"),
    (Ended.LIMIT, '{"error":{"code":429,"status":"RESOURCE_EXHAUSTED"}}'),
    (Ended.LIMIT, "litellm.RateLimitError: OpenAIException - Rate limit exceeded"),
    (Ended.LIMIT, "insufficient_quota"),
    (Ended.LIMIT, "You have exceeded your premium request allowance."),
    (Ended.OVERLOADED, 'API Error: 529 {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}'),
    (Ended.OVERLOADED, "Selected model is at capacity. Please try a different model."),
    (Ended.OVERLOADED, "We're currently experiencing high demand, which may cause temporary errors."),
    (Ended.OVERLOADED, "unexpected status 503 Service Unavailable"),
    (Ended.OVERLOADED, "stream disconnected before completion: error sending request"),
    (Ended.OVERLOADED, "connect ECONNREFUSED 127.0.0.1:443"),
    (Ended.OVERLOADED, "litellm.InternalServerError: Connection error."),
    (Ended.AUTH, "unexpected status 401 Unauthorized: Missing bearer"),
    (
        Ended.AUTH,
        "Your access token could not be refreshed because your refresh token has expired. Please log out and sign in again.",
    ),
    (Ended.AUTH, "Not logged in · Please run /login"),
    (Ended.AUTH, "Invalid API key · Please run /login"),
    (Ended.AUTH, "litellm.AuthenticationError: OpenAIException - Incorrect API key provided: sk-x"),
    (Ended.AUTH, "API key not valid. Please pass a valid API key."),
    (Ended.AUTH, "OAuth token has expired"),
    (Ended.AUTH, "No API key found for anthropic."),
    (Ended.BAD_CONFIG, "--dangerously-skip-permissions cannot be used with root/sudo privileges for security reasons"),
    (Ended.BAD_CONFIG, "error: unexpected argument '--jsn' found"),
    (Ended.BAD_CONFIG, "The model `gpt-99` does not exist or you do not have access to it."),
    (None, "Something that nobody has seen before"),
    (None, "panic: index out of range"),
]


@pytest.mark.parametrize(("kind", "message"), MEANINGS, ids=[message[:60] for _, message in MEANINGS])
@pytest.mark.parametrize("agent", ["claude", "aider"])
def test_a_message_means_one_thing(agent: str, kind: Ended | None, message: str) -> None:
    assert Meanings(Catalog().get(agent).messages).of(message) is kind
