"""The catalogue of learners."""

from __future__ import annotations

from palio.report.blocks import Block, Column, Items, Paragraph, Table, Title
from palio.report.numbers import limit
from palio.report.views.common import Summary

__all__ = ["algorithms"]


def algorithms(summary: Summary) -> list[Block]:
    """Lay learners out: one in full, several in a table."""
    entries = summary["algorithms"]
    if len(entries) == 1:
        return _one(entries[0], summary)
    depend = any(entry["depends_on_data"] for entry in entries)
    data = f"; some depend on the data, {_size(summary)}" if depend else ""
    return [
        Title(f"{len(entries)} learners have short names"),
        Table(
            (
                Column("name"),
                Column("what it is"),
                Column("family"),
                Column("paper"),
                Column("searched over"),
                Column("grid", numeric=True),
            ),
            tuple(
                (
                    entry["name"],
                    entry["title"],
                    entry["family"],
                    entry["paper"],
                    ", ".join(entry["grid"]),
                    str(entry["grid_size"]),
                )
                for entry in entries
            ),
        ),
        Items(
            "Notes",
            (
                ("-", f"grid: how many combinations are trained{data}"),
                ("-", "palio algorithms NAME lists the values"),
            ),
            quiet=True,
        ),
    ]


def _size(summary: Summary) -> str:
    return f"here {summary['rows']} rows and {summary['features']} columns"


def _one(entry: Summary, summary: Summary) -> list[Block]:
    combinations = entry["grid_size"]
    trained = f", {combinations} combinations" if combinations > 1 else ""
    where = f", {_size(summary)}" if entry["depends_on_data"] else ""
    return [
        Title(f"{entry['name']}: {entry['title']}"),
        Paragraph(f"{entry['family']}, as in {entry['paper']}"),
        Items(
            f"Hyper-parameters searched{trained}{where}",
            tuple(
                (f"{name}:", ", ".join(map(_value, values)) + _free(name, entry))
                for name, values in entry["grid"].items()
            ),
        ),
        Items("Notes", (("-", entry["notes"]),) if entry["notes"] else (), quiet=True),
    ]


def _free(name: str, entry: Summary) -> str:
    return " (all from one training)" if name in entry["free"] else ""


def _value(value: object) -> str:
    return limit(value) if isinstance(value, float) else str(value)
