"""``palio run``, ``plan``, ``status``, ``retry`` and ``export``: experiments and their stores."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from palio.app.options import JsonFlag, show_summary
from palio.errors import ParameterError

if TYPE_CHECKING:
    from palio.experiment.config import Experiment
    from palio.experiment.plan import Plan

__all__ = ["export", "plan", "retry", "run", "status"]

Engine = Annotated[str | None, Parameter(help="inline, local or dask; overrides the file.")]
Jobs = Annotated[int | None, Parameter(help="Worker processes; overrides the file.")]


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
    }
    found = found.model_copy(update={k: v for k, v in changes.items() if v is not None})
    _run(found, _plan(found), again=())
    _tell_status(found.store, json=json)


def plan(experiment: Path, /, *, json: JsonFlag = False) -> None:
    """Show what would run, and how much of it is done.

    Example: palio plan experiment.toml

    Parameters
    ----------
    experiment
        A TOML file.
    """
    from palio.experiment.config import load_experiment
    from palio.experiment.store import Store

    found = load_experiment(experiment)
    made = _plan(found)
    known: dict[str, str] = {}
    spent: list[float] = []
    if found.store.startswith("postgresql") or Path(found.store).exists():
        with Store(found.store) as store:
            known = store.statuses()
            spent = [job["seconds"] for job in store.jobs() if job["status"] == "ok"]
    left = len({job.key for job in made.jobs} - set(known))
    seconds = left * sum(spent) / len(spent) / found.n_jobs if spent else None
    summary = {
        "kind": "plan",
        "jobs": len(made.jobs),
        "fits": made.n_fits,
        "datasets": list(made.datasets),
        "algorithms": list(made.algorithms),
        "resampling": found.resampling,
        "left": left,
        "seconds_left": seconds,
    }
    show_summary(summary, json=json)


def status(store: str, /, *, json: JsonFlag = False) -> None:
    """Say how the jobs of a store ended: counts, failures by cause, the slowest.

    Example: palio status experiment.db

    Parameters
    ----------
    store
        A store file or URL.
    """
    _tell_status(store, json=json)


def retry(
    store: str,
    /,
    *,
    status: Annotated[
        str, Parameter(help="Which jobs: failed, timeout, memory, killed, or all of these.")
    ] = "all",
    time_limit: Annotated[float | None, Parameter(help="Seconds a job may take.")] = None,
    memory_limit: Annotated[int | None, Parameter(help="Bytes a job may take.")] = None,
    json: JsonFlag = False,
) -> None:
    """Run the jobs of a store again that did not end well.

    Example: palio retry experiment.db --status timeout --time-limit 600

    Parameters
    ----------
    store
        A store that `palio run` has written.
    """
    from palio.experiment.config import Experiment
    from palio.experiment.store import Store

    kinds = ("failed", "timeout", "memory", "killed")
    if status not in (*kinds, "all"):
        raise ParameterError(
            f"status: it is one of {', '.join(kinds)} or all, and {status!r} was given."
        )
    with Store(store, create=False) as opened:
        kept = opened.recall("experiment")
        jobs = opened.jobs()
    if kept is None:
        raise ParameterError(
            f"store: '{store}' does not come from an experiment file, so the estimators are not "
            "known; call palio.run again in Python."
        )
    found = Experiment.model_validate_json(kept)
    changes = {"store": store, "time_limit": time_limit, "memory_limit": memory_limit}
    found = found.model_copy(update={k: v for k, v in changes.items() if v is not None})
    wanted = kinds if status == "all" else (status,)
    _run(found, _plan(found), again=[job["key"] for job in jobs if job["status"] in wanted])
    _tell_status(store, json=json)


def export(store: str, target: Path, /) -> None:
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
    frame = read_store(store, missing="pairwise").to_frame()
    how: dict[str, Any] = {"orient": "records"} if target.suffix == ".json" else {"index": False}
    try:
        getattr(frame, writers[target.suffix.lower()])(target, **how)
    except OSError as error:
        raise ParameterError(f"target: '{target}' cannot be written: {error.strerror}.") from error
    sys.stderr.write(f"wrote {target}\n")


def _plan(found: Experiment) -> Plan:
    from palio.experiment.plan import make_plan

    return make_plan(
        found.datasets,
        found.estimators(),
        resampling=found.resampling,
        scoring=found.scoring,
        seed=found.seed,
    )


def _run(found: Experiment, made: Plan, *, again: tuple[str, ...] | list[str]) -> None:
    from palio.app.progress import job_bar
    from palio.experiment.engines import Limits
    from palio.experiment.runner import run_plan
    from palio.experiment.store import Store

    try:
        with Store(found.store) as store, job_bar() as tell:
            store.remember("experiment", found.model_dump_json())
            run_plan(
                made,
                store,
                engine=found.engine,
                n_jobs=found.n_jobs,
                limits=Limits(found.time_limit, found.memory_limit),
                scheduler=found.scheduler,
                again=again,
                progress=tell,
            )
    except KeyboardInterrupt:
        sys.stderr.write(f"what is finished is kept in {found.store}; run again to go on\n")
        raise


def _tell_status(place: str, *, json: bool) -> None:
    from palio.experiment.store import Store

    with Store(place, create=False) as store:
        jobs = store.jobs()
    counts = Counter(job["status"] or "not run" for job in jobs)
    causes = Counter(
        f"{job['status']}: {job['error']}" for job in jobs if job["status"] not in (None, "ok")
    )
    slowest = sorted(
        (job for job in jobs if job["seconds"] is not None), key=lambda job: -job["seconds"]
    )[:5]
    summary = {
        "kind": "status",
        "store": place,
        "jobs": len(jobs),
        "counts": dict(counts),
        "failures": [{"cause": cause, "jobs": n} for cause, n in causes.most_common()],
        "slowest": [
            {k: job[k] for k in ("dataset", "algorithm", "repeat", "seconds")} for job in slowest
        ],
    }
    show_summary(summary, json=json)
