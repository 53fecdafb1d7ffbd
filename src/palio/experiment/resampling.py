"""Which rows are learnt from and which are tested on, drawn once per data set for everyone.

The draw of a repeat is seeded by the seed, the content of the data set, the form of the resampling
and the number of the repeat, and by nothing else: neither the order of data sets nor the number of
repeats changes it, so ten repeats begin with the five that were run before.

Classes are dealt in proportion. Rows are put in order of class, in random order within a class,
and dealt out one by one, so that folds differ by at most one row, in all and in every class. A
class with fewer rows than there are folds goes to as many folds as it has rows, and nothing is
lost. scikit-learn's splitters would warn or refuse there, and may change with its version.
"""

from __future__ import annotations

import copy
import hashlib
import re
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from palio.errors import ParameterError, require
from palio.experiment.identity import digest
from palio.registry import Registry, unknown_name
from palio.words import count, one_line

if TYPE_CHECKING:
    from palio.experiment.data.datasets import Dataset

Rows: TypeAlias = NDArray[np.intp]
Pair: TypeAlias = tuple[Rows, Rows]


@dataclass(frozen=True, eq=False)
class Split:
    """The rows to train on and to test on, in one fold of one repeat, both numbered from 1."""

    repeat: int
    fold: int
    train: Rows
    test: Rows

    @cached_property
    def content(self) -> str:
        """The fold and its rows, hashed; the repeat is only a number."""
        return digest(self.fold, self.train, self.test)

    def __repr__(self) -> str:
        return (
            f"<Split {self.repeat}.{self.fold}: {self.train.size} to train, {self.test.size} to"
            " test>"
        )


@dataclass(frozen=True)
class Scheme:
    """A resampling with its numbers: how many repeats, and how one repeat is drawn.

    ``text`` names the draw without the number of repeats, and seeds it.
    """

    text: str
    repeats: int
    draw: Callable[[Strata, np.random.Generator], list[Pair]]
    least_rows: int = 2


@dataclass(frozen=True)
class Resampling:
    """A form of resampling: how it is written, what it means, and how it is read."""

    name: str
    label: str
    pattern: str
    read: Callable[[re.Match[str]], Scheme]


@dataclass(frozen=True)
class Strata:
    """What is dealt out, rows or whole groups of rows, each with its class as a number.

    A group has the commonest class of its ``members``; in regression there is one class for all.
    """

    codes: Rows
    members: list[Rows] | None = None

    @classmethod
    def of(cls, dataset: Dataset, rows: Rows, *, whole: bool = True) -> Strata:
        """Return these rows, or the groups they have, unless these need not be whole."""
        codes = np.zeros(rows.size, dtype=np.intp)
        if dataset.task == "classification":
            codes = np.unique(dataset.y[rows], return_inverse=True)[1].astype(np.intp)
        if dataset.groups is None or not whole:
            return cls(codes)
        import pandas as pd

        groups = pd.factorize(dataset.groups[rows])[0]
        order = np.argsort(groups, kind="stable")
        members = np.split(order, np.flatnonzero(np.diff(groups[order])) + 1)
        return cls(np.array([np.bincount(codes[each]).argmax() for each in members]), members)

    def rows(self, pair: Pair) -> Pair:
        """Return the rows to train on and to test on; a group may be drawn twice."""
        members = self.members
        if members is None:
            return pair
        train, test = (np.sort(np.concatenate([members[each] for each in part])) for part in pair)
        return train, test

    def in_turn(self, rng: np.random.Generator) -> Rows:
        """Return the rows class by class, classes and the rows of each in random order."""
        shuffled = rng.permutation(self.codes.size)
        places = rng.permutation(int(self.codes.max()) + 1)
        return shuffled[np.argsort(places[self.codes[shuffled]], kind="stable")]

    def groups(self) -> list[Rows]:
        """Return the rows of every class."""
        return [np.flatnonzero(self.codes == code) for code in np.unique(self.codes)]


