"""Before a run: which algorithms cannot take which data sets as they are, and what would help.

Only what not every estimator takes is tried: text and categories, missing values. That is done on
a few rows, in a worker, so that an estimator that hangs, prints or crashes does no harm here, and
within so many seconds; what was not tried by then, the run itself will tell.
"""

from __future__ import annotations

import contextlib
import json
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np

from palio.experiment.engines import Limits
from palio.experiment.engines.batch import pack
from palio.experiment.engines.workers import Ended, Worker
from palio.experiment.outcome import JobOutcome
from palio.experiment.plan import Job
from palio.experiment.resampling import Split, proportional_rows
from palio.experiment.work import preparing_hint
from palio.words import listed

_SECONDS = 20.0
_ROWS = 100
_INCOMPLETE_ROWS = 20


def refused_pairs(jobs: Iterable[Job]) -> tuple[str, ...]:
    """Return which algorithms fail on a few rows of data sets, one line for each algorithm."""
    pairs = {
        (job.algorithm, job.dataset.name): _small(job)
        for job in jobs
        if job.prepare is None and job.dataset.obstacles and not hasattr(job.dataset.X, "nnz")
    }
    until = time.monotonic() + _SECONDS
    ends = {end.key: end for end in _ended(pairs.values(), until) if end.status != "ok"}
    failing = {pair: job for pair, job in pairs.items() if job.key in ends}
    mended = {pair: replace(job, prepare="standard") for pair, job in failing.items()}
    good = {end.key for end in _ended(mended.values(), until) if end.status == "ok"}
    found: dict[str, dict[str, str]] = {}
    for (algorithm, dataset), job in failing.items():
        if mended[algorithm, dataset].key in good:
            # The hint is said in full below.
            error = ends[job.key].error.removesuffix(preparing_hint(job))
            found.setdefault(algorithm, {})[dataset] = error
    return tuple(_said(algorithm, errors) for algorithm, errors in found.items())


def _ended(jobs: Iterable[Job], until: float) -> Iterator[JobOutcome]:
    """Give how jobs end, until a moment; of one that ends its process, nothing."""
    left = list({job.key: job for job in jobs}.values())
    while left and (seconds := until - time.monotonic()) > 0:
        worker, n_ended = Worker(Path(), Limits(seconds)), 0
        # What cannot even be sent is told by the run.
        with contextlib.suppress(Exception):
            for said in worker.run(pack(left, lambda _thing: None)):
                if isinstance(said, Ended):
                    n_ended += 1
                    yield said.outcome
        worker.end()
        left = left[max(n_ended, 1) :]


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
