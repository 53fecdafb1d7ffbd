"""Splits: partitions, proportions, and seeds made of content."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.model_selection import (  # type: ignore[import-untyped]
    GroupKFold,
    KFold,
    LeaveOneOut,
    RepeatedStratifiedKFold,
    ShuffleSplit,
    StratifiedKFold,
    TimeSeriesSplit,
)

from palio.errors import ParameterError, UnknownNameError
from palio.experiment.data.datasets import Dataset, load_datasets
from palio.experiment.resampling import (
    RESAMPLINGS,
    Split,
    aside,
    make_splits,
    proportional_rows,
)


def _data(labels: list[int], *, task: Any = "classification", name: str = "toy") -> Dataset:
    y = np.asarray(labels, dtype=np.int64 if task == "classification" else np.float64)
    X = pd.DataFrame({"x": np.arange(float(len(labels)))})
    return Dataset(name, X, y, task, (), "made here")


@st.composite
def labelled(draw: st.DrawFn, least: int = 2) -> Dataset:
    sizes = draw(st.lists(st.integers(1, 12), min_size=2, max_size=6))
    labels = [label for label, size in enumerate(sizes) for _ in range(size)]
    labels += [0] * max(0, least - len(labels))
    return _data(draw(st.permutations(labels)))


@pytest.fixture(scope="module")
def iris() -> Dataset:
    return load_datasets("sklearn:iris")[0]


def _numbers(splits: tuple[Split, ...]) -> list[tuple[int, int]]:
    return [(split.repeat, split.fold) for split in splits]


def _same(one: tuple[Split, ...], other: tuple[Split, ...]) -> bool:
    return len(one) == len(other) and all(
        (a.repeat, a.fold) == (b.repeat, b.fold)
        and np.array_equal(a.train, b.train)
        and np.array_equal(a.test, b.test)
        for a, b in zip(one, other, strict=True)
    )


FORMS = {
    "5x2": (5, 2),
    "10x10": (10, 10),
    "10-fold": (1, 10),
    "3-fold": (1, 3),
    "half": (1, 2),
    "holdout": (1, 1),
    "holdout-0.33": (1, 1),
    "10xholdout-0.33": (10, 1),
    "10 x holdout": (10, 1),
    "5×2": (5, 2),
    "bootstrap-25": (25, 1),
    "bootstrap-7-full": (7, 1),
}


@pytest.mark.parametrize("form", FORMS)
def test_repeats_and_folds_are_numbered_from_one(form: str, iris: Dataset) -> None:
    repeats, folds = FORMS[form]
    grid = [(repeat + 1, fold + 1) for repeat in range(repeats) for fold in range(folds)]
    assert _numbers(make_splits(iris, form, seed=0)) == grid


def test_every_registered_name_is_a_form(iris: Dataset) -> None:
    for name, form in RESAMPLINGS.items():
        assert make_splits(iris, name, seed=0)
        assert form.label


@given(labelled(least=7), st.integers(2, 7), st.integers(1, 3), st.integers(0, 9))
def test_folds_partition_the_rows_in_proportion(
    data: Dataset, folds: int, repeats: int, seed: int
) -> None:
    splits = make_splits(data, f"{repeats}x{folds}", seed=seed)
    for repeat in range(1, repeats + 1):
        ours = [split for split in splits if split.repeat == repeat]
        tested = np.concatenate([split.test for split in ours])
        assert np.array_equal(np.sort(tested), np.arange(data.n_rows))
        for split in ours:
            both = np.sort(np.concatenate([split.train, split.test]))
            assert np.array_equal(both, np.arange(data.n_rows))
        _assert_even([split.test.size for split in ours])
        for label in data.classes:
            _assert_even([int((data.y[split.test] == label).sum()) for split in ours])


def _assert_even(sizes: list[int]) -> None:
    assert max(sizes) - min(sizes) <= 1


@given(labelled(), st.sampled_from([0.1, 0.25, 1 / 3, 0.5, 0.9]), st.integers(0, 9))
def test_a_hold_out_is_in_proportion(data: Dataset, fraction: float, seed: int) -> None:
    rest, kept = aside(data, seed=seed, fraction=fraction)
    assert np.array_equal(np.sort(np.concatenate([rest, kept])), np.arange(data.n_rows))
    assert rest.size >= 1
    assert kept.size == np.clip(round(fraction * data.n_rows), 1, data.n_rows - 1)
    share = kept.size / data.n_rows
    for label in data.classes:
        expected = share * (data.y == label).sum()
        assert abs((data.y[kept] == label).sum() - expected) < 1 + 1e-9


@given(labelled(), st.integers(0, 9))
def test_the_bootstrap_keeps_class_counts_and_tests_what_was_not_drawn(
    data: Dataset, seed: int
) -> None:
    for split in make_splits(data, "bootstrap-3", seed=seed):
        assert split.train.size == data.n_rows
        assert split.test.size > 0
        drawn = set(split.train.tolist())
        assert set(split.test.tolist()) == set(range(data.n_rows)) - drawn
        if max(np.bincount(data.y)) > 1:
            assert np.array_equal(np.bincount(data.y[split.train]), np.bincount(data.y))


def test_the_bootstrap_on_the_full_set_draws_the_same_training_rows(iris: Dataset) -> None:
    full = make_splits(iris, "bootstrap-5-full", seed=0)
    for one, other in zip(full, make_splits(iris, "bootstrap-5", seed=0), strict=True):
        assert np.array_equal(one.train, other.train)
        assert np.array_equal(one.test, np.arange(150))


def test_about_a_third_is_not_drawn(iris: Dataset) -> None:
    sizes = [split.test.size for split in make_splits(iris, "bootstrap-200", seed=0)]
    assert np.mean(sizes) / 150 == pytest.approx(np.exp(-1), abs=0.01)


def test_the_halves_of_every_repeat_swap_roles(iris: Dataset) -> None:
    splits = make_splits(iris, "5x2", seed=3)
    for first, second in zip(splits[::2], splits[1::2], strict=True):
        assert np.array_equal(first.train, second.test)
        assert np.array_equal(first.test, second.train)
    firsts = {split.test.tobytes() for split in splits[::2]}
    assert len(firsts) == 5


def test_iris_by_hand(iris: Dataset) -> None:
    for split in make_splits(iris, "5x2", seed=0):
        assert np.bincount(iris.y[split.train]).tolist() == [25, 25, 25]
    for split in make_splits(iris, "10-fold", seed=0):
        assert np.bincount(iris.y[split.test]).tolist() == [5, 5, 5]
    rest, kept = aside(iris, seed=0)
    assert (rest.size, kept.size) == (100, 50)
    assert sorted(np.bincount(iris.y[kept]).tolist()) == [16, 17, 17]


@pytest.mark.parametrize("form", FORMS)
def test_the_same_seed_draws_the_same_and_another_draws_others(form: str, iris: Dataset) -> None:
    once = make_splits(iris, form, seed=0)
    assert _same(once, make_splits(iris, form, seed=0))
    assert not _same(once, make_splits(iris, form, seed=1))


def test_splits_depend_on_the_content_and_not_on_the_name() -> None:
    labels = [0, 1] * 20
    one, renamed = _data(labels), _data(labels, name="other")
    changed = _data([*labels[:-1], 0])
    splits = make_splits(one, "5x2", seed=0)
    assert _same(splits, make_splits(renamed, "5x2", seed=0))
    assert not _same(splits, make_splits(changed, "5x2", seed=0))


def test_more_repeats_begin_with_the_fewer(iris: Dataset) -> None:
    for few, many in (("2x10", "5x10"), ("bootstrap-3", "bootstrap-9"), ("holdout", "4xholdout")):
        short = make_splits(iris, few, seed=0)
        assert _same(short, make_splits(iris, many, seed=0)[: len(short)])


def test_the_splits_are_fixed() -> None:
    # Stores are keyed by these: a change here makes old results unreachable.
    first = make_splits(_data([0, 1] * 6), "5x2", seed=0)[0]
    assert first.test.tolist() == [0, 1, 2, 6, 7, 9]


def test_no_global_state_is_read_or_changed(iris: Dataset) -> None:
    before = make_splits(iris, "5x2", seed=0)
    state = np.random.get_state()[1].copy()  # type: ignore[index] # noqa: NPY002
    assert _same(before, make_splits(iris, "5x2", seed=0))
    assert np.array_equal(state, np.random.get_state()[1])  # type: ignore[index] # noqa: NPY002


def test_regression_is_split_without_classes() -> None:
    data = _data(list(range(11)), task="regression")
    sizes = [split.test.size for split in make_splits(data, "3-fold", seed=0)]
    assert sorted(sizes) == [3, 4, 4]


def test_a_class_smaller_than_the_folds_loses_nothing() -> None:
    data = _data([0] * 20 + [1] * 3)
    rare = [int(data.y[split.test].sum()) for split in make_splits(data, "10-fold", seed=0)]
    assert sorted(rare) == [0] * 7 + [1] * 3


def test_only_the_given_rows_are_split(iris: Dataset) -> None:
    rest, kept = aside(iris, seed=0)
    splits = make_splits(iris, "5x2", seed=0, rows=rest)
    for first, second in zip(splits[::2], splits[1::2], strict=True):
        assert np.array_equal(np.sort(np.concatenate([first.test, second.test])), rest)
        assert not np.isin(kept, first.test).any()
    by_splitter = make_splits(iris, KFold(4), seed=0, rows=rest)
    assert np.array_equal(np.sort(np.concatenate([s.test for s in by_splitter])), rest)


def test_proportional_rows(iris: Dataset) -> None:
    rows = proportional_rows(iris, 30)
    assert np.bincount(iris.y[rows]).tolist() == [10, 10, 10]
    assert np.array_equal(rows, proportional_rows(iris, 30))


class Halves:
    """A splitter of one's own, with overlapping test parts."""

    def split(self, X: Any, y: Any) -> Iterator[tuple[list[int], list[int]]]:
        yield [0, 1], [2, 3]
        yield [3, 4], [2, 5]


