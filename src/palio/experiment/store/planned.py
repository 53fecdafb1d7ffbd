"""A plan as rows of a store: what was asked for, names and the keys of their jobs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from palio.experiment.identity import digest
from palio.experiment.store.checksums import columns_of, signed
from palio.experiment.store.database import upsert
from palio.experiment.store.rows import as_dicts, insert
from palio.experiment.store.schema import has_seeds, tables

if TYPE_CHECKING:
    import sqlalchemy as sa


def seeds_of(connection: sa.Connection, plan: str) -> dict[int, int]:
    """Return which random states the jobs of a plan have, by position, but for the first."""
    import sqlalchemy as sa

    seeds = tables().seeds
    if not has_seeds(connection):
        return {}
    query = sa.select(seeds.c.position, seeds.c.seed).where(seeds.c.plan == plan)
    return {row.position: row.seed for row in connection.execute(query)}


def read_plan(connection: sa.Connection, name: str) -> tuple[list[dict[str, Any]], float]:
    """Return the jobs of a plan with their seeds, and when it was saved; 0 if it is not there."""
    import sqlalchemy as sa

    jobs, plans = tables().jobs, tables().plans
    query = sa.select(*(jobs.c[each] for each in columns_of(jobs))).where(jobs.c.plan == name)
    rows = list(as_dicts(connection.execute(query.order_by(jobs.c.position))))
    drawn = seeds_of(connection, name)
    saved = connection.execute(sa.select(plans.c.saved).where(plans.c.name == name)).scalar()
    return [{**row, "seed": drawn.get(row["position"], 1)} for row in rows], float(saved or 0)


def write_plan(
    connection: sa.Connection, name: str, jobs: Iterable[Mapping[str, Any]], *, saved: float
) -> None:
    """Write what a plan asks for in the place of the plan so named; ``seed`` is which, from 1."""
    import sqlalchemy as sa

    all_ = tables()
    numbered = [{**job, "plan": name, "position": i} for i, job in enumerate(jobs)]
    rows = [
        signed(all_.jobs, {each: job[each] for each in columns_of(all_.jobs)}) for job in numbered
    ]
    drawn = [
        {each: job[each] for each in ("plan", "position", "seed")}
        for job in numbered
        if job["seed"] > 1
    ]
    content = digest([[row[each] for each in columns_of(all_.jobs)] for row in rows])
    # Two that save a plan of this name wait for each other here.
    plans = all_.plans
    connection.execute(plans.update().where(plans.c.name == name).values(content=content))
    known = sa.select(all_.jobs).where(all_.jobs.c.plan == name).order_by(all_.jobs.c.position)
    # Row by row, so that damaged ones are written anew.
    same = list(as_dicts(connection.execute(known))) == rows
    plan = {"name": name, "saved": saved, "content": content}
    upsert(connection, plans, [signed(plans, plan, len(rows))])
    if same:
        return
    for table in (all_.jobs, all_.seeds):
        connection.execute(table.delete().where(table.c.plan == name))
    insert(connection, all_.jobs, rows)
    insert(connection, all_.seeds, drawn)
