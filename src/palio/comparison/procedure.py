"""How pairs are told apart: by which test, corrected how, at which level, against whom."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from palio.comparison.corrections import Correction, Family, check_alpha, correction_for
from palio.comparison.fold_tests import PairwiseTest
from palio.comparison.pair_tests import BAYESIAN, PAIR_TESTS, PairVerdicts, pair_test_named
from palio.comparison.sample import Sample, shared
from palio.numbers import limit
from palio.stats.across import least_by_flips
from palio.types import BoolArray, FloatArray, IntArray, Options


class Asked(NamedTuple):
    """A question about pairs, by names; `Procedure.asked` sees to it that it has an answer."""

    test: str | None
    correction: str | None
    alpha: float
    control: str | None
    options: Options


@dataclass(frozen=True)
class Procedure:
    """How pairs are told apart: by which test, corrected how, at which level, against whom."""

    method: str
    correction: Correction
    alpha: float
    control: str | None = None
    options: Options = field(default_factory=dict)
    title: str = ""
    bayesian: bool = False
    pooled: bool = False
    transitive: bool = True

    @property
    def level(self) -> str:
        """The level and the correction, as a note has them; a probability has no sides."""
        sides = "" if self.bayesian else "two-sided at "
        return f"{sides}α = {self.alpha:g}, {self.correction.title}"

    @property
    def no_rank_sets(self) -> str:
        """Why the pairs give no rank sets that hold all at once; empty where they do."""
        if self.bayesian:
            return "each pair is judged by itself ('anova' draws all algorithms together)"
        if self.pooled:
            return "the verdict on a pair depends on the others, and may be false because of them"
        if not self.correction.holds_fwer(transitive=self.transitive):
            return (
                f"{self.correction.title} does not hold the chance of any false finding"
                f"{self._with_this_test} ('holm' does)"
            )
        return ""

    @property
    def notes(self) -> tuple[str, ...]:
        """What holds for the correction, alone and with this test."""
        warning = BAYESIAN if self.bayesian else self.correction.warning
        if self._with_this_test:  # it needs hypotheses that the test does not have
            warning = (
                f"warning: {self.correction.title} takes it that if a equals b and b equals c, "
                f"then a equals c. This need not be so{self._with_this_test}, so the chance of any "
                "false finding may exceed α; use 'holm'",
            )
        return (*self.correction.notes, *warning)

    @property
    def _with_this_test(self) -> str:
        fits = self.transitive or self.correction.controls != "transitive"
        return "" if fits else f" with the {self.title or self.method}"

    def __str__(self) -> str:
        """Name the test, the correction and the level, as a sentence has them."""
        test = self.title or self.method
        return f"{test}, {self.correction.title}, α = {limit(self.alpha)}"

    @classmethod
    def asked(
        cls,
        test: str | PairwiseTest,
        correction: str | None,
        alpha: float,
        control: str | None = None,
        options: Options | None = None,
    ) -> Procedure:
        """Return the procedure that names ask for; what has no answer is refused.

        A name is that of a test over data sets.
        """
        check_alpha(alpha)
        entry = pair_test_named(test) if isinstance(test, str) else test
        correct = correction_for(correction, bayesian=entry.bayesian)
        chosen = entry.checked(options or {})
        correct.check(test=entry.name, control=control)
        return cls(
            entry.name,
            correct,
            alpha,
            control,
            chosen,
            entry.title,
            bayesian=entry.bayesian,
            pooled=entry.on_ranks,
            transitive=entry.transitive,
        )

    def is_default(self, usual: str | None) -> bool:
        """Say whether it is what is done where nothing is asked for but the level."""
        as_usual = self.method == usual and self.correction.name == "holm"
        return as_usual and self.control is None and not self.options

    @property
    def test_key(self) -> tuple[object, ...]:
        """The test and its options, not the correction: where equal, p and who leads are too."""
        takes = PAIR_TESTS[self.method].options
        usual = {name: values[0] for name, values in takes.items() if isinstance(values, tuple)}
        chosen = {**usual, **self.options}
        if chosen.get("zero_method") == "zsplit":  # moves the statistic, not what is likely
            chosen["zero_method"] = "pratt"
        return self.method, *sorted(chosen.items())

    def run(self, sample: Sample) -> PairVerdicts:
        """Test the pairs of a sample."""
        return PAIR_TESTS[self.method].run(sample, self.options)

    def adjusted(self, found: PairVerdicts, k: int, met: BoolArray | None = None) -> FloatArray:
        """Return the p-values of pairs among k algorithms, corrected; ``met``: where not all."""
        return self.correction.adjusted(Family(found.p_value, k, found.statistic, met))

    def of_pairs(self, goodness: FloatArray, first: IntArray, second: IntArray) -> PairVerdicts:
        """Test pairs of columns, the names left behind; a test on ranks on complete rows."""
        if PAIR_TESTS[self.method].on_ranks:
            goodness = goodness[~np.isnan(goodness).any(axis=1)]
        return self.run(Sample(goodness, first, second))

    def sided(self, goodness: FloatArray) -> FloatArray:
        """Return of all pairs of columns 1 where the first is significantly better, -1, or 0.

        Pairs that share no row are not compared, and no part of the family: 0.
        """
        k = goodness.shape[1]
        first, second = np.triu_indices(k, 1)
        if PAIR_TESTS[self.method].on_ranks or not np.isnan(goodness).any():
            return self.judged(self.of_pairs(goodness, first, second), k)
        met = shared(goodness, first, second) > 0
        found = np.zeros(first.size)
        verdicts = self.run(Sample(goodness, first[met], second[met]))
        found[met] = self.judged(verdicts, k, met)
        return found

    def judged(self, found: PairVerdicts, k: int, met: BoolArray | None = None) -> FloatArray:
        """Return what a test said of pairs of k algorithms, corrected: 1, -1 or 0."""
        significant = self.adjusted(found, k, met) <= self.alpha
        return np.asarray(np.sign(found.lead) * significant)

    def different(self, goodness: FloatArray) -> BoolArray:
        """Return which of all pairs of columns are called different."""
        return np.asarray(self.sided(goodness) != 0)

    def told(self, goodness: FloatArray, pair: tuple[int, int]) -> float:
        """Return of one pair of columns what `sided` does of all: without them where it can.

        A corrected p-value is least where all others are 0 and largest where they are 1.
        """
        k = goodness.shape[1]
        first, second = np.triu_indices(k, 1)
        own = np.flatnonzero((first == min(pair)) & (second == max(pair)))
        turn = 1.0 if pair[0] < pair[1] else -1.0
        if self._of_each_p:
            found = self.of_pairs(goodness, first[own], second[own])
            least, most = (self._among(found, own, k, others) for others in (0.0, 1.0))
            if least > self.alpha or most <= self.alpha:
                return turn * float(np.sign(found.lead[0]) * (least <= self.alpha))
        return turn * float(self.sided(goodness)[own[0]])

    def _among(self, found: PairVerdicts, own: IntArray, k: int, others: float) -> float:
        """Return a pair's p-value corrected among pairs of k whose p-values are all the same."""
        p_values = np.full(k * (k - 1) // 2, others)
        p_values[own] = found.p_value
        return float(self.correction.adjusted(Family(p_values, k))[own[0]])

    @property
    def _of_each_p(self) -> bool:
        """Whether the correction is one of p-values, and of all pairs."""
        return self.correction.test is None and self.correction.family != "control"

    def may_differ(
        self, goodness: FloatArray, first: IntArray, second: IntArray, asked: BoolArray
    ) -> bool:
        """Say whether any of some of all pairs of columns can be called different: cheaply.

        By the least p that wins alone allow, then by the p of those pairs that it leaves. No
        correction gives a larger adjusted p where p-values fall, so that what is not significant
        by these is not by all p-values.
        """
        n, k = goodness.shape
        if not self._of_each_p or not PAIR_TESTS[self.method].by_flips(n):
            return True
        p_values = least_by_flips(goodness, first, second)
        adjusted = self.correction.adjusted(Family(p_values, k))
        left = np.flatnonzero(asked & (adjusted <= self.alpha))
        if not left.size:
            return False
        p_values[left] = self.of_pairs(goodness, first[left], second[left]).p_value
        adjusted = self.correction.adjusted(Family(p_values, k))
        return bool((adjusted <= self.alpha)[asked].any())

    def least(self, shared: IntArray, k: int, met: BoolArray | None = None) -> float:
        """Return the least adjusted p-value there can be for pairs that share so many data sets.

        That is where in every pair one wins everywhere, and by about as much, as no correction
        gives a smaller one where other p-values grow. Only pairs that met count; ``met`` says which
        of all pairs of k these are, where not all are.

        >>> Procedure.asked("wilcoxon", "holm", 0.05).least(np.array([3]), 2)
        0.25
        """
        sizes, where = np.unique(shared, return_inverse=True)
        found = [self._of_one_that_wins_everywhere(n) for n in sizes.tolist()]
        p_value = np.array([each.p_value[0] for each in found])[where]
        statistic = np.array([each.statistic[0] for each in found])[where]
        return float(self.correction.adjusted(Family(p_value, k, statistic, met)).min())

    def enough(
        self, p_values: FloatArray, k: int, met: BoolArray | None, *, most: int
    ) -> int | None:
        """Return on how few data sets one more pair of k algorithms could be told apart.

        One of the two wins on all of them, beside pairs with these p-values, the largest of which
        it takes the place of. None if ``most`` data sets are not enough.

        >>> procedure = Procedure.asked("wilcoxon", "holm", 0.05)
        >>> procedure.enough(np.array([1e-6, 0.5, 0.9]), 3, None, most=20)
        7
        """
        place = int(np.argmax(p_values))

        def told(n: int) -> bool:
            then = p_values.copy()
            then[place] = self._of_one_that_wins_everywhere(n).p_value[0]
            adjusted = self.correction.adjusted(Family(then, k, None, met))
            return bool(adjusted[place] <= self.alpha)

        if not told(most):
            return None
        return bisect_left(range(1, most), True, key=told) + 1

    def _of_one_that_wins_everywhere(self, n: int) -> PairVerdicts:
        # By about as much: a t test of differences without a spread is a case of its own.
        one = np.column_stack([1 + 1e-6 * np.arange(n), np.zeros(n)])
        return self.run(Sample(one, np.array([0]), np.array([1])))
