"""What a posterior answers, by hand: decisions, who is best, the cheapest that will do."""

import json
import pickle
import sys
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from palio.bayes.answer import Checks, Scale
from palio.bayes.draws import Draws, Pairs, pairs_of_effects
from palio.bayes.posterior import Posterior
from palio.bayes.rope import Rope
from palio.errors import MissingExtraError, ParameterError, UnknownNameError
from palio.measures import Measure
from palio.numbers import probability
from palio.results import plain
from tests.report.figures.posteriors import joint_posterior, region_posterior

ACCURACY = Measure("accuracy", higher_is_better=True)
ERROR = Measure("error", higher_is_better=False)

# Four draws of three algorithms. With a region of 1 and higher better:
#   best     a   a   b   a and c (a tie)
#   behind   a 0 0 4 0,  b 2 5 0 0.5,  c 0.5 3 1 0
FOUR = [[5.0, 3.0, 4.5], [6.0, 1.0, 3.0], [1.0, 5.0, 4.0], [2.0, 1.5, 2.0]]


def four(measure: Measure = ACCURACY, **changes: Any) -> Posterior:
    up = measure.higher_is_better
    effects = (np.array(FOUR) if up else -np.array(FOUR))[None]
    draws = Draws({"algorithm": effects}, "by hand", independent=True)
    whole: dict[str, Any] = {
        "model": "anova",
        "title": "Bayesian ANOVA",
        "reference": "nobody",
        "algorithms": ("a", "b", "c"),
        "measure": measure,
        "n_datasets": 9,
        "rope": Rope(1.0),
        "draws": draws,
        "pairs": pairs_of_effects(draws, effects, rope=1.0, higher_is_better=up, mass=0.75),
        "scale": Scale(measure.name, 1.0, up),
        "effects": "algorithm",
        "mass": 0.75,
    }
    return Posterior(**{**whole, **changes})


def with_shares(*shares: list[float]) -> Posterior:
    """Return a posterior of three algorithms with these probabilities of the pairs."""
    zero = np.zeros(3)
    first, second = np.array([0, 0, 1]), np.array([1, 2, 2])
    pairs = Pairs(first, second, np.array(shares), zero, np.zeros((3, 2)), zero)
    return four(pairs=pairs)


# --- pairs ----------------------------------------------------------------------------------------


def test_pairs_by_hand() -> None:
    rows = four().probabilities().set_index(["a", "b"])
    assert list(rows.index) == [("a", "b"), ("a", "c"), ("b", "c")]
    # a − b: 2, 5, −4, 0.5;  a − c: 0.5, 3, −3, 0;  b − c: −1.5, −2, 1, −0.5.
    shares = rows[["p_a_better", "p_rope", "p_b_better"]].to_numpy().tolist()
    assert shares == [[0.5, 0.25, 0.25], [0.25, 0.5, 0.25], [0.0, 0.5, 0.5]]
    assert rows["difference"].tolist() == [0.875, 0.125, -0.75]
    assert (rows["hdi_low"].iloc[0], rows["hdi_high"].iloc[0]) == (0.5, 5.0)
    assert rows.equals(four().to_frame().set_index(["a", "b"]))


def test_decide_by_threshold() -> None:
    """A statement needs more than the threshold, not the threshold itself."""
    posterior = with_shares([0.96, 0.03, 0.01], [0.02, 0.03, 0.95], [0.0, 1.0, 0.0])
    found = posterior.decide()
    assert found[["a", "b", "decision"]].to_numpy().tolist() == [
        ["a", "b", "a"], ["a", "c", "undecided"], ["b", "c", "equal"],
    ]  # fmt: skip
    assert list(found.columns) == ["a", "b", "decision"]
    assert posterior.decide(threshold=0.94).decision.tolist() == ["a", "b", "equal"]
    assert posterior.decide(threshold=0.99).decision.tolist() == ["undecided", "undecided", "equal"]


@pytest.mark.parametrize("threshold", [0.4, 1.0, float("nan")])
def test_threshold_is_checked(threshold: float) -> None:
    with pytest.raises(ParameterError, match=r"threshold: it lies in \[0.5, 1\)"):
        four().decide(threshold=threshold)


def test_decide_by_loss() -> None:
    """Keeping the old costs 10 where the new is better; changing costs 1, and 20 where worse."""
    posterior = with_shares([0.5, 0.3, 0.2], [0.7, 0.3, 0.0], [0.05, 0.9, 0.05])
    loss = {"keep": (10, 0, 0), "change": (0, 1, 20)}
    found = posterior.decide(loss)
    # keep 5, change 0.3 + 4 = 4.3;  keep 7, change 0.3;  keep 0.5, change 0.9 + 1 = 1.9.
    assert found.decision.tolist() == ["change", "change", "keep"]
    assert found.expected_loss.tolist() == pytest.approx([4.3, 0.3, 0.5])


