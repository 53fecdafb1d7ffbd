"""Orders, the best, rankings; how well ranking methods foretell, and how much they hang on data."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from palio.claims import RankedFirst, Sureness, generalises_to
from palio.comparison.board import by_part, ranks_within
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
    Cell,
    board_columns,
    boards,
    few_letters,
    focus_lines,
    open_ranks,
    steps_said,
)
from palio.report.views.common import (
    mark_said,
    mean_said,
    notes,
    p_of,
    rows_shown,
    shortened,
    statistic_said,
    verdict,
)
from palio.words import Worded, joined, some_of, strung

if TYPE_CHECKING:
    from palio.comparison.results import Comparison
    from palio.ordering.baselines import Best
    from palio.ordering.evaluation import MethodEvaluation, RankingEvaluation
    from palio.ordering.graph import Step
    from palio.ordering.ranking_board import RankingRow
    from palio.ordering.rankings import Ranking
    from palio.ordering.result import Ordering
    from palio.ordering.stability import MethodStability, RankStability

# A person reads this many pairs of methods; the rest are counted, and in the JSON.
_PAIRS_SHOWN = 12

# With more groups a row has more letters than one can compare; with mean places there is no room.
_GROUPS_SHOWN = 8


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
    elif result.correction not in (None, "none"):
        passes += f" with {result.correction}"
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


def _letters(judged: Comparison) -> dict[str, str]:
    """Return the letters of the groups, if these can be read, and if anybody could differ."""
    few = 0 < len(judged.groups) <= _GROUPS_SHOWN and judged.least_p is None
    return judged.letters if few else {}


def ordering_table(result: Ordering, title: str = "") -> Table:
    """Lay the order out; a column is a heading and what it says of an algorithm."""
    judged, marked = result.judged, result.imputed or ()
    sets = dict(result.rank_sets or {})
    for part in () if judged is None else judged.components:  # ranks are within a part
        sets |= ranks_within(part, judged.rank_sets if judged else None, len(sets))
    letters = {} if judged is None or result.mean_places else _letters(judged)
    columns: list[tuple[Column, Callable[[str], str]]] = [
        (Column("place", numeric=True), lambda name: str(result.ranks[name])),
        (Column("algorithm"), lambda name: name),
    ]
    if sets:
        columns.append((Column("ranks", numeric=True), lambda name: span(*sets[name])))
    if result.dataset is None and not _over_items(result):
        columns.append(_standing(result))
    if result.mean_places and result.dataset is None:
        columns.append(
            (Column("mean place", numeric=True), lambda name: rank(result.mean_places[name]))
        )
    if not result.measure.is_ordinal:
        columns.append(
            (
                Column(f"mean {mean_of(result)}", numeric=True),
                lambda name: mean_said(result.mean_scores[name], imputed=name in marked),
            )
        )
    if letters:
        columns.append((Column("group"), lambda name: letters[name]))
    if lacking := {} if judged is None or judged.missing is None else judged.missing.lacking:
        columns.append((Column("missing", numeric=True), lambda name: str(lacking.get(name, 0))))
    if result.cost is not None:
        columns.append((Column(_cost_name(result), numeric=True), _cost_of(result)))
    return Table(
        tuple(column for column, _ in columns),
        tuple(tuple(cell(name) for _, cell in columns) for name in result.order),
        title=title,
    )


def mean_of(result: Ordering) -> str:
    """Name what the mean scores of an order are the means of."""
    return result.measure.name if result.judged is None else result.judged.mean_of


def _cost_name(result: Ordering) -> str:
    """Name the cost that was weighed: one by its name, several together."""
    names = list(result.cost or ())
    return names[0] if len(names) == 1 else "cost"


def _cost_of(result: Ordering) -> Callable[[str], str]:
    """Return how a cost is written: one in its own unit, where the order counts it so."""
    names = list(result.cost or ())
    own = len(names) == 1 and (result.method == "pairwise" or result.dataset is not None)
    unit = cost_named(names[0]).unit if own else ""
    return lambda name: cost(result.costs[name], unit)


def _standing(result: Ordering) -> tuple[Column, Callable[[str], str]]:
    """Return the column of what algorithms stand by where no cost is asked for."""
    ranks = result.mean_ranks
    return Column("mean rank", numeric=True), lambda name: rank(ranks[name])


def overrides(result: Ordering) -> str:
    """Say in how many pairs the test overrode the preference."""
    preferred, other, *_ = result.wording
    if not result.overridden:
        return f"No test overrode the preference for the {preferred}."
    return (
        f"In {len(result.overridden)} of {result.n_pairs} pairs the {other} algorithm is "
        f"significantly better, which overrides the preference for the {preferred}."
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
    return [
        Title(
            f"{joined(result.best)} {first} of {len(result.components[0])} algorithms over "
            f"{_datasets(result.n_datasets)}{_lacking(result)}{_anew(result)}"
        ),
        Paragraph(f"{result.title} by {result.measure}"),
        *_leader(result),
        *([Paragraph(said)] if (said := result.missing_said) else []),
        *_focus(result),
        *_ranking_boards(result),
        *(Paragraph(line) for line in _judged_lines(result)),
        notes(result),
    ]


def _leader(result: Ranking) -> list[Block]:
    """Say who leads by the tests of pairs, where that is another, and how sure that is."""
    first, sure = result.claims.of(RankedFirst), result.claims.of(Sureness)
    if first is None or sure is None:
        return []
    return [Paragraph(first.text if first.leader != first.algorithm else sure.text)]


def _anew(result: Ranking) -> str:
    """Say of item scores what the ranks left open are about."""
    judged = result.judged if result.own_sets is None else None
    if judged is None or result.table.items is None:
        return ""
    return f"; rank sets: {generalises_to(judged.over, judged.n_datasets)}"


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


def _datasets(n: int) -> str:
    return "one data set" if n == 1 else f"{n} data sets"


def _ranking_boards(result: Ranking) -> list[Block]:
    """Show the boards, with the method's own score as what the places go by."""
    rows = result.board
    scores = dict(zip(result.order, _alike(row.score for row in rows), strict=True))
    # The mean score stands there once.
    own = result.score_name
    name = f"mean {result.measure.name}" if own == "mean score" else own
    by: list[Cell[RankingRow]] = [(Column(name, numeric=True), lambda row: scores[row.algorithm])]
    if name != own:
        by.append((Column("±", numeric=True), lambda row: margin(row.interval)))
    if result.intervals:
        by.append((Column("95 % interval", numeric=True), lambda row: _ends(row.score_interval)))
    imputed = result.table.with_imputed
    columns = board_columns(
        rows, result.measure, by, letters=few_letters(result.judged), imputed=imputed
    )
    mean_shown = name == own and not result.measure.is_ordinal
    mark = mark_said(imputed) if mean_shown else []
    return [*boards(by_part(rows, result.components), columns, result.shown), *mark]