def make_splits(
    dataset: Dataset, resampling: Any, *, seed: int, rows: Rows | None = None
) -> tuple[Split, ...]:
    """Return the splits of a data set, the same ones for every algorithm.

    Parameters
    ----------
    dataset : Dataset
        What is split. Classes are kept in proportion; where rows have groups, a group stays whole.
    resampling : str, scikit-learn splitter, list of pairs, or one of these by data set
        ``5x2``, ``10-fold``, ``10x10`` (so many repeats of so many folds), ``half`` (wainer2016
        §2.1), ``holdout`` (a third is tested on), ``holdout-0.25``, ``10xholdout``,
        ``bootstrap-25`` (tested on the rows that were not drawn) and ``bootstrap-25-full`` (on
        all rows, as in yildiz2006 §2.1); or an object with a ``split`` method, which is told the
        groups. If that leaves its ``random_state`` open, it is set from ``seed``. Or the rows to
        train and to test on, pair by pair.
    seed : int
        Another seed draws other splits.
    rows : array of int, optional
        Split only these rows, such as those that `aside` leaves. The splits hold row numbers of
        the whole data set.

    Examples
    --------
    >>> from palio.experiment.data.datasets import load_datasets
    >>> (iris,) = load_datasets("sklearn:iris")
    >>> splits = make_splits(iris, "5x2", seed=0)
    >>> len(splits), splits[-1]
    (10, <Split 5.2: 75 to train, 75 to test>)
    >>> make_splits(iris, "10 fold", seed=0)
    Traceback (most recent call last):
    ...
    palio.errors.UnknownNameError: resampling: '10 fold' is not known. ...
    """
    _check_seed(seed)
    chosen = np.arange(dataset.n_rows) if rows is None else _check_rows(rows, dataset)
    drawn: Iterable[tuple[int, int, Rows, Rows]]
    if isinstance(resampling, Mapping):
        if dataset.name not in resampling:
            raise unknown_name("resampling", dataset.name, list(resampling))
        resampling = resampling[dataset.name]
    if isinstance(resampling, str):
        scheme = _read(resampling)
        strata = Strata.of(dataset, chosen)
        _check_size(scheme, resampling, dataset, strata)
        drawn = _drawn(scheme, strata, dataset, seed)
    else:
        if rows is not None and (isinstance(resampling, list) or hasattr(resampling, "test_fold")):
            rule = "splits that are given are of all rows, and some are to be kept aside"
            raise ParameterError("aside", rule, remedy="Leave one of them away")
        random_state = _seed_number(seed, dataset, type(resampling).__name__) % 2**32
        drawn = splits_of_splitter(resampling, dataset.take(chosen), random_state)
    return tuple(
        Split(repeat, fold, chosen[train], chosen[test]) for repeat, fold, train, test in drawn
    )


def aside(dataset: Dataset, *, seed: int, fraction: float = 1 / 3) -> tuple[Rows, Rows]:
    """Return the rows to work with, and those to keep aside until the best has been chosen.

    A third is kept aside in ulas2008 §4.1.3. It depends on the data and the seed alone.

    Examples
    --------
    >>> from palio.experiment.data.datasets import load_datasets
    >>> (iris,) = load_datasets("sklearn:iris")
    >>> rest, kept = aside(iris, seed=0)
    >>> rest.size, kept.size
    (100, 50)
    """
    _check_seed(seed)
    _check_fraction(fraction, "fraction")
    rng = _rng(seed, dataset, f"aside {fraction:g}")
    strata = Strata.of(dataset, np.arange(dataset.n_rows))
    return strata.rows(_hold_out(strata, rng, fraction)[0])


def describe_resampling(resampling: Any) -> str:
    """Say how data sets are divided.

    >>> describe_resampling("5x2"), describe_resampling([([0, 1], [2]), ([2], [0, 1])])
    ('5x2', '2 given splits')
    """
    if isinstance(resampling, Mapping):
        told = {describe_resampling(each): None for each in resampling.values()}
        return "; ".join(told)
    if isinstance(resampling, list | tuple):
        return count(len(resampling), "given split")
    return resampling if isinstance(resampling, str) else one_line(repr(resampling), limit=80)


