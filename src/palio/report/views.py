"""From a summary to what a person reads: one view per kind of result."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from palio.registry import Registry
from palio.report.blocks import Block, Column, Items, Paragraph, Table, Title
from palio.report.numbers import number, p_value, percent, rank

__all__ = ["VIEWS", "view"]

Summary = Mapping[str, Any]


def view(summary: Summary) -> list[Block]:
    """Lay a summary out as blocks."""
    return VIEWS[summary["kind"]](summary)


def _ordering(summary: Summary) -> list[Block]:
    return [
        Title(_ordering_title(summary)),
        Paragraph(_method_line(summary)),
        _order_table(summary),
        Paragraph(_overrides(summary)),
        Items("Why", tuple(_reasons(summary["steps"]))),
        _notes(summary),
    ]


def _ordering_title(summary: Summary) -> str:
    where = (
        f"on {summary['dataset']}"
        if summary["dataset"] is not None
        else f"over {summary['n_datasets']} data sets"
    )
    return f"{summary['order'][0]} is first of {len(summary['order'])} algorithms {where}"


def _method_line(summary: Summary) -> str:
    measure = summary["measure"]
    direction = "higher is better" if measure["higher_is_better"] else "lower is better"
    passes = summary["test"]
    if summary["posthoc"] is not None:
        passes += f", then {summary['posthoc']}"
    name = {"multitest": "MultiTest", "multi2test": "Multi²Test"}[summary["method"]]
    return (
        f"{name} by {measure['name']} ({direction}) and {_cost_name(summary)}; "
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
    scores, ranks, costs = summary["mean_scores"], summary["mean_ranks"], summary["costs"]
    prior = {name: str(i) for i, name in enumerate(summary["prior"], start=1)}
    columns: list[tuple[str, Callable[[str], str]]] = [
        (f"mean {summary['measure']['name']}", lambda name: number(scores[name]))
    ]
    if summary["dataset"] is None:
        columns.insert(0, ("mean rank", lambda name: rank(ranks[name])))
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


def _overrides(summary: Summary) -> str:
    edges = len(summary["edges"])
    if edges == 0:
        return "No test overrode the prior order: the order is that of cost."
    k = len(summary["order"])
    pairs = k * (k - 1) // 2
    return (
        f"In {edges} of {pairs} pairs the costlier algorithm is significantly better, "
        "which overrides the preference for the cheaper."
    )


def _reasons(steps: Sequence[Summary]) -> Iterator[tuple[str, str]]:
    """Say why each stands where it does; neighbours with one reason share a line."""
    for reason, run in itertools.groupby(steps, key=lambda step: step["reason"]):
        same = list(run)
        first, last = same[0]["place"], same[-1]["place"]
        mark = f"{first}." if first == last else f"{first}–{last}."
        yield mark, f"{', '.join(step['taken'] for step in same)}: {reason}"


def _comparison(summary: Summary) -> list[Block]:
    omnibus = summary["omnibus"]
    pairs = Table(
        (
            Column("a"),
            Column("b"),
            Column("p", numeric=True),
            Column("adjusted p", numeric=True),
            Column("better"),
        ),
        tuple(
            (
                pair["a"],
                pair["b"],
                p_value(pair["p_value"]),
                p_value(pair["p_adjusted"]),
                (pair["better"] or "") if pair["significant"] else "",
            )
            for pair in summary["pairs"]
        ),
    )
    ranks = Table(
        (Column("algorithm"), Column("mean rank", numeric=True)),
        tuple(
            (name, rank(value))
            for name, value in sorted(summary["mean_ranks"].items(), key=lambda item: item[1])
        ),
    )
    groups = tuple(("-", ", ".join(group)) for group in summary["groups"] if len(group) > 1)
    differ = sum(pair["significant"] for pair in summary["pairs"])
    return [
        Title(f"{differ} of {len(summary['pairs'])} pairs differ ({summary['method']})"),
        Paragraph(
            f"{omnibus['method']}: statistic {number(omnibus['statistic'])}, "
            f"p = {p_value(omnibus['p_value'])}, {summary['n_datasets']} data sets"
        ),
        ranks,
        pairs,
        Items("Not different", groups),
        _notes(summary),
    ]


def _fold_comparison(summary: Summary) -> list[Block]:
    lines = summary["underlines"]
    columns = [Column("algorithm"), Column(f"mean {summary['measure']['name']}", numeric=True)]
    if lines is not None:
        columns.append(Column("not different"))
    rows = [
        (name, number(mean)) if lines is None else (name, number(mean), _bars(name, lines))
        for name, mean in summary["means"].items()
    ]
    blocks: list[Block] = [Title(_fold_title(summary)), Table(tuple(columns), tuple(rows))]
    if lines is None:
        df = ", ".join(f"{value:g}" for value in summary["df"])
        statistic = number(summary["statistic"])
        blocks.insert(1, Paragraph(f"statistic {statistic}, df {df}, α = {summary['alpha']:g}"))
    return [*blocks, _notes(summary)]


def _fold_title(summary: Summary) -> str:
    where = f"({summary['method']} on {summary['dataset']})"
    if summary["underlines"] is None:
        some = "some differ" if summary["p_value"] <= summary["alpha"] else "no difference found"
        return f"{some}, p = {p_value(summary['p_value'])} {where}"
    if not summary["underlines"]:
        return f"all differ {where}"
    return f"algorithms under one bar do not differ {where}"


def _bars(name: str, lines: Sequence[Sequence[str]]) -> str:
    """Draw a range test's underlines downwards, a column for each."""
    return " ".join("│" if name in line else " " for line in lines)


