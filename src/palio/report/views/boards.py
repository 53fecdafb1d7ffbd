"""Leaderboards: the columns that every board has, boards apart, steps that are real, a focus."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol, TypeVar

from palio.comparison.board import by_part
from palio.measures import cost_named
from palio.numbers import cost, margin, number, rank, span
from palio.report.blocks import Block, Column, Paragraph, Table
from palio.report.views.common import mean_said, rows_shown
from palio.words import Worded, count, some_of, strung

if TYPE_CHECKING:
    from palio.comparison.board import BoardRow, Focus
    from palio.comparison.results import Comparison
    from palio.measures import Measure

# With more groups a row has more letters than one can compare.
_GROUPS_SHOWN = 8

# So many boards are shown one after the other; the rest are counted.
_BOARDS_SHOWN = 5


class _Ranked(Protocol):
    """What a row of any board has."""

    @property
    def place(self) -> int: ...
    @property
    def algorithm(self) -> str: ...
    @property
    def ranks(self) -> tuple[int, int] | None: ...
    @property
    def mean_score(self) -> float: ...
    @property
    def interval(self) -> tuple[float, float]: ...
    @property
    def group(self) -> str: ...
    @property
    def beats(self) -> int | None: ...
    @property
    def missing(self) -> int: ...
    @property
    def costs(self) -> Mapping[str, float]: ...


Row = TypeVar("Row", bound=_Ranked)
Cell = tuple[Column, Callable[[Row], str]]


def board_columns(
    rows: Sequence[Row],
    measure: Measure,
    by: Sequence[Cell[Row]],
    *,
    letters: bool,
    imputed: Collection[str] | None,
) -> list[Cell[Row]]:
    """Return the columns of a board; ``by`` are those of what the places go by.

    Of those whose scores are in part ``imputed`` the mean is marked.
    A column that says nothing of anybody is left out.
    """
    mean, marked = f"mean {measure.name}", imputed or ()
    heading = f"{mean} ratio" if measure.scale == "ratio" else mean
    costs = dict.fromkeys(name for row in rows for name in row.costs)
    return [
        (Column("place", numeric=True), lambda row: str(row.place)),
        (Column("algorithm"), lambda row: row.algorithm),
        *_if(
            any(row.ranks for row in rows),
            ("ranks", lambda row: span(*row.ranks) if row.ranks else ""),
        ),
        *by,
        *_if(
            not measure.is_ordinal and all(column.name != mean for column, _ in by),
            (heading, lambda row: mean_said(row.mean_score, imputed=row.algorithm in marked)),
            *([("±", _margin)] if any(math.isfinite(row.interval[0]) for row in rows) else []),
        ),
        *(((Column("group"), lambda row: row.group),) if letters else ()),
        *_if(
            any(row.beats is not None for row in rows),
            ("beats", lambda row: "" if row.beats is None else str(row.beats)),
        ),
        *((Column(f"mean {name}", numeric=True), _cost(name)) for name in costs),
        *_if(
            any(row.missing for row in rows),
            ("imputed" if marked else "missing", lambda row: str(row.missing)),
        ),
    ]


def _if(told: object, *columns: tuple[str, Callable[[Row], str]]) -> list[Cell[Row]]:
    return [(Column(name, numeric=True), cell) for name, cell in columns] if told else []


def _margin(row: _Ranked) -> str:
    return margin(row.interval)


def _cost(name: str) -> Callable[[_Ranked], str]:
    unit = cost_named(name).unit
    return lambda row: cost(row.costs.get(name), unit)


def few_letters(judged: Comparison | None) -> bool:
    """Whether groups are told by letters, and so few that one can compare them."""
    return (
        judged is not None
        and judged.control is None
        and judged.least_p is None
        and 0 < len(judged.groups) <= _GROUPS_SHOWN
    )


def laid_out(rows: Sequence[Row], columns: Sequence[Cell[Row]], title: str = "") -> Table:
    """Return the rows as a table."""
    return Table(
        tuple(column for column, _ in columns),
        tuple(tuple(cell(row) for _, cell in columns) for row in rows),
        title=title,
    )


def boards(
    parts: Sequence[Sequence[Row]],
    columns: Sequence[Cell[Row]],
    asked: int | None,
    *,
    title: str = "",
    rest: str = Worded("; --top N shows more, --focus NAME one of them"),
) -> list[Block]:
    """Show a board for each part that no data set joins to another, best first.

    Of a long board the first rows are shown, or as many as were asked for.
    """
    found: list[Block] = []
    for table, whole in zip(board_tables(parts, columns, title, asked), parts, strict=False):
        found.append(table)
        if len(table.rows) < len(whole):
            of = f"The first {len(table.rows)} of {len(whole)} algorithms"
            found.append(Paragraph(strung([of, rest, "."])))
    return [*found, *map(Paragraph, about_parts(parts))]


def board_tables(
    parts: Sequence[Sequence[Row]],
    columns: Sequence[Cell[Row]],
    title: str = "",
    asked: int | None = None,
) -> list[Table]:
    """Return a table for each part of two or more; so many rows as a person is shown."""
    together = [part for part in parts if len(part) > 1]
    several = f"{title}: board {{}}" if title else "Board {}"
    return [
        laid_out(
            part[: rows_shown(len(part), asked)],
            columns,
            several.format(number_) if len(together) > 1 else title,
        )
        for number_, part in enumerate(together[:_BOARDS_SHOWN], start=1)
    ]


def about_parts(parts: Sequence[Sequence[Row]]) -> Iterator[str]:
    """Say which boards are not shown, and who is on none; the verdict says that parts are apart."""
    if len(parts) < 2:
        return
    unseen = sum(len(part) > 1 for part in parts) - _BOARDS_SHOWN
    if unseen > 0:
        yield strung([f"{count(unseen, 'more board')}", Worded(": --json has them"), "."])
    alone = [part[0].algorithm for part in parts if len(part) == 1]
    if alone:
        yield f"{count(len(alone), 'algorithm')} met no other: {some_of(alone)}."


def steps_said(comparison: Comparison, order: Sequence[str] | None = None) -> str:
    """Say how many steps from place to place are real, down the board or another order."""
    real, steps = comparison.steps(order)
    said = f"{real} of {steps} steps down the board {_is(real)} significant"
    if steps == 1:
        said = f"The one step down the board is {'' if real else 'not '}significant"
    never = len(comparison.algorithms) - len(comparison.components) - steps
    if never > 0:
        return f"{said}; {count(never, 'more step')} {_is(never)} between two that never met."
    return f"{said}."


def _is(n: int) -> str:
    return "is" if n == 1 else "are"


# --- the board of a comparison --------------------------------------------------------------------


def comparison_board(result: Comparison) -> list[Block]:
    """Show the algorithms of a comparison as a leaderboard, best first."""
    rows = result.board
    columns = board_columns(
        rows,
        result.measure,
        standing(result),
        letters=few_letters(result),
        imputed=result.imputed,
    )
    if result.rank_sets is None:
        # Otherwise the first rank left open says it.
        at = next(i for i, (column, _) in enumerate(columns) if column.name == "beats")
        beaten = (Column("beaten by", numeric=True), lambda row: str(row.beaten_by))
        columns.insert(at + 1, beaten)
    return boards(by_part(rows, result.components), columns, result.shown)


def standing(result: Comparison) -> list[Cell[BoardRow]]:
    """Return the column of what the places go by: mean ranks.

    On folds and over items it is the mean score, which every board has.
    """
    if result.over != "datasets":
        return []
    return [(Column("mean rank", numeric=True), lambda row: rank(row.mean_rank))]


def focus_lines(focus: Focus | None, stands: str, *, drawn: str = "data sets") -> list[Block]:
    """Say where the one in focus stands, who is the same, and what it would take."""
    if focus is None:
        return []
    lines = [
        f"{focus.row.algorithm} stands at {stands}.",
        f"Significantly better than it: {_some(focus.better)}. Not told from it: "
        f"{_some(focus.same)}. Significantly worse: {_some(focus.worse)}.",
    ]
    if focus.above is not None and focus.needed is not None:
        lines.append(
            f"To be told from {focus.above}, the next one up, about {focus.needed} {drawn} like "
            f"these would be needed; there are {focus.shared}."
        )
    return [Paragraph(line) for line in lines]


def _some(names: Sequence[str]) -> str:
    return some_of(names) if names else "nobody"


def comparison_focus(result: Comparison) -> list[Block]:
    """Say where the one in focus of a comparison stands."""
    focus = result.focus
    if focus is None:
        return []
    row = focus.row
    if result.over == "items":
        by = f"mean {result.measure.name} {number(row.mean_score)}"
    else:
        by = f"mean rank {rank(row.mean_rank)}"
    part = next(part for part in result.components if row.algorithm in part)
    stands = f"{row.place} of {len(part)}, {by}{open_ranks(row.ranks)}"
    return focus_lines(focus, stands, drawn="items" if result.over == "items" else "data sets")


def open_ranks(ranks: tuple[int, int] | None) -> str:
    """Say which ranks are left open, where that is told."""
    return "" if ranks is None else f"; the pairs leave open the ranks {span(*ranks)}"