def proportional_rows(dataset: Dataset, rows: int) -> Rows:
    """Return so many rows, sorted, with the classes in proportion; always the same ones."""
    strata = Strata.of(dataset, np.arange(dataset.n_rows), whole=False)
    order = strata.in_turn(_rng(0, dataset, f"rows {rows}"))
    return np.sort(order[_evenly(rows, order.size)])


def _drawn(
    scheme: Scheme, strata: Strata, dataset: Dataset, seed: int
) -> Iterator[tuple[int, int, Rows, Rows]]:
    for repeat in range(1, scheme.repeats + 1):
        pairs = scheme.draw(strata, _rng(seed, dataset, f"{scheme.text} {repeat}"))
        for fold, pair in enumerate(pairs, start=1):
            yield repeat, fold, *strata.rows(pair)


def _folds(strata: Strata, rng: np.random.Generator, k: int) -> list[Pair]:
    part = np.empty(strata.codes.size, dtype=np.intp)
    part[strata.in_turn(rng)] = rng.permutation(k)[np.arange(part.size) % k]
    return [(np.flatnonzero(part != fold), np.flatnonzero(part == fold)) for fold in range(k)]


def _hold_out(strata: Strata, rng: np.random.Generator, fraction: float) -> list[Pair]:
    order = strata.in_turn(rng)
    size = min(max(round(fraction * order.size), 1), order.size - 1)
    held = np.zeros(order.size, dtype=bool)
    held[order[_evenly(size, order.size)]] = True
    return [(np.flatnonzero(~held), np.flatnonzero(held))]


def _bootstrap(strata: Strata, rng: np.random.Generator, *, full: bool) -> list[Pair]:
    """Draw with replacement, within each class, as many rows as there are."""
    everything = np.arange(strata.codes.size)
    groups = [group for group in strata.groups() if group.size > 1]
    alone = np.setdiff1d(everything, np.concatenate(groups) if groups else [])
    if not groups:  # every row a class of its own
        groups, alone = [everything], everything[:0]
    while True:
        drawn = [rng.choice(group, size=group.size) for group in groups]
        train = np.sort(np.concatenate([alone, *drawn]).astype(np.intp))
        left_out = np.setdiff1d(everything, train)
        if left_out.size:  # a few rows can all be drawn
            return [(train, everything if full else left_out)]


