"""What every result can do: show itself as text, HTML, a frame, and as JSON.

A result is the typed answer. The faces (text, LaTeX, HTML, figures, the page) read its attributes;
a dictionary exists only at the JSON border, which is `plain` below and nothing else.
"""

from __future__ import annotations

import dataclasses
import json
import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from palio.errors import ParameterError

if TYPE_CHECKING:
    import pandas as pd


class Result(ABC):
    """The base of Palio's frozen result dataclasses.

    ``kind`` names it in the registry of views and in JSON. ``parts`` are the attributes, fields or
    properties, that JSON has, in this order and under these names: so whatever ``--json`` prints
    can be had in Python as an attribute, and what is dear is computed when first asked for. Without
    ``parts`` they are the fields.
    ``under`` names the attributes of the few parts that Python calls otherwise than JSON.
    """

    kind: ClassVar[str]
    parts: ClassVar[tuple[str, ...]]
    under: ClassVar[Mapping[str, str]] = {}

    def to_dict(self) -> dict[str, Any]:
        """Return plain data: strings, numbers, lists and dictionaries only."""
        under = self.under
        found = {name: plain(getattr(self, under.get(name, name))) for name in parts_of(type(self))}
        return {"kind": self.kind, **found}

    def answer(self) -> Result:
        """Return what the faces show: the result itself, unless it holds more than it says."""
        return self

    @abstractmethod
    def to_frame(self) -> pd.DataFrame:
        """Return the main table as a pandas frame."""

    def __str__(self) -> str:
        from palio.report.text import render_text

        return render_text(self)

    def _repr_html_(self) -> str:
        from palio.report.elements import render_html

        return render_html(self)


def answer_of(result: Result) -> Result:
    """Return what the faces show of a result; say so where something else is given.

    >>> answer_of({"kind": "comparison"})
    Traceback (most recent call last):
    ...
    palio.errors.ParameterError: result: it is what palio.compare and the others return, and a \
    dict was given; leave out .to_dict().
    """
    if not isinstance(result, Result):
        raise ParameterError(
            "result",
            "it is what palio.compare and the others return",
            f"a {type(result).__name__} was given",
            "leave out .to_dict()",
        )
    return result.answer()


def to_json(value: Any) -> str:
    """Write a result, or anything that `plain` takes, as JSON that every parser reads."""
    return json.dumps(plain(value), indent=2, ensure_ascii=False, allow_nan=False)


def plain(value: Any) -> Any:
    """Reduce to what JSON has; numbers that are not finite become null.

    Dataclasses and named tuples become objects of their ``parts``, or of their fields where they
    declare none.

    >>> plain({"statistic": math.inf, "df": (10, 5)})
    {'statistic': None, 'df': [10, 5]}
    """
    kind = type(value)
    if kind is float:  # most values are: the quickest way out for them
        return value if math.isfinite(value) else None
    if kind is str or kind is int or kind is bool or value is None:
        return value
    if isinstance(value, (dict, Mapping)):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, Result):
        return value.to_dict()
    names = parts_of(kind)
    if names:
        return {name: plain(getattr(value, name)) for name in names}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, frozenset):
        return sorted(plain(item) for item in value)
    if hasattr(value, "tolist"):  # a NumPy array or scalar
        return plain(value.tolist())
    return value


def parts_of(kind: type) -> tuple[str, ...]:
    """Return the names of what JSON has of a dataclass or a named tuple; none for other types."""
    declared: tuple[str, ...] | None = getattr(kind, "parts", None)
    if declared is not None:
        return declared
    if dataclasses.is_dataclass(kind):
        return tuple(field.name for field in dataclasses.fields(kind))
    return tuple(getattr(kind, "_fields", ()))
