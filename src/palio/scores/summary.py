"""What a table holds, how it was read, and what it lacks: in numbers and in sentences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, NamedTuple

import numpy as np

from palio.claims import Missing
from palio.measures import Measure
from palio.results import Result
from palio.scores.missing import LeftOut, counted, filled_by
from palio.words import Worded, count, joined, some_of, strung

if TYPE_CHECKING:
    import pandas as pd

    from palio.scores.spec import ReadSpec
    from palio.scores.table import ScoreTable


class Gaps(NamedTuple):
    """How many cells lack a score, and what was chosen to be done about it."""

    choice: str
    cells: int
    of: int


class HowRead(NamedTuple):
    """How a table was read: by which importer or layout, and which column is what.

    ``roles`` are pairs of a role and its column; ``recognised`` are the notes that say what was
    read from names and contents, and not given; ``why`` is the evidence for the reading, and for
    the runner-up; ``spec`` is what reads it again in the same way.
    """

    source: str = ""
    roles: tuple[tuple[str, str], ...] = ()
    recognised: tuple[str, ...] = ()
    why: tuple[str, ...] = ()
    spec: ReadSpec | None = None


UNREAD = HowRead()


@dataclass(frozen=True)
class Understood(Result):
    """What was understood of a table: its names, measure, costs and design, holes, and notes.

    ``measures`` are those of each data set where they differ, ``source`` is the importer or the
    layout that was recognised, ``roles`` the columns by what they say. Where the scores of items
    are there, ``items`` is how many there are, ``clusters`` how many they lie in, and ``repeats``
    how often at most one was repeated.
    """

    kind = "reading"
    algorithms: tuple[str, ...]
    datasets: tuple[str, ...]
    measure: Measure
    measures: Mapping[str, Measure]
    costs: tuple[str, ...]
    design: str
    n_cells: int
    n_missing: int
    items: int | None
    clusters: int | None
    repeats: int | None
    source: str
    roles: Mapping[str, str]
    notes: tuple[str, ...]
    missing: Mapping[str, int]
    """How many data sets each algorithm lacks, of those that lack some."""

    @classmethod
    def of(cls, table: ScoreTable) -> Understood:
        """Return what was understood of a table."""
        gaps = np.isnan(table.means())
        how, items = table.how_read, table.items
        repeats = None if items is None else items.repeats
        lacking = dict(zip(table.algorithms, gaps.sum(axis=0).tolist(), strict=True))
        return cls(
            algorithms=table.algorithms,
            datasets=table.datasets,
            measure=table.measure,
            measures=table.measures,
            costs=table.cost_names,
            design=str(table.design()),
            n_cells=gaps.size,
            n_missing=int(gaps.sum()),
            items=None if items is None else items.n_items,
            clusters=None if items is None else items.n_clusters,
            repeats=None if repeats is None else int(repeats.counts.max()),
            source=how.source,
            roles=dict(how.roles),
            notes=table.notes,
            missing={name: n for name, n in lacking.items() if n},
        )

    @property
    def size(self) -> str:
        """How many data sets and algorithms there are."""
        return size_of(len(self.datasets), len(self.algorithms))

    def to_frame(self) -> pd.DataFrame:
        """Return one row per algorithm."""
        import pandas as pd

        missing = [self.missing.get(name, 0) for name in self.algorithms]
        return pd.DataFrame({"algorithm": self.algorithms, "missing": missing})


def size_of(n_datasets: int, n_algorithms: int) -> str:
    """Say how many data sets and algorithms there are."""
    return f"{count(n_datasets, 'data set')} × {count(n_algorithms, 'algorithm')}"


# --- what is missing -----------------------------------------------------------------------

_MAX_NAMES = 4
_MAX_LEFT_OUT = 2  # who are named with their reasons
_MAX_CHANGES = 3
_NOT_ORDERED = "those of different parts are not ordered against each other"


class Change(NamedTuple):
    """A pair of which another thing would be said."""

    a: str
    b: str
    better: Annotated[str | None, "Who is significantly better as it is."]
    then: Annotated[str | None, "Who would be."]


@dataclass(frozen=True)
class MissingSummary:
    """Scores that are missing, of whom and why; where pairs were compared, what depends on them."""

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
    shared: Annotated[tuple[int, int] | None, "The fewest and most data sets of a pair."] = None
    apart: Annotated[int, "How many pairs share no data set, and are not compared."] = 0
    complete: Annotated[int | None, "How many data sets count: those that all have."] = None
    changes: Annotated[tuple[Change, ...], "What would change if failures counted as worst."] = ()
    unbeaten: Annotated[tuple[str, ...] | None, "Who would be unbeaten then, if any change."] = None
    leader_then: Annotated[str | None, "Who would lead then; null where nothing failed."] = None
    not_comparable: Annotated[
        Mapping[str, int], "Who shares too few data sets with the leader (or the control)."
    ] = field(default_factory=dict)

    def describe(self, across: str = _NOT_ORDERED) -> str:
        """Say who was left out, how much is missing, why and of whom, and what was filled in.

        Then what follows ``across`` parts that no data set joins.

        >>> whose = {"svm": 2, "nb": 1}
        >>> why = {"timeout": 2}
        >>> MissingSummary(3, 20, 2, 0, "pairwise", why, whose, (), (4,), 0, {}).describe()
        '3 of 20 scores are missing (2 timeout, 1 never run): of svm 2 and nb 1.'
        """
        return strung([*self._what_is_missing(), *parts_said(self.islands, across)], " ")

    def claim(self, leader: str | None) -> Missing:
        """Claim what is missing and, of a comparison with this leader, what depends on it."""
        sentences = [*self._what_is_missing(), *self._what_depends_on_it(leader)]
        return Missing(
            self.cells,
            self.of,
            self.failed,
            None if self.leader_then == leader else self.leader_then,
            strung([*sentences, *parts_said(self.islands)], " "),
            tuple(each.algorithm for each in self.left_out),
            sum(self.unended.values()),
        )

    def _what_is_missing(self) -> list[str]:
        sentences = []
        if self.left_out:
            who = some_of([f"{name}, which {why}" for name, why in self.left_out], _MAX_LEFT_OUT)
            them = "it" if len(self.left_out) == 1 else "them"
            back = Worded(f"--keep-failing (keep_failing=True) keeps {them}.")
            sentences += [f"Left out: {who}.", back]
        if self.unended:
            n = f"{sum(self.unended.values())} of {count(self.runs, 'run')} did not end"
            slower = "such a run counts as slower than every run that did"
            sentences.append(f"{n} ({counted(self.unended)}): {slower}.")
        if self.cells:
            cells = f"{self.cells} of {count(self.of, 'score')} {_are(self.cells)} missing"
            causes = Counter(self.reasons)
            causes["failed"] += self.failed - sum(self.reasons.values())
            never = {"never run": self.cells - self.failed}
            why = "never run, as far as the table tells"
            why = counted({**dict(causes.most_common()), **never}) if self.failed else why
            whose = some_of([f"{name} {n}" for name, n in self.lacking.items()], _MAX_NAMES)
            sentences.append(f"{cells} ({why}): of {whose}.")
        if self.imputed:
            done = f"{self.imputed} {_are(self.imputed)} filled in"
            how = f"{done}, by missing='{self.rule}'."
            sentences.append(Worded(how, page=f"{done}, {filled_by(self.rule)}."))
        return sentences

    def _what_depends_on_it(self, leader: str | None) -> list[str]:
        sentences = []
        if self.complete is not None and self.imputed < self.cells:
            sentences.append(f"Only the {self.complete} data sets count where all have one.")
        elif self.shared is not None and self.imputed < self.cells:
            low, high = self.shared
            on = f"{low} of them" if low == high else f"{low} to {high} of them"
            if self.apart:
                on = f"up to {high} of them; {count(self.apart, 'pair shares', 'pairs share')} none"
            sentences.append(f"Each pair rests on the data sets that both have, {on}.")
        if self.failed and not self.imputed:
            then = self.leader_then
            leads = f"; {then} would {'still ' * (then == leader)}lead" if then else ""
            sentences.append(f"If failures counted as worst, {self._if_worst()}{leads}.")
        return sentences

    def _if_worst(self) -> str:
        if not self.changes:
            return "no verdict would change"
        verdicts = f"{len(self.changes)} verdicts would change"
        if len(self.changes) <= _MAX_CHANGES:
            verdicts = joined([_otherwise(change) for change in self.changes])
        if self.unbeaten is None:
            return verdicts
        return f"{verdicts}; unbeaten would be {some_of(self.unbeaten) or 'nobody'}"


def _otherwise(change: Change) -> str:
    ahead = change.then or change.better
    other = change.a if ahead == change.b else change.b
    would = "would" if change.then else "would not"
    return f"{ahead} {would} be significantly better than {other}"


def _are(number: int) -> str:
    return "is" if number == 1 else "are"


def parts_said(sizes: Sequence[int], across: str = _NOT_ORDERED) -> list[str]:
    """Say where no chain of data sets joins all, and what follows.

    >>> parts_said((3, 1), "nothing is said across them")
    ['No data set joins 2 parts, of 3 and 1 algorithms: nothing is said across them.']
    """
    if len(sizes) < 2:
        return []
    shown = some_of(list(map(str, sizes)))
    return [f"No data set joins {len(sizes)} parts, of {shown} algorithms: {across}."]


def missing_in(table: ScoreTable) -> MissingSummary | None:
    """Count what is missing in a table, and what did not end; nothing if nothing is."""
    from palio.stats.incomplete import components

    imputed, empty = table.imputed_cells(), np.isnan(table.means())
    gone, unended = empty | imputed, table.unended_runs()
    if not (gone.any() or table.left_out or unended):
        return None
    failed = table.failed() & gone
    n_lacking = Counter(dict(zip(table.algorithms, gone.sum(axis=0).tolist(), strict=True)))
    return MissingSummary(
        int(gone.sum()),
        gone.size,
        int(failed.sum()),
        int(imputed.sum()),
        table.missing,
        dict(Counter(table.reasons(failed)).most_common()),
        {name: n for name, n in n_lacking.most_common() if n},
        table.left_out,
        tuple(sorted(np.bincount(components(~empty)).tolist(), reverse=True)),
        int(table.rows.runs[~np.isnan(table.rows.scores[table.measure.name])].sum()),
        unended,
    )
