"""What will be run, printable before it runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from palio.errors import ParameterError
from palio.experiment.datasets import Dataset, load_datasets
from palio.experiment.identity import digest, seed_from
from palio.experiment.resampling import Split, make_splits

__all__ = ["Job", "Plan", "make_plan"]


@dataclass(frozen=True, eq=False)
class Job:
    """One algorithm on the folds of one repeat of one data set.

    ``key`` is its content (data, split indices, estimator and parameters, scorers, seed), never
    its position or its names: renaming an experiment recomputes nothing.
    """

    dataset: Dataset
    algorithm: str
    estimator: Any
    splits: tuple[Split, ...]
    scoring: tuple[str, ...]
    seed: int

    @property
    def repeat(self) -> int:
        """Which repeat of the resampling."""
        return self.splits[0].repeat

    @cached_property
    def key(self) -> str:
        """The content of the job, hashed."""
        return digest(
            "job 1",
            self.dataset.fingerprint,
            self.dataset.task,
            self.estimator,
            [(split.fold, split.train, split.test) for split in self.splits],
            list(self.scoring),
            self.seed,
        )

    @property
    def random_state(self) -> int:
        """The seed of the estimator, the same on every engine."""
        return seed_from(self.seed, self.key)

    def __repr__(self) -> str:
        return f"<Job: {self.algorithm} on {self.dataset.name}, repeat {self.repeat}>"


@dataclass(frozen=True, eq=False)
class Plan:
    """Data sets × algorithms × repeats."""

    jobs: tuple[Job, ...]
    resampling: str
    scoring: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def datasets(self) -> tuple[str, ...]:
        """The names of the data sets."""
        return tuple(dict.fromkeys(job.dataset.name for job in self.jobs))

    @property
    def algorithms(self) -> tuple[str, ...]:
        """The names of the algorithms."""
        return tuple(dict.fromkeys(job.algorithm for job in self.jobs))

    @property
    def n_fits(self) -> int:
        """How many models will be fitted."""
        return sum(len(job.splits) for job in self.jobs)

    def __str__(self) -> str:
        return (
            f"{len(self.jobs)} jobs, {self.n_fits} fits: {len(self.datasets)} data sets × "
            f"{len(self.algorithms)} algorithms, {self.resampling}"
        )


def make_plan(
    datasets: Sequence[str | Dataset],
    algorithms: Mapping[str, Any],
    *,
    resampling: Any = "5x2",
    scoring: str | Sequence[str] | None = None,
    seed: int = 0,
) -> Plan:
    """Lay out the jobs of an experiment; splits are drawn once per data set, for everyone."""
    if not datasets:
        raise ParameterError("datasets: at least one is needed, such as 'sklearn:wine'.")
    if not algorithms:
        raise ParameterError("algorithms: at least one is needed, as {'name': estimator}.")
    loaded = [found for spec in datasets for found in load_datasets(spec)]
    _check_names(loaded)
    for name, estimator in algorithms.items():
        _check_estimator(name, estimator)
    jobs = []
    for dataset in loaded:
        splits = make_splits(dataset, resampling, seed=seed)
        by_repeat: dict[int, list[Split]] = {}
        for split in splits:
            by_repeat.setdefault(split.repeat, []).append(split)
        for name, estimator in algorithms.items():
            jobs += [
                Job(dataset, name, estimator, tuple(folds), _scorers(scoring, dataset), seed)
                for folds in by_repeat.values()
            ]
    return Plan(tuple(jobs), str(resampling))


def _scorers(scoring: str | Sequence[str] | None, dataset: Dataset) -> tuple[str, ...]:
    if scoring is None:
        return ("accuracy",) if dataset.task == "classification" else ("r2",)
    names = (scoring,) if isinstance(scoring, str) else tuple(scoring)
    from sklearn.metrics import get_scorer_names  # type: ignore[import-untyped]

    from palio.registry import unknown_name

    known = get_scorer_names()
    for name in names:
        if name not in known:
            raise unknown_name("scoring", name, known)
    if not names:
        raise ParameterError("scoring: at least one scorer is needed, such as 'accuracy'.")
    return names


def _check_names(datasets: Sequence[Dataset]) -> None:
    names = [dataset.name for dataset in datasets]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ParameterError(f"datasets: names must differ, and {', '.join(twice)} comes twice.")


def _check_estimator(name: str, estimator: Any) -> None:
    if isinstance(estimator, type):
        raise ParameterError(
            f"algorithms: {name!r} is a class; give an instance, {estimator.__name__}()."
        )
    lacks = [m for m in ("fit", "predict", "get_params") if not hasattr(estimator, m)]
    if lacks:
        raise ParameterError(
            f"algorithms: {name!r} is no scikit-learn estimator, it lacks {', '.join(lacks)}."
        )
