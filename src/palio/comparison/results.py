"""What a comparison says: who differs from whom, who stands where, and how sure that is."""

from __future__ import annotations

import itertools
import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from palio.claims import Answer, Answered, Claim, Missing, OtherReading, Sureness
from palio.comparison.answer import claims_of, other_reading, sureness_of
from palio.comparison.board import BoardCost, BoardRow, Focus, board_of, focus_on
from palio.comparison.pairs import ComparedPair, Tested, TestResult
from palio.comparison.sample import Scores, pair_matrix, which_met
from palio.errors import DesignError, ParameterError
from palio.measures import Measure
from palio.results import Paired, Result, Topped, plain, same_but
from palio.scores.scale import Goodness, mean_scores_of
from palio.scores.summary import MissingSummary
from palio.stats.incomplete import components
from palio.stats.ranks import average_ranks, place_counts
from palio.types import BoolArray, FloatArray, IntArray
from palio.words import count

if TYPE_CHECKING:
    from palio.comparison.forest import Forest
    from palio.comparison.procedure import Procedure


Over = Literal["datasets", "folds", "items"]


class Standing(NamedTuple):
    """Whom an algorithm is significantly better and worse than, and whom it was not told from."""

    beats: tuple[str, ...]
    beaten_by: tuple[str, ...]
    level_with: tuple[str, ...]