SPLITTERS = [
    (StratifiedKFold(3), [(1, 1), (1, 2), (1, 3)]),
    (KFold(2, shuffle=True), [(1, 1), (1, 2)]),
    (
        RepeatedStratifiedKFold(n_splits=2, n_repeats=3),
        [(1, 1), (1, 2), (2, 1), (2, 2), (3, 1), (3, 2)],
    ),
    (ShuffleSplit(3, test_size=2), [(1, 1), (2, 1), (3, 1)]),
    (TimeSeriesSplit(2), [(1, 1), (1, 2)]),
    (Halves(), [(1, 1), (2, 1)]),
]


@pytest.mark.parametrize(("splitter", "numbers"), SPLITTERS)
def test_splitters_become_repeats_and_folds(
    splitter: Any, numbers: list[tuple[int, int]], iris: Dataset
) -> None:
    splits = make_splits(iris, splitter, seed=0)
    assert _numbers(splits) == numbers
    assert _same(splits, make_splits(iris, splitter, seed=0))


def test_a_splitter_keeps_its_own_random_state(iris: Dataset) -> None:
    splitter = KFold(3, shuffle=True, random_state=7)
    splits = make_splits(iris, splitter, seed=0)
    for split, (train, test) in zip(splits, splitter.split(iris.X), strict=True):
        assert np.array_equal(split.train, train)
        assert np.array_equal(split.test, test)
    open_one = KFold(3, shuffle=True)
    assert not _same(make_splits(iris, open_one, seed=0), make_splits(iris, open_one, seed=1))
    assert open_one.random_state is None


