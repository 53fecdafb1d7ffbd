"""Aggregates of scores, and what scores vary by."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from palio.comparison.aggregates.result import TITLES
from palio.numbers import hundredths, number, probability, share
from palio.report.blocks import Block, Items, Paragraph, Table, Title
from palio.report.views.common import notes, shortened
from palio.words import count, joined

if TYPE_CHECKING:
    from palio.comparison.aggregates.result import Aggregate, Aggregates, Estimate, PlaceSwap
    from palio.comparison.variance import Variance, Way

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
    cells: dict[str, Callable[[Aggregate], str]] = {
        "algorithm": lambda row: row.algorithm,
        "IQM": lambda row: number(row.iqm.value),
        "interval": lambda row: _between(row.iqm),
        "median": lambda row: number(row.median.value),
        "mean": lambda row: number(row.mean.value),
    }
    if result.gap_tells:
        cells[f"gap to {result.target:g}"] = lambda row: number(row.gap.value if row.gap else None)
    behind = "times behind" if result.scaled.ratios else "behind"
    cells[behind] = lambda row: "" if row.behind is None else _between(row.behind)
    return Table.of_rows(result.aggregates, cells, "algorithm")


def _between(found: Estimate) -> str:
    return f"{number(found.low)} … {number(found.high)}"


def _better(result: Aggregates) -> Table:
    best = result.order[0]
    return Table.of_rows(
        [pair for pair in result.pairs if pair.a == best][:_PAIRS_SHOWN],
        {
            "than": lambda pair: pair.b,
            "probability": lambda pair: probability(pair.probability),
            "interval": lambda pair: f"{probability(pair.low)} … {probability(pair.high)}",
        },
        "than",
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
        Table.of_rows(
            result.components,
            {
                "what varies": lambda part: part.name,
                "sd": lambda part: "0" if part.at_zero else number(part.standard_deviation),
                "share": lambda part: f"{hundredths(part.share)} %",
                f"{100 * (1 - result.alpha):g} % interval": lambda part: (
                    f"{'–'.join(map(hundredths, part.share_interval))} %"
                ),
            },
            "what varies",
        ),
        Items.dashed("That is", [f"{part.name}: {part.says}" for part in result.components]),
        *_ways(result),
        notes(result),
    ]


def _ways(result: Variance) -> list[Block]:
    if not result.ways:
        return []
    cells: dict[str, Callable[[Way], str]] = {
        "more of": lambda way: way.what,
        "now": lambda way: share(way.now),
        "to halve": lambda way: "never" if way.needed is None else str(way.needed),
        "at least": lambda way: number(way.limit) if way.limit else "0",
        "further scores": lambda way: "–" if way.scores is None else str(way.scores),
    }
    if result.cost:
        cells[result.cost] = lambda way: number(way.cost)
    title = "What would halve the standard error"
    return [Table.of_rows(result.ways, cells, words=["more of"], title=title)]
