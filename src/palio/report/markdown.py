"""A result as GitHub Markdown."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from palio.report.blocks import Block, Items, Paragraph, Table, Title
from palio.report.paper import pages

if TYPE_CHECKING:
    from palio.results import Result

# A backslash before these is never seen, and without it they may be markup.
_SPECIAL = re.compile(r"([\\`*_{}\[\]<>|~#&$])")

# What would begin a list or a heading if it begins a line.
_LINE_START = re.compile(r"^(\d*)([-+=.)])(?=\s|$|[-=.)])")


def render_markdown(result: Result) -> str:
    r"""Return a result as GitHub Markdown; names are escaped.

    Parameters
    ----------
    result : Result
        What `palio.compare` and the others return.

    Returns
    -------
    str
        A heading, tables and lists, with a line break at the end.

    Examples
    --------
    >>> from palio.comparison import TestResult
    >>> text = render_markdown(TestResult("sign", "a_1 = b|c", 3.0, (), 0.25, 3))
    >>> print(text.splitlines()[2])
    hypothesis: a\_1 = b\|c; statistic 3.000, n = 3
    """
    return "\n\n".join(_markdown(block) for block in pages(result)) + "\n"


def _escape(text: str) -> str:
    r"""Return a text of one line in which nothing is markup.

    >>> print(_escape("a|b *c*"))
    a\|b \*c\*
    """
    return _SPECIAL.sub(r"\\\1", " ".join(text.split()))


def _line(text: str) -> str:
    r"""Return a text that begins a line.

    >>> print(_line("1. first"), _line("- x"), _line("0.5 is a number"), sep="; ")
    1\. first; \- x; 0.5 is a number
    """
    return _LINE_START.sub(r"\1\\\2", _escape(text))


def _markdown(block: Block) -> str:
    match block:
        case Title(text):
            return f"## {_escape(text)}"
        case Paragraph(text):
            return _line(text)
        case Items(title):
            items = [f"- {_line(each)}" for each in block.lines]
            return "\n".join([f"**{_escape(title)}**", "", *items])
        case Table(title=title, bold=bold, note=note):
            head = _row([_escape(column.name) for column in block.columns])
            rule = _row(["---:" if column.numeric else ":---" for column in block.columns])
            rows = [
                _row([_cell(text, bold=(i, j) in bold) for j, text in enumerate(row)])
                for i, row in enumerate(block.rows)
            ]
            texts = [f"**{_escape(title)}**"] if title else []
            texts += [f"{_line(note)}."] if note else []
            return "\n\n".join([*texts, "\n".join([head, rule, *rows])])


def _row(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _cell(text: str, *, bold: bool) -> str:
    escaped = _escape(text)
    return f"**{escaped}**" if bold and escaped else escaped
