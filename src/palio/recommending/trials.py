"""Try algorithms on the new data in the order recommended, until the rest cannot plausibly win."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from palio.errors import InputError, ParameterError
from palio.measures import is_error_rate
from palio.recommending.bench import Bench
from palio.recommending.result import Recommendation, Suggestion
from palio.recommending.stopping import Chance, chance_of_rest
from palio.registry import unknown_name
from palio.results import Result
from palio.scores import ScoreTable
from palio.types import FloatArray
from palio.words import one_line

if TYPE_CHECKING:
    import pandas as pd

    from palio.experiment.data.datasets import Dataset
    from palio.experiment.plan import Job

__all__ = ["Trial", "Trials", "scorer_for", "try_in_order"]

Ending: TypeAlias = Literal[
    "ok", "failed", "timeout", "memory", "killed", "not made", "too dear", "left"
]


@dataclass(frozen=True)
class Trial:
    """One algorithm on the new data: what was found, or why it was not tried."""

    algorithm: str
    ending: Ending
    score: float | None = None
    seconds: float | None = None
    expected_score: float | None = None
    expected_cost: float | None = None
    why: str = ""


@dataclass(frozen=True, repr=False, eq=False)
class Trials(Result):
    """What was tried in the order recommended, what was found, and why it stopped.

    ``chance`` is that of the rest when it stopped, where there was a rest to speak of.
    """

    kind = "trials"
    parts = (
        "dataset", "scoring", "folds", "best", "trials", "stopped", "chance", "budget", "spent",
        "store", "recommendation", "notes",
    )  # fmt: skip

    recommendation: Recommendation
    dataset: str
    scoring: str
    trials: tuple[Trial, ...]
    stopped: str
    chance: Chance | None
    budget: float | None
    store: str
    notes: tuple[str, ...] = ()

    @property
    def folds(self) -> int:
        """The folds of each trial."""
        return self.recommendation.folds

    @property
    def best(self) -> str | None:
        """The best that was found, the earlier one of equals; ``None`` if nothing was."""
        found = [each for each in self.trials if each.score is not None]
        return max(found, key=lambda each: each.score or 0.0).algorithm if found else None

    @property
    def spent(self) -> float:
        """What the trials took, in seconds."""
        return float(sum(each.seconds or 0.0 for each in self.trials))

    def __repr__(self) -> str:
        n = sum(each.score is not None for each in self.trials)
        return f"<Trials on {self.dataset}: {n} of {len(self.trials)} tried, best {self.best}>"

    def to_frame(self) -> pd.DataFrame:
        """Return one row per algorithm, in the order recommended."""
        import pandas as pd

        return pd.DataFrame([asdict(each) for each in self.trials])


def scorer_for(table: ScoreTable, scoring: str | None = None) -> str:
    """Return the scikit-learn scorer that measures what the table does.

    Examples
    --------
    >>> import palio
    >>> scorer_for(palio.load_study("ulas2008"))
    'accuracy'
    """
    from sklearn.metrics import get_scorer_names  # type: ignore[import-untyped]

    known = get_scorer_names()
    if scoring is not None:
        if scoring not in known:
            raise unknown_name("scoring", scoring, known)
        return scoring
    name = table.measure.name
    if name in known:
        return name
    if is_error_rate(name):
        return "accuracy"
    raise ParameterError(
        "scoring",
        f"{name!r} of the table is no scorer of scikit-learn",
        remedy="name one that measures the same with scoring= (--scoring), such as neg_log_loss",
    )


def try_in_order(
    recommendation: Recommendation,
    table: ScoreTable,
    dataset: Dataset,
    estimators: Mapping[str, Any],
    *,
    store: str | os.PathLike[str] = "recommend.db",
    scoring: str | None = None,
    stop: float = 0.05,
    margin: float = 0.0,
    engine: str = "local",
    seed: int = 0,
    unmade: Mapping[str, str] | None = None,
    progress: Callable[[str], object] | None = None,
) -> Trials:
    """Try algorithms on a new data set in the order recommended, within the budget.

    A trial is a cross-validation on the folds that all share. What is expected to cost more than is
    left is passed over; a trial that takes more is ended. It stops when the rest cannot plausibly
    win: when the probability that one of them beats the best so far, as `chance_of_rest` has it
    from the relevant data sets, falls below ``stop``. With fewer than ten data sets to ask, none
    of which speaks for the rest, that is never below 0.05. Nothing that the store has is run again.

    Parameters
    ----------
    recommendation
        From `recommend`; its budget, its folds and its relevant data sets are those used.
    table
        The table it was made from.
    dataset
        The new data set, with its target.
    estimators
        By the names of the table; those that lack one are not tried, and noted.
    store
        Where results go. The budget counts all trials of this data set in it.
    scoring
        A scikit-learn scorer; that of the table unless given.
    stop, margin
        Below which probability to stop, 0 for never; and by how much, in the unit of the table,
        one must be better to count as better.
    engine
        ``"local"`` in a worker process, or ``"inline"``, which cannot end a trial that takes long.
    seed
        Of the folds and the random states.
    unmade
        Why some algorithms have no estimator, by name.
    progress
        Called with the name of an algorithm before it is tried.

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
    from palio.experiment.store.store import Store

    if not 0 <= stop < 1:
        raise ParameterError("stop", "a probability below 1 is needed", f"{stop!r} was given")
    if margin < 0:
        raise ParameterError("margin", "it is 0 or more", f"{margin!r} was given")
    scorer = scorer_for(table, scoring)
    jobs, unmade = _jobs(recommendation, dataset, estimators, scorer, seed, unmade or {})
    relevant = table.select(datasets=list(recommendation.neighbours))
    goodness = relevant.means() * (1 if table.measure.higher_is_better else -1)
    columns = {name: i for i, name in enumerate(table.algorithms)}
    with Store(store) as opened:
        bench = Bench(opened, jobs.values(), plan=dataset.name, scorer=scorer, engine=engine)
        run = _Run(recommendation, jobs, bench, goodness, columns, stop, margin)
        run.go(progress or (lambda _name: None))
        shown = opened.shown
    return Trials(
        recommendation=recommendation,
        dataset=dataset.name,
        scoring=scorer,
        trials=tuple(
            run.ended.get(each.algorithm) or _untried(each, unmade)
            for each in recommendation.suggestions
        ),
        stopped=run.stopped,
        chance=run.chance,
        budget=recommendation.budget,
        store=shown,
        notes=_notes(recommendation, scorer, table, margin, engine),
    )


