"""Whole reports, tables of scores, and published tables beside recomputed ones."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import TYPE_CHECKING, cast

from palio.claims import (
    Evidence,
    FirstByMean,
    Missing,
    OtherReading,
    Value,
)
from palio.numbers import as_printed, cost, percent, rank
from palio.ordering.methods import ORDERINGS
from palio.report.blocks import Block, Items, Paragraph, Table, Title
from palio.report.views.boards import (
    BoardColumn,
    board_column,
    boards,
    comparison_columns,
    few_letters,
    focus_lines,
    steps_said,
)
from palio.report.views.common import mark_said, notes, shortened, squares, verdict
from palio.report.views.orderings import ordering_table
from palio.words import count, listed

if TYPE_CHECKING:
    from palio.claims import Answer
    from palio.comparison.board import BoardRow
    from palio.comparison.results import Comparison
    from palio.report.analysis import Report
    from palio.report.overview import Overview
    from palio.scores.summary import Understood
    from palio.studies.concordance import Concordance, Element
    from palio.studies.reproduction import Check, Layout, Reproduction


def overview(result: Overview) -> list[Block]:
    """Lay the first answer about a table out: the verdict, the order, and what to ask next."""
    return [
        *first_screen(result.claims),
        *shortened(ordering_table(result.ordering), rest=""),  # `next` has the command
        *map(Paragraph, result.claims.texts(Evidence)),
        Items("Next", result.next, verbatim=True),
    ]


# Where the first screen would have more words, what matters less is left out.
_MAX_WORDS = 60


def first_screen(answer: Answer) -> list[Block]:
    """Lay out what a person must know first: three sentences at the most."""
    kinds = (Value, Missing, OtherReading, FirstByMean)
    more = [each for kind in kinds if (each := answer.of(kind)) is not None][:2]
    texts = [each.short if isinstance(each, Missing) else each.text for each in more]
    if len(" ".join([answer.headline, *texts]).split()) > _MAX_WORDS:
        del texts[1:]
    return [Title(answer.headline.removesuffix(".")), *map(Paragraph, texts)]


def report(result: Report) -> list[Block]:
    """Lay a report out: the answer, the order, and what it rests on."""
    return [
        *verdict(result.claims),
        *focus_said(result),
        *_order(result),
        Items.dashed("Chosen", result.choices),
        not_done(result),
        Items.dashed("References", (each.full for each in result.references)),
        notes(result),
    ]


def _order(result: Report) -> list[Block]:
    """Lay the order out as a leaderboard; without a comparison as it is."""
    title, top, rest = order_title(result), result.question.top, ": the page and --json have all"
    if not result.boards:
        return shortened(ordering_table(result.ordering, title), top, rest=rest)
    found = boards(result.boards, order_columns(result), top, title=title, rest=rest)
    return [*found, *mark_said(marked(result)), *map(Paragraph, steps_of(result))]


def marked(result: Report) -> Collection[str]:
    """Return the algorithms whose mean score is marked in the boards of a report."""
    found = result.comparison
    return () if found is None or found.measure.is_ordinal else found.imputed


def order_title(result: Report) -> str:
    """Say how the order was made."""
    return f"The order, by {ORDERINGS[result.ordering.method].title}"


def order_columns(result: Report) -> list[BoardColumn[BoardRow]]:
    """Return the columns of the boards of a report that has a comparison."""
    ordering, found = result.ordering, cast("Comparison", result.comparison)
    by: list[BoardColumn[BoardRow]] = []
    if ordering.mean_places and ordering.dataset is None:
        places, about = ordering.mean_places, "the mean of the places that MultiTest gives on each"
        by.append(
            board_column("mean place", lambda row: places[row.algorithm], rank, f"{about} data set")
        )
    columns = comparison_columns(found, by, letters=few_letters(found))
    if ordering.cost is not None and (ordering.method != "pairwise" or len(ordering.cost) > 1):
        costs, about = ordering.costs, f"what the order weighs: {', '.join(ordering.cost)}"
        at = [each.name for each in columns].index("beats") + 1
        columns.insert(at, board_column("cost", lambda row: costs[row.algorithm], cost, about))
    return columns


def steps_of(result: Report) -> list[str]:
    """Say how many steps down the order are real, where that is told."""
    found = result.comparison
    if found is None or found.control is not None:
        return []
    return [steps_said(found, [row.algorithm for part in result.boards for row in part])]


def focus_said(result: Report) -> list[Block]:
    """Say where the one in focus stands in the order, who is the same, and what it would take."""
    found = result.comparison
    if found is None:
        return []
    drawn = "items" if found.over == "items" else "data sets"
    return focus_lines(found.focus, result.boards, drawn=drawn)


def not_done(result: Report) -> Items:
    """List what the report does without."""
    return Items.dashed("Not done", (f"{each.part}: {each.why}" for each in result.not_done))


def reading(result: Understood) -> list[Block]:
    """Lay out what was understood of a table."""
    lacking = sorted(
        ((name, n) for name, n in result.missing.items() if n), key=lambda each: -each[1]
    )
    most = f"; most by {listed(f'{name} ({n})' for name, n in lacking)}" if lacking else ""
    facts = {
        "read as": result.source,
        "score": str(result.measure),
        "design": result.design,
        "missing": f"{result.n_missing} of {result.n_cells} scores{most}",
        "costs": ", ".join(result.costs),
        "items": _items(result),
        "algorithms": listed(result.algorithms, limit=10),
        "data sets": listed(result.datasets, limit=10),
    }
    return [
        Title(result.size),
        Items("Understood", tuple((f"{name}:", said) for name, said in facts.items() if said)),
        Items("Columns", tuple((f"{role}:", name) for role, name in result.roles.items())),
        notes(result),
    ]


def _items(result: Understood) -> str:
    if result.items is None:
        return ""
    clusters = "" if result.clusters is None else f" in {count(result.clusters, 'cluster')}"
    repeats = "" if result.repeats is None else f", repeated up to {result.repeats} times"
    return f"{result.items}{clusters}{repeats}"


def reproduction(result: Reproduction) -> list[Block]:
    """Lay out how many cells agree, and those that do not."""
    columns = {
        "table": [check.table for check in result.checks],
        "what": [check.title for check in result.checks],
        "agree": [f"{check.agree}/{check.cells}" for check in result.checks],
        "share": [percent(check.agree, check.cells) for check in result.checks],
    }
    table = Table.of(columns, "table", words=["what"])
    differing = tuple(
        (
            check.table,
            f"{d.cell}: {check.words[0]} {_cell(d.published)}, {check.words[1]} "
            f"{_cell(d.recomputed)} ({d.reason})",
        )
        for check in result.checks
        for d in check.differences
    )
    return [
        Title(f"{result.study}: {_agreement(result)}"),
        Paragraph(result.reference),
        *([table] if result.checks else []),
        # One table alone is shown whole.
        *(
            part
            for check in result.checks
            if len(result.checks) == 1
            for part in _side_by_side(check)
        ),
        *(part for layout in result.layouts for part in _laid_out(layout)),
        Items("Cells that differ", differing),
        Items("Figures", tuple((each.number, each.title) for each in result.drawings)),
        notes(result),
    ]


def concordance(result: Concordance) -> list[Block]:
    """Lay out what there is of each paper, but for functions; what to type stands once."""
    rows = [each for each in result.elements if not each.is_function]
    papers = dict.fromkeys(each.paper for each in rows)
    cells: dict[str, Callable[[Element], str]] = {
        "element": lambda each: each.element,
        "what": lambda each: each.what,
        "agrees": lambda each: each.agrees,
    }
    return [
        Title(f"{len(rows)} elements of {len(papers)} papers, and how many of their cells agree"),
        Paragraph("palio reproduce PAPER --table ELEMENT shows one; leave out the word Table."),
        *(
            Table.of_rows(
                [each for each in rows if each.paper == paper], cells, *cells, title=paper
            )
            for paper in papers
        ),
    ]


def _agreement(result: Reproduction) -> str:
    if not result.checks:
        return "nothing published to compare with"
    return f"{result.agree} of {result.cells} cells agree"


def _side_by_side(check: Check) -> list[Block]:
    """Lay a published table out again, each cell as published|recomputed."""
    cells = {
        _keys(each.cell): f"{_cell(each.published)}|{_cell(each.recomputed)}"
        for each in check.values
    }
    return [Paragraph(f"Each cell: {'|'.join(check.words)}."), *squares(cells)]


def _laid_out(layout: Layout) -> list[Block]:
    """Lay out a table of the study's form that has nothing to stand beside."""
    cells = {_keys(each.cell): _printed(each.value) for each in layout.values}
    return [Paragraph(f"{layout.table}: {layout.title}."), *squares(cells)]


def _keys(cell: tuple[str, ...]) -> tuple[str, str]:
    """Return the row and the column; a table of one column has cells with one key."""
    return cell[0], cell[1] if len(cell) == 2 else ""


def _cell(value: float | str) -> str:
    return value if isinstance(value, str) else f"{value:.6g}"


def _printed(value: float | str) -> str:
    """Write a cell as papers print it."""
    return value if isinstance(value, str) else as_printed(value)
