"""Orders, the best, rankings; how well ranking methods foretell, and how much they hang on data."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from palio.claims import RankedFirst, Sureness
from palio.measures import cost_named
from palio.numbers import (
    correlation,
    cost,
    margin,
    minus,
    number,
    p_said,
    probability,
    rank,
    share,
    span,
    weighed,
)
from palio.ordering.methods import ORDERINGS
from palio.report.blocks import Block, Column, Items, Paragraph, Table, Title
from palio.report.views.boards import (
    BoardColumn,
    board_column,
    board_columns,
    boards,
    few_letters,
    focus_lines,
    parts_of,
    steps_said,
)
from palio.report.views.common import (
    left_out,
    mark_said,
    mean_said,
    notes,
    p_of,
    rows_shown,
    shortened,
    statistic_said,
    verdict,
)
from palio.words import Worded, count, joined, some_of

if TYPE_CHECKING:
    from palio.comparison.pairs import TestResult
    from palio.ordering.baselines import Best
    from palio.ordering.evaluation import (
        MethodEvaluation,
        MethodStability,
        RankingEvaluation,
        RankStability,
    )
    from palio.ordering.graph import Step
    from palio.ordering.rankings import Ranking, RankingRow
    from palio.ordering.result import Ordering

# A person reads this many pairs of methods; the rest are counted, and in the JSON.
_PAIRS_SHOWN = 12


def ordering(result: Ordering) -> list[Block]:
    """Lay an order out, with its reasons."""
    return [
        *verdict(result.claims),
        Paragraph(_method_line(result)),
        *shortened(ordering_table(result), result.shown),
        *([] if result.measure.is_ordinal else mark_said(result.imputed)),
        Paragraph(overrides(result)),
        Items("Why", tuple(reasons(result.steps[: rows_shown(len(result.order), result.shown)]))),
        notes(result),
    ]


def _method_line(result: Ordering) -> str:
    """Say how the order was made, and what came first among equals."""
    passes = result.test or "no test"
    if result.posthoc is not None:
        passes += f", then {result.posthoc}"
    elif result.correction is not None:
        uncorrected = result.correction == "none"
        passes += " uncorrected" if uncorrected else f" with {result.correction}"
    how = f"{ORDERINGS[result.method].title} by {result.measure}{_among_equals(result)}"
    return f"{how}; {passes}, α = {result.alpha:g}"


def _among_equals(result: Ordering) -> str:
    """Say what came first among equals; over items the mean of the score, which is said."""
    if result.cost is not None:
        return f" and {weighed(result.cost)}"
    if result.preferred_by == "prior":
        return " and a given prior order"
    return "" if _over_items(result) else " and mean rank"


def _over_items(result: Ordering) -> bool:
    return result.comparison is not None and result.comparison.over == "items"


def ordering_table(result: Ordering, title: str = "") -> Table:
    """Lay the order out."""
    judged, marked = result.judged, result.imputed or ()
    sets = result.rank_sets or {}
    single = judged is None and result.test is None and result.dataset is not None  # one value each
    order = result.order
    # Means and letters say nothing of those whom no chain of shared data sets joins to the first.
    parts = (order,) if judged is None else judged.components
    met = {name for part in parts if order[0] in part for name in part}
    columns = {"place": [str(result.ranks[name]) for name in order], "algorithm": list(order)}
    if sets and not single and not result.goes_by_own_pairs:
        columns["ranks"] = [span(*sets[name]) for name in order]
    if result.dataset is None and not _over_items(result):
        columns["mean rank"] = [
            rank(result.mean_ranks[name]) if name in met else "–" for name in order
        ]
    if result.mean_places and result.dataset is None:
        columns["mean place"] = [rank(result.mean_places[name]) for name in order]
    if result.measure.has_means:
        columns[f"{'' if single else 'mean '}{mean_of(result)}"] = [
            mean_said(result.mean_scores[name], imputed=name in marked) if name in met else "–"
            for name in order
        ]
    if single and (published := result.table.intervals):
        columns["interval"] = [_ends(published.get(name)) for name in order]
    # The places of Multi²Test are decided by other tests than the letters.
    if judged is not None and not result.mean_places and few_letters(judged):
        columns["group"] = [judged.letters[name] if name in met else "–" for name in order]
    if lacking := {} if judged is None or judged.missing is None else judged.missing.lacking:
        columns["missing"] = [str(lacking.get(name, 0)) for name in order]
    if result.cost is not None:
        heading, unit = _cost_heading(result, list(result.cost))
        columns[heading] = [cost(result.costs[name], unit) for name in order]
    return Table.of(columns, "algorithm", "interval", "group", title=title)


def mean_of(result: Ordering) -> str:
    """Name what the mean scores of an order are the means of."""
    return result.measure.name if result.judged is None else result.judged.mean_of


def _cost_heading(result: Ordering, names: Sequence[str]) -> tuple[str, str]:
    """Name the cost weighed, one by its name, and its unit if it is counted so."""
    alone = len(names) == 1
    own = alone and (result.method == "pairwise" or result.dataset is not None)
    return names[0] if alone else "cost", cost_named(names[0]).unit if own else ""


def overrides(result: Ordering) -> str:
    """Say in how many pairs the test overrode the preference."""
    preferred, other, _, better = result.wording
    if not result.overridden:
        return f"No test overrode the preference for the {preferred}."
    return (
        f"In {len(result.overridden)} of {result.n_pairs} pairs the {other} algorithm is "
        f"{better}, which overrides the preference for the {preferred}."
    )


def reasons(steps: Sequence[Step]) -> Iterator[tuple[str, str]]:
    """Say why each stands where it does; neighbours with one reason share a line."""
    for reason, run in itertools.groupby(steps, key=lambda step: step.reason):
        same = list(run)
        first, last = same[0].place, same[-1].place
        mark = f"{first}." if first == last else f"{first}–{last}."
        yield mark, f"{', '.join(step.taken for step in same)}: {reason}"


def best(result: Best) -> list[Block]:
    """Say which is best, if any was found."""
    found = (
        f"{result.best} is best on {result.dataset}"
        if result.best is not None
        else f"no best found on {result.dataset}"
    )
    test = f", {result.test}" if result.test is not None else ""
    return [
        Title(found),
        Paragraph(f"{result.method}{test}, α = {result.alpha:g}"),
        Paragraph(f"prior order: {', '.join(result.prior)}"),
        notes(result),
    ]


# --- rankings -------------------------------------------------------------------------------------


def ranking(result: Ranking) -> list[Block]:
    """Lay a ranking out, best first."""
    first = "is first" if len(result.best) == 1 else "share the first place"
    anew = f"; {result.rank_sets_of}" if result.rank_sets_of else ""
    return [
        Title(
            f"{joined(result.best)} {first} of {len(result.components[0])} algorithms over "
            f"{count(result.n_datasets, 'data set')}{_lacking(result)}{anew}"
        ),
        Paragraph(f"{result.title} by {result.measure}"),
        *_leader(result),
        *([Paragraph(said)] if (said := result.missing_said) else []),
        *focus_lines(
            result.focus,
            parts_of(result.board, result.components),
            lambda row: f", {result.score_name} {minus(number(row.score))}",
        ),
        *_ranking_boards(result),
        *(Paragraph(line) for line in _judged_lines(result)),
        notes(result),
    ]


def _leader(result: Ranking) -> list[Block]:
    """Say who leads by the tests of pairs, where that is another, and how sure that is."""
    first, sure = result.claims.of(RankedFirst), result.claims.of(Sureness)
    if first is None or sure is None:
        return []
    return [Paragraph(first.text if first.leader not in first.shares else sure.text)]


def _lacking(result: Ranking) -> str:
    """Say on how many data sets the first has a score, if not on all."""
    lacks = {row.missing for row in result.board if row.algorithm in result.best} - {0}
    on = [str(result.n_datasets - n) for n in sorted(lacks, reverse=True)]
    return f", with a score on {joined(on)} of them" if on else ""


def _judged_lines(result: Ranking) -> Iterator[str]:
    """Say how many steps are real, what the sets of ranks stand on, and whom nobody beats."""
    if result.rank_sets is None:
        return
    if result.judged is not None:
        yield steps_said(result.judged, result.order)
        yield (
            f"ranks: the first and the last that the pairs leave open ({result.judged.procedure}), "
            "all at once; the ranking has no say in them"
        )
    unbeaten = result.unbeaten or ()
    if len(unbeaten) == len(result.order):
        yield "Nobody is significantly beaten."
    elif unbeaten:
        apart = {} if result.judged is None else result.judged.not_comparable
        tried = [name for name in unbeaten if name not in apart]
        also = f", nor {len(apart)} that cannot be compared with them" if apart else ""
        yield f"Nobody significantly beats {some_of(tried)}{also}."
    else:
        yield "Everybody is significantly beaten by somebody."


def _ranking_boards(result: Ranking) -> list[Block]:
    """Show the boards, with the method's own score as what the places go by."""
    rows = result.board
    scores = dict(zip(result.order, _alike(row.score for row in rows), strict=True))
    # The mean score stands there once.
    own = result.score_name
    name = f"mean {result.measure.name}" if own == "mean score" else own
    by: list[BoardColumn[RankingRow]] = [board_column(name, lambda row: scores[row.algorithm])]
    if name != own:
        by.append(BoardColumn(Column("±", numeric=True), lambda row: margin(row.interval)))
    if result.intervals:
        by.append(board_column("95 % interval", lambda row: row.score_interval or (), _ends))
    imputed = result.table.with_imputed
    columns = board_columns(
        rows, result.measure, by, letters=few_letters(result.judged), imputed=imputed
    )
    mean_shown = name == own and result.measure.has_means
    mark = mark_said(imputed) if mean_shown else []
    return [*boards(parts_of(rows, result.components), columns, result.shown), *mark]


