"""What a request may ask: one model, by which every query is read.

How each value is read is `READERS`, as in every link; what the names mean is for the question and
the table to say. Here is what any of them may be at all.
"""

from __future__ import annotations

from dataclasses import fields
from typing import Annotated, Any
from urllib.parse import parse_qs

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from palio.errors import PalioError, ParameterError
from palio.registry import unknown_name
from palio.report.question import READERS, Question, Weights
from palio.scores.spec import ReadSpec, read_field

# Far beyond what people ask for, and far below what a head may hold.
_LONGEST, _MOST = 20_000, 20_000

Text = Annotated[str, Field(max_length=_LONGEST)]
# Of a long one, looking for the name that may be meant would take seconds.
Method = Annotated[str, Field(max_length=100)]
Names = Annotated[tuple[Text, ...], Field(max_length=_MOST)]
Number = Annotated[float, Field(allow_inf_nan=False)]
Share = Annotated[float, Field(gt=0, lt=1)]

# What a link can say about how the table is read, besides what is part of the question.
READING = tuple(
    each.name for each in fields(ReadSpec) if each.name not in {*READERS, "plan", "alone", "limits"}
)


class Query(BaseModel):
    """A link: the table, how it is read (fields of a `ReadSpec`), and the question.

    What is left out is as `Question` has it.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    table: Text | None = None
    reading: dict[str, bool | Text | Names] = {}
    score: Text | None = None
    higher_is_better: bool | None = None
    cost: Weights | None = None
    prior: Names = ()
    method: Method | None = None
    fold_test: Method | None = None
    fold_correction: Method | None = None
    posthoc: Method | None = None
    test_fraction: Share | None = None
    over: Method | None = None
    item_test: Method | None = None
    test: Method | None = None
    correction: Method | None = None
    control: Text | None = None
    alpha: Number | None = None
    model: Method | None = None
    rope: Number | Text | None = None
    checks: Annotated[tuple[Method, ...], Field(max_length=100)] | None = None
    algorithms: Names | None = None
    datasets: Names | None = None
    focus: Text | None = None
    top: int | None = None

    @model_validator(mode="before")
    @classmethod
    def _read(cls, given: dict[str, list[str]]) -> dict[str, Any]:
        """Read the texts; of a value that is given twice, the last counts."""
        known = {"table", *READING, *READERS}
        for name in given:
            if name not in known:
                raise unknown_name("question", name, known)
        of_question = {name: READERS[name](name, given[name]) for name in READERS if name in given}
        reading = {name: read_field(name, given[name]) for name in READING if name in given}
        table = {"table": given["table"][-1]} if "table" in given else {}
        return {**table, "reading": reading, **of_question}

    @property
    def question(self) -> Question:
        """What is asked of the table."""
        given = self.model_fields_set - {"table", "reading"}
        return Question(**{name: getattr(self, name) for name in given})


def read_query(text: str) -> Query:
    """Read a query string, or say what is wrong with it.

    >>> read_query("table=study-ulas2008&alpha=0.01").question.alpha
    0.01
    >>> read_query("alhpa=0.01")
    Traceback (most recent call last):
    ...
    palio.errors.UnknownNameError: question: 'alhpa' is not known. Did you mean 'alpha'? ...
    """
    given = parse_qs(text, keep_blank_values=True)
    try:
        return Query.model_validate(given)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        known = first.get("ctx", {}).get("error")
        if isinstance(known, PalioError):
            raise known from None
        name, why = str(first["loc"][0]), first["msg"]
        raise ParameterError(name, f"{why[:1].lower()}{why[1:]}") from None
