"""The catalogue of learners as a table."""

from __future__ import annotations

from palio.algorithms.catalogue import LEARNERS, Learner

__all__ = ["learners"]


def learners() -> str:
    """Return one row per learner, and below what there is to say of some of them."""
    rows = [
        f"| `{learner.name}` | {learner.title} | {learner.family} | {learner.paper} | "
        f"{_grid(learner)} |"
        for learner in LEARNERS.values()
    ]
    remarks = [
        f"`{learner.name}`\n:   {learner.notes}" for learner in LEARNERS.values() if learner.notes
    ]
    return "\n".join(
        [
            "| name | learner | kind | settings of | searched over |",
            "|---|---|---|---|---|",
            *rows,
            "",
            "## Remarks",
            "",
            "\n\n".join(remarks),
        ]
    )


def _grid(learner: Learner) -> str:
    """Name the hyper-parameters that the paper searches over; free ones are in italics."""
    names = learner.grid_for(1000, 10)
    return ", ".join(f"*{name}*" if name in learner.free else f"`{name}`" for name in names)
