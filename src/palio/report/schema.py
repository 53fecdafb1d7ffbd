"""The shape of a report's dictionary: types for us, and a JSON Schema for everyone else.

The classes below are the one source: the report is built as them, so that mypy checks the builder,
and `report_schema` writes them as JSON Schema, so that anyone can check a report.
"""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import (
    Annotated,
    Any,
    Literal,
    TypedDict,
    Union,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

__all__ = ["ReportDict", "report_schema"]

SCHEMA_VERSION = 1

OrderMethod = Literal["multi2test", "multitest", "mean-ranks", "mean-scores"]
Part = Literal["ordering", "comparison", "front", "posterior", "audit"]
About = Literal["order", "score", "trade", "front", "posterior", "audit", "missing", "experiment"]


class MeasureDict(TypedDict):
    """A score and its direction."""

    name: str
    higher_is_better: bool


class MissingDict(TypedDict):
    """Scores that are not there, and what was done about them."""

    choice: Annotated[str, "error, drop-datasets, worst or pairwise."]
    cells: Annotated[int, "Data set and algorithm pairs without a score, as analysed."]
    of: Annotated[int, "All pairs of a data set and an algorithm."]


class TableDict(TypedDict):
    """What was analysed."""

    source: Annotated[str | None, "The file or the store, where there is one."]
    measure: MeasureDict
    design: Annotated[str, "The resampling design, in words."]
    n_datasets: int
    n_algorithms: int
    datasets: list[str]
    algorithms: list[str]
    costs: Annotated[list[str], "The names of the costs that the table has."]
    missing: MissingDict
    notes: list[str]


class StatementDict(TypedDict):
    """A sentence of the verdict, and what it rests on."""

    about: About
    claim: str
    certainty: Annotated[str, "The test, its level and its p-value, or the probability."]


class VerdictDict(TypedDict):
    """The answer in plain sentences."""

    headline: str
    first: Annotated[str, "The first of the order."]
    best_by_score: Annotated[str, "The best mean rank, or the best mean score on one data set."]
    statements: list[StatementDict]


class OrderRowDict(TypedDict):
    """An algorithm in its place, and why."""

    place: int
    algorithm: str
    mean_score: float | None
    mean_rank: Annotated[float | None, "By the score alone; null on one data set."]
    cost: Annotated[float | None, "What the order went by; null where no cost was weighed."]
    costs: Annotated[dict[str, float | None], "The mean of every cost, in its own unit."]
    prior_place: Annotated[int | None, "The place by cost alone."]
    on_front: Annotated[bool | None, "Whether nobody is as good, as cheap, and better in one."]
    reason: str
    overrides: Annotated[list[str], "Cheaper ones it is significantly better than (the order's)."]
    waits_for: Annotated[list[str], "Costlier ones significantly better than it (the order's)."]
    beats: Annotated[list[str] | None, "Significantly worse by the comparison; null if none made."]
    beaten_by: list[str] | None
    level_with: Annotated[list[str] | None, "Compared, and no difference found."]


class OrderDict(TypedDict):
    """Best first."""

    method: OrderMethod
    cost: Annotated[dict[str, float] | None, "The costs weighed, with their weights."]
    rows: list[OrderRowDict]


class FrontPointDict(TypedDict):
    """An algorithm by mean cost and mean score."""

    algorithm: str
    cost: float
    score: float
    on_front: bool
    dominated_by: Annotated[list[str], "As good, as cheap, and better in one of the two."]


class FrontDict(TypedDict):
    """Cost against score, by the means alone."""

    cost: dict[str, float]
    unit: Annotated[str, "What the costs are counted in, in words."]
    measure: MeasureDict
    points: list[FrontPointDict]


class NotDoneDict(TypedDict):
    """A part that the report does without, and why."""

    part: Part
    why: str


class FailureDict(TypedDict):
    """Jobs that ended for one cause."""

    cause: str
    jobs: int
    datasets: list[str]
    algorithms: list[str]


class MachineDict(TypedDict):
    """Where jobs ran."""

    host: str
    processor: str
    exclusive: Annotated[bool, "Whether nothing else ran beside them."]
    jobs: int


class ExperimentDict(TypedDict):
    """What the store says of the run."""

    store: str
    plan: str | None
    jobs: int
    counts: Annotated[dict[str, int], "How many jobs ended how; 'not run' for those to come."]
    finished: bool
    failures: list[FailureDict]
    machines: list[MachineDict]
    versions: Annotated[dict[str, list[str]], "Of the libraries that ran it."]


class PairDict(TypedDict):
    """Two algorithms, and what a test says of them."""

    a: str
    b: str
    statistic: float | None
    p_value: float | None
    p_adjusted: float | None
    significant: bool
    better: str | None


class OrderingDict(TypedDict):
    """The whole result of MultiTest or Multi²Test, as `palio order --json` has it."""

    kind: Literal["ordering"]
    order: list[str]
    ranks: dict[str, int]
    prior: list[str]
    edges: list[list[str]]
    mean_ranks: dict[str, float]
    mean_places: dict[str, float]
    pairs: list[PairDict]
    per_dataset: dict[str, Any]
    notes: list[str]


class ComparisonDict(TypedDict):
    """The whole comparison, as `palio compare --json` has it."""

    kind: Literal["comparison"]
    algorithms: list[str]
    n_datasets: int
    mean_ranks: dict[str, float]
    omnibus: dict[str, Any]
    critical_difference: float | None
    pairs: list[PairDict]
    groups: list[list[str]]
    notes: list[str]


class PosteriorPairDict(TypedDict):
    """Two algorithms, and how probable it is that either is better."""

    a: str
    b: str
    p_a_better: float
    p_rope: float
    p_b_better: float
    difference: float
    hdi: list[float]


class PosteriorDict(TypedDict):
    """The whole posterior, as `palio bayes --json` has it."""

    kind: Literal["posterior"]
    model: str
    rope: float
    pairs: list[PosteriorPairDict]
    diagnostics: dict[str, Any]
    notes: list[str]


class AuditDict(TypedDict):
    """The whole audit, as `palio audit --json` has it."""

    kind: Literal["audit"]
    significant: list[list[str]]
    sound: list[list[str]]
    checks: list[dict[str, Any]]
    notes: list[str]


class ReferenceDict(TypedDict):
    """A work that a method comes from."""

    short: str
    full: str
    methods: Annotated[list[str], "What it is cited for."]


class ReportDict(TypedDict):
    """A whole report: the answer, the evidence, and how it was found."""

    kind: Literal["report"]
    schema_version: int
    question: Annotated[dict[str, Any], "What was asked, as given."]
    query: Annotated[str, "The same as a query string."]
    choices: Annotated[list[str], "What was chosen where the question left it open."]
    table: TableDict
    verdict: VerdictDict
    order: OrderDict
    ordering: OrderingDict | None
    comparison: ComparisonDict | None
    front: FrontDict | None
    posterior: PosteriorDict | None
    audit: AuditDict | None
    not_done: list[NotDoneDict]
    experiment: ExperimentDict | None
    versions: Annotated[dict[str, str], "Of the libraries that made the report."]
    references: list[ReferenceDict]
    notes: Annotated[list[str], "The conventions of all parts, each once."]


# These hold more than is promised here.
_OPEN = (OrderingDict, ComparisonDict, PosteriorDict, AuditDict, PairDict, PosteriorPairDict)


def report_schema() -> dict[str, Any]:
    """Return the JSON Schema (2020-12) of a report: what ``palio report --json`` prints.

    Returns
    -------
    dict
        Plain data, for any validator.

    Examples
    --------
    >>> schema = report_schema()
    >>> schema["title"], schema["properties"]["kind"]
    ('Report', {'const': 'report'})
    """
    definitions: dict[str, Any] = {}
    top = _object(ReportDict, definitions)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **top,
        "$defs": dict(sorted(definitions.items())),
    }


