"""Every test over data sets, omnibus test and correction in the registries keeps its promises."""

from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import palio
from palio.comparison import CORRECTIONS, OMNIBUS_TESTS, PAIR_TESTS, Comparison
from palio.comparison.corrections import Family
from palio.comparison.omnibus import run_omnibus
from palio.comparison.sample import Sample
from palio.measures import Measure
from palio.scores import ScoreTable
from palio.stats.across import least_by_flips
from palio.testing.pairs import PROPERTIES, AllPairs, Pairs
from palio.types import FloatArray
from tests.slow import a_third_of_the_examples

NAMES = ("a", "b", "c", "d")
# One decimal, so that ties and equal differences do happen.
SCORES = arrays(
    np.float64, (9, 4), elements=st.integers(0, 300).map(lambda i: i / 10), fill=st.nothing()
)
TESTED = {*PROPERTIES, "flips"}


def compare(
    test: str, scores: FloatArray, names: tuple[str, ...] = NAMES, *, up: bool = True, **how: Any
) -> Comparison:
    table = ScoreTable.from_arrays(
        scores,
        datasets=[f"d{i}" for i in range(len(scores))],
        algorithms=names,
        measure=Measure("quality", up),
    )
    few: dict[str, Any] = {"draws": 1000} if test == "bayes" else {}
    return palio.compare(table, test=test, correction=how.pop("correction", None), **few, **how)


def promising(what: str) -> Callable[[Any], Any]:
    names = [name for name, test in PAIR_TESTS.items() if what in test.properties]
    assert names
    return pytest.mark.parametrize("test", names)


def not_promising(what: str) -> Callable[[Any], Any]:
    names = [name for name, test in PAIR_TESTS.items() if what not in test.properties]
    assert names
    return pytest.mark.parametrize("test", names)


def test_every_promise_is_tested() -> None:
    for registry in (PAIR_TESTS, OMNIBUS_TESTS):
        assert {p for entry in registry.values() for p in entry.properties} <= TESTED


def all_pairs(test: str) -> AllPairs:
    """What a test says of all pairs, by compare as users call it."""

    def found(scores: FloatArray, /, *, higher_is_better: bool = True) -> Pairs:
        k = scores.shape[1]
        p, ahead = np.ones((k, k)), np.zeros((k, k))
        for pair in compare(test, scores, NAMES[:k], up=higher_is_better).pairs:
            i, j = NAMES.index(pair.a), NAMES.index(pair.b)
            p[i, j] = p[j, i] = pair.p_value
            ahead[i, j] = {pair.a: 1, pair.b: -1, None: 0}[pair.better]
            ahead[j, i] = -ahead[i, j]
        return Pairs(p, ahead)

    return found


PROMISES = [
    (name, what)
    for name, entry in PAIR_TESTS.items()
    for what in sorted(entry.properties & PROPERTIES.keys())
]


@pytest.mark.parametrize(("test", "what"), PROMISES)
@a_third_of_the_examples()
@given(scores=SCORES)
def test_promises_hold(test: str, what: str, scores: FloatArray) -> None:
    assert PROPERTIES[what](all_pairs(test), scores), f"'{test}' promises '{what}'"
    if what == "identical":
        assert PROPERTIES["rounding"](all_pairs(test), scores)


@not_promising("monotone")
def test_monotone_rescaling_does_matter_to_the_others(test: str) -> None:
    """A declaration that is too modest fails too."""
    scores = np.random.default_rng(0).random((9, 4)) * 30
    plain, bent = compare(test, scores), compare(test, np.exp(scores / 3))
    assert any(
        x.p_value != pytest.approx(y.p_value) for x, y in zip(plain.pairs, bent.pairs, strict=True)
    ), f"'{test}' may promise 'monotone' in its properties"


@promising("flips")
@a_third_of_the_examples()
@given(scores=SCORES)
def test_wins_bound_the_p_values_by_flips(test: str, scores: FloatArray) -> None:
    entry, pairs = PAIR_TESTS[test], np.triu_indices(4, 1)
    open_ = {name: values for name, values in entry.options.items() if isinstance(values, tuple)}
    for values in product(*open_.values()):
        options = dict(zip(open_, values, strict=True))
        found = entry.run(Sample(scores, *pairs), options).p_value
        assert (found >= least_by_flips(scores, *pairs)).all()


