"""Jobs in this very process: for debugging, where a breakpoint should stop."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from palio.experiment.outcome import JobOutcome
from palio.experiment.plan import Job


class InlineEngine:
    """Runs one job after another; it cannot hold limits, since it is what would be killed."""

    def run(self, jobs: Iterable[Job]) -> Iterator[JobOutcome]:
        """Yield one outcome per job, in order."""
        from palio.experiment.work import execute

        for job in jobs:
            yield execute(job)
