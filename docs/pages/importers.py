"""The importers, a line each, from their registry."""

from __future__ import annotations

from palio.scores.importers import IMPORTERS


def importers() -> str:
    """Write the table of importers: the prefix, and whose files it reads."""
    rows = [f"| `{each.name}:` | {each.told} |" for each in IMPORTERS.values()]
    return "\n".join(["| prefix | files of |", "|---|---|", *rows])
