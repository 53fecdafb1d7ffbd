"""Experiment files and the stores that remember them, for the verbs that need both."""

from __future__ import annotations

from typing import TYPE_CHECKING

from palio.errors import ParameterError

if TYPE_CHECKING:
    from palio.experiment.config import Experiment
    from palio.experiment.store import Store

__all__ = ["keep_experiment", "stored_experiment"]


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
