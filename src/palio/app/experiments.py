"""Experiment files and the stores that remember them, for the verbs that need both."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from palio.errors import ParameterError

if TYPE_CHECKING:
    from palio.experiment.config import Experiment
    from palio.experiment.store import Store
    from palio.report.schema import ExperimentDict, FailureDict, MachineDict

__all__ = ["keep_experiment", "run_facts", "stored_experiment"]

Jobs = Sequence[Mapping[str, Any]]

# Of what a machine tells of itself, the libraries.
_LIBRARIES = ("python", "numpy", "scipy", "scikit-learn", "palio")


def keep_experiment(store: Store, found: Experiment, name: str) -> None:
    """Remember the experiment file of a plan, so that it can be gone on with from the store."""
    # Where the store is need not be in it, and its URL may have a password.
    store.remember(_kept_as(name), found.model_dump_json(exclude={"store"}))


def stored_experiment(store: Store, name: str | None = None) -> tuple[Experiment, str]:
    """Return the experiment file of a plan, the newest without a name, and the plan's name."""
    from palio.experiment.config import Experiment

    plan = store.plan_name(name)
    kept = store.recall(_kept_as(plan))
    if kept is None:
        raise ParameterError(
            f"store: '{store.shown}' does not come from an experiment file, so the estimators are "
            "not known; call palio.run again in Python."
        )
    found = Experiment.model_validate_json(kept)
    return found.model_copy(update={"store": store.place}), plan


def _kept_as(name: str) -> str:
    return f"file of {name}"


def run_facts(store: Store, name: str | None = None) -> ExperimentDict:
    """Say how the jobs of a plan ended, why, and where: what a report tells of the run."""
    from palio.experiment.reading import machines

    jobs, plan = store.jobs(name), store.plan_name(name)
    counts = Counter(job["status"] or "not run" for job in jobs)
    ran = machines(jobs)
    versions = {
        library: sorted({each[library] for each in ran if library in each})
        for library in _LIBRARIES
    }
    return {
        "store": store.shown,
        "plan": plan or None,
        "jobs": len(jobs),
        "counts": dict(counts),
        "finished": "not run" not in counts,
        "failures": _failures(jobs),
        "machines": _machines(ran),
        "versions": {library: found for library, found in versions.items() if found},
    }


def _failures(jobs: Jobs) -> list[FailureDict]:
    """Gather the jobs that did not end well by their cause, the commonest first."""
    by_cause: dict[str, list[Mapping[str, Any]]] = {}
    for job in jobs:
        if job["status"] not in (None, "ok"):
            by_cause.setdefault(f"{job['status']}: {job['error']}", []).append(job)
    return [
        {
            "cause": cause,
            "jobs": len(failed),
            "datasets": list(dict.fromkeys(job["dataset"] for job in failed)),
            "algorithms": list(dict.fromkeys(job["algorithm"] for job in failed)),
        }
        for cause, failed in sorted(by_cause.items(), key=lambda item: -len(item[1]))
    ]


def _machines(ran: Sequence[Mapping[str, str]]) -> list[MachineDict]:
    """Count the jobs of each machine, those measured with nothing beside by themselves."""
    counts = Counter(
        (each["host"], each.get("processor_name", each.get("processor", "")), "exclusive" in each)
        for each in ran
        if "host" in each
    )
    return [
        {"host": host, "processor": processor, "exclusive": exclusive, "jobs": n}
        for (host, processor, exclusive), n in sorted(counts.items())
    ]
