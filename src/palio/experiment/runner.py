"""Run an experiment, or go on with it."""

from __future__ import annotations

import os
import time
import warnings
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from palio.bars import Jobs, job_bar
from palio.errors import EngineError, ParameterError
from palio.experiment.engines import EngineOptions, interruptions
from palio.experiment.estimate import Pace
from palio.experiment.estimators import make_estimators, prescribed
from palio.experiment.outcome import JobOutcome
from palio.experiment.parts import Part, chosen
from palio.experiment.plan import Job, Plan, make_plan
from palio.experiment.scheduling import Costs, Goal, Results, Share, tried_first
from palio.experiment.status import keep_datasets
from palio.experiment.store.reading import read_store
from palio.experiment.store.store import Mark, Store
from palio.experiment.trying import refused_pairs
from palio.extras import need
from palio.scores import ScoreTable
from palio.systems import system

if TYPE_CHECKING:
    from palio.experiment.data.datasets import Dataset, Role

__all__ = ["Progress", "changed_notice", "read_store", "run", "run_plan"]

# So often, in seconds, it is worked out how long the rest takes.
_ESTIMATE_SECONDS = 1.0


@dataclass(frozen=True)
class Progress:
    """How far a run is; told after every job, whoever ran it.

    Parameters
    ----------
    total, done, failed
        How many jobs there are, how many have ended, and how many of these not well.
    last, job
        The job that has just ended here, and how; neither for one that someone else ran.
    datasets
        How many jobs of each data set have ended, and how many it has.
    changed
        How many jobs came out with other scores when they were measured again.
    seconds_left
        How long the rest takes; nothing while too little is known to say.
    """

    total: int
    done: int
    failed: int
    last: JobOutcome | None = None
    job: Job | None = None
    datasets: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    changed: int = 0
    seconds_left: float | None = None


Tell = Callable[[Progress], object]


