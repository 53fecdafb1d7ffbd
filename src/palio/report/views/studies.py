"""Published tables beside recomputed ones."""

from __future__ import annotations

from palio.report.blocks import Block, Column, Items, Paragraph, Table, Title
from palio.report.numbers import percent
from palio.report.views.common import Summary, notes

__all__ = ["reproduction"]


def reproduction(summary: Summary) -> list[Block]:
    """Lay out how many cells agree, and those that do not."""
    table = Table(
        (Column("table"), Column("what"), Column("agree", numeric=True), Column("share", True)),
        tuple(
            (
                check["table"],
                check["title"],
                f"{check['agree']}/{check['cells']}",
                percent(check["agree"], check["cells"]),
            )
            for check in summary["checks"]
        ),
    )
    differing = tuple(
        (
            check["table"],
            f"{d['cell']}: published {_cell(d['published'])}, recomputed "
            f"{_cell(d['recomputed'])} ({d['reason']})",
        )
        for check in summary["checks"]
        for d in check["differences"]
    )
    return [
        Title(f"{summary['study']}: {summary['agree']} of {summary['cells']} cells agree"),
        Paragraph(summary["reference"]),
        table,
        # One table alone is shown whole.
        *(_side_by_side(check) for check in summary["checks"] if len(summary["checks"]) == 1),
        Items("Cells that differ", differing),
        notes(summary),
    ]


def _side_by_side(check: Summary) -> Table:
    """Lay a published table out again, each cell as published|recomputed."""
    cells = {
        # A table of one column has cells with one key.
        tuple(value["cell"])
        if len(value["cell"]) == 2
        else (value["cell"][0], ""): f"{_cell(value['published'])}|{_cell(value['recomputed'])}"
        for value in check["values"]
    }
    rows = dict.fromkeys(row for row, _ in cells)
    columns = dict.fromkeys(column for _, column in cells)
    return Table(
        (Column(""), *(Column(name, numeric=True) for name in columns)),
        tuple((row, *(cells.get((row, column), "") for column in columns)) for row in rows),
    )


def _cell(value: float | str) -> str:
    return value if isinstance(value, str) else f"{value:.6g}"
