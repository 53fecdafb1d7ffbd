"""Ranking methods: from scores on many data sets to one ranking, by name (brazdil2000 §2)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Annotated, Any, NamedTuple

import numpy as np

from palio.claims import Answer, Answered, Leader, RankedFirst, generalises_to
from palio.comparison.answer import untested
from palio.comparison.board import (
    BoardCost,
    Focus,
    board_costs,
    focus_on,
    mean_intervals,
    shared_places,
)
from palio.comparison.over_datasets import compare, nobody_met
from palio.comparison.over_items import on_shared_items, read_over
from palio.comparison.results import Comparison
from palio.errors import InputError, ParameterError
from palio.measures import Measure
from palio.ordering import rankers
from palio.ordering.prior import Cost, cost_weights
from palio.ordering.rankers import Ranker, RankingOptions
from palio.registry import Method, Registry
from palio.results import Result, Topped, same_but
from palio.scores import ScoreTable, Tabular, as_table, reading_in
from palio.scores.items import ReadOver
from palio.scores.summary import MissingSummary, missing_in
from palio.stats.incomplete import components
from palio.stats.ranks import average_ranks
from palio.types import FloatArray


@dataclass(frozen=True)
class RankingMethod(Method):
    """An entry of the registry.

    ``score_name`` heads the column of scores. ``same_order_as`` names the method whose order it
    has by construction where no score is missing. ``properties`` are promises that the property
    tests verify for every entry: ``reorder`` (the order of data sets and algorithms does not
    matter), ``negation`` (negating the scores with the direction flipped changes nothing),
    ``scale`` (nor does multiplying them), ``monotone`` (nor does any growing function of them),
    ``identical`` (identical algorithms share a rank), ``dominated`` (an algorithm that is no
    better on any fold, and no cheaper, never ranks above), ``copy`` (a copy of an algorithm does
    not reorder the others). What is not promised is shown to fail, so that nobody relies on it.
    """

    score_name: str
    bind: Callable[[ScoreTable, RankingOptions], Ranker]
    options: frozenset[str] = frozenset()
    same_order_as: str | None = None
    properties: frozenset[str] = frozenset()


_ALL = frozenset({"reorder", "scale"})
_FAIR = _ALL | {"identical", "dominated"}
_BY_RANK = _FAIR | {"negation", "monotone"}
_ON_FOLDS = frozenset({"test", "alpha", "test_options"})

_by_rank = partial(RankingMethod, properties=_BY_RANK)

RANKINGS: Registry[RankingMethod] = Registry.of(
    "method",
    _by_rank(
        "average-ranks",
        "average ranks",
        "brazdil2000 §2.1",
        "mean rank",
        rankers.average_ranks_of,
        aliases=("average-rank", "mean-ranks", "mean-rank"),
    ),
    RankingMethod(
        "success-rate-ratios",
        "success rate ratios",
        "brazdil2000 §2.2",
        "mean ratio",
        rankers.success_rate_ratios_of,
        properties=_FAIR,
        aliases=("srr",),
    ),
    RankingMethod(
        "significant-wins",
        "significant wins",
        "brazdil2000 §2.3",
        "wins per test",
        rankers.significant_wins_of,
        options=_ON_FOLDS,
        properties=_ALL | {"identical", "negation"},
    ),
    _by_rank(
        "median-ranks",
        "median ranks",
        "",
        "median rank",
        rankers.median_ranks_of,
        aliases=("median-rank",),
    ),
    RankingMethod(
        "mean-score",
        "mean score",
        "",
        "mean score",
        rankers.mean_score_of,
        properties=_FAIR | {"negation", "copy"},
        aliases=("average-score",),
    ),
    _by_rank("copeland", "Copeland's rule", "Copeland 1951", "net wins", rankers.copeland_of),
    _by_rank(
        "bradley-terry",
        "Bradley–Terry strengths",
        "Bradley and Terry 1952",
        "strength",
        rankers.bradley_terry_of,
        same_order_as="average-ranks",
    ),
    _by_rank(
        "elo",
        "Elo ratings at rest",
        "Elo 1978",
        "rating",
        rankers.elo_of,
        options=frozenset({"anchor"}),
        same_order_as="average-ranks",
    ),
    RankingMethod(
        "adjusted-ratios",
        "adjusted ratios of ratios",
        "Brazdil, Soares and da Costa 2003",
        "mean ratio",
        rankers.adjusted_ratios_of,
        options=frozenset({"cost", "acc_d"}),
        properties=_FAIR,
    ),
    RankingMethod(
        "multi2test",
        "Multi²Test",
        "ulas2008 Table 3.2",
        "place",
        rankers.multi2test_of,
        options=_ON_FOLDS | {"cost", "prior"},
        properties=_ALL | {"negation"},
    ),
)


@dataclass(frozen=True, repr=False)
class Ranking(Answered, Topped, Result):
    """Algorithms ranked over many data sets; tied algorithms share the mean of their ranks.

    ``rank_sets`` and ``unbeaten`` are the method's own where it has any, as strengths do. Otherwise
    they come from a comparison of all pairs, ``judged``: that of :func:`palio.compare` as it is by
    default, or ``over`` what was asked for. It is made when first asked for; there is none where
    the table allows no test, and a note says so. ``board`` has a row for each, with the costs that
    were named to be shown; ``shown`` is how many of it a text shows, ``focus`` the algorithm looked
    at. ``components`` are the parts, the largest first, that no chain of data sets joins: ranks are
    within a part, and who has met nobody has neither score nor interval.
    """

    kind = "ranking"
    parts = (
        "leader", "sureness", "claims", "method", "title", "measure", "n_datasets", "score_name",
        "higher_scores_first", "scores", "ranks", "order", "best", "rank_sets", "unbeaten",
        "intervals", "components", "board", "costs", "focus", "missing", "notes",
    )  # fmt: skip

    method: str
    measure: Measure
    n_datasets: int
    scores: Mapping[str, float]
    ranks: Mapping[str, float]
    higher_scores_first: bool
    table: ScoreTable = field(compare=False)
    intervals: Mapping[str, tuple[float, float]] | None = None
    remarks: tuple[str, ...] = ()
    components: tuple[tuple[str, ...], ...] = ()
    own_sets: Mapping[str, tuple[int, int]] | None = None
    costs: tuple[BoardCost, ...] = ()
    shown: int | None = None
    focus: Focus | None = None
    over: ReadOver | None = None

    @property
    def title(self) -> str:
        """What the method is called."""
        return RANKINGS[self.method].title

    @property
    def score_name(self) -> str:
        """What the scores are."""
        return RANKINGS[self.method].score_name

    @property
    def order(self) -> tuple[str, ...]:
        """The algorithms, best first, part after part; tied ones by name."""
        return tuple(name for part in self.components for name in part)

    @property
    def best(self) -> tuple[str, ...]:
        """The algorithm in the first place of the largest part, or those that share it."""
        first = self.components[0]
        return tuple(name for name in first if self.ranks[name] == self.ranks[first[0]])

    @cached_property
    def _compared(self) -> tuple[Comparison | None, tuple[str, ...]]:
        """Compare all pairs; where that is not possible, say why."""
        try:
            return compare(self.table, over=self.over), ()
        except InputError as error:
            return None, (f"no rank sets, as there is no test: {error}",)

    @cached_property
    def claims(self) -> Answer:
        """What is claimed: whom the ranking puts first, and who leads by the pairs."""
        compared = self._compared[0]
        found = untested(self.table) if compared is None else compared.claims
        leads = next(each for each in found if isinstance(each, Leader))
        by = leads.algorithm, leads.by, self.best
        return Answer((RankedFirst(self.best[0], self.title, *by), *found))

    @property
    def judged(self) -> Comparison | None:
        """The comparison of all pairs; none where the method has its own, or none is possible."""
        return self._compared[0] if self.own_sets is None else None

    @cached_property
    def missing(self) -> MissingSummary | None:
        """The scores that the table lacks, of whom and why."""
        return missing_in(self.table)

    @property
    def missing_said(self) -> str | None:
        """What is missing, in a sentence; where all pairs are compared also what hangs on it."""
        if self.judged is not None:
            return self.judged.verdict.missing
        return None if self.missing is None else self.missing.describe()

    @cached_property
    def rank_sets(self) -> Mapping[str, tuple[int, int]] | None:
        """The first and the last rank, within its part, that is left open to each algorithm."""
        if self.own_sets is not None or self.judged is None:
            return self.own_sets
        return {row.algorithm: row.ranks for row in self.judged.board if row.ranks} or None

    @cached_property
    def board(self) -> tuple[RankingRow, ...]:
        """One row per algorithm, best first, part after part."""
        return ranking_board(self)

    def focused(self, name: str) -> Ranking:
        """Return the same ranking with one algorithm in focus, by the pairs of a comparison.

        >>> import palio
        >>> ranking = palio.rank(palio.load_study("ulas2008"), method="mean-score").focused("c45")
        >>> ranking.focus.above, ranking.focus.better
        ('5nn', ('svr', 'svl'))
        """
        judged, why = self._compared
        if judged is None:
            raise ParameterError("focus", "it is against the rest by a test", why[0])
        return same_but(self, focus=focus_on(judged, name, self.order))

    @property
    def unbeaten(self) -> tuple[str, ...] | None:
        """Those whom nobody significantly beats, the best first."""
        if self.own_sets is not None:
            return tuple(name for name in self.order if self.own_sets[name][0] == 1)
        return None if self.judged is None else self.judged.unbeaten

    @property
    def notes(self) -> tuple[str, ...]:
        """Conventions, and why there are no rank sets where there are none."""
        if self.own_sets is not None:
            return self.remarks
        anew = self.rank_sets_of
        return (*self.remarks, *([anew] if anew else []), *self._compared[1])

    @property
    def rank_sets_of(self) -> str:
        """What the ranks left open generalise to, where there are item scores; else empty."""
        judged = self.judged
        if judged is None or self.table.items is None:
            return ""
        return f"rank sets: {generalises_to(judged.over, judged.n_datasets)}"

    def __repr__(self) -> str:
        return f"<Ranking by {self.method}: {' > '.join(self.order)}>"

    def _frame(self) -> Any:
        """Give one row per algorithm, best first."""
        return [
            {"algorithm": name, "rank": self.ranks[name], "score": self.scores[name]}
            for name in self.order
        ]


def rank(
    table: Tabular,
    *,
    method: str = "average-ranks",
    over: ReadOver | None = None,
    scale: str | None = None,
    cost: Cost | None = None,
    prior: Sequence[str] | None = None,
    test: str | None = None,
    alpha: float | None = None,
    acc_d: float | None = None,
    anchor: str | None = None,
    **test_options: Any,
) -> Ranking:
    """Rank algorithms over many data sets, to say which to try first on a new one.

    No ranking is right for every data set. It says what to try, and in which order;
    `evaluate_rankings` says how well each method foretells a data set it has not seen, and
    `rank_stability` how much the ranking hangs on the data sets at hand.

    Parameters
    ----------
    table
        Scores; each data set counts once, with the mean over its folds.
    method
        ``"average-ranks"``, ``"median-ranks"``, ``"mean-score"``, ``"success-rate-ratios"``
        (shares of successes or of errors alone), ``"significant-wins"`` (needs folds),
        ``"copeland"``, ``"bradley-terry"``, ``"elo"``, ``"adjusted-ratios"`` (success and one
        cost), ``"multi2test"`` (folds, and a cost or a prior).
    over
        What would be drawn anew in ``rank_sets`` and ``unbeaten``, as for :func:`palio.compare`:
        ``"datasets"`` or ``"items"``. The ranks themselves are over the data sets at hand.
    scale
        What means the same on every data set, as for :func:`palio.compare`.
    cost, prior
        The cost of ``"adjusted-ratios"``; the cost or order of preference of ``"multi2test"``. With
        other methods a cost is shown beside the scores, and decides nothing.
    test, alpha
        The test on folds of ``"significant-wins"`` (``"kfold-t"`` unless given) and
        ``"multi2test"`` (``"5x2cv-f"`` on 5×2 cv, else ``"corrected-t"``), and its level, 0.05.
    acc_d
        For ``"adjusted-ratios"``: the share of success one gives for a tenfold speed, 0.01.
    anchor
        For ``"elo"``: the algorithm that has 1500, rather than the mean.
    **test_options
        What the test needs besides, such as ``test_fraction`` for ``"corrected-t"``; and options
        of :func:`palio.read_scores`, such as ``score``, where the table is yet to be read.

    Returns
    -------
    Ranking
        ``order`` and ``ranks`` are the places, ``scores`` what they are by.

    See Also
    --------
    palio.evaluate_rankings : which ranking foretells best.
    palio.rank_stability : how firm each place is.
    palio.order : with tests, and a cost.

    References
    ----------
    P. B. Brazdil and C. Soares (2000), A comparison of ranking methods for classification
    algorithm selection, ECML 2000.

    Examples
    --------
    >>> import palio
    >>> table = palio.load_study("ulas2008")
    >>> palio.rank(table)
    <Ranking by average-ranks: svr > svl > mlp > lnp > sv2 > 5nn > c45 > mdt>
    >>> palio.rank(table, method="success-rate-ratios").order[:3]
    ('svr', 'svl', 'lnp')
    >>> palio.rank(table).rank_sets["svl"]
    (1, 4)
    """
    table = on_shared_items(as_table(table, reading_in(test_options), rank, over=over, scale=scale))
    if over is not None:
        over = read_over(table, over, dataset=None, test=None)
    entry = RANKINGS[method]
    weighed = cost if "cost" in entry.options else None
    options = RankingOptions(weighed, prior, test, alpha, acc_d, test_options, anchor)
    _refuse_unused([entry], options)
    costs = board_costs(table, None if cost is None else cost_weights(cost))
    ranker = entry.bind(table, options)
    whole = np.ones((1, table.n_datasets))
    scores = dict(zip(table.algorithms, ranker.scores(whole)[0].tolist(), strict=True))
    ranks, parts = _within_parts(table, ranker.ranks(whole)[0])
    alone = {part[0] for part in parts if len(part) == 1}
    if len(alone) == table.n_algorithms:
        raise nobody_met(table.n_datasets, table.n_algorithms)
    own_sets = intervals = None
    if ranker.spread is not None:
        ends, sets = (each.tolist() for each in ranker.spread())
        names, bounds = table.algorithms, zip(*ends, strict=True)
        both = zip(names, bounds, strict=True)
        intervals = {name: each for name, each in both if name not in alone}
        own_sets = {name: (low, high) for name, (low, high) in zip(names, sets, strict=True)}
    return Ranking(
        method=entry.name,
        measure=table.measure,
        n_datasets=table.n_datasets,
        scores={name: math.nan if name in alone else score for name, score in scores.items()},
        ranks=ranks,
        higher_scores_first=ranker.higher_is_better,
        intervals=intervals,
        remarks=(*table.notes, *ranker.notes, *([_WITHIN_PARTS] if len(parts) > 1 else [])),
        components=parts,
        own_sets=own_sets,
        costs=costs,
        table=table,
        over=over,
    )


_WITHIN_PARTS = "ranks are within a part, and scores of different parts cannot be compared"


def _within_parts(
    table: ScoreTable, ranks: FloatArray
) -> tuple[dict[str, float], tuple[tuple[str, ...], ...]]:
    """Return the ranks within each part, and the parts, the largest first, each best first."""
    found: dict[str, float] = {}
    parts = []
    where = components(~np.isnan(table.goodness()))
    for part in range(where.max() + 1):
        ours = np.flatnonzero(where == part).tolist()
        names = [table.algorithms[i] for i in ours]
        own = average_ranks(ranks[ours]).tolist()
        found |= zip(names, own, strict=True)
        parts.append(tuple(name for _, name in sorted(zip(own, names, strict=True))))
    parts.sort(key=lambda part: (-len(part), part))
    return {name: found[name] for name in table.algorithms}, tuple(parts)


# --- several methods at once -------------------------------------------------------------------


class BoundRankings(NamedTuple):
    """Methods made ready for one table, and why others were left out."""

    rankers: Mapping[str, Ranker]
    notes: tuple[str, ...]


def bind_rankings(
    table: ScoreTable, methods: Iterable[str] | None, options: RankingOptions
) -> BoundRankings:
    """Make methods ready, each with the options it takes; without names, all that the table allows.

    An option that none of them takes is an error, as is a method that was named and cannot be.
    """
    if methods is None:
        return _whatever_fits(table, options)
    names = [methods] if isinstance(methods, str) else list(dict.fromkeys(methods))
    if not names:
        raise ParameterError("methods", "at least one ranking method is needed", "none was given")
    entries = [RANKINGS[name] for name in names]
    _refuse_unused(entries, options)
    return BoundRankings({entry.name: _bind(entry, table, options) for entry in entries}, ())


def _bind(entry: RankingMethod, table: ScoreTable, options: RankingOptions) -> Ranker:
    """Bind with the options that the method takes."""
    taken = {name: value for name, value in options.given().items() if name in entry.options}
    return entry.bind(table, RankingOptions(**taken))


def _refuse_unused(entries: Sequence[RankingMethod], options: RankingOptions) -> None:
    """Refuse options that no method has a use for."""
    taken = frozenset().union(*(entry.options for entry in entries))
    names, takes = ", ".join(entry.name for entry in entries), ", ".join(sorted(taken))
    rule = f"none of the methods takes it ({names})"
    if len(entries) == 1:
        rule = f"method '{names}' does not take it (it takes {takes or 'no options'})"
    for option in options.given():
        if option not in taken:
            raise ParameterError(option, rule)


def _whatever_fits(table: ScoreTable, options: RankingOptions) -> BoundRankings:
    found: dict[str, Ranker] = {}
    notes = []
    refused: dict[str, InputError] = {}
    for name, entry in RANKINGS.items():
        if entry.same_order_as is not None and table.is_complete:
            notes.append(f"{name} left out: on a complete table its order is {entry.same_order_as}")
            continue
        try:
            found[name] = _bind(entry, table, options)
        except InputError as error:
            refused[name] = error
    for option in options.given():
        takers = [name for name, entry in RANKINGS.items() if option in entry.options]
        if not any(name in found for name in takers):
            # What was asked for cannot be done: the reason is the answer, not a note.
            raise refused[takers[0]]
    if not found:
        raise next(iter(refused.values()))
    notes += [f"{name} left out, {error}" for name, error in refused.items()]
    return BoundRankings(found, tuple(notes))


# --- as a leaderboard -----------------------------------------------------------------------------


# Of the mean scores, and of the scores of methods that have intervals.
_CONFIDENCE = 0.95


class RankingRow(NamedTuple):
    """An algorithm on the board of a ranking; places and ranks are within its part."""

    place: Annotated[int, "By the method; equals share the first of their places."]
    algorithm: str
    score: Annotated[float, "The method's own."]
    score_interval: Annotated[tuple[float, float] | None, "At 95 %, where the method has one."]
    ranks: Annotated[tuple[int, int] | None, "The ranks that are left open."]
    mean_score: Annotated[float, "Null where the measure differs by data set."]
    interval: Annotated[tuple[float, float], "Of the mean score, over data sets, at 95 %."]
    group: Annotated[str, "No difference was found between those that share a letter, if told."]
    beats: Annotated[int | None, "How many it is significantly better than; null without a test."]
    beaten_by: Annotated[int | None, "How many are significantly better."]
    missing: Annotated[int, "On how many data sets it has no score of its own."]
    costs: Annotated[Mapping[str, float], "The mean of each cost that was named, in its own unit."]


def _means(ranking: Ranking) -> Mapping[str, float]:
    """Return the mean scores; on a ratio scale as ratios to the leader's, as a comparison does."""
    means = ranking.table.mean_scores()
    if ranking.measure.scale != "ratio":
        return means
    leads = means[ranking.leader or ranking.order[0]]
    return {name: mean / leads for name, mean in means.items()}


