"""The audit as a grid of pairs and checks: what would change each verdict, a click away."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from palio.comparison.audit import AUDIT_CHECKS
from palio.comparison.audit.grid import AuditGrid, Cell, GridRow, State, grid_of
from palio.report.elements import Html, joined, tag
from palio.report.sections.parts import paragraph, scrolled
from palio.report.views.comparisons import audit_title
from palio.words import count, some_of

if TYPE_CHECKING:
    from palio.comparison.audit import Audit, CheckReport

# So many pairs are on the page, and so many of them in view at first.
MOST_ROWS, ROWS_IN_VIEW = 400, 10

# A cell names so many data sets or conventions, a line so many algorithms.
MOST_WAYS, _NAMES = 40, 20

# A shape and a word: colour only repeats them.
_MARKS: dict[State, tuple[str, str]] = {
    "firm": ("✓", "firm"),
    "flips": ("◆", "flips"),
    "differs": ("◇", "differs"),
}


def audit_html(audit: Audit, numbers: Mapping[str, int]) -> Html:
    """Show which verdicts some check changes.

    Parameters
    ----------
    audit : Audit
        With names as they are shown.
    numbers : mapping
        The number of each algorithm in the table, which marks everything that stands for it.
    """
    grid, title = grid_of(audit, most=MOST_ROWS), audit_title(audit)
    return tag(
        "div",
        paragraph(f"{title[:1].upper()}{title[1:]}. {_counted(audit, grid)}", class_="audit-said"),
        *([_tools(grid, numbers), _table(grid, numbers)] if grid.rows else []),
        *_firm(grid),
        *_others(grid),
        _asked(grid),
        class_="audit",
    )


def _counted(audit: Audit, grid: AuditGrid) -> str:
    """Say how many verdicts some check changes."""
    n_pairs, doubted = audit.comparison.n_pairs, len(grid.rows) + grid.unlisted
    pairs = "the one pair" if n_pairs == 1 else f"the {n_pairs} pairs"
    if not grid.checks:
        return f"No check asked about {pairs}."
    if not doubted:
        return f"No check changes the verdict on {'' if n_pairs == 1 else 'any of '}{pairs}."
    if n_pairs == 1:
        return f"Some check changes the verdict on {pairs}."
    some = f"; the {len(grid.rows)} of the best placed are listed" if grid.unlisted else ""
    return f"Some check changes the verdict on {doubted} of {pairs}{some}."


# --- the grid -------------------------------------------------------------------------------------


def _tools(grid: AuditGrid, numbers: Mapping[str, int]) -> Html:
    """Offer the pairs of one algorithm, and explain the marks."""
    names = sorted({name for row in grid.rows for name in (row.a, row.b)}, key=numbers.__getitem__)
    every = tag("option", "all algorithms", value="")
    chosen = [tag("option", name, value=numbers[name]) for name in names]
    filter_ = tag("select", every, *chosen, class_="audit-filter", data_key="audit filter")
    states = {cell.state for row in grid.rows for cell in row.cells}
    meanings = {
        "firm": "the same verdict",
        "flips": "another verdict",
        "differs": "another, but no doubt is counted from it",
    }
    legend = joined(
        (
            tag("span", _mark(state), f" {said}")
            for state, said in meanings.items()
            if state in states
        ),
        " ",
    )
    return tag(
        "div",
        tag("label", "Pairs of ", filter_),
        tag("p", legend, class_="audit-legend"),
        class_="audit-tools",
    )


def _mark(state: str) -> Html:
    shape, word = _MARKS[state]  # type: ignore[index]
    inside = tag("span", shape, aria_hidden="true"), tag("span", word, class_="word")
    return tag("span", *inside, class_=f"mark {state}")


def _table(grid: AuditGrid, numbers: Mapping[str, int]) -> Html:
    title = "Verdicts that some check changes"
    head = [
        tag("th", tag("span", AUDIT_CHECKS[check.name].title), scope="col", class_=_apart(check))
        for check in grid.checks
    ]
    rows = [part for at, row in enumerate(grid.rows) for part in _row(at, row, grid, numbers)]
    table = tag(
        "table",
        tag("caption", title),
        tag("thead", tag("tr", tag("th", "pair", scope="col"), *head)),
        tag("tbody", *rows),
        class_="audit-grid",
    )
    more = len(grid.rows) - ROWS_IN_VIEW
    every = tag(
        "button", f"Show all {len(grid.rows)} pairs", type="button", class_="audit-all",
        data_key="audit all",
    )  # fmt: skip
    return joined([scrolled(table, title), *([every] if more > 0 else [])])


def _apart(check: CheckReport) -> str | None:
    return "apart" if check.apart else None


def _row(at: int, row: GridRow, grid: AuditGrid, numbers: Mapping[str, int]) -> Iterator[Html]:
    """Give the row of a pair, and the one below it that opens: what would change the verdict."""
    a, b = numbers[row.a], numbers[row.b]
    below = f"audit-why-{a}-{b}"
    first = next((j for j, cell in enumerate(row.cells) if cell.said), None)
    cells = [
        tag(
            "td",
            _cell(cell, check, below, reached=at == 0 and j == first),
            class_=_apart(check),
        )
        for j, (cell, check) in enumerate(zip(row.cells, grid.checks, strict=True))
    ]
    beyond = at >= ROWS_IN_VIEW
    yield tag(
        "tr", tag("th", *_verdict(row), scope="row"), *cells, data_a=a, data_b=b,
        class_="beyond" if beyond else None, hidden=beyond,
    )  # fmt: skip
    told = [
        _why(cell, check) for cell, check in zip(row.cells, grid.checks, strict=True) if cell.said
    ]
    inside = tag("td", *told, colspan=len(grid.checks) + 1)
    yield tag("tr", inside, id=below, class_="audit-why", hidden=True)


def _verdict(row: GridRow) -> tuple[object, ...]:
    if row.significant and row.better is not None:
        worse = row.b if row.better == row.a else row.a
        return row.better, tag("span", " better than ", class_="muted"), worse
    return row.a, tag("span", " not told from ", class_="muted"), row.b


def _cell(cell: Cell, check: CheckReport, below: str, *, reached: bool) -> Html:
    """Return the mark; a button where there is more to say, of which Tab reaches the first."""
    if not cell.said:
        return _mark(cell.state)
    return tag(
        "button", _mark(cell.state), type="button", class_="audit-cell", aria_expanded="false",
        aria_controls=below, data_check=check.name, data_key=f"{below} {check.name}",
        tabindex=None if reached else "-1",
    )  # fmt: skip


def _why(cell: Cell, check: CheckReport) -> Html:
    title = AUDIT_CHECKS[check.name].title
    more = len(cell.ways) - MOST_WAYS
    ways = [*cell.ways[:MOST_WAYS], *([f"and {more} more"] if more > 0 else [])]
    listed = [tag("ul", *(tag("li", way) for way in ways))] if ways else []
    said = paragraph(tag("strong", f"{title[:1].upper()}{title[1:]}."), f" {cell.said}")
    return tag("div", said, *listed, data_check=check.name, hidden=True)


# --- what stands below ----------------------------------------------------------------------------


def _firm(grid: AuditGrid) -> list[Html]:
    """Fold away what no check changes."""
    differ = sum(map(len, grid.firm.values()))
    if not differ and not grid.level:
        return []
    parts = [
        *([f"{count(differ, 'difference')}"] if differ else []),
        *([f"{count(grid.level, 'pair')} in which no difference was found"] if grid.level else []),
    ]
    said = f"The same in every check: {' and '.join(parts)}"
    if not grid.firm:
        return [paragraph(f"{said}.")]
    lines = [
        tag("li", winner, tag("span", " better than ", class_="muted"), some_of(losers, _NAMES))
        for winner, losers in list(grid.firm.items())[:_NAMES]
    ]
    more = len(grid.firm) - _NAMES
    if more > 0:
        lines.append(tag("li", f"and {more} more, each better than some"))
    return [tag("details", tag("summary", said), tag("ul", *lines, class_="items"))]


def _others(grid: AuditGrid) -> list[Html]:
    """Say what checks found that are not about pairs."""
    found = [_line(check) for check in grid.others if check.findings]
    return [tag("ul", *(tag("li", line) for line in found), class_="items")] if found else []


def _line(check: CheckReport) -> str:
    """Return the first that a check found, and how many more it did."""
    title, others = AUDIT_CHECKS[check.name].title, len(check.findings) - 1
    more = f" ({others} more like this)" if others else ""
    return f"{title[:1].upper()}{title[1:]}: {check.findings[0]}{more}."


def _asked(grid: AuditGrid) -> Html:
    """Fold away what was asked and how, and what was not."""
    lines = [*map(_question, (*grid.checks, *grid.others)), *_left(grid.left)]
    return tag("details", tag("summary", "What was asked"), tag("ul", *lines, class_="items"))


def _question(check: CheckReport) -> Html:
    title = AUDIT_CHECKS[check.name].title
    nothing = "" if check.findings or check.unlisted else " Nothing found."
    sampled = f" Sampled: {check.sampling}." if check.sampling else ""
    apart = (
        " In use, but not what we recommend: no doubt is counted from it." if check.apart else ""
    )
    return tag("li", tag("strong", title), f": {check.question}{nothing}{sampled}{apart}")


def _left(checks: Sequence[CheckReport]) -> Iterator[Html]:
    for check in checks:
        title = AUDIT_CHECKS[check.name].title
        yield tag("li", tag("strong", title), f": not asked, as {check.why_not}.")