def _title(kind: Any) -> str:
    return str(kind.__name__).removesuffix("Dict")


def _object(kind: Any, definitions: dict[str, Any]) -> dict[str, Any]:
    hints = get_type_hints(kind, include_extras=True)
    return {
        "title": _title(kind),
        "description": kind.__doc__,
        "type": "object",
        "properties": {name: _schema(hint, definitions) for name, hint in hints.items()},
        "required": sorted(kind.__required_keys__),
        "additionalProperties": kind in _OPEN,
    }


_PLAIN: dict[Any, dict[str, Any]] = {
    str: {"type": "string"},
    int: {"type": "integer"},
    float: {"type": "number"},
    bool: {"type": "boolean"},
    types.NoneType: {"type": "null"},
    Any: {},
}


def _schema(hint: Any, definitions: dict[str, Any]) -> dict[str, Any]:
    """Write a type as a schema; classes go to the definitions, each once."""
    if hint in _PLAIN:
        return dict(_PLAIN[hint])
    if is_typeddict(hint):
        if _title(hint) not in definitions:
            definitions[_title(hint)] = _object(hint, definitions)
        return {"$ref": f"#/$defs/{_title(hint)}"}
    return _WRITERS[get_origin(hint)](get_args(hint), definitions)


def _literal(arguments: tuple[Any, ...], _definitions: dict[str, Any]) -> dict[str, Any]:
    return {"const": arguments[0]} if len(arguments) == 1 else {"enum": list(arguments)}


def _annotated(arguments: tuple[Any, ...], definitions: dict[str, Any]) -> dict[str, Any]:
    return {**_schema(arguments[0], definitions), "description": arguments[1]}


def _list(arguments: tuple[Any, ...], definitions: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": _schema(arguments[0], definitions)}


def _dict(arguments: tuple[Any, ...], definitions: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "additionalProperties": _schema(arguments[1], definitions)}


def _union(arguments: tuple[Any, ...], definitions: dict[str, Any]) -> dict[str, Any]:
    return {"anyOf": [_schema(each, definitions) for each in arguments]}


_WRITERS: dict[Any, Callable[[tuple[Any, ...], dict[str, Any]], dict[str, Any]]] = {
    Literal: _literal,
    Annotated: _annotated,
    list: _list,
    dict: _dict,
    Union: _union,
    types.UnionType: _union,
}
