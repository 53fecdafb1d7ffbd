"""Experiments: what would run, and how it went."""

from __future__ import annotations

from palio.report.blocks import Block, Column, Items, Paragraph, Table, Title
from palio.report.numbers import number
from palio.report.views.common import Summary

__all__ = ["plan", "status"]


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
    return [
        Title(f"{summary['jobs']} jobs: {counts or 'none planned'}"),
        Items("Why", tuple((f"{row['jobs']} ×", row["cause"]) for row in summary["failures"])),
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
