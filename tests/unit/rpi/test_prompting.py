"""Prompts: what they say, that they never speak for the agent, and that a broken one of a repository is found at the start."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentops.core.work import WorkItem
from agentops.rpi.prompting import BrokenPrompt, Given, Prompts
from agentops.rpi.slices import Slice, Wave
from agentops.rpi.verdicts import Phase, from_promise

OURS = Prompts()
ITEM = WorkItem("goal", "g", "the title", "the work", check="test -f x", output="x is missing\n[…]\n2 failed")
FULL = Given(ITEM, "/phase", ("/earlier/discovery-1",), "the reason", True, True, Wave((Slice("now"),), (Slice("later"),)))


@pytest.mark.parametrize("phase", Phase)
def test_a_prompt_says_the_work_its_check_and_what_the_check_printed(phase: Phase) -> None:
    text = OURS.render(phase, FULL)
    for word in ("the title", "the work", "test -f x", "2 failed", "the reason", "/phase/verdict.json", "git push", "git stash"):
        assert word in text, word
    assert "later\n" not in text.replace("for later", "")
    assert len(text) < 2000, "tokens are money"


@pytest.mark.parametrize("phase", Phase)
@pytest.mark.parametrize("given", [FULL, Given(WorkItem("goal", "g", "t", "w"), "/phase")])
def test_an_agent_that_only_repeats_its_prompt_has_promised_nothing(phase: Phase, given: Given) -> None:
    assert from_promise(phase, OURS.render(phase, given)) is None


def test_a_failing_test_first_is_asked_for_and_can_be_left_out() -> None:
    for phase in (Phase.DISCOVERY, Phase.IMPLEMENTATION):
        assert "fail" in OURS.render(phase, Given(WorkItem("goal", "g", "t", "w"), "/p")).split("What to do now")[1]
        without = OURS.render(phase, Given(WorkItem("goal", "g", "t", "w"), "/p", test_first=False))
        assert "failing test" not in without and "fails first" not in without


def own(folder: Path, **templates: str) -> str:
    for name, text in templates.items():
        (folder / f"{name}.md.j2").write_text(text)
    return str(folder)


def test_a_template_of_the_repository_replaces_ours_or_one_block_of_it(tmp_path: Path) -> None:
    blocks = '{% extends "ao/validation.md.j2" %}{% block rules %}Be kind.\n{% endblock %}'
    prompts = Prompts(own(tmp_path, discovery="Only {{ item.title }} in {{ phase_dir }}", validation=blocks))
    assert prompts.render(Phase.DISCOVERY, FULL) == "Only the title in /phase"
    text = prompts.render(Phase.VALIDATION, FULL)
    assert "Be kind." in text and "git stash" not in text and "/phase/verdict.json" in text
    assert prompts.render(Phase.IMPLEMENTATION, FULL) == OURS.render(Phase.IMPLEMENTATION, FULL)
    assert len(prompts.overridden) == 2


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("a\n{% if %}\n", 2, "Expected an expression"),
        ("a\n\n{{ item.titel }}", 3, "has no attribute 'titel'"),
        ("{{ phase_dri }}", 1, "did you mean `phase_dir`?"),
        ("{% if reason %}\n{% if not reason %}\n{{ nonsense }}\n{% endif %}{% endif %}", 3, "there is no `nonsense`"),
        ("\n{{ 1 / 0 }}", 2, "division by zero"),
        ('\n\n{% include "gone.md.j2" %}', 3, "gone.md.j2"),
        ("\n{{ item.__class__.__mro__[1].__subclasses__() }}", 2, "unsafe"),
        ("{% set item.title = 1 %}", 1, ""),
    ],
)
def test_a_broken_template_is_named_with_its_line(tmp_path: Path, text: str, line: int, words: str) -> None:
    with pytest.raises(BrokenPrompt) as caught:
        Prompts(own(tmp_path, implementation=text))
    assert str(caught.value).startswith(f"{tmp_path}/implementation.md.j2:{line}: "), str(caught.value)
    assert words in str(caught.value) and caught.value.exit_code == 2 and caught.value.mend


def test_a_template_that_no_phase_uses_was_meant_to_be_one(tmp_path: Path) -> None:
    own(tmp_path, _part="shared", discovery='{% include "_part.md.j2" %}')
    assert Prompts(str(tmp_path)).render(Phase.DISCOVERY, FULL) == "shared"
    own(tmp_path, discovry="x")
    with pytest.raises(BrokenPrompt, match=r"did you mean discovery\.md\.j2\?"):
        Prompts(str(tmp_path))


def test_a_folder_that_is_not_there_or_empty_is_said(tmp_path: Path) -> None:
    with pytest.raises(BrokenPrompt, match="No such file"):
        Prompts(str(tmp_path / "gone"))
    with pytest.raises(BrokenPrompt, match="no template is there"):
        Prompts(str(tmp_path))
    (tmp_path / "discovery.md.j2").write_bytes(b"\xff\xfe")
    with pytest.raises(BrokenPrompt, match="decode"):
        Prompts(str(tmp_path))
