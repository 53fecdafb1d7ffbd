"""How the bibliography sets a paper: as reports do, with its DOI."""

from __future__ import annotations

from typing import Any

from pybtex.style.formatting.unsrt import Style
from pybtex.style.template import field, href, join, names, optional

__all__ = ["Papers"]


class Papers(Style):  # type: ignore[misc]
    """Authors (year), title and the rest. DOI."""

    default_sorting_style = "author_year_title"
    default_label_style = "alpha"

    def get_misc_template(self, _entry: Any) -> Any:
        """Return how an entry is put together; there is only this type."""
        doi = href[join["https://doi.org/", field("doi", raw=True)], field("doi", raw=True)]
        authors = names("author", sep=", ", sep2=" and ", last_sep=" and ")
        return join[
            authors, " (", field("year"), "), ", field("title", raw=True), ".", optional[" ", doi]
        ]
