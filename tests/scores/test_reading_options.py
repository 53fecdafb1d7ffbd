"""Every function that asks about a table takes the options of reading it, too."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

import palio
from palio import bayes
from palio.errors import InputError, ParameterError
from palio.recommending.experience import as_known
from palio.scores.reading import READING, reading_in

RNG = np.random.default_rng(0)
FOLDS = [(d, r, f) for d in ("x", "y", "z", "u", "v", "w") for r in range(5) for f in range(2)]
# Two scores of three algorithms on 5×2 folds: which of them is asked about must be said.
FRAME = pd.DataFrame(
    [
        {
            "dataset": dataset, "algorithm": name, "repeat": repeat, "fold": fold,
            "zeal": value, "woe": -value, "train_time": 1.0 + place,
        }
        for dataset, repeat, fold in FOLDS
        for place, name in enumerate("abc")
        for value in [0.5 + place / 10 + RNG.normal(scale=0.02)]
    ]
)  # fmt: skip
ITEMS = pd.DataFrame(
    [
        {"dataset": data, "item": item, "algorithm": name, "zeal": int(RNG.random() < share)}
        for data in "xyzuvw"
        for item in range(12)
        for name, share in (("a", 0.3), ("b", 0.5), ("c", 0.8))
    ]
)
READ: dict[str, Any] = {"score": "zeal", "higher_is_better": True}

ASK: dict[Callable[..., Any], dict[str, Any]] = {
    palio.aggregate: {"n_resamples": 20},
    palio.analyse: {"checks": []},
    palio.audit: {"only": ["pools"]},
    palio.compare: {},
    palio.compare_folds: {"dataset": "x"},
    palio.evaluate_rankings: {},
    palio.find_best: {"dataset": "x", "cost": "train_time"},
    palio.multi2test: {"cost": "train_time"},
    palio.multitest: {"dataset": "x", "cost": "train_time"},
    palio.order: {},
    palio.power: {"trials": 5, "n_datasets": [5]},
    palio.rank: {},
    palio.rank_stability: {"n_resamples": 20},
    palio.recommend: {"n_resamples": 20},
    palio.variance: {},
    bayes.anova: {"draws": 200, "chains": 2},
    bayes.bradley_terry: {"draws": 200},
    bayes.correlated_t: {"dataset": "x", "draws": 200},
    bayes.hierarchical: {"pair": ("a", "c"), "draws": 200, "chains": 4},
    bayes.hierarchical_items: {"draws": 200},
    bayes.outcomes: {"dataset": "x", "draws": 200},
    bayes.plackett_luce: {"draws": 200},
    bayes.sign: {"draws": 200},
    bayes.signed_rank: {"draws": 200},
    bayes.suggest_rope: {},
}
OF_ITEMS = {bayes.hierarchical_items, bayes.outcomes}
every = pytest.mark.parametrize("ask", ASK, ids=lambda ask: ask.__name__)


def frame_for(ask: Callable[..., Any]) -> pd.DataFrame:
    return ITEMS if ask in OF_ITEMS else FRAME


def said(answer: Any) -> str:
    return str(answer.answer() if hasattr(answer, "answer") else answer)


@every
def test_a_frame_is_read_with_the_options(ask: Callable[..., Any]) -> None:
    frame, own = frame_for(ask), ASK[ask]
    read = palio.read_scores(frame, **READ)
    assert said(ask(frame, **READ, **own)) == said(ask(read, **own))


@every
def test_they_are_needed(ask: Callable[..., Any]) -> None:
    with pytest.raises(InputError, match="higher_is_better"):
        ask(frame_for(ask), **ASK[ask])


@every
def test_a_misspelt_option_of_reading(ask: Callable[..., Any]) -> None:
    with pytest.raises(ParameterError, match=r"^scoer: no option .* 'score'"):
        ask(frame_for(ask), scoer="zeal", **ASK[ask])


@every
def test_a_table_that_is_read_refuses_what_it_cannot_change(ask: Callable[..., Any]) -> None:
    read = palio.read_scores(frame_for(ask), **READ)
    with pytest.raises(ParameterError, match=r"^decimal: the table is read already: .*read_scores"):
        ask(read, decimal=",", **ASK[ask])


@pytest.mark.parametrize("ask", [ask for ask in ASK if ask not in OF_ITEMS])
def test_a_table_that_is_read_takes_another_score(ask: Callable[..., Any]) -> None:
    own = ASK[ask]
    read = palio.read_scores(FRAME, **READ)
    other = {"score": "woe", "higher_is_better": False}
    assert said(ask(read, **other, **own)) == said(ask(read.with_score("woe", False), **own))


def test_a_table_that_is_read_takes_its_own_score() -> None:
    read = palio.read_scores(FRAME, **READ)
    assert str(palio.compare(read, score="zeal")) == str(palio.compare(read))
    with pytest.raises(InputError, match="wao"):
        palio.compare(read, score="wao")


def test_every_public_function_of_a_table_is_here() -> None:
    """The rest take a recommendation besides, or are asked by a name."""
    homes = [(palio, palio.__all__), (bayes, bayes.__all__)]
    functions = [getattr(home, name) for home, names in homes for name in names]
    of_tables = {
        each
        for each in functions
        if inspect.isfunction(each)
        and any("Tabular" in str(p.annotation) for p in inspect.signature(each).parameters.values())
    }
    besides = {palio.evaluate_recommendation, palio.try_in_order, bayes.run_model}
    assert of_tables == ASK.keys() | besides
    for ask in of_tables:
        kinds = {each.kind for each in inspect.signature(ask).parameters.values()}
        assert inspect.Parameter.VAR_KEYWORD in kinds


def test_a_model_by_its_name() -> None:
    found = bayes.run_model("sign", FRAME, draws=200, **READ)
    assert said(found) == said(bayes.sign(FRAME, draws=200, **READ))


def test_an_option_of_both_is_the_question_s() -> None:
    """``dataset`` is a data set for compare, and a column for variance."""
    renamed = FRAME.rename(columns={"dataset": "place"})
    assert palio.compare(FRAME, dataset="x", **READ).n_datasets == 1
    assert palio.variance(renamed, dataset="place", **READ).n_datasets == 6
    with pytest.raises(InputError, match=r"palio\.read_scores\(…"):
        palio.compare({"a b": ["x", "y"], "c d": ["p", "q"], "zeal": [1, 2]})


def test_a_misspelt_option_of_the_question() -> None:
    with pytest.raises(ParameterError, match=r"^alhpa: .* 'alpha'\?"):
        palio.variance(FRAME, alhpa=0.1, **READ)
    with pytest.raises(ParameterError, match=r"^metohd: .* 'method'\?"):
        palio.analyse(FRAME, metohd="multitest", **READ)
    with pytest.raises(ParameterError, match="over"):
        bayes.sign(FRAME, over="items", **READ)


def test_a_question_beside_options_of_reading() -> None:
    question = palio.Question(checks=[], score="zeal", higher_is_better=True)
    found = palio.analyse(FRAME, question, exclude="a")
    assert found.table.algorithms == ("b", "c")


def test_the_study_of_recommend_is_read_with_them() -> None:
    known = as_known(None, {"exclude": "svm*"}, palio.recommend)
    assert known.experience is not None
    assert not any(name.startswith("svm") for name in known.table.algorithms)
    with pytest.raises(ParameterError, match="read already"):
        as_known(known, {"exclude": "rf"}, palio.recommend)


def test_no_option_of_a_test_is_near_one_of_reading() -> None:
    options = {
        *("seed", "ties", "rope", "average", "unpaired", "n_resamples", "zero_method", "draws"),
        *("test_fraction", "test_df", "posthoc", "mass", "pair", "robust", "chains", "over"),
        *("prior_strength", "prior_place", "prior_spread", "omnibus", "positive"),
    }
    assert not options & READING
    assert reading_in(dict.fromkeys(options)) == {}
