"""The leaderboard of a page: every algorithm in its place, and what is left open drawn beside."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from palio.numbers import cost as cost_said
from palio.numbers import limit, margin, number, rank, span
from palio.report.elements import Html, breakable, joined, tag
from palio.report.sections.parts import Draft, scrolled
from palio.report.views.boards import few_letters
from palio.report.views.common import mean_said
from palio.report.views.reports import marked
from palio.words import count

if TYPE_CHECKING:
    from palio.comparison.board import BoardRow
    from palio.comparison.results import Comparison
    from palio.report.analysis import Report
    from palio.types import FloatArray

# Pixels of what is drawn in a cell.
_WIDE, _NARROW, _HIGH = 96, 64, 14

# Bars of a small plot of ranks; more ranks than this share bars.
_BARS = 12

# From so many rows on a page can be searched.
SEARCHED = 8

Link = Callable[[str], Html]

# Drawn once, before the boards, and used in every row.
_PIN = Html('<svg width="12" height="16" aria-hidden="true"><use href="#pin"/></svg>')
_PIN_DRAWN = Html(
    '<svg class="unseen" aria-hidden="true"><path id="pin" '
    'd="M3 1H9V2L8 3V7L10.5 9.5V10.5H6.7V15H5.3V10.5H1.5V9.5L4 7V3L3 2Z"/></svg>'
)


@dataclass(frozen=True)
class _Column:
    """A column: its heading, what it means, and of each row the cell and what it sorts by."""

    name: str
    about: str
    cell: Callable[[BoardRow], object]
    value: Callable[[BoardRow], float | str | None]
    numeric: bool = True
    kind: str = ""


def board(draft: Draft, link: Link) -> Html:
    """Lay out a board for each part that no data set joins; ``link`` leads to a row's details."""
    report = draft.report
    parts = [part[: report.question.top] for part in report.boards if len(part) > 1]
    columns = _columns(report, parts)
    rows = max(map(len, parts), default=0)
    titles = ["Leaderboard"] if len(parts) < 2 else [f"Board {i + 1}" for i in range(len(parts))]
    made = [
        scrolled(
            _table(draft, part, columns, link, title), f"{title} as a table", kind="scroll places"
        )
        for title, part in zip(titles, parts, strict=False)
    ]
    return joined([_PIN_DRAWN, *([_search()] if rows >= SEARCHED else []), *made])


def _search() -> Html:
    """Return the field that filters rows; the script shows it."""
    field = tag(
        "input", type="search", class_="find-row", placeholder="Find an algorithm",
        aria_label="Find an algorithm in the table",
    )  # fmt: skip
    found = tag("span", role="status", class_="found quiet")
    return tag("p", field, found, class_="finder scripted")


def _table(
    draft: Draft, rows: Sequence[BoardRow], columns: Sequence[_Column], link: Link, title: str
) -> Html:
    head = [
        tag("th", tag("span", "pin", class_="unseen"), class_="pin-cell scripted", scope="col"),
        *(_heading(column) for column in columns),
    ]
    body = [_row(draft, row, columns, link) for row in rows]
    return tag(
        "table",
        tag("caption", title, class_="unseen"),
        tag("thead", tag("tr", *head)),
        tag("tbody", *body),
        class_="board",
    )


def _heading(column: _Column) -> Html:
    kind = " ".join(filter(None, ("number" if column.numeric else "", column.kind)))
    button = tag("button", breakable(column.name), type="button", class_="sort", title=column.about)
    return tag("th", button, scope="col", class_=kind or None)


def _row(draft: Draft, row: BoardRow, columns: Sequence[_Column], link: Link) -> Html:
    name = row.algorithm
    pin = tag(
        "button", _PIN, type="button", class_="pin", aria_pressed="false", aria_label=f"Pin {name}",
        data_key=f"pin {name}",
    )  # fmt: skip
    cells = [
        tag("th", link(name), scope="row", data_v=name)
        if column.name == "algorithm"
        else _cell(column, row)
        for column in columns
    ]
    best = name == draft.report.leader
    return tag(
        "tr", tag("td", pin, class_="pin-cell scripted"), *cells,
        data_a=draft.numbers[name], class_="best" if best else None,
    )  # fmt: skip


