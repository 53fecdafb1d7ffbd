"""An experiment while it runs: how far it is, what failed, who is ahead and how firmly."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from palio.app.web.answers import encode
from palio.app.web.tables import TableSource
from palio.app.web.worker import table_of
from palio.errors import InputError
from palio.scores.missing import USUAL
from palio.words import count

if TYPE_CHECKING:
    from palio.experiment.status import RunNow

# Data sets are drawn anew so often to see who would be ahead.
_RESAMPLES = 500

_CAUSES = 10


def version_of(source: TableSource) -> str:
    """Return what changes when a store does: how many jobs have ended, and when the last did."""
    from palio.experiment.status import marks_of, version_of
    from palio.experiment.store.store import Store

    with Store(source.place, create=False) as store:
        return version_of(marks_of(store, store.jobs(source.reading.name)))


def progress(source: TableSource) -> bytes:
    """Return how far the run is, and who is ahead on the data sets that are complete."""
    from palio.experiment.status import run_now
    from palio.experiment.store.store import Store

    with Store(source.place, create=False) as store:
        facts = run_now(store, source.reading.name, time.time())
    return encode(
        {
            "version": facts.version,
            "jobs": facts.jobs,
            "done": facts.done,
            "finished": facts.finished,
            "title": "Experiment finished" if facts.finished else "Experiment under way",
            "sentence": _sentence(facts),
            "failed": f"{count(facts.failed, 'job')} did not end well",
            "failures": [
                {"cause": each.cause[:300], "jobs": each.jobs} for each in facts.failures[:_CAUSES]
            ],
            "leader": _leader(replace(source, version=facts.version), facts),
        }
    )


def _sentence(facts: RunNow) -> str:
    """Say how far a run is, and how long the rest takes, as far as that can be told."""
    from palio.numbers import time_left

    said = f"{facts.done} of {facts.jobs} jobs done, {facts.failed} failed"
    rest = f"; {time_left(facts.seconds_left)}" if facts.seconds_left else ""
    return f"{said}{rest}."


def _leader(source: TableSource, facts: RunNow) -> dict[str, Any] | None:
    """Say who has the best mean rank so far, and in how many resamples it would have it, too.

    While jobs are left, what is missing is still to come, and only complete data sets count. At the
    end it is missing for good, and is treated as in the verdict.
    """
    from palio.numbers import percent
    from palio.ordering import rank_stability

    if not facts.finished:
        source = replace(source, reading=replace(source.reading, missing="drop-datasets"))
    try:
        table = table_of(source)
    except InputError:
        return None
    of = f"on {table.n_datasets} of {count(facts.n_datasets, 'data set')}"
    on = of if table.missing == USUAL else f"{of}, those that are complete"
    if table.n_datasets < 2:
        return {
            "algorithm": table.by_mean_score()[0],
            "sentence": f"Best {table.measure.name} {on}; one says nothing of how settled it is.",
        }
    stability = rank_stability(table, ["average-ranks"], n_resamples=_RESAMPLES).methods[0]
    first = stability.order[0]
    share = stability.places[first][0]
    return {
        "algorithm": first,
        "sentence": (
            f"Best mean rank {on}. Drawing those data sets anew, it is first "
            f"{percent(share, 1)} of the time ({_settled(share)})."
        ),
    }


def _settled(share: float) -> str:
    """Put in words how firm the first place is.

    >>> _settled(0.97), _settled(0.8), _settled(0.4)
    ('settled', 'likely', 'open')
    """
    return "settled" if share >= 0.95 else "likely" if share >= 0.75 else "open"
