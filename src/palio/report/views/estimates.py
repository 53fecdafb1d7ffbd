"""Aggregates of scores, and what scores vary by."""

from __future__ import annotations

from typing import TYPE_CHECKING

from palio.comparison.aggregates.result import TITLES
from palio.numbers import hundredths, number, probability, share
from palio.report.blocks import Block, Cells, Column, Items, Paragraph, Table, Title
from palio.report.views.common import notes, shortened
from palio.words import count, joined

if TYPE_CHECKING:
    from palio.comparison.aggregates.result import Aggregate, Aggregates, Estimate, PlaceSwap
    from palio.comparison.variance import Component, Variance, Way

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


def variance(result: Variance) -> list[Block]:
    """Lay out the standard error of a difference, what scores vary by, and what would help."""
    most = max(result.components, key=lambda part: part.share)
    headline, *more = result.advice or (
        f"{hundredths(most.share)} % of the variance is {most.name}.",
    )
    return [
        Title(headline.removesuffix(".")),
        *(Paragraph(sentence) for sentence in more),
        Paragraph(f"{result.model}, by {result.method}"),
        Table(
            (
                *Column.texts("what varies"),
                *Column.numbers("sd", "share", f"{100 * (1 - result.alpha):g} % interval"),
            ),
            tuple(_component(part) for part in result.components),
        ),
        Items.dashed("That is", [f"{part.name}: {part.says}" for part in result.components]),
        *_ways(result),
        notes(result),
    ]


def _component(part: Component) -> tuple[str, ...]:
    low, high = (hundredths(limit) for limit in part.share_interval)
    return (
        part.name,
        "0" if part.at_zero else number(part.standard_deviation),
        f"{hundredths(part.share)} %",
        f"{low}–{high} %",
    )


def _ways(result: Variance) -> list[Block]:
    if not result.ways:
        return []
    cost = [result.cost] if result.cost else []
    return [
        Table(
            (
                *Column.words("more of"),
                *Column.numbers("now", "to halve", "at least", "further scores", *cost),
            ),
            tuple(_way(way, priced=bool(cost)) for way in result.ways),
            title="What would halve the standard error",
        )
    ]


def _way(way: Way, *, priced: bool) -> tuple[str, ...]:
    return (
        way.what,
        share(way.now),
        "never" if way.needed is None else str(way.needed),
        number(way.limit) if way.limit else "0",
        "–" if way.scores is None else str(way.scores),
        *([number(way.cost)] if priced else []),
    )