def _cell(column: _Column, row: BoardRow) -> Html:
    value = column.value(row)
    if isinstance(value, float) and not math.isfinite(value):
        value = None
    kind = " ".join(filter(None, ("number" if column.numeric else "", column.kind)))
    return tag("td", column.cell(row), class_=kind or None, data_v=value)


# --- columns --------------------------------------------------------------------------------------


def _columns(report: Report, parts: Sequence[Sequence[BoardRow]]) -> list[_Column]:
    """Return the columns; one that says nothing of anybody is left out."""
    found, rows = report.comparison, [row for part in parts for row in part]
    if found is None or not rows:
        return []
    return [
        _Column("place", "In the order", lambda row: str(row.place), lambda row: row.place),
        _Column("algorithm", "By name", _name, _name, numeric=False),
        *_ranks(rows, max(map(len, parts))),
        *_standing(found),
        *_score(report, found, rows),
        *_letters(found),
        *_beats(rows),
        *_costs(report, found),
        *_places(found),
        *_missing(found, rows),
    ]  # fmt: skip


def _name(row: BoardRow) -> str:
    return row.algorithm


def _ranks(rows: Sequence[BoardRow], k: int) -> list[_Column]:
    if not any(row.ranks for row in rows):
        return []
    scale = _Scale(1, max(k, 2), _NARROW)

    def cell(row: BoardRow) -> object:
        if row.ranks is None:
            return ""
        return joined([_interval(scale, *row.ranks, math.nan, kind="span"), span(*row.ranks)])

    about = "The ranks that the significant pairs leave open, all at once"
    return [_Column("ranks", about, cell, lambda row: row.ranks and row.ranks[1], kind="drawn")]


def _standing(found: Comparison) -> list[_Column]:
    if found.over != "datasets":
        return []
    about = "The mean of its ranks over the data sets; 1 is best"
    if has_gaps(found):
        about += ". It allows for the data sets that each lacks, by least squares"
    return [_Column("mean rank", about, lambda row: rank(row.mean_rank), lambda row: row.mean_rank)]


def _score(report: Report, found: Comparison, rows: Sequence[BoardRow]) -> list[_Column]:
    measure = found.measure
    if measure.is_ordinal:
        return []
    ends = [end for row in rows for end in (*row.interval, row.mean_score) if math.isfinite(end)]
    scale = _Scale(min(ends), max(ends), _WIDE) if ends else None
    imputed, drawn = marked(report), any(math.isfinite(row.interval[0]) for row in rows)

    def cell(row: BoardRow) -> object:
        said = mean_said(row.mean_score, imputed=row.algorithm in imputed)
        if scale is None or not drawn:
            return said
        bar = _interval(scale, *row.interval, row.mean_score)
        plus = tag("span", f" ± {margin(row.interval)}", class_="quiet")
        return joined([bar, said, plus])

    level = limit(100 * (1 - found.alpha))
    over = "items" if found.over == "items" else "data sets"
    interval = f", with the {level} % interval of the mean over {over}" if drawn else ""
    ratio = f"; {about_ratio(found)}" if measure.scale == "ratio" else ""
    gaps = "; it allows for the data sets that each lacks" if has_gaps(found) else ""
    return [
        _Column(
            f"mean {found.mean_of}",
            f"{measure.direction}{interval}{ratio}{gaps}",
            cell,
            lambda row: row.mean_score,
            kind="drawn" if drawn else "",
        )
    ]


def has_gaps(found: Comparison) -> bool:
    """Whether means over data sets have to allow for missing scores."""
    return found.over == "datasets" and found.n_complete < found.n_datasets


def about_ratio(found: Comparison) -> str:
    """Say what the means of a measure on a ratio scale are."""
    first = found.leading or found.by_standing[0]
    return f"the geometric mean, as a ratio to that of {first}"


def _letters(found: Comparison) -> list[_Column]:
    if not few_letters(found):
        return []
    about = "Two without a common letter differ significantly"
    return [_Column("group", about, lambda row: row.group, lambda row: row.group, False)]


def _beats(rows: Sequence[BoardRow]) -> list[_Column]:
    if not any(row.beats for row in rows):
        return []
    about = "How many it is significantly better than"
    return [_Column("beats", about, lambda row: str(row.beats), lambda row: row.beats)]


