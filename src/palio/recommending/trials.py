"""Try algorithms on the new data in the order recommended, until the rest cannot plausibly win."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from palio.bars import Steps, steps
from palio.errors import ParameterError, require
from palio.experiment.engines import ENGINES
from palio.extras import need
from palio.measures import is_error_rate
from palio.numbers import times
from palio.recommending.budget import BudgetClock, starter
from palio.recommending.evaluation import in_percent
from palio.recommending.experience import Known, as_known
from palio.recommending.loading import made_by, scorer_for
from palio.recommending.result import Chance, Ending, Recommendation, Suggestion, Trial, Trials
from palio.recommending.trial_jobs import Trier, a_few_rows, jobs_of
from palio.scores import ScoreTable, Tabular
from palio.stats.ranks import paired_difference
from palio.types import FloatArray

if TYPE_CHECKING:
    from palio.experiment.data.datasets import Dataset
    from palio.experiment.plan import Job


def try_in_order(
    recommendation: Recommendation,
    table: Tabular | Known | None,
    dataset: Dataset,
    estimators: Mapping[str, Any] | None = None,
    *,
    store: str | os.PathLike[str] = "recommend.db",
    scoring: str | None = None,
    stop: float = 0.05,
    margin: float = 0.0,
    engine: str = "local",
    seed: int = 0,
    unmade: Mapping[str, str] | None = None,
    progress: Steps = None,
    **reading: Any,
) -> Trials:
    """Try algorithms on a new data set in the order recommended, within the budget.

    A trial is a cross-validation on the folds that all share. With a budget the first is one that
    takes a twentieth of it at most, so that there is a result. What is expected to cost more than
    is left is passed over. The budget is of the clock from the call on, with calibration and the
    start of workers. A trial is ended when it has taken half of what is left, or twice what was
    expected if that is more, so that the others keep their chance. If none has ended well by then,
    the cheapest get what is left, and then a sample of the rows. Expected costs are those of the
    table in the time of this machine: a study's learners are timed here for about a second; each
    trial tells whether it took as long as expected.

    It stops when the rest cannot plausibly win: when the probability that one of them beats the
    best so far, as `chance_of_rest` has it from the relevant data sets, falls below ``stop``. With
    fewer than ten data sets to ask, none of which speaks for the rest, that is never below 0.05.
    Nothing that the store has is run again.

    Parameters
    ----------
    recommendation
        From `recommend`; its budget, its folds and its relevant data sets are those used.
    table
        The table it was made from; ``None`` for the study that is shipped.
    dataset
        The new data set, with its target.
    estimators
        By the names of the table; those that lack one are not tried, and noted. Of the study that
        is shipped they are known.
    store
        Where results go. The budget counts all trials of this data set in it.
    scoring
        A scikit-learn scorer; that of the table unless given.
    stop, margin
        Below which probability to stop, 0 for never; and by how much, in the unit of the table, or
        on a ratio scale as a share, one must be better to count as better.
    engine
        ``"local"`` in a worker process, or ``"inline"``, which cannot end a trial that takes long.
    seed
        Of the folds and the random states.
    unmade
        Why some algorithms have no estimator, by name.
    progress
        What is shown meanwhile: a bar in a notebook or on a terminal unless given, nothing with
        ``False``; a function is called with the name of an algorithm before it is tried.
    **reading
        Options of :func:`palio.read_scores`, such as ``score``, where the table is yet to be read.

    Returns
    -------
    Trials
        ``best`` is what was found, ``trials`` what was tried, ``stopped`` why no more.

    See Also
    --------
    palio.recommend : the order alone.

    References
    ----------
    R. Leite, P. Brazdil and J. Vanschoren (2012), Selecting classification algorithms with active
    testing, MLDM 2012.

    Examples
    --------
    On twelve data sets ``nb`` was better than the other, so after it there is nothing to hope for.

    >>> import pathlib, tempfile, palio
    >>> from palio.experiment.data.datasets import load_datasets
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> table = palio.ScoreTable.from_arrays(
    ...     [[0.9, 0.8]] * 12, datasets=[f"d{i}" for i in range(12)],
    ...     algorithms=["nb", "tree"], measure="accuracy",
    ... )
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     found = try_in_order(
    ...         palio.recommend(table), table, load_datasets("sklearn:iris")[0],
    ...         {"nb": GaussianNB(), "tree": DecisionTreeClassifier()},
    ...         store=pathlib.Path(folder) / "recommend.db", engine="inline",
    ...     )
    >>> found, found.chance
    (<Trials on iris: 1 of 2 tried, best nb>, Chance(beaten=0, n=12))
    """
    need("run", "run")
    from palio.experiment.store.store import Store

    clock = BudgetClock(recommendation.budget)
    known = as_known(table, reading, try_in_order, task=dataset.task)
    table = known.table
    if estimators is None:
        estimators, unmade = _of_study(known)
    require(0 <= stop < 1, "stop", "a probability below 1 is needed", stop)
    require(margin >= 0, "margin", "it is 0 or more", margin)
    scorer = scorer_for(table, scoring)
    jobs, unmade = jobs_of(recommendation, dataset, estimators, scorer, seed, unmade or {})
    relevant = table.select(datasets=list(recommendation.neighbours))
    goodness = relevant.goodness()
    counts = math.log1p(margin) if table.measure.scale == "ratio" else margin
    columns = {name: i for i, name in enumerate(table.algorithms)}
    with Store(store) as opened, steps("trying", len(jobs) + 1, progress) as step:
        trier = Trier(opened, jobs.values(), plan=dataset.name, scorer=scorer, engine=engine)
        speed = 1.0
        if known.experience is not None and recommendation.budget is not None:
            step("calibration")
            speed = known.experience.slowness(table)

        few = a_few_rows(dataset)

        def on_few() -> tuple[Trier, Mapping[str, Job]]:
            made, _ = jobs_of(recommendation, few, estimators, scorer, seed, {})
            return Trier(opened, made.values(), plan=few.name, scorer=scorer, engine=engine), made

        run = _Run(recommendation, jobs, trier, goodness, columns, stop, counts, speed, clock)
        run.go(step)
        if run.needs_something:
            run.try_on_few(step, *on_few(), f"{few.n_rows:,} of {dataset.n_rows:,} rows")
        shown = opened.shown
    return Trials(
        recommendation=recommendation,
        dataset=dataset.name,
        scoring=scorer,
        trials=tuple(
            _as_measured(run.ended.get(each.algorithm) or _untried(each, unmade), table, scorer)
            for each in recommendation.suggestions
        ),
        stopped=run.stopped,
        chance=run.chance,
        budget=recommendation.budget,
        store=shown,
        notes=(
            *_notes(recommendation, scorer, table, margin, engine),
            *([] if speed == 1.0 else [f"calibration: this machine takes {times(speed)} times as "
                                       "long as that of the study"]),
        ),
    )  # fmt: skip


def _of_study(known: Known) -> tuple[dict[str, Any], dict[str, str]]:
    """Make the learners of the study that is gone by; say why some cannot be made."""
    if known.experience is None:
        raise ParameterError(
            "estimators",
            "what the algorithms of a table are must be said",
            remedy="give an estimator for each by its name",
        )
    return made_by(known.experience.makers)


def _untried(suggestion: Suggestion, unmade: Mapping[str, str]) -> Trial:
    name = suggestion.algorithm
    return _trial(suggestion, "not made" if name in unmade else "left", why=unmade.get(name, ""))


def _trial(suggestion: Suggestion, ending: Ending, **found: Any) -> Trial:
    return Trial(
        suggestion.algorithm,
        ending,
        expected_score=suggestion.score,
        expected_cost=suggestion.cost,
        **found,
    )


def _as_measured(trial: Trial, table: ScoreTable, scorer: str) -> Trial:
    """Turn the score to expect into what is measured here: a share of successes.

    On a ratio scale the unit of the new data set is not known, and so nothing is expected.
    """
    if table.measure.scale == "ratio":
        return replace(trial, expected_score=None)
    if scorer != "accuracy" or trial.expected_score is None:
        return trial
    share = trial.expected_score / (100 if in_percent(table) else 1)
    if is_error_rate(table.measure.name):
        return replace(trial, expected_score=1 - share)
    return replace(trial, expected_score=share) if table.measure.name == scorer else trial


# While nothing has ended a trial may take so much of what is left; and what the last resort has.
_MOST, _LEAST_SECONDS = 0.9, 10.0


class _Run:
    """Goes through the algorithms, and decides before each whether to go on."""

    def __init__(
        self,
        recommendation: Recommendation,
        jobs: Mapping[str, Job],
        trier: Trier,
        goodness: FloatArray,
        columns: Mapping[str, int],
        stop: float,
        margin: float,
        slowness: float,
        clock: BudgetClock,
    ) -> None:
        self._queue = [each for each in recommendation.suggestions if each.algorithm in jobs]
        self._jobs, self._trier = jobs, trier
        self._goodness, self._columns = goodness, columns
        self._stop, self._margin = stop, margin
        self._slowness, self._clock = slowness, clock
        self._logs = [0.0]  # of what trials took over what was expected; as if one had been right
        self.ended: dict[str, Trial] = {}
        self.chance: Chance | None = None
        self.stopped = "all that could be tried were tried"

    def _expected(self, each: Suggestion) -> float:
        """Return what a trial is expected to take here, by those that have ended."""
        return self._by_table(each) * math.exp(sum(self._logs) / len(self._logs))

    def _by_table(self, each: Suggestion) -> float:
        """Return what the table has it take."""
        return (each.cost or 0.0) * self._slowness

    def go(self, tell: Callable[[str], object]) -> None:
        """Try one after another; with a budget the starter first."""
        costs = np.array([self._expected(each) for each in self._queue])
        first = starter(costs, self._clock.budget)
        if first is not None:
            tell(self._queue[first].algorithm)
            self._try(self._queue[first], self._cap(self._queue[first], self._queue))
        self._go_on(tell)
        for each in self._cheapest if self.needs_something else ():
            left = self._clock.left or 0.0
            if self.ended[each.algorithm].ending == "too dear" and left > _LEAST_SECONDS:
                tell(each.algorithm)
                self._try(each, left / 2)
                self.stopped = (
                    "nothing that was expected to fit ended well; then the cheapest had half of "
                    "what was left"
                )
            if not self.needs_something:
                return

    @property
    def needs_something(self) -> bool:
        """Whether there is a budget, and no result yet."""
        scored = any(each.score is not None for each in self.ended.values())
        return self._clock.budget is not None and not scored

    @property
    def _cheapest(self) -> list[Suggestion]:
        """The algorithms that have not failed, from cheap to dear."""
        able = [each for each in self._queue if self.ended[each.algorithm].ending != "failed"]
        return sorted(able, key=self._by_table)

    def try_on_few(
        self, tell: Callable[[str], object], trier: Trier, jobs: Mapping[str, Job], rows: str
    ) -> None:
        """Try the cheapest on a few rows until one has a result, however little is left.

        Here, and only here, the start of a worker does not count.
        """
        self._trier, self._jobs = trier, jobs
        until = time.monotonic() + max(self._clock.left or 0.0, _LEAST_SECONDS)
        self.stopped = "nothing ended well within the budget"
        for each in self._cheapest:
            if (seconds := until - time.monotonic()) > 0 and self.needs_something:
                tell(each.algorithm)
                self._try(each, seconds, why=f"on {rows}")
                self.stopped = (
                    f"nothing ended within the budget, so that {each.algorithm} was tried on {rows}"
                )

    def _go_on(self, tell: Callable[[str], object]) -> None:
        for i, suggestion in enumerate(self._queue):
            if suggestion.algorithm in self.ended:
                continue
            if self._too_dear(suggestion):
                why = f"{max(self._clock.left or 0.0, 0.0):.3g} s left"
                self.ended[suggestion.algorithm] = _trial(suggestion, "too dear", why=why)
                self.stopped = "all that fit into the budget were tried"
                continue
            left = [each for each in self._queue[i:] if each.algorithm not in self.ended]
            rest = [each for each in left if not self._too_dear(each)]
            if self._hopeless(rest):
                return
            tell(suggestion.algorithm)
            self._try(suggestion, self._cap(suggestion, rest))

    def _too_dear(self, each: Suggestion) -> bool:
        """Whether a trial is dearer than what is left, unless its result is there already."""
        left = self._clock.left
        dear = left is not None and (left <= 0 or self._expected(each) > left)
        return dear and not self._trier.known(self._jobs[each.algorithm])

    def _cap(self, suggestion: Suggestion, rest: Sequence[Suggestion]) -> float | None:
        """Return the seconds of a trial: nearly all that are left only if no other could use them.

        Until something has ended a tenth is kept for it.
        """
        left = self._clock.left
        if left is None:
            return None
        left = max(left, 1e-3)
        most = left * _MOST if self.needs_something else left
        if len(rest) == 1:
            return most
        return min(most, max(left / 2, 2 * self._expected(suggestion)))

    def _try(self, suggestion: Suggestion, seconds: float | None, why: str = "") -> None:
        start = time.monotonic()
        since = None if why else start
        found = self._trier.run(self._jobs[suggestion.algorithm], seconds, since)
        # Of what was only read, what it took then.
        self._clock.read += max(found["seconds"] - (time.monotonic() - start), 0.0)
        ended = found["status"] in ("ok", "timeout") and not why
        if ended and (expected := self._by_table(suggestion)) > 0:
            self._logs.append(math.log(max(found["seconds"], 1e-6) / expected))
        self.ended[suggestion.algorithm] = _trial(
            suggestion,
            found["status"],
            score=found["score"],
            seconds=found["seconds"],
            why=found["error"] or why,
        )

    def _hopeless(self, rest: Sequence[Suggestion]) -> bool:
        """Whether one of the rest is unlikely to beat the best so far."""
        scores = {n: each.score for n, each in self.ended.items() if each.score is not None}
        if not scores:
            return False
        leader = max(scores, key=lambda name: scores[name])
        self.chance = chance_of_rest(
            self._goodness,
            [self._columns[name] for name in scores],
            [self._columns[each.algorithm] for each in rest],
            self._columns[leader],
            self._margin,
        )
        if self.chance.probability >= self._stop:
            return False
        self.stopped = (
            f"one of the {len(rest)} left is better than {leader} with probability "
            f"{self.chance.probability:.3f}, below {self._stop:g}: on {self.chance.n} relevant "
            f"data sets {leader} leads those tried, and on {self.chance.beaten} of these one of "
            "the rest beats it"
        )
        return True


def _notes(
    recommendation: Recommendation, scorer: str, table: ScoreTable, margin: float, engine: str
) -> tuple[str, ...]:
    notes = [
        f"each by {recommendation.folds}-fold cross-validation on the same folds; the best of "
        "several is a little worse on new rows than on those it was chosen by",
        "stopping: (beaten + ½)/(n + 1) over the relevant data sets on which the best so far leads "
        f"those tried; better means by more than {margin:g}",
    ]
    if scorer != table.measure.name:
        turned = scorer == "accuracy" and is_error_rate(table.measure.name)
        notes.append(
            f"measured here: {scorer}; the table has {table.measure.name}"
            + (", of which what is expected is made" if turned else "")
        )
    if recommendation.budget is not None:
        notes.append(
            "the budget counts the clock from the start; a trial may take half of what is left, or "
            "twice what is expected"
        )
        if not ENGINES[engine].limits:
            notes.append(f"engine '{engine}' cannot end a trial that takes longer than is left")
    return tuple(notes)


# --- when to stop -------------------------------------------------------------------------------


def chance_of_rest(
    goodness: FloatArray, tried: Sequence[int], rest: Sequence[int], leader: int, margin: float = 0
) -> Chance:
    """Return how plausible it is that the rest holds one that beats the leader of those tried.

    Only data sets on which the same one leads are asked: what was measured on the new data set
    chooses among those seen before (as the relative landmarks of Leite, Brazdil and Vanschoren
    2012 do).

    Parameters
    ----------
    goodness : array (S, K)
        Scores on the relevant data sets, higher is better.
    tried, rest, leader
        Columns: those measured, those that may still be, and the best of the first.
    margin
        Better by no more than this does not count.

    Examples
    --------
    The first leads the first two on three of four data sets; the third beats it on one of these.

    >>> scores = np.array([[0.9, 0.8, 0.7], [0.9, 0.7, 0.95], [0.8, 0.7, 0.6], [0.6, 0.9, 0.8]])
    >>> chance = chance_of_rest(scores, tried=[0, 1], rest=[2], leader=0)
    >>> chance, chance.probability
    (Chance(beaten=1, n=3), 0.375)
    """
    best = goodness[:, leader]
    leads = (paired_difference(best[:, np.newaxis], goodness[:, list(tried)]) >= 0).all(axis=1)
    gain = paired_difference(goodness[:, list(rest)], best[:, np.newaxis]).max(axis=1)
    return Chance(int((leads & (gain > margin)).sum()), int(leads.sum()))
