"""What every result can do: show itself as text, HTML, LaTeX, figures, a frame, and as JSON.

A result is the typed answer. The faces (text, LaTeX, HTML, figures, the page) read its attributes;
a dictionary exists only at the JSON border, which is `plain` below and nothing else.
"""

from __future__ import annotations

import copy
import dataclasses
import json
import math
import re
import sys
from abc import ABC
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, TypeVar, runtime_checkable

from palio.errors import ParameterError, require

if TYPE_CHECKING:
    from typing import Self

    import pandas as pd
    from matplotlib.figure import Figure


class Shown:
    """What shows itself where a notebook's cell ends: as on the page, or as text."""

    __slots__ = ()

    def _answer(self) -> Result:
        raise NotImplementedError

    def _repr_html_(self) -> str:
        from palio.report.notebook import notebook_html

        return notebook_html(self._answer())

    def _repr_mimebundle_(self, **_options: object) -> dict[str, str]:
        # The text alone: the HTML is asked for by its own name, and not where a terminal is.
        return {"text/plain": str(self)}


class Result(Shown, ABC):
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
        """Return plain data: strings, numbers, lists and dictionaries only.

        It is what ``--json`` prints.

        Examples
        --------
        >>> import palio
        >>> found = palio.compare(palio.load_study("ulas2008")).to_dict()
        >>> found["kind"], found["unbeaten"], found["rank_sets"]["svr"]
        ('comparison', ['svr', 'svl'], [1, 2])
        """
        under = self.under
        found = {name: plain(getattr(self, under.get(name, name))) for name in parts_of(type(self))}
        return {"kind": self.kind, **found}

    def answer(self) -> Result:
        """Return what the faces show: the result itself, unless it holds more than it says."""
        return self

    def _answer(self) -> Result:
        return self.answer()

    def to_frame(self) -> pd.DataFrame:
        """Return the main table as a pandas frame."""
        import pandas as pd

        return pd.DataFrame(self._frame())

    def _frame(self) -> Any:
        """Give the main table: its rows, or its columns by their names."""
        raise NotImplementedError

    def summary(self) -> str:
        """Return the answer in a few lines: the verdict, or what the text begins with.

        Examples
        --------
        >>> import palio
        >>> print(palio.order(palio.load_study("ulas2008")).summary())
        svr leads 8 algorithms over 38 data sets; svl may be as good; shared: svr stays unbeaten in
        all 42 checks.
        10 of 28 pairs differ significantly on 38 data sets by accuracy (higher is better): Wilcoxon
        signed-rank test, Holm, α = 0.05.
        """
        from palio.report.text import render_summary

        return render_summary(self)

    def plot(self, kind: str | None = None, **options: Any) -> Figure:
        """Draw a figure of it.

        Parameters
        ----------
        kind : str, optional
            A name in `palio.report.figures.FIGURES`; the first that can be drawn from this result
            unless given.
        **options
            The figure's own.

        Examples
        --------
        >>> import io, palio
        >>> figure = palio.compare(palio.load_study("ulas2008")).plot("critical-difference")
        >>> figure.savefig(io.BytesIO(), format="pdf")  # or the name of a file
        """
        from palio.report.figures import draw

        return draw(self, kind, **options)

    def to_latex(self) -> str:
        """Return it as LaTeX, for a document with the packages adjustbox and booktabs.

        Examples
        --------
        >>> import palio
        >>> latex = palio.compare(palio.load_study("ulas2008")).to_latex()
        >>> "toprule" in latex, "svr" in latex
        (True, True)
        """
        from palio.report.latex import render_latex

        return render_latex(self)

    def to_markdown(self) -> str:
        """Return it as Markdown.

        Examples
        --------
        >>> import palio
        >>> print(palio.order(palio.load_study("ulas2008")).to_markdown().partition(";")[0])
        ## svr leads 8 algorithms over 38 data sets
        """
        from palio.report.markdown import render_markdown

        return render_markdown(self)

    def __str__(self) -> str:
        from palio.report.text import render_text

        return render_text(self)


class _Tested(Protocol):
    """What is said of two algorithms by a test."""

    @property
    def a(self) -> str: ...
    @property
    def b(self) -> str: ...
    @property
    def p_value(self) -> float: ...
    @property
    def p_adjusted(self) -> float: ...


class _HasPairs(Protocol):
    @property
    def pairs(self) -> Sequence[_Tested]: ...


EVERY_ROW = sys.maxsize


class Topped:
    """What a result with long lists can do: be shown in part, or whole."""

    shown: int | None = None

    def whole(self) -> Self:
        """Return the same result, of which a text shows every row."""
        return self.top(EVERY_ROW)

    def top(self, n: int) -> Self:
        """Return the same result, of which a text shows the first n algorithms.

        >>> import palio
        >>> palio.compare(palio.load_study("ulas2008")).top(3).shown
        3
        """
        require(n >= 1, "top", "it is 1 or more", n)
        return same_but(self, shown=n)


Thing = TypeVar("Thing")


def same_but(result: Thing, **changes: object) -> Thing:
    """Return a copy with other values of fields that nothing it has worked out depends on."""
    found = copy.copy(result)
    for name, value in changes.items():
        object.__setattr__(found, name, value)
    return found


@runtime_checkable
class Focusable(Protocol):
    """What can be looked at with one algorithm in focus."""

    def focused(self, name: str) -> Result:
        """Return the same result with one algorithm in focus."""


class Paired:
    """What results can do besides that say of pairs of algorithms whether they differ."""

    def p_values(self: _HasPairs, *, adjusted: bool = True) -> pd.DataFrame:
        """Return the p-values as a square frame, the algorithms in rows and columns.

        It is symmetric, with 1 on the diagonal; pairs that were not tested, as beside a control,
        are NaN.

        Parameters
        ----------
        adjusted : bool, default True
            Whether they are adjusted for testing many pairs at once.

        Examples
        --------
        >>> import palio
        >>> comparison = palio.compare(palio.load_study("ulas2008"))
        >>> comparison.p_values().loc["svr", ["svl", "c45"]].round(4).tolist()
        [1.0, 0.0]
        """
        import numpy as np
        import pandas as pd

        names = list(dict.fromkeys(name for pair in self.pairs for name in (pair.a, pair.b)))
        if not names:
            raise ParameterError("p_values", "there are none: this is no test of pairs")
        found = np.full((len(names), len(names)), np.nan)
        np.fill_diagonal(found, 1.0)
        place = {name: i for i, name in enumerate(names)}
        for pair in self.pairs:
            i, j = place[pair.a], place[pair.b]
            found[i, j] = found[j, i] = pair.p_adjusted if adjusted else pair.p_value
        return pd.DataFrame(found, index=names, columns=names)


def answer_of(result: Result) -> Result:
    """Return what the faces show of a result; say so where something else is given.

    >>> answer_of({"kind": "comparison"})
    Traceback (most recent call last):
    ...
    palio.errors.ParameterError: result: it is what palio.compare and the others return, and a
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
    text = json.dumps(plain(value), indent=2, ensure_ascii=False, allow_nan=False)
    # JSON may hold these as they are, but a terminal obeys them, and halves of letters are no text.
    return _UNSEEN.sub(lambda letter: f"\\u{ord(letter[0]):04x}", text)


_UNSEEN = re.compile("[\x7f-\x9f\ud800-\udfff]")


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
