"""How what scores vary by is laid out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from palio.numbers import hundredths, number, share
from palio.report.blocks import Block, Column, Items, Paragraph, Table, Title
from palio.report.views.common import notes

if TYPE_CHECKING:
    from palio.comparison.variance import Component, Variance, Way


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