def _ends(interval: tuple[float, float] | None) -> str:
    return " … ".join(minus(number(end)) for end in interval or ())


def _alike(scores: Iterable[float]) -> list[str]:
    """Write whole numbers as such, if all are; who has met nobody has none."""
    values = list(scores)
    whole = all(value == round(value) for value in values if not math.isnan(value))
    return [
        minus(share(value) if whole and not math.isnan(value) else number(value))
        for value in values
    ]


def ranking_evaluation(result: RankingEvaluation) -> list[Block]:
    """Lay out which method foretells best, and which differ."""
    rows = result.methods
    blocks: list[Block] = [
        Title(
            f"{rows[0].method} foretells best: average correlation "
            f"{correlation(rows[0].correlation)}"
        ),
        Paragraph(
            f"{result.n_datasets} data sets, each left out in turn and its "
            f"{len(result.algorithms)} algorithms ranked by the others; {result.measure}"
        ),
        _methods_table(rows, result.top),
        Paragraph(
            "correlation: Spearman's, mean over folds and data sets, and sd over data sets; "
            "weighted: the same with more weight on the first places; lost: against the best, "
            f"in {result.lost_in}"
        ),
    ]
    if result.omnibus is not None:
        blocks += [
            Paragraph(_methods_line(result, result.omnibus)),
            _differing(result),
            Items(
                "No difference found",
                tuple(("-", ", ".join(group)) for group in result.groups if len(group) > 1),
            ),
        ]
    return [*blocks, notes(result)]


