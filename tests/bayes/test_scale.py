"""Differences or ratios: what each model makes of a measure, and of scores that have no ratio."""

from typing import Any

import numpy as np
import pytest

import palio
from palio.bayes import MODELS
from palio.bayes.footing import Footing
from palio.bayes.models import default_model, run_model
from palio.bayes.rope import Rope
from palio.errors import CellError, ParameterError, UnknownNameError
from palio.measures import Measure
from palio.scores import ScoreTable
from tests.bayes.tables import means_table

# On each data set another unit; a0 is 10 % below a1 everywhere, and both are far above a2.
UNITS = np.array([1.0, 1000.0, 0.001, 50.0, 3.0, 20_000.0, 0.5, 7.0])
RATIOS = np.array([0.9, 1.0, 0.3])
RNG = np.random.default_rng(3)
RMSE = UNITS[:, None] * RATIOS * np.exp(RNG.normal(scale=0.02, size=(8, 3)))

AVERAGING = [name for name, model in MODELS.items() if model.scale == "common"]
ON_SCORES = [name for name, model in MODELS.items() if not model.on_items]
SCALELESS = [name for name, model in MODELS.items() if model.scale == "none"]


def folds_of(means: np.ndarray, measure: str | Measure, folds: int = 4) -> ScoreTable:
    noise = np.exp(np.random.default_rng(0).normal(scale=0.01, size=(*means.shape, 1, folds)))
    return ScoreTable.from_arrays(
        means[:, :, None, None] * noise,
        datasets=[f"d{i}" for i in range(means.shape[0])],
        algorithms=[f"a{j}" for j in range(means.shape[1])],
        measure=measure,
    )


def few(model: str) -> dict[str, Any]:
    """Return options that make a model quick."""
    return {"draws": 400, **({"pair": ("a0", "a1")} if model == "hierarchical" else {})}


# --- what is compared ---------------------------------------------------------------------------


@pytest.mark.parametrize("model", [*AVERAGING, "sign"])
def test_the_unit_of_a_data_set_does_not_matter(model: str) -> None:
    """The same ratios in other units: the same answer."""
    one = run_model(model, folds_of(RMSE, "rmse"), **few(model))
    other = run_model(model, folds_of(RMSE * UNITS[::-1, None], "rmse"), **few(model))
    np.testing.assert_allclose(one.pairs.probabilities, other.pairs.probabilities, atol=1e-6)
    assert one.pairs.difference[0] == pytest.approx(np.log(0.9), abs=0.02)
    found = one.answer()
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
    raw = run_model("anova", means_table(scores, "rmse"), scale="differences")
    assert raw.best().set_index("algorithm").p_best["a0"] < 0.5


def test_small_ratios_are_seen_however_far_apart_the_units_are() -> None:
    """1 % better on every data set: units from 0.001 to 20,000 say nothing of the errors."""
    scores = UNITS[:, None] * [1.0, 1.01] * np.exp(RNG.normal(scale=0.002, size=(8, 2)))
    best = palio.bayes.anova(means_table(scores, "rmse")).best().set_index("algorithm")
    assert best.p_best["a0"] > 0.99


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


def test_one_data_set_has_one_unit() -> None:
    posterior = run_model(None, folds_of(RMSE[:1], "rmse"))
    assert posterior.model == "correlated-t"
    assert not posterior.answer().scale.ratios
    asked = run_model(None, folds_of(RMSE, "rmse"), dataset="d1", scale="ratios").answer()
    assert asked.scale.ratios
    assert asked.pairs[0].difference == pytest.approx(np.log(0.9), abs=0.05)


@pytest.mark.parametrize("model", AVERAGING)
def test_what_is_not_known_is_refused_with_the_choice(model: str) -> None:
    table = folds_of(RMSE, Measure("quality", higher_is_better=True))
    with pytest.raises(ParameterError, match="not known what of quality means the same") as caught:
        run_model(model, table, **few(model))
    assert {str(option.value) for option in caught.value.options} == {"differences", "ratios"}
    for name in SCALELESS:
        assert name in str(caught.value)
    for scale in ("differences", "ratios"):
        assert run_model(model, table, scale=scale, **few(model)).model == model


@pytest.mark.parametrize("model", ["sign", *SCALELESS])
def test_who_is_better_needs_no_scale(model: str) -> None:
    """Any increasing function of the scores gives the same answer."""
    measure = Measure("quality", higher_is_better=True)
    one, other = (
        run_model(model, folds_of(scores, measure, folds=1), draws=400)
        for scores in (RMSE, np.log(RMSE))
    )
    np.testing.assert_allclose(one.pairs.probabilities, other.pairs.probabilities)


