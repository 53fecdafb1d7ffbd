"""Every verb of the command line with its own help."""

from __future__ import annotations

import io

from rich.console import Console

from palio.app.cli import app
from palio.app.verbs import GROUPS, VERBS

__all__ = ["commands", "table", "verbs"]


def verbs() -> tuple[str, ...]:
    """Return the verbs, as `palio --help` lists them.

    >>> "order" in verbs()
    True
    """
    return tuple(sorted(VERBS))


def table() -> str:
    """Return a table of what a person wants, and the verbs that do it."""
    rows = (
        f"| {want} | {', '.join(f'`{name}`' for names in modules.values() for name in names)} |"
        for want, modules in GROUPS.items()
    )
    return "\n".join(("| to | verbs |", "|---|---|", *rows))


def commands() -> str:
    """Return a section for every verb: what `palio VERB --help` prints."""
    return "\n\n".join(f"### palio {verb}\n\n```text\n{_help(verb)}\n```" for verb in verbs())


def _help(verb: str) -> str:
    page = io.StringIO()
    app.help_print([verb], console=Console(file=page, width=80, no_color=True))
    return "\n".join(line.rstrip() for line in page.getvalue().rstrip().splitlines())