def _methods_table(rows: Sequence[MethodEvaluation], top: int) -> Table:
    cells: dict[str, Callable[[MethodEvaluation], str]] = {
        "method": lambda row: row.method,
        "correlation": lambda row: correlation(row.correlation),
        "sd": lambda row: correlation(row.correlation_sd),
        "weighted": lambda row: correlation(row.weighted_correlation),
    }
    for k in sorted({1, top}):
        cells[f"lost, top {k}"] = lambda row, k=k: number(row.regret[str(k)])  # type: ignore[misc]
    if rows[0].mean_rank is not None:
        cells["mean rank"] = lambda row: rank(row.mean_rank or 0.0)
    return Table.of_rows(rows, cells, "method")


def _methods_line(result: RankingEvaluation, test: TestResult) -> str:
    points = "data sets" if result.points == "datasets" else "folds"
    return (
        f"all methods together, {test.method}: {statistic_said(test)}, {p_of(test)}, on {test.n} "
        f"{points}; {len(result.different)} of {len(result.pairs)} pairs of methods "
        f"differ at α = {result.alpha:g}"
    )


def _differing(result: RankingEvaluation) -> Items:
    """List the pairs that differ, the surest first."""
    found = result.different
    lines = [
        f"{pair.better} before {pair.worse}: |T| = {abs(pair.statistic):.2f}, adjusted "
        f"{p_said(pair.p_adjusted)}"
        for pair in found[:_PAIRS_SHOWN]
    ]
    lines += left_out(len(found) - _PAIRS_SHOWN, Worded(": --json, or .to_dict(), has them"))
    return Items("Different", tuple(("-", line) for line in lines))


def rank_stability(result: RankStability) -> list[Block]:
    """Lay out how probable the places are: of one method each algorithm, of several the first."""
    first, alone = result.methods[0], len(result.methods) == 1
    leader = first.order[0]
    return [
        Title(
            f"{leader} is first with probability {probability(first.places[leader][0])} by "
            f"{first.method}"
        ),
        Paragraph(
            f"{result.n_resamples} draws of {count(result.n_datasets, 'data set')} with "
            f"replacement; {result.measure}"
        ),
        _places_table(first) if alone else _firsts_table(result.methods),
        Paragraph(
            "agreement: the mean correlation of the rankings drawn with that of the whole table"
            + (f", {correlation(first.agreement)}" if alone else "")
        ),
        notes(result),
    ]


def _places_table(method: MethodStability) -> Table:
    places, top = method.places, min(3, len(method.order))
    return Table.of_rows(
        method.order,
        {
            "rank": lambda name: share(method.ranks[name]),
            "algorithm": lambda name: name,
            "P(first)": lambda name: probability(places[name][0]),
            f"P(top-{top})": lambda name: probability(round(sum(places[name][:top]), 12)),
            "P(last)": lambda name: probability(places[name][-1]),
            "ranks, 95 %": lambda name: " … ".join(map(share, method.rank_intervals[name])),
        },
        "algorithm",
    )


def _firsts_table(methods: Sequence[MethodStability]) -> Table:
    def chance(method: MethodStability, place: int) -> str:
        """Say how probable it is that who stands in a place is first."""
        return probability(method.places[method.order[place]][0])

    return Table.of_rows(
        methods,
        {
            "method": lambda method: method.method,
            "first": lambda method: method.order[0],
            "P(first)": lambda method: chance(method, 0),
            "second": lambda method: method.order[1],
            "its P(first)": lambda method: chance(method, 1),
            "agreement": lambda method: correlation(method.agreement),
        },
        "method",
        "first",
        "second",
    )
