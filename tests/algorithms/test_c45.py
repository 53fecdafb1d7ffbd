"""C4.5 where the right tree is known."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise, product
from typing import Any

import numpy as np
import pandas as pd
import pytest

from palio.algorithms import splitting
from palio.algorithms.c45 import C45Classifier, Tree
from palio.algorithms.pruning import Shape, prune, set_aside
from palio.errors import ColumnError, ParameterError
from palio.experiment.data.datasets import load_datasets

# Quinlan (1993), table 1.1 and figure 2.1, also Quinlan (1986): Saturday mornings.
GOLF = pd.DataFrame(
    [
        ("sunny", "hot", 85, 85, "high", "no", "don't"),
        ("sunny", "hot", 80, 90, "high", "yes", "don't"),
        ("overcast", "hot", 83, 78, "high", "no", "play"),
        ("rain", "mild", 70, 96, "high", "no", "play"),
        ("rain", "cool", 68, 80, "normal", "no", "play"),
        ("rain", "cool", 65, 70, "normal", "yes", "don't"),
        ("overcast", "cool", 64, 65, "normal", "yes", "play"),
        ("sunny", "mild", 72, 95, "high", "no", "don't"),
        ("sunny", "cool", 69, 70, "normal", "no", "play"),
        ("rain", "mild", 75, 80, "normal", "no", "play"),
        ("sunny", "mild", 75, 70, "normal", "yes", "play"),
        ("overcast", "mild", 72, 90, "high", "yes", "play"),
        ("overcast", "hot", 81, 75, "normal", "no", "play"),
        ("rain", "mild", 71, 80, "high", "yes", "don't"),
    ],
    columns=["outlook", "warmth", "temperature", "humidity", "damp", "windy", "class"],
)


def unpruned(X: Any, y: Any, **options: Any) -> C45Classifier:
    return C45Classifier(pruning_fraction=0, **options).fit(X, y)


# Gains


@pytest.mark.parametrize(
    ("attribute", "gain", "ratio"),
    # Quinlan's gains; the ratios by hand, e.g. 0.247 / info([5, 4, 5]) = 0.247 / 1.577.
    [
        ("outlook", 0.247, 0.156),
        ("warmth", 0.029, 0.019),
        ("damp", 0.152, 0.152),
        ("windy", 0.048, 0.049),
    ],
)
def test_quinlans_gains(attribute: str, gain: float, ratio: float) -> None:
    _, columns = np.unique(GOLF[attribute], return_inverse=True)
    _, y = np.unique(GOLF["class"], return_inverse=True)
    levels = np.array([columns.max() + 1])
    orders = np.tile(np.arange(len(y)), (2, 1))
    _, numbers, _ = splitting.grow(columns[None].astype(float), levels, orders, y, 2, 2, 1)
    assert numbers[0, 1:] == pytest.approx((gain, ratio), abs=6e-4)
    assert best_by_hand(GOLF[[attribute]], GOLF["class"])[1:] == pytest.approx(numbers[0, 1:])


def test_quinlans_tree() -> None:
    """Outlook; then humidity up to 75 if it is sunny, and wind if it rains."""
    columns = ["outlook", "temperature", "humidity", "windy"]
    model = unpruned(GOLF[columns], GOLF["class"])
    tree = model.tree_
    assert tree.node_count == 8
    assert columns[tree.feature[0]] == "outlook"
    assert (tree.gain[0], tree.gain_ratio[0]) == pytest.approx((0.247, 0.156), abs=5e-4)
    below = dict(zip(["overcast", "rain", "sunny"], range(1, 4), strict=True))
    assert tree.feature[below["overcast"]] == -1
    assert columns[tree.feature[below["rain"]]] == "windy"
    assert columns[tree.feature[below["sunny"]]] == "humidity"
    assert tree.threshold[below["sunny"]] == 75
    assert model.score(GOLF[columns], GOLF["class"]) == 1


def entropy(y: pd.Series) -> float:
    shares = y.value_counts(normalize=True)
    return float(-(shares * np.log2(shares)).sum())


def divisions(column: pd.Series, least: int) -> Iterator[pd.Series]:
    """All questions about a column, each as the branch of every row."""
    if column.dtype.kind == "O":
        if (column.value_counts() >= 2).sum() >= 2:
            yield column
        return
    for low, high in pairwise(sorted(column.unique())):
        below = column <= (low + high) / 2
        if min(below.sum(), (~below).sum()) >= least:
            yield below


def best_by_hand(X: pd.DataFrame, y: pd.Series) -> tuple[str, float, float]:
    """The column, gain and gain ratio that the rules of C4.5 pick, computed in the plainest way."""
    least = max(2, min(25, int(np.ceil(0.1 * len(y) / y.nunique()))))
    found = []
    for name in X:
        tests = []
        for branch in divisions(X[name], least):
            left = sum(len(part) / len(y) * entropy(part) for _, part in y.groupby(branch))
            tests.append((entropy(y) - left, branch))
        if tests:
            gain, branch = max(tests, key=lambda test: test[0])
            found.append((str(name), gain, gain / entropy(branch)))
    mean = np.mean([gain for _, gain, _ in found])
    return max((test for test in found if test[1] >= mean - 1e-9), key=lambda test: test[2])


@pytest.mark.parametrize("seed", range(20))
def test_the_root_is_the_best_test_by_the_definition(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(20, 120))
    X = pd.DataFrame(
        {
            "u": rng.normal(size=n),
            "v": rng.integers(0, 8, n).astype(float),
            "a": rng.choice(list("pqr"), n),
            "b": rng.choice(list("pqrstuvwxyz"), n),
        }
    ).astype({"a": object, "b": object})
    noise = rng.random(n) < 0.3
    y = pd.Series(np.where(noise, 2, np.where(X["a"] == "p", X["v"] > 3, X["u"] > 0)))
    tree = unpruned(X, y).tree_
    name, gain, ratio = best_by_hand(X, y)
    assert tree.feature[0] == list(X).index(name)
    assert tree.gain[0] == pytest.approx(gain, abs=1e-9)
    assert tree.gain_ratio[0] == pytest.approx(ratio, abs=1e-9)


# Whole trees


def test_the_rule_of_monks_1() -> None:
    (monks,) = load_datasets("monks-1")
    model = unpruned(monks.X, monks.y)
    assert model.score(monks.X, monks.y) == 1
    asked = {monks.X.columns[j] for j in model.tree_.feature if j >= 0}
    assert asked == {"head_shape", "body_shape", "jacket_color"}
    assert model.tree_.n_children[0] == 4  # a branch for each colour


def test_codes_are_as_good_as_words() -> None:
    (monks,) = load_datasets("monks-1")
    codes = np.column_stack([monks.X[name].astype("category").cat.codes for name in monks.X])
    words = C45Classifier(random_state=1).fit(monks.X, monks.y)
    named = C45Classifier(nominal_features=range(6), random_state=1).fit(10 * codes + 3, monks.y)
    for a, b in zip(vars(words.tree_).values(), vars(named.tree_).values(), strict=True):
        np.testing.assert_array_equal(a, b)
    frame = monks.X.assign(jacket_color=codes[:, 4])
    mixed = C45Classifier(nominal_features=["jacket_color"], random_state=1).fit(frame, monks.y)
    np.testing.assert_array_equal(mixed.predict_proba(frame), words.predict_proba(monks.X))


def test_exclusive_or_needs_a_split_that_gains_nothing() -> None:
    X = np.array(list(product(range(4), range(4))) * 2, dtype=float)
    y = (X[:, 0] < 2) ^ (X[:, 1] < 2)
    model = unpruned(X, y)
    assert model.tree_.gain[0] == pytest.approx(0, abs=1e-12)
    assert model.score(X, y) == 1


def test_splits_that_separate_nothing_are_undone() -> None:
    rng = np.random.default_rng(0)
    y = np.arange(200) % 10 == 0
    tree = unpruned(rng.integers(0, 3, (200, 1)), y, nominal_features=[0]).tree_
    assert tree.node_count == 1
    assert tree.counts.tolist() == [[180, 20]]


def test_probabilities_are_the_frequencies_in_the_leaf() -> None:
    X = np.repeat([[0.0], [1.0]], 10, axis=0)
    y = np.array([0] * 9 + [1] + [1] * 7 + [0] * 3)
    model = unpruned(X, y)
    np.testing.assert_allclose(model.predict_proba([[-5], [5]]), [[0.9, 0.1], [0.3, 0.7]])
    assert model.tree_.threshold[0] == 0  # not half-way: a value of the data


def test_what_was_never_seen_goes_where_most_went() -> None:
    X = pd.DataFrame({"hue": ["red"] * 6 + ["blue"] * 4})
    y = ["a"] * 6 + ["b"] * 4
    model = unpruned(X, y)
    assert model.predict(pd.DataFrame({"hue": ["blue", "red", "green"]})).tolist() == [
        "b",
        "a",
        "a",
    ]
    # A colour that has a branch, but no rows in it, is what the parent is.
    late = pd.DataFrame({"hue": X["hue"], "size": [0.0] * 10})
    late = pd.concat([late, pd.DataFrame({"hue": ["green"] * 9, "size": [1.0] * 9})])
    both = unpruned(late, [*y, *["c"] * 9])
    assert both.score(late, [*y, *["c"] * 9]) == 1


def test_depth_and_the_size_of_branches() -> None:
    (data,) = load_datasets("sklearn:breast_cancer")
    assert unpruned(data.X, data.y, max_depth=0).tree_.node_count == 1
    assert unpruned(data.X, data.y, max_depth=1).tree_.node_count == 3
    tree = unpruned(data.X, data.y, min_samples_leaf=20).tree_
    assert tree.counts.sum(axis=1).min() >= 20


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"min_samples_leaf": 0}, "min_samples_leaf: at least 1 is needed, and 0 was given"),
        ({"max_depth": -1}, "max_depth: at least 0 is needed, and -1 was given"),
        (
            {"pruning_fraction": 1.0},
            "pruning_fraction: a share of the rows, 0 ≤ share < 1, and 1.0",
        ),
    ],
)
def test_parameters_out_of_range(options: dict[str, Any], says: str) -> None:
    with pytest.raises(ParameterError, match=says):
        C45Classifier(**options).fit([[0.0], [1.0]], [0, 1])


def test_columns_that_are_not_there() -> None:
    with pytest.raises(ColumnError, match=r"X has columns 0 to 0, and 3 was given"):
        C45Classifier(nominal_features=[3]).fit([[0.0], [1.0]], [0, 1])
    with pytest.raises(ColumnError, match=r"'hue' is not a column of X; there are: no names"):
        C45Classifier(nominal_features=["hue"]).fit([[0.0], [1.0]], [0, 1])
    gap = pd.DataFrame({"hue": ["red", None, "blue"]})
    with pytest.raises(ValueError, match="contains NaN"):
        C45Classifier().fit(gap, [0, 1, 0])


# Pruning


def errors(tree: Tree, columns: Any, y: Any) -> int:
    return int((tree.counts.argmax(axis=1)[tree.leaves(columns)] != y).sum())


@pytest.mark.parametrize("seed", range(10))
def test_pruning_never_adds_errors_on_the_rows_set_aside(seed: int) -> None:
    rng = np.random.default_rng(seed)
    X, fresh = rng.normal(size=(2, 300, 4))
    y = (X[:, 0] + X[:, 1] + rng.normal(size=300) > 0).astype(np.int64)
    truth = (fresh[:, 0] + fresh[:, 1] > 0).astype(np.int64)
    tree = unpruned(X, y).tree_
    columns = np.ascontiguousarray(fresh.T)
    smaller = tree.pruned(columns, truth)
    assert smaller.node_count < tree.node_count
    assert errors(smaller, columns, truth) <= errors(tree, columns, truth)
    again = smaller.pruned(columns, truth)
    assert again.node_count == smaller.node_count


def prunings(children: dict[int, list[int]], node: int) -> Iterator[frozenset[int]]:
    """All sets of nodes that stay divided below a node."""
    yield frozenset()
    if children.get(node):
        below = [list(prunings(children, child)) for child in children[node]]
        for chosen in product(*below):
            yield frozenset({node}).union(*chosen)


@pytest.mark.parametrize("seed", range(30))
def test_of_all_prunings_it_is_the_smallest_of_the_best(seed: int) -> None:
    """Esposito, Malerba and Semeraro (1997) prove it; here all prunings are tried."""
    rng = np.random.default_rng(seed)
    first, n_children, children = [0] * 40, [0] * 40, {}
    size = 1
    for node in range(5):
        k = int(rng.integers(2, 4))
        if node < size:
            first[node], n_children[node] = size, k
            children[node] = list(range(size, size + k))
            size += k
    arrivals, label = np.zeros((size, 2), dtype=np.int64), rng.integers(0, 2, size)
    for node in reversed(range(size)):
        below = children.get(node)
        arrivals[node] = arrivals[below].sum(axis=0) if below else rng.integers(0, 4, 2)
    wrong = arrivals.sum(axis=1) - arrivals[np.arange(size), label]

    def leaves(divided: frozenset[int], node: int = 0) -> list[int]:
        if node not in divided:
            return [node]
        return [leaf for child in children[node] for leaf in leaves(divided, child)]

    best = min(prunings(children, 0), key=lambda each: (wrong[leaves(each)].sum(), len(each)))
    shape, kept = prune(Shape(np.array(first[:size]), np.array(n_children[:size])), label, arrivals)
    assert set(kept[shape.n_children > 0].tolist()) == best
    for new in np.flatnonzero(shape.n_children).tolist():
        now = kept[shape.first_child[new] : shape.first_child[new] + shape.n_children[new]]
        assert now.tolist() == children[int(kept[new])]


def test_a_fifth_of_every_class_is_set_aside() -> None:
    y = np.repeat([0, 1, 2, 3], [500, 50, 7, 1])
    grow, rest = set_aside(y, 0.2, np.random.RandomState(0))
    assert sorted([*grow, *rest]) == list(range(len(y)))
    counts = np.bincount(y[rest], minlength=4)
    assert counts[:2].tolist() == [100, 10]
    assert counts[2] in (1, 2)
    assert counts[3] == 0
    assert len(set_aside(y, 0.0, np.random.RandomState(0))[1]) == 0
