"""Numpy docstrings, taken apart and turned into Markdown."""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath

__all__ = ["Docstring", "parse", "to_markdown"]

_HEADING = re.compile(r"^(\w[\w ]*)\n-{3,}$", re.MULTILINE)
_ROLE = re.compile(r":\w+:`~?([^`]+)`")
_LITERAL = re.compile(r"``([^`]+)``")
_NAME = re.compile(r"(?<!`)`([^`]+)`(?!`)")


@dataclass(frozen=True)
class Docstring:
    """What a docstring says: one line, what follows it, and its sections by name."""

    summary: str
    text: str
    sections: Mapping[str, str] = field(default_factory=dict)


def parse(documented: object) -> Docstring:
    """Take the docstring of a function or module apart.

    >>> from palio.stats.adjust import holm
    >>> parse(holm).summary
    "Adjust p-values by Holm's step-down procedure."
    >>> sorted(parse(holm).sections)
    ['Examples', 'Notes', 'Parameters', 'References']
    """
    whole = inspect.getdoc(documented) or ""
    head, *rest = _HEADING.split(whole)
    summary, _, text = head.strip().partition("\n\n")
    sections = {
        name.strip(): body.strip("\n") for name, body in zip(rest[::2], rest[1::2], strict=True)
    }
    return Docstring(" ".join(summary.split()), text.strip(), sections)


def to_markdown(text: str, links: Mapping[str, str]) -> str:
    r"""Turn a docstring's text into Markdown; ``links`` has the pages of names that have one.

    Indented blocks are formulas, doctests are code. A function that has a page is a link to it, and
    is called as its page is.

    >>> print(to_markdown("As `holm`, with ``k`` of them::\n\n    p = 1", {"holm": "holm.md"}))
    As [`holm`](holm.md), with `k` of them:
    <BLANKLINE>
    <pre class="formula">p = 1</pre>
    """
    return "\n\n".join(_block(block, links) for block in _blocks(text))


def _blocks(text: str) -> list[str]:
    """Split at blank lines, keeping an indented block in one piece."""
    blocks: list[str] = []
    for block in re.split(r"\n\s*\n", text.strip("\n")):
        if blocks and block.startswith("    ") and blocks[-1].startswith("    "):
            blocks[-1] += "\n" + block
        else:
            blocks.append(block)
    return [block for block in blocks if block.strip()]


def _block(block: str, links: Mapping[str, str]) -> str:
    if block.startswith(">>>"):
        return f"```pycon\n{block}\n```"
    if block.startswith("    "):
        return f'<pre class="formula">{_escaped(inspect.cleandoc(block))}</pre>'
    return _inline(block, links)


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _inline(text: str, links: Mapping[str, str]) -> str:
    """Turn roles, literals and names into Markdown, and nothing else into anything."""
    text = re.sub(r"::$", ":", text)
    kept: list[str] = []

    def keep(markdown: str) -> str:
        kept.append(markdown)
        return f"\0{len(kept) - 1}\0"

    def link(name: str) -> str:
        page = links.get(name)
        return keep(f"[`{PurePosixPath(page).stem}`]({page})" if page else f"`{name}`")

    text = _LITERAL.sub(lambda found: keep(f"`{found[1]}`"), text)
    text = _ROLE.sub(lambda found: link(found[1]), text)
    text = _NAME.sub(lambda found: link(found[1]), text)
    # What is a mark in Markdown is a sign here: p*, x_i, [z > 0], <.
    text = re.sub(r"([\\*_\[\]#|])", r"\\\1", _escaped(text))
    return re.sub(r"\0(\d+)\0", lambda found: kept[int(found[1])], text)
