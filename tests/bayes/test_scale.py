"""One scale for all models: what each makes of differences, of ratios and of order alone."""

from typing import Any

import numpy as np
import pytest

import palio
from palio.bayes import MODELS
from palio.bayes.models import default_model, run_model
from palio.bayes.posterior import Posterior
from palio.bayes.rope import Region, Rope
from palio.errors import MissingCellsError, Option, ParameterError
from palio.measures import Measure
from palio.scores import ItemScores, ScoreTable
from tests.bayes.tables import means_table

# On each data set another unit; a0 is 10 % below a1 everywhere, and both are far above a2.
UNITS = np.array([1.0, 1000.0, 0.001, 50.0, 3.0, 20_000.0, 0.5, 7.0])
RATIOS = np.array([0.9, 1.0, 0.3])
RNG = np.random.default_rng(3)
RMSE = UNITS[:, None] * RATIOS * np.exp(RNG.normal(scale=0.02, size=(8, 3)))
QUALITY = Measure("quality", higher_is_better=True)

ON_SCORES = [name for name, model in MODELS.items() if not model.on_items]
STRENGTHS = ["bradley-terry", "plackett-luce"]
AVERAGING = ["anova", "signed-rank", "hierarchical"]
SIZED = [name for name, model in MODELS.items() if model.weighs_sizes]


def folds_of(means: np.ndarray, measure: str | Measure, folds: int = 4) -> ScoreTable:
    noise = np.exp(np.random.default_rng(0).normal(scale=0.01, size=(*means.shape, 1, folds)))
    return ScoreTable.from_arrays(
        means[:, :, None, None] * noise,
        datasets=[f"d{i}" for i in range(means.shape[0])],
        algorithms=[f"a{j}" for j in range(means.shape[1])],
        measure=measure,
    )


def items_of(means: np.ndarray, measure: str | Measure) -> ScoreTable:
    """Return a table with ten items of each data set, whose scores vary around its means."""
    noise = np.exp(np.random.default_rng(0).normal(scale=0.1, size=(len(means), 10, 1)))
    values = (means[:, None] * noise).reshape(-1, means.shape[1])
    names = np.repeat([f"d{i}" for i in range(len(means))], 10).tolist()
    algorithms = [f"a{j}" for j in range(means.shape[1])]
    items = ItemScores.from_arrays(values, algorithms=algorithms, measure=measure, dataset=names)
    return items.to_scores()


def few(model: str) -> dict[str, Any]:
    """Return options that make a model quick."""
    return {"draws": 400, **({"pair": ("a0", "a1")} if model == "hierarchical" else {})}


# --- the unit of a data set ---------------------------------------------------------------------

# Scores of 0 and 1, which `outcomes` needs, have no other unit.
WITH_UNITS = [name for name, model in MODELS.items() if not model.binary]


def asked(model: str, scores: np.ndarray, folds: int) -> Posterior:
    items = MODELS[model].on_items
    table = items_of(scores, "rmse") if items else folds_of(scores, "rmse", folds)
    one = {"dataset": "d1"} if MODELS[model].one_dataset else {}
    return run_model(model, table, **few(model), **one)


@pytest.mark.parametrize("folds", [2, 4], ids=["with a region", "without"])
@pytest.mark.parametrize("model", WITH_UNITS)
def test_the_unit_of_a_data_set_changes_nothing(model: str, folds: int) -> None:
    """The same ratios in other units, for all models: the same draws and the same answer."""
    scores = RMSE.copy()
    scores[2, 1] *= 1e-9  # at the floor
    unit = np.where(np.arange(8) == 1, 1.0, 1e6 / UNITS) if model == "correlated-t" else 1e6 / UNITS
    one, other = (asked(model, each, folds) for each in (scores, scores * unit[:, None]))
    assert one.rope.value == pytest.approx(other.rope.value)
    assert (one.rope.value > 0) == (
        (folds == 2 and not MODELS[model].on_items) or model in STRENGTHS
    )
    np.testing.assert_allclose(one.pairs.probabilities, other.pairs.probabilities, atol=1e-6)
    np.testing.assert_allclose(one.pairs.difference, other.pairs.difference, rtol=1e-6)
    np.testing.assert_allclose(one.pairs.hdi, other.pairs.hdi, rtol=1e-5)
    for name, drawn in one.draws.values.items():
        np.testing.assert_allclose(drawn, other.draws.values[name], rtol=1e-5, atol=1e-7)
    mine, yours = one.answer(), other.answer()
    assert (mine.order, mine.rank_sets, mine.best_set) == (
        yours.order, yours.rank_sets, yours.best_set,
    )  # fmt: skip
    assert mine.decided == yours.decided


