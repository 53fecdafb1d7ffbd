"""The last look: the chosen algorithm, on the rows that were kept aside, once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

from palio.bars import Steps, steps
from palio.errors import InputError, Option
from palio.experiment.plan import Job, Plan
from palio.experiment.resampling import Split
from palio.experiment.store.store import Store
from palio.registry import unknown_name
from palio.results import Result
from palio.words import quoted

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Final(Result):
    """What the chosen algorithm does on rows that nobody had seen.

    Parameters
    ----------
    algorithm : str
        Which was chosen.
    aside : float
        The part of every data set that was kept aside.
    scores, costs : mapping of data set to mapping
        What was measured, by name.
    failed : mapping of data set to str
        Where it did not end well, and why.
    looks : int
        How many times these rows have been looked at, this time included.
    reason : str
        Why it was chosen.
    """

    algorithm: str
    aside: float
    scores: Mapping[str, Mapping[str, float]]
    costs: Mapping[str, Mapping[str, float]]
    failed: Mapping[str, str]
    looks: int = 1
    reason: str = ""

    kind: ClassVar[str] = "final"
    parts: ClassVar[tuple[str, ...]] = (
        "algorithm",
        "reason",
        "aside",
        "scores",
        "costs",
        "failed",
        "looks",
        "notes",
    )

    @property
    def notes(self) -> tuple[str, ...]:
        """What was done, and how often."""
        done = (
            f"fitted on all rows but the {self.aside:.3g} kept aside, and measured on these "
            "(ulas2008 §4.1.3)"
        )
        if self.looks == 1:
            return (done,)
        return (
            done,
            f"these rows have been looked at {self.looks} times: what is chosen by such looks "
            "is better here than it will be elsewhere",
        )

    def to_frame(self) -> pd.DataFrame:
        """Return one row per data set."""
        import pandas as pd

        return pd.DataFrame(
            [
                {"dataset": name, "algorithm": self.algorithm, **found, **self.costs[name]}
                for name, found in self.scores.items()
            ]
        )


def measure_final(
    plan: Plan,
    store: Store,
    algorithm: str,
    *,
    name: str = "experiment",
    reason: str = "",
    again: bool = False,
    progress: Steps = None,
) -> Final:
    """Fit the chosen algorithm on all training rows and measure it on those kept aside.

    Once: a second look, with whatever algorithm, makes the kept rows part of the choice. It is
    refused unless ``again`` says that this is understood, and is then counted in the result. A
    look that was interrupted goes on where it was.

    Parameters
    ----------
    plan : Plan
        Made with ``aside=``.
    store : Store
        Where the look is remembered.
    algorithm : str
        One of the plan's.
    name : str
        The name of the plan in the store.
    reason : str
        Why it was chosen, to be told with the result.
    again : bool
        Whether to look although it has been done.
    progress : callable or bool, optional
        What is shown meanwhile: a bar in a notebook or on a terminal unless given, nothing with
        ``False``; a function is called with the name of each data set.
    """
    known = check_look(plan, store, algorithm, name=name, again=again)
    left = [job for job in _final_jobs(plan, algorithm) if job.dataset.name not in known]
    with steps("measuring", len(left), progress) as step:
        failed = _measure(left, store, name, step)
    found = {row["dataset"]: row for row in store.finals(name) if row["algorithm"] == algorithm}
    return Final(
        algorithm,
        plan.aside or 0.0,
        {dataset: row["scores"] for dataset, row in found.items()},
        {dataset: row["costs"] for dataset, row in found.items()},
        failed,
        max(1, len({row["algorithm"] for row in store.finals(name)})),
        reason,
    )


def check_look(
    plan: Plan, store: Store, algorithm: str, *, name: str = "experiment", again: bool = False
) -> frozenset[str]:
    """Refuse a second look, or one at nothing; return what an interrupted first has seen."""
    if algorithm not in plan.algorithms:
        raise unknown_name("algorithm", algorithm, plan.algorithms)
    plan.held_out(plan.datasets[0])
    seen = store.finals(name)
    known = frozenset(row["dataset"] for row in seen if row["algorithm"] == algorithm)
    # A look that was interrupted, or failed on some data set, is still the first.
    going_on = len(known) == len(seen) < len(plan.datasets)
    if seen and not again and not going_on:
        raise InputError(
            "final",
            "the rows kept aside have been looked at already, with "
            f"{quoted(dict.fromkeys(row['algorithm'] for row in seen))}",
            remedy=(
                "a second look makes them part of the choice. Give "
                f"{Option('again', 'True')} if that is what you want"
            ),
        )
    return known if going_on else frozenset()


def _measure(
    jobs: Iterable[Job], store: Store, name: str, tell: Callable[[str], object]
) -> dict[str, str]:
    """Measure on each data set, and keep it at once; return what failed."""
    from palio.experiment.work import execute

    failed = {}
    for job in jobs:
        dataset = job.dataset.name
        tell(dataset)
        outcome = execute(job)
        if outcome.status != "ok":
            failed[dataset] = f"{outcome.status} while {outcome.stage}: {outcome.error}"
            continue
        fold = outcome.folds[0]
        store.save_final(
            name,
            dataset,
            job.algorithm,
            scores=fold.scores,
            costs=fold.costs,
            machine=outcome.machine,
        )
    return failed


def _final_jobs(plan: Plan, algorithm: str) -> list[Job]:
    """Make one job per data set: all training rows, tested on those kept aside."""
    first = {job.dataset.name: job for job in reversed(plan.jobs) if job.algorithm == algorithm}
    jobs = []
    for dataset in plan.datasets:
        job = first[dataset]
        training, kept = plan.held_out(dataset)
        split = Split(repeat=1, fold=1, train=training, test=kept)
        jobs.append(replace(job, splits=(split,), predictions=False, begun=(), draw=1))
    return jobs
