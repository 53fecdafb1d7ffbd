"""What is missing in a comparison, of whom and why, and what hangs on it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, NamedTuple

import numpy as np

from palio.comparison.sample import shared, which_met
from palio.scores.missing import LeftOut
from palio.words import count, joined

if TYPE_CHECKING:
    from palio.comparison.procedure import Procedure
    from palio.comparison.results import Comparison
    from palio.scores import ScoreTable
    from palio.types import BoolArray, FloatArray

# A sentence names so many; the rest are counted.
_NAMED = 4


class Missing(NamedTuple):
    """Scores that are missing, and what hangs on them."""

    cells: Annotated[int, "How many of the table's cells have no score of their own."]
    of: int
    failed: Annotated[int, "How many because something failed; the others were never run."]
    imputed: Annotated[int, "How many a rule has filled in."]
    rule: str
    reasons: Annotated[Mapping[str, int], "The statuses of what failed, the most frequent first."]
    lacking: Annotated[Mapping[str, int], "How many cells each algorithm lacks, the most first."]
    left_out: Annotated[tuple[LeftOut, ...], "Algorithms that failed on most data sets."]
    shared: Annotated[tuple[int, int] | None, "The fewest and most data sets that a pair shares."]
    complete: Annotated[int | None, "Where only data sets count that all have: how many these are."]
    changes: Annotated[
        tuple[tuple[str, str], ...],
        "The pairs whose verdict would change if failures counted as the worst score there.",
    ]


def missing_of(
    table: ScoreTable, comparison: Comparison, procedure: Procedure | None
) -> Missing | None:
    """Say what is missing of a table, and which verdicts hang on it; nothing if nothing is."""
    imputed = table.imputed_cells()
    empty = np.isnan(table.means())
    gone = empty | imputed
    if not gone.any() and not table.left_out:
        return None
    failed = table.failed() & gone
    lacking = dict(zip(table.algorithms, gone.sum(axis=0).tolist(), strict=True))
    first, second = np.triu_indices(table.n_algorithms, 1)
    on = shared(table.means(), first, second)
    changes = _changes(table, comparison, procedure, failed & empty)
    return Missing(
        int(gone.sum()),
        gone.size,
        int(failed.sum()),
        int(imputed.sum()),
        table.missing,
        dict(Counter(table.reasons(failed)).most_common()),
        {name: n for name, n in sorted(lacking.items(), key=lambda each: -each[1]) if n},
        table.left_out,
        (int(on.min()), int(on.max())) if empty.any() else None,
        comparison.n_complete if procedure is not None and procedure.pooled else None,
        changes,
    )


def _changes(
    table: ScoreTable, comparison: Comparison, procedure: Procedure | None, failed: BoolArray
) -> tuple[tuple[str, str], ...]:
    """Return the pairs of which another would be said if failures counted as worst."""
    if procedure is None or not failed.any():
        return ()
    tested = comparison.tested
    first, second, k = tested.first, tested.second, len(table.algorithms)
    met = which_met(first, second, k) if procedure.control is None else None
    with_worst = failures_as_worst(table.goodness(), failed)
    then = procedure.judged(procedure.of_pairs(with_worst, first, second), k, met)
    changed, names = then != tested.sides, comparison.algorithms
    return tuple(
        (names[i], names[j])
        for i, j in zip(first[changed].tolist(), second[changed].tolist(), strict=True)
    )


def failures_as_worst(goodness: FloatArray, failed: BoolArray) -> FloatArray:
    """Give what failed the worst score that anybody has on the data set.

    >>> values = np.array([[0.9, np.nan, np.nan], [0.8, 0.7, 0.6]])
    >>> failures_as_worst(values, np.array([[False, True, False], [False] * 3])).tolist()
    [[0.9, 0.9, nan], [0.8, 0.7, 0.6]]
    """
    worst = np.fmin.reduce(goodness, axis=1, keepdims=True)
    return np.where(failed, worst, goodness)


def missing_said(missing: Missing | None) -> str | None:
    """Say what is missing, why, and what hangs on it."""
    if missing is None:
        return None
    sentences = [
        f"Left out: {each.algorithm}, {each.reason}." for each in missing.left_out[:_NAMED]
    ]
    if len(missing.left_out) > _NAMED:
        more = count(len(missing.left_out) - _NAMED, "other is", "others are")
        sentences.append(f"{more} left out as well.")
    if missing.left_out:
        sentences.append("--keep-failing (keep_failing=True) keeps what fails.")
    if missing.cells:
        sentences += _of_cells(missing)
    return " ".join(sentences)


def _of_cells(missing: Missing) -> list[str]:
    verb = "is" if missing.cells == 1 else "are"
    said = f"{missing.cells} of {count(missing.of, 'score')} {verb} missing{_why(missing)}"
    most = [f"{name} {n}" for name, n in list(missing.lacking.items())[:_NAMED]]
    more = len(missing.lacking) - len(most)
    whose = joined([*most, count(more, "other")] if more > 0 else most)
    sentences = [f"{said}; of {whose}."]
    if missing.imputed:
        sentences.append(f"{_filled(missing)}, by missing='{missing.rule}'.")
    if missing.complete is not None and missing.imputed < missing.cells:
        sentences.append(f"Only the {missing.complete} data sets count where all have one.")
    elif missing.shared is not None and missing.imputed < missing.cells:
        low, high = missing.shared
        on = f"{low}" if low == high else f"{low} to {high}"
        sentences.append(f"Each pair rests on the data sets that both have, {on} of them.")
    if missing.failed and not missing.imputed:
        sentences.append(_if_worst(missing))
    return sentences


def _filled(missing: Missing) -> str:
    if missing.imputed == missing.cells:
        return "Filled in" if missing.cells == 1 else "All are filled in"
    return f"{missing.imputed} are filled in"


def _why(missing: Missing) -> str:
    never = missing.cells - missing.failed
    reasons = ", ".join(f"{name} {n}" for name, n in list(missing.reasons.items())[:_NAMED])
    failed = f"{missing.failed} failed{f' ({reasons})' if reasons else ''}"
    if not missing.failed:
        return ", never run as far as the table tells"
    return f": {failed}" + (f", {never} never run" if never else "")


def _if_worst(missing: Missing) -> str:
    if not missing.changes:
        return "If failures counted as worst, no verdict would change."
    shown = joined(
        [f"{a} and {b}" for a, b in missing.changes[:_NAMED]]
        + ([count(len(missing.changes) - _NAMED, "other")] if len(missing.changes) > _NAMED else [])
    )
    n = count(len(missing.changes), "verdict")
    return f"If failures counted as worst, {n} would change: {shown}."
