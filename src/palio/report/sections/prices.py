"""The front as a choice: so much may be spent, and this is what it buys."""

from __future__ import annotations

from typing import TYPE_CHECKING

from palio.measures import cost_named
from palio.numbers import cost, number, percent
from palio.ordering.prices import prices_of
from palio.ordering.value import cheaper
from palio.report.elements import Html, tag
from palio.report.sections.parts import Draft

if TYPE_CHECKING:
    from palio.ordering.prices import Price
    from palio.report.analysis import Report


def prices(draft: Draft) -> Html:
    """Return a slider over the costs of the front, and what each buys; without script, a list."""
    report = draft.report
    if report.front is None:
        return Html("")
    best, costs = report.verdict.best_by_score, {r.algorithm: r.costs for r in report.order.rows}
    found = prices_of(report.front, best, report.comparison, costs)
    if len(found) < 2:
        return Html("")
    names = [price.algorithm for price in found]
    # At first the best value that the verdict names, if it is one of them.
    value = report.ordering.best
    first = names.index(value) if value in names else len(names) - 1
    slider = tag(
        "input", type="range", class_="price scripted", min=0, max=len(found) - 1, value=first,
        aria_label="What may be spent", data_key="price",
    )  # fmt: skip
    steps = [
        tag(
            "li", tag("span", f"At most {_at(report, price)}: ", class_="quiet"),
            tag("strong", price.algorithm), _said(report, price, best),
            data_a=draft.numbers[price.algorithm], class_="chosen" if i == first else None,
        )
        for i, price in enumerate(found)
    ]  # fmt: skip
    return tag("div", slider, tag("ol", *steps, aria_live="polite"), class_="prices")


def _at(report: Report, price: Price) -> str:
    """Say what it costs: in the cost's own unit, or as the front counts."""
    (name, *_others) = report.order.cost or ("",)
    if price.own is not None:
        return f"{cost(price.own, cost_named(name).unit)} ({name})"
    return f"{percent(price.cost, 1.0)} of the largest cost"


def _said(report: Report, price: Price, best: str) -> str:
    mean = f", {report.table.measure.name} {number(price.score)}"
    if price.algorithm == best:
        return f"{mean}, the best."
    saves = f"{cheaper(price.cheaper)} than {best}"
    told = {True: "significantly worse", False: "not significantly worse", None: "not compared"}
    return f"{mean}, {saves}; {told[price.worse]}."
