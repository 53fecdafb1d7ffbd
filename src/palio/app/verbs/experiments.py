"""``palio run``, ``plan``, ``status``, ``retry``, ``export``: experiments and their stores.

``algorithms``: the learners that an experiment may name.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from palio.app.options import AllowOption, JsonFlag, choices, flag, show
from palio.errors import ParameterError, require
from palio.experiment.engines import ENGINES, engines_that
from palio.extras import need
from palio.words import listed, masked

if TYPE_CHECKING:
    from palio.algorithms import Learner
    from palio.experiment.config import Experiment

Jobs = Annotated[int | None, Parameter(help="Worker processes; overrides the file.")]
PlanName = Annotated[
    str | None, Parameter(help="What the plan is called in the store; overrides the file.")
]
StorePlace = Annotated[
    str | None, Parameter(help="Where results go, a file or a URL; overrides the file.")
]
OfPlan = Annotated[
    str | None, Parameter(help="Which plan of the store; the one saved last unless given.")
]


Scheduler = Annotated[
    str | None,
    Parameter(
        help=f"For {engines_that(lambda kind: kind.clients, quote='')}: the scheduler's "
        "address, tcp://host:8786."
    ),
]


def run(
    experiment: Path,
    /,
    *,
    engine: Annotated[
        str | None,
        Parameter(help=choices("palio.experiment.engines:ENGINES", after="; overrides the file")),
    ] = None,
    n_jobs: Jobs = None,
    time_limit: float | None = None,
    memory_limit: int | None = None,
    scheduler: Scheduler = None,
    patience: float | None = None,
    predictions: Annotated[
        bool,
        flag("Keep what every instance was taken for."),
    ] = False,
    exclusive: Annotated[
        bool,
        flag("Measure the costs of finished jobs again, one job at a time; scores stay."),
    ] = False,
    part: str | None = None,
    datasets: list[str] | None = None,
    store: StorePlace = None,
    name: PlanName = None,
    allow: AllowOption = None,
    json: JsonFlag = False,
) -> None:
    """Run an experiment, or go on where it stopped.

    Ctrl-C and run again: what is finished is kept, fold by fold, and not computed twice.

    Example: palio run experiment.toml

    Example: palio run experiment.toml --part 1/2 --store here.db

    Parameters
    ----------
    experiment
        A TOML file: datasets, algorithms, resampling, store, …
    time_limit
        Seconds a job may take.
    memory_limit
        Bytes a job may take.
    patience
        Seconds to wait for a scheduler, or its last worker, that is gone.
    part
        2/5: the second of five parts; palio merge puts their stores together.
    datasets
        Only these data sets: names, or patterns such as 'm*'.
    """
    need("run" if engine is None else ENGINES[engine].extra, "run")
    from palio.experiment.config import load_experiment
    from palio.experiment.parts import Part

    found = load_experiment(experiment, allow=allow or ())
    changes = {
        "engine": engine,
        "n_jobs": n_jobs,
        "time_limit": time_limit,
        "memory_limit": memory_limit,
        "scheduler": scheduler,
        "patience": patience,
        "predictions": predictions or None,
        "store": store,
        "name": name,
    }
    asked = "" if part is None else str(Part.read(part))
    _run(found, changes, exclusive=exclusive, part=asked, datasets=datasets or ())
    _tell_status(store or found.store, name or found.name, json=json)


def plan(
    experiment: Path,
    /,
    *,
    parts: int = 1,
    store: StorePlace = None,
    name: PlanName = None,
    allow: AllowOption = None,
    json: JsonFlag = False,
) -> None:
    """Show what would run, and how much of it is done.

    Example: palio plan experiment.toml --parts 2

    Parameters
    ----------
    experiment
        A TOML file.
    parts
        Divide it into so many, and say what each would take.
    """
    need("run", "plan")
    from palio.experiment.config import load_experiment
    from palio.experiment.parts import outlook
    from palio.experiment.store.store import Store
    from palio.words import is_server

    require(parts >= 1, "parts", "at least 1", parts)
    found = load_experiment(experiment, allow=allow or ())
    place = store or found.store
    begun = is_server(place) or Path(place).exists()
    with Store(place) if begun else nullcontext() as opened:
        result = outlook(
            found.plan(),
            opened,
            n_jobs=found.n_jobs,
            name=name or found.name,
            parts=parts,
        )
    show(result, json=json)


def status(
    store: str,
    /,
    *,
    name: OfPlan = None,
    check: Annotated[
        bool, flag("Look at every row of the store: is it as it was written?")
    ] = False,
    json: JsonFlag = False,
) -> None:
    """Say how the jobs of a store ended: counts, failures by cause, where, and how long.

    Example: palio status experiment.db

    Parameters
    ----------
    store
        A store file or URL, or the folder of parts that palio submit has made.
    """
    _tell_status(store, name, check=check, json=json)


def retry(
    store: str,
    /,
    *,
    status: str = "all",
    time_limit: float | None = None,
    memory_limit: int | None = None,
    scheduler: Scheduler = None,
    name: OfPlan = None,
    allow: AllowOption = None,
    json: JsonFlag = False,
) -> None:
    """Run the jobs of a store again that did not end well.

    Example: palio retry experiment.db --status timeout --time-limit 600

    Parameters
    ----------
    store
        A store that `palio run` has written.
    status
        Which jobs: failed, timeout, memory, killed, or all of these.
    time_limit
        Seconds a job may take.
    memory_limit
        Bytes a job may take.
    """
    need("run", "retry")
    from palio.experiment.config import stored_experiment
    from palio.experiment.store.store import Store

    kinds = ("failed", "timeout", "memory", "killed")
    require(status in (*kinds, "all"), "status", f"it is one of {', '.join(kinds)} or all", status)
    with Store(store, create=False) as opened:
        found, plan_name = stored_experiment(opened, name, allow=allow or ())
        jobs = opened.job_columns(plan_name)
    changes = {
        "name": plan_name,
        "time_limit": time_limit,
        "memory_limit": memory_limit,
        "scheduler": scheduler,
    }
    wanted = kinds if status == "all" else (status,)
    again = [key for key, end in zip(jobs.key, jobs.status, strict=True) if end in wanted]
    # In the store of a part only this part is run.
    only = set(jobs.key) if jobs.plan.part else None
    _run(found, changes, again=again, only=only, part=jobs.plan.part)
    _tell_status(store, plan_name, json=json)


def export(store: str, target: Path, /, *, name: OfPlan = None) -> None:
    """Write the jobs of a store to a file: a row per fold, with its scores and costs.

    A job that did not end well is a row with its status and the reason; ``prepare`` says what was
    done to the features.

    Example: palio export experiment.db results.csv

    Parameters
    ----------
    store
        A store file or URL.
    target
        Where to; the ending tells the format, .csv for one.
    """
    import pandas as pd

    from palio.experiment.status import kept_of_plan
    from palio.experiment.store.reading import read_jobs
    from palio.experiment.store.store import Store
    from palio.scores.formats import write_file

    with Store(store, create=False) as opened:
        found = read_jobs(opened, name)
        ways = kept_of_plan(opened, opened.plan_name(name))["preparation"]
    found["prepare"] = [ways.get(each, "none") for each in found["algorithm"]]
    write_file(pd.DataFrame(found), target, "target")
    bad = Counter(each for each in found["status"] if each != "ok")
    without = listed([f"{n} {status}" for status, n in bad.items()])
    sys.stderr.write(f"wrote {target}{f'; jobs without scores: {without}' if bad else ''}\n")


def _run(
    found: Experiment,
    changes: Mapping[str, object],
    *,
    again: Sequence[str] = (),
    exclusive: bool = False,
    only: set[str] | None = None,
    part: str = "",
    datasets: Sequence[str] = (),
) -> None:
    """Run an experiment, or a part of it, with the changes that were typed."""
    from palio.bars import job_bar
    from palio.experiment.config import keep_experiment
    from palio.experiment.engines import EngineOptions
    from palio.experiment.parts import Part, chosen, said_of_targets
    from palio.experiment.runner import changed_notice, run_plan
    from palio.experiment.store.store import Store

    # Where jobs are sent is typed anew each time: who has the store need not trust that place.
    if changes.get("scheduler") is None:
        found.check_scheduler()
    usual = {"engine": found.engine, "scheduler": found.scheduler}
    found = found.model_copy(update={k: v for k, v in changes.items() if v is not None})
    name = found.name or "experiment"
    made = found.plan()
    if only is None and (part or datasets):
        only = chosen(made, Part.read(part) if part else None, datasets)
    if learnt := said_of_targets(made.targets):
        sys.stderr.write(f"{fill(learnt, 80, break_long_words=False, break_on_hyphens=False)}\n")
    try:
        with Store(found.store) as store, job_bar(lines=True) as tell:
            keep_experiment(store, found.model_copy(update=usual), name)
            ended = run_plan(
                made,
                store,
                EngineOptions(
                    found.engine,
                    found.n_jobs,
                    found.time_limit,
                    found.memory_limit,
                    found.scheduler,
                    found.patience,
                    found.isolation,
                ),
                again=again,
                only=only,
                part=part,
                name=name,
                exclusive=exclusive,
                progress=tell,
                warn=lambda said: sys.stderr.write(f"{said}\n"),
            )
    except KeyboardInterrupt:
        kept = masked(found.store)
        sys.stderr.write(f"what is finished is kept in {kept}; run again to go on\n")
        raise
    if ended.changed:
        sys.stderr.write(f"{changed_notice(ended.changed)}\n")


def _tell_status(place: str, name: str | None, *, check: bool = False, json: bool) -> None:
    from palio.app.verbs.submit import slurm_states
    from palio.experiment.status import status_of, status_of_parts
    from palio.experiment.store.store import Store
    from palio.words import is_server

    if is_server(place) or not Path(place).is_dir():
        with Store(place, create=False) as store:
            result = status_of(store, name, check=check)
    else:
        if states := slurm_states(Path(place)):
            sys.stderr.write(f"{states}\n")
        result = status_of_parts(Path(place), name, check=check)
    show(result, json=json)


def algorithms(
    name: str | None = None,
    /,
    *,
    paper: str | None = None,
    rows: int = 1000,
    features: int = 20,
    json: JsonFlag = False,
) -> None:
    """List the learners that experiment files may call by a short name.

    With each the paper whose settings it has, the hyper-parameters that the paper searches over,
    and how many combinations that makes.

    Example: palio algorithms --paper ulas2008

    Parameters
    ----------
    name
        Only this one, with the values of its hyper-parameters.
    paper
        Only those of this paper.
    rows
        Grids that depend on the data: how many rows.
    features
        Likewise, how many columns.
    """
    from palio.algorithms import LEARNERS
    from palio.experiment.estimators import catalogue

    if min(rows, features) < 1:
        raise ParameterError(
            "rows, features", "at least 1 of each", f"{rows} and {features} were given"
        )
    chosen = list(LEARNERS.values()) if name is None else [LEARNERS[name]]
    if paper is not None:
        chosen = _of_paper(chosen, paper)
    show(catalogue(chosen, rows=rows, features=features), json=json)


def _of_paper(learners: list[Learner], paper: str) -> list[Learner]:
    from palio.registry import unknown_name

    papers = sorted({each for learner in learners for each in learner.paper.split(", ")})
    if paper not in papers:
        raise unknown_name("paper", paper, papers)
    return [learner for learner in learners if paper in learner.paper.split(", ")]
