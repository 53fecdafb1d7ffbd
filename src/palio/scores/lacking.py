"""What a table lacks, of whom and why, in numbers and in a sentence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import numpy as np

from palio.scores.missing import LeftOut, filled_by
from palio.stats.incomplete import components
from palio.words import Worded, count, joined, strung

if TYPE_CHECKING:
    from palio.scores.table import ScoreTable

# A sentence names this many algorithms, or sizes of parts; the rest are counted.
_MAX_NAMES = 4
_MAX_SIZES = 5
_NOT_ORDERED = "those of different parts are not ordered against each other"


@dataclass(frozen=True)
class Lacking:
    """Scores that are missing, of whom and why."""

    cells: Annotated[int, "How many of the table's cells have no score of their own."]
    of: int
    failed: Annotated[int, "How many because something failed; the others were never run."]
    imputed: Annotated[int, "How many a rule has filled in."]
    rule: str
    reasons: Annotated[Mapping[str, int], "The statuses of what failed, the most frequent first."]
    lacking: Annotated[Mapping[str, int], "How many cells each algorithm lacks, the most first."]
    left_out: Annotated[tuple[LeftOut, ...], "Algorithms that failed on most data sets."]
    islands: Annotated[tuple[int, ...], "The sizes of the parts that no data set joins."]
    runs: Annotated[int, "How many runs the table is of, where that is known."]
    unended: Annotated[Mapping[str, int], "How many did not end, by their status."]

    def described(self, so: str = _NOT_ORDERED, besides: Iterable[str] = ()) -> str:
        """Say who was left out, how much is missing, why and of whom, and what was filled in.

        Then what there is to say ``besides``, and what follows from parts that no data set joins.

        >>> whose = {"svm": 2, "nb": 1}
        >>> Lacking(3, 20, 2, 0, "pairwise", {"timeout": 2}, whose, (), (4,), 0, {}).described()
        '3 of 20 scores are missing (2 timeout, 1 never run): of svm 2 and nb 1.'
        """
        left_out = _who_is_left_out(self.left_out)
        found = [*left_out, *_unended(self), *_cells(self)]
        return strung([*found, *besides, *parts_said(self.islands, so)], " ")


def lacking_in(table: ScoreTable) -> Lacking | None:
    """Count what is missing in a table, and what did not end; nothing if nothing is."""
    imputed = table.imputed_cells()
    gone, unended = np.isnan(table.means()) | imputed, table.unended_runs()
    if not (gone.any() or table.left_out or unended):
        return None
    failed = table.failed() & gone
    lacking = dict(zip(table.algorithms, gone.sum(axis=0).tolist(), strict=True))
    return Lacking(
        int(gone.sum()),
        gone.size,
        int(failed.sum()),
        int(imputed.sum()),
        table.missing,
        dict(Counter(table.reasons(failed)).most_common()),
        {name: n for name, n in sorted(lacking.items(), key=lambda each: -each[1]) if n},
        table.left_out,
        tuple(sorted(np.bincount(components(~np.isnan(table.means()))).tolist(), reverse=True)),
        table.n_runs,
        unended,
    )


def parts_said(sizes: Sequence[int], so: str = _NOT_ORDERED) -> list[str]:
    """Say where no chain of data sets joins all, and what follows.

    >>> parts_said((3, 1), "nothing is said across them")
    ['No data set joins 2 parts, of 3 and 1 algorithms: nothing is said across them.']
    """
    if len(sizes) < 2:
        return []
    shown = _first_of(list(map(str, sizes)), _MAX_SIZES)
    return [f"No data set joins {len(sizes)} parts, of {shown} algorithms: {so}."]


def _first_of(texts: Sequence[str], most: int = _MAX_NAMES) -> str:
    """Join the first texts, and count the others."""
    others = [count(len(texts) - most, "other")] if len(texts) > most else []
    return joined([*texts[:most], *others])


def _who_is_left_out(left_out: Sequence[LeftOut]) -> list[str]:
    """Name those left out: one or two with their reasons, of more who they are."""
    if not left_out:
        return []
    if len(left_out) > 2:
        names = _first_of([each.algorithm for each in left_out])
        said = f", as they failed on most data sets: {names}"
    else:
        said = f": {'; '.join(f'{name}, which {reason}' for name, reason in left_out)}"
    back = "it" if len(left_out) == 1 else "them"
    return [f"Left out{said}.", Worded(f"--keep-failing (keep_failing=True) keeps {back}.")]


def _unended(found: Lacking) -> list[str]:
    if not found.unended:
        return []
    why = ", ".join(f"{n} {status}" for status, n in found.unended.items())
    runs = f"{sum(found.unended.values())} of {count(found.runs, 'run')} did not end ({why})"
    return [f"{runs}: such a run counts as slower than every run that did."]


def _cells(found: Lacking) -> list[str]:
    if not found.cells:
        return []
    verb = "is" if found.cells == 1 else "are"
    missing = f"{found.cells} of {count(found.of, 'score')} {verb} missing"
    said = [f"{missing} ({_why(found)}): of {_whose(found.lacking)}."]
    if found.imputed:
        how = f"{_filled(found)}, by missing='{found.rule}'."
        said.append(Worded(how, page=f"{_filled(found)}, {filled_by(found.rule)}."))
    return said


def _why(found: Lacking) -> str:
    """Count the causes: each status, what failed without one, and what was never run."""
    never = found.cells - found.failed
    if not found.failed:
        return "never run, as far as the table tells"
    causes = Counter(found.reasons)
    causes["failed"] += found.failed - sum(found.reasons.values())
    told = [f"{n} {cause}" for cause, n in causes.most_common() if n > 0]
    if len(told) > _MAX_NAMES + 1:
        told = [*told[:_MAX_NAMES], "…"]
    return ", ".join([*told, *([f"{never} never run"] if never else [])])


def _whose(lacking: Mapping[str, int]) -> str:
    """Name those who lack most; a number that all share is said once."""
    numbers = set(lacking.values())
    if len(lacking) > 1 and len(numbers) == 1:
        return f"{_first_of(list(lacking))}, {numbers.pop()} each"
    return _first_of([f"{name} {n}" for name, n in lacking.items()])


def _filled(found: Lacking) -> str:
    if found.imputed == found.cells:
        return "Filled in" if found.cells == 1 else "All are filled in"
    return f"{found.imputed} {'is' if found.imputed == 1 else 'are'} filled in"