def test_a_loss_that_charges_nothing_for_certainty_agrees_with_the_likeliest() -> None:
    posterior = with_shares([0.5, 0.3, 0.2], [0.2, 0.5, 0.3], [0.1, 0.3, 0.6])
    loss = {"a": (0, 1, 1), "equal": (1, 0, 1), "b": (1, 1, 0)}
    found = posterior.decide(loss)
    assert found.decision.tolist() == ["a", "equal", "b"]
    assert found.expected_loss.tolist() == pytest.approx([0.5, 0.5, 0.4])


@pytest.mark.parametrize(
    ("loss", "says"),
    [
        ({"keep": (1, 2)}, "three losses (a better, equal, b better), and 'keep' has (1, 2)"),
        ({"keep": (1, 2, float("nan"))}, "'keep' has (1, 2, nan)"),
        ({}, "at least one decision is needed"),
    ],
)
def test_losses_are_checked(loss: dict[str, tuple[float, ...]], says: str) -> None:
    with pytest.raises(ParameterError, match="loss: ") as caught:
        four().decide(loss)
    assert says in str(caught.value)


# --- all algorithms together ----------------------------------------------------------------------


@pytest.mark.parametrize("measure", [ACCURACY, ERROR])
def test_best_by_hand(measure: Measure) -> None:
    rows = four(measure).best().set_index("algorithm")
    assert rows.p_best.to_dict() == {"a": 2.5 / 4, "b": 1 / 4, "c": 0.5 / 4}
    assert rows.p_as_good.to_dict() == {"a": 0.75, "b": 0.5, "c": 0.75}  # c: 0.5, 1 and 0 behind
    assert rows.expected_loss.to_dict() == {"a": 1.0, "b": 7.5 / 4, "c": 4.5 / 4}
    assert rows.in_set.all()


@pytest.mark.parametrize(
    ("p_best", "chosen"),
    [
        ([0.96, 0.03, 0.01], "a"),
        ([0.95, 0.04, 0.01], "a"),  # 95 % is enough
        ([0.90, 0.04, 0.06], "ac"),
        ([0.34, 0.33, 0.33], "abc"),
        ([0.00, 0.00, 1.00], "c"),
    ],
)
def test_the_smallest_set_that_holds_the_best(p_best: list[float], chosen: str) -> None:
    counts = [round(100 * p) for p in p_best]
    effects = np.repeat(np.eye(3), counts, axis=0)[None]
    posterior = four(draws=Draws({"algorithm": effects}, "by hand", independent=True))
    rows = posterior.best()
    assert rows.p_best.tolist() == pytest.approx(p_best)
    assert "".join(rows.algorithm[rows.in_set]) == chosen
    answer = posterior.answer()
    assert sorted(answer.best_set) == list(chosen)
    assert answer.best_set_probability == pytest.approx(sum(p_best["abc".index(a)] for a in chosen))
    told = posterior.to_dict()
    assert told["best_set"] == list(answer.best_set)
    assert told["best_set_probability"] == answer.best_set_probability
    sure = probability(answer.best_set_probability or 0)
    sentence = {
        1: f"With probability {sure} the best is {chosen}.",
        2: "With probability 0.960 the best is among a and c.",
        3: "Each of them may be the best: no smaller set holds it with probability 0.95.",
    }[len(chosen)]
    assert sentence in " ".join(str(posterior).split())


def test_cheapest() -> None:
    """As good as the best with 0.75: a and c; b with 0.5."""
    posterior = four()
    assert posterior.cheapest(["b", "c", "a"], probability=0.75) == "c"
    assert posterior.cheapest(["b", "c", "a"], probability=0.5) == "b"
    assert posterior.cheapest(["a", "b", "c"], probability=0.75) == "a"


def test_cheapest_where_nobody_is_sure_enough() -> None:
    """The likeliest is what can be said; of equally likely ones the cheaper."""
    posterior = four()
    assert posterior.cheapest(["b", "c", "a"], probability=0.95) == "c"
    assert posterior.cheapest(["b", "a", "c"]) == "a"


def test_cheapest_checks_what_it_is_given() -> None:
    with pytest.raises(UnknownNameError, match="prior: 'd' is not known"):
        four().cheapest(["a", "d"])
    with pytest.raises(ParameterError, match="prior: at least one algorithm"):
        four().cheapest([])
    with pytest.raises(ParameterError, match="probability: it lies between 0 and 1, and 95 was"):
        four().cheapest(["a"], probability=95)


