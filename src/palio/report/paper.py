"""What goes into a paper: a result's blocks, with whole tables and the best of them in bold.

The words are those of the views. A view shows as many pairs as a person reads on a screen; a paper
gets all of them, with effect sizes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from palio.numbers import differences, effect, number, p_value, record
from palio.report.blocks import Block, Items, Paragraph, Table, Title, filled, first_texts
from palio.report.views import view
from palio.report.views.boards import short_board
from palio.results import Result, answer_of

if TYPE_CHECKING:
    from palio.comparison.results import Comparison

DIFFERENCE, RATIO, COUNTS, EFFECT = "a − b", "a / b", "won/tied/lost", "rank-biserial"


def pages(result: Result) -> list[Block]:
    """Lay a result out for a paper: the blocks of its view, tables whole.

    Parameters
    ----------
    result : Result
        What `palio.compare` and the others return.

    Returns
    -------
    list of Block
        No list among them is empty.

    Examples
    --------
    >>> from palio.comparison import TestResult
    >>> pages(TestResult("sign", "equal", 3.0, (), 0.25, 3))[0]
    Title(text='sign: p = 0.250')
    """
    answer = answer_of(result)
    blocks = filled(view(answer))
    return _LAYOUTS[answer.kind](answer, blocks) if answer.kind in _LAYOUTS else blocks


def pairs_page(result: Comparison) -> list[Block]:
    """Lay the pairs of a comparison out: how they were compared, every pair, and notes."""
    blocks = filled(view(result))
    how = [block for block in first_texts(blocks) if isinstance(block, Paragraph)]
    quiet = [block for block in blocks if isinstance(block, Items) and block.quiet]
    return [*how, _pairs(result), *quiet]


def _comparison(result: Comparison, blocks: Sequence[Block]) -> list[Block]:
    lists = [block for block in blocks if isinstance(block, Items)]
    return [*first_texts(blocks), _algorithms(result), _pairs(result), *lists]


def _ordering(_result: Any, blocks: Sequence[Block]) -> list[Block]:
    """In an order the first is the best."""
    first = frozenset({(0, 1)})
    return [replace(each, bold=first) if isinstance(each, Table) else each for each in blocks]


def _report(result: Any, blocks: Sequence[Block]) -> list[Block]:
    """Take the headline and the order: the rest has files of its own in a paper."""
    return _ordering(result, [block for block in blocks if isinstance(block, Title | Table)])


# The algorithms of a comparison.


def _algorithms(result: Comparison) -> Table:
    """Show the algorithms, best first, with the letters of their groups."""
    table = short_board(result)
    best = {
        "mean rank": result.best_mean_rank,
        f"mean {result.mean_of}": result.best_mean_score,
    }
    columns = [column.name for column in table.columns]
    bold = {
        (i, j)
        for j, name in enumerate(columns)
        for i, row in enumerate(table.rows)
        if row[0] in best.get(name, ())
    }
    read_as = {
        "group": "no significant difference was found between algorithms that share a letter",
        "differs": f"differs significantly from the control, {result.control}",
    }
    note = [
        *(said for name, said in read_as.items() if name in columns),
        "the best in bold",
        *(["* imputed scores count in this mean"] if result.imputed else []),
    ]
    return replace(table, bold=frozenset(bold), note="; ".join(note))


# Its pairs.


def _pairs(result: Comparison) -> Table:
    """Show every pair, and its effects."""
    pairs, ratios = result.pairs, result.tested.effects.ratios
    heading = RATIO if ratios else DIFFERENCE
    columns = {
        "a": [pair.a for pair in pairs],
        "b": [pair.b for pair in pairs],
        heading: differences((pair.difference for pair in pairs), ratios=ratios),
        COUNTS: [record(pair.wins, pair.ties, pair.losses) for pair in pairs],
        EFFECT: [effect(pair.rank_biserial) for pair in pairs],
        "s.e.": [number(pair.standard_error) for pair in pairs],
        "p": [p_value(pair.p_value) for pair in pairs],
        "adjusted p": [p_value(pair.p_adjusted) for pair in pairs],
    }
    del columns[EFFECT if result.over == "items" else "s.e."]
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
    return replace(Table.of(columns, "a", "b"), bold=frozenset(better), note=note)


_LAYOUTS: dict[str, Callable[[Any, Sequence[Block]], list[Block]]] = {
    "comparison": _comparison,
    "ordering": _ordering,
    "report": _report,
}
