"""Every ordering in the registry keeps its promises."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import palio
from palio.comparison import FOLD_TESTS, PAIR_TESTS, POSTHOCS
from palio.measures import Measure
from palio.ordering import ORDERINGS, Ordering
from palio.scores import ScoreTable
from tests.slow import a_third_of_the_examples

ORDERED = list(ORDERINGS)


@dataclass(frozen=True)
class Case:
    """Scores (data sets, algorithms, 5, 2) and distinct costs."""

    scores: np.ndarray
    costs: np.ndarray
    names: tuple[str, ...]
    higher_is_better: bool = True

    def table(self) -> ScoreTable:
        return ScoreTable.from_arrays(
            self.scores,
            datasets=[f"d{i}" for i in range(len(self.scores))],
            algorithms=self.names,
            measure=Measure("quality", self.higher_is_better, "score"),
            costs={"time": self.costs},
        )


@st.composite
def cases(draw: st.DrawFn, datasets: int, k: int = 4) -> Case:
    seed = draw(st.integers(0, 2**32 - 1))
    spread = draw(st.sampled_from([0.0, 1.0, 5.0]))
    rng = np.random.default_rng(seed)
    scores = rng.normal(50, 2, (datasets, k, 5, 2)) + spread * rng.normal(size=(datasets, k, 1, 1))
    costs = np.stack([rng.permutation(k) + 1.0 for _ in range(datasets)])
    # Average costs must differ too, or ties would be broken by name.
    costs += 0.1 * rng.random(costs.shape)
    return Case(scores.round(2), costs, tuple(f"a{j}" for j in range(k)))


def variants(method: str) -> list[dict[str, Any]]:
    """Every test on one data set; every test, and every post-hoc, over many."""
    if method == "pairwise":
        return [
            *({"test": test} for test in PAIR_TESTS if test != "bayes"),
            {"test": "bayes", "draws": 500},
            {"correction": "shaffer"},
        ]
    tests: list[dict[str, Any]] = [
        {"test": test, **({"test_df": 9.0} if test == "calibrated-t" else {})}
        for test in FOLD_TESTS
    ]
    if method == "multitest":
        return [*tests, {"correction": "holm"}, {"correction": "bonferroni"}]
    return [*tests, *({"posthoc": posthoc} for posthoc in POSTHOCS)]


EVERY = [
    pytest.param(method, variant, id=f"{method}-{'-'.join(map(str, variant.values()))}")
    for method in ORDERED
    for variant in variants(method)
]


def datasets_for(method: str) -> int:
    return 1 if method == "multitest" else 12


def run(method: str, case: Case, **options: Any) -> Ordering:
    return ORDERINGS[method].run(case.table(), cost="time", **options)


def promise(what: str) -> Callable[[Any], Any]:
    """Run over every method that promises it; none may promise what is not tested."""
    promised = [p for p in EVERY if what in ORDERINGS[p.values[0]].properties]  # type: ignore[index]
    assert promised
    return pytest.mark.parametrize(("method", "options"), promised)


TESTED = {"rename", "reorder", "negation", "scale", "identical", "pool-free-edges"}


def test_every_promise_is_tested() -> None:
    assert {what for method in ORDERINGS.values() for what in method.properties} <= TESTED


@promise("rename")
@a_third_of_the_examples()
@given(data=st.data())
def test_renaming_algorithms_changes_nothing(
    method: str, options: dict[str, Any], data: st.DataObject
) -> None:
    case = data.draw(cases(datasets_for(method)))
    new = dict(zip(case.names, ("zebra", "ant", "mule", "bee"), strict=True))
    renamed = Case(case.scores, case.costs, tuple(new.values()))
    plain = run(method, case, **options)
    other = run(method, renamed, **options)
    assert other.order == tuple(new[name] for name in plain.order)
    assert set(other.edges) == {(new[a], new[b]) for a, b in plain.edges}


@promise("reorder")
@a_third_of_the_examples()
@given(data=st.data())
def test_reordering_rows_and_columns_changes_nothing(
    method: str, options: dict[str, Any], data: st.DataObject
) -> None:
    case = data.draw(cases(datasets_for(method)))
    rows = data.draw(st.permutations(range(len(case.scores))))
    columns = data.draw(st.permutations(range(len(case.names))))
    shuffled = Case(
        case.scores[rows][:, columns],
        case.costs[rows][:, columns],
        tuple(case.names[j] for j in columns),
    )
    plain, other = run(method, case, **options), run(method, shuffled, **options)
    assert other.order == plain.order
    assert set(other.edges) == set(plain.edges)


@pytest.mark.parametrize("options", variants("multitest"), ids=str)
@a_third_of_the_examples()
@given(data=st.data())
def test_a_pair_its_edge_and_its_reason_say_the_same(
    options: dict[str, Any], data: st.DataObject
) -> None:
    """Also where the first fold, on which 5×2 cv t rests, points the other way than the means."""
    case = data.draw(cases(1))
    case.scores[:, :, 0] += data.draw(st.sampled_from([0.0, 30.0])) * np.arange(4)[:, np.newaxis]
    ordering = run("multitest", case, **options)
    one_sided = FOLD_TESTS[str(ordering.test)].one_sided
    for pair in ordering.pairs:  # the cheaper first
        edge = (pair.a, pair.b) in ordering.edges
        assert edge == (pair.significant if one_sided else pair.winner == pair.b)
        assert pair.better == pair.b or not edge
        said = f"{pair.b} is before {pair.a}: it is costlier, but significantly better"
        assert edge or not ordering.why(pair.a, pair.b).startswith(said)


@promise("negation")
@a_third_of_the_examples()
@given(data=st.data())
def test_negated_scores_with_the_direction_flipped_change_nothing(
    method: str, options: dict[str, Any], data: st.DataObject
) -> None:
    case = data.draw(cases(datasets_for(method)))
    negated = Case(-case.scores, case.costs, case.names, higher_is_better=False)
    plain, other = run(method, case, **options), run(method, negated, **options)
    assert other.order == plain.order
    assert other.edges == plain.edges


@promise("scale")
@a_third_of_the_examples()
@given(data=st.data())
def test_percent_or_fraction_changes_nothing(
    method: str, options: dict[str, Any], data: st.DataObject
) -> None:
    case = data.draw(cases(datasets_for(method)))
    scaled = Case(case.scores / 100, 60 * case.costs, case.names)
    plain, other = run(method, case, **options), run(method, scaled, **options)
    assert other.order == plain.order
    assert other.edges == plain.edges


@promise("identical")
@a_third_of_the_examples()
@given(data=st.data())
def test_of_identical_algorithms_neither_overrides_the_other(
    method: str, options: dict[str, Any], data: st.DataObject
) -> None:
    case = data.draw(cases(datasets_for(method)))
    scores, costs = case.scores.copy(), case.costs.copy()
    scores[:, 3] = scores[:, 0]
    costs[:, 3] = costs[:, 0] + 0.05  # the costlier twin
    ordering = run(method, Case(scores, costs, case.names), **options)
    assert ("a0", "a3") not in ordering.edges
    assert ordering.ranks["a0"] < ordering.ranks["a3"]


@promise("pool-free-edges")
@a_third_of_the_examples()
@given(data=st.data())
def test_the_verdict_on_a_pair_does_not_depend_on_the_pool(
    method: str, options: dict[str, Any], data: st.DataObject
) -> None:
    case = data.draw(cases(datasets_for(method)))
    p_values = {frozenset((p.a, p.b)): p.p_value for p in run(method, case, **options).pairs}
    for i in range(4):
        for j in range(i):
            two = case.table().select(algorithms=[case.names[i], case.names[j]])
            alone = ORDERINGS[method].run(two, cost="time", **options).pairs[0]
            assert alone.p_value == p_values[frozenset((alone.a, alone.b))]


@pytest.mark.parametrize("posthoc", list(POSTHOCS))
def test_post_hoc_tests_depend_on_the_pool_exactly_as_declared(posthoc: str) -> None:
    """Over random tables, raw p-values of pairs move with the pool, or never do."""
    moved = False
    for seed in range(20):
        rng = np.random.default_rng(seed)
        table = Case(
            rng.normal(50, 2, (12, 5, 5, 2)) + 2 * rng.normal(size=(12, 5, 1, 1)),
            rng.random((12, 5)),
            tuple("abcde"),
        ).table()
        whole = palio.multi2test(table, cost="time", posthoc=posthoc)
        two = palio.multi2test(table.select(algorithms=["a", "b"]), cost="time", posthoc=posthoc)
        pair = next(p for p in whole.pairs if {p.a, p.b} == {"a", "b"})
        moved |= pair.p_value != two.pairs[0].p_value
    assert moved is not POSTHOCS[posthoc].pool_free


@promise("reorder")
@a_third_of_the_examples()
@given(data=st.data())
def test_adjusted_p_values_are_never_below_raw_ones(
    method: str, options: dict[str, Any], data: st.DataObject
) -> None:
    ordering = run(method, data.draw(cases(datasets_for(method))), **options)
    for pair in ordering.pairs:
        assert pair.p_value <= pair.p_adjusted <= 1


@promise("reorder")
@a_third_of_the_examples()
@given(data=st.data())
def test_an_order_respects_its_edges_and_explains_every_pair(
    method: str, options: dict[str, Any], data: st.DataObject
) -> None:
    ordering = run(method, data.draw(cases(datasets_for(method))), **options)
    assert sorted(ordering.order) == sorted(ordering.prior)
    for worse, better in ordering.edges:
        assert ordering.ranks[better] < ordering.ranks[worse]
    if method != "pairwise":
        assert ordering.overridden == ordering.edges
    for a in ordering.order:
        for b in ordering.order:
            assert ordering.why(a, b).endswith(".")