@pytest.mark.parametrize("measure", [ACCURACY, ERROR])
def test_rank_sets_hold_at_once_and_count_who_is_better_beyond_the_region(measure: Measure) -> None:
    """In the four draws the ranks are 1 3 1, 1 3 2, 3 1 1 and 1 1 1; the third is given up."""
    posterior = four(measure)
    assert posterior.rank_sets() == {"a": (1, 1), "b": (1, 3), "c": (1, 2)}
    assert posterior.rank_sets(0.5) == {"a": (1, 1), "b": (3, 3), "c": (1, 2)}
    assert posterior.rank_sets(0.99) == {"a": (1, 3), "b": (1, 3), "c": (1, 2)}
    assert posterior.to_dict()["rank_sets"] == {"a": [1, 1], "b": [1, 3], "c": [1, 2]}
    text = " ".join(str(posterior).split())
    assert "With 75 % all ranks hold at once; a rank counts those better beyond the region." in text
    # Without a region they are 1 3 2, 1 3 2, 3 1 2 and 1 3 1.
    bare = four(measure, scale=Scale(measure.name, 0.0, measure.higher_is_better))
    assert bare.rank_sets(0.75) == {"a": (1, 1), "b": (3, 3), "c": (1, 2)}
    with pytest.raises(ParameterError, match="mass"):
        posterior.rank_sets(1.0)


def test_pairwise_models_know_no_joint_answer() -> None:
    posterior = region_posterior(["a", "b", "c"])
    asked = (posterior.best, posterior.rank_sets, lambda: posterior.cheapest(["a", "b", "c"]))
    for ask in asked:
        with pytest.raises(ParameterError, match="model: 'sign' compares pair by pair"):
            ask()
    assert posterior.to_dict()["best"] == posterior.to_dict()["best_set"] == []
    assert posterior.to_dict()["best_set_probability"] is None
    assert posterior.to_dict()["effects"] == []
    assert posterior.to_dict()["rank_sets"] is None


# --- can it be trusted? ---------------------------------------------------------------------------


def test_warnings_of_chains_weights_and_checks() -> None:
    assert joint_posterior(["a", "b", "c"]).warnings() == ()
    assert four().warnings() == (
        "only 4 effective draws (of algorithm, 400 are wanted): draw more",
    )
    rng = np.random.default_rng(0)
    effects = rng.standard_normal((4, 500, 3))
    effects[2:] += 5.0  # two chains elsewhere
    stuck = Draws({"algorithm": effects}, "by hand", facts={"pareto_k": 0.9})
    posterior = four(draws=stuck, checks=Checks(warnings=["outliers"]))
    disagree, few, weights, outliers = posterior.warnings()
    assert "the chains disagree (R-hat" in disagree
    assert "effective draws" in few
    assert weights == "the importance weights are unreliable (Pareto k 0.90, above 0.7)"
    assert outliers == "outliers"
    summary = posterior.to_dict()["diagnostics"]
    assert summary["warnings"] == list(posterior.warnings())
    assert summary["r_hat"] > 1.01
    text = " ".join(str(posterior).split())
    assert "! the chains disagree" in text
    assert four(draws=Draws(stuck.values, "", independent=True)).warnings() == ()


def test_diagnostics_frame() -> None:
    frame = four().diagnostics()
    assert frame.to_dict("records") == [
        {"parameter": "algorithm", "r_hat": 1.0, "ess_bulk": 4.0, "ess_tail": 4.0}
    ]
    # Nothing moved, nothing to tell: the columns are there all the same.
    constant = four(draws=Draws({"algorithm": np.zeros((2, 4, 3))}, "by hand"))
    assert list(constant.diagnostics().columns) == list(frame.columns)
    assert constant.to_dict()["diagnostics"]["ess_bulk"] is None


# --- faces ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("make", [joint_posterior, region_posterior])
def test_the_contract_of_the_dictionary(make: Any) -> None:
    """Scripts rely on these keys."""
    summary = make(["a", "b", "c"]).to_dict()
    assert json.loads(json.dumps(summary)) == summary
    assert summary["kind"] == "posterior"
    assert {"model", "rope", "pairs", "diagnostics", "best", "effects", "notes"} <= set(summary)
    assert summary["rope"] == 0.01
    for pair in summary["pairs"]:
        assert {"a", "b", "p_a_better", "p_rope", "p_b_better", "difference", "hdi"} <= set(pair)
        low, high = pair["hdi"]
        assert low <= pair["difference"] <= high
        total = pair["p_a_better"] + pair["p_rope"] + pair["p_b_better"]
        assert total == pytest.approx(1)
    assert {"r_hat", "ess_bulk", "ess_tail", "mc_error", "n_draws", "warnings"} <= set(
        summary["diagnostics"]
    )