def run(
    datasets: Sequence[str | Dataset] | Mapping[str, Any],
    algorithms: Mapping[str, Any] | Sequence[str],
    *,
    prepare: Any = None,
    tune: bool = False,
    resampling: Any = "5x2",
    scoring: Any = None,
    store: str | os.PathLike[str] = "experiment.db",
    engine: Any = "local",
    n_jobs: int = 2,
    time_limit: float | None = None,
    memory_limit: int | None = None,
    seed: int = 0,
    seeds: int = 1,
    scheduler: str | None = None,
    patience: float = 120.0,
    isolation: str = "worker",
    target: str | Mapping[str, str] | None = None,
    task: str | None = None,
    max_rows: int | None = None,
    binary: bool = False,
    groups: Role = None,
    sample_weight: Role = None,
    fit_params: Mapping[str, Mapping[str, Any]] | None = None,
    aside: float | None = None,
    predictions: bool = False,
    part: str | None = None,
    name: str = "experiment",
    exclusive: bool = False,
    allow: str | Sequence[str] = (),
    progress: Jobs = None,
) -> ScoreTable:
    """Run algorithms on data sets, or go on where an earlier run stopped.

    Parameters
    ----------
    datasets
        Such as ``["sklearn:wine", "monks-1", "csv:mine.csv"]``; or by name such strings, frames,
        pairs ``(X, y)``, what scikit-learn's loaders return, and `Dataset` objects, as
        ``{"churn": frame}``.
    algorithms
        Names and scikit-learn estimators, pipelines or searches; short names that ``palio
        algorithms`` lists, and ``"package.module:Class"``, stand for estimators.
    prepare
        What is done to the features first, in each fold: nothing (an estimator gets them as the
        data set has them), ``"standard"`` (missing cells are filled in, numbers scaled, names
        coded 1-of-n), or a transformer of scikit-learn; for all, or by algorithm, as ``{"svm":
        "standard"}``. Learners given by a short name are prepared for as in their papers, unless
        something is said of them; ``"none"`` leaves their data as they are, too.
    tune
        Whether learners given by a short name are searched over the grid of their paper, within
        every training part (see `palio.tuned`). Those without a grid are taken as they are.
    resampling
        Such as ``"5x2"``, ``"10-fold"``, ``"10x10"``, a scikit-learn splitter, a list of (train,
        test) rows; or one of these by data set.
    scoring
        Names of scikit-learn scorers, scorers, functions of a fitted estimator, features and
        target, or ``{"scorer": "f1", "average": "macro"}``; a list of them, or by name. Accuracy,
        or r2 for regression, unless given. One that fails is a missing score.
    store
        A file, or a PostgreSQL URL. What is in it is not computed again.
    engine, n_jobs
        Where jobs run, a name in `palio.experiment.engines.ENGINES` or a Dask client: ``"local"``
        is so many worker processes on this machine.
    time_limit, memory_limit
        Seconds and bytes that a job (one repeat) may take; beyond, it ends as a row of its own.
        Linux holds a job to its memory; on other systems it is looked at 20 times a second.
    seed
        From which splits and random states are drawn; the same seed gives the same scores on
        every engine and any number of workers.
    seeds
        With how many random states each algorithm is trained on each split. They are no further
        data sets or folds: tests take the mean over them, `palio.variance` tells how much they
        matter.
    scheduler
        For ``"dask"``: its address, such as ``"tcp://host:8786"``; without one a cluster of
        ``n_jobs`` workers is started on this machine.
    patience
        For ``"dask"``: how many seconds the scheduler, or its last worker, may be gone. Then the
        run ends with an error, and what is finished is kept.
    isolation
        ``"worker"``: a process runs jobs one after another, and is replaced when one has left
        threads, files, limits or anything else that could change the next; ``"process"``: each job
        has a process to itself, which takes seconds to start.
    target, task, max_rows, binary
        How data sets are read: the column to learn in files (the last unless given), or that of
        each, as ``{"mine": "class"}``; ``"classification"`` or ``"regression"``; how many rows at
        most; and whether many classes become two.
    groups
        The column that says which rows belong together, of data sets that have it; or by data set
        such a column, or one value per row. A group is never on both sides of a split, and no
        feature.
    sample_weight
        Likewise, how much each row weighs, in fitting and in scoring.
    fit_params
        What ``fit`` is given besides, by algorithm, as ``{"boost": {"verbose": False}}``. What has
        one value per row is divided with the rows.
    aside
        The part of every data set, such as ``1 / 3``, that no job touches, so that what is found
        best can be tested on it; see `Plan.held_out`.
    predictions
        Whether what every instance was taken for is kept, too; see `read_stored_predictions`.
    part
        ``"2/5"``: only the second of five parts, which are about the same amount of work, and the
        same on every machine. `merge_stores` puts the stores of all parts together.
    name
        What the plan is called in the store. A plan of the same name is replaced; results are kept
        by content, whatever they are called.
    exclusive
        Measure the costs of finished jobs again, one job at a time and nothing beside, on this
        machine; scores stay as they are.
    allow
        Modules whose classes ``algorithms`` may name, besides those of installed packages.
    progress
        What is shown meanwhile: bars in a notebook or on a terminal unless given, nothing with
        ``False``; a function is called after every job.

    Returns
    -------
    ScoreTable
        One row per fold, with the costs ``fit_time``, ``predict_time``, ``model_bytes``,
        ``peak_memory``. Data sets on which a job did not end well are left out, and noted.

    See Also
    --------
    palio.compare : what to do with the table.
    palio.tuned : learners whose hyper-parameters are searched.

    Notes
    -----
    Several runs may share a PostgreSQL store, of one plan or of several: each job is run by one of
    them, and what a run that was killed had begun is taken over by the others. To a SQLite store
    one run writes at a time.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     table = run(
    ...         ["sklearn:iris", "sklearn:wine"],
    ...         {"nb": GaussianNB(), "knn": KNeighborsClassifier()},
    ...         store=pathlib.Path(folder) / "experiment.db", engine="inline",
    ...     )
    >>> table.n_datasets, table.algorithms, str(table.design())
    (2, ('nb', 'knn'), '5×2 cv')
    """
    need("run", "run")
    plan = make_plan(
        datasets,
        make_estimators(algorithms, tune=tune, allow=allow),
        prepare=prescribed(algorithms, prepare),
        resampling=resampling,
        scoring=scoring,
        seed=seed,
        seeds=seeds,
        target=target,
        task=task,
        max_rows=max_rows,
        binary=binary,
        groups=groups,
        sample_weight=sample_weight,
        fit_params=fit_params,
        aside=aside,
        predictions=predictions,
    )
    with Store(store) as opened, job_bar(progress) as tell:
        ended = run_plan(
            plan,
            opened,
            EngineOptions(engine, n_jobs, time_limit, memory_limit, scheduler, patience, isolation),
            only=None if part is None else chosen(plan, Part.read(part)),
            part=part or "",
            name=name,
            exclusive=exclusive,
            progress=tell,
            warn=lambda said: warnings.warn(said, stacklevel=4),
        )
        table = read_store(opened, plan=name, alone=part is not None)
    notes = [changed_notice(ended.changed)] if ended.changed else []
    if memory_limit is not None and not system().holds_memory:
        notes.append(WATCHED)
    return replace(table, notes=(*table.notes, *notes)) if notes else table


WATCHED = "memory was looked at 20 times a second: this system holds no process to a limit"
"""What is noted of a run whose limit of memory is a softer one."""


