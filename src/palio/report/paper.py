"""What goes into a paper: a result's blocks, with whole tables and the best of them in bold.

The words are those of the views. A view shows as many pairs as a person reads on a screen; a paper
gets all of them, with effect sizes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from palio.report.blocks import Block, Column, Items, Paragraph, Table, Title
from palio.report.numbers import effect, number, p_value, rank, record, signed_alike
from palio.report.views import view

__all__ = ["Sheet", "pages"]

Summary = Mapping[str, Any]
Pairs = Sequence[Mapping[str, Any]]

DIFFERENCE, COUNTS = "a − b", "won/tied/lost"

# With more letters than this for an algorithm there are none.
MOST_LETTERS = 16

# The first that all pairs have is shown.
EFFECTS = {
    "rank_biserial": "rank-biserial",
    "cliffs_delta": "Cliff's δ",
    "vargha_delaney": "A₁₂",
}


@dataclass(frozen=True)
class Sheet:
    """A table, which of its cells (row, column) are bold, and how to read it."""

    table: Table
    bold: frozenset[tuple[int, int]] = frozenset()
    note: str = ""


def pages(summary: Summary) -> list[Block | Sheet]:
    """Lay a summary out for a paper: the blocks of its view, tables as sheets.

    Parameters
    ----------
    summary : mapping
        A result's ``to_dict()``.

    Returns
    -------
    list of Block or Sheet
        No table among them is bare, and no list empty.

    Examples
    --------
    >>> from palio.comparison import TestResult
    >>> pages(TestResult("sign", "equal", 3.0, (), 0.25, 3).to_dict())[0]
    Title(text='sign: p = 0.250')
    """
    blocks = [block for block in view(summary) if not isinstance(block, Items) or block.items]
    lay_out = _LAYOUTS.get(summary["kind"], _as_they_are)
    return lay_out(summary, blocks)


def _as_they_are(_summary: Summary, blocks: Sequence[Block]) -> list[Block | Sheet]:
    return [Sheet(block) if isinstance(block, Table) else block for block in blocks]


def _comparison(summary: Summary, blocks: Sequence[Block]) -> list[Block | Sheet]:
    lists = [block for block in blocks if isinstance(block, Items)]
    return [*_before_tables(blocks), _algorithms(summary), _pairs(summary), *lists]


def _ordering(_summary: Summary, blocks: Sequence[Block]) -> list[Block | Sheet]:
    return [_first_in_bold(block) if isinstance(block, Table) else block for block in blocks]


def _report(_summary: Summary, blocks: Sequence[Block]) -> list[Block | Sheet]:
    """Take the headline and the order: the rest has files of its own in a paper."""
    titles: list[Block | Sheet] = [block for block in blocks if isinstance(block, Title)]
    return [*titles, *(_first_in_bold(block) for block in blocks if isinstance(block, Table))]


def _first_in_bold(table: Table) -> Sheet:
    """In an order the first is the best."""
    return Sheet(table, frozenset({(0, 1)}))


def _before_tables(blocks: Sequence[Block]) -> list[Block]:
    texts: list[Block] = []
    for block in blocks:
        if not isinstance(block, (Title, Paragraph)):
            break
        texts.append(block)
    return texts


# The algorithms of a comparison.


def _algorithms(summary: Summary) -> Sheet:
    """Show the algorithms by mean rank, and which of them do not differ."""
    ranks = summary["mean_ranks"]
    names = sorted(ranks, key=lambda name: (ranks[name], name))
    columns = [Column("algorithm"), Column("mean rank", numeric=True)]
    cells = [names, [rank(ranks[name]) for name in names]]
    bold = _best(1, [ranks[name] for name in names], higher_is_better=False)
    measure, scores = summary.get("measure"), summary.get("mean_scores")
    if measure and scores:
        columns.append(Column(f"mean {measure['name']}", numeric=True))
        cells.append([number(scores[name]) for name in names])
        means = [scores[name] for name in names]
        bold |= _best(2, means, higher_is_better=measure["higher_is_better"])
    heading, verdicts, note = _verdicts(summary, names)
    if verdicts:
        columns.append(Column(heading))
        cells.append(verdicts)
    note = "; ".join(filter(None, [note, "the best in bold"]))
    return Sheet(Table(tuple(columns), tuple(zip(*cells, strict=True))), frozenset(bold), note)


def _best(
    column: int, values: Sequence[float | None], *, higher_is_better: bool
) -> set[tuple[int, int]]:
    """Return the cells of a column that hold its best value, all of them if they tie."""
    known = [value for value in values if value is not None]
    if not known:
        return set()
    best = max(known) if higher_is_better else min(known)
    return {
        (row, column)
        for row, value in enumerate(values)
        if value is not None and math.isclose(value, best, rel_tol=1e-12)
    }


def _verdicts(summary: Summary, names: Sequence[str]) -> tuple[str, list[str], str]:
    """Return a heading, what it says of each name, and how to read it."""
    control = summary.get("control")
    if control is not None:
        differ = {name for pair in summary["pairs"] if pair["significant"] for name in _names(pair)}
        verdicts = [
            "control" if name == control else "yes" if name in differ else "no" for name in names
        ]
        return "differs", verdicts, f"differs significantly from the control, {control}"
    letters = summary.get("letters")
    # Nobody reads forty letters; the lists of groups are there as well.
    if not letters or not 0 < max(map(len, letters.values())) <= MOST_LETTERS:
        return "", [], ""
    note = "algorithms that share a letter do not differ significantly"
    return "group", [letters[name] for name in names], note


def _names(pair: Summary) -> tuple[str, str]:
    return pair["a"], pair["b"]


# Its pairs.


def _pairs(summary: Summary) -> Sheet:
    """Show every pair, and its effect as far as it is known."""
    pairs: Pairs = summary["pairs"]
    columns: list[tuple[Column, list[str]]] = [
        (Column("a"), [pair["a"] for pair in pairs]),
        (Column("b"), [pair["b"] for pair in pairs]),
        *_effects(pairs),
        (Column("p", numeric=True), [p_value(pair["p_value"]) for pair in pairs]),
        (Column("adjusted p", numeric=True), [p_value(pair["p_adjusted"]) for pair in pairs]),
    ]
    better = {
        (row, _names(pair).index(pair["better"]))
        for row, pair in enumerate(pairs)
        if pair["significant"] and pair["better"] in _names(pair)
    }
    table = Table(
        tuple(column for column, _ in columns),
        tuple(zip(*(cells for _, cells in columns), strict=True)),
    )
    return Sheet(table, frozenset(better), _pairs_note(table))


def _pairs_note(table: Table) -> str:
    headings = {column.name for column in table.columns}
    said = ["pairs"]
    if DIFFERENCE in headings:
        said.append(f"{DIFFERENCE} is the difference of the means")
    if COUNTS in headings:
        said.append(f"{COUNTS} are the data sets of a")
    return "; ".join([*said, "bold is significantly better"])


def _effects(pairs: Pairs) -> list[tuple[Column, list[str]]]:
    """Return the columns of differences, counts and effect sizes that all pairs have."""
    found: list[tuple[Column, list[str]]] = []
    if _all_have(pairs, "difference"):
        found.append(
            (Column(DIFFERENCE, numeric=True), signed_alike(p["difference"] for p in pairs))
        )
    if _all_have(pairs, "wins"):
        counts = [record(p["wins"], p["ties"], p["losses"]) for p in pairs]
        found.append((Column(COUNTS, numeric=True), counts))
    key = next((key for key in EFFECTS if _all_have(pairs, key)), None)
    if key is not None:
        found.append((Column(EFFECTS[key], numeric=True), [effect(pair[key]) for pair in pairs]))
    return found


def _all_have(pairs: Pairs, key: str) -> bool:
    return bool(pairs) and all(pair.get(key) is not None for pair in pairs)


_LAYOUTS: dict[str, Callable[[Summary, Sequence[Block]], list[Block | Sheet]]] = {
    "comparison": _comparison,
    "ordering": _ordering,
    "report": _report,
}
