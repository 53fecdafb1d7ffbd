"""What will be run, printable before it runs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from copy import deepcopy
from dataclasses import dataclass, field, replace
from functools import cached_property
from numbers import Real
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from palio.errors import ParameterError, require
from palio.experiment.data.datasets import Dataset, Reading, load_all
from palio.experiment.data.preprocessing import check_preparation, describe_preparation
from palio.experiment.identity import digest, digest_each, seed_from
from palio.experiment.outcome import DoneFold
from palio.experiment.resampling import Split, describe_resampling, make_splits
from palio.experiment.resampling import aside as keep_aside
from palio.experiment.scorers import make_scorers
from palio.registry import unknown_name


@dataclass(frozen=True, eq=False)
class Job:
    """One algorithm on the folds of one repeat of one data set, with one random state.

    ``key`` is its content (data, split indices, preparation, estimator and parameters, scorers,
    seed), never its position or its names: renaming an experiment recomputes nothing. Whether
    predictions are kept, and what is done already, changes no score, and is no part of it either.
    ``draw`` counts the random states from 1; the first has the key of an experiment with one, so
    that asking for more recomputes nothing.
    """

    dataset: Dataset
    algorithm: str
    estimator: Any
    splits: tuple[Split, ...]
    scoring: tuple[str, ...]
    seed: int
    predictions: bool = False
    content: str = ""  # the estimator, hashed, where it is known: many jobs have the same
    begun: tuple[DoneFold, ...] = ()  # what an interrupted run has left of it
    draw: int = 1
    prepare: Any = None  # what is done to the features first: nothing, "standard", a transformer
    scorers: Mapping[str, Any] = field(default_factory=dict)  # those that have no known name
    fit_params: Mapping[str, Any] = field(default_factory=dict)

    @property
    def repeat(self) -> int:
        """Which repeat of the resampling."""
        return self.splits[0].repeat

    @cached_property
    def key(self) -> str:
        """The content of the job, hashed."""
        base = self._unprepared
        # The standard preparation makes floats and names of whatever form a data set has.
        return base if self.prepare == "standard" else digest(base, self.dataset.form, self.prepare)

    @cached_property
    def _unprepared(self) -> str:
        """The content but for the preparation, hashed."""
        more = {"scorers": self.scorers, "fit": self.fit_params, "rows": self.dataset.roles}
        return digest(
            "job 2",
            self.dataset.fingerprint,
            self.dataset.task,
            self.content or digest(self.estimator),
            [split.content for split in self.splits],
            self.scoring,
            self.seed,
            *([self.draw] if self.draw > 1 else []),
            *[[name, value] for name, value in more.items() if value],
        )

    @property
    def random_state(self) -> int:
        """The seed of the estimator, the same on every engine and with every preparation."""
        return seed_from(self.seed, self._unprepared)

    def but(self, **changes: Any) -> Job:
        """Return the job with something else that is no part of its key."""
        made = replace(self, **changes)
        vars(made)["key"] = self.key  # the same, and hashed once
        return made

    def __repr__(self) -> str:
        seed = f", seed {self.draw}" if self.draw > 1 else ""
        return f"<Job: {self.algorithm} on {self.dataset.name}, repeat {self.repeat}{seed}>"


@dataclass(frozen=True, eq=False)
class Plan:
    """Data sets × algorithms × repeats × seeds.

    ``aside`` is the part of every data set that no job touches; `held_out` tells which rows.
    ``targets`` says which column is learnt, of data sets that come from files or OpenML.
    """

    jobs: tuple[Job, ...]
    resampling: str
    aside: float | None = None
    targets: Mapping[str, str] = field(default_factory=dict)

    @property
    def datasets(self) -> tuple[str, ...]:
        """The names of the data sets."""
        return tuple(dict.fromkeys(job.dataset.name for job in self.jobs))

    @property
    def algorithms(self) -> tuple[str, ...]:
        """The names of the algorithms."""
        return tuple(dict.fromkeys(job.algorithm for job in self.jobs))

    @property
    def prepared(self) -> dict[str, str]:
        """What is done to the features before each algorithm, in words."""
        return {job.algorithm: describe_preparation(job.prepare) for job in self.jobs}

    @property
    def units(self) -> dict[str, str]:
        """What is left out together in each split, of data sets with groups."""
        return {
            job.dataset.name: job.dataset.unit
            for job in self.jobs
            if job.dataset.groups is not None
        }

    @property
    def n_seeds(self) -> int:
        """With how many random states each algorithm is trained on each split."""
        return max((job.draw for job in self.jobs), default=1)

    @property
    def n_fits(self) -> int:
        """How many models will be fitted."""
        return sum(len(job.splits) for job in self.jobs)

    def held_out(self, dataset: str) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Return the rows of a data set that jobs learn from and test on, and those kept aside.

        Examples
        --------
        >>> from sklearn.naive_bayes import GaussianNB
        >>> plan = make_plan(["sklearn:iris"], {"nb": GaussianNB()}, aside=1 / 3)
        >>> rest, kept = plan.held_out("iris")
        >>> rest.size, kept.size
        (100, 50)
        """
        if self.aside is None:
            remedy = "make it with aside=1/3, for example"
            raise ParameterError("aside", "this plan keeps nothing aside", remedy=remedy)
        for job in self.jobs:
            if job.dataset.name == dataset:
                return keep_aside(job.dataset, seed=job.seed, fraction=self.aside)
        raise unknown_name("data set", dataset, self.datasets)

    def __str__(self) -> str:
        kept = "" if self.aside is None else f", {self.aside:.3g} of every data set kept aside"
        seeds = "" if self.n_seeds == 1 else f" × {self.n_seeds} seeds"
        return (
            f"{len(self.jobs)} jobs, {self.n_fits} fits: {len(self.datasets)} data sets × "
            f"{len(self.algorithms)} algorithms{seeds}, {self.resampling}{kept}"
        )


