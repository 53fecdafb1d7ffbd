"""What a run is for: results, with or without predictions, or costs with nothing run beside."""

from __future__ import annotations

import json
import platform
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Protocol

from palio.experiment.outcome import JobOutcome
from palio.experiment.plan import Job
from palio.experiment.store import Mark, Store

__all__ = ["Costs", "Goal", "Results"]


class Goal(Protocol):
    """Says which jobs are done, by their rows, and writes those that are being done."""

    def done(self, marks: Mapping[str, Mark]) -> set[str]:
        """Return the keys whose rows say all that is asked."""

    def save(self, outcomes: Sequence[JobOutcome]) -> None:
        """Write what came out."""


class Results:
    """Every job has a row; where predictions are asked for, a good one has these too."""

    def __init__(self, store: Store, jobs: Iterable[Job]) -> None:
        self._store = store
        # Only what classifiers say is kept.
        self._predicting = {
            job.key for job in jobs if job.predictions and job.dataset.task == "classification"
        }

    def done(self, marks: Mapping[str, Mark]) -> set[str]:
        """Return the keys that have a row, with predictions where they are asked for."""
        bare = {key for key in self._predicting & marks.keys() if marks[key].status == "ok"}
        return set(marks) - (bare - self._store.predicted(bare))

    def save(self, outcomes: Sequence[JobOutcome]) -> None:
        """Write rows."""
        self._store.save(outcomes)


class Costs:
    """Every row that ended well has costs measured on this machine, with nothing beside.

    Only the costs are written, never the scores; ``changed`` counts the jobs whose scores came out
    otherwise this time.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self.changed = 0

    def done(self, marks: Mapping[str, Mark]) -> set[str]:
        """Return the keys that were measured so, or did not end well and have no costs."""
        return {key for key, mark in marks.items() if mark.status != "ok" or _measured_here(mark)}

    def save(self, outcomes: Sequence[JobOutcome]) -> None:
        """Write the costs of what ended well this time too."""
        good = [outcome for outcome in outcomes if outcome.status == "ok"]
        scores = self._store.scores(outcome.key for outcome in good)
        self.changed += sum(
            scores.get(outcome.key) != {fold.fold: dict(fold.scores) for fold in outcome.folds}
            for outcome in good
        )
        self._store.save_costs(
            [replace(o, machine={**o.machine, "exclusive": "yes"}) for o in good]
        )


def _measured_here(mark: Mark) -> bool:
    machine: dict[str, str] = json.loads(mark.machine)
    return machine.get("exclusive") == "yes" and machine.get("host") == platform.node()