def _jobs(
    recommendation: Recommendation,
    dataset: Dataset,
    estimators: Mapping[str, Any],
    scorer: str,
    seed: int,
    reasons: Mapping[str, str],
) -> tuple[dict[str, Job], dict[str, str]]:
    """Make one job per algorithm, and say why the others cannot be made."""
    from palio.experiment.plan import make_plan

    jobs, unmade = {}, {}
    for name in recommendation.order:
        if name not in estimators:
            unmade[name] = reasons.get(name, "no estimator of this name is known")
            continue
        try:
            plan = make_plan(
                [dataset],
                {name: estimators[name]},
                resampling=f"{recommendation.folds}-fold",
                scoring=scorer,
                seed=seed,
            )
        except InputError as error:
            unmade[name] = one_line(error)
            continue
        (jobs[name],) = plan.jobs
    if not jobs:
        name, why = next(iter(unmade.items()))
        raise ParameterError(
            "estimators",
            f"none of the {len(unmade)} algorithms can be made ({name}: {why})",
            remedy=f"say what they are with estimators= (--algorithm {name}=package.module:Class)",
        )
    return jobs, unmade


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


class _Run:
    """Goes through the algorithms, and decides before each whether to go on."""

    def __init__(
        self,
        recommendation: Recommendation,
        jobs: Mapping[str, Job],
        bench: Bench,
        goodness: FloatArray,
        columns: Mapping[str, int],
        stop: float,
        margin: float,
    ) -> None:
        self._queue = [each for each in recommendation.suggestions if each.algorithm in jobs]
        self._budget = recommendation.budget
        self._jobs, self._bench = jobs, bench
        self._goodness, self._columns = goodness, columns
        self._stop, self._margin = stop, margin
        self.ended: dict[str, Trial] = {}
        self.chance: Chance | None = None
        self.stopped = "all that could be tried were tried"

    @property
    def _left(self) -> float | None:
        if self._budget is None:
            return None
        return self._budget - sum(each.seconds or 0.0 for each in self.ended.values())

    def go(self, tell: Callable[[str], object]) -> None:
        """Try one after another."""
        for i, suggestion in enumerate(self._queue):
            self._pass_over(self._queue[i:])
            rest = [each for each in self._queue[i:] if each.algorithm not in self.ended]
            if not rest:
                self.stopped = "nothing that is left fits into what is left of the budget"
                return
            if self._hopeless(rest):
                return
            if suggestion.algorithm in self.ended:
                continue
            tell(suggestion.algorithm)
            self._try(suggestion)
        if any(each.ending == "too dear" for each in self.ended.values()):
            self.stopped = "all that fit into the budget were tried"

    def _try(self, suggestion: Suggestion) -> None:
        found = self._bench.run(self._jobs[suggestion.algorithm], self._left)
        self.ended[suggestion.algorithm] = _trial(
            suggestion,
            found["status"],
            score=found["score"],
            seconds=found["seconds"],
            why=found["error"] or "",
        )

    def _pass_over(self, rest: Sequence[Suggestion]) -> None:
        """Mark what is dearer than what is left, unless its result is there already."""
        left = self._left
        for each in rest:
            dear = left is not None and (left <= 0 or (each.cost or 0.0) > left)
            if dear and each.algorithm not in self.ended and not self._known(each):
                self.ended[each.algorithm] = _trial(
                    each, "too dear", why=f"{max(left or 0.0, 0.0):.3g} s left"
                )

    def _known(self, each: Suggestion) -> bool:
        return self._bench.known(self._jobs[each.algorithm])

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
        notes.append(f"measured here: {scorer}; the table has {table.measure.name}")
    if recommendation.budget is not None:
        notes.append("the budget counts the trials; starting a worker takes a second or so besides")
        if engine != "local":
            notes.append(f"engine '{engine}' cannot end a trial that takes longer than is left")
    return tuple(notes)
