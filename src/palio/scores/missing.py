"""What happens to scores that are not there: a rule is a function and an entry in `MISSING`.

Unless another is chosen, they stay missing, and each pair is compared where both have one.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from itertools import compress
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from palio.errors import MissingCellsError, Option, ParameterError, either, require
from palio.measures import is_time
from palio.registry import Registry
from palio.scores.columns import first_places, squeezed
from palio.scores.rows import Rows, codes_of
from palio.words import Worded, count, listed, quoted

if TYPE_CHECKING:
    from palio.measures import Measure
    from palio.types import BoolArray, FloatArray

ABSENT = "absent"
"""The status of rows that Palio adds for results that are not in the table at all."""
_OK = "ok"
_NEVER_RUN = frozenset({ABSENT, "not run", "missing", ""})

# One that failed on a larger share of the data sets it was tried on says little of the others.
_MOSTLY = 0.5


class LeftOut(NamedTuple):
    """An algorithm that was left out because it failed, and why."""

    algorithm: str
    reason: str


@dataclass(frozen=True, eq=False)
class Gaps:
    """Rows with gaps, which scores are ``empty``, and a text that names them."""

    rows: Rows
    measure: Measure
    empty: BoolArray
    text: str

    @property
    def scores(self) -> FloatArray:
        """The scores asked about."""
        return self.rows.scores[self.measure.name]


@dataclass(frozen=True)
class MissingRule:
    """An entry of the registry.

    ``settle`` gets gaps and the value given, and returns the rows to go on with and a note;
    ``takes`` says what must stand behind the name (``baseline=rf``, ``value=0``); a cut-off only
    may. ``fills`` is what scores are made of, by rules that make some up.
    """

    name: str
    title: str
    settle: Callable[[Gaps, str], tuple[Rows, str]]
    takes: str = "no value"
    fills: str = ""


def rule_of(missing: str) -> tuple[MissingRule, str]:
    """Return the rule that is asked for, and what stands behind its name.

    >>> rule, value = rule_of("baseline=rf")
    >>> rule.name, value
    ('baseline', 'rf')
    """
    if not isinstance(missing, str):
        raise ParameterError("missing", f"must be the name of a rule; got {missing!r}")
    name, _, value = missing.partition("=")
    rule, value = MISSING[name.strip()], value.strip()
    written, example = _TAKES[rule.takes]
    fits, remedy = re.fullmatch(written, value), f"give {Option('missing', rule.name + example)}"
    require(fits, "missing", f"'{rule.name}' takes {rule.takes}", missing, remedy)
    return rule, value


_NUMBER = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,3})?"
_TAKES = {  # what must stand behind the name, and an example
    "no value": ("", ""),
    "the name of an algorithm": (".+", "=NAME"),
    "a finite number": (_NUMBER, "=1"),
    "a cut-off": (f"(?:{_NUMBER})?", "=1"),
}


def settle_missing(
    rows: Rows, measure: Measure, missing: str, *, keep_failing: bool = False
) -> tuple[Rows, tuple[str, ...], tuple[LeftOut, ...]]:
    """Apply a rule to the missing scores of the measure; the rows have no duplicates.

    Returned are sorted rows in which every (data set, algorithm) is there, what to note, and who
    is left out.
    """
    rule, value = rule_of(missing)
    rows = _with_all_splits(rows.without_values(failed_rows(rows)).sorted()).sorted()
    left_out: tuple[LeftOut, ...] = ()
    if not (keep_failing or rule.fills):
        rows, left_out = _without_failing(rows, measure)
    empty = np.isnan(rows.scores[measure.name])
    if not empty.any():
        return rows, (), left_out
    if empty.all():
        nothing = f"there is no {measure.name} at all"
        raise MissingCellsError("score", nothing, remedy="Add results, or name another")
    n_empty = int(empty.sum())
    number = count(n_empty, f"score of {measure.name} is", f"scores of {measure.name} are")
    why = counted(Counter(reasons(rows, rows.count_cells(empty) > 0)))
    told = f"{rows.describe_some(np.flatnonzero(empty))}{why and '; '}{why}"
    gaps = Gaps(rows, measure, empty, f"{number} missing ({told})")
    rows, note = rule.settle(gaps, value)
    page = note[:1].upper() + note[1:]  # a page says what was done, not by which rule
    return rows, (Worded(f"missing='{missing}': {note}", page=page),), left_out


# --- runs that did not end ---------------------------------------------------------------------

PENALTY = 10
"""Run times of runs that did not end are shown as so many times the cut-off (PAR10)."""
_TIMEOUT = "timeout"
_CUTOFF_NAMES = frozenset({"cutoff", "cutofftime", "timeout", "timelimit", "limit", "walllimit"})
# A largest whole number is a cut-off if this many runs have it, and this many times as many as any
# other that is more than half as large.
_MIN_AT_CUTOFF = 3


def censor(rows: Rows, measure: Measure, missing: str) -> Rows:
    """Mark the runs that did not end, if run times are asked about, and penalise each.

    By its status, a column with cut-offs, the cut-off given, or the largest value if many runs have
    just that. How much slower than others such a run is nobody knows (`scale.goodness_of`).
    """
    rule, value = rule_of(missing)
    scores = rows.scores[measure.name]
    if rule.name == "censored":
        _check_time(rule.name, measure, scores)
    elif rule.name != USUAL or measure.higher_is_better or not is_time(measure.name):
        return replace(rows, censored=None)
    if rows.censored is not None:
        if not np.isnan(scores[rows.unended]).any():
            return rows
        rows = replace(rows, censored=None)  # of another measure of these runs
    limits = _limits(rows, measure, value)
    # A status is better evidence than a number that is reached.
    reached = (scores >= limits) if rows.status is None or value else np.isposinf(scores)
    reached &= ~failed_rows(rows)
    if reached.any():
        rows = rows.marked_as(_TIMEOUT, reached)
    unended = failed_rows(rows) & _was_run(rows)
    longest = np.fmax.reduce(scores[np.isfinite(scores)], initial=np.nan)
    if not unended.any() or np.isnan(longest):
        return rows
    cutoffs = np.where(np.isfinite(limits), limits, longest)
    rows = rows.without_values(unended)
    found = {**rows.scores, measure.name: np.where(unended, PENALTY * cutoffs, scores)}
    return replace(rows, scores=found, censored=unended.astype(np.float64))


def _limits(rows: Rows, measure: Measure, given: str) -> FloatArray:
    """Return from when on each run did not end, infinity where no number tells."""
    if given:
        return np.full(len(rows), float(given))
    others = {**rows.scores, **rows.costs}
    name = next((each for each in others if squeezed(each) in _CUTOFF_NAMES), measure.name)
    if name != measure.name:
        return np.where(np.isnan(others[name]), np.inf, others[name])
    return np.full(len(rows), _largest_if_shared(others[name]))


def _largest_if_shared(scores: FloatArray) -> float:
    """Return the largest score if that is a cut-off, by how many have it; infinity if not.

    >>> _largest_if_shared(np.array([3.0, 812.5, 1000.0, 1000.0, 1000.0]))
    1000.0
    >>> _largest_if_shared(np.array([1.0, 2.0, 3.0, 3.0, 3.0]))
    inf
    """
    values, counts = np.unique(scores[np.isfinite(scores)], return_counts=True)
    # Of times in whole seconds the largest is often shared; a cut-off stands beside measured times.
    if values.size < 2 or values[-1] % 1 or (values[:-1] % 1 == 0).mean() > 0.5:
        return np.inf
    others = counts[:-1][values[:-1] > values[-1] / 2].max(initial=1)
    return float(values[-1]) if counts[-1] >= _MIN_AT_CUTOFF * others else np.inf


# --- what is missing ---------------------------------------------------------------------------


def failed_rows(rows: Rows) -> BoolArray:
    """Mark the rows whose status is not ok: they have no result, whatever stands there.

    A run that is known to be slower than others has one: that of `censor`.
    """
    return rows.with_status(lambda status: status not in (_OK, ABSENT)) & ~rows.unended


def _was_run(rows: Rows) -> BoolArray:
    return rows.with_status(lambda status: status not in _NEVER_RUN)


def empty_rows(rows: Rows, measure: Measure) -> BoolArray:
    """Mark the rows that have no score of their own; a rule may have made one up."""
    empty = np.isnan(rows.scores[measure.name])
    return empty if rows.imputed is None else empty | rows.imputed


def failed_cells(rows: Rows, measure: Measure) -> BoolArray:
    """Mark the (data set, algorithm) that lack a score because something failed: S × K.

    Its status says so; or, as others have results on all folds of the data set and it has some,
    the missing ones must have failed. The rest was never run, as far as the table tells.
    """
    empty = empty_rows(rows, measure)
    n_empty = rows.count_cells(empty)
    in_part = (n_empty > 0) & (n_empty < rows.cell_counts)
    return np.asarray(in_part | (rows.count_cells(empty & _was_run(rows)) > 0))


def reasons(rows: Rows, cells: BoolArray) -> list[str]:
    """Return the status of each of some (data set, algorithm) that failed, where one is known."""
    if rows.status is None:
        return []
    says_why = rows.with_status(lambda status: status not in _NEVER_RUN | {_OK})
    bad = np.flatnonzero(cells[rows.dataset, rows.algorithm] & says_why)
    first = bad[np.unique(rows.cell[bad], return_index=True)[1]]
    return [rows.statuses[code] for code in rows.status[first].tolist()]


def _with_all_splits(rows: Rows) -> Rows:
    """Add rows so that who has none on a data set, or failed there, has one for each of its folds.

    Who writes down that an algorithm failed on a data set writes one row, not one for each fold:
    the others are copies of it.
    """
    failed = np.flatnonzero(failed_rows(rows) | (rows.censored is not None and rows.censored == 1))
    example = np.full(rows.cell_counts.size, -1)  # a row that failed, of each cell that has one
    example[rows.cell[failed[::-1]]] = failed[::-1]
    needy = (rows.cell_counts == 0) | (example >= 0).reshape(rows.shape)
    if not needy.any():
        return rows
    there = np.flatnonzero(needy.any(axis=1)[rows.dataset])
    place = rows.take(there).place_of_fold
    first = there[first_places(place)]  # a row of each data set and split
    lacks = needy[rows.dataset[first]]
    lacks[place, rows.algorithm[there]] = False
    new, algorithm = np.nonzero(lacks)
    own = np.arange(len(rows))
    of_split = np.concatenate([own, first[new]])
    failure = example[rows.dataset[first[new]] * len(rows.algorithms) + algorithm]
    absent = np.concatenate([own < 0, failure < 0])
    both = replace(
        rows.take(np.where(absent, of_split, np.concatenate([own, failure]))),
        algorithm=np.concatenate([rows.algorithm, algorithm]),
        repeat=rows.repeat[of_split],
        fold=rows.fold[of_split],
    )
    if rows.status is not None and absent.any():
        both = both.marked_as(ABSENT, absent)
    return both.without_values(absent)


def _without_failing(rows: Rows, measure: Measure) -> tuple[Rows, tuple[LeftOut, ...]]:
    """Leave out who has no score at all, or failed on most data sets where most others did not.

    A data set on which most fail, as hard instances are for solvers, says nothing against one of
    them. Nobody is left out if fewer than two would be left.
    """
    empty = np.isnan(rows.cell_means(rows.scores[measure.name]))
    failed = failed_cells(rows, measure)
    passable = (~empty).mean(axis=1, keepdims=True) >= _MOSTLY
    tried = (passable & (~empty | failed)).sum(axis=0)
    hopeless = empty.all(axis=0) | ((passable & failed).sum(axis=0) > _MOSTLY * tried)
    kept = np.flatnonzero(~hopeless)
    if kept.size < 2 or kept.size == len(rows.algorithms):
        return rows, ()
    left_out = []
    for code in np.flatnonzero(hopeless).tolist():
        own = failed & (np.arange(len(rows.algorithms)) == code)
        n_tried = int((~empty | failed)[:, code].sum())
        statuses = Counter(each for each in reasons(rows, own) if each != "failed")
        why = f" ({counted(dict(statuses.most_common(3)))})" if statuses else ""
        told = f"failed on {own.sum()} of {count(n_tried, 'data set')}{why}"
        left_out.append(LeftOut(rows.algorithms[code], told if own.any() else "has no score"))
    return rows.select(range(len(rows.datasets)), kept.tolist()), tuple(left_out)


def counted(statuses: Mapping[str, int]) -> str:
    """Say how many have which status.

    >>> counted({"timeout": 3, "memory": 1})
    '3 timeout, 1 memory'
    """
    return listed((f"{n} {status}" for status, n in statuses.items() if n), limit=4)


# --- rules -------------------------------------------------------------------------------------


def filled_by(missing: str) -> str:
    """Say what a rule fills in.

    >>> filled_by("worst"), filled_by("baseline=rf")
    ('by the worst score there', 'by the score of rf there')
    """
    rule, value = rule_of(missing)
    return f"by {rule.fills.format(value)}"


def _left_empty(gaps: Gaps, _value: str) -> tuple[Rows, str]:
    return gaps.rows, "nothing is filled in."


def _refused(gaps: Gaps, _value: str) -> tuple[Rows, str]:
    others = [Option("missing", name) for name in ("pairwise", "worst")]
    remedy = f"Add what is missing, or give {either(others)}"
    raise MissingCellsError("missing", gaps.text, remedy=remedy)


def _without(axis: Literal[0, 1], gaps: Gaps, value: str) -> tuple[Rows, str]:
    """Leave out the data sets (axis 0) or algorithms (axis 1) with gaps, if enough are left."""
    has_gap = (gaps.rows.count_cells(gaps.empty) > 0).any(axis=1 - axis)
    kept = [list(range(size)) for size in gaps.rows.shape]
    kept[axis] = np.flatnonzero(~has_gap).tolist()
    kind = ("data set", "algorithm")[axis]
    if len(kept[axis]) < axis + 1:
        too_few = f"and without every {kind} that has gaps fewer than {axis + 1} are left"
        _refused(replace(gaps, text=f"{gaps.text}, {too_few}"), value)
    gone = compress((gaps.rows.datasets, gaps.rows.algorithms)[axis], has_gap)
    note = f"left out {count(int(has_gap.sum()), kind)}: {listed(gone, limit=20)}"
    return gaps.rows.select(*kept), f"{gaps.text}; {note}."


def _worst(gaps: Gaps, _value: str) -> tuple[Rows, str]:
    """Take the worst score of the data set and fold; where nobody has one, that of the table."""
    worst = np.fmin if gaps.measure.higher_is_better else np.fmax
    scores = _with_extremes(gaps.rows, gaps.scores, gaps.empty, worst)
    nobody = np.isnan(scores)
    how = "each takes the worst score any algorithm has there"
    how += ", or in the table where nobody has one" * bool(nobody.any())
    return _filled(gaps, np.where(nobody, worst.reduce(scores), scores), how)


def _baseline(gaps: Gaps, name: str) -> tuple[Rows, str]:
    """Take what a named algorithm has there, as benchmarks do with a constant predictor."""
    rows = gaps.rows
    (code,) = codes_of("missing", "missing", [name], rows.algorithms)
    there = rows.grid(gaps.scores)[rows.place_of_fold, code]
    mean = rows.cell_means(gaps.scores)[:, code][rows.dataset]
    scores = np.where(gaps.empty, np.where(np.isnan(there), mean, there), gaps.scores)
    if (lacking := np.isnan(scores)).any():
        where = quoted(rows.datasets[code] for code in np.unique(rows.dataset[lacking]))
        remedy = f"Name another, or give {Option('missing', 'worst')}"
        rule = f"{name!r} itself has no score on {where}"
        raise MissingCellsError("missing", rule, remedy=remedy)
    return _filled(gaps, scores, f"each takes the score of {name} there")


def _one_value(gaps: Gaps, value: str) -> tuple[Rows, str]:
    return _filled(gaps, np.where(gaps.empty, float(value), gaps.scores), f"each is {value}")


def _par10(gaps: Gaps, value: str) -> tuple[Rows, str]:
    """Count a run that did not end as ten times the cut-off, as solver competitions do."""
    _check_time("par10", gaps.measure, gaps.scores)
    cutoff = float(value or np.nanmax(gaps.scores))
    which = f"{cutoff:g}" + ", the longest run in the table" * (not value)
    scores = np.where(gaps.empty, PENALTY * cutoff, gaps.scores)
    return _filled(gaps, scores, f"each is ten times the cut-off, {which}")


def _check_time(rule: str, measure: Measure, scores: FloatArray) -> None:
    if measure.higher_is_better or np.nanmin(scores) < 0:
        what = f"'{rule}' is for run times, of which lower is better"
        remedy = f"give {Option('missing', 'worst')}"
        raise ParameterError("missing", what, f"the measure is {measure}", remedy)


def _filled(gaps: Gaps, scores: FloatArray, how: str) -> tuple[Rows, str]:
    """Put scores where there were none; costs that are missing with them are the largest there."""
    rows, empty = gaps.rows, gaps.empty
    costs = {x: _with_extremes(rows, each, empty, np.fmax) for x, each in rows.costs.items()}
    also = "; costs missing with them are the largest there" if costs else ""
    scored = {**rows.scores, gaps.measure.name: scores}
    filled = replace(rows, scores=scored, costs=costs, imputed=empty)
    return filled, f"{gaps.text}; {how}{also}."


def _with_extremes(rows: Rows, values: FloatArray, empty: BoolArray, ufunc: np.ufunc) -> FloatArray:
    """Fill what is empty with the extreme of the data set and fold, or else of the data set."""
    of_fold = ufunc.reduce(rows.grid(values), axis=1)[rows.place_of_fold]
    of_dataset = np.full(len(rows.datasets), np.nan)
    ufunc.at(of_dataset, rows.dataset, values)
    found = np.where(np.isnan(of_fold), of_dataset[rows.dataset], of_fold)
    return np.where(empty & np.isnan(values), found, values)


_WORST = "the worst score there"
MISSING: Registry[MissingRule] = Registry.of(
    "missing",
    MissingRule("pairwise", "each pair where both have a score", _left_empty),
    MissingRule("error", "refuse", _refused),
    MissingRule("drop-datasets", "leave out data sets with gaps", partial(_without, 0)),
    MissingRule("drop-algorithms", "leave out algorithms with gaps", partial(_without, 1)),
    MissingRule("worst", "the worst score that any has there", _worst, "no value", _WORST),
    MissingRule(
        "baseline",
        "the score of a named algorithm there: baseline=NAME",
        _baseline,
        takes="the name of an algorithm",
        fills="the score of {} there",
    ),
    MissingRule("value", "one value: value=X", _one_value, takes="a finite number", fills="{}"),
    MissingRule(
        "censored",
        "run times: who did not end, or not before X, is slower than who did: censored=X",
        _left_empty,
        takes="a cut-off",
    ),
    MissingRule(
        "par10",
        "run times: ten times the cut-off, the longest run unless given: par10=X",
        _par10,
        takes="a cut-off",
        fills="ten times the cut-off",
    ),
)
USUAL = "pairwise"