def test_on_one_data_set_the_unit_changes_no_probability() -> None:
    one, other = (
        run_model("correlated-t", folds_of(each[:1], "rmse", folds=2)) for each in (RMSE, 60 * RMSE)
    )
    np.testing.assert_allclose(one.pairs.probabilities, other.pairs.probabilities)
    assert other.rope.value == pytest.approx(60 * one.rope.value)
    assert one.answer().scale.name == "rmse"
    assert not one.answer().scale.ratios


@pytest.mark.parametrize("model", [*AVERAGING, "sign"])
def test_what_has_a_unit_is_compared_by_ratios(model: str) -> None:
    posterior = run_model(model, folds_of(RMSE, "rmse"), **few(model))
    assert posterior.pairs.difference[0] == pytest.approx(np.log(0.9), abs=0.02)
    found = posterior.answer()
    assert found.scale.ratios
    assert found.scale.name == "log rmse"
    assert found.order[0] == ("a0" if model == "hierarchical" else "a2")
    assert any("compared by ratios" in note for note in found.notes)


@pytest.mark.parametrize("model", AVERAGING)
def test_a_region_of_ratios_is_a_share(model: str) -> None:
    """a0 is 10 % below a1: equal within 15 %, different beyond 5 %."""
    table = folds_of(RMSE, "rmse")
    wide, narrow = (run_model(model, table, rope=rope, **few(model)) for rope in (0.15, 0.05))
    assert wide.pairs.probabilities[0, 1] > 0.9
    assert narrow.pairs.probabilities[0, 0] > 0.9
    assert wide.rope.value == 0.15
    assert wide.answer().scale.rope == pytest.approx(np.log(1.15))


def test_raw_errors_are_not_averaged() -> None:
    """One data set with a huge unit, on which a1 wins, must not outweigh seven others."""
    scores = np.array([[1.0, 1.2]] * 7 + [[1.3e6, 1.2e6]])
    posterior = run_model(None, means_table(scores, "rmse"))
    assert posterior.model == "anova"
    assert posterior.best().set_index("algorithm").p_best["a0"] > 0.8
    raw = run_model("anova", means_table(scores, "rmse"), scale="difference")
    assert raw.best().set_index("algorithm").p_best["a0"] < 0.5


def test_small_ratios_are_seen_however_far_apart_the_units_are() -> None:
    """1 % better on every data set: units from 0.001 to 20,000 say nothing of the errors."""
    scores = UNITS[:, None] * [1.0, 1.01] * np.exp(RNG.normal(scale=0.002, size=(8, 2)))
    best = palio.bayes.anova(means_table(scores, "rmse")).best().set_index("algorithm")
    assert best.p_best["a0"] > 0.99


def test_who_lacks_a_data_set_does_not_move_the_others() -> None:
    """a2 is far better, and where it is missing the others are no better for it."""
    scores = RMSE.copy()
    scores[4:, 2] = np.nan
    scores[6:, 1] = np.nan  # a0 alone, which says nothing of ratios
    posterior = palio.bayes.anova(means_table(scores, "rmse", missing="pairwise"), draws=2000)
    means = {row.algorithm: row.mean for row in posterior.answer().effects}
    assert means["a0"] - means["a1"] == pytest.approx(np.log(0.9), abs=0.05)
    assert means["a2"] - means["a1"] == pytest.approx(np.log(0.3), abs=0.05)
    assert posterior.n_datasets == 6


def test_negated_losses_have_ratios_too() -> None:
    up = run_model(None, means_table(-RMSE, "neg_root_mean_squared_error"))
    down = run_model(None, means_table(RMSE, "rmse"))
    np.testing.assert_allclose(up.pairs.probabilities, down.pairs.probabilities)
    assert up.answer().order == down.answer().order == ("a2", "a0", "a1")
    assert not up.answer().scale.higher_is_better


def test_shares_are_compared_by_differences() -> None:
    scores = np.array([[0.9, 0.8, 0.3]] * 8) + RNG.normal(scale=0.01, size=(8, 3))
    found = run_model(None, means_table(scores)).answer()
    assert not found.scale.ratios
    assert found.scale.name == "accuracy"


