"""The JSON Schema of a result, made from its types by pydantic.

The types are those of the attributes that `Result.parts` names: fields, and what properties
return. So whatever mypy checks of a result, anyone can check of its JSON.
"""

from __future__ import annotations

import dataclasses
import functools
import types
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    ClassVar,
    Literal,
    Union,
    get_args,
    get_origin,
    get_type_hints,
)

from palio.claims import Answer, Claim
from palio.extras import needing
from palio.results import Result, parts_of

if TYPE_CHECKING:
    from pydantic import BaseModel

# What modules name in hints without loading it, and where it is.
_LATER = {
    "PosteriorAnswer": "palio.bayes.answer",
    "Posterior": "palio.bayes.posterior",
    "Procedure": "palio.comparison.procedure",
    "RunFacts": "palio.experiment.status",
    **dict.fromkeys(("Answer", "Claim", "Level", "Verdict"), "palio.claims"),
}


def report_schema() -> dict[str, Any]:
    """Return the JSON Schema (2020-12) of a report: what ``palio report --json`` prints.

    Returns
    -------
    dict
        Plain data, for any validator. What a report holds besides its results is closed; the
        results may hold more than is promised.

    Examples
    --------
    >>> schema = report_schema()
    >>> schema["title"], schema["properties"]["kind"]["const"]
    ('Report', 'report')
    """
    from palio.report.analysis import Report

    return result_schema(Report)


def result_schema(kind: type[Result]) -> dict[str, Any]:
    """Return the JSON Schema of any result, from the types of its parts.

    Examples
    --------
    >>> from palio.comparison.pairs import TestResult
    >>> result_schema(TestResult)["properties"]["n"]
    {'type': 'integer'}
    """
    with needing("run", "schema", "it is made by pydantic"):
        from pydantic.json_schema import GenerateJsonSchema

    class Untitled(GenerateJsonSchema):
        """A schema in which properties have no titles: these would repeat their names."""

        def field_title_should_be_set(self, _schema: Any) -> bool:
            return False

    schema = _Models().model(kind).model_json_schema(schema_generator=Untitled)
    return {"$schema": GenerateJsonSchema.schema_dialect, **schema}


class _Models:
    """The pydantic models of a result and of everything in it, each made once."""

    def __init__(self) -> None:
        self._made: dict[type, type[BaseModel]] = {}

    def model(self, kind: type, *, is_open: bool = False) -> type[BaseModel]:
        """Return the model of a class that has parts; an open one may come to hold more."""
        from pydantic import ConfigDict, Field, create_model

        if kind not in self._made:
            fields: dict[str, Any] = {
                # Under another name, for some names are pydantic's own.
                f"{name}_": (
                    self._json(hint, is_open),
                    Field(None if name in _optional(kind) else ..., alias=name),
                )
                for name, hint in _hints(kind).items()
            }
            self._made[kind] = create_model(
                f"{kind.__name__}{'Claim' if issubclass(kind, Claim) else ''}",
                # Nothing is pydantic's own here: before 2.10 it claims all that begins with model_.
                __config__=ConfigDict(
                    extra="allow" if is_open else "forbid", protected_namespaces=()
                ),
                __doc__=(kind.__doc__ or "").partition("\n")[0],
                **fields,
            )
        return self._made[kind]

    def _json(self, hint: Any, is_open: bool) -> Any:
        """Return the type of what `plain` makes of a value of a type."""
        if hint is float:
            return float | None  # a number that is not finite is null
        if hint in (Answer, Claim):
            claims = tuple(self.model(each, is_open=is_open) for each in Claim.__subclasses__())
            any_claim: Any = Union[claims]  # noqa: UP007
            return list[any_claim] if hint is Answer else any_claim
        if isinstance(hint, type) and parts_of(hint):
            # A result inside another stands for itself, with all that is in it.
            return self.model(hint, is_open=is_open or issubclass(hint, Result))
        origin, inside = get_origin(hint), get_args(hint)
        if origin is None or origin is Literal:
            return hint
        if origin is Annotated:
            from pydantic import Field

            return Annotated[self._json(inside[0], is_open), Field(description=inside[1])]
        made: Any = tuple(each if each is ... else self._json(each, is_open) for each in inside)
        if origin in (Union, types.UnionType):
            return functools.reduce(lambda one, other: one | other, made)
        if issubclass(origin, Mapping):
            return dict[str, made[1]]
        if issubclass(origin, Sequence):
            several = origin is not tuple or made[-1] is ...
            return list[made[0]] if several else tuple[made]
        return list[Any]  # an array or a set


def _optional(kind: type) -> set[str]:
    """Return the parts that JSON may lack: facts of a mapping that has only what is known."""
    if not issubclass(kind, Mapping):
        return set()
    return {field.name for field in dataclasses.fields(kind) if field.default is None}  # type: ignore[arg-type]


def _hints(kind: type) -> dict[str, Any]:
    """Return the type of each part of a class, as its JSON has it."""
    under: Mapping[str, str] = getattr(kind, "under", {})
    hints = {name: _hint(kind, under.get(name, name)) for name in parts_of(kind)}
    return {**hints, "kind": Literal[kind.kind]} if issubclass(kind, (Result, Claim)) else hints


def _hint(kind: type, name: str) -> Any:
    attribute = getattr(kind, name, None)
    if isinstance(attribute, functools.cached_property):
        return _resolved(attribute.func)["return"]
    if isinstance(attribute, property):
        return _resolved(attribute.fget)["return"]
    hint = _resolved(kind)[name]
    return get_args(hint)[0] if get_origin(hint) is ClassVar else hint


@functools.cache
def _resolved(thing: Any) -> dict[str, Any]:
    """Return the hints of a class or a function, with what its module does not load."""
    later = {name: getattr(import_module(module), name) for name, module in _LATER.items()}
    return get_type_hints(thing, localns=later, include_extras=True)
