"""Stores put together: what was run on several machines, or on several days, in one.

Jobs are told apart by their content, so that it does not matter who ran them. What differs where
nothing should is an error, and then nothing is taken over.
"""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from palio.errors import InputError, Option, ParameterError
from palio.experiment.status import KEPT_OF_PLAN
from palio.experiment.store.database import delete, insert, located, select, tables, upsert
from palio.experiment.store.rows import Place, digest_of
from palio.experiment.store.store import (
    SavedPlan,
    Store,
    plans_in,
    read_planned,
    scores_in,
    write_plan,
)
from palio.results import Result
from palio.words import count, is_server, listed

if TYPE_CHECKING:
    import pandas as pd
    import sqlalchemy as sa

__all__ = ["Merged", "Taken", "merge_stores"]

_OF_DATASETS = tuple(f"{what} of " for what in KEPT_OF_PLAN)


@dataclass(frozen=True)
class Taken:
    """What was taken over from one store."""

    store: str
    jobs: Annotated[int, "Jobs that were not there yet."]
    mended: Annotated[int, "Jobs that had not ended well, and had in this store."]
    same: Annotated[int, "Jobs that both had, with the same scores, or without any."]
    differing: Annotated[int, "Jobs that came out otherwise; those that were there are kept."]


@dataclass(frozen=True)
class Merged(Result):
    """What a store has taken over from others.

    Parameters
    ----------
    store : str
        Where all of it is.
    sources : tuple of Taken
        What came from each store: jobs that were not there, jobs that were mended, jobs that both
        had.
    plans : tuple of str
        The plans of the store, the newest first.
    jobs, left : int
        How many jobs these plans have, and how many of them have not ended.
    """

    store: str
    sources: tuple[Taken, ...]
    plans: tuple[str, ...]
    jobs: int
    left: int

    kind: ClassVar[str] = "merged"

    def to_frame(self) -> pd.DataFrame:
        """Return one row per store."""
        import pandas as pd

        return pd.DataFrame(self.sources)


def merge_stores(
    target: str | os.PathLike[str],
    sources: Sequence[str | os.PathLike[str]],
    *,
    keep_first: bool = False,
) -> Merged:
    """Put what was run in several stores into one: of several machines, or of several days.

    Jobs are known by their content (data, folds, estimator and parameters, scorers, seed),
    wherever they were run. A job keeps the costs it was measured with, and the machine. One that
    several stores have is taken from the first of them in which it ended well. Plans of the same
    name become one.

    Parameters
    ----------
    target
        The store to put it into, a file or a PostgreSQL URL; what it has already comes first.
    sources
        The other stores, which stay as they are.
    keep_first
        Where the same job has other scores in another store, keep those of the first. Without it
        that is an error, which names the jobs, and nothing is taken over.

    Raises
    ------
    InputError
        If scores differ, or if plans of the same name have different jobs by the same names.

    See Also
    --------
    run : with ``part="1/2"`` it runs one of two parts of an experiment.

    Examples
    --------
    >>> import palio, pathlib, tempfile
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> learners = {"nb": GaussianNB(), "tree": DecisionTreeClassifier()}
    >>> experiment = (["sklearn:iris", "sklearn:wine"], learners)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     one, two, both = (pathlib.Path(folder) / name for name in ("1.db", "2.db", "all.db"))
    ...     for store, part in ((one, "1/2"), (two, "2/2")):
    ...         _ = palio.run(*experiment, store=store, part=part, engine="inline")
    ...     merged = palio.merge_stores(both, [one, two])
    ...     table = palio.read_scores(both)
    >>> [each.jobs for each in merged.sources], merged.left, table.datasets
    ([10, 10], 0, ('iris', 'wine'))
    """
    places = [str(place) for place in sources if not _is_same(str(place), str(target))]
    if not places:
        rule = "at least one store besides the target is needed to take something over"
        raise ParameterError("sources", rule)
    new = not is_server(str(target)) and not located(str(target)).exists()
    with ExitStack() as stack:
        others = [stack.enter_context(Store(place, create=False)) for place in places]
        try:
            with Store(target) as store, store.writing():
                with store.changing() as connection:
                    taken = tuple(_take(connection, store, each, keep_first) for each in others)
                plans = [store.job_columns(plan) for plan in store.plans()]
                total = sum(jobs.plan.total for jobs in plans)
                return Merged(
                    store=store.shown,
                    sources=taken,
                    plans=tuple(jobs.plan.name for jobs in plans),
                    jobs=total,
                    left=total - sum(s is not None for jobs in plans for s in jobs.status),
                )
        except BaseException:
            if new:  # nothing was there, and nothing is
                for ending in ("", "-wal", "-shm", ".lock"):
                    Path(f"{located(str(target))}{ending}").unlink(missing_ok=True)
            raise


