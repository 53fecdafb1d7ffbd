"""One error, said in three ways: in Python, on the command line, on the page."""

from __future__ import annotations

import json

import pytest
from starlette.requests import Request

from palio.app.cli import as_typed
from palio.app.web.replies import _known, as_chosen
from palio.errors import MissingCellsError, Option, ParameterError, UndecidedError, UnreadableError
from palio.measures import measure_named


@pytest.mark.parametrize(
    ("option", "python", "typed", "chosen"),
    [
        (
            Option("missing", "worst"),
            "missing='worst'",
            "--missing worst",
            "missing scores 'worst'",
        ),
        (Option("score"), "score=", "--score", "the score"),
        (Option("score", "my score"), "score='my score'", "--score 'my score'", "the score 'my sc"),
        (
            Option("dataset", "Task"),
            "dataset='Task'",
            "--column dataset=Task",
            "'Task' names the data sets",
        ),
        (
            Option("algorithm", "name+size", more=(Option("transpose", "True"),)),
            "algorithm='name+size', transpose=True",
            "--column algorithm=name+size --transpose",
            "'name' and 'size' together name the algorithms, algorithms in rows",
        ),
        (Option("limits", "False"), "limits=False", "--no-limits", "a server without limits"),
        (Option("truth"), "truth=", "--column truth=NAME", "truth"),
        (
            Option("higher_is_better", "True"),
            "higher_is_better=True",
            "--higher-is-better",
            "higher is better",
        ),
        (
            Option("higher_is_better", "False"),
            "higher_is_better=False",
            "--lower-is-better",
            "lower is better",
        ),
        (Option("again", "True"), "again=True", "--again", "again 'True'"),
        (Option("test_df"), "test_df=", "--test-df", "test df"),
        (
            Option("estimators", "nb=package.module:Class"),
            "estimators='nb=package.module:Class'",
            "--algorithm nb=package.module:Class",
            "estimators 'nb=",
        ),
    ],
)
def test_options_are_spelled_by_each_face(
    option: Option, python: str, typed: str, chosen: str
) -> None:
    assert Option.read(str(option).strip("\0")) == option
    assert option.in_python() == python
    assert as_typed(option) == typed
    assert as_chosen(option).startswith(chosen)


def replied(error: Exception) -> tuple[int, dict[str, object]]:
    reply = _known(Request({"type": "http"}), error)
    return reply.status_code, json.loads(bytes(reply.body))


def test_the_same_error_in_three_faces() -> None:
    with pytest.raises(ParameterError) as caught:
        measure_named("quality")
    error = caught.value
    rule = "'quality' is not a well-known measure, so its direction cannot be read from its name"
    assert str(error) == (
        f"higher_is_better: {rule}; give higher_is_better=True or higher_is_better=False."
    )
    assert error.spelled(as_typed) == (
        f"higher_is_better: {rule}; give --higher-is-better or --lower-is-better."
    )
    assert replied(error) == (
        422,
        {
            "parameter": "higher_is_better",
            "message": f"higher_is_better: {rule}; give higher is better or lower is better.",
            "options": [
                {"choice": "higher_is_better=true", "text": "higher is better"},
                {"choice": "higher_is_better=false", "text": "lower is better"},
            ],
        },
    )


def test_values_are_never_taken_for_options() -> None:
    """A data set may be called what an option is called: only what is meant as one is spelled."""
    error = MissingCellsError("missing", "no scores on 'missing='worst'' and --score score=")
    assert error.spelled(as_typed) == f"{error}" == replied(error)[1]["message"]
    assert error.options == []


def test_what_is_set_together_is_one_choice_and_what_a_link_cannot_say_is_none() -> None:
    way = Option.together([Option("dataset", "a b"), Option("higher_is_better", "False")])
    again = Option("where", "metric=f1")
    error = UndecidedError("source", "it has two readings", remedy=f"Say which: {way}; or {again}")
    assert replied(error)[1] == {
        "parameter": "source",
        "message": "source: it has two readings.",  # the ways are buttons
        "options": [
            {
                "choice": "dataset=a+b&higher_is_better=false",
                "text": "'a b' names the data sets, lower is better",
            },
            {"choice": "%2Bwhere=metric%3Df1", "text": "only rows with 'metric=f1'"},
        ],
    }
    for option in (Option("limits", "False"), Option("costs"), Option("plan", "p")):
        assert replied(ParameterError("x", "no", remedy=f"give {option}"))[1]["options"] == []


def test_only_a_remedy_offers_options() -> None:
    """What a rule says of an option, such as that it would not do, is no offer."""
    worst, drop = Option("missing", "worst"), Option("missing", "drop-datasets")
    error = MissingCellsError("missing", f"{drop} would leave none", remedy=f"give {worst}")
    assert error.options == [worst]
    assert replied(error)[1]["message"] == (
        "missing: missing scores 'drop-datasets' would leave none; give missing scores 'worst'."
    )


def test_a_sentence_has_no_parameter() -> None:
    status, reply = replied(UnreadableError("nothing: is to be read here."))
    assert (status, reply["parameter"], reply["options"]) == (422, None, [])


def test_an_error_ends_as_a_sentence_does() -> None:
    assert str(ParameterError("test", "'sing' is not known. Did you mean 'sign'?")).endswith("'?")
    assert str(ParameterError("alpha", "between 0 and 1", "2 was given.")).endswith("given.")
