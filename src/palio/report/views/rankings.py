"""Rankings, how well their methods foretell, and how much they hang on the data sets."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from palio.report.blocks import Block, Column, Items, Paragraph, Table, Title
from palio.report.numbers import correlation, minus, number, p_said, probability, rank, share
from palio.report.views.common import Summary, measure_in_words, notes
from palio.words import joined

__all__ = ["rank_stability", "ranking", "ranking_evaluation"]

# A person reads this many pairs; the rest are counted, and in the JSON.
_PAIRS_SHOWN = 12


def ranking(summary: Summary) -> list[Block]:
    """Lay a ranking out, best first."""
    best, k = summary["best"], len(summary["order"])
    first = "is first" if len(best) == 1 else "share the first place"
    return [
        Title(f"{joined(best)} {first} of {k} algorithms over {_datasets(summary)}"),
        Paragraph(f"{summary['title']} by {measure_in_words(summary)}"),
        _ranking_table(summary),
        notes(summary),
    ]


def _datasets(summary: Summary) -> str:
    n = summary["n_datasets"]
    return "one data set" if n == 1 else f"{n} data sets"


def _ranking_table(summary: Summary) -> Table:
    order, ranks, intervals = summary["order"], summary["ranks"], summary["intervals"]
    columns = [
        Column("rank", numeric=True),
        Column("algorithm"),
        Column(summary["score_name"], numeric=True),
    ]
    rows = [
        [share(ranks[name]), name, score]
        for name, score in zip(order, _alike(summary["scores"][n] for n in order), strict=True)
    ]
    if intervals:
        columns.append(Column("95 % interval", numeric=True))
        for row in rows:
            low, high = (minus(number(end)) for end in intervals[row[1]])
            row.append(f"{low} … {high}")
    return Table(tuple(columns), tuple(map(tuple, rows)))


def _alike(scores: Iterable[float]) -> list[str]:
    """Write whole numbers as such, if all are."""
    values = list(scores)
    write = share if all(value == round(value) for value in values) else number
    return [minus(write(value)) for value in values]


def ranking_evaluation(summary: Summary) -> list[Block]:
    """Lay out which method foretells best, and which differ."""
    rows = summary["methods"]
    blocks: list[Block] = [
        Title(
            f"{rows[0]['method']} foretells best: average correlation "
            f"{correlation(rows[0]['correlation'])}"
        ),
        Paragraph(
            f"{summary['n_datasets']} data sets, each left out in turn and its "
            f"{len(summary['algorithms'])} algorithms ranked by the others; "
            f"{measure_in_words(summary)}"
        ),
        _methods_table(rows, summary["top"]),
        Paragraph(
            "correlation: Spearman's, mean over folds and data sets, and sd over data sets; "
            "weighted: the same with more weight on the first places; lost: against the best, "
            f"in {summary['measure']['name']}"
        ),
    ]
    if summary["omnibus"] is not None:
        blocks += [
            Paragraph(_omnibus_line(summary)),
            _differing(summary),
            Items(
                "Not different",
                tuple(("-", ", ".join(group)) for group in summary["groups"] if len(group) > 1),
            ),
        ]
    return [*blocks, notes(summary)]


def _methods_table(rows: Sequence[Summary], top: int) -> Table:
    columns = [
        Column("method"),
        Column("correlation", numeric=True),
        Column("sd", numeric=True),
        Column("weighted", numeric=True),
        *(Column(f"lost, top {k}", numeric=True) for k in sorted({1, top})),
    ]
    ranked = rows[0]["mean_rank"] is not None
    if ranked:
        columns.append(Column("mean rank", numeric=True))
    return Table(
        tuple(columns),
        tuple(
            (
                row["method"],
                correlation(row["correlation"]),
                correlation(row["correlation_sd"]),
                correlation(row["weighted_correlation"]),
                *(number(loss) for loss in row["regret"].values()),
                *((rank(row["mean_rank"]),) if ranked else ()),
            )
            for row in rows
        ),
    )


def _omnibus_line(summary: Summary) -> str:
    test, pairs = summary["omnibus"], summary["pairs"]
    differ = sum(pair["significant"] for pair in pairs)
    return (
        f"all methods together, {test['method']}: statistic {number(test['statistic'])}, "
        f"{p_said(test['p_value'])}, on {test['n']} {_points(summary)}; {differ} of {len(pairs)} "
        f"pairs of methods differ at α = {summary['alpha']:g}"
    )


def _points(summary: Summary) -> str:
    return "data sets" if summary["points"] == "datasets" else "folds"


def _differing(summary: Summary) -> Items:
    """List the pairs that differ, the surest first."""
    found = sorted(
        (pair for pair in summary["pairs"] if pair["significant"]),
        key=lambda pair: -abs(pair["statistic"]),
    )
    lines = []
    for pair in found[:_PAIRS_SHOWN]:
        worse = pair["b"] if pair["better"] == pair["a"] else pair["a"]
        lines.append(
            f"{pair['better']} before {worse}: |T| = {abs(pair['statistic']):.2f}, adjusted "
            f"{p_said(pair['p_adjusted'])}"
        )
    if len(found) > _PAIRS_SHOWN:
        lines.append(f"and {len(found) - _PAIRS_SHOWN} more: --json, or .to_dict(), has them")
    return Items("Different", tuple(("-", line) for line in lines))


def rank_stability(summary: Summary) -> list[Block]:
    """Lay out how probable the places are: of one method each algorithm, of several the first."""
    methods = summary["methods"]
    leader = methods[0]["order"][0]
    first = probability(methods[0]["places"][leader][0])
    return [
        Title(f"{leader} is first with probability {first} by {methods[0]['method']}"),
        Paragraph(
            f"{summary['n_resamples']} draws of {_datasets(summary)} with replacement; "
            f"{measure_in_words(summary)}"
        ),
        _places_table(methods[0]) if len(methods) == 1 else _firsts_table(methods),
        Paragraph(
            "agreement: the mean correlation of the rankings drawn with that of the whole table"
            + (f", {correlation(methods[0]['agreement'])}" if len(methods) == 1 else "")
        ),
        notes(summary),
    ]


def _places_table(method: Summary) -> Table:
    top = min(3, len(method["order"]))
    return Table(
        (
            Column("rank", numeric=True),
            Column("algorithm"),
            Column("P(first)", numeric=True),
            Column(f"P(top-{top})", numeric=True),
            Column("P(last)", numeric=True),
            Column("ranks, 95 %", numeric=True),
        ),
        tuple(
            (
                share(method["ranks"][name]),
                name,
                probability(method["places"][name][0]),
                # Sums of shares may miss 1 by a rounding error.
                probability(round(sum(method["places"][name][:top]), 12)),
                probability(method["places"][name][-1]),
                " … ".join(share(end) for end in method["rank_intervals"][name]),
            )
            for name in method["order"]
        ),
    )


def _firsts_table(methods: Sequence[Summary]) -> Table:
    return Table(
        (
            Column("method"),
            Column("first"),
            Column("P(first)", numeric=True),
            Column("second"),
            Column("P(first)", numeric=True),
            Column("agreement", numeric=True),
        ),
        tuple(
            (
                method["method"],
                *(
                    cell
                    for name in method["order"][:2]
                    for cell in (name, probability(method["places"][name][0]))
                ),
                correlation(method["agreement"]),
            )
            for method in methods
        ),
    )