def _is_same(place: str, other: str) -> bool:
    if is_server(place) or is_server(other):
        return place == other
    return located(place) == located(other)


# --- what one store takes over from another ------------------------------------------------------


def _take(connection: sa.Connection, store: Store, other: Store, keep_first: bool) -> Taken:
    """Take over jobs, plans and final results.

    A job that both have keeps the scores, the costs and the machine that it has here, unless only
    the other ended well. With ``keep_first`` also where the scores differ.
    """
    other.check()
    theirs = other.statuses()
    results = tables().results
    columns = [results.c.key, results.c.status]
    ours = dict(select(connection, columns, theirs.keys()))
    well = {key for key in ours if theirs[key] == "ok"}
    mended = {key for key in well if ours[key] != "ok"}
    new = theirs.keys() - ours.keys()
    differing = _differing(connection, other, well - mended)
    if differing and not keep_first:
        raise _otherwise(store, other, differing, len(well - mended))
    with other.reading() as reading:
        for plan in reversed(plans_in(reading)):
            _unite_plan(connection, reading, plan, (store.shown, other.shown))
        _copy_jobs(connection, reading, new | mended, well - mended - differing.keys())
        _copy_begun(connection, reading, theirs.keys())
        finals = _copy_finals(connection, reading, keep_first)
        _copy_texts(connection, reading)
    if finals:
        raise _otherwise(store, other, finals, len(finals))
    return Taken(
        store=other.shown,
        jobs=len(new),
        mended=len(mended),
        same=len(theirs) - len(new) - len(mended) - len(differing),
        differing=len(differing),
    )


def _unite_plan(
    connection: sa.Connection, reading: sa.Connection, theirs: SavedPlan, shown: tuple[str, str]
) -> None:
    """Put parts of a plan together; the jobs of another plan of this name come after ours."""
    jobs = read_planned(reading, theirs.name)
    ours = next((each for each in plans_in(connection) if each.name == theirs.name), None)
    if ours is None or ours.whole == theirs.whole:
        saved = max(theirs.saved, ours.saved if ours else 0.0)
        write_plan(connection, theirs._replace(saved=saved), jobs)
        return
    here = read_planned(connection, ours.name)
    known = {job[1:-1]: job[-1] for job in here}
    others = [job for job in jobs if known.get(job[1:-1], job[-1]) != job[-1]]
    if others:
        plan_is = f"plan {ours.name!r} of '{shown[1]}' has other jobs than '{shown[0]}'"
        what = f"{count(len(others), 'job')} with other data, parameters, folds or seeds"
        remedy = f"call one of the plans otherwise: {Option('name')} of run"
        one = f"{Place(*others[0][1:4])} is one"
        raise InputError("store", f"{plan_is} by the same names: {what}", one, remedy)
    both = [*here, *(job for job in jobs if job[1:-1] not in known)]
    # Jobs that neither has, for each is a part.
    lacks = ours.total - len(here) + theirs.total - len(jobs)
    if len(both) > len(here):
        united = [(place, *job[1:]) for place, job in enumerate(both)]
        plan = ours._replace(whole=digest_of(united), total=len(both) + lacks)
        write_plan(connection, plan._replace(saved=max(ours.saved, theirs.saved)), united)


