"""An experiment at a moment, as a piece of the page: how far, what failed, and each cell of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from palio.numbers import duration, span, time_left
from palio.report.elements import Html, joined, tag
from palio.words import count, listed

if TYPE_CHECKING:
    from palio.experiment.status import Cell, CellState, Failure, RunNow

# Beyond so many cells each data set is one bar, and beyond so many bars only those under way stand.
_MOST_CELLS, _MOST_BARS = 1500, 200

_CAUSES = 10
_STANDING = 6

# A store of which nobody knows whether it is being written to is, if a job has ended so lately.
_LATELY = 60.0

_WORDS: dict[CellState, str] = {
    "ok": "done",
    "running": "under way",
    "begun": "begun",
    "failed": "failed",
    "waiting": "waiting",
}


def title(now: RunNow, moment: float) -> str:
    """Say in a word or two how an experiment stands."""
    if now.finished and now.jobs:
        return "Experiment finished"
    if goes_on(now, moment):
        return "Experiment under way"
    return "Experiment stopped" if now.done else "Experiment not begun"


def goes_on(now: RunNow, moment: float) -> bool:
    """Say whether someone runs it, as far as that can be told."""
    return moment - now.last < _LATELY if now.running is None else now.running


def sentence(now: RunNow, moment: float) -> str:
    """Say how far it is, and how long the rest takes or what to do about it."""
    said = [f"{now.done:,} of {now.jobs:,} jobs have ended, {now.failed:,} failed"]
    if now.finished:
        return f"{said[0]}."
    if not goes_on(now, moment):
        ago = moment - now.last
        since = f"The last ended {duration(ago)} ago. " if now.last and ago > 2 * _LATELY else ""
        rest = f"; {duration(now.seconds_left)} of work left" if now.seconds_left else ""
        do = "run it again, and it goes on; what has ended is kept" if now.done else "run it"
        return f"{said[0]}{rest}. {since}Nobody runs it at the moment: {do}."
    if now.under_way:
        said.append(f"{now.under_way} under way")
    if now.seconds_left:
        said.append(time_left(now.seconds_left))
    return f"{'; '.join(said)}."


def card(now: RunNow, moment: float) -> Html:
    """Return all of it."""
    return joined(
        [
            tag("h2", title(now, moment), id="progress-title"),
            tag(
                "progress", value=now.done, max=max(now.jobs, 1), aria_label="Jobs that have ended"
            ),
            tag("p", sentence(now, moment)),
            _failures(now),
            _grid(now),
        ]
    )


def _failures(now: RunNow) -> Html:
    """Say what failed: the cause, whose, where, and how often."""
    if not now.failures:
        return Html()
    lines = [tag("li", *_failure(each)) for each in now.failures[:_CAUSES]]
    if len(now.failures) > _CAUSES:
        lines.append(tag("li", count(len(now.failures) - _CAUSES, "other cause")))
    summary = tag("summary", f"{count(now.failed, 'job')} did not end well", data_key="failures")
    return tag("details", summary, tag("ul", *lines), open=_opens(now, lines), data_kept="failures")


def _opens(now: RunNow, lines: Sequence[Html]) -> bool:
    """Say whether failures stand open: while it runs, if they are few."""
    return len(lines) < 4 and not now.finished


def _failure(each: Failure) -> Iterable[object]:
    where = f"{listed(each.algorithms, limit=3)} on {listed(each.datasets, limit=3)}"
    return f"{count(each.jobs, 'job')} of {where}: ", tag("span", each.cause[:300], class_="cause")


# --- data sets × algorithms -----------------------------------------------------------------------


def _grid(now: RunNow) -> Html:
    if not now.cells:
        return Html()
    whole = len(now.datasets) * len(now.algorithms) <= _MOST_CELLS
    # Within another frame, so that no one offers to copy it.
    body = tag("div", _table(now) if whole else _bars(now))
    frame = tag("div", body, class_="scroll run-grid", tabindex=0, role="region", aria_label=_SHOWN)
    done = f"{len(now.complete)} of {count(len(now.datasets), 'data set')}"
    summary = tag("summary", f"{_SHOWN}: {done} complete", data_key="run-grid")
    legend = _legend() if whole else ""
    return tag("details", summary, frame, legend, open=not now.finished, data_kept="run-grid")


_SHOWN = "Jobs by data set and algorithm"


def _legend() -> Html:
    parts = [tag("span", _shape(state), f" {word}") for state, word in _WORDS.items()]
    return tag("p", *parts, class_="run-legend quiet", aria_hidden="true")


def _shape(state: str) -> Html:
    return tag("span", class_=f"job is-{state}")


def _table(now: RunNow) -> Html:
    names = now.algorithms
    head = tag("tr", tag("td"), *(tag("th", tag("span", name), scope="col") for name in names))
    rows = [
        tag("tr", tag("th", dataset, scope="row"), *(_cell(row.get(name)) for name in names))
        for dataset, row in now.cells.items()
    ]
    return tag("table", tag("thead", head), tag("tbody", *rows), class_="run-cells")


def _cell(cell: Cell | None) -> Html:
    if cell is None:
        return tag("td")
    said = cell_said(cell)
    return tag("td", _shape(cell.state), tag("span", said, class_="unseen"), title=said)


def cell_said(cell: Cell) -> str:
    """Say how far the jobs of a cell are.

    >>> from palio.experiment.status import Cell
    >>> [cell_said(cell) for cell in (Cell(5, 5), Cell(5, 2, 0, 1), Cell(5, 1, 2), Cell(1))]
    ['done', 'under way, 2 of 5 done', '2 of 5 failed, 1 done', 'waiting']
    """
    if cell.state == "failed":
        done = f", {cell.ok} done" if cell.ok else ""
        return f"{cell.failed} of {cell.jobs} failed{done}" if cell.jobs > 1 else "failed"
    part = f"{cell.ok} of {cell.jobs} done"
    if cell.state == "running":
        return f"under way, {part}" if cell.ok else "under way"
    return part if cell.state == "begun" else _WORDS[cell.state]


def _bars(now: RunNow) -> Html:
    """Return a bar for each data set: how many algorithms are done there, and how they failed."""
    counted = {name: _counted(row) for name, row in now.cells.items()}
    moving = {n: c for n, c in counted.items() if c["failed"] or c["running"] or c["begun"]}
    # What moves is to be seen first.
    shown = moving | counted if len(counted) <= _MOST_BARS else moving
    shown = dict(list(shown.items())[:_MOST_BARS])
    rows = [
        tag("tr", tag("th", name, scope="row"), tag("td", _bar(found)), tag("td", _bar_said(found)))
        for name, found in shown.items()
    ]
    rest = len(counted) - len(shown)
    said = f"{count(rest, 'data set')} that are done or wait are not shown."
    return joined(
        [tag("table", tag("tbody", *rows), class_="run-bars"), *([tag("p", said)] if rest else [])]
    )


def _counted(row: Mapping[str, Cell]) -> dict[CellState, int]:
    found = dict.fromkeys(_WORDS, 0)
    for cell in row.values():
        found[cell.state] += 1
    return found


def _bar(found: Mapping[CellState, int]) -> Html:
    """Draw the counts side by side; what waits is the empty rest."""
    whole, parts, before = sum(found.values()), [], 0
    for state, n in found.items():
        if n and state != "waiting":
            parts.append(_rect(before, n, whole, class_=state))
        before += n
    return _strip(*parts, class_="run-bar")


def _rect(before: int, n: int, whole: int, **attributes: str) -> Html:
    """Draw a part of a strip."""
    x, width = (round(100 * each / whole, 2) for each in (before, n))
    return tag("rect", x=x, y=0, width=width, height=8, **attributes)


def _strip(*parts: Html, **attributes: str) -> Html:
    """Draw parts of a whole side by side; what they say stands beside, in words."""
    return tag(
        "svg",
        *parts,
        viewBox="0 0 100 8",
        preserveAspectRatio="none",
        aria_hidden="true",
        **attributes,
    )


def _bar_said(found: Mapping[CellState, int]) -> str:
    said = [f"{n} {_WORDS[state]}" for state, n in found.items() if n]
    return ", ".join(said)


# --- the order so far -----------------------------------------------------------------------------


def standing(
    order: Sequence[str], sets: Mapping[str, tuple[int, int]] | None, shown: Mapping[str, str],
    *, complete: int, of: int,
) -> Html:  # fmt: skip
    """Return the order so far, each with the places it may have.

    Parameters
    ----------
    order, sets, shown
        The algorithms, best first, their rank sets where there are any, and their names as shown.
    complete, of
        On how many data sets of how many.
    """
    said = f"The order so far, on {complete} of {count(of, 'data set')}"
    whole = (1, len(order))
    settled = any(places != whole for places in (sets or {}).values())
    known = sets if sets is not None and settled else {}
    rows = [
        _placed(name, shown.get(name, name), known.get(name), len(order))
        for name in order[:_STANDING]
    ]
    more = len(order) - len(rows)
    return joined(
        [
            tag("h3", said),
            *([] if settled else [tag("p", "Nobody's place is settled yet.", class_="quiet")]),
            tag("ol", *rows, class_="run-standing"),
            *([tag("p", f"… and {count(more, 'other')}, below.", class_="quiet")] if more else []),
        ]
    )


def _placed(name: str, shown: str, places: tuple[int, int] | None, whole: int) -> Html:
    said = tag("span", shown, class_="name")
    if places is None:
        return tag("li", said)
    low, high = places
    bar = _strip(_rect(low - 1, high - low + 1, whole), class_="run-set", data_of=name)
    return tag("li", said, " ", tag("span", f"place {span(low, high)}", class_="quiet"), bar)