@pytest.mark.parametrize("model", AVERAGING)
def test_explained_variance_is_compared_by_what_is_left(model: str) -> None:
    left = RMSE / RMSE.max(axis=1, keepdims=True) / 2
    posterior = run_model(model, folds_of(left, "rmse"), **few(model))
    table = folds_of(left, "rmse")
    shares = ScoreTable.from_arrays(
        1 - np.stack([table.fold_scores(name) for name in table.datasets]),
        datasets=table.datasets, algorithms=table.algorithms, measure="r2",
    )  # fmt: skip
    found = run_model(model, shares, **few(model))
    np.testing.assert_allclose(found.pairs.difference, posterior.pairs.difference, atol=1e-3)
    assert found.answer().order == posterior.answer().order
    assert found.answer().scale.name == "log (1 − r2)"


def test_the_scale_is_that_of_the_table_unless_given() -> None:
    table = means_table(RMSE, "rmse")
    by_order = table.with_scale("order")
    assert run_model(None, by_order).model == "plackett-luce"
    assert run_model(None, by_order, scale="auto").model == "anova"
    assert run_model(None, table, scale="order").model == "plackett-luce"
    assert not palio.bayes.anova(by_order, scale="difference").answer().scale.ratios
    assert palio.bayes.sign(folds_of(RMSE, QUALITY), scale="ratio").answer().scale.ratios
    with pytest.raises(ParameterError, match="scale: it is difference, ratio, order, and 'log'"):
        palio.bayes.anova(table, scale="log")


# --- values at the floor of a ratio scale -------------------------------------------------------


def test_a_score_of_zero_enters_no_mean() -> None:
    scores = RMSE.copy()
    scores[2, 1] = 0.0
    holes = scores.copy()
    holes[2, 1] = np.nan
    zero, hole = means_table(scores, "rmse"), means_table(holes, "rmse", missing="pairwise")
    one, other = (palio.bayes.anova(each, draws=2000) for each in (zero, hole))
    np.testing.assert_allclose(one.pairs.probabilities, other.pairs.probabilities, atol=1e-9)
    for model in (palio.bayes.sign, palio.bayes.signed_rank):
        one, other = (model(each, draws=2000) for each in (zero, hole))
        np.testing.assert_allclose(one.pairs.difference, other.pairs.difference)


def test_a_score_of_zero_counts_by_its_side() -> None:
    scores = np.array([[1.0, 1.2]] * 5 + [[1.0, 0.0]])
    won = np.array([[1.0, 1.2]] * 5 + [[1.0, 0.9]])
    one, other = (palio.bayes.sign(means_table(each, "rmse")) for each in (scores, won))
    np.testing.assert_allclose(one.pairs.probabilities, other.pairs.probabilities)
    never = palio.bayes.sign(means_table(np.array([[1.0, 0.0]] * 6), "rmse"), draws=400)
    assert never.pairs.probabilities[0, 2] > 0.9
    assert never.to_dict()["pairs"][0]["difference"] is None
    assert "a1 is better than a0" in " ".join(str(never).split())


def test_one_that_is_always_at_the_floor_has_no_mean() -> None:
    scores = RMSE.copy()
    scores[:, 1] = 0.0
    with pytest.raises(MissingCellsError, match="'a1' has no score on any data set that another"):
        palio.bayes.anova(means_table(scores, "rmse"))


def test_ratios_that_are_tied_but_for_rounding_are_ties() -> None:
    scores = np.array([[1.0, 1.0 + 4e-16]] * 6)
    assert (palio.bayes.sign(means_table(scores, "rmse")).pairs.difference == 0).all()


# --- only who is better -------------------------------------------------------------------------


@pytest.mark.parametrize("model", SIZED)
def test_where_only_who_is_better_counts_sizes_are_refused(model: str) -> None:
    table = (items_of if MODELS[model].on_items else folds_of)(RMSE, "rmse").with_scale("order")
    if MODELS[model].binary or MODELS[model].one_dataset:
        return
    with pytest.raises(ParameterError, match="for rmse only who is better") as caught:
        run_model(model, table, **few(model))
    assert [option.value for option in caught.value.options] == ["plackett-luce", "sign"]
    assert all(option.whole for option in caught.value.options)


@pytest.mark.parametrize("model", ["sign", *STRENGTHS])
def test_who_is_better_needs_no_scale(model: str) -> None:
    """Any increasing function of the scores gives the same answer."""
    one, other = (
        run_model(model, folds_of(scores, QUALITY, folds=1), scale="order", draws=400)
        for scores in (RMSE, np.log(RMSE))
    )
    np.testing.assert_allclose(one.pairs.probabilities, other.pairs.probabilities)
    np.testing.assert_allclose(one.pairs.difference, other.pairs.difference)


