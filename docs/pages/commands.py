"""Every verb of the command line with its own help."""

from __future__ import annotations

import io

from cyclopts import App
from rich.console import Console

from palio.app.cli import app, without_verb
from palio.app.verbs import GROUPS, VERBS

__all__ = ["commands", "table", "verbs"]


def verbs() -> tuple[str, ...]:
    """Return the verbs, as `palio --help` lists them.

    >>> "order" in verbs()
    True
    """
    return tuple(VERBS)


def table() -> str:
    """Return a table of what a person wants, and the verbs that do it."""
    rows = (
        f"| {want} | {', '.join(f'`{name}`' for names in modules.values() for name in names)} |"
        for want, modules in GROUPS.items()
    )
    return "\n".join(("| to | verbs |", "|---|---|", *rows))


def commands() -> str:
    """Return a section for every verb, and one for none: what `palio VERB --help` prints."""
    pages = {"results.csv": _help(without_verb()), **{verb: _help(app, verb) for verb in verbs()}}
    return "\n\n".join(f"### palio {each}\n\n```text\n{page}\n```" for each, page in pages.items())


def _help(application: App, *verb: str) -> str:
    page = io.StringIO()
    application.help_print(verb, console=Console(file=page, width=80, no_color=True))
    return "\n".join(line.rstrip() for line in page.getvalue().rstrip().splitlines())
