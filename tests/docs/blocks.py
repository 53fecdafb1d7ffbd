"""Code blocks of a Markdown page, run as a reader would run them."""

from __future__ import annotations

import ast
import contextlib
import io
import re
import shlex
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

__all__ = ["Block", "Page", "matches", "parse"]

_FENCE = re.compile(
    r"^(?P<fence>`{3,})(?P<language>\w*)(?P<rest>[^\n]*)\n(?P<code>.*?)^(?P=fence)[ ]*$",
    re.MULTILINE | re.DOTALL,
)
_NOT_RUN = re.compile(r"<!-- not run: (?P<reason>.+?) -->\s*\Z", re.DOTALL)
_TITLE = re.compile(r'title="(?P<title>[^"]+)"')
_NAMED = re.compile(r"\A# (?P<title>[\w./-]+\.\w+)\n")
_ANSWER = "# ->"

SHELL = {"sh", "console", ""}
FILES = {"toml", "csv"}


@dataclass(frozen=True)
class Block:
    """A code block: what it is, and the output that the page shows for it."""

    language: str
    code: str
    line: int
    title: str | None = None
    not_run: str | None = None
    output: str | None = None

    @property
    def commands(self) -> list[str]:
        """The lines that call Palio."""
        lines = (line.removeprefix("$ ") for line in self.code.splitlines())
        return [line for line in lines if line.startswith("palio ")]


def parse(markdown: str) -> list[Block]:
    """Return the blocks of a page; a ``text`` block right after another is its output.

    A block that cannot run says so: ``<!-- not run: it needs a cluster -->`` right before it.
    """
    blocks: list[Block] = []
    found = list(_FENCE.finditer(markdown))
    after = {first.end(): second for first, second in pairwise(found)}
    for match in found:
        if match["language"] == "text":
            continue
        following = after.get(match.end())
        shown = (
            following["code"]
            if following is not None
            and following["language"] == "text"
            and not markdown[match.end() : following.start()].strip()
            else None
        )
        mark = _NOT_RUN.search(markdown[: match.start()])
        title = _TITLE.search(match["rest"]) or _NAMED.match(match["code"])
        blocks.append(
            Block(
                language=match["language"],
                code=match["code"],
                line=markdown.count("\n", 0, match.start()) + 1,
                title=title["title"] if title else None,
                not_run=mark["reason"] if mark else None,
                output=shown,
            )
        )
    return blocks


def matches(expected: str, actual: str) -> bool:
    r"""Whether an output is as shown: a line of only … stands for any lines, … in one for anything.

    >>> matches("a\n…\nd", "a\nb\nc\nd"), matches("a … c", "a b c"), matches("a", "b")
    (True, True, False)
    """
    lines = [line.rstrip() for line in expected.strip("\n").splitlines()]
    pattern = "".join(
        r"(?:[^\n]*\n)*?" if line.strip() == "…" else _line(line) + r"\n" for line in lines
    )
    text = "".join(f"{line.rstrip()}\n" for line in actual.strip("\n").splitlines())
    return re.fullmatch(pattern, text) is not None


def _line(line: str) -> str:
    return r"[^\n]*".join(re.escape(part) for part in line.split("…"))


class Page:
    """The blocks of a page run one after another, in a folder of their own."""

    def __init__(self, folder: Path, command: Callable[[list[str]], int]) -> None:
        self.folder, self.command = folder, command
        self.names: dict[str, Any] = {"__name__": "__main__"}

    def run(self, block: Block) -> None:
        """Run a block, and hold what it prints against what the page shows."""
        if block.language in FILES:
            if block.title is not None:
                (self.folder / block.title).write_text(block.code, encoding="utf-8")
            return
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            if block.language == "python":
                self._python(block)
            elif block.language in SHELL:
                self._shell(block)
        if block.output is not None:
            shown = printed.getvalue()
            assert matches(block.output, shown), f"line {block.line} prints:\n{shown}"

    def _shell(self, block: Block) -> None:
        for line in block.commands:
            _, *arguments = shlex.split(line, comments=True)
            assert self.command(arguments) == 0, line

    def _python(self, block: Block) -> None:
        lines = block.code.splitlines()
        for statement, last in _statements(block.code):
            wanted = lines[(statement.end_lineno or 1) - 1].partition(_ANSWER)[2].strip()
            if isinstance(statement, ast.Expr):
                value = eval(ast.unparse(statement), self.names)
                if wanted:
                    assert matches(wanted, repr(value)), f"{ast.unparse(statement)}: {value!r}"
                elif last and block.output is not None and value is not None:
                    print(repr(value))  # noqa: T201  as a notebook does
            else:
                assert not wanted, f"line {block.line}: an answer to no question"
                exec(ast.unparse(statement), self.names)


def _statements(code: str) -> Iterator[tuple[ast.stmt, bool]]:
    body = ast.parse(code).body
    for statement in body:
        yield statement, statement is body[-1]
