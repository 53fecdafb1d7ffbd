"""Leaderboards: the columns that every board has, boards apart, steps that are real, a focus."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

from palio.measures import cost_named
from palio.numbers import cost, limit, margin, number, rank, span
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


class BoardColumn(NamedTuple, Generic[Row]):
    """A column of a board: what it says of a row, what that means, and by what rows are sorted."""

    column: Column
    cell: Callable[[Row], str]
    about: str = ""
    value: Callable[[Row], Any] = lambda _row: None
    is_drawn: bool = False

    @property
    def name(self) -> str:
        """Its heading."""
        return self.column.name


def board_column(
    name: str,
    value: Callable[[Row], Any],
    said: Callable[[Any], str] = str,
    about: str = "",
    *,
    numeric: bool = True,
) -> BoardColumn[Row]:
    """Make a column of values and of how one is written; where there is none its cell is empty."""

    def cell(row: Row) -> str:
        found = value(row)
        return "" if found is None else said(found)

    return BoardColumn(Column(name, numeric=numeric), cell, about, value)


def board_columns(
    rows: Sequence[Row],
    measure: Measure,
    by: Sequence[BoardColumn[Row]],
    *,
    letters: bool,
    imputed: Collection[str] | None,
    about_mean: str = "",
) -> list[BoardColumn[Row]]:
    """Return the columns of a board; ``by`` are those of what the places go by.

    Of those whose scores are in part ``imputed`` the mean is marked.
    A column that says nothing of anybody is left out.
    """
    marked = imputed or ()
    open_ranks = "those that the significant pairs leave open, all at once"
    letter = "two without a common letter differ significantly"
    lacks = "on how many data sets it has no score of its own"
    columns: list[BoardColumn[Row]] = [
        board_column("place", lambda row: row.place, about="in the order"),
        board_column("algorithm", lambda row: row.algorithm, about="by name", numeric=False),
        board_column("ranks", lambda row: row.ranks, lambda ranks: span(*ranks), open_ranks),
        *by,
    ]
    if measure.has_means and all(each.name != f"mean {measure.name}" for each in by):
        mean = BoardColumn[Row](
            Column(f"mean {measure.mean_of}", numeric=True),
            lambda row: mean_said(row.mean_score, imputed=row.algorithm in marked),
            about_mean,
            lambda row: row.mean_score,
        )
        columns.append(mean)
        if any(math.isfinite(row.interval[0]) for row in rows):
            columns.append(BoardColumn(Column("±", numeric=True), lambda row: margin(row.interval)))
    if letters:
        columns.append(board_column("group", lambda row: row.group, about=letter, numeric=False))
    columns.append(board_column("beats", lambda row: row.beats, about=_BEATS))
    columns += map(_mean_cost, dict.fromkeys(name for row in rows for name in row.costs))
    if any(row.missing for row in rows):
        name = "imputed" if marked else "missing"
        columns.append(board_column(name, lambda row: row.missing, about=lacks))
    return [each for each in columns if any(map(each.cell, rows))]


_BEATS = "how many it is significantly better than"


def _mean_cost(name: str) -> BoardColumn[Any]:
    unit, about = cost_named(name).unit, "the geometric mean over the data sets"
    return board_column(
        f"mean {name}", lambda row: row.costs.get(name), lambda x: cost(x, unit), about
    )


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
    columns: Sequence[BoardColumn[Row]],
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
            for block in shortened(board_table(part, columns, heading), asked, rest=rest)
        ),
        *map(Paragraph, about_parts(parts)),
    ]


def board_table(rows: Sequence[Row], columns: Iterable[BoardColumn[Row]], title: str = "") -> Table:
    """Lay rows of a board out as text."""
    shown = list(columns)
    cells = tuple(tuple(each.cell(row) for each in shown) for row in rows)
    return Table(tuple(each.column for each in shown), cells, title)


def parts_of(rows: Iterable[Row], components: Sequence[Sequence[str]]) -> list[list[Row]]:
    """Return the rows, which stand part after part, of each part."""
    left = iter(rows)
    return [list(itertools.islice(left, len(part))) for part in components]


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
        at = [each.name for each in columns].index("beats")
        columns.insert(at + 1, board_column("beaten by", lambda row: row.beaten_by))
    parts = parts_of(result.board, result.components)
    return boards(parts, columns, result.shown, rest=whole(result.shown))


def short_board(result: Comparison) -> Table:
    """Show the algorithms of a comparison, best first, without places, intervals and costs."""
    longest = max((len(row.group) for row in result.board), default=0)
    told = result.control is None and 0 < longest <= _MAX_LETTERS_SHOWN
    columns = {each.name: each for each in comparison_columns(result, letters=told)}
    if result.control is not None:
        differs = {name: "yes" if name in result.differing else "no" for name in result.algorithms}
        differs[result.control] = "control"
        columns["differs"] = board_column(
            "differs", lambda row: differs[row.algorithm], numeric=False
        )
    mean = f"mean {result.mean_of}"
    names = ("algorithm", "mean rank", "ranks", mean, "group", "differs", "missing", "imputed")
    return board_table(result.board, (columns[name] for name in names if name in columns))


def comparison_columns(
    result: Comparison, by: Sequence[BoardColumn[BoardRow]] = (), *, letters: bool
) -> list[BoardColumn[BoardRow]]:
    """Return the columns of a comparison's board; ``by`` are those of another order besides.

    Places go by mean ranks; on folds and over items by the mean score, which every board has.
    """
    measure, over = result.measure, "items" if result.over == "items" else "data sets"
    has_gaps = result.over == "datasets" and result.n_complete < result.n_datasets
    gaps = "; it allows for the data sets that each lacks, by least squares" if has_gaps else ""
    mean = measure.size_direction
    if any(math.isfinite(row.interval[0]) for row in result.board):
        mean += f", with the {limit(100 * (1 - result.alpha))} % interval of the mean over {over}"
    if measure.scale == "ratio":
        first = result.leading or result.by_standing[0]
        mean += f"; the geometric mean, as a ratio to that of {first}"
    if result.over == "datasets":
        about = f"the mean of its ranks over the data sets; 1 is best{gaps}"
        by = [board_column("mean rank", lambda row: row.mean_rank, rank, about), *by]
    return board_columns(
        result.board,
        measure,
        by,
        letters=letters,
        imputed=result.imputed,
        about_mean=f"{mean}{gaps}",
    )


def focus_lines(
    focus: Focus | None,
    parts: Sequence[Sequence[Row]],
    by: Callable[[Row], str] = lambda _row: "",
    *,
    drawn: str = "data sets",
) -> list[Block]:
    """Say where the one in focus stands, ``by`` what, who is the same, and what it would take."""
    if focus is None:
        return []
    name = focus.row.algorithm
    row, k = next((row, len(part)) for part in parts for row in part if row.algorithm == name)
    ranks = f"; the pairs leave open the ranks {span(*row.ranks)}" if row.ranks else ""
    lines = [
        f"{name} stands at {row.place} of {k}{by(row)}{ranks}.",
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

    def by(row: BoardRow) -> str:
        if result.over == "items":
            return f", {result.stands_by} {number(row.mean_score)}"
        return f", mean rank {rank(row.mean_rank)}"

    drawn = "items" if result.over == "items" else "data sets"
    return focus_lines(result.focus, parts_of(result.board, result.components), by, drawn=drawn)