def test_an_order_has_no_region() -> None:
    table = folds_of(RMSE, "rmse", folds=2).with_scale("order")
    found = palio.bayes.sign(table)
    assert found.rope.value == 0
    assert found.pairs.difference.tolist() == [1.0, -1.0, -1.0]  # won less lost
    assert found.answer().order[0] == "a2"
    for model in (None, "sign"):
        with pytest.raises(ParameterError, match="for rmse only who is better") as caught:
            run_model(model, table, rope=0.1)
        assert caught.value.options == [Option("rope", "0")]


def test_without_a_name_who_is_better_is_asked_instead() -> None:
    posterior = run_model(None, means_table(RMSE, "rmse"), scale="order")
    assert posterior.notes[0] == "plackett-luce, as for rmse only who is better counts"
    assert posterior.answer().order == ("a2", "a0", "a1")
    assert posterior.answer().best_set == ("a2",)


# --- which model is asked -----------------------------------------------------------------------


def test_the_default_model() -> None:
    many = means_table(RMSE, "rmse")
    assert default_model(many) == default_model(folds_of(RMSE, QUALITY)) == "anova"
    assert default_model(many, dataset="d1") == "correlated-t"
    assert default_model(many.select(datasets=["d1"])) == "correlated-t"
    order = many.with_scale("order")
    assert default_model(order) == default_model(order, rope="auto") == "plackett-luce"


def test_every_model_says_whether_it_weighs_sizes() -> None:
    assert {name for name, model in MODELS.items() if not model.weighs_sizes} == {
        "sign", "bradley-terry", "plackett-luce",
    }  # fmt: skip


# --- the region ---------------------------------------------------------------------------------


def test_a_region_is_a_number_a_rope_or_what_the_table_suggests() -> None:
    halves = folds_of(0.5 + 0.1 * RATIOS + np.zeros((8, 3)), "error", folds=2)
    suggested = Region.of(halves, "auto")
    assert suggested.rope.value == pytest.approx(palio.bayes.suggest_rope(halves).value)
    assert Region.of(halves, 0.01).rope == Rope(0.01)
    assert Region.of(halves, Rope(0.02, "the client says so")).rope.source == "the client says so"
    ratios = Region.of(folds_of(RMSE, "rmse", folds=2), "auto")
    assert ratios.scale.rope == pytest.approx(np.log1p(ratios.rope.value))


@pytest.mark.parametrize(
    ("table", "says"),
    [
        (means_table([[0.1, 0.2], [0.2, 0.3]]), "'d0' has one value per data set"),
        (folds_of(np.full((2, 2), 0.5), "error", folds=10), "'d0' has 10-fold cv, whose folds"),
    ],
)
def test_where_the_table_suggests_none_every_difference_counts(
    table: ScoreTable, says: str
) -> None:
    found = Region.of(table, "auto")
    assert found.rope == Rope(0.0, "none given, and the table suggests none")
    assert any(says in note for note in found.notes)


@pytest.mark.parametrize("model", [name for name in ON_SCORES if name not in STRENGTHS])
def test_without_a_region_only_ties_are_equal(model: str) -> None:
    posterior = run_model(model, folds_of(0.5 * np.ones((8, 3)) * RATIOS, "error"), **{
        **few(model), **({"dataset": "d0"} if model == "correlated-t" else {}),
    })  # fmt: skip
    assert posterior.rope.value == 0
    assert posterior.pairs.probabilities[0, 1] < 0.01
    text = str(posterior)
    assert "every difference counts" in " ".join(text.split("\n\n")[0].split())
    assert "no region of practical equivalence" in " ".join(text.split())
    assert "±" not in text.split("Notes:")[0]
    assert "P(as good)" not in text


# --- few data sets ------------------------------------------------------------------------------


@pytest.mark.parametrize("model", [name for name in ON_SCORES if name != "correlated-t"])
@pytest.mark.parametrize(("n", "chance"), [(3, "25 %"), (5, "6.25 %"), (6, None)])
def test_few_data_sets_are_warned_of(model: str, n: int, chance: str | None) -> None:
    scores = 0.5 * np.ones((n, 3)) * RATIOS
    posterior = run_model(model, folds_of(scores, "error"), **few(model))
    said = [text for text in posterior.warnings() if "data sets are few" in text]
    assert [text.startswith(f"{n} data sets") and f"in {chance} of" in text for text in said] == (
        [True] if chance else []
    )
    if chance and not posterior.answer().decided.undecided:
        assert "But see the warnings." in " ".join(str(posterior).split())


def test_a_pair_that_met_seldom_is_warned_of() -> None:
    scores = 0.5 * np.ones((8, 3)) * RATIOS
    scores[:6, 2] = np.nan
    posterior = palio.bayes.sign(means_table(scores, missing="pairwise"))
    assert posterior.warnings()[0].startswith("2 data sets are few")
