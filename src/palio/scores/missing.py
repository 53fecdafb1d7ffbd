"""What happens to scores that are not there: a rule is a function and an entry in `MISSING`.

Unless another is chosen, they stay missing, and each pair is compared where both have one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from palio.errors import MissingCellsError, Option, ParameterError
from palio.measures import is_time
from palio.registry import Registry, unknown_name
from palio.scores.columns import squeezed
from palio.scores.rows import Rows
from palio.words import Worded, count, joined, listed, quoted

if TYPE_CHECKING:
    from palio.measures import Measure
    from palio.types import BoolArray, FloatArray, IntArray

ABSENT = "absent"
"""The status of rows that Palio adds for results that are not in the table at all."""
_OK = "ok"
_NEVER_RUN = frozenset({ABSENT, "not run", "missing", ""})
NO_REASON = _NEVER_RUN | {_OK}
"""Statuses that do not say why there is no score."""

# One that failed on a larger share of the data sets it was tried on says little of the others.
_MOSTLY = 0.5


class LeftOut(NamedTuple):
    """An algorithm that was left out because it failed, and why."""

    algorithm: str
    reason: str


@dataclass(frozen=True, slots=True, eq=False)
class Settled:
    """Sorted rows in which every (data set, algorithm) is there, and what was done for it.

    ``was_missing`` marks the rows that had no score; a rule may have filled them since.
    """

    rows: Rows
    was_missing: BoolArray
    notes: tuple[str, ...] = ()
    left_out: tuple[LeftOut, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Gaps:
    """Rows with gaps, and what a rule needs to know to close them."""

    rows: Rows
    measure: Measure
    empty: BoolArray
    what: str

    @property
    def scores(self) -> FloatArray:
        """The scores asked about."""
        return self.rows.scores[self.measure.name]


@dataclass(frozen=True)
class MissingRule:
    """An entry of the registry.

    ``settle`` closes gaps, or says that they stay; ``takes`` says what may stand behind the name
    (``baseline=rf``, ``value=0``), ``needs`` whether it must. ``fills`` is what scores
    are made of, by rules that make some up.
    """

    name: str
    title: str
    settle: Callable[[Gaps, str | None], Settled]
    takes: Literal["", "algorithm", "number"] = ""
    needs: bool = False
    fills: str = ""


def rule_of(missing: str) -> tuple[MissingRule, str | None]:
    """Return the rule that is asked for, and what stands behind its name.

    >>> rule, value = rule_of("baseline=rf")
    >>> rule.name, value
    ('baseline', 'rf')
    """
    if not isinstance(missing, str):
        raise ParameterError("missing", f"must be the name of a rule; got {missing!r}")
    name, given, value = missing.partition("=")
    rule = MISSING[name.strip()]
    if given and not rule.takes:
        raise ParameterError("missing", f"'{rule.name}' takes no value", f"got {missing!r}")
    if rule.needs and not value.strip():
        example = Option("missing", f"{rule.name}={'NAME' if rule.takes == 'algorithm' else 0}")
        raise ParameterError(
            "missing",
            f"'{rule.name}' needs one, the {rule.takes}",
            f"got {missing!r}",
            str(example),
        )
    return rule, value.strip() or None


def settle_missing(
    rows: Rows, measure: Measure, missing: str, *, keep_failing: bool = False
) -> Settled:
    """Apply a rule to the missing scores of the measure; the rows have no duplicates."""
    rule, value = rule_of(missing)
    rows = _without_values(rows, failed_rows(rows)).sorted()
    rows = _with_failed_folds(rows).sorted()
    rows = _with_absent_rows(rows, np.argwhere(rows.cell_counts == 0)).sorted()
    left_out: tuple[LeftOut, ...] = ()
    if not (keep_failing or rule.fills):
        rows, left_out = _without_failing(rows, measure)
    empty = np.isnan(rows.scores[measure.name])
    if not empty.any():
        return Settled(rows, empty, left_out=left_out)
    if empty.all():
        raise MissingCellsError(
            "score", f"there is no {measure.name} at all", remedy="Add results, or name another"
        )
    gaps = Gaps(rows, measure, empty, _what_is_missing(rows, measure, empty))
    return replace(rule.settle(gaps, value), left_out=left_out)


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
        if not np.isnan(scores[rows.censored > 0]).any():
            return rows
        rows = replace(rows, censored=None)  # of another measure of these runs
    limits = _limits(rows, measure, value)
    # A status is better evidence than a number that is reached.
    reached = (scores >= limits) if rows.status is None or value else np.isposinf(scores)
    rows = _timed_out(rows, reached)
    unended = failed_rows(rows) & _has_reason(rows)
    longest = np.fmax.reduce(scores[np.isfinite(scores)], initial=np.nan)
    if not unended.any() or np.isnan(longest):
        return rows
    cutoffs = np.where(np.isfinite(limits), limits, longest)
    rows = _without_values(rows, unended)
    found = {**rows.scores, measure.name: np.where(unended, PENALTY * cutoffs, scores)}
    return replace(rows, scores=found, censored=unended.astype(np.float64))


def _limits(rows: Rows, measure: Measure, given: str | None) -> FloatArray:
    """Return from when on each run did not end, infinity where no number tells."""
    if given is not None:
        return np.full(len(rows), _number(given))
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


def _timed_out(rows: Rows, reached: BoolArray) -> Rows:
    reached = reached & ~failed_rows(rows)
    if not reached.any():
        return rows
    statuses = tuple(dict.fromkeys((*(rows.statuses or (_OK,)), _TIMEOUT)))
    before = np.zeros(len(rows), dtype=np.intp) if rows.status is None else rows.status
    status = np.where(reached, statuses.index(_TIMEOUT), before)
    return replace(rows, statuses=statuses, status=status)


# --- what is missing ---------------------------------------------------------------------------


def failed_rows(rows: Rows) -> BoolArray:
    """Mark the rows whose status is not ok: they have no result, whatever stands there.

    A run that is known to be slower than others has one: that of `censor`.
    """
    if rows.status is None:
        return np.zeros(len(rows), dtype=bool)
    ok = np.array([status.lower() in (_OK, ABSENT) for status in rows.statuses], dtype=bool)
    return ~ok[rows.status] & (rows.censored is None or rows.censored == 0)


def _has_reason(rows: Rows) -> BoolArray:
    """Mark the rows whose status says that something was run."""
    if rows.status is None:
        return np.zeros(len(rows), dtype=bool)
    known = [status.lower() not in _NEVER_RUN for status in rows.statuses]
    return np.asarray(np.array(known, dtype=bool)[rows.status])


def failed_cells(rows: Rows, measure: Measure) -> BoolArray:
    """Mark the (data set, algorithm) that lack a score because something failed: S × K.

    Its status says so; or, as others have results on all folds of the data set and it has some,
    the missing ones must have failed. The rest was never run, as far as the table tells.
    """
    empty = np.isnan(rows.scores[measure.name])
    if rows.imputed is not None:
        empty = empty | rows.imputed
    failed = empty & _has_reason(rows)
    size = rows.shape[0] * rows.shape[1]
    some, all_of, bad = (
        np.bincount(rows.cell, weights=marks, minlength=size)
        for marks in (empty, np.ones_like(empty), failed)
    )
    return np.asarray(((bad > 0) | ((some > 0) & (some < all_of))).reshape(rows.shape))


def _without_values(rows: Rows, gone: BoolArray) -> Rows:
    """Blank what failed runs left behind: a crash after a second is not a cost of one second."""
    if not gone.any():
        return rows

    def blank(columns: Mapping[str, FloatArray]) -> dict[str, FloatArray]:
        return {name: np.where(gone, np.nan, values) for name, values in columns.items()}

    by_seed = {
        name: np.where(gone[:, np.newaxis], np.nan, values) for name, values in rows.by_seed.items()
    }
    censored = None if rows.censored is None else np.where(gone, 0.0, rows.censored)
    return replace(
        rows,
        scores=blank(rows.scores),
        costs=blank(rows.costs),
        by_seed=by_seed,
        censored=censored,
    )


def _with_failed_folds(rows: Rows) -> Rows:
    """Let a failure cover all folds of its data set that the algorithm has no row for.

    Who writes down that an algorithm failed on a data set writes one row, not one for each fold.
    """
    failed = failed_rows(rows) | (rows.censored is not None and rows.censored == 1)
    if not failed.any():
        return rows
    copied, others = [np.arange(len(rows))], [np.arange(len(rows))]
    for cell in np.unique(rows.cell[failed]).tolist():
        dataset, algorithm = divmod(cell, len(rows.algorithms))
        there = rows.slice_of(dataset)
        grid = rows.repeat[there] * len(rows.folds) + rows.fold[there]
        own = grid[rows.algorithm[there] == algorithm]
        lacking = ~np.isin(grid, own)
        one_of_each = (
            there.start + np.flatnonzero(lacking)[np.unique(grid[lacking], return_index=True)[1]]
        )
        example = int(np.flatnonzero(failed & (rows.cell == cell))[0])
        copied.append(np.full(one_of_each.size, example))
        others.append(one_of_each)
    fold = np.concatenate(others)
    both = rows.take(np.concatenate(copied))
    return replace(both, repeat=rows.repeat[fold], fold=rows.fold[fold])


def _with_absent_rows(rows: Rows, absent: IntArray) -> Rows:
    """Add rows of NaN for each (data set, algorithm) that has none: all folds of the data set."""
    if not absent.size:
        return rows
    copied, algorithms = [np.arange(len(rows))], [rows.algorithm]
    for dataset in np.unique(absent[:, 0]):
        there = rows.slice_of(int(dataset))
        grid = rows.repeat[there] * len(rows.folds) + rows.fold[there]
        one_of_each = there.start + np.unique(grid, return_index=True)[1]
        lacking = absent[absent[:, 0] == dataset, 1]
        copied.append(np.tile(one_of_each, lacking.size))
        algorithms.append(np.repeat(lacking, one_of_each.size))
    both = replace(rows.take(np.concatenate(copied)), algorithm=np.concatenate(algorithms))
    added = np.arange(len(both)) >= len(rows)
    if both.status is not None:
        status = np.where(added, len(rows.statuses), both.status)
        both = replace(both, statuses=(*rows.statuses, ABSENT), status=status)
    return _without_values(both, added)


def _what_is_missing(rows: Rows, measure: Measure, empty: BoolArray) -> str:
    positions = np.flatnonzero(empty)
    shown = [rows.describe(int(position)) for position in positions[:4]]
    text = (
        f"{count(positions.size, 'score')} of {measure.name}"
        f" {'is' if positions.size == 1 else 'are'} missing"
        f" ({listed(shown, limit=4, total=positions.size)})"
    )
    failed = failed_rows(rows) & empty
    if failed.any() and rows.status is not None:
        found = sorted({rows.statuses[code] for code in np.unique(rows.status[failed])})
        text += f", {int(failed.sum())} of them because the status is not 'ok' but {quoted(found)}"
    return text


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
    left_out = tuple(
        LeftOut(rows.algorithms[code], _why_left(rows, code, failed[:, code], empty[:, code]))
        for code in np.flatnonzero(hopeless).tolist()
    )
    return rows.select(range(len(rows.datasets)), kept.tolist()), left_out


def _why_left(rows: Rows, algorithm: int, failed: BoolArray, empty: BoolArray) -> str:
    if not failed.any():
        return "has no score"
    tried, times = int((~empty | failed).sum()), int(failed.sum())
    on = f"{times} of {count(tried, 'data set')}"
    text = f"failed on {'all ' + count(tried, 'data set') if times == tried > 1 else on}"
    if rows.status is None:
        return text
    reasons: Counter[str] = Counter()
    for dataset in np.flatnonzero(failed).tolist():
        here = (rows.dataset == dataset) & (rows.algorithm == algorithm)
        codes = np.unique(rows.status[here])
        reasons.update({rows.statuses[c] for c in codes.tolist()} - {_OK, ABSENT})
    told = reasons.most_common(3)
    if len(told) < 2:  # what it is called is said, not how often again; nor that it failed
        said = "".join(name for name, _ in told if name.lower() != "failed")
    else:
        said = joined([f"{n} {name}" for name, n in told])
    return f"{text} ({said})" if said else text


# --- rules -------------------------------------------------------------------------------------


def _by(rule: str, said: str) -> str:
    """Say by which rule; a page says what was done alone."""
    return Worded(f"missing='{rule}': {said}", page=f"{said[:1].upper()}{said[1:]}")


def filled_by(missing: str) -> str:
    """Say what a rule fills in.

    >>> filled_by("worst"), filled_by("baseline=rf")
    ('by the worst score there', 'by the score of rf there')
    """
    rule, value = rule_of(missing)
    return f"by {rule.fills.format(value)}"


def _kept(gaps: Gaps, _value: str | None) -> Settled:
    return Settled(gaps.rows, gaps.empty, (_by("pairwise", "nothing is filled in."),))


def _refused(gaps: Gaps, _value: str | None) -> Settled:
    raise MissingCellsError(
        "missing",
        gaps.what,
        remedy=(
            f"{Option('missing', 'error')} wants every algorithm to have a score on every data "
            "set. Add what is missing, or choose another rule, such as "
            f"{Option('missing', 'pairwise')} (compare each pair where both have scores), "
            f"{Option('missing', 'drop-datasets')} (leave those data sets out) or "
            f"{Option('missing', 'worst')} (the worst score any algorithm has there)"
        ),
    )


def _without(kind: Literal["dataset", "algorithm"], gaps: Gaps, _value: str | None) -> Settled:
    """Leave out the data sets or algorithms with gaps, if enough are left."""
    rows, rule, least = gaps.rows, f"drop-{kind}s", 1 if kind == "dataset" else 2
    names, codes = getattr(rows, f"{kind}s"), getattr(rows, kind)
    dropped = np.unique(codes[gaps.empty]).tolist()
    kept = [code for code in range(len(names)) if code not in dropped]
    if len(kept) < least:
        raise MissingCellsError(
            "missing",
            f"{gaps.what}, so that {Option('missing', rule)} would leave "
            f"{'none' if least == 1 else 'fewer than two'}",
            remedy=f"Give {Option('missing', 'pairwise')} or {Option('missing', 'worst')}",
        )
    every = [range(size) for size in rows.shape]
    rows = rows.select(kept, every[1]) if kind == "dataset" else rows.select(every[0], kept)
    gone = count(len(dropped), "data set" if kind == "dataset" else kind)
    said = f"left out {gone}: {listed([names[code] for code in dropped], limit=20)}"
    note = _by(rule, f"{gaps.what}; {said}.")
    return Settled(rows, np.zeros(len(rows), dtype=bool), (note,))


def _worst(gaps: Gaps, _value: str | None) -> Settled:
    """Take the worst score of the data set and fold; where nobody has one, that of the table."""
    largest = not gaps.measure.higher_is_better
    scores = _filled(gaps.rows, gaps.scores, gaps.empty, largest=largest)
    hopeless = np.isnan(scores)
    more = ""
    if hopeless.any():
        scores[hopeless] = (np.nanmax if largest else np.nanmin)(scores)
        nobody = np.unique(gaps.rows.dataset[hopeless]).size
        more = (
            f" On {count(nobody, 'data set')} nobody has one: there all take the worst of the "
            "table, and tie."
        )
    said = "each takes the worst score any algorithm has there"
    return _with_scores(gaps, scores, "worst", f"{gaps.what}; {said}{{costs}}.{more}")


def _baseline(gaps: Gaps, value: str | None) -> Settled:
    """Take what a named algorithm has there, as benchmarks do with a constant predictor."""
    rows, name = gaps.rows, str(value)
    if name not in rows.algorithms:
        raise unknown_name("missing", name, rows.algorithms)
    code, scores = rows.algorithms.index(name), gaps.scores.copy()
    grid = (rows.dataset * len(rows.repeats) + rows.repeat) * len(rows.folds) + rows.fold
    own = rows.algorithm == code
    found = np.full(int(grid.max()) + 1, np.nan)
    found[grid[own]] = scores[own]
    mean = rows.cell_means(gaps.scores)[:, code]
    scores[gaps.empty] = found[grid[gaps.empty]]
    still = np.isnan(scores)
    scores[still] = mean[rows.dataset[still]]
    if np.isnan(scores).any():
        lacking = [rows.datasets[d] for d in np.unique(rows.dataset[np.isnan(scores)])]
        raise MissingCellsError(
            "missing",
            f"{name!r} itself has no score on {count(len(lacking), 'data set')} "
            f"({quoted(lacking, limit=4)})",
            remedy=f"Name another, or give {Option('missing', 'worst')}",
        )
    note = f"{gaps.what}; each takes the score of {name} there{{costs}}."
    return _with_scores(gaps, scores, f"baseline={name}", note)


def _one_value(gaps: Gaps, value: str | None) -> Settled:
    number = _number(value)
    scores = np.where(gaps.empty, number, gaps.scores)
    note = f"{gaps.what}; each is {number:g}{{costs}}."
    return _with_scores(gaps, scores, f"value={value}", note)


def _par10(gaps: Gaps, value: str | None) -> Settled:
    """Count a run that did not end as ten times the cut-off, as solver competitions do."""
    _check_time("par10", gaps.measure, gaps.scores)
    cutoff = float(np.nanmax(gaps.scores)) if value is None else _number(value)
    scores = np.where(gaps.empty, PENALTY * cutoff, gaps.scores)
    which = f"{cutoff:g}" if value is not None else f"{cutoff:g}, the longest run in the table"
    note = f"{gaps.what}; each is ten times the cut-off, {which}{{costs}}."
    return _with_scores(gaps, scores, "par10", note)


def _check_time(rule: str, measure: Measure, scores: FloatArray) -> None:
    if measure.higher_is_better or np.nanmin(scores) < 0:
        raise ParameterError(
            "missing",
            f"'{rule}' is for run times, of which lower is better",
            f"the measure is {measure}",
            str(Option("missing", "worst")),
        )


def _number(value: str | None) -> float:
    try:
        number = float(str(value))
    except ValueError:
        number = np.nan
    if not np.isfinite(number):
        raise ParameterError("missing", "a finite number is needed", f"got {value!r}")
    return number


def _with_scores(gaps: Gaps, scores: FloatArray, rule: str, note: str) -> Settled:
    """Put scores where there were none; costs that are missing with them are the largest there."""
    rows, empty = gaps.rows, gaps.empty
    costs = {
        name: _filled(rows, values, empty & np.isnan(values), largest=True)
        for name, values in rows.costs.items()
    }
    holes = np.zeros(rows.shape, dtype=bool)
    holes[rows.dataset[empty], rows.algorithm[empty]] = True
    pair_costs = {
        name: np.where(holes & np.isnan(matrix), _largest_of_rows(matrix), matrix)
        for name, matrix in rows.pair_costs.items()
    }
    filled = replace(
        rows,
        scores={**rows.scores, gaps.measure.name: scores},
        costs=costs,
        pair_costs=pair_costs,
        imputed=empty,
    )
    also = "; costs missing with them are the largest there" if costs or pair_costs else ""
    return Settled(filled, empty, (_by(rule, note.replace("{costs}", also)),))


def _filled(rows: Rows, values: FloatArray, gaps: BoolArray, *, largest: bool) -> FloatArray:
    """Fill gaps with the extreme of the same data set and fold, or else of the data set."""
    values = values.copy()
    if not gaps.any():
        return values
    extreme = np.fmax if largest else np.fmin
    same_fold = (rows.dataset * len(rows.repeats) + rows.repeat) * len(rows.folds) + rows.fold
    for group in (np.unique(same_fold, return_inverse=True)[1], rows.dataset):
        found = np.full(int(group.max()) + 1, np.nan)
        extreme.at(found, group, values)
        still = gaps & np.isnan(values)
        values[still] = found[group[still]]
    return values


def _largest_of_rows(matrix: FloatArray) -> FloatArray:
    return np.fmax.reduce(matrix, axis=1, keepdims=True)


MISSING: Registry[MissingRule] = Registry.of(
    "missing",
    MissingRule("pairwise", "each pair where both have a score", _kept),
    MissingRule("error", "refuse", _refused),
    MissingRule("drop-datasets", "leave out data sets with gaps", partial(_without, "dataset")),
    MissingRule(
        "drop-algorithms", "leave out algorithms with gaps", partial(_without, "algorithm")
    ),
    MissingRule(
        "worst",
        "the worst score that any algorithm has there",
        _worst,
        fills="the worst score there",
    ),
    MissingRule(
        "baseline",
        "the score of a named algorithm there: baseline=NAME",
        _baseline,
        takes="algorithm",
        needs=True,
        fills="the score of {} there",
    ),
    MissingRule("value", "one value: value=X", _one_value, takes="number", needs=True, fills="{}"),
    MissingRule(
        "censored",
        "run times: who did not end, or not before X, is slower than who did: censored=X",
        _kept,
        takes="number",
    ),
    MissingRule(
        "par10",
        "run times: ten times the cut-off, the longest run unless given: par10=X",
        _par10,
        takes="number",
        fills="ten times the cut-off",
    ),
)
USUAL = "pairwise"
