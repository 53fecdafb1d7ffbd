"""Experiments: what would run, and how it went."""

from __future__ import annotations

from palio.report.blocks import Block, Column, Items, Paragraph, Table, Title
from palio.report.numbers import number
from palio.report.views.common import Summary, notes

__all__ = ["final", "plan", "status"]


def plan(summary: Summary) -> list[Block]:
    """Lay a plan out: how much there is, and how much is left."""
    seconds = summary["seconds_left"]
    time_left = "" if seconds is None else f", about {seconds:.0f} s"
    return [
        Title(f"{summary['left']} of {summary['jobs']} jobs left to run{time_left}"),
        Paragraph(
            f"{summary['fits']} fits: {len(summary['datasets'])} data sets × "
            f"{len(summary['algorithms'])} algorithms, {summary['resampling']}"
        ),
        Items("Data sets", (("-", ", ".join(summary["datasets"])),)),
        Items("Algorithms", (("-", ", ".join(summary["algorithms"])),)),
    ]


def status(summary: Summary) -> list[Block]:
    """Lay out how the jobs of a store ended."""
    counts = ", ".join(f"{count} {name}" for name, count in summary["counts"].items())
    several = summary["machines"] if len(summary["machines"]) > 1 else ()
    of_plan = f"{summary['plan']}: " if len(summary["plans"]) > 1 else ""
    blocks: list[Block] = [
        Title(f"{of_plan}{summary['jobs']} jobs: {counts or 'none planned'}"),
        Items("Why", tuple((f"{row['jobs']} ×", row["cause"]) for row in summary["failures"])),
        Items(
            "Where",
            tuple(
                (f"{row['jobs']} ×", f"{row['host']}, {row['processor']}{_alone(row)}")
                for row in several
            ),
        ),
        Table(
            (
                Column("algorithm"),
                Column("jobs", numeric=True),
                Column("seconds", numeric=True),
                Column("per job", numeric=True),
            ),
            tuple(
                (
                    row["algorithm"],
                    str(row["jobs"]),
                    number(row["seconds"]),
                    number(row["per_job"]),
                )
                for row in summary["algorithms"]
            ),
        ),
        Table(
            (
                Column("slowest jobs"),
                Column("data set"),
                Column("repeat", numeric=True),
                Column("seconds", numeric=True),
            ),
            tuple(
                (row["algorithm"], row["dataset"], str(row["repeat"]), number(row["seconds"]))
                for row in summary["slowest"]
            ),
        ),
    ]
    return [block for block in blocks if not isinstance(block, Table) or block.rows]


def _alone(machine: Summary) -> str:
    return ", with nothing beside" if machine["exclusive"] else ""


def final(summary: Summary) -> list[Block]:
    """Lay out what the chosen algorithm does on the rows kept aside."""
    scores, costs = summary["scores"], summary["costs"]
    names = list(dict.fromkeys(name for row in scores.values() for name in row))
    return [
        Title(f"{summary['algorithm']} on the rows kept aside"),
        Table(
            (
                Column("data set"),
                *(Column(name, numeric=True) for name in names),
                Column("fit time", numeric=True),
            ),
            tuple(
                (
                    dataset,
                    *(number(row.get(name)) for name in names),
                    number(costs[dataset].get("fit_time")),
                )
                for dataset, row in scores.items()
            ),
        ),
        Items("Failed", tuple(("-", f"{name}: {why}") for name, why in summary["failed"].items())),
        notes(summary),
    ]
