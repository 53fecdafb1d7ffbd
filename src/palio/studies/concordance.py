"""From an element of a paper to the command that gives it, and how far that agrees."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from typing import Annotated, Any, ClassVar

from palio.results import Result
from palio.studies.reproduction import Reproduction

PAPERS = (
    "yildiz2006", "ulas2008", "benavoli2016", "wainer2016", "wainer2016-bayes", "brazdil2000",
)  # fmt: skip
"""The studies that recompute the five papers."""

AS_DEFINED = "as defined"


@dataclass(frozen=True)
class Element:
    """A table, figure, equation or section of a paper, and how it is had here."""

    parts: ClassVar[tuple[str, ...]] = (
        "paper", "section", "element", "what", "command", "call", "agrees", "page",
    )  # fmt: skip

    paper: str
    section: str
    element: str
    what: str
    command: Annotated[str, "What to type; empty where there is nothing to recompute."]
    call: Annotated[str, "The same from Python."]
    agrees: Annotated[str, "How many cells agree, that it is drawn, or why neither."]

    @property
    def is_function(self) -> bool:
        """Whether it is an equation: computed, with no number to compare."""
        return self.agrees == AS_DEFINED

    @property
    def page(self) -> str:
        """The page of the documentation about the paper."""
        return f"studies/{self.paper}.md"


@dataclass(frozen=True)
class Concordance(Result):
    """Every numbered table and figure of the five papers, and what else they define."""

    kind = "concordance"
    parts = ("elements",)

    elements: tuple[Element, ...]

    def _frame(self) -> Any:
        return [{part: getattr(each, part) for part in Element.parts} for each in self.elements]


def concordance(found: Mapping[str, Reproduction]) -> Concordance:
    """Look up in the reproductions of the studies, by name, what each element has come to.

    What a study has that is not among them is left out.
    """
    with (files("palio.studies") / "data" / "concordance.csv").open(encoding="utf-8") as lines:
        rows = [row for row in csv.DictReader(lines) if (row["study"] or row["paper"]) in found]
    return Concordance(tuple(_element(row, found) for row in rows))


def _element(row: dict[str, str], found: Mapping[str, Reproduction]) -> Element:
    study, reason, call = row.pop("study") or row["paper"], row.pop("reason"), row.pop("call")
    wanted = row["element"].removeprefix("Table ")
    if call or reason:
        return Element(**row, command="", call=call, agrees=reason or AS_DEFINED)
    one = found[study].only(wanted)
    counted = f"{one.agree} of {one.cells}" if one.cells else ""
    drawn = "drawn" if one.drawings else ""
    beside = "beside the paper's" if one.layouts and not one.cells else ""
    quoted = f"'{wanted}'" if " " in wanted else wanted
    return Element(
        **row,
        command=f"palio reproduce {study} --table {quoted}{' --figures .' * bool(drawn)}",
        call=f'palio.reproduce("{study}").only("{wanted}")',
        agrees=", ".join(filter(None, (counted, beside, drawn))),
    )
