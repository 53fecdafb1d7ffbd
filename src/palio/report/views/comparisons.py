"""Comparisons: over many data sets, on the folds of one, and single tests."""

from __future__ import annotations

from collections.abc import Sequence

from palio.report.blocks import Block, Column, Items, Paragraph, Table, Title
from palio.report.numbers import number, p_said, rank, record
from palio.report.views.common import Summary, measure_in_words, notes, pairs_table

__all__ = [
    "comparison",
    "comparison_line",
    "comparison_title",
    "fold_comparison",
    "omnibus_line",
    "test",
]


# A person reads this many pairs; the rest are counted, and in the JSON.
_PAIRS_SHOWN = 45


def comparison(summary: Summary) -> list[Block]:
    """Lay out who differs from whom."""
    pairs = summary["pairs"]
    groups = _groups(summary)
    return [
        Title(comparison_title(summary)),
        Paragraph(comparison_line(summary)),
        Paragraph(omnibus_line(summary["omnibus"], summary["kendall_w"])),
        _algorithms_table(summary),
        pairs_table(
            pairs[:_PAIRS_SHOWN],
            ("a − b", lambda pair: number(pair["difference"])),
            ("won/tied/lost", lambda pair: record(pair["wins"], pair["ties"], pair["losses"])),
        ),
        *_pairs_left_out(len(pairs)),
        groups,
        notes(summary),
    ]


def _groups(summary: Summary) -> Items:
    control = summary["control"]
    if control is None:
        found = [", ".join(group) for group in summary["groups"] if len(group) > 1]
        return Items("Not different", tuple(("-", names) for names in found))
    names = [name for group in summary["groups"] for name in group if name != control]
    return Items(f"Not different from {control}", (("-", ", ".join(names)),) if names else ())


def comparison_title(summary: Summary) -> str:
    """Say how many pairs differ."""
    pairs = summary["pairs"]
    differ = sum(pair["significant"] for pair in pairs)
    if summary["control"] is not None:
        return f"{differ} of {len(pairs)} algorithms differ from {summary['control']}"
    if differ == 0:
        return f"no two of {len(summary['algorithms'])} algorithms differ significantly"
    return f"{differ} of {len(pairs)} pairs differ significantly"


def comparison_line(summary: Summary) -> str:
    """Say how the pairs were compared."""
    correction = summary["correction"]
    how = summary["method"] + ("" if correction == "none" else f" with {correction}")
    return (
        f"{how}, α = {summary['alpha']:g}, by {measure_in_words(summary)} on "
        f"{summary['n_datasets']} data sets"
    )


def omnibus_line(omnibus: Summary, agreement: float) -> str:
    """Say whether any differ, and how far the data sets agree."""
    df = ", ".join(f"{value:g}" for value in omnibus["df"])
    return (
        f"all together, {omnibus['method']}: statistic {number(omnibus['statistic'])}"
        f"{f', df {df}' if df else ''}, {p_said(omnibus['p_value'])}"
        f"; agreement of the data sets, Kendall's W = {agreement:.2f}"
    )


def _algorithms_table(summary: Summary) -> Table:
    """Show the algorithms by mean rank; those that share a letter do not differ."""
    letters = summary["letters"] if summary["control"] is None and summary["groups"] else {}
    columns = [
        Column("algorithm"),
        Column("mean rank", numeric=True),
        Column(f"mean {summary['measure']['name']}", numeric=True),
    ]
    if letters:
        columns.append(Column("group"))
    rows = [
        (name, rank(value), number(summary["mean_scores"][name]))
        + ((letters[name],) if letters else ())
        for name, value in sorted(summary["mean_ranks"].items(), key=lambda item: item[1])
    ]
    return Table(tuple(columns), tuple(rows))


def _pairs_left_out(total: int) -> list[Block]:
    if total <= _PAIRS_SHOWN:
        return []
    return [Paragraph(f"and {total - _PAIRS_SHOWN} more pairs: --json, or .to_frame(), has them.")]


def fold_comparison(summary: Summary) -> list[Block]:
    """Lay out a test of several algorithms on one data set."""
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
    return [*blocks, notes(summary)]


def _fold_title(summary: Summary) -> str:
    where = f"({summary['method']} on {summary['dataset']})"
    if summary["underlines"] is None:
        some = "some differ" if summary["p_value"] <= summary["alpha"] else "no difference found"
        return f"{some}, {p_said(summary['p_value'])} {where}"
    if not summary["underlines"]:
        return f"all differ {where}"
    return f"algorithms under one bar do not differ {where}"


def _bars(name: str, lines: Sequence[Sequence[str]]) -> str:
    """Draw a range test's underlines downwards, a column for each."""
    return " ".join("│" if name in line else " " for line in lines)


def test(summary: Summary) -> list[Block]:
    """Lay out one test."""
    return [
        Title(f"{summary['method']}: {p_said(summary['p_value'])}"),
        Paragraph(
            f"hypothesis: {summary['hypothesis']}; statistic {number(summary['statistic'])}, "
            f"df {', '.join(map(number, summary['df'])) or '–'}, n = {summary['n']}"
        ),
        notes(summary),
    ]
