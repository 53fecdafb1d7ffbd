"""Before a run: which algorithms cannot take which data sets as they are, and what would help.

Only what not every estimator takes is tried: text and categories, missing values. That is done on
a few rows, in a process of its own, so that an estimator that hangs, prints or crashes does no
harm here, and within so many seconds; what was not tried by then, the run itself will tell.
"""

from __future__ import annotations

import json
import os
import pickle
import subprocess
import sys
from collections.abc import Iterable, Mapping
from dataclasses import replace

import numpy as np

from palio.experiment.plan import Job
from palio.experiment.resampling import Split, proportional_rows
from palio.words import listed

_SECONDS = 20.0
_ROWS = 100
_INCOMPLETE_ROWS = 20

_CHILD = "from palio.experiment.trying import try_all; try_all()"


def refused_pairs(jobs: Iterable[Job]) -> tuple[str, ...]:
    """Return which algorithms fail on a few rows of data sets, one line for each algorithm."""
    pairs = {
        (job.algorithm, job.dataset.name): job
        for job in jobs
        if job.prepare is None and job.dataset.obstacles and not hasattr(job.dataset.X, "nnz")
    }
    found: dict[str, dict[str, str]] = {}
    for place, error in _tried([_small(job) for job in pairs.values()]):
        algorithm, dataset = list(pairs)[place]
        found.setdefault(algorithm, {})[dataset] = error
    return tuple(_said(algorithm, errors) for algorithm, errors in found.items())


def _said(algorithm: str, errors: Mapping[str, str]) -> str:
    """Say that an algorithm fails on data sets as they are, and what to write instead."""
    name = algorithm if algorithm.isidentifier() else json.dumps(algorithm, ensure_ascii=False)
    return (
        f"{algorithm} fails on {listed(list(errors))}: {next(iter(errors.values()))}. To prepare "
        f'the data for it, give prepare={{{algorithm!r}: "standard"}}, in a file '
        f'prepare = {{ {name} = "standard" }}'
    )


def _small(job: Job) -> Job:
    """Return the job on a few rows, some of them with missing cells, learnt and tested on all."""
    data = job.dataset
    gaps = np.flatnonzero(data.frame.isna().to_numpy().any(axis=1))[:_INCOMPLETE_ROWS]
    few = np.arange(data.n_rows) if data.n_rows <= _ROWS else proportional_rows(data, _ROWS)
    rows = np.union1d(few, gaps)
    params = {
        name: np.asarray(value)[rows] if np.shape(value)[:1] == (data.n_rows,) else value
        for name, value in job.fit_params.items()
    }
    place = np.arange(rows.size)
    model = job.estimator
    return replace(
        job,
        dataset=data.take(rows),
        # Of a search, one fit tells.
        estimator=model.estimator if hasattr(model, "refit") else model,
        splits=(Split(1, 1, place, place),),
        fit_params=params,
        content="",
        begun=(),
    )


def _tried(jobs: list[Job]) -> list[tuple[int, str]]:
    """Return the places of jobs that fail as they are and end well when prepared, and why."""
    import cloudpickle  # type: ignore[import-untyped]

    if not jobs:
        return []
    try:
        sent = pickle.dumps((sys.path, cloudpickle.dumps(jobs)))
    except Exception:  # what cannot be sent is told by the run
        return []
    child = subprocess.Popen(
        [sys.executable, "-P", "-c", _CHILD],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    try:
        said, _ = child.communicate(sent, timeout=_SECONDS)
    except subprocess.TimeoutExpired:
        child.kill()
        said, _ = child.communicate()
    lines = said.decode(errors="replace").splitlines(keepends=True)
    return [tuple(json.loads(line)) for line in lines if line.endswith("\n")]


def try_all() -> None:
    """Run the jobs that come by standard input; write which of them preparing would mend."""
    path, jobs = pickle.loads(sys.stdin.buffer.read())
    sys.path[:] = path
    answers, nowhere = os.dup(1), os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)  # whatever estimators print

    from palio.experiment.work import execute, preparing_hint

    for place, job in enumerate(pickle.loads(jobs)):
        outcome = execute(job)
        if outcome.status == "ok" or execute(replace(job, prepare="standard")).status != "ok":
            continue
        error = outcome.error.removesuffix(preparing_hint(job))  # which _said has in full
        os.write(answers, f"{json.dumps([place, error])}\n".encode())
    os._exit(0)
