"""One pair in detail: the histogram, the points, and which pair leads."""

from __future__ import annotations

import json

import numpy as np
import pytest

from palio.bayes.detail import histogram, thinned
from palio.bayes.draws import Draws, Pairs
from palio.errors import ParameterError, UnknownNameError
from palio.results import to_json
from tests.report.figures.posteriors import joint_posterior, region_posterior


def test_a_histogram_by_hand() -> None:
    found = histogram(np.array([[0.0, 0.1, 0.2], [1.0, 1.0, 0.95]]))
    assert found["edges"] == pytest.approx(np.linspace(0, 1, 11))
    assert found["counts"] == [1, 1, 1, 0, 0, 0, 0, 0, 0, 3]
    assert found["beyond"] == 0
    assert found["mean"] == pytest.approx(3.25 / 6)
    assert found["sd"] == pytest.approx(np.std([0, 0.1, 0.2, 1, 1, 0.95], ddof=1))


@pytest.mark.parametrize("value", [0.0, 5.0, -1e-9, 1e12])
def test_a_constant_is_a_spike(value: float) -> None:
    found = histogram(np.full((2, 100), value))
    assert sum(found["counts"]) == max(found["counts"]) == 200
    assert found["edges"][0] < value < found["edges"][-1]
    assert found["sd"] == 0


def test_rounding_noise_is_a_constant() -> None:
    found = histogram(np.array([[0.3, 0.1 + 0.2, 0.3]]))
    assert max(found["counts"]) == 3


def test_a_few_strays_of_a_constant_are_kept() -> None:
    values = np.zeros(1000)
    values[:2] = 7.0
    found = histogram(values)
    assert found["counts"][0] == 998
    assert found["counts"][-1] == 2


def test_nothing_of_a_normal_distribution_is_beyond() -> None:
    found = histogram(np.random.default_rng(0).normal(size=(4, 25_000)))
    assert found["beyond"] == 0
    assert len(found["counts"]) == 60
    # The share within one standard deviation, from the bins.
    edges, counts = np.array(found["edges"]), np.array(found["counts"])
    inside = counts[(edges[:-1] >= -1) & (edges[1:] <= 1)].sum() / counts.sum()
    assert inside == pytest.approx(0.6827, abs=0.08)


def test_points_are_spread_over_all_draws() -> None:
    regions = np.zeros((2, 1000, 3))
    regions[0, :, 0] = regions[1, :, 2] = 1.0
    points = np.array(thinned(regions))
    assert points.shape == (500, 3)
    assert points.sum(axis=0).tolist() == [250, 0, 250]
    assert len(thinned(regions[:, :3])) == 6


def test_the_two_that_lead_by_the_probability_to_be_best() -> None:
    summary = joint_posterior(list("abcdef")).to_dict()
    best = sorted(summary["best"], key=lambda row: -row["p_best"])
    assert [summary["detail"][side] for side in "ab"] == [row["algorithm"] for row in best[:2]]
    assert summary["detail"]["points"] is None


def test_the_two_that_lead_by_the_pairs_they_win() -> None:
    shares = np.array([[0.1, 0.1, 0.8], [0.0, 0.2, 0.8], [0.3, 0.4, 0.3]])
    # Of b: (0.8 + 0.05 + 0.3 + 0.2) / 2; of c: (0.8 + 0.1 + 0.3 + 0.2) / 2; of a the least.
    posterior = region_posterior(list("abc"))
    pairs = posterior.pairs
    changed = Pairs(pairs.first, pairs.second, shares, pairs.difference, pairs.hdi, pairs.mc_error)
    summary = region_posterior(list("abc"), pairs=changed).to_dict()
    assert summary["order"] == ["c", "b", "a"]
    assert (summary["detail"]["a"], summary["detail"]["b"]) == ("c", "b")


@pytest.mark.parametrize("higher", [True, False])
@pytest.mark.parametrize("make", [joint_posterior, region_posterior])
def test_the_other_way_round_everything_is_mirrored(make: object, higher: bool) -> None:
    posterior = make(list("abc"), higher_is_better=higher)  # type: ignore[operator]
    one, other = (posterior.to_dict(pair)["detail"] for pair in (("a", "c"), ("c", "a")))
    assert [one[key] for key in ("p_a_better", "p_rope", "p_b_better")] == [
        other[key] for key in ("p_b_better", "p_rope", "p_a_better")
    ]
    assert one["mean"] == -other["mean"]
    assert one["hdi"] == [-end for end in reversed(other["hdi"])]
    assert one["difference"]["edges"] == pytest.approx(
        [-edge for edge in reversed(other["difference"]["edges"])]
    )
    assert one["difference"]["counts"] == other["difference"]["counts"][::-1]
    if one["points"] is not None:
        assert one["points"] == [point[::-1] for point in other["points"]]
    row = next(r for r in posterior.to_dict()["pairs"] if (r["a"], r["b"]) == ("a", "c"))
    assert (row["p_a_better"], row["difference"]) == (one["p_a_better"], one["mean"])


def test_the_histogram_agrees_with_the_probabilities() -> None:
    detail = joint_posterior(["a", "b"], rope=0.0, higher_is_better=False).to_dict(("a", "b"))
    found = detail["detail"]
    edges, counts = np.array(found["difference"]["edges"]), np.array(found["difference"]["counts"])
    below = counts[edges[1:] <= 0].sum() / counts.sum()
    straddles = counts[(edges[:-1] < 0) & (edges[1:] > 0)].sum() / counts.sum()
    # Lower is better: a is better where a − b is negative.
    assert below <= found["p_a_better"] <= below + straddles


@pytest.mark.parametrize(
    ("pair", "says"),
    [
        (("a",), "two algorithms"),
        ("ab", "two algorithms"),
        (("a", "b", "c"), "two algorithms"),
        (("a", "a"), "not a pair that was compared"),
    ],
)
def test_what_is_not_a_pair(pair: object, says: str) -> None:
    with pytest.raises(ParameterError, match=says):
        region_posterior(list("abc")).to_dict(pair)  # type: ignore[arg-type]


def test_unknown_algorithm() -> None:
    with pytest.raises(UnknownNameError, match="pair"):
        region_posterior(["svr", "c45"]).to_dict(("svr", "c46"))


def test_a_model_without_draws_of_the_difference() -> None:
    draws = Draws({"nothing": np.zeros((1, 5))}, "none", independent=True)
    detail = region_posterior(["a", "b"], draws=draws).to_dict()["detail"]
    assert detail["difference"] is None
    assert detail["points"] is None
    assert 0 <= detail["p_rope"] <= 1


@pytest.mark.parametrize("make", [joint_posterior, region_posterior])
def test_plain_data(make: object) -> None:
    summary = make(list("abc")).to_dict()  # type: ignore[operator]
    assert json.loads(to_json(summary)) == json.loads(json.dumps(summary))