@dataclass(frozen=True, repr=False, eq=False)
class Comparison(Answered, Paired, Topped, Result):
    r"""Who differs from whom over many data sets, or on the folds of one; and how sure we are.

    It is what :func:`palio.compare` returns. Pairs that share no data set are not among the
    ``pairs``.

    Attributes
    ----------
    method, correction, alpha
        The test of pairs, the correction for testing many of them, and the level.
    procedure
        How the pairs were told apart; as text, in words.
    is_default
        Whether it is the default comparison of its table, which names the leader.
    control
        The algorithm that the others were compared with, if only with it.
    mean_ranks
        The mean rank of each algorithm by score, 1 the best.
    together
        The test of all algorithms at once (``omnibus``), if there is one.
    kendall_w
        How far the data sets agree on the order, from 0 to 1.
    critical_difference
        Of mean ranks, where the test has one.
    least_p
        The least adjusted p-value that so many data sets can give, where even that is above α: then
        no verdict is possible, whatever the scores.
    compared, tested
        The scores, and what the test says of the pairs, as arrays; ``scores`` and ``pairs`` have
        them by name.
    groups
        The largest sets of algorithms between which no difference was found.
    rank_sets
        For each algorithm the first and the last place that its pairs leave open, see the notes.
    missing
        What is missing, and what depends on it.
    costs
        What was named to be shown beside the scores; it decides nothing.
    shown, focus
        How many rows of the board a text shows, and the algorithm looked at.
    reading
        What the other reading of a table with items would say: that of items, if this is of data
        sets.
    notes
        The conventions that were used.

    Notes
    -----
    With :math:`N^-` the number significantly better than an algorithm, and :math:`N^+` the number
    significantly worse, of K, the set of its ranks is

    .. math::

        \left[1 + N^-,\ K - N^+\right]

    All of them hold at once with confidence 1 − α, counting as the rank of an algorithm 1 + the
    number truly better than it. That is proved for Bonferroni's correction; for the others it rests
    on simulation. With the test ``bayes`` they come from joint draws. There are none where neither
    holds, or where only a control was compared.

    References
    ----------
    M. Mogstad, J. P. Romano, A. M. Shaikh and D. Wilhelm (2024), Inference for ranks with
    applications to mobility across neighbourhoods and academic achievement across countries,
    Review of Economic Studies 91(1).

    Examples
    --------
    >>> import palio
    >>> comparison = palio.compare(palio.load_study("ulas2008"))
    >>> comparison.verdict.best
    'svr leads 8 algorithms over 38 data sets; svl may be as good; shared: svr stays unbeaten in all
    42 checks.'
    >>> comparison.rank_sets["svr"], comparison.unbeaten
    ((1, 2), ('svr', 'svl'))
    >>> pair = comparison.pair("svr", "c45")
    >>> pair.better, pair.significant, f"{pair.p_adjusted:.1g}"
    ('svr', True, '4e-06')
    >>> comparison.to_frame()[["a", "b", "wins", "losses"]].head(2)
         a    b  wins  losses
    0  c45  mdt    19      19
    1  c45  mlp    16      22
    """

    kind = "comparison"
    parts: ClassVar[tuple[str, ...]] = (
        "verdict", "leader", "sureness", "claims", "method", "correction", "control", "measure",
        "over", "algorithms", "n_datasets", "datasets", "alpha", "mean_ranks", "mean_scores",
        "omnibus", "kendall_w", "critical_difference", "least_p", "pairs", "groups", "letters",
        "rank_sets", "unbeaten", "components", "board", "costs", "missing", "focus", "scores",
        "notes",
    )  # fmt: skip
    under: ClassVar[Mapping[str, str]] = {"omnibus": "together"}

    method: str
    correction: str
    alpha: float
    mean_ranks: Mapping[str, float]
    together: TestResult | None
    kendall_w: float | None
    tested: Tested
    groups: tuple[tuple[str, ...], ...]
    compared: Scores
    procedure: Procedure
    control: str | None = None
    critical_difference: float | None = None
    least_p: float | None = None
    rank_sets: Mapping[str, tuple[int, int]] | None = None
    notes: tuple[str, ...] = ()
    missing: MissingSummary | None = None
    shown: int | None = None
    focus: Focus | None = None
    costs: tuple[BoardCost, ...] = ()
    is_default: bool = False

    @property
    def algorithms(self) -> tuple[str, ...]:
        """The names of the algorithms."""
        return self.compared.algorithms

    @property
    def measure(self) -> Measure:
        """What the scores measure."""
        return self.compared.measure

    @property
    def datasets(self) -> tuple[str, ...]:
        """The names of the data sets."""
        return self.compared.datasets if self.dataset is None else (self.dataset,)

    @property
    def dataset(self) -> str | None:
        """The data set whose folds were compared, if it was one."""
        return self.compared.folds_of

    @property
    def omnibus(self) -> TestResult:
        """The test of all algorithms at once; on the folds of one data set there is none."""
        if self.together is None:
            raise DesignError(
                "omnibus",
                "a test of all algorithms at once is over data sets",
                "this is over items"
                if self.dataset is None
                else f"this is about the folds of '{self.dataset}'",
                "`together` is None there",
            )
        return self.together

    @property
    def over(self) -> Over:
        """What would be drawn anew: data sets, the folds of one, or items of these."""
        return "datasets" if self.dataset is None else "folds"

    @property
    def n_datasets(self) -> int:
        """The number of data sets."""
        return len(self.datasets)

    @property
    def rests_on(self) -> str:
        """How many data sets, or folds of one, in words; of each pair where they differ."""
        missing = self.missing
        if missing is not None and missing.shared is not None:
            only = missing.complete
            low, high = missing.shared if only is None else (only, only)
            return f"{low} to {high} data sets" if low < high else count(high, "data set")
        return count(len(self.compared.values), "data set" if self.dataset is None else "fold")

    @property
    def n_complete(self) -> int:
        """The number of data sets where every algorithm has a score."""
        return int((~np.isnan(self.compared.values).any(axis=1)).sum())

    @property
    def scores(self) -> dict[str, list[float]]:
        """The scores of each algorithm, in the order of the data sets."""
        return dict(zip(self.algorithms, self.compared.values.T.tolist(), strict=True))

    @cached_property
    def mean_scores(self) -> dict[str, float]:
        """The mean score of each algorithm, allowing for the data sets that each lacks.

        On a ratio scale it is the geometric mean, as a ratio to that of the leader, or of the first
        where nobody leads; PAR10 of run times of which some did not end; NaN on an order scale.
        """
        means = mean_scores_of(self.compared.scaled, self.measure, self.compared.values)
        if self.measure.scale == "ratio":
            means = means / means[self._columns[self.leading or self.by_standing[0]]]
        return dict(zip(self.algorithms, means.tolist(), strict=True))

    @property
    def mean_of(self) -> str:
        """What `mean_scores` are the means of."""
        return self.measure.mean_of

    @property
    def stands_by(self) -> str:
        """What algorithms stand by: their mean rank, or over folds and items their mean score."""
        return "mean rank" if self.over == "datasets" else f"mean {self.measure.name}"

    def standing_of(self, name: str) -> float:
        """Return the standing of an algorithm."""
        return self.mean_ranks[name] if self.over == "datasets" else self.mean_scores[name]

    def n_seen(self, name: str) -> int:
        """Return on how many data sets an algorithm has a score."""
        if self.over == "folds":
            return 1
        return int((~np.isnan(self.compared.values[:, self._columns[name]])).sum())

    @property
    def imputed(self) -> frozenset[str]:
        """The algorithms of which a rule made up a score."""
        made_up = self.compared.imputed
        columns = [] if made_up is None else np.flatnonzero(made_up.any(axis=0)).tolist()
        return frozenset(self.algorithms[column] for column in columns)

    @cached_property
    def letters(self) -> dict[str, str]:
        """The letter display: algorithms of a part without a common letter differ.

        Two that were never compared are not known to differ, so that they share one.
        """
        k = len(self.algorithms)
        if not self.groups or self.control is not None or self.n_pairs == k * (k - 1) // 2:
            return letters(self.groups, self.algorithms)
        order = [self._columns[name] for name in self.by_standing]
        part = np.repeat(np.arange(len(self.components)), [len(each) for each in self.components])
        differ = self._matrix(self.tested.significant)
        differ = differ[np.ix_(order, order)] | (part[:, np.newaxis] != part)
        return letters(maximal_groups(differ, self.by_standing) or (), self.algorithms)

    @cached_property
    def pairs(self) -> tuple[ComparedPair, ...]:
        """All pairs that were compared; `pair` and `tested` do not wait for them."""
        return self.tested.named(self.algorithms, slice(None))

    @property
    def n_pairs(self) -> int:
        """The number of pairs that were compared."""
        return self.tested.first.size

    @property
    def n_different(self) -> int:
        """The number of pairs that differ significantly."""
        return int(self.tested.significant.sum())

    @property
    def differing(self) -> frozenset[str]:
        """Those that differ significantly from another one, or from the control."""
        standings = self.standings.items()
        return frozenset(name for name, own in standings if own.beats or own.beaten_by)

    @property
    def by_mean_rank(self) -> tuple[str, ...]:
        """The names of the algorithms, the best mean rank first; of equals by name.

        Last are those that have no rank, because no other has a score where they have.
        """
        ranks = self.mean_ranks
        return tuple(
            sorted(self.algorithms, key=lambda name: (math.isnan(ranks[name]), ranks[name], name))
        )

    @cached_property
    def by_standing(self) -> tuple[str, ...]:
        """The names of the algorithms, the best standing first.

        Parts that no data set joins stand one after the other, the largest first.
        """
        return tuple(name for part in self.components for name in part)

    @property
    def by_mean_score(self) -> tuple[str, ...]:
        """The names of the algorithms, the best mean score first; of equals by mean rank."""
        if self.measure.is_ordinal:
            return self.by_mean_rank
        bad = self._mean_badness
        return tuple(sorted(self.by_mean_rank, key=lambda name: (math.isnan(bad[name]), bad[name])))

    @property
    def _mean_badness(self) -> dict[str, float]:
        sign = self.measure.goodness_sign
        return {name: -sign * mean for name, mean in self.mean_scores.items()}

    @property
    def best_mean_rank(self) -> frozenset[str]:
        """Those with the best mean rank, all of them if they tie."""
        return lowest(self.mean_ranks)

    @property
    def best_mean_score(self) -> frozenset[str]:
        """Those with the best mean score, all of them if they tie."""
        return lowest(self._mean_badness)

    @cached_property
    def complete(self) -> Scores:
        """The scores on the data sets where every algorithm has one, the best algorithm first."""
        columns = np.array([self._columns[name] for name in self.by_standing])
        rows = np.flatnonzero(np.isfinite(self.compared.values).all(axis=1))
        part, compared = np.ix_(rows, columns), self.compared
        return Scores(
            compared.values[part],
            self.by_standing,
            tuple(compared.datasets[i] for i in rows.tolist()),
            self.measure,
            self.dataset,
            imputed=None if compared.imputed is None else compared.imputed[part],
            scaled=Goodness(compared.goodness[part], compared.scaled.floored[part]),
        )

    @cached_property
    def rank_counts(self) -> FloatArray:
        """On how many of the complete data sets each (row, best first) takes each rank."""
        return place_counts(average_ranks(-self.complete.goodness, axis=1))

    def pairs_among(self, names: Collection[str]) -> tuple[ComparedPair, ...]:
        """Return the pairs of some algorithms, whose effects are worked out without the others'.

        >>> import palio
        >>> comparison = palio.compare(palio.load_study("ulas2008"))
        >>> [(pair.a, pair.b, pair.wins) for pair in comparison.pairs_among(["svr", "c45"])]
        [('c45', 'svr', 5)]
        """
        columns = [self._columns[name] for name in names]
        among = np.isin(self.tested.first, columns) & np.isin(self.tested.second, columns)
        if among.all():
            return tuple(self.pairs)
        return self.tested.some(np.flatnonzero(among), self.algorithms)

    def pair(self, a: str, b: str) -> ComparedPair:
        """Return what is said of two algorithms, in whichever order they are named."""
        found = self.pair_if_compared(a, b)
        if found is None:
            raise ParameterError("algorithms", "the two were not compared", f"'{a}' and '{b}'")
        return found

    def pair_if_compared(self, a: str, b: str) -> ComparedPair | None:
        """Return what is said of two algorithms, if they were compared."""
        place = self.place_of(a, b)
        return None if place is None else self._pair_at(place)

    def place_of(self, a: str, b: str) -> int | None:
        """Return where among the pairs that of two algorithms is, if they were compared."""
        i, j = (self._columns.get(name, -1) for name in (a, b))
        return None if i < 0 or j < 0 or self._place[i, j] < 0 else int(self._place[i, j])

    def _pair_at(self, place: int) -> ComparedPair:
        """Return one pair: out of all of them, if they are there already."""
        if "pairs" in self.__dict__:
            return self.pairs[place]
        return self.tested.named(self.algorithms, slice(place, place + 1))[0]

    @cached_property
    def _columns(self) -> dict[str, int]:
        return {name: i for i, name in enumerate(self.algorithms)}

    @cached_property
    def _place(self) -> IntArray:
        """Where among the pairs that of two algorithms is (k, k); -1 if they were not compared."""
        return self._matrix(np.arange(self.n_pairs), others=-1)

    def _matrix(self, values: NDArray[Any], **others: Any) -> NDArray[Any]:
        """Return what is said of the pairs as a matrix (k, k)."""
        first, second = self.tested.first, self.tested.second
        return pair_matrix(values, first, second, len(self.algorithms), **others)

    @cached_property
    def met(self) -> BoolArray | None:
        """Which of all pairs were compared, if some were not."""
        return which_met(self.tested.first, self.tested.second, len(self.algorithms))

    @cached_property
    def standings(self) -> dict[str, Standing]:
        """Of each algorithm whom it beats, who beats it, and whom it is level with."""
        sides = self._matrix(self.tested.sides, mirrored=-self.tested.sides, others=2)
        names = np.array(self.algorithms, dtype=object)
        return {
            name: Standing(*(tuple(names[row == side].tolist()) for side in (1, -1, 0)))
            for name, row in zip(self.algorithms, sides, strict=True)
        }

    @cached_property
    def board(self) -> tuple[BoardRow, ...]:
        """One row per algorithm, the best standing first, part after part."""
        return board_of(self)

    @cached_property
    def neighbours(self) -> tuple[ComparedPair, ...]:
        """The pairs that stand next to each other on the board and were compared."""
        return self._next_to_each_other(self.by_standing)

    def _next_to_each_other(self, order: Sequence[str]) -> tuple[ComparedPair, ...]:
        found = (self.pair_if_compared(*step) for step in itertools.pairwise(order))
        return tuple(pair for pair in found if pair is not None)

    def steps(self, order: Sequence[str] | None = None) -> tuple[int, int]:
        """Return how many steps down the board, or another order, are significant, and of how many.

        Those between two that were not compared are not counted.
        """
        found = self.neighbours if order is None else self._next_to_each_other(order)
        return sum(pair.significant for pair in found), len(found)

    @cached_property
    def components(self) -> tuple[tuple[str, ...], ...]:
        """The algorithms that chains of shared data sets join, the largest part first.

        Those of different parts cannot be ordered against each other. Last in the part of
        the leader are those that cannot be compared with it.
        """
        apart = self.not_comparable if self.control is None else {}
        if not apart:
            return self._joined
        told = {name for name, own in self.standings.items() if not own.beaten_by} - apart.keys()
        return tuple(
            tuple(sorted(part, key=apart.__contains__)) if told.intersection(part) else part
            for part in self._joined
        )

    @cached_property
    def _joined(self) -> tuple[tuple[str, ...], ...]:
        """The parts, each by mean rank, whoever was compared with whom."""
        part = components(~np.isnan(self.compared.values))
        where = dict(zip(self.algorithms, part.tolist(), strict=True))
        found: dict[int, list[str]] = {}
        for name in self.by_mean_rank:
            found.setdefault(where[name], []).append(name)
        return tuple(map(tuple, sorted(found.values(), key=len, reverse=True)))

    def focused(self, name: str) -> Comparison:
        """Return the same comparison with one algorithm in focus: where it stands, and why.

        >>> import palio
        >>> comparison = palio.compare(palio.load_study("ulas2008")).focused("mlp")
        >>> comparison.focus.row.place, comparison.focus.better
        (3, ('svr',))
        """
        return same_but(self, focus=focus_on(self, name))

    @cached_property
    def unbeaten(self) -> tuple[str, ...] | None:
        """Those whom nobody significantly beats, the best standing first; none with a control."""
        if self.control is not None:
            return None
        return tuple(name for name in self.by_standing if not self.standings[name].beaten_by)

    @property
    def not_comparable(self) -> Mapping[str, int]:
        """Who shares too few data sets with the leader, or the control, to be told from it."""
        return {} if self.missing is None else self.missing.not_comparable

    @property
    def leading(self) -> str | None:
        """The unbeaten algorithm with the best standing; none where all are beaten.

        One that no result could tell from any other does not lead.
        """
        return next((name for name in self.unbeaten or () if name not in self.not_comparable), None)

    @cached_property
    def default(self) -> Comparison:
        """The default comparison of the same table, which names the leader; this one if it is it.

        That is the one with the usual test and correction, at the same level. Where the table
        allows none, as with runs on different items, it is this one.
        """
        from palio.comparison.over_datasets import compare

        table = self.compared.table
        if self.is_default or table is None:
            return self
        over = None if self.over == "folds" else self.over
        try:
            return compare(table, over=over, dataset=self.dataset, alpha=self.alpha)
        except DesignError:
            return self

    @property
    def leader(self) -> str | None:
        """The algorithm that leads by the default comparison; none where all are beaten."""
        return self.default.leading

    @cached_property
    def sureness_claim(self) -> Sureness:
        """How sure it is who leads by this comparison, and why."""
        return sureness_of(self)

    @cached_property
    def reading(self) -> OtherReading | None:
        """Who is unbeaten if the same scores are read the other way, where they can be."""
        return other_reading(self)

    @property
    def warnings(self) -> tuple[Claim, ...]:
        """What the headline must say of the test besides."""
        return ()

    @property
    def missing_claim(self) -> Missing | None:
        """What is missing, as a claim."""
        return None if self.missing is None else self.missing.claim(self.leading)

    @cached_property
    def claims(self) -> Answer:
        """What is claimed, each claim with its numbers."""
        return Answer(claims_of(self))

    def pairs_of(self, name: str) -> tuple[ComparedPair, ...]:
        """Return the pairs that an algorithm is one of, in their order."""
        own = self._columns.get(name, -1)
        places = np.flatnonzero((self.tested.first == own) | (self.tested.second == own))
        return tuple(map(self._pair_at, places.tolist()))

    def forest(self, a: str, b: str) -> Forest:
        """Return by how much a is above b on each data set and over all, with intervals.

        >>> import palio
        >>> found = palio.compare(palio.load_study("ulas2008")).forest("svr", "c45")
        >>> [(row.dataset, round(row.difference, 2)) for row in found.rows[:2]], found.within
        ([('australian', -0.7), ('balance', 24.14)], 'folds')
        >>> round(found.overall.difference, 2), [round(end, 2) for end in found.overall.interval]
        (5.19, [2.23, 9.49])
        """
        from palio.comparison.forest import forest_of

        return forest_of(self, a, b)

    def __repr__(self) -> str:
        return (
            f"<{type(self).__name__}: {self.method}, {self.correction}, {len(self.algorithms)} "
            f"algorithms on {self.rests_on}, {self.n_different} of {self.n_pairs} pairs differ>"
        )

    def _frame(self) -> Any:
        """Give one row per pair."""
        return [plain(pair) for pair in self.pairs]