def _costs(report: Report, found: Comparison) -> list[_Column]:
    """Return the mean of each cost that was chosen, and what the order weighs, if not that."""
    made = [
        _Column(
            cost.name,
            f"The geometric mean of {cost.name} over the data sets",
            lambda row, cost=cost: cost_said(row.costs.get(cost.name), cost.unit),  # type: ignore[misc]
            lambda row, cost=cost: row.costs.get(cost.name),  # type: ignore[misc]
        )
        for cost in found.costs
    ]
    ordering = report.ordering
    if ordering.cost is not None and len(ordering.cost) > 1:
        costs = ordering.costs
        made.append(
            _Column(
                "cost together",
                f"What the order weighs: {', '.join(ordering.cost)}",
                lambda row: number(costs[row.algorithm]),
                lambda row: costs[row.algorithm],
            )
        )
    return made


def _places(found: Comparison) -> list[_Column]:
    """Return a small plot of how often each takes each rank, where all are on some data sets."""
    n = len(found.complete.datasets) if found.over == "datasets" else 0
    if n < 2:
        return []
    counts = dict(zip(found.complete.algorithms, found.rank_counts, strict=True))
    highest = max(float(_bars(each).max()) for each in counts.values())

    def cell(row: BoardRow) -> object:
        each = counts[row.algorithm]
        first = (
            f"first on {number(float(each[0])).rstrip('0').rstrip('.')} of {count(n, 'data set')}"
        )
        return _plot(_bars(each), highest, first)

    about = "How often it takes each rank over the data sets, rank 1 on the left"

    def firsts(row: BoardRow) -> float:
        return float(counts[row.algorithm][0])

    return [_Column("ranks taken", about, cell, firsts, numeric=False, kind="drawn")]


def _missing(found: Comparison, rows: Sequence[BoardRow]) -> list[_Column]:
    if not any(row.missing for row in rows):
        return []
    name = "imputed" if found.imputed else "missing"
    about = "On how many data sets it has no score of its own"
    return [_Column(name, about, lambda row: str(row.missing), lambda row: row.missing)]


# --- what is drawn in a cell ----------------------------------------------------------------------


@dataclass(frozen=True)
class _Scale:
    low: float
    high: float
    width: int

    def x(self, value: float) -> str:
        """Return where a value stands; dots have room at both ends."""
        reach = self.high - self.low or 1.0
        share = min(max((value - self.low) / reach, 0.0), 1.0)
        return f"{4 + share * (self.width - 8):.1f}".removesuffix(".0")


def _interval(
    scale: _Scale, low: float, high: float, middle: float, *, kind: str = "interval"
) -> Html:
    """Draw an interval and a dot; where there is none, room for it."""
    y = _HIGH // 2
    there = math.isfinite(low) and math.isfinite(high)
    drawn = [
        *([tag("path", d=f"M{scale.x(low)} {y}H{scale.x(high)}")] if there else []),
        *([tag("circle", cx=scale.x(middle), cy=y, r=3)] if math.isfinite(middle) else []),
    ]
    return _drawing(scale.width, kind, *drawn)


def _plot(values: FloatArray, highest: float, said: str) -> Html:
    """Draw bars side by side."""
    wide = _NARROW / len(values)
    steps = [
        f"M{i * wide:.1f} {_HIGH}v{-value / highest * (_HIGH - 1):.1f}h{wide - 1:.1f}V{_HIGH}z"
        for i, value in enumerate(values.tolist())
        if value
    ]
    return _drawing(_NARROW, "plot", tag("path", d="".join(steps)), label=said)


def _drawing(width: int, kind: str, *children: Html, label: str | None = None) -> Html:
    said = {"role": "img", "aria_label": label} if label else {"aria_hidden": "true"}
    return tag(
        "svg", *children, class_=kind, width=width, height=_HIGH,
        viewBox=f"0 0 {width} {_HIGH}", **said,
    )  # fmt: skip


def _bars(counts: FloatArray) -> FloatArray:
    """Put ranks together where there are more than bars."""
    if counts.size <= _BARS:
        return counts
    return np.array([part.sum() for part in np.array_split(counts, _BARS)])
