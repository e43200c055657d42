"""`ao queue add`."""

from __future__ import annotations

import click

from agentops.cli.door import here
from agentops.cli.voice import standard_out

_KINDS = ("task", "bug", "feature", "improvement", "tech-debt", "pattern-fix", "process-improvement", "docs", "chore")


@click.command()
@click.argument("title")
@click.option("--severity", type=click.Choice(["high", "medium", "low"]), default="medium", show_default=True, help="How urgent.")
@click.option("--type", "kind", type=click.Choice(_KINDS), default="task", show_default=True, help="What kind of work.")
@click.option("--description", default="", metavar="TEXT", help="What is to be done.")
@click.option("--evidence", default="", metavar="TEXT", help="Why it is to be done.")
@click.option("--check", default="", metavar="COMMAND", help="A command that passes when it is done.")
@click.option("--fix", default="", metavar="COMMAND", help="A command that does it, without an agent.")
@click.option("--file", "files", multiple=True, metavar="PATH", help="A file that it is about; several times.")
@click.option("--source-epic", default="ao-queue", show_default=True, metavar="NAME", help="Where it comes from.")
@click.option("--repo", metavar="NAME", help="For which repository; default this one, '*' for every one.")
@click.option("--json", "as_json", is_flag=True, help="Print the new item as JSON.")
def command(
    title: str,
    severity: str,
    kind: str,
    description: str,
    evidence: str,
    check: str,
    fix: str,
    files: tuple[str, ...],
    source_epic: str,
    repo: str | None,
    as_json: bool,
) -> None:
    """Put work into the queue. A running session sees it before its next cycle."""
    if not title.strip():
        raise click.UsageError("an item needs a title")
    from agentops.app.queue_desk import open_desk
    from agentops.views import queue as view

    item: dict[str, object] = {
        "title": title.strip(),
        "type": kind,
        "severity": severity,
        "source": "backlog-processing",
        "description": description or title.strip(),
    }
    more = {"evidence": evidence, "check": check, "fix": fix, "target_files": list(files), "target_repo": repo}
    item.update({name: value for name, value in more.items() if value})
    desk = open_desk(here())
    added = desk.find(desk.add(item, source_epic))
    if as_json:
        standard_out().write(view.item_json(added))
    else:
        standard_out().line(f"{added.ref} {added.title}")
