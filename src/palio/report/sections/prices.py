"""The front as a choice: so much may be spent, and this is what it buys."""

from __future__ import annotations

from typing import TYPE_CHECKING

from palio.claims import as_cheap
from palio.measures import cost_named, is_time
from palio.numbers import cost, number
from palio.ordering.tradeoff import prices_of
from palio.report.elements import Html, tag
from palio.report.sections.parts import Draft

if TYPE_CHECKING:
    from palio.ordering.tradeoff import Price
    from palio.report.analysis import Report


def prices(draft: Draft) -> Html:
    """Return a slider over the costs of the front, and what each buys; without script, a list."""
    report = draft.report
    leader = report.leader
    if report.front is None or leader is None:
        return Html("")
    found = prices_of(report.table, report.front, leader, report.comparison)
    if len(found) < 2:
        return Html("")
    names = [price.algorithm for price in found]
    # At first the best value that the verdict names, if it is one of them.
    value = report.ordering.first
    first = names.index(value) if value in names else len(names) - 1
    slider = tag(
        "input", type="range", class_="price scripted", min=0, max=len(found) - 1, value=first,
        aria_label="What may be spent", data_key="price",
    )  # fmt: skip
    steps = [
        tag(
            "li", tag("span", f"At most {_at(report, price)}: ", class_="quiet"),
            tag("strong", price.algorithm), _said(report, price, leader),
            data_a=draft.numbers[price.algorithm], class_="chosen" if i == first else None,
        )
        for i, price in enumerate(found)
    ]  # fmt: skip
    return tag("div", slider, tag("ol", *steps, aria_live="polite"), class_="prices")


def _at(report: Report, price: Price) -> str:
    """Say what it costs: one cost in its own unit."""
    (name, *others) = report.order.cost or ("",)
    return f"{cost(price.cost, '' if others else cost_named(name).unit)} ({name})"


def _said(report: Report, price: Price, leader: str) -> str:
    mean = f", {report.table.measure.name} {number(price.score)}"
    if price.algorithm == leader:
        return f"{mean}, the leader."
    saves = "not run on the same data sets"
    if price.cheaper is not None:
        timed = all(map(is_time, report.order.cost or ()))
        saves = f"{as_cheap(price.cheaper, is_time=timed)} as {leader}"
    told = {True: "significantly worse", False: "not significantly worse", None: "not compared"}
    return f"{mean}, {saves}; {told[price.worse]}."
