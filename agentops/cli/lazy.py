"""A group of commands known by a table; a command's module is imported when that command runs, not before."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module

import click


class LazyGroup(click.Group):
    """A group whose help comes from a table, so that `ao --help` imports no command. `aliases`: short names, not listed.

    A command without a line in the table is for scripts, and not listed either.
    """

    def __init__(
        self,
        name: str,
        table: dict[str, tuple[str, str]],
        help: str,  # noqa: A002 - click's word
        aliases: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(name, help=help, no_args_is_help=False, context_settings={"help_option_names": ["-h", "--help"]})
        self.table = table
        self.aliases = dict(aliases or {})

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The table's order: what one needs first stands first."""
        return [name for name, (_, line) in self.table.items() if line]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the module behind the name."""
        if cmd_name not in self.table:
            return None
        command = import_module(self.table[cmd_name][0]).command
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The list in `--help`, from the table alone."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, (_, line) in self.table.items() if line])

    def resolve_command(self, ctx: click.Context, args: list[str]) -> tuple[str | None, click.Command | None, list[str]]:
        """As click does, but an unknown name is answered with the nearest one."""
        name = self.aliases.get(args[0], args[0])
        if name not in self.table and not name.startswith("-"):
            import difflib

            near = difflib.get_close_matches(name, self.list_commands(ctx), 1, 0.5)
            hint = f" (did you mean {ctx.command_path} {near[0]}?)" if near else ""
            raise click.UsageError(f"there is no command {ctx.command_path} {name}{hint}", ctx)
        return super().resolve_command(ctx, [name, *args[1:]])

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Half a command line gets the help, and exit 2."""
        if not args and not ctx.resilient_parsing:
            click.echo(ctx.get_help())
            ctx.exit(2)
        return super().parse_args(ctx, args)