def make_plan(
    datasets: Any,
    algorithms: Mapping[str, Any],
    *,
    prepare: Any = None,
    resampling: Any = "5x2",
    scoring: Any = None,
    seed: int = 0,
    seeds: int = 1,
    aside: float | None = None,
    predictions: bool = False,
    fit_params: Mapping[str, Mapping[str, Any]] | None = None,
    **reading: Unpack[Reading],
) -> Plan:
    """Lay out the jobs of an experiment; splits are drawn once per data set, for everyone.

    Parameters
    ----------
    datasets, algorithms, prepare, resampling, scoring, seed, seeds, fit_params
        As for `palio.run`.
    aside
        The part of every data set that is kept aside until the best has been chosen, a third in
        ulas2008 §4.1.3. No job touches it; `Plan.held_out` tells which rows these are.
    predictions
        Whether what every instance was taken for is kept.
    **reading
        How data sets are read, as `load_datasets` takes it. ``target``: the column to learn, in
        frames, files and from OpenML, or that of each data set by its name; the last one unless
        given, where no other has a target's name. Other data sets have their own.
        ``task``: ``"classification"`` or ``"regression"``, where the target should not be asked.
        ``max_rows``: larger data sets are cut to so many rows, with the classes in proportion.
        ``binary``: whether many classes become two (wainer2016 §2.2), see `to_binary`.
        ``groups``, ``sample_weight``: columns, or one value per row by data set.

    Examples
    --------
    >>> from sklearn.naive_bayes import GaussianNB
    >>> print(make_plan(["sklearn:iris", "monks-1"], {"nb": GaussianNB()}, aside=1 / 3))
    10 jobs, 20 fits: 2 data sets × 1 algorithms, 5x2, 0.333 of every data set kept aside
    """
    if not len(datasets):
        raise ParameterError("datasets", "at least one is needed, such as 'sklearn:wine'")
    if not algorithms:
        raise ParameterError("algorithms", "at least one is needed, as {'name': estimator}")
    for name, estimator in algorithms.items():
        _check_estimator(name, estimator)
    prepared = _by_algorithm("prepare", prepare, algorithms, check_preparation)
    params = _by_algorithm("fit_params", fit_params or {}, algorithms, dict)
    scorers = None if scoring is None else make_scorers(scoring)
    aside = _check_aside(aside)
    require(isinstance(seeds, int) and seeds >= 1, "seeds", "is a whole number, 1 or more", seeds)
    loaded, targets = load_all(datasets, **reading)
    contents = digest_each(algorithms.values())
    # Whoever changes an estimator later changes neither this plan nor what its keys stand for.
    algorithms = {name: _copied(name, estimator) for name, estimator in algorithms.items()}
    jobs = []
    for dataset in loaded:
        rows = None if aside is None else keep_aside(dataset, seed=seed, fraction=aside)[0]
        by_repeat: dict[int, list[Split]] = {}
        for split in make_splits(dataset, resampling, seed=seed, rows=rows):
            by_repeat.setdefault(split.repeat, []).append(split)
        repeats = [tuple(folds) for folds in by_repeat.values()]
        measures = scorers or make_scorers(_USUAL_SCORER[dataset.task])
        jobs += [
            Job(
                dataset,
                name,
                estimator,
                folds,
                tuple(measures),
                seed,
                predictions,
                content,
                draw=draw,
                prepare=prepared[name],
                scorers={each: own for each, own in measures.items() if own is not None},
                fit_params=params[name],
            )
            for (name, estimator), content in zip(algorithms.items(), contents, strict=True)
            for folds in repeats
            for draw in range(1, seeds + 1)
        ]
    return Plan(tuple(jobs), describe_resampling(resampling), aside, targets)


_USUAL_SCORER = {"classification": "accuracy", "regression": "r2"}


def _by_algorithm(
    parameter: str, said: Any, algorithms: Iterable[str], check: Callable[[Any], Any]
) -> dict[str, Any]:
    """Return what is said of each algorithm: of all, or by name."""
    if not isinstance(said, Mapping):
        return dict.fromkeys(algorithms, check(said))
    names = list(algorithms)
    for name in said:
        if name not in names:
            raise unknown_name(parameter, name, names)
    usual: object = {} if check is dict else None
    return {name: check(said.get(name, usual)) for name in names}


def _copied(name: str, estimator: Any) -> Any:
    try:
        return deepcopy(estimator)
    except Exception as error:
        rule = f"{name!r} cannot be copied ({error})"
        remedy = "define it without modules, open files or connections"
        needs = "each fold needs a copy of its own"
        raise ParameterError("algorithms", rule, needs, remedy) from error


def _check_aside(aside: float | None) -> float | None:
    if aside is None:
        return None
    rule = "the part kept aside is a number between 0 and 1"
    require(isinstance(aside, Real) and 0 < aside < 1, "aside", rule, aside, "a third is usual")
    return float(aside)


def _check_estimator(name: str, estimator: Any) -> None:
    if isinstance(estimator, type):
        remedy = f"give an instance, {estimator.__name__}()"
        raise ParameterError("algorithms", f"{name!r} is a class", remedy=remedy)
    # Of the class: some estimators know whether they predict only when they are fitted.
    lacks = [m for m in ("fit", "predict", "get_params") if not hasattr(type(estimator), m)]
    if lacks:
        rule = f"{name!r} is no scikit-learn estimator, it lacks {', '.join(lacks)}"
        raise ParameterError("algorithms", rule)
