"""Published tables beside recomputed ones."""

from __future__ import annotations

import csv
import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib.resources import as_file, files
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from palio.errors import UnreadableError
from palio.registry import unknown_name
from palio.results import Result
from palio.scores import ScoreTable, read_scores

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import ArrayLike

Cell = tuple[str, ...]
Cells = Mapping[Cell, float | str]
Explain = Callable[[Cell], str]

UNEXPLAINED = "unexplained"


def unexplained(_cell: Cell) -> str:
    """Admit that nobody knows why a cell differs."""
    return UNEXPLAINED


@dataclass(frozen=True)
class Difference:
    """A cell that does not come out as published, and why."""

    parts = ("cell", "published", "recomputed", "reason")

    key: Cell
    published: float | str
    recomputed: float | str
    reason: str

    @property
    def cell(self) -> str:
        """Where it stands, in words."""
        return ", ".join(self.key)


class Beside(NamedTuple):
    """A published cell beside the recomputed one."""

    cell: Cell
    published: float | str
    recomputed: float | str


class Laid(NamedTuple):
    """A cell of a table that has nothing published to stand beside."""

    cell: Cell
    value: float | str


@dataclass(frozen=True)
class Check:
    """One published table, cell by cell.

    ``words`` say what stands beside what: "expected" and "observed" where the truth is known
    because it was simulated.
    """

    parts = ("table", "title", "cells", "agree", "words", "differences", "values")

    table: str
    title: str
    cells: int
    differences: tuple[Difference, ...]
    published: Cells = field(repr=False)
    recomputed: Cells = field(repr=False)
    words: tuple[str, str] = ("published", "recomputed")

    @property
    def agree(self) -> int:
        """How many cells agree."""
        return self.cells - len(self.differences)

    @property
    def values(self) -> tuple[Beside, ...]:
        """Every cell, published and recomputed."""
        return tuple(
            Beside(cell, value, self.recomputed[cell]) for cell, value in self.published.items()
        )


@dataclass(frozen=True)
class Layout:
    """A table laid out as the study has it, from other data: nothing published to compare with."""

    parts: ClassVar[tuple[str, ...]] = ("table", "title", "values")

    table: str
    title: str
    recomputed: Cells = field(repr=False)

    @property
    def values(self) -> tuple[Laid, ...]:
        """Every cell."""
        return tuple(Laid(cell, value) for cell, value in self.recomputed.items())


@dataclass(frozen=True)
class CellGrid(Layout, Result):
    """Such a table of numbers, by row and column, to be drawn."""

    kind = "cell-grid"
    parts = (*Layout.parts, "caption")

    caption: str
    columns_title: str = ""

    def _frame(self) -> Any:
        return [{"row": cell[0], "column": cell[1], "value": v} for cell, v in self.values]


@dataclass(frozen=True)
class Drawing:
    """A figure of the study, from recomputed numbers.

    Parameters
    ----------
    number
        As the study has it, such as ``"Figure 3"``; no other drawing of the study has the same.
    title
        What it shows.
    figure
        Which kind of figure draws it, a name in `palio.report.figures.FIGURES`.
    summary
        What it is drawn from.
    options
        Of the figure.
    """

    number: str
    title: str
    figure: str
    summary: Result = field(repr=False)
    options: Mapping[str, Any] = field(default_factory=dict, repr=False)


def check_cells(
    table: str,
    title: str,
    published: Cells,
    recomputed: Cells,
    *,
    tolerance: float = 0.0,
    tolerances: Mapping[Cell, float] | None = None,
    explain: Explain = unexplained,
    words: tuple[str, str] = ("published", "recomputed"),
) -> Check:
    """Compare cell by cell; numbers agree within ``tolerance``, which is half the last digit.

    ``tolerances`` has the cells that were printed with other digits than the rest.

    >>> check_cells("1", "ranks", {("a",): 3.66}, {("a",): 3.6579}, tolerance=0.005).agree
    1
    """
    differences = tuple(
        Difference(cell, value, recomputed[cell], explain(cell))
        for cell, value in published.items()
        if not _agree(value, recomputed[cell], (tolerances or {}).get(cell, tolerance))
    )
    return Check(table, title, len(published), differences, published, recomputed, words)


def check_pairs(
    table: str, title: str, pairs: Mapping[Cell, tuple[float | str, float | str]], **options: Any
) -> Check:
    """Compare cells that are given with both values, published and recomputed, as `check_cells`.

    >>> check_pairs("1", "ranks", {("a",): (3.66, 3.6579)}, tolerance=0.005).agree
    1
    """
    published, recomputed = (
        {cell: values[side] for cell, values in pairs.items()} for side in (0, 1)
    )
    return check_cells(table, title, published, recomputed, **options)


def cells_of(rows: Iterable[str], columns: Sequence[str], values: ArrayLike) -> dict[Cell, float]:
    """Name the cells of a matrix.

    >>> cells_of(["iris"], ["tree", "knn"], [[1.0, 2.0]])
    {('iris', 'tree'): 1.0, ('iris', 'knn'): 2.0}
    """
    return {
        (row, column): float(value)
        for row, each in zip(rows, np.asarray(values).tolist(), strict=True)
        for column, value in zip(columns, each, strict=True)
    }