def test_dictionary_by_hand() -> None:
    summary = four(notes=("a convention",)).to_dict()
    assert summary["order"] == ["a", "c", "b"]  # 0 + 0 + 4 + 0 behind, 4.5, 7.5
    assert summary["effects"][0] == {"algorithm": "a", "mean": 3.5, "hdi": [1.0, 5.0]}
    assert summary["scale"] == {
        "name": "accuracy", "rope": 1.0, "higher_is_better": True, "ratios": False,
    }  # fmt: skip
    assert summary["measure"]["name"] == "accuracy"
    assert (summary["n_datasets"], summary["mass"]) == (9, 0.75)
    assert summary["notes"] == ["a convention"]
    assert summary["diagnostics"]["n_draws"] == 4


def test_effects_on_another_scale() -> None:
    """Strengths have a unit, a region and a direction of their own."""
    posterior = four(ERROR, scale=Scale("log-odds", 2.5, higher_is_better=False))
    assert posterior.to_dict()["scale"] == {
        "name": "log-odds",
        "rope": 2.5,
        "higher_is_better": False,
        "ratios": False,
    }
    assert posterior.best().p_as_good.tolist() == [0.75, 0.75, 0.75]  # within 2.5 now


def test_short_form() -> None:
    text = repr(four())
    assert text == "<Posterior: Bayesian ANOVA, 3 algorithms, 4 draws, region ±1>"


def test_without_arviz_it_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "arviz", None)
    with pytest.raises(MissingExtraError, match=r"to_arviz: .* pip install arviz"):
        four().to_arviz()


@pytest.mark.parametrize("grouped", [True, False])
def test_to_arviz_hands_over_writeable_draws(
    monkeypatch: pytest.MonkeyPatch, grouped: bool
) -> None:
    """Since 1.0 ArviZ takes a dictionary of groups, before it took groups by name."""
    given: list[dict[str, Any]] = []

    def from_groups(groups: dict[str, Any]) -> str:
        given.append(groups)
        return "data"

    def from_names(*, posterior: dict[str, Any]) -> str:
        given.append({"posterior": posterior})
        return "data"

    arviz = ModuleType("arviz")
    arviz.from_dict = from_groups if grouped else from_names  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "arviz", arviz)
    posterior = four()
    assert posterior.to_arviz() == "data"
    values = given[0]["posterior"]["algorithm"]
    assert values.shape == (1, 4, 3)
    values[0, 0, 0] = 99.0  # a copy: the posterior keeps its own
    assert posterior.draws.values["algorithm"][0, 0, 0] == 5.0


# --- the answer without the draws -----------------------------------------------------------------


@pytest.mark.parametrize("make", [joint_posterior, region_posterior])
def test_every_key_is_an_attribute_of_the_answer(make: Any) -> None:
    answer = make(["a", "b", "c"]).answer()
    for key, value in answer.to_dict().items():
        assert plain(getattr(answer, key)) == value
    for row, told in zip(answer.pairs, answer.to_dict()["pairs"], strict=True):
        assert {key: plain(getattr(row, key)) for key in told} == told


def test_the_answer_is_small_and_can_be_handed_over() -> None:
    posterior = joint_posterior(list("abcdef"))
    sent = pickle.dumps(posterior.answer())
    assert len(sent) < 15_000 < posterior.draws.values["algorithm"].nbytes
    assert pickle.loads(sent).to_dict() == posterior.to_dict()
    assert str(pickle.loads(sent)) == str(posterior)


@pytest.mark.parametrize("measure", [ACCURACY, ERROR])
def test_what_the_answer_adds_by_hand(measure: Measure) -> None:
    answer = four(measure).answer(prior=["c", "b", "a"], probability=0.9)
    assert [row.algorithm for row in answer.best_first] == ["a", "b", "c"]
    assert answer.best_set == ("a", "b", "c")
    assert answer.leaders is not None
    assert {answer.leaders.a, answer.leaders.b} == {"a", "c"}
    assert answer.cheapest == ("c", 0.75, 0.9, ("c", "b", "a"))  # nobody is as sure as 0.9


def test_what_is_decided() -> None:
    answer = with_shares([0.96, 0.04, 0], [0.01, 0.98, 0.01], [0.05, 0, 0.95]).answer()
    assert answer.decided == (1, 1, 1)
    assert [pair.likeliest for pair in answer.pairs] == [("a", 0.96), ("equal", 0.98), ("b", 0.95)]


def test_facts_that_a_model_does_not_have_are_not_in_the_mapping() -> None:
    found = Checks(wins_in_95=0.5)
    assert dict(found) == {"wins_in_95": 0.5}
    assert found.discrepancy is None
    with pytest.raises(KeyError):
        found["discrepancy"]
    posterior = four(draws=Draws(four().draws.values, "", facts={"acceptance": 0.9}))
    assert posterior.to_dict()["diagnostics"]["acceptance"] == 0.9
    assert "pareto_k" not in posterior.to_dict()["diagnostics"]
