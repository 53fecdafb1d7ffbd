"""Orders, and the best."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence

from palio.report.blocks import Block, Column, Items, Paragraph, Table, Title
from palio.report.numbers import number, rank
from palio.report.views.common import Summary, measure_in_words, notes

__all__ = ["best", "ordering", "overrides", "reasons"]


def ordering(summary: Summary) -> list[Block]:
    """Lay an order out, with its reasons."""
    return [
        Title(_ordering_title(summary)),
        Paragraph(_method_line(summary)),
        _order_table(summary),
        Paragraph(overrides(summary)),
        Items("Why", tuple(reasons(summary["steps"]))),
        notes(summary),
    ]


def _ordering_title(summary: Summary) -> str:
    where = (
        f"on {summary['dataset']}"
        if summary["dataset"] is not None
        else f"over {summary['n_datasets']} data sets"
    )
    return f"{summary['order'][0]} is first of {len(summary['order'])} algorithms {where}"


def _method_line(summary: Summary) -> str:
    passes = summary["test"]
    if summary["posthoc"] is not None:
        passes += f", then {summary['posthoc']}"
    name = {"multitest": "MultiTest", "multi2test": "Multi²Test"}[summary["method"]]
    return (
        f"{name} by {measure_in_words(summary)} and {_cost_name(summary)}; "
        f"{passes}, α = {summary['alpha']:g}"
    )


def _cost_name(summary: Summary) -> str:
    cost = summary["cost"]
    if cost is None:
        return "a given prior order"
    if len(cost) == 1:
        return str(next(iter(cost)))
    return " + ".join(f"{weight:g} × {name}" for name, weight in cost.items())


def _order_table(summary: Summary) -> Table:
    """Lay the order out; a column is a heading and what it says of an algorithm."""
    scores, places, costs = summary["mean_scores"], summary["mean_places"], summary["costs"]
    prior = {name: str(i) for i, name in enumerate(summary["prior"], start=1)}
    columns: list[tuple[str, Callable[[str], str]]] = [
        (f"mean {summary['measure']['name']}", lambda name: number(scores[name]))
    ]
    if summary["dataset"] is None:
        columns.insert(0, ("mean place", lambda name: rank(places[name])))
    if summary["cost"] is not None:
        columns.append(("cost", lambda name: number(costs[name])))
    columns.append(("prior place", lambda name: prior[name]))
    return Table(
        (
            Column("place", numeric=True),
            Column("algorithm"),
            *(Column(heading, numeric=True) for heading, _ in columns),
        ),
        tuple(
            (str(place), name, *(cell(name) for _, cell in columns))
            for place, name in enumerate(summary["order"], start=1)
        ),
    )


def overrides(summary: Summary) -> str:
    """Say in how many pairs the test overrode the preference."""
    edges = len(summary["edges"])
    if edges == 0:
        return "No test overrode the prior order: the order is that of cost."
    k = len(summary["order"])
    pairs = k * (k - 1) // 2
    return (
        f"In {edges} of {pairs} pairs the costlier algorithm is significantly better, "
        "which overrides the preference for the cheaper."
    )


def reasons(steps: Sequence[Summary]) -> Iterator[tuple[str, str]]:
    """Say why each stands where it does; neighbours with one reason share a line."""
    for reason, run in itertools.groupby(steps, key=lambda step: step["reason"]):
        same = list(run)
        first, last = same[0]["place"], same[-1]["place"]
        mark = f"{first}." if first == last else f"{first}–{last}."
        yield mark, f"{', '.join(step['taken'] for step in same)}: {reason}"


def best(summary: Summary) -> list[Block]:
    """Say which is best, if any was found."""
    found = (
        f"{summary['best']} is best on {summary['dataset']}"
        if summary["best"] is not None
        else f"no best found on {summary['dataset']}"
    )
    test = f", {summary['test']}" if summary["test"] is not None else ""
    return [
        Title(found),
        Paragraph(f"{summary['method']}{test}, α = {summary['alpha']:g}"),
        Paragraph(f"prior order: {', '.join(summary['prior'])}"),
        notes(summary),
    ]
