"""A result in a notebook: what it says first, its table, and its figure beside it.

It is made of the pieces of the pages. A style sheet that reaches nothing else comes along, and a
script; where a notebook runs none, the table is a plain one.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any, cast

from palio.report.blocks import Block, Items, Paragraph, Table, Title
from palio.report.elements import Html, joined, table_html, tag
from palio.report.facts import SAID_OF, finding
from palio.report.names import shown_names, with_names
from palio.report.page import asset
from palio.report.sections.evidence import audit_html
from palio.report.sections.parts import blocks_html, scrolled
from palio.report.sections.pictures import framed
from palio.report.views import view
from palio.results import Result, answer_of

if TYPE_CHECKING:
    from palio.comparison.audit import Audit
    from palio.ordering.result import Ordering
    from palio.report.analysis import Report

# A further table of more rows folds away, and a figure of more letters is left out.
_ROWS_IN_VIEW = 12
_MOST_LETTERS = 150_000

# What notebooks and documentation say of themselves where they are dark; what a reader's system
# prefers says nothing of the page around.
_DARK = (
    ':is([data-jp-theme-light="false"], [data-theme="dark"], [theme="dark"], .quarto-dark, '
    ".vscode-dark, .vscode-high-contrast:not(.vscode-high-contrast-light)) &"
)
_PREFERS_DARK = re.compile(r"@media (?:screen and )?\(prefers-color-scheme: dark\)")


def notebook_html(result: Result) -> str:
    """Return a result as a piece of HTML that stands in a page of somebody else.

    Parameters
    ----------
    result : Result
        What `palio.compare` and the others return.

    Returns
    -------
    str
        Names are text wherever they stand, and nothing is asked for from anywhere.

    Examples
    --------
    >>> import palio
    >>> shown = notebook_html(palio.compare(palio.load_study("ulas2008")))
    >>> shown.startswith('<div class="palio"'), shown.count("<table"), shown.count('role="img"')
    (True, 2, 1)
    """
    answer = answer_of(result)
    blocks = [_in_python(block) for block in view(answer)]
    is_audit = answer.kind == "audit"
    body = _audit(cast("Audit", answer), blocks) if is_audit else _usual(answer, blocks)
    also = ("audit",) if is_audit else ()
    return str(
        tag(
            "div",
            tag("style", Html(_style(*also))),
            *body,
            tag("script", Html(asset("notebook.js"))),
            class_="palio",
            # JupyterLab would take the keys of a button for its own.
            data_lm_suppress_shortcuts="true",
        )
    )


def _usual(answer: Result, blocks: Sequence[Block]) -> list[Html]:
    """Show what is said before the table, the table and the figure, and the rest."""
    at = next((i for i, block in enumerate(blocks) if isinstance(block, Table)), len(blocks))
    headline = next((each.text for each in blocks if isinstance(each, Title)), answer.kind)
    table = [_table(cast("Table", block), headline) for block in blocks[at : at + 1]]
    beside = tag("div", *table, *_figure(answer, headline), class_="beside")
    rest = [
        _folded(block, headline) if isinstance(block, Table) else blocks_html([block])
        for block in blocks[at + 1 :]
    ]
    return [blocks_html(blocks[:at]), *([beside] if beside else []), *rest]


def _audit(audit: Audit, blocks: Sequence[Block]) -> list[Html]:
    """Show what would change the answer, and the table of pairs and checks, as pages do."""
    numbers = {name: i for i, name in enumerate(audit.comparison.algorithms)}
    return [blocks_html(blocks[: 3 if audit.in_detail else 2]), audit_html(audit, numbers)]


def _in_python(block: Block) -> Block:
    """Name options as Python has them, where a page would have a word of its own."""
    if isinstance(block, Title | Paragraph):
        return replace(block, text=str(block.text))
    if isinstance(block, Items):
        return replace(block, items=tuple((mark, str(item)) for mark, item in block.items))
    return block


# --- tables ---------------------------------------------------------------------------------------


def _table(block: Table, headline: str) -> Html:
    # No region: a notebook may have any number of them, and the same one twice.
    return scrolled(table_html(block), f"{block.title or 'Table'}: {headline}", role="group")


def _folded(block: Table, headline: str) -> Html:
    """Show a further table; a long one is behind a click."""
    first = [column.name for column in block.columns[:2]]
    title = block.title or ("All pairs" if first == ["a", "b"] else f"By {first[0]}")
    made = _table(replace(block, title=""), f"{title}, {headline}")
    few = len(block.rows) <= _ROWS_IN_VIEW
    return tag("details", tag("summary", title), made, open=few)


# --- the figure -----------------------------------------------------------------------------------


def _figure(answer: Result, headline: str) -> list[Html]:
    """Draw the first figure that tells more than a sentence, unless it is too large."""
    from palio.report.figures import FIGURES, available, caption_of, draw

    shown = shown_names(_names(answer))
    part = with_names(answer, shown) if shown else answer
    name = next((each for each in available(part) if _tells(part, each)), None)
    if name is None:
        return []
    # How each place was found is said in words.
    options = {"steps": False} if name == "multitest-graph" else {}
    made = draw(part, name, medium="panel", **options)
    title = FIGURES[name].title_of(part)
    said = finding(part, name) if part.kind in SAID_OF else f"{title}. {headline}."
    # Of two figures that have an id in common, what has it is the same.
    key = f"{name} {zlib.crc32(headline.encode()):x}"
    frame = framed(made, key=key, label=said, title=title, role="group")
    if len(frame) > _MOST_LETTERS:
        return []
    below = tag("figcaption", tag("strong", f"{title}."), " ", caption_of(made))
    return [tag("figure", frame, below)]


def _names(answer: Result) -> list[str]:
    """Return the names of algorithms, some of which a figure may have no room for."""
    if answer.kind == "report":
        return list(cast("Report", answer).table.algorithms)
    found: Any = getattr(answer, "algorithms", None) or getattr(answer, "order", ())
    return [each for each in found if isinstance(each, str)]


def _tells(part: Result, name: str) -> object:
    from palio.report.figures import FIGURES

    if part.kind == "ordering" and name == "multitest-graph":
        return not cast("Ordering", part).by_mean_rank_alone and FIGURES[name].tells(part)
    return FIGURES[name].tells(part)


# --- style and script -----------------------------------------------------------------------------


@cache
def _style(*also: str) -> str:
    names = ("colours", "page", "figures", *also, "notebook")
    return _scoped(joined(Html(asset(f"{name}.css")) for name in names))


def _scoped(sheet: str) -> str:
    """Let a style sheet of a page reach what is ours in a notebook, and nothing else.

    >>> _scoped(":root { --ink: #000; } p { margin: 1rem; }")
    '.palio.palio { & { --ink: #000; } p { margin: 1em; } }'
    """
    found = re.sub(r"/\*.*?\*/\s*", "", sheet, flags=re.DOTALL)
    found = _PREFERS_DARK.sub(_DARK, found).replace(":root", "&")
    # What a rem is belongs to the page around.
    found = re.sub(r"(?<=\d)rem\b", "em", found)
    return f".palio.palio {{ {found} }}"
