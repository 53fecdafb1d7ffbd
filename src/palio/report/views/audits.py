"""Audits of a comparison, and plans for one."""

from __future__ import annotations

from palio.report.blocks import Block, Column, Items, Paragraph, Table, Title
from palio.report.views.common import Summary, notes

__all__ = ["audit", "power"]


def audit(summary: Summary) -> list[Block]:
    """Lay an audit out: what was found, and what is left beyond doubt."""
    significant, sound = len(summary["significant"]), len(summary["sound"])
    blocks: list[Block] = [
        Title(f"{sound} of {significant} significant pairs are beyond doubt"),
        Paragraph(
            f"audit of {summary['test']} with {summary['correction']}, α = {summary['alpha']:g}, "
            f"{len(summary['algorithms'])} algorithms on {summary['n_datasets']} data sets"
        ),
    ]
    for check in summary["checks"]:
        findings = tuple(("-", finding) for finding in check["findings"])
        nothing = (("-", "not done: " + check["notes"][0]),) if _not_done(check) else ()
        blocks.append(
            Items(
                f"{check['name']}: {check['question']}",
                findings or nothing or (("-", "nothing found"),),
            )
        )
    beyond = ", ".join("–".join(pair) for pair in summary["sound"])
    return [*blocks, Paragraph(f"Beyond doubt: {beyond or 'none'}."), notes(summary)]


def _not_done(check: Summary) -> bool:
    return bool(check["notes"]) and "not done" in check["notes"][0]


def power(summary: Summary) -> list[Block]:
    """Lay out how the chance of a finding grows with the data sets."""
    needed = summary["needed"]
    most = summary["curve"][-1]["n_datasets"]
    enough = (
        f"{needed} data sets are enough"
        if needed is not None
        else f"{most} data sets are not enough"
    )
    return [
        Title(f"{enough} to tell {summary['a']} and {summary['b']} apart"),
        Paragraph(
            f"{summary['test']} with {summary['correction']}, α = {summary['alpha']:g}, "
            f"target {summary['target']:g}; {summary['better']} is the better one"
        ),
        Table(
            (Column("data sets", True), Column("power", True), Column("standard error", True)),
            tuple(
                (
                    str(row["n_datasets"]),
                    f"{row['power']:.3f}",
                    f"{row['standard_error']:.3f}",
                )
                for row in summary["curve"]
            ),
        ),
        notes(summary),
    ]
