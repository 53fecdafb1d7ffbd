"""An experiment while it runs: how far it is, what failed, and the order so far."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from palio.app.web import run_card
from palio.app.web.answers import encode
from palio.app.web.tables import Asked, TableSource
from palio.app.web.worker import quick_report

if TYPE_CHECKING:
    from palio.experiment.status import RunNow


def version_of(source: TableSource) -> str:
    """Return what changes when a store does: how many jobs have ended, and when the last did."""
    from palio.experiment.status import version_of
    from palio.experiment.store.store import Store

    with Store(source.place, create=False) as store:
        return version_of(store.job_columns(source.reading.plan).finished)


def _now(source: TableSource) -> RunNow:
    from palio.experiment.status import run_now
    from palio.experiment.store.store import Store

    with Store(source.place, create=False) as store:
        return run_now(store, source.reading.plan, time.time())


def progress(source: TableSource) -> bytes:
    """Return how far the run is."""
    now, moment = _now(source), time.time()
    # The version is that of the last glance, by which tables are read, too: whoever is told of a
    # new one finds it there. It is over when nothing has come since.
    finished = now.finished and now.version == source.version
    return encode(
        {
            "version": source.version,
            "jobs": now.jobs,
            "done": now.done,
            "failed": now.failed,
            "finished": finished,
            "running": run_card.goes_on(now, moment) and not now.finished,
            "complete": len(now.complete),
            "html": run_card.card(now, moment),
        }
    )


def standing(asked: Asked) -> bytes:
    """Return the order so far: that of the answer to the same question, so there is but one."""
    from palio.report.names import shown_in

    report, now = quick_report(asked), _now(asked.source)
    ordering = report.ordering
    piece = run_card.standing(
        ordering.order,
        ordering.rank_sets,
        shown_in(report.table),
        complete=report.table.n_datasets,
        of=len(now.datasets),
    )
    return encode({"html": "" if now.finished else piece})