def lowest(values: Mapping[str, float]) -> frozenset[str]:
    """Return the names of the lowest value, all of them if they tie.

    >>> sorted(lowest({"a": 1.5, "b": 2.0, "c": 1.5, "d": math.nan}))
    ['a', 'c']
    """
    least = min((value for value in values.values() if not math.isnan(value)), default=math.nan)
    return frozenset(
        name for name, value in values.items() if math.isclose(value, least, rel_tol=1e-12)
    )


def letters(groups: Sequence[Sequence[str]], names: Sequence[str]) -> dict[str, str]:
    """Give each group a letter, and each name the letters of its groups.

    Two names share a letter exactly where no difference was found between them.

    >>> letters([("a", "b"), ("b", "c")], ["c", "b", "a"])
    {'c': 'b', 'b': 'ab', 'a': 'a'}
    """
    return {
        name: "".join(_letter(i) for i, group in enumerate(groups) if name in group)
        for name in names
    }


def _letter(i: int) -> str:
    """Count a, b, … z, then a1, b1 and so on."""
    alphabet = "abcdefghijklmnopqrstuvwxyz"
    turn, place = divmod(i, len(alphabet))
    return alphabet[place] + (str(turn) if turn else "")


# --- the largest sets of algorithms of which no two differ ----------------------------------------