def test_leave_one_out() -> None:
    assert len(make_splits(_data([0, 1, 0]), LeaveOneOut(), seed=0)) == 3


class Stray:
    def split(self, X: Any, y: Any) -> Iterator[tuple[list[int], list[int]]]:
        yield [0, 1], [999]


class Nothing:
    def split(self, X: Any, y: Any) -> Iterator[tuple[list[int], list[int]]]:
        return iter(())


BAD = [
    ("5x3x2", UnknownNameError, "There are: 5x2, 10-fold"),
    ("10 fold", UnknownNameError, "Did you mean '10-fold'"),
    ("boostrap-25", UnknownNameError, "Did you mean 'bootstrap-25'"),
    ("", UnknownNameError, "is not known"),
    ("٥x2", UnknownNameError, "is not known"),
    ("1-fold", ParameterError, "at least 2 folds, and '1x1' was given"),
    ("0x2", ParameterError, "at least 1 repeat"),
    ("holdout-1.5", ParameterError, "strictly between 0 and 1, and 1.5 was given"),
    ("holdout-0.0", ParameterError, "strictly between 0 and 1"),
    ("0xholdout", ParameterError, "at least 1 repeat"),
    ("bootstrap-0", ParameterError, "at least 1 repeat"),
    ("200-fold", ParameterError, "needs at least 200 rows; 'iris' has 150"),
    (5, ParameterError, "an object with a split method"),
    (None, ParameterError, "an object with a split method"),
    (KFold, ParameterError, "an object with a split method"),
    (GroupKFold(2), ParameterError, "cannot split 'iris'"),
    (StratifiedKFold(100), ParameterError, "cannot split 'iris'"),
    (Stray(), ParameterError, "row numbers from 0 to 149"),
    (Nothing(), ParameterError, "makes no split of 'iris'"),
]


@pytest.mark.parametrize(("resampling", "error", "message"), BAD)
def test_bad_resamplings(
    resampling: Any, error: type[Exception], message: str, iris: Dataset
) -> None:
    with pytest.raises(error) as caught:
        make_splits(iris, resampling, seed=0)
    assert message in str(caught.value)
    assert "resampling" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_bad_seeds_fractions_and_rows(iris: Dataset) -> None:
    with pytest.raises(ParameterError, match="seed: must be a whole number, and 'x' was given"):
        make_splits(iris, "5x2", seed="x")  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match=r"fraction: .*and 1.0 was given"):
        aside(iris, seed=0, fraction=1.0)
    for rows in ([0, 0, 1], [-1, 2], [0, 150], [0, 1, 150], [3], [0.5, 1.0]):
        with pytest.raises(ParameterError, match="rows: must be at least two different"):
            make_splits(iris, "5x2", seed=0, rows=np.asarray(rows))


def test_the_rows_kept_aside_stay_the_same_ones() -> None:
    """Finished looks at them are in stores: another draw would let them be learnt from."""
    (iris,) = load_datasets("sklearn:iris")
    assert aside(iris, seed=0)[1][:8].tolist() == [2, 3, 5, 12, 13, 17, 18, 23]
    assert aside(iris, seed=1)[1][:8].tolist() == [1, 3, 5, 8, 18, 20, 23, 24]
    assert aside(iris, seed=0, fraction=0.5)[1][:8].tolist() == [1, 3, 7, 10, 11, 15, 16, 17]