def run_plan(
    plan: Plan,
    store: Store,
    options: EngineOptions | None = None,
    *,
    again: Iterable[str] = (),
    only: Collection[str] | None = None,
    part: str = "",
    predictions: bool = False,
    name: str = "experiment",
    exclusive: bool = False,
    progress: Tell | None = None,
    warn: Callable[[str], object] | None = None,
) -> Progress:
    """Run what a plan has and a store has not, and those keys ``again``; return how it ended.

    ``only``: the jobs with these keys, unless all. They are a ``part`` of the plan if it has a
    name, and only they are saved; otherwise the plan is saved whole. Predictions are kept if asked
    for here or by the jobs; ``warn`` is told which algorithms will fail on which data sets. The
    other parameters are those of `run`.
    """
    engine = (options or EngineOptions()).make(exclusive=exclusive)
    # Two names for the same content are one job.
    jobs = {
        job.key: job.but(predictions=True) if predictions else job
        for job in plan.jobs
        if only is None or job.key in only
    }
    with interruptions(), store.writing():
        known = store.marks(jobs)
        damaged = store.damaged(jobs)
        costs = Costs(store)
        if exclusive:
            missing = len(jobs) - len(known.keys() - damaged)
            if missing:
                rule = "costs are measured again when all jobs have ended"
                given = f"{missing} of {len(jobs)} have not been run"
                raise ParameterError(
                    "exclusive", rule, given, "run the experiment without it first"
                )
        store.save_plan(plan, name=name, only=only, part=part)
        keep_datasets(store, plan, name)
        goal: Goal = costs if exclusive else Results(store, jobs.values())
        count = _Count(jobs, progress)
        anew = damaged.union(again)
        share = Share(store, goal, {k: known[k] for k in anew if k in known}, count.tell)
        done = share.done(known)
        count.begin(done, known)
        try:
            left = {key: job for key, job in jobs.items() if key not in done}
            if warn is not None:
                for refused in refused_pairs(left.values()):
                    warn(refused)
            share.run(engine, tried_first(left, count.pace.jobs))
        except EngineError as error:
            raise _not_run(error, count.state(), store.shown) from error
    return count.state(changed=costs.changed)


def _not_run(error: EngineError, state: Progress, store: str) -> EngineError:
    """Say what has become of the jobs, too."""
    return EngineError(
        error.parameter,
        error.rule,
        f"{state.total - state.done} of {state.total} jobs are not run",
        f"what is finished is kept in {store}: run again to go on",
    )


def changed_notice(jobs: int) -> str:
    """Say that scores came out otherwise when costs were measured again."""
    return (
        f"{jobs} job{'s' * (jobs != 1)} came out with other scores when the costs were measured "
        "again; the scores stored first are kept."
    )


class _Count:
    """Counts jobs as they end, here and elsewhere, and passes it on."""

    def __init__(self, jobs: Mapping[str, Job], progress: Tell | None) -> None:
        self._jobs = jobs
        self._left = Counter((job.algorithm, job.dataset.name) for job in jobs.values())
        self._pass_on = progress or (lambda _progress: None)
        self._all = Counter(job.dataset.name for job in jobs.values())
        self._done: Counter[str] = Counter()
        self._failed = 0
        self.pace = Pace({job.dataset.name: job.dataset.X.size for job in jobs.values()})
        self._estimate: tuple[float, float | None] = (0.0, None)

    def begin(self, done: Iterable[str], known: Mapping[str, Mark]) -> None:
        """Count what need not be run."""
        for key in sorted(done, key=lambda key: known[key].finished):
            self._add(key, known[key])
        self._pass_on(self.state())

    def tell(self, key: str, ended: JobOutcome | Mark) -> None:
        """Count a job; of one that was run by someone else there is a mark."""
        self._add(key, ended)
        ours = {"last": ended, "job": self._jobs[key]} if isinstance(ended, JobOutcome) else {}
        self._pass_on(self.state(**ours))

    def _add(self, key: str, ended: JobOutcome | Mark) -> None:
        job = self._jobs[key]
        pair = job.algorithm, job.dataset.name
        self._left[pair] -= 1
        self._done[job.dataset.name] += 1
        self._failed += ended.status != "ok"
        finished = ended.finished if isinstance(ended, Mark) else time.time()
        self.pace.add(pair, ended.seconds, finished)

    def state(self, **more: Any) -> Progress:
        """Return how far the run is."""
        sets = {name: (self._done[name], n) for name, n in self._all.items()}
        done = self._done.total()
        return Progress(
            len(self._jobs), done, self._failed, datasets=sets, seconds_left=self._rest(), **more
        )

    def _rest(self) -> float | None:
        """Return how long the rest takes, worked out anew once in a while: jobs may end fast."""
        now = time.time()
        told, found = self._estimate
        if not told <= now < told + _ESTIMATE_SECONDS:
            found = self.pace.seconds_left(self._left, now)
            self._estimate = (now, found)
        return found
