"""The results that stand in for a table of one's own: a study that is shipped.

What they are is said by `palio.studies.experience`, which is above this room and loaded when it is
asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from palio.errors import Option, ParameterError
from palio.recommending.budget import chosen_costs
from palio.recommending.costing import Search
from palio.recommending.relevance import Described
from palio.registry import Later
from palio.scores import ScoreTable, Tabular, as_table
from palio.words import count

if TYPE_CHECKING:
    from palio.experiment.data.datasets import Dataset

SHIPPED = {"classification": "study:classification2026", "regression": "study:regression2026"}
"""What is read where no table is given, by the task of the new data set."""

FAILED = "worst"
"""A learner that did not end on a data set of the study is no better there than the worst."""


@dataclass(frozen=True)
class Experience:
    """A study that can stand in for a table: what it is, and what is kept with it.

    Parameters
    ----------
    task, study
        What it is about, and its name.
    learners, of
        What they are, and what its data sets are of, in a few words.
    described
        Its data sets; of classification, those of more than two classes were made binary.
    costs, search
        The costs that add up to a fold's, with its preparation, and which part goes to a search.
    makers
        A function for each learner that makes it.
    trial
        What a trial is.
    timed
        The data set by which machines are compared, as it is read here and as the study calls it,
        and the learners that are timed.
    """

    task: str
    study: str
    learners: str
    of: str
    described: tuple[Described, ...]
    costs: tuple[str, ...]
    search: Search | None
    makers: Mapping[str, Callable[[], Any]]
    trial: str
    timed: tuple[str, str, tuple[str, ...]]

    def slowness(self, table: ScoreTable) -> float:
        """Return how many times as long as the study's machine this one takes.

        The median over a few learners, each fitted once on half of a data set of the study, as
        there, with its preparation: about a second.
        """
        import numpy as np
        from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

        from palio.experiment.costs import timed
        from palio.experiment.data.datasets import load_datasets
        from palio.experiment.data.preprocessing import preprocessor

        spec, name, learners = self.timed
        (dataset,) = load_datasets(spec)
        half = dataset.take(np.arange(0, dataset.n_rows, 2))
        ratios = []
        costs = table.cost_matrix("fit_cpu_time")[table.datasets.index(name)]
        for learner in learners:
            with threadpool_limits(1):
                few = half.take(np.arange(0, half.n_rows, 5))
                for rows in (few, half):  # the first so that all is loaded
                    with timed() as clock:
                        X = preprocessor(rows).fit_transform(rows.X)
                        self.makers[learner]().fit(X, rows.y)
            ratios.append(clock.wall / costs[table.algorithms.index(learner)])
        return float(np.median(ratios))

    def told(self, table: ScoreTable) -> str:
        """Say whose experience it is, of the part of the study that is used."""
        rows = [each.rows for each in self.described if each.name in table.datasets]
        return (
            f"Experience: the study {self.study}, which comes with Palio, in place of a table of "
            f"yours: {count(table.n_datasets, 'data set')}{self.of}, {min(rows):,} to "
            f"{max(rows):,} rows, and {table.n_algorithms} {self.learners}"
        )

    def describe(self, dataset: Dataset, *, features: bool, target: bool = True) -> Described:
        """Describe a new data set as those of the study were: classes are made two."""
        from palio.experiment.data.datasets import to_binary

        classes = len(dataset.classes) if target and dataset.task == "classification" else None
        compared = to_binary(dataset) if classes is not None and classes > 2 else dataset
        return replace(Described.of(compared, features=features, target=target), classes=classes)

    def check(self, new: Described, besides: str = "") -> None:
        """Refuse what the study has nothing to say about; ``besides`` is what else may be done."""
        if new.task not in (None, self.task):
            numbers, other = "numbers", "classification"
            if new.task != "regression":
                numbers, other = "classes", "regression"
            raise ParameterError(
                "new",
                f"{new.name!r} has a target of {numbers}, and {self.study}, which stands in for a "
                f"table of your own, is of {other}",
                remedy=(
                    f"give {Option('task', other)} if the target is misread, "
                    f"{Option('target')} if it is another column, {besides}or a table of results "
                    f"in {new.task}; without any, a study of it is asked"
                ),
            )

    def notes(self, new: Described | None) -> tuple[str, ...]:
        """Say what a trial is, and where a new data set is not like those of the study."""
        trial = (f"{self.trial}; its cost is CPU seconds on the machine of the study",)
        if new is None or new.classes is None or new.classes <= 2:
            return trial
        return (
            f"{new.name} has {new.classes} classes, and where a data set of the study had more "
            "than two they were made two; the learners take more, but what they score and cost "
            "then is not in the study",
            *trial,
        )


def experience_of(table: Tabular | None, task: str | None = None) -> Experience | None:
    """Return the experience that a table is, if it is one: without a table, that of the task.

    >>> experience_of("results.csv") is None, experience_of(None).study
    (True, 'classification2026')
    """
    if table is None:
        table = SHIPPED[task or "classification"]
    of = [task for task, study in SHIPPED.items() if isinstance(table, str) and table == study]
    made: Later[[str], Experience] = Later("palio.studies.experience:experience")
    return made(of[0]) if of else None


@dataclass(frozen=True)
class Known:
    """What a recommendation goes by: a table that is read, and the study that it is, if it is one.

    Parameters
    ----------
    table
        The scores.
    experience
        The study, where the table is that of one.
    """

    table: ScoreTable
    experience: Experience | None = None

    @property
    def described(self) -> tuple[Described, ...]:
        """What is kept of the data sets."""
        return () if self.experience is None else self.experience.described

    @property
    def search(self) -> Search | None:
        """Which costs go to a search."""
        return None if self.experience is None else self.experience.search

    @property
    def told(self) -> str | None:
        """Whose experience it is."""
        return None if self.experience is None else self.experience.told(self.table)

    def notes(self, new: Described | None = None) -> tuple[str, ...]:
        """Say whose experience it is, and where a new data set is not like those of the study."""
        if self.experience is None:
            return ()
        return (self.experience.told(self.table), *self.experience.notes(new))

    def costs(self, cost: str | Sequence[str] | None) -> tuple[str, ...]:
        """Return the costs that add up to a trial's: those named, or else the usual ones."""
        if self.experience is not None and cost is None:
            cost = self.experience.costs
        return chosen_costs(self.table, cost)

    def describe(self, dataset: Dataset, *, features: bool, target: bool = True) -> Described:
        """Describe a new data set as those of the table were."""
        describe = Described.of if self.experience is None else self.experience.describe
        return describe(dataset, features=features, target=target)

    def check(self, new: Described, besides: str = "") -> None:
        """Refuse what a study has nothing to say about; ``besides`` is what else may be done."""
        if self.experience is not None:
            self.experience.check(new, besides)


def as_known(
    table: Tabular | Known | None,
    reading: Mapping[str, Any] | None = None,
    asker: Callable[..., object] | None = None,
    *,
    task: str | None = None,
) -> Known:
    """Read a table, the study of a task where there is none; what is read is left as it is.

    ``reading`` and ``asker`` are as for `as_table`.

    >>> as_known(None).experience.study, as_known("study:ulas2008").experience
    ('classification2026', None)
    """
    if isinstance(table, Known):
        return replace(table, table=as_table(table.table, reading, asker)) if reading else table
    experience = experience_of(table, task)
    if experience is None:
        return Known(as_table(table, reading, asker))  # type: ignore[arg-type]
    options = {"missing": FAILED, **(reading or {})}
    return Known(as_table(SHIPPED[experience.task], options, asker), experience)


def nothing_given() -> ParameterError:
    """Return the error where there is neither a table nor a new data set."""
    return ParameterError(
        "new",
        "neither a new data set nor a table of results is given",
        remedy=(
            f"give the data set that is to be learnt, {Option('new', 'new.csv', whole=True)}, and "
            "a study that Palio brings is asked; or give results of your own"
        ),
    )
