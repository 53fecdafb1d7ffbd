"""What goes into a paper: a result's blocks, with whole tables and the best of them in bold.

The words are those of the views. A view shows as many pairs as a person reads on a screen; a paper
gets all of them, with effect sizes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from palio.numbers import differences, effect, number, p_value, rank, record
from palio.report.blocks import Block, Column, Items, Paragraph, Table, Title
from palio.report.views import view
from palio.report.views.common import mean_said
from palio.results import Result, answer_of

if TYPE_CHECKING:
    from palio.comparison.results import Comparison

DIFFERENCE, RATIO, COUNTS, EFFECT = "a − b", "a / b", "won/tied/lost", "rank-biserial"

# With more letters than this for an algorithm there are none.
MOST_LETTERS = 16


@dataclass(frozen=True)
class Sheet:
    """A table, which of its cells (row, column) are bold, and how to read it."""

    table: Table
    bold: frozenset[tuple[int, int]] = frozenset()
    note: str = ""


def pages(result: Result) -> list[Block | Sheet]:
    """Lay a result out for a paper: the blocks of its view, tables as sheets.

    Parameters
    ----------
    result : Result
        What `palio.compare` and the others return.

    Returns
    -------
    list of Block or Sheet
        No table among them is bare, and no list empty.

    Examples
    --------
    >>> from palio.comparison import TestResult
    >>> pages(TestResult("sign", "equal", 3.0, (), 0.25, 3))[0]
    Title(text='sign: p = 0.250')
    """
    answer = answer_of(result)
    blocks = [block for block in view(answer) if not isinstance(block, Items) or block.items]
    return _LAYOUTS.get(answer.kind, _as_they_are)(answer, blocks)


def pairs_page(result: Comparison) -> list[Block | Sheet]:
    """Lay the pairs of a comparison out: how they were compared, every pair, and notes."""
    blocks = [block for block in view(result) if not isinstance(block, Items) or block.items]
    how = [block for block in _before_tables(blocks) if isinstance(block, Paragraph)]
    quiet = [block for block in blocks if isinstance(block, Items) and block.quiet]
    return [*how, _pairs(result), *quiet]


def _as_they_are(_result: Any, blocks: Sequence[Block]) -> list[Block | Sheet]:
    return [Sheet(block) if isinstance(block, Table) else block for block in blocks]


def _comparison(result: Comparison, blocks: Sequence[Block]) -> list[Block | Sheet]:
    lists = [block for block in blocks if isinstance(block, Items)]
    return [*_before_tables(blocks), _algorithms(result), _pairs(result), *lists]


def _ordering(_result: Any, blocks: Sequence[Block]) -> list[Block | Sheet]:
    return [_first_in_bold(block) if isinstance(block, Table) else block for block in blocks]


def _report(_result: Any, blocks: Sequence[Block]) -> list[Block | Sheet]:
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


def _algorithms(result: Comparison) -> Sheet:
    """Show the algorithms, best first, with the letters of their groups."""
    names, imputed = result.by_standing, result.imputed or ()
    ranks = [rank(result.mean_ranks[name]) for name in names]
    scores = [mean_said(result.mean_scores[name], imputed=name in imputed) for name in names]
    shown = [
        ("mean rank", ranks, result.best_mean_rank),
        (f"mean {result.mean_of}", scores, result.best_mean_score),
    ]
    if result.over == "items":  # places are by the mean score
        del shown[0]
    if result.measure.is_ordinal:
        del shown[-1]
    columns = [*Column.texts("algorithm"), *Column.numbers(*(name for name, _, _ in shown))]
    cells: list[Sequence[str]] = [names, *(texts for _, texts, _ in shown)]
    bold = {
        (row, column)
        for column, (_, _, best) in enumerate(shown, start=1)
        for row, name in enumerate(names)
        if name in best
    }
    heading, verdicts, note = _verdicts(result)
    if verdicts:
        columns += Column.texts(heading)
        cells.append(verdicts)
    made_up = "* imputed scores count in this mean" if imputed else ""
    note = "; ".join(filter(None, [note, "the best in bold", made_up]))
    return Sheet(Table(tuple(columns), tuple(zip(*cells, strict=True))), frozenset(bold), note)


def _verdicts(result: Comparison) -> tuple[str, list[str], str]:
    """Return a heading, what it says of each name, and how to read it."""
    names, control, letters = result.by_standing, result.control, result.letters
    if control is not None:
        verdicts = [
            "control" if name == control else "yes" if name in result.differing else "no"
            for name in names
        ]
        return "differs", verdicts, f"differs significantly from the control, {control}"
    # Nobody reads forty letters; the lists of groups are there as well. Where nobody could be told
    # apart, letters would say that they were compared.
    if (
        result.least_p is not None
        or not letters
        or not 0 < max(map(len, letters.values())) <= MOST_LETTERS
    ):
        return "", [], ""
    note = "no significant difference was found between algorithms that share a letter"
    return "group", [letters[name] for name in names], note


# Its pairs.


def _pairs(result: Comparison) -> Sheet:
    """Show every pair, and its effects."""
    pairs, items = result.pairs, result.over == "items"
    size = "s.e." if items else EFFECT
    ratios = result.tested.effects.ratios
    sizes = differences((pair.difference for pair in pairs), ratios=ratios)
    heading = RATIO if ratios else DIFFERENCE
    table = Table(
        (*Column.texts("a", "b"), *Column.numbers(heading, COUNTS, size, "p", "adjusted p")),
        tuple(
            (
                pair.a,
                pair.b,
                difference,
                record(pair.wins, pair.ties, pair.losses),
                number(pair.standard_error) if items else effect(pair.rank_biserial),
                p_value(pair.p_value),
                p_value(pair.p_adjusted),
            )
            for pair, difference in zip(pairs, sizes, strict=True)
        ),
    )
    better = {
        (row, (pair.a, pair.b).index(pair.winner))
        for row, pair in enumerate(pairs)
        if pair.winner is not None
    }
    units = "data sets" if result.over == "datasets" else result.over
    both = "" if result.missing_claim is None else f" on the {units} that both have"
    mean = "geometric mean of the ratios" if ratios else "mean difference"
    note = (
        f"pairs; {heading} is the {mean}{both}; {COUNTS} are the {units} of a; bold is "
        "significantly better"
    )
    return Sheet(table, frozenset(better), note)


_LAYOUTS: dict[str, Callable[[Any, Sequence[Block]], list[Block | Sheet]]] = {
    "comparison": _comparison,
    "ordering": _ordering,
    "report": _report,
}
