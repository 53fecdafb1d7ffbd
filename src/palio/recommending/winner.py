"""Whom to look at on the rows kept aside: the first of the order, and why; one look is all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from palio.claims import pool_of
from palio.comparison.results import Comparison
from palio.errors import InputError
from palio.experiment.store.reading import read_store
from palio.experiment.store.store import Store
from palio.ordering import Ordering, order
from palio.words import count, joined, quoted

Jobs = Sequence[Mapping[str, Any]]

# The last look is chosen by data sets that are done, not by whoever was first on a few.
_COMPLETE = "drop-datasets"


@dataclass(frozen=True)
class Winner:
    """Which algorithm was chosen, and why."""

    algorithm: str
    reason: str


def choose_winner(
    store: Store, *, plan: str | None = None, algorithm: str | None = None, cost: str | None = None
) -> Winner:
    """Choose the algorithm that is looked at on the rows kept aside.

    The first of `palio.order`: nobody before one that is significantly better; among the rest the
    cheaper, or without a cost the better mean rank. As there is one look, a winner is refused
    that has jobs without a score, or that another significantly beats (in a circle). One that is
    named is taken, and its reason says what speaks against it.

    Parameters
    ----------
    store
        Where the experiment is.
    plan
        Its name there; the newest without one.
    algorithm
        The one that was named.
    cost
        What is preferred low among those that cannot be told apart.
    """
    jobs = store.jobs(plan)
    if algorithm is not None:
        against = [*_beaten(_compared(store, plan), algorithm), *_unfinished(jobs, algorithm)]
        though = f", though {joined(against)}" if against else ""
        return Winner(algorithm, f"it was named{though}")
    ordering = order(read_store(store, plan=plan, missing=_COMPLETE), cost=cost)
    name = ordering.order[0]
    against = [*_beaten(ordering.comparison, name), *_unfinished(jobs, name)]
    if against:
        raise InputError(
            "algorithm",
            f"'{name}' comes first, but {joined(against)}",
            # Not an Option: that is spelled as the column of this name.
            remedy=(
                "these rows can be looked at once: run the experiment to its end, or name the one "
                "to look at (--algorithm NAME)"
            ),
        )
    return Winner(name, _first_of(ordering))


def _compared(store: Store, plan: str | None) -> Comparison | None:
    """Compare the algorithms; nothing where the experiment is not far enough for that."""
    try:
        return order(read_store(store, plan=plan, missing=_COMPLETE)).comparison
    except InputError:
        return None


def _beaten(comparison: Comparison | None, name: str) -> list[str]:
    standings = {} if comparison is None else comparison.standings
    better = standings[name].beaten_by if name in standings else ()
    verb = "is" if len(better) == 1 else "are"
    return [f"{joined(better)} {verb} significantly better"] if better else []


def _unfinished(jobs: Jobs, name: str) -> list[str]:
    """Say how many of its jobs have no score, and on which data sets."""
    own = [job for job in jobs if job["algorithm"] == name]
    lacking = [job for job in own if job["status"] != "ok"]
    if not lacking:
        return []
    where = quoted(dict.fromkeys(job["dataset"] for job in lacking))
    return [f"{len(lacking)} of its {count(len(own), 'job')} did not end well (on {where})"]


def _first_of(ordering: Ordering) -> str:
    """Say by which rule it comes first, and that no test is in it where that is so."""
    dataset = ordering.table.datasets[0] if ordering.n_datasets == 1 else None
    pool = pool_of(len(ordering.order), ordering.n_datasets, dataset)
    mean = "rank" if ordering.n_datasets > 1 else ordering.measure.name
    rest = (
        f"the lower {joined(list(ordering.cost))}" if ordering.cost else f"the better mean {mean}"
    )
    rule = f"nobody before one that is {ordering.wording.better}; among the rest "
    none = ordering.comparison is not None and ordering.comparison.n_different == 0
    said = _no_verdict(ordering) or ("no two differ significantly" if none else "")
    if ordering.tolerance is not None:
        said += f", and clearly means by its folds or by more than {ordering.tolerance}"
    return f"it comes first of {pool} ({rule}{rest} first){f'; {said}' if said else ''}"


def _no_verdict(ordering: Ordering) -> str:
    """Say where nobody can be told apart, whatever the scores; nothing where that is possible."""
    if ordering.comparison is None:
        return "no test fits the design"
    if ordering.comparison.least_p is None:
        return ""
    return f"no verdict is possible on {count(ordering.n_datasets, 'data set')}"