def _differing(connection: sa.Connection, other: Store, keys: Collection[str]) -> dict[str, str]:
    """Return the jobs whose scores differ, and in words the first that do."""
    found = {}
    ours, theirs = scores_in(connection, keys), other.scores(keys)
    for key in sorted(keys):
        one, two = ours[key], theirs[key]
        numbers = sorted(one.keys() | two.keys())
        fold = next((n for n in numbers if one.get(n) != two.get(n)), None)
        if fold is not None:
            found[key] = f"fold {fold}, {json.dumps(one.get(fold))} and {json.dumps(two.get(fold))}"
    return found


def _copy_jobs(
    connection: sa.Connection,
    reading: sa.Connection,
    keys: Collection[str],
    same: Collection[str],
) -> None:
    """Write jobs as they are there, and the predictions of those that have none here."""
    all_ = tables()
    upsert(connection, all_.machines, [*_rows(reading, all_.machines)])
    waiting = _rows(reading, all_.results, keys)
    while some := [*islice(waiting, 1000)]:
        upsert(connection, all_.results, some)
    for table in (all_.predictions, all_.begun):
        delete(connection, table, keys)
    has = {key for (key,) in select(connection, [all_.predictions.c.key], same)}
    wanted = {*keys, *same} - has
    insert(connection, all_.predictions, _rows(reading, all_.predictions, wanted))


def _copy_begun(
    connection: sa.Connection, reading: sa.Connection, done_there: Collection[str]
) -> None:
    """Take the folds of jobs that neither has done."""
    table, results = tables().begun, tables().results
    rows = [row for row in _rows(reading, table) if row["key"] not in done_there]
    keys = {row["key"] for row in rows}
    done = {key for (key,) in select(connection, [results.c.key], keys)}
    ours = {(row["key"], row["fold"]) for row in _rows(connection, table, keys)}
    new = (row for row in rows if row["key"] not in done and (row["key"], row["fold"]) not in ours)
    insert(connection, table, new)


def _copy_finals(
    connection: sa.Connection, reading: sa.Connection, keep_first: bool
) -> dict[str, str]:
    """Take the final results that are not here; return those that differ."""
    table = tables().finals
    asked = [column.name for column in table.primary_key]

    def by_name(connection: sa.Connection) -> dict[tuple[str, ...], dict[str, Any]]:
        return {tuple(row[name] for name in asked): row for row in _rows(connection, table)}

    ours, theirs = by_name(connection), by_name(reading)
    insert(connection, table, (row for key, row in theirs.items() if key not in ours))
    return {
        ", ".join(name[1:]): "final result"
        for name in ours.keys() & theirs.keys()
        if not keep_first and json.loads(ours[name]["scores"]) != json.loads(theirs[name]["scores"])
    }


def _copy_texts(connection: sa.Connection, reading: sa.Connection) -> None:
    """Take the texts that are not here, such as experiment files; add what data sets have."""
    table = tables().meta
    ours = {row["name"]: row["value"] for row in _rows(connection, table)}
    for row in _rows(reading, table):
        known = ours.get(row["name"])
        if known is not None and row["name"].startswith(_OF_DATASETS):
            told = {**json.loads(row["value"]), **json.loads(known)}
            upsert(connection, table, [{**row, "value": json.dumps(told)}])
        elif known is None:
            insert(connection, table, [row])


def _rows(
    connection: sa.Connection, table: sa.Table, keys: Collection[str] | None = None
) -> Iterator[dict[str, Any]]:
    """Give the rows of a table; of some jobs only, if its first column is their key."""
    return (row._asdict() for row in select(connection, list(table.c), keys))


def _otherwise(ours: Store, theirs: Store, differing: Mapping[str, str], both: int) -> InputError:
    """Say which jobs came out otherwise."""
    names: dict[str, object] = {}
    for store in (theirs, ours):
        for plan in store.plans():
            jobs = store.job_columns(plan)
            names |= {key: jobs.place(i) for i, key in enumerate(jobs.key)}
    told = [f"{names.get(key, key[:12])}: {how}" for key, how in differing.items()]
    which = f"{len(differing)} of {count(both, 'job')} that both have ({listed(told, limit=3)})"
    rule = f"'{theirs.shown}' has other scores than '{ours.shown}' for {which}"
    first = f"take what the first of them has: {Option('keep_first', 'True')}"
    return InputError("store", rule, remedy=f"leave one of the stores out, or {first}")
