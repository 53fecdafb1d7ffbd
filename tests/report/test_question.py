"""The question: what it accepts, and its text form."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from palio.errors import PalioError, ParameterError, UnknownNameError
from palio.report.question import Question

ASKED: list[dict[str, Any]] = [
    {},
    {"cost": "train_time"},
    {"cost": {"train_time": 0.7, "space": 0.3}},
    {"cost": ()},
    {"cost": {"a=b": 1.0, "c&d": 0.1}},
    {"prior": ["a", "b, c", "d&e=f"]},
    {"score": "auc", "higher_is_better": False},
    {"alpha": 0.01, "test": "sign", "correction": "bonferroni", "control": "a b"},
    {"fold_test": "kfold-t", "fold_correction": "holm", "posthoc": "pairwise-sign"},
    {"rope": "auto"},
    {"model": "sign", "rope": 0.1, "test_fraction": 1 / 3},
    {"checks": [], "algorithms": ["ä", "ß"], "datasets": ["x"]},
    {"checks": ["pools", "error-rate"]},
]


@pytest.mark.parametrize("asked", ASKED)
def test_text_form_holds_the_whole_question(asked: dict[str, Any]) -> None:
    question = Question(**asked)
    again = Question.from_query(question.to_query())
    assert again == question
    assert hash(again) == hash(question)
    assert again.to_query() == question.to_query()
    assert Question.from_query(f"?{question.to_query()}") == question


def test_defaults_are_not_written() -> None:
    assert Question().to_query() == ""
    assert Question(alpha=0.05, test="wilcoxon").to_query() == ""


def test_the_text_form_is_stable() -> None:
    question = Question(alpha=0.01, cost={"train_time": 0.7, "space": 1}, algorithms=["b", "a"])
    assert question.to_query() == (
        "cost=train_time%3D0.7&cost=space&alpha=0.01&algorithms=b&algorithms=a"
    )


@settings(max_examples=30)
@given(st.lists(st.text(min_size=1, max_size=20), min_size=1, max_size=4, unique=True))
def test_any_name_survives(names: list[str]) -> None:
    try:
        question = Question(algorithms=names)
        query = question.to_query()
    except UnicodeEncodeError:  # half a character is no text
        return
    assert Question.from_query(query) == question


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"alpha": 2}, "alpha: a significance level lies between 0 and 1"),
        ({"test": "wilcoxn"}, "Did you mean 'wilcoxon'"),
        ({"test": "5x2cv-f"}, "compares on the folds of one data set"),
        ({"fold_test": "5x2cv"}, "Did you mean '5x2cv-"),
        ({"posthoc": "nemeny"}, "Did you mean 'nemenyi'"),
        ({"correction": "nemenyi"}, "belongs to test 'mean-ranks'"),
        ({"correction": "li"}, "for comparisons with a control"),
        ({"fold_correction": "shaffer"}, "MultiTest takes"),
        ({"model": "anva"}, "Did you mean 'anova'"),
        ({"rope": -1}, "rope: it is not negative"),
        ({"rope": "wide"}, "rope: it is a number"),
        ({"cost": {"time": -1}}, "cost: weights are positive"),
        ({"cost": "time", "prior": ["a"]}, "prior: give a cost or a prior order"),
        ({"checks": ["pool"]}, "Did you mean 'pools'"),
    ],
)
def test_what_makes_no_sense_is_refused(asked: dict[str, Any], message: str) -> None:
    with pytest.raises(PalioError, match=message):
        Question(**asked)


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("alpa=0.1", "Did you mean 'alpha'"),
        ("alpha=small", "alpha: it is a number, and 'small' was given"),
        ("higher_is_better=yes", "it is true or false"),
        ("cost=time%3Dmuch", "a weight is a number"),
    ],
)
def test_a_text_that_is_no_question(query: str, message: str) -> None:
    with pytest.raises((ParameterError, UnknownNameError), match=message):
        Question.from_query(query)