GROUP_LIMIT = 500
"""More groups than this tell nobody anything, and there may be exponentially many."""


def maximal_groups(
    different: BoolArray, names: Sequence[str]
) -> tuple[tuple[str, ...], ...] | None:
    """Return every largest set of names of which no two differ, in the order of ``names``.

    These are the maximal cliques of the graph "not different"; each algorithm is in at least one.
    ``None`` if there are more than ``GROUP_LIMIT``. Bron and Kerbosch (1973) with pivoting, on
    sets held as the bits of integers.

    >>> different = np.array([[0, 0, 1], [0, 0, 0], [1, 0, 0]], dtype=bool)
    >>> maximal_groups(different, ["a", "b", "c"])
    (('a', 'b'), ('b', 'c'))
    """
    size = len(names)
    level = np.packbits(~different & ~np.eye(size, dtype=np.bool_), axis=1, bitorder="little")
    level_with = [int.from_bytes(row.tobytes(), "little") for row in level]
    found: list[tuple[int, ...]] = []
    # What is still to be extended: chosen, candidates, excluded. A stack, as recursion would be as
    # deep as the largest group.
    waiting: list[tuple[tuple[int, ...], int, int]] = [((), (1 << size) - 1, 0)]
    while waiting and len(found) <= GROUP_LIMIT:
        chosen, candidates, excluded = waiting.pop()
        if not candidates and not excluded:
            found.append(tuple(sorted(chosen)))
        if not candidates:
            continue
        pivot = max(
            _bits(candidates | excluded), key=lambda u: (candidates & level_with[u]).bit_count()
        )
        branches = []
        for v in _bits(candidates & ~level_with[pivot]):
            branches.append(((*chosen, v), candidates & level_with[v], excluded & level_with[v]))
            candidates &= ~(1 << v)
            excluded |= 1 << v
        waiting += reversed(branches)
    if len(found) > GROUP_LIMIT:
        return None
    return tuple(tuple(names[i] for i in group) for group in sorted(found))


def _bits(mask: int) -> list[int]:
    return [i for i in range(mask.bit_length()) if mask >> i & 1]
