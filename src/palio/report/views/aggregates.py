"""Aggregates of scores on many scales."""

from __future__ import annotations

from typing import TYPE_CHECKING

from palio.comparison.aggregates.result import TITLES
from palio.numbers import number, probability
from palio.report.blocks import Block, Cells, Column, Items, Paragraph, Table, Title
from palio.report.views.common import notes, shortened
from palio.words import count, joined

if TYPE_CHECKING:
    from palio.comparison.aggregates.result import Aggregate, Aggregates, Estimate, PlaceSwap

# So many pairs with the first are shown, and so many names in a sentence.
_PAIRS_SHOWN, _NAMED = 10, 4


def aggregates(result: Aggregates) -> list[Block]:
    """Lay out the aggregates, best first, who is likely better, and what hangs on the pool."""
    first, *rest = result.sentences
    return [
        Title(first.removesuffix(".")),
        *map(Paragraph, rest),
        Paragraph(_about(result)),
        *shortened(_board(result), result.shown),
        _better(result),
        *_places(result),
        notes(result),
    ]


def _about(result: Aggregates) -> str:
    fewest, most = result.n_runs
    runs = f", {fewest}{f' to {most}' if most > fewest else ''} runs each" if most > 1 else ""
    algorithms, datasets = (
        f"{n} of {count(whole, what)}" if n < whole else count(n, what)
        for n, whole, what in zip(
            (len(result.algorithms), result.n_datasets),
            result.among,
            ("algorithm", "data set"),
            strict=True,
        )
    )
    where = " where all of these have a score" if result.n_datasets < result.among[1] else ""
    return f"{algorithms} on {datasets}{where}{runs}; {result.measure}, {result.normalised}"


def _board(result: Aggregates) -> Table:
    ratio = result.scaled.ratios
    columns: list[Cells[Aggregate]] = [
        (Column("algorithm"), lambda row: row.algorithm),
        (Column("IQM", numeric=True), lambda row: number(row.iqm.value)),
        (Column("interval", numeric=True), lambda row: _between(row.iqm)),
        (Column("median", numeric=True), lambda row: number(row.median.value)),
        (Column("mean", numeric=True), lambda row: number(row.mean.value)),
    ]
    if result.gap_tells:
        gap = Column(f"gap to {result.target:g}", numeric=True)
        columns.append((gap, lambda row: number(row.gap.value if row.gap else None)))
    behind = Column("times behind" if ratio else "behind", numeric=True)
    columns.append((behind, lambda row: "" if row.behind is None else _between(row.behind)))
    return Table.of_rows(result.aggregates, *columns)


def _between(found: Estimate) -> str:
    return f"{number(found.low)} … {number(found.high)}"


def _better(result: Aggregates) -> Table:
    best = result.order[0]
    return Table.of_rows(
        [pair for pair in result.pairs if pair.a == best][:_PAIRS_SHOWN],
        (Column("than"), lambda pair: pair.b),
        (Column("probability", numeric=True), lambda pair: probability(pair.probability)),
        (
            Column("interval", numeric=True),
            lambda pair: f"{probability(pair.low)} … {probability(pair.high)}",
        ),
        title=f"{best} is better",
    )


def _places(result: Aggregates) -> list[Block]:
    """Say which places hang on the pool; or that none does, where they could."""
    if result.swaps is None:
        return []
    if not result.swaps:
        return [Paragraph("No two neighbours change places if one other algorithm is left out.")]
    return [Items.dashed("Places that hang on the pool", map(_swap, result.swaps))]


def _swap(swap: PlaceSwap) -> str:
    named = swap.without if len(swap.without) <= _NAMED else swap.without[: _NAMED - 1]
    rest = len(swap.without) - len(named)
    others = joined([*named, *([count(rest, "other")] if rest else [])], "or")
    return f"{swap.first} is before {swap.second} by {TITLES[swap.aggregate]}, not without {others}"
