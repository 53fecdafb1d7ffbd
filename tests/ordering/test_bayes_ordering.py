"""MultiTest and Multi²Test by posterior probabilities, each computed again with SciPy."""

import itertools

import numpy as np
import pytest
from scipy import stats

import palio
from palio.errors import DesignError, ParameterError
from palio.scores import ScoreTable
from palio.types import FloatArray

NAMES = ("mdt", "c45", "5nn", "lnp", "sv2", "mlp", "svl", "svr")


@pytest.fixture(scope="module")
def table() -> ScoreTable:
    return palio.load_study("ulas2008")


def better(a: FloatArray, b: FloatArray, rope: float, *, rho: float) -> float:
    """Return P(a better than b by more than the region): Student t, Corani and Benavoli 2015."""
    difference = (a - b).ravel()
    n = difference.size
    scale = difference.std(ddof=1) * np.sqrt(1 / n + rho / (1 - rho))
    if scale < 1e-9:
        return float(difference.mean() > rope)
    return float(stats.t(n - 1, loc=difference.mean(), scale=scale).sf(rope))


def preferences(table: ScoreTable, rope: float, alpha: float) -> dict[tuple[str, str], int]:
    """Count on how many data sets the costlier of two, the second in NAMES, is preferred."""
    found = {}
    for cheaper, costlier in itertools.combinations(NAMES, 2):
        i, j = (table.algorithms.index(name) for name in (cheaper, costlier))
        folds = [table.fold_scores(dataset) for dataset in table.datasets]
        found[cheaper, costlier] = sum(
            better(one[j], one[i], rope, rho=0.5) > 1 - alpha for one in folds
        )
    return found


@pytest.mark.parametrize("rope", [0.0, 1.0, 5.0])
@pytest.mark.parametrize("alpha", [0.05, 0.3])
@pytest.mark.parametrize("dataset", ["optdigits", "car", "zoo", "flare", "ringnorm"])
def test_an_edge_exactly_where_the_costlier_is_surely_better(
    table: ScoreTable, dataset: str, alpha: float, rope: float
) -> None:
    ordering = palio.multitest(
        table, dataset=dataset, cost="train_time", test="bayes", alpha=alpha, rope=rope
    )
    folds = dict(zip(table.algorithms, table.fold_scores(dataset), strict=True))
    expected = {
        (cheaper, costlier)
        for cheaper, costlier in itertools.combinations(ordering.prior, 2)
        if better(folds[costlier], folds[cheaper], rope, rho=0.5) > 1 - alpha
    }
    assert set(ordering.edges) == expected
    if (dataset, rope) == ("optdigits", 0.0):
        assert expected  # there is something to see


def test_p_is_the_probability_of_being_wrong(table: ScoreTable) -> None:
    ordering = palio.multitest(
        table, dataset="optdigits", cost="train_time", test="bayes", rope=0.5
    )
    folds = dict(zip(table.algorithms, table.fold_scores("optdigits"), strict=True))
    place = {name: i for i, name in enumerate(ordering.prior)}
    for pair in ordering.pairs:
        cheaper, costlier = sorted((pair.a, pair.b), key=place.__getitem__)
        sure = better(folds[costlier], folds[cheaper], 0.5, rho=0.5)
        assert pair.p_value == pytest.approx(1 - sure, abs=1e-10)


def test_lower_is_better() -> None:
    """The same folds as errors: the order is the same."""
    rng = np.random.default_rng(0)
    errors = rng.normal([[[0.3]], [[0.25]], [[0.1]]], 0.02, (3, 5, 2))
    found = {}
    for measure, sign in (("error", 1.0), ("accuracy", -1.0)):
        one = ScoreTable.from_arrays(
            (sign * errors)[None], datasets=["d"], algorithms=["a", "b", "c"], measure=measure
        )
        found[measure] = palio.multitest(one, prior=["a", "b", "c"], test="bayes", rope=0.01)
    assert found["error"].order == found["accuracy"].order
    assert set(found["error"].edges) == set(found["accuracy"].edges) >= {("a", "c"), ("b", "c")}


@pytest.mark.parametrize(
    ("shape", "options", "rho"),
    [((1, 10), {}, 0.1), ((10, 10), {}, 0.1), ((12, 1), {"test_fraction": 0.3}, 0.3)],
)
def test_other_designs(shape: tuple[int, int], options: dict[str, float], rho: float) -> None:
    """The correlation is the share of the data used for testing."""
    rng = np.random.default_rng(1)
    scores = rng.normal([[[0.70]], [[0.715]], [[0.73]]], 0.02, (3, *shape))
    one = ScoreTable.from_arrays(
        scores[None], datasets=["d"], algorithms=["a", "b", "c"], measure="accuracy"
    )
    ordering = palio.multitest(one, prior=["a", "b", "c"], test="bayes", rope=0.005, **options)  # type: ignore[arg-type]
    for pair in ordering.pairs:
        i, j = "abc".index(pair.a), "abc".index(pair.b)
        wrong = 1 - better(scores[max(i, j)], scores[min(i, j)], 0.005, rho=rho)
        assert pair.p_value == pytest.approx(wrong, abs=1e-10)