def places_of(*orders: Sequence[str]) -> tuple[dict[Cell, str], ...]:
    """Name the places of orders, the published one and the recomputed one.

    >>> places_of("ba")
    ({('1',): 'b', ('2',): 'a'},)
    """
    return tuple({(str(i),): name for i, name in enumerate(each, start=1)} for each in orders)


def yes(answer: object) -> str:
    """Write an answer as a cell has it."""
    return "yes" if answer else "no"


def _agree(published: float | str, recomputed: float | str, tolerance: float) -> bool:
    if isinstance(published, str) or isinstance(recomputed, str):
        return published == recomputed
    # A little over half the last digit: 0.125 may have been printed as 0.12 or 0.13.
    return abs(published - recomputed) <= tolerance * (1 + 1e-9)


def read_rows(study: str, table: str) -> list[dict[str, str]]:
    """Read a table that is shipped with the package, a dictionary for each row."""
    with (files("palio.studies") / "data" / study / f"{table}.csv").open(encoding="utf-8") as lines:
        return list(csv.DictReader(lines))


def read_shipped(study: str, table: str, **options: Any) -> ScoreTable:
    """Read scores that are shipped with the package."""
    with as_file(files("palio.studies") / "data" / study / f"{table}.csv") as path:
        return read_scores(path, **options)


def read_published(study: str, table: str) -> dict[Cell, float]:
    """Read a published table that is shipped with the package: (row, column) → number."""
    rows = read_rows(study, table)
    key = next(iter(rows[0]))
    return {
        (row[key], column): float(value)
        for row in rows
        for column, value in row.items()
        if column != key
    }


def _made(folder: str | os.PathLike[str]) -> Path:
    """Make a folder, if it is not there."""
    path = Path(folder)
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UnreadableError(
            "folder", f"'{path}' cannot be made ({error.strerror})", remedy="give another"
        ) from error
    return path


@dataclass(frozen=True, repr=False)
class Reproduction(Result):
    """A study's published tables, recomputed from its published data.

    It is what :func:`palio.reproduce` returns.

    Attributes
    ----------
    study, reference
        Its short name, and the work itself.
    checks
        Each published table, cell by cell: what agrees, what differs, and why.
    layouts
        Tables laid out as the study has them, from other data.
    drawings
        Its figures, from recomputed numbers.
    notes
        What had to be settled.

    Examples
    --------
    >>> import palio
    >>> found = palio.reproduce("ulas2008")
    >>> found
    <Reproduction of ulas2008: 1946 of 1956 cells agree>
    >>> check = found.checks[0]
    >>> check.table, check.agree, check.cells
    ('3.1', 56, 56)
    """

    kind = "reproduction"
    parts = (
        "study", "reference", "cells", "agree", "checks", "layouts", "drawings", "notes",
    )  # fmt: skip

    study: str
    reference: str
    checks: tuple[Check, ...]
    notes: tuple[str, ...] = ()
    layouts: tuple[Layout, ...] = ()
    drawings: tuple[Drawing, ...] = ()

    @property
    def cells(self) -> int:
        """How many cells were compared."""
        return sum(check.cells for check in self.checks)

    @property
    def agree(self) -> int:
        """How many of them agree."""
        return sum(check.agree for check in self.checks)

    def only(self, table: str) -> Reproduction:
        """Return the reproduction of one table or figure, with its parts: 4.2 has 4.2(a)."""
        known = dict.fromkeys(
            (
                *(check.table for check in self.checks),
                *(layout.table for layout in self.layouts),
                *(drawing.number for drawing in self.drawings),
            )
        )
        wanted = {name for name in known if f"{name} ".startswith((f"{table} ", f"{table}("))}
        if not wanted:
            raise unknown_name("table", table, known)
        return replace(
            self,
            checks=tuple(check for check in self.checks if check.table in wanted),
            layouts=tuple(layout for layout in self.layouts if layout.table in wanted),
            drawings=tuple(drawing for drawing in self.drawings if drawing.number in wanted),
        )

    def draw(self, folder: str | os.PathLike[str]) -> list[Path]:
        """Write the study's figures into a folder, each as SVG and as PNG.

        Parameters
        ----------
        folder
            It is made if it is not there. Files are called after the study and the figure.

        Returns
        -------
        list of pathlib.Path
            What was written; nothing if the study has no drawings.
        """
        from palio.report.figures import draw, save

        written = []
        for drawing in self.drawings:
            figure = draw(drawing.summary, drawing.figure, **drawing.options)
            name = f"{self.study}-{re.sub('[ ()]+', '-', drawing.number.lower()).strip('-')}"
            written += [save(figure, _made(folder) / f"{name}.{end}") for end in ("svg", "png")]
        return written

    def __repr__(self) -> str:
        return f"<Reproduction of {self.study}: {self.agree} of {self.cells} cells agree>"

    def to_frame(self) -> pd.DataFrame:
        """Return every cell, published and recomputed side by side."""
        import pandas as pd

        return pd.DataFrame(
            [
                {"table": check.table, **each._asdict(), "cell": ", ".join(each.cell)}
                for check in self.checks
                for each in check.values
            ]
        )