def _evenly(size: int, total: int) -> Rows:
    """Return ``size`` places spread evenly over ``total``."""
    return ((2 * np.arange(size) + 1) * total // (2 * size)).astype(np.intp)


def _fold_scheme(repeats: int, k: int) -> Scheme:
    rule = "needs at least 1 repeat of at least 2 folds"
    remedy = "write, for example, 5x2 or 10-fold"
    require(k >= 2 and repeats >= 1, "resampling", rule, f"{repeats}x{k}", remedy)
    return Scheme(f"{k}-fold", repeats, lambda strata, rng: _folds(strata, rng, k), least_rows=k)


def _hold_out_scheme(found: re.Match[str]) -> Scheme:
    repeats = int(found["repeats"] or 1)
    fraction = float(found["fraction"] or 1 / 3)
    _check_fraction(fraction, "resampling")
    _check_repeats(repeats, "10xholdout")
    text = f"holdout-{fraction:g}"
    return Scheme(text, repeats, lambda strata, rng: _hold_out(strata, rng, fraction))


def _bootstrap_scheme(found: re.Match[str]) -> Scheme:
    repeats, full = int(found["repeats"]), found["full"] is not None
    _check_repeats(repeats, "bootstrap-25")
    # Both draw the same training rows; only what is tested on differs.
    return Scheme("bootstrap", repeats, lambda strata, rng: _bootstrap(strata, rng, full=full))


RESAMPLINGS: Registry[Resampling] = Registry.of(
    "resampling",
    Resampling(
        "5x2",
        "R repeats of K-fold cv, RxK: 5x2, 10x10",
        r"(\d+)x(\d+)",
        lambda found: _fold_scheme(int(found[1]), int(found[2])),
    ),
    Resampling(
        "10-fold",
        "K-fold cv, K-fold: 10-fold, 5-fold",
        r"(\d+)-fold",
        lambda found: _fold_scheme(1, int(found[1])),
    ),
    Resampling(
        "half", "a half split, both ways (wainer2016 §2.1)", r"half", lambda _: _fold_scheme(1, 2)
    ),
    Resampling(
        "holdout",
        "a part to test on, a third if not told, N times: holdout, holdout-0.25, 10xholdout-0.25",
        r"(?:(?P<repeats>\d+)x)?holdout(?:-(?P<fraction>\d*\.?\d+))?",
        _hold_out_scheme,
    ),
    Resampling(
        "bootstrap-25",
        "N draws with replacement, tested on the rows not drawn, or with -full on all"
        " (yildiz2006 §2.1): bootstrap-25, bootstrap-25-full",
        r"bootstrap-(?P<repeats>\d+)(?P<full>-full)?",
        _bootstrap_scheme,
    ),
)

_EXAMPLES = ("5x2", "10-fold", "5-fold", "10x10", "half", "holdout", "holdout-0.33",
             "10xholdout-0.33", "bootstrap-25", "bootstrap-25-full")  # fmt: skip


def _read(resampling: str) -> Scheme:
    written = resampling.strip().lower().replace("×", "x").replace(" x ", "x")
    for form in RESAMPLINGS.values():
        found = re.fullmatch(form.pattern, written, flags=re.ASCII)
        if found:
            return form.read(found)
    raise unknown_name("resampling", resampling, _EXAMPLES)


def _rng(seed: int, dataset: Dataset, text: str) -> np.random.Generator:
    return np.random.default_rng(np.random.SeedSequence(_seed_number(seed, dataset, text)))


def _seed_number(seed: int, dataset: Dataset, text: str) -> int:
    words = f"{int(seed)}\n{dataset.fingerprint}\n{text}"
    return int.from_bytes(hashlib.sha256(words.encode()).digest())


def _check_seed(seed: int) -> None:
    whole = isinstance(seed, int | np.integer) and not isinstance(seed, bool)
    require(whole, "seed", "must be a whole number", seed)


def _check_repeats(repeats: int, example: str) -> None:
    remedy = f"write, for example, {example}"
    require(repeats >= 1, "resampling", "needs at least 1 repeat", repeats, remedy)


def _check_fraction(fraction: float, parameter: str) -> None:
    rule = "the part to test on must lie strictly between 0 and 1"
    require(0.0 < fraction < 1.0, parameter, rule, fraction, "a third is usual")


def _check_size(scheme: Scheme, resampling: str, dataset: Dataset, strata: Strata) -> None:
    there, what = strata.codes.size, "rows" if strata.members is None else "groups"
    if there < scheme.least_rows:
        needs = f"{resampling!r} needs at least {scheme.least_rows} {what}"
        rule = f"{needs}; {dataset.name!r} has {there}. Take fewer folds"
        raise ParameterError("resampling", rule)


def _check_rows(rows: Rows, dataset: Dataset) -> Rows:
    chosen = np.asarray(rows)
    distinct = np.unique(chosen)
    whole = chosen.ndim == 1 and chosen.dtype.kind in "iu" and distinct.size == chosen.size > 1
    within = whole and distinct[0] >= 0 and distinct[-1] < dataset.n_rows
    last, name = dataset.n_rows - 1, dataset.name
    rule = f"must be at least two different row numbers from 0 to {last} of {name!r}"
    require(within, "rows", rule, count(chosen.size, "value"))
    return distinct.astype(np.intp)


# --- splitters of scikit-learn, and any object like them -----------------------------------------


def splits_of_splitter(
    splitter: Any, dataset: Dataset, random_state: int
) -> list[tuple[int, int, Rows, Rows]]:
    """Return repeat, fold, training and test rows of every split of a splitter.

    A splitter that says ``n_repeats`` has so many repeats. One whose test parts do not overlap is
    one repeat of that many folds. Any other, such as a shuffle split, has one fold per repeat.

    >>> from sklearn.model_selection import RepeatedKFold
    >>> from palio.experiment.data.datasets import load_datasets
    >>> (iris,) = load_datasets("sklearn:iris")
    >>> splits = splits_of_splitter(RepeatedKFold(n_splits=3, n_repeats=2), iris, 0)
    >>> [(repeat, fold) for repeat, fold, _, _ in splits]
    [(1, 1), (1, 2), (1, 3), (2, 1), (2, 2), (2, 3)]
    """
    own, told = _seeded_splitter(splitter, random_state), one_line(repr(splitter), limit=80)
    try:
        drawn = own if isinstance(own, list | tuple) else _asked(own, dataset)
        pairs = [
            (np.asarray(train, dtype=np.intp), np.asarray(test, dtype=np.intp))
            for train, test in drawn
        ]
    except (ValueError, TypeError) as error:
        remedy = "Take fewer folds, or another splitter"
        if "The 'groups'" in str(error) and dataset.groups is None:
            remedy = "Say which column they are, with groups"
        rule = f"{told} cannot split {dataset.name!r}: {one_line(error)}"
        raise ParameterError("resampling", rule, remedy=remedy) from error
    _check_pairs(pairs, told, dataset)
    folds = _folds_per_repeat(own, pairs)
    return [
        (number // folds + 1, number % folds + 1, train, test)
        for number, (train, test) in enumerate(pairs)
    ]


def _asked(splitter: Any, dataset: Dataset) -> Any:
    # Splitters of one's own need not know of groups; some of scikit-learn's warn that they do not.
    more = {} if dataset.groups is None else {"groups": dataset.groups}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return list(splitter.split(dataset.X, dataset.y, **more))


def _seeded_splitter(splitter: Any, random_state: int) -> Any:
    """Return a copy that draws the same splits every time."""
    pairs = isinstance(splitter, list | tuple) and all(
        isinstance(pair, list | tuple) and len(pair) == 2 for pair in splitter
    )
    if not pairs and (
        not callable(getattr(splitter, "split", None)) or isinstance(splitter, type | bytes)
    ):
        kinds = "a name such as '5x2', an object with a split method, such as KFold(5)"
        rule = f"must be {kinds}, or a list of (train, test) rows"
        given = f"{one_line(repr(splitter), limit=80)} was given"
        raise ParameterError("resampling", rule, given)
    own = copy.deepcopy(splitter)
    draws = getattr(own, "shuffle", True)
    if draws and hasattr(own, "random_state") and own.random_state is None:
        own.random_state = random_state
    return own


def _folds_per_repeat(splitter: Any, pairs: Sequence[tuple[Any, Any]]) -> int:
    from sklearn.model_selection import BaseShuffleSplit  # type: ignore[import-untyped]

    repeats = getattr(splitter, "n_repeats", None)
    if isinstance(repeats, int) and repeats > 0 and len(pairs) % repeats == 0:
        return len(pairs) // repeats
    tested = np.concatenate([test for _, test in pairs])
    drawn_anew = isinstance(splitter, BaseShuffleSplit)
    return len(pairs) if np.unique(tested).size == tested.size and not drawn_anew else 1


def _check_pairs(pairs: Sequence[tuple[Any, Any]], told: str, dataset: Dataset) -> None:
    if not pairs:
        raise ParameterError("resampling", f"{told} makes no split of {dataset.name!r}")
    for train, test in pairs:
        both = np.concatenate([train, test])
        if not (train.size and test.size and both.min() >= 0 and both.max() < dataset.n_rows):
            numbers = f"row numbers from 0 to {dataset.n_rows - 1} to train and to test on"
            gave = f"on {dataset.name!r} it gave {train.size} and {test.size}"
            raise ParameterError("resampling", f"{told} must give {numbers}", remedy=gave)
        rows = dataset.groups
        straddling = set() if rows is None else {*rows[train].tolist()} & {*rows[test].tolist()}
        if straddling:
            what = f"rows of one {dataset.unit} of {dataset.name!r} on both sides"
            rule = f"{told} puts {what}, such as {min(map(str, straddling))!r}"
            remedy = "Take GroupKFold(5), or a name such as '5-fold', which keeps groups whole"
            raise ParameterError("resampling", rule, remedy=remedy)