def test_no_variance() -> None:
    """The posterior is a point: beyond the region or in it, never NaN."""
    flat = np.ones((5, 2))
    one = ScoreTable.from_arrays(
        np.stack([0.5 * flat, 0.5 * flat, 0.6 * flat])[None],
        datasets=["d"],
        algorithms=["a", "b", "c"],
        measure="accuracy",
    )
    narrow = palio.multitest(one, prior=["a", "b", "c"], test="bayes", rope=0.05)
    assert set(narrow.edges) == {("a", "c"), ("b", "c")}
    for rope in (0.1, 0.2):  # the edge of the region is inside it
        wide = palio.multitest(one, prior=["a", "b", "c"], test="bayes", rope=rope)
        assert wide.edges == ()
        assert all(pair.p_value == 1 for pair in wide.pairs)


# --- over many data sets --------------------------------------------------------------------------


def test_the_second_pass_is_bayesian_too_unless_another_is_asked_for(table: ScoreTable) -> None:
    assert palio.multi2test(table, prior=NAMES, test="bayes").posthoc == "bayes"
    assert palio.multi2test(table, prior=NAMES).posthoc == "nemenyi"
    other = palio.multi2test(table, prior=NAMES, test="bayes", posthoc="nemenyi")
    assert other.posthoc == "nemenyi"
    mixed = palio.multi2test(table, prior=NAMES, test="5x2cv-f", posthoc="bayes")
    assert (mixed.test, mixed.posthoc) == ("5x2cv-f", "bayes")


@pytest.mark.parametrize(("rope", "alpha"), [(0.0, 0.3), (1.0, 0.3), (0.0, 0.4)])
def test_the_second_pass_by_beta_posteriors(table: ScoreTable, rope: float, alpha: float) -> None:
    """Jeffreys' prior: the share of data sets that prefer the costlier is Beta(w + ½, l + ½)."""
    ordering = palio.multi2test(table, prior=NAMES, test="bayes", rope=rope, alpha=alpha)
    wins = preferences(table, rope, alpha)
    n = table.n_datasets
    sure = {pair: stats.beta(w + 0.5, n - w + 0.5).sf(0.5) for pair, w in wins.items()}
    place = {name: i for i, name in enumerate(NAMES)}
    for pair in ordering.pairs:
        a, b = sorted((pair.a, pair.b), key=place.__getitem__)
        side = max(sure[a, b], 1 - sure[a, b])
        assert pair.p_value == pytest.approx(1 - side, abs=1e-10)
    assert set(ordering.edges) == {pair for pair, p in sure.items() if p > 1 - alpha}


def test_something_overrides_the_prior(table: ScoreTable) -> None:
    """At a lax level svr, the costliest, is preferred to the cheapest on most data sets."""
    ordering = palio.multi2test(table, prior=NAMES, test="bayes", alpha=0.4)
    assert ("mdt", "svr") in ordering.edges
    assert ordering.order.index("svr") < ordering.order.index("mdt")
    # A region so wide that nothing matters: the prior stands.
    nothing = palio.multi2test(table, prior=NAMES, test="bayes", alpha=0.4, rope=100.0)
    assert nothing.order == NAMES
    assert nothing.edges == ()


def test_the_verdict_on_a_pair_does_not_depend_on_the_others(table: ScoreTable) -> None:
    few = ("mdt", "5nn", "svr")
    all_of_them = palio.multi2test(table, prior=NAMES, test="bayes", alpha=0.4)
    some = palio.multi2test(table.select(algorithms=few), prior=few, test="bayes", alpha=0.4)
    whole = {frozenset((p.a, p.b)): p.p_value for p in all_of_them.pairs}
    assert len(some.pairs) == 3
    for pair in some.pairs:
        assert pair.p_value == whole[frozenset((pair.a, pair.b))]


# --- what is refused ------------------------------------------------------------------------------


def test_a_region_is_a_number_here(table: ScoreTable) -> None:
    with pytest.raises(ParameterError, match=r"rope: test 'bayes' takes a number, and 'auto'"):
        palio.multitest(table, dataset="zoo", prior=NAMES, test="bayes", rope="auto")
    with pytest.raises(ParameterError, match=r"rope: it is not negative and finite, and -1"):
        palio.multi2test(table, prior=NAMES, test="bayes", rope=-1.0)
    with pytest.raises(ParameterError, match="rope: test '5x2cv-f' does not take it"):
        palio.multitest(table, dataset="zoo", prior=NAMES, rope=0.01)


def test_hold_outs_need_their_share() -> None:
    one = ScoreTable.from_arrays(
        np.random.default_rng(2).random((1, 2, 10, 1)),
        datasets=["d"],
        algorithms=["a", "b"],
        measure="accuracy",
    )
    with pytest.raises(DesignError, match="test_fraction"):
        palio.multitest(one, prior=["a", "b"], test="bayes")
