"""Who differs from whom on the folds of one data set."""

import math
from collections.abc import Callable
from functools import partial

import numpy as np
import pytest

import palio
from palio.comparison import CORRECTIONS
from palio.errors import DesignError, ParameterError
from palio.measures import Measure
from palio.scores import ScoreTable
from palio.stats import folds
from palio.stats.outcome import Outcome


def table_of(scores: np.ndarray, *, higher: bool = True) -> ScoreTable:
    return ScoreTable.from_arrays(
        scores if higher else -scores,
        datasets=[f"d{i}" for i in range(len(scores))],
        algorithms=[f"a{j}" for j in range(scores.shape[1])],
        measure=Measure("quality", higher, "score"),
    )


@pytest.fixture
def scores() -> np.ndarray:
    rng = np.random.default_rng(4)
    return np.asarray(rng.normal(size=(2, 4, 5, 2)) + np.reshape([0.0, 9, 0, 9], (4, 1, 1)))


@pytest.mark.parametrize("higher", [True, False])
@pytest.mark.parametrize("test", ["5x2cv-f", "5x2cv-t", "kfold-t", "corrected-t"])
def test_p_values_are_those_of_the_test_two_sided(
    scores: np.ndarray, higher: bool, test: str
) -> None:
    functions: dict[str, Callable[..., Outcome]] = {
        "5x2cv-f": folds.cv52_f,
        "5x2cv-t": folds.cv52_t,
        "kfold-t": folds.kfold_t,
        "corrected-t": partial(folds.corrected_t, test_fraction=0.5),
    }
    found = palio.compare(table_of(scores, higher=higher), dataset="d1", test=test)
    for pair in found.pairs:
        a, b = (scores[1, int(name[1])] for name in (pair.a, pair.b))
        assert pair.p_value == pytest.approx(float(functions[test](a, b).p_value))
    raw = np.array([pair.p_value for pair in found.pairs])
    assert [pair.p_adjusted for pair in found.pairs] == pytest.approx(_holm(raw))


def _holm(raw: np.ndarray) -> list[float]:
    """Holm's correction, written out again."""
    order = np.argsort(raw)
    steps = np.maximum.accumulate(raw[order] * np.arange(raw.size, 0, -1))
    adjusted = np.empty_like(raw)
    adjusted[order] = np.minimum(steps, 1)
    return [float(p) for p in adjusted]


@pytest.mark.parametrize("higher", [True, False])
def test_what_it_is_about(scores: np.ndarray, higher: bool) -> None:
    found = palio.compare(table_of(scores, higher=higher), dataset="d1")
    assert (found.over, found.dataset, found.datasets) == ("folds", "d1", ("d1",))
    assert (found.n_datasets, found.method, found.correction) == (1, "5x2cv-f", "holm")
    means = scores[1].mean(axis=(-2, -1))
    assert found.by_mean_rank == tuple(f"a{j}" for j in np.argsort(-means))
    assert found.mean_scores["a1"] == pytest.approx(means[1] if higher else -means[1])
    assert found.pair("a0", "a1").winner == "a1"
    assert found.together is None
    with pytest.raises(DesignError, match="about the folds of 'd1'"):
        _ = found.omnibus
    said = found.to_dict()
    assert said["omnibus"] is None
    assert said["over"] == "folds"


def test_folds_are_no_independent_sample_so_that_there_is_no_interval(scores: np.ndarray) -> None:
    pair = palio.compare(table_of(scores), dataset="d0").pairs[0]
    assert pair.n == 10
    assert math.isfinite(pair.difference)
    assert all(math.isnan(end) for end in pair.interval)


def test_the_side_of_the_5x2_cv_t_test_is_that_of_its_fold() -> None:
    """On the first fold a0 leads by 1, on all the others a1 leads by a hair's breadth more."""
    rng = np.random.default_rng(0)
    difference = -0.2 + 0.01 * rng.normal(size=(5, 2))
    difference[0, 0], difference[0, 1] = 0.1, 0.1
    other = np.zeros((5, 2))
    found = palio.compare(table_of(np.stack([difference, other])[np.newaxis]), test="5x2cv-t")
    pair = found.pairs[0]
    assert pair.significant
    assert pair.winner == "a0"
    assert found.by_mean_rank[0] == "a1"


def test_a_control_is_compared_with_the_others_alone(scores: np.ndarray) -> None:
    found = palio.compare(table_of(scores), dataset="d0", control="a2")
    assert [(pair.a, pair.b) for pair in found.pairs] == [("a2", "a0"), ("a2", "a1"), ("a2", "a3")]
    assert found.rank_sets is None
    assert found.unbeaten is None


def test_what_cannot_be_asked(scores: np.ndarray) -> None:
    with pytest.raises(ParameterError, match="'wilcoxon' compares over many data sets"):
        palio.compare(table_of(scores), dataset="d0", test="wilcoxon")
    with pytest.raises(DesignError, match="by the folds that they share, and 'd0' has one value"):
        palio.compare(table_of(scores[:1, :, 0, 0]))
    with pytest.raises(ParameterError, match="belongs to test 'mean-ranks'"):
        palio.compare(table_of(scores), dataset="d0", correction="nemenyi")


@pytest.mark.parametrize(
    "correction", [name for name, c in CORRECTIONS.items() if c.family == "any"]
)
def test_rank_sets_are_given_where_any_false_finding_is_rare(
    scores: np.ndarray, correction: str
) -> None:
    found = palio.compare(table_of(scores), dataset="d0", correction=correction)
    promised = CORRECTIONS[correction].controls == "fwer"
    assert (found.rank_sets is not None) == promised
    assert any(note.startswith("no rank sets: ") for note in found.notes) != promised