def _test(summary: Summary) -> list[Block]:
    return [
        Title(f"{summary['method']}: p = {p_value(summary['p_value'])}"),
        Paragraph(
            f"hypothesis: {summary['hypothesis']}; statistic {number(summary['statistic'])}, "
            f"df {', '.join(map(number, summary['df'])) or '–'}, n = {summary['n']}"
        ),
        _notes(summary),
    ]


def _best(summary: Summary) -> list[Block]:
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
        _notes(summary),
    ]


def _reproduction(summary: Summary) -> list[Block]:
    table = Table(
        (Column("table"), Column("what"), Column("agree", numeric=True), Column("share", True)),
        tuple(
            (
                check["table"],
                check["title"],
                f"{check['agree']}/{check['cells']}",
                percent(check["agree"], check["cells"]),
            )
            for check in summary["checks"]
        ),
    )
    differing = tuple(
        (
            check["table"],
            f"{d['cell']}: published {_cell(d['published'])}, recomputed "
            f"{_cell(d['recomputed'])} ({d['reason']})",
        )
        for check in summary["checks"]
        for d in check["differences"]
    )
    return [
        Title(f"{summary['study']}: {summary['agree']} of {summary['cells']} cells agree"),
        Paragraph(summary["reference"]),
        table,
        # One table alone is shown whole.
        *(_side_by_side(check) for check in summary["checks"] if len(summary["checks"]) == 1),
        Items("Cells that differ", differing),
        _notes(summary),
    ]


def _side_by_side(check: Summary) -> Table:
    """Lay a published table out again, each cell as published|recomputed."""
    cells = {
        # A table of one column has cells with one key.
        tuple(value["cell"])
        if len(value["cell"]) == 2
        else (value["cell"][0], ""): f"{_cell(value['published'])}|{_cell(value['recomputed'])}"
        for value in check["values"]
    }
    rows = dict.fromkeys(row for row, _ in cells)
    columns = dict.fromkeys(column for _, column in cells)
    return Table(
        (Column(""), *(Column(name, numeric=True) for name in columns)),
        tuple((row, *(cells.get((row, column), "") for column in columns)) for row in rows),
    )


def _cell(value: float | str) -> str:
    return value if isinstance(value, str) else f"{value:.6g}"


def _notes(summary: Summary) -> Items:
    return Items("Notes", tuple(("-", note) for note in summary["notes"]), quiet=True)


VIEWS: Registry[Callable[[Summary], list[Block]]] = Registry(
    "kind",
    {
        "ordering": _ordering,
        "comparison": _comparison,
        "fold-comparison": _fold_comparison,
        "test": _test,
        "best": _best,
        "reproduction": _reproduction,
    },
)
