"""Leaderboards: the columns that every board has, boards apart, steps that are real, a focus."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import TYPE_CHECKING, TypeVar

from palio.measures import cost_named
from palio.numbers import cost, margin, number, rank, span
from palio.report.blocks import Block, Column, Paragraph, Table
from palio.report.views.common import TOP, mean_said, shortened, whole
from palio.words import Worded, count, some_of, strung

if TYPE_CHECKING:
    from palio.comparison.board import BoardRow, Focus
    from palio.comparison.results import Comparison
    from palio.measures import Measure
    from palio.ordering.rankings import RankingRow

# With more groups a row has more letters than one can compare.
_GROUPS_SHOWN = 8

# With more letters than this for an algorithm there are none.
_MAX_LETTERS_SHOWN = 16

# So many boards are shown one after the other; the rest are counted.
_BOARDS_SHOWN = 5


Row = TypeVar("Row", bound="BoardRow | RankingRow")
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
    heading = f"mean {measure.mean_of}"
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
            measure.has_means and all(column.name != mean for column, _ in by),
            (heading, lambda row: mean_said(row.mean_score, imputed=row.algorithm in marked)),
            *(
                [("±", lambda row: margin(row.interval))]
                if any(math.isfinite(row.interval[0]) for row in rows)
                else []
            ),
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


def _cost(name: str) -> Callable[[BoardRow | RankingRow], str]:
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


def boards(
    parts: Sequence[Sequence[Row]],
    columns: Sequence[Cell[Row]],
    asked: int | None,
    *,
    title: str = "",
    rest: str = TOP,
) -> list[Block]:
    """Show a board for each part of two or more that no data set joins to another, best first.

    Of a long board the first rows are shown, or as many as were asked for.
    """
    together = [part for part in parts if len(part) > 1]
    several = f"{title}: board {{}}" if title else "Board {}"
    titles = [several.format(i + 1) for i in range(len(together))] if len(together) > 1 else [title]
    return [
        *(
            block
            for part, heading in zip(together[:_BOARDS_SHOWN], titles, strict=False)
            for block in shortened(Table.of_rows(part, *columns, title=heading), asked, rest=rest)
        ),
        *map(Paragraph, about_parts(parts)),
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
    columns = comparison_columns(result, letters=few_letters(result))
    if result.rank_sets is None:
        # Otherwise the first rank left open says it.
        at = next(i for i, (column, _) in enumerate(columns) if column.name == "beats")
        beaten = (Column("beaten by", numeric=True), lambda row: str(row.beaten_by))
        columns.insert(at + 1, beaten)
    rows = {row.algorithm: row for row in result.board}
    parts = [[rows[name] for name in part] for part in result.components]
    return boards(parts, columns, result.shown, rest=whole(result.shown))


def short_board(result: Comparison) -> Table:
    """Show the algorithms of a comparison, best first, without places, intervals and costs."""
    longest = max((len(row.group) for row in result.board), default=0)
    told = result.control is None and 0 < longest <= _MAX_LETTERS_SHOWN
    columns = {each[0].name: each for each in comparison_columns(result, letters=told)}
    if result.control is not None:
        columns["differs"] = Column("differs"), lambda row: _from_control(result, row.algorithm)
    mean = f"mean {result.mean_of}"
    names = ("algorithm", "mean rank", "ranks", mean, "group", "differs", "missing", "imputed")
    return Table.of_rows(result.board, *(columns[name] for name in names if name in columns))


def _from_control(result: Comparison, name: str) -> str:
    return "control" if name == result.control else "yes" if name in result.differing else "no"


def comparison_columns(
    result: Comparison, by: Sequence[Cell[BoardRow]] = (), *, letters: bool
) -> list[Cell[BoardRow]]:
    """Return the columns of a comparison's board; ``by`` are those of another order besides.

    Places go by mean ranks; on folds and over items by the mean score, which every board has.
    """
    cell: Cell[BoardRow] = Column("mean rank", numeric=True), lambda row: rank(row.mean_rank)
    by = [cell, *by] if result.over == "datasets" else by
    return board_columns(result.board, result.measure, by, letters=letters, imputed=result.imputed)


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
    if result.focus is None:
        return []
    row, items = result.focus.row, result.over == "items"
    by = f"mean rank {rank(row.mean_rank)}"
    if items:
        by = f"mean {result.measure.name} {number(row.mean_score)}"
    part = next(part for part in result.components if row.algorithm in part)
    stands = f"{row.place} of {len(part)}, {by}{open_ranks(row.ranks)}"
    return focus_lines(result.focus, stands, drawn="items" if items else "data sets")


def open_ranks(ranks: tuple[int, int] | None) -> str:
    """Say which ranks are left open, where that is told."""
    return "" if ranks is None else f"; the pairs leave open the ranks {span(*ranks)}"
