"""What every result can do: show itself as text, HTML, a frame and a dictionary."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Result", "summary_html"]


class Result(ABC):
    """The base of Palio's frozen result dataclasses.

    ``to_dict()`` is the one summary: the text, the figures, the HTML and ``--json`` are all
    drawn from it, so no face can say what another does not.
    """

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """Return plain data: strings, numbers, lists and dictionaries only."""

    @abstractmethod
    def to_frame(self) -> pd.DataFrame:
        """Return the main table as a pandas frame."""

    def __str__(self) -> str:
        from palio.report.text import render_text

        return render_text(self.to_dict())

    def _repr_html_(self) -> str:
        return summary_html(self.to_dict())


def summary_html(summary: Mapping[str, Any]) -> str:
    """Return a summary as HTML for a notebook."""
    from palio.report.html import render_html

    return render_html(summary)