def _ends(interval: tuple[float, float] | None) -> str:
    return " … ".join(minus(number(end)) for end in interval or ())


def _focus(result: Ranking) -> list[Block]:
    if result.focus is None:
        return []
    name = result.focus.row.algorithm
    row = next(row for row in result.board if row.algorithm == name)
    part = next(part for part in result.components if name in part)
    by = f"{result.score_name} {minus(number(row.score))}"
    return focus_lines(result.focus, f"{row.place} of {len(part)}, {by}{open_ranks(row.ranks)}")


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
            Paragraph(_methods_line(result)),
            _differing(result),
            Items(
                "No difference found",
                tuple(("-", ", ".join(group)) for group in result.groups if len(group) > 1),
            ),
        ]
    return [*blocks, notes(result)]


def _methods_table(rows: Sequence[MethodEvaluation], top: int) -> Table:
    ranked = rows[0].mean_rank is not None
    return Table(
        (
            Column("method"),
            Column("correlation", numeric=True),
            Column("sd", numeric=True),
            Column("weighted", numeric=True),
            *(Column(f"lost, top {k}", numeric=True) for k in sorted({1, top})),
            *((Column("mean rank", numeric=True),) if ranked else ()),
        ),
        tuple(
            (
                row.method,
                correlation(row.correlation),
                correlation(row.correlation_sd),
                correlation(row.weighted_correlation),
                *(number(loss) for loss in row.regret.values()),
                *(() if row.mean_rank is None else (rank(row.mean_rank),)),
            )
            for row in rows
        ),
    )


def _methods_line(result: RankingEvaluation) -> str:
    test = result.omnibus
    if test is None:
        return ""
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
    if len(found) > _PAIRS_SHOWN:
        more = f"and {len(found) - _PAIRS_SHOWN} more"
        lines.append(strung([more, Worded(": --json, or .to_dict(), has them")]))
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
            f"{result.n_resamples} draws of {_datasets(result.n_datasets)} with replacement; "
            f"{result.measure}"
        ),
        _places_table(first) if alone else _firsts_table(result.methods),
        Paragraph(
            "agreement: the mean correlation of the rankings drawn with that of the whole table"
            + (f", {correlation(first.agreement)}" if alone else "")
        ),
        notes(result),
    ]


def _places_table(method: MethodStability) -> Table:
    top = min(3, len(method.order))
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
                share(method.ranks[name]),
                name,
                probability(method.places[name][0]),
                probability(method.among_first(name, top)),
                probability(method.places[name][-1]),
                " … ".join(share(end) for end in method.rank_intervals[name]),
            )
            for name in method.order
        ),
    )


def _firsts_table(methods: Sequence[MethodStability]) -> Table:
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
                method.method,
                *(
                    cell
                    for name in method.order[:2]
                    for cell in (name, probability(method.places[name][0]))
                ),
                correlation(method.agreement),
            )
            for method in methods
        ),
    )