# --- scores that have no ratio ------------------------------------------------------------------


@pytest.mark.parametrize("low", [0.0, -1.0])
@pytest.mark.parametrize("model", AVERAGING)
def test_no_ratio_is_an_error_that_names_the_cell_and_the_choice(model: str, low: float) -> None:
    scores = RMSE.copy()
    scores[2, 1] = low
    with pytest.raises(CellError, match="scores above 0, and that of 'a1' on 'd2'") as caught:
        run_model(model, folds_of(scores, "rmse"), **few(model))
    assert "scale='differences'" in str(caught.value)


@pytest.mark.parametrize(("rope", "model"), [(None, "plackett-luce"), (0.0, "sign")])
def test_without_a_name_who_is_better_is_asked_instead(rope: float | None, model: str) -> None:
    scores = RMSE.copy()
    scores[2, 1] = 0.0
    posterior = run_model(None, means_table(scores, "rmse"), rope=rope)
    assert posterior.model == model
    assert posterior.notes[0] == f"{model} because rmse has no scale that all data sets share"
    assert posterior.answer().order[0] == "a2"
    assert np.isfinite(posterior.pairs.difference).all()


def test_the_sign_test_has_no_region_of_ratios_with_a_zero() -> None:
    scores = RMSE.copy()
    scores[2, 1] = 0.0
    with pytest.raises(CellError, match="sign without a region"):
        palio.bayes.sign(means_table(scores, "rmse"), rope=0.01)
    assert palio.bayes.sign(means_table(scores, "rmse"), rope=0.01, scale="differences").pairs


def test_ratios_that_are_tied_but_for_rounding_are_ties() -> None:
    scores = np.array([[1.0, 1.0 + 4e-16]] * 6)
    assert (palio.bayes.sign(means_table(scores, "rmse")).pairs.difference == 0).all()


# --- which model is asked -----------------------------------------------------------------------


def test_the_default_model() -> None:
    many, quality = means_table(RMSE, "rmse"), Measure("quality", higher_is_better=True)
    assert default_model(many) == "anova"
    assert default_model(many, dataset="d1") == "correlated-t"
    assert default_model(many.select(datasets=["d1"])) == "correlated-t"
    other = folds_of(RMSE, quality)
    assert default_model(other) == default_model(other, rope="auto") == "plackett-luce"
    assert default_model(other, rope=0.01) == "sign"
    assert default_model(other, scale="ratios") == "anova"
    few = RMSE.copy()
    few[1:, 1:] = np.nan
    assert default_model(means_table(few, "r2")) == "bradley-terry"


def test_every_model_says_what_it_needs_of_the_measure() -> None:
    needs = {name: model.scale for name, model in MODELS.items()}
    assert needs == {
        "anova": "common", "sign": "region", "signed-rank": "common", "correlated-t": "one",
        "hierarchical": "common", "outcomes": "one", "hierarchical-items": "one",
        "bradley-terry": "none", "plackett-luce": "none",
    }  # fmt: skip
    for model in MODELS.values():
        assert ("scale" in model.options) == (model.scale != "none" and not model.on_items)


def test_an_unknown_scale_lists_those_there_are() -> None:
    with pytest.raises(UnknownNameError, match=r"'log' is not known.*differences, ratios"):
        palio.bayes.anova(means_table(RMSE, "rmse"), scale="log")  # type: ignore[arg-type]


# --- the region ---------------------------------------------------------------------------------


def footing(table: ScoreTable, rope: object, scale: str = "auto") -> Footing:
    return Footing.of("anova", table, rope=rope, scale=scale)  # type: ignore[arg-type]


def test_a_region_is_a_number_a_rope_or_what_the_table_suggests() -> None:
    halves = folds_of(0.5 + 0.1 * RATIOS + np.zeros((8, 3)), "error", folds=2)
    suggested = footing(halves, "auto")
    assert suggested.rope.value == pytest.approx(palio.bayes.suggest_rope(halves).value)
    assert footing(halves, 0.01).rope == Rope(0.01)
    assert footing(halves, Rope(0.02, "the client says so")).rope.source == "the client says so"
    ratios = footing(folds_of(RMSE, "rmse", folds=2), "auto")
    assert ratios.width == pytest.approx(np.log1p(ratios.rope.value))


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
    found = footing(table, "auto")
    assert found.rope == Rope(0.0, "none given, and the table suggests none")
    assert any(says in note for note in found.notes)


@pytest.mark.parametrize("model", [name for name in ON_SCORES if name not in SCALELESS])
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
