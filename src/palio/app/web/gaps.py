"""What else can be done about what a table lacks, as a piece of the page.

Each way is tried, so that what it would leave is a result. What is missing, and why, the verdict
says.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from palio.app.web.tables import TableSource
from palio.app.web.worker import so_far, table_of
from palio.errors import InputError
from palio.report.elements import Html, tag
from palio.scores.missing import USUAL
from palio.words import count, joined, listed

if TYPE_CHECKING:
    from palio.scores import ScoreTable


def gaps(source: TableSource, table: ScoreTable, whole: ScoreTable) -> Html:
    """Offer what could be done instead, with its consequences; nothing where nothing is missing.

    Parameters
    ----------
    source
        How the table was read.
    table, whole
        The table as it is asked about, and as it is with every algorithm and gap in it.
    """
    import numpy as np

    missing = int(np.isnan(whole.means()).sum())
    out = _ruled(whole, USUAL)
    choices = list(_of_run(source, table))
    if out is not None and (missing or out.left_out):
        choices += _choices(source, whole, out, missing)
    return choice_buttons("What can be done about missing scores", choices, "Instead:")


def choice_buttons(label: str, choices: Iterable[tuple[str, str]], before: str = "") -> Html:
    """Return a row of buttons, each of a change as in a link, with its text."""
    buttons = [
        tag("button", text, type="button", data_choice=choice, data_key=choice)
        for choice, text in choices
    ]
    if not buttons:
        return Html()
    return tag("div", before, *buttons, class_="row", role="group", aria_label=label)


def _of_run(source: TableSource, table: ScoreTable) -> Iterator[tuple[str, str]]:
    """Yield what else can be asked of an experiment that is not at its end."""
    if not source.is_store:
        return
    if source.complete:
        every = table_of(replace(source, complete=False)).n_datasets
        if every > table.n_datasets:
            yield f"missing={USUAL}", f"Take all {every} data sets as they are"
    elif source.reading.missing == USUAL:
        with contextlib.suppress(InputError):  # there are none
            if so_far(table, source).n_datasets < table.n_datasets:
                yield "missing=", "Only the complete ones"


def _choices(
    source: TableSource, whole: ScoreTable, out: ScoreTable, missing: int
) -> Iterator[tuple[str, str]]:
    """Yield what can be chosen, as in a link, and what would come of it."""
    how = source.reading
    base = whole if how.keep_failing else out
    if out.left_out:
        names = listed([each.algorithm for each in out.left_out], limit=3)
        yield (
            ("keep_failing=", f"Leave {names} out")
            if how.keep_failing
            else ("keep_failing=true", f"Put {names} back")
        )
    if not missing:
        return
    fewer = _ruled(base, "drop-datasets", keep=True)
    others = _ruled(base, "drop-algorithms", keep=True)
    worst = _ruled(whole, "worst")
    on = count(base.n_datasets, "data set")
    offers = {USUAL: f"Compare each pair where both have a score, on {on}"}
    if fewer is not None and fewer.n_datasets < base.n_datasets:
        offers["drop-datasets"] = f"Keep {fewer.n_datasets} of {on}"
    if others is not None and others.n_algorithms < base.n_algorithms:
        gone = [name for name in base.algorithms if name not in others.algorithms]
        left = f"{len(gone)} of {count(base.n_algorithms, 'algorithm')}"
        names = f" ({joined(gone)})" if len(gone) < 3 else ""
        offers["drop-algorithms"] = f"Leave out {left}{names}"
    if worst is not None:
        offers["worst"] = f"Count {'it' if missing == 1 else f'the {missing}'} as worst"
    for rule, text in offers.items():
        if rule != how.missing:
            yield f"missing={'' if rule == USUAL else rule}", text


def _ruled(table: ScoreTable, rule: str, *, keep: bool = False) -> ScoreTable | None:
    """Treat what is missing by a rule; nothing if nothing would be left."""
    try:
        return table.from_rows(table.rows, table.measure, missing=rule, keep_failing=keep)
    except InputError:
        return None


def as_it_is(source: TableSource) -> TableSource:
    """Return how to read the same table with all its gaps in it."""
    return replace(source, reading=replace(source.reading, missing=USUAL, keep_failing=True))
