"""``palio run``, ``plan``, ``status``, ``retry`` and ``export``: experiments and their stores."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from palio.app.options import JsonFlag, show_summary
from palio.errors import ParameterError

if TYPE_CHECKING:
    from palio.experiment.config import Experiment
    from palio.experiment.plan import Job

__all__ = ["export", "plan", "retry", "run", "status"]

Engine = Annotated[str | None, Parameter(help="inline, local or dask; overrides the file.")]
Jobs = Annotated[int | None, Parameter(help="Worker processes; overrides the file.")]
PlanName = Annotated[
    str | None, Parameter(help="What the plan is called in the store; overrides the file.")
]
OfPlan = Annotated[
    str | None, Parameter(help="Which plan of the store; the one saved last unless given.")
]


def run(
    experiment: Path,
    /,
    *,
    engine: Engine = None,
    n_jobs: Jobs = None,
    time_limit: Annotated[float | None, Parameter(help="Seconds a job may take.")] = None,
    memory_limit: Annotated[int | None, Parameter(help="Bytes a job may take.")] = None,
    scheduler: Annotated[
        str | None, Parameter(help="For dask: the scheduler's address, tcp://host:8786.")
    ] = None,
    predictions: Annotated[
        bool,
        Parameter(help="Keep what every instance was taken for.", negative="", show_default=False),
    ] = False,
    exclusive: Annotated[
        bool,
        Parameter(
            help="Measure the costs of finished jobs again, one job at a time; scores stay.",
            negative="",
            show_default=False,
        ),
    ] = False,
    name: PlanName = None,
    json: JsonFlag = False,
) -> None:
    """Run an experiment, or go on where it stopped.

    Ctrl-C and run again: what is finished is kept, and not computed twice.

    Example: palio run experiment.toml

    Parameters
    ----------
    experiment
        A TOML file: datasets, algorithms, resampling, store, …
    """
    from palio.experiment.config import load_experiment

    found = load_experiment(experiment)
    changes = {
        "engine": engine,
        "n_jobs": n_jobs,
        "time_limit": time_limit,
        "memory_limit": memory_limit,
        "scheduler": scheduler,
        "predictions": predictions or None,
        "name": name,
    }
    found = found.model_copy(update={k: v for k, v in changes.items() if v is not None})
    _run(found, exclusive=exclusive)
    _tell_status(found.store, found.name, json=json)


def plan(experiment: Path, /, *, name: PlanName = None, json: JsonFlag = False) -> None:
    """Show what would run, and how much of it is done.

    Example: palio plan experiment.toml

    Parameters
    ----------
    experiment
        A TOML file.
    """
    from palio.experiment.config import load_experiment
    from palio.experiment.database import is_server
    from palio.experiment.goals import Results
    from palio.experiment.store import Store

    found = load_experiment(experiment)
    made = found.plan()
    left = {job.key: job for job in made.jobs}
    spent: list[dict[str, Any]] = []
    if is_server(found.store) or Path(found.store).exists():
        with Store(found.store) as store:
            done = Results(store, made.jobs).done(store.marks(left))
            left = {key: job for key, job in left.items() if key not in done}
            named = name or found.name
            spent = store.jobs(named if named in store.plans() else None)
    seconds = _seconds_left(list(left.values()), spent)
    summary = {
        "kind": "plan",
        "jobs": len(made.jobs),
        "fits": made.n_fits,
        "datasets": list(made.datasets),
        "algorithms": list(made.algorithms),
        "resampling": found.resampling,
        "left": len(left),
        "seconds_left": None if seconds is None else seconds / found.n_jobs,
    }
    show_summary(summary, json=json)


def _seconds_left(left: Sequence[Job], spent: Sequence[Mapping[str, Any]]) -> float | None:
    """Estimate by what jobs took: of that algorithm there, of that algorithm, of any."""
    took: dict[tuple[str, ...], list[float]] = {}
    for job in spent:
        if job["status"] == "ok":
            for known in ((job["algorithm"], job["dataset"]), (job["algorithm"],), ()):
                took.setdefault(known, []).append(job["seconds"])
    if not took:
        return None
    means = {known: fmean(seconds) for known, seconds in took.items()}
    return sum(
        means.get((job.algorithm, job.dataset.name), means.get((job.algorithm,), means[()]))
        for job in left
    )


def status(store: str, /, *, name: OfPlan = None, json: JsonFlag = False) -> None:
    """Say how the jobs of a store ended: counts, failures by cause, where, and how long.

    Example: palio status experiment.db

    Parameters
    ----------
    store
        A store file or URL.
    """
    _tell_status(store, name, json=json)


def retry(
    store: str,
    /,
    *,
    status: Annotated[
        str, Parameter(help="Which jobs: failed, timeout, memory, killed, or all of these.")
    ] = "all",
    time_limit: Annotated[float | None, Parameter(help="Seconds a job may take.")] = None,
    memory_limit: Annotated[int | None, Parameter(help="Bytes a job may take.")] = None,
    name: OfPlan = None,
    json: JsonFlag = False,
) -> None:
    """Run the jobs of a store again that did not end well.

    Example: palio retry experiment.db --status timeout --time-limit 600

    Parameters
    ----------
    store
        A store that `palio run` has written.
    """
    from palio.app.experiments import stored_experiment
    from palio.experiment.store import Store

    kinds = ("failed", "timeout", "memory", "killed")
    if status not in (*kinds, "all"):
        raise ParameterError(
            f"status: it is one of {', '.join(kinds)} or all, and {status!r} was given."
        )
    with Store(store, create=False) as opened:
        found, plan_name = stored_experiment(opened, name)
        jobs = opened.jobs(plan_name)
    changes = {"name": plan_name, "time_limit": time_limit, "memory_limit": memory_limit}
    found = found.model_copy(update={k: v for k, v in changes.items() if v is not None})
    wanted = kinds if status == "all" else (status,)
    _run(found, again=[job["key"] for job in jobs if job["status"] in wanted])
    _tell_status(store, plan_name, json=json)


def export(store: str, target: Path, /, *, name: OfPlan = None) -> None:
    """Write the scores and costs of a store to a file, one row per fold.

    Example: palio export experiment.db results.csv

    Parameters
    ----------
    store
        A store file or URL.
    target
        Where to: .csv, .parquet or .json.
    """
    from palio.experiment.runner import read_store

    writers = {".csv": "to_csv", ".parquet": "to_parquet", ".json": "to_json"}
    if target.suffix.lower() not in writers:
        raise ParameterError(f"target: '{target}' must end in {', '.join(writers)}.")
    frame = read_store(store, plan=name, missing="pairwise").to_frame()
    how: dict[str, Any] = {"orient": "records"} if target.suffix == ".json" else {"index": False}
    try:
        getattr(frame, writers[target.suffix.lower()])(target, **how)
    except OSError as error:
        raise ParameterError(f"target: '{target}' cannot be written: {error.strerror}.") from error
    sys.stderr.write(f"wrote {target}\n")


def _run(found: Experiment, *, again: Sequence[str] = (), exclusive: bool = False) -> None:
    from palio.app.experiments import keep_experiment
    from palio.app.progress import job_bar
    from palio.experiment.database import shown
    from palio.experiment.engines import Limits
    from palio.experiment.runner import changed_notice, run_plan
    from palio.experiment.store import Store

    name = found.name or "experiment"
    made = found.plan()
    try:
        with Store(found.store) as store, job_bar() as tell:
            keep_experiment(store, found, name)
            ended = run_plan(
                made,
                store,
                engine=found.engine,
                n_jobs=found.n_jobs,
                limits=Limits(found.time_limit, found.memory_limit),
                scheduler=found.scheduler,
                again=again,
                name=name,
                exclusive=exclusive,
                progress=tell,
            )
    except KeyboardInterrupt:
        kept = shown(found.store)
        sys.stderr.write(f"what is finished is kept in {kept}; run again to go on\n")
        raise
    if ended.changed:
        sys.stderr.write(f"{changed_notice(ended.changed)}\n")


def _tell_status(place: str, name: str | None, *, json: bool) -> None:
    from palio.app.experiments import run_facts
    from palio.experiment.store import Store

    with Store(place, create=False) as store:
        plans = store.plans()
        jobs = store.jobs(name)
        facts = run_facts(store, name)
    ended = [job for job in jobs if job["seconds"] is not None]
    slowest = sorted(ended, key=lambda job: -job["seconds"])[:5]
    summary = {
        "kind": "status",
        "store": facts["store"],
        "plan": facts["plan"],
        "plans": plans,
        "jobs": facts["jobs"],
        "counts": facts["counts"],
        "failures": [{"cause": each["cause"], "jobs": each["jobs"]} for each in facts["failures"]],
        "machines": facts["machines"],
        "algorithms": _seconds_by_algorithm(ended),
        "slowest": [
            {k: job[k] for k in ("dataset", "algorithm", "repeat", "seconds")} for job in slowest
        ],
    }
    show_summary(summary, json=json)


def _seconds_by_algorithm(ended: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    seconds: dict[str, list[float]] = {}
    for job in ended:
        seconds.setdefault(job["algorithm"], []).append(job["seconds"])
    return [
        {"algorithm": name, "jobs": len(each), "seconds": sum(each), "per_job": fmean(each)}
        for name, each in seconds.items()
    ]