@not_promising("pool-free")
def test_the_verdict_depends_on_the_pool(test: str) -> None:
    scores = np.random.default_rng(1).random((9, 4))
    alone = compare(test, scores[:, :2], NAMES[:2]).pairs[0]
    comparison = compare(test, scores)
    assert comparison.pair("a", "b").p_value != pytest.approx(alone.p_value), (
        f"'{test}' may promise 'pool-free' in its properties"
    )
    assert any("which others are in the pool" in note for note in comparison.notes)


def omnibus_p(name: str, scores: FloatArray) -> Any:
    # On so few data sets this one draws 9999 random orders.
    noise = 0.03 if name == "skillings-mack" else 1e-12
    return pytest.approx(omnibus(name, scores), rel=1e-8, abs=noise)


def omnibus(name: str, scores: FloatArray) -> float:
    pairs = np.triu_indices(scores.shape[1], 1)
    return run_omnibus(name, Sample(scores, *pairs)).p_value


@pytest.mark.parametrize("name", list(OMNIBUS_TESTS))
@a_third_of_the_examples()
@given(scores=SCORES, rows=st.permutations(range(9)), columns=st.permutations(range(4)))
def test_omnibus_promises(
    name: str, scores: FloatArray, rows: list[int], columns: list[int]
) -> None:
    promised = OMNIBUS_TESTS[name].properties
    p = omnibus_p(name, scores)
    assert {"reorder", "negation", "identical"} <= promised
    assert omnibus_p(name, scores[rows][:, columns]) == omnibus(name, scores)
    # Turning better and worse round turns all ranks round.
    assert omnibus(name, -scores) == p
    assert omnibus(name, np.repeat(scores[:, :1], 4, axis=1)) == pytest.approx(1)
    if "monotone" in promised:
        assert omnibus(name, np.exp(scores / 10)) == p


FAMILY = arrays(np.float64, 6, elements=st.floats(0, 1), fill=st.nothing())


@pytest.mark.parametrize("name", list(CORRECTIONS))
@given(p=FAMILY, order=st.permutations(range(4)))
def test_corrections(name: str, p: FloatArray, order: list[int]) -> None:
    """Adjusted p-values are probabilities, not below raw ones, and belong to their pairs."""
    correction = CORRECTIONS[name]
    if correction.test is not None:
        return  # it starts from a statistic: tested below
    adjusted = correction.adjust(Family(p, 4))
    assert ((adjusted >= 0) & (adjusted <= 1)).all()
    if name != "li":  # Li's second step may fall below the raw p-value; its paper says so
        assert (adjusted >= p - 1e-15).all()
        # Where p-values fall, no adjusted one rises.
        fallen = correction.adjust(Family(p * (np.arange(6) % 3) / 2, 4))
        assert (fallen <= adjusted + 1e-12).all()
    # Renumbering the algorithms renumbers the pairs, and nothing else.
    first, second = np.triu_indices(4, 1)
    place = {
        frozenset(pair): i
        for i, pair in enumerate(zip(first.tolist(), second.tolist(), strict=True))
    }
    moved = [place[frozenset((order[i], order[j]))] for i, j in zip(first, second, strict=True)]
    assert correction.adjust(Family(p[moved], 4)) == pytest.approx(adjusted[moved], abs=1e-12)


@given(z=arrays(np.float64, 6, elements=st.floats(0, 6), fill=st.nothing()))
def test_nemenyi_is_at_most_bonferroni_and_at_least_raw(z: FloatArray) -> None:
    from scipy.special import ndtr

    raw = 2 * ndtr(-z)
    adjusted = CORRECTIONS["nemenyi"].adjust(Family(raw, 4, z))
    assert (adjusted >= raw - 1e-12).all()
    assert (adjusted <= np.minimum(1, 6 * raw) + 1e-9).all()


@pytest.mark.parametrize("registry", [PAIR_TESTS, OMNIBUS_TESTS, CORRECTIONS])
def test_every_entry_says_what_it_is(registry: Any) -> None:
    for name, entry in registry.items():
        assert entry.name == name
        assert entry.title
        assert entry.reference or name == "none"