def ranking_board(ranking: Ranking) -> tuple[RankingRow, ...]:
    """Return the algorithms, best first, part after part.

    >>> import palio
    >>> first = ranking_board(palio.rank(palio.load_study("ulas2008")))[0]
    >>> first.place, first.algorithm, first.ranks, first.beats, first.group
    (1, 'svr', (1, 2), 6, 'a')
    """
    table, judged, means = ranking.table, ranking.judged, _means(ranking)
    sized = _CONFIDENCE if table.measure.scale == "difference" else None
    mean_ends = mean_intervals(table.algorithms, table.means(), sized)
    missing = {} if ranking.missing is None else ranking.missing.lacking
    groups = {} if judged is None else {row.algorithm: row.group for row in judged.board}
    sets, intervals = ranking.rank_sets or {}, ranking.intervals or {}
    rows = []
    for part in ranking.components:
        for name, place in shared_places(part, ranking.ranks):
            own = sets.get(name)
            # The first rank left open has all that are better before it, the last all others.
            first, last = own if own is not None and len(part) > 1 else (None, None)
            rows.append(
                RankingRow(
                    place,
                    name,
                    ranking.scores[name],
                    intervals.get(name),
                    own,
                    means[name],
                    mean_ends[name],
                    groups.get(name, ""),
                    None if last is None else len(part) - last,
                    None if first is None else first - 1,
                    missing.get(name, 0),
                    {cost.name: cost.means[name] for cost in ranking.costs},
                )
            )
    return tuple(rows)
