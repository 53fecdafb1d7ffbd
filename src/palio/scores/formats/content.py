"""What a file holds, where its ending does not tell: only what is unmistakable is recognised."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable
from itertools import islice
from typing import TYPE_CHECKING

from palio.scores.formats.kinds import MalformedError
from palio.scores.formats.markdown import holds_table
from palio.scores.formats.packing import is_workbook

if TYPE_CHECKING:
    from palio.scores.formats.kinds import Format

_LOOKED_AT = 20  # lines
_RELATION = re.compile(r"(?i)(?:%[^\n]*\n\s*)*@relation\b")

# How files begin that hold no table, what they are, and what to do.
_STRANGERS = (
    (rb"\xd0\xcf\x11\xe0", "is a workbook of an old Excel (.xls)", "Save it as .xlsx or CSV"),
    (rb"version https://git-lfs", "stands for a file of Git LFS", "Get the file: git lfs pull"),
    (rb"(?i)\s*<(!doctype html|html)\b", "is a web page", "Download the file itself"),
    (rb"%PDF-", "is a PDF", "Give the table as CSV"),
    (rb"SQLite format 3\0", "is a database", "Write its table out as CSV"),
    (rb"\x89HDF\r\n", "is HDF5", "Write its table out as CSV or Parquet"),
    (rb"\x80[\x02-\x05]", "is a pickle, which could run anything", "Write it out as Parquet"),
)


def refuse_strangers(content: bytes) -> None:
    """Raise if a file is known to hold something else than a table."""
    for begin, told, remedy in _STRANGERS:
        if re.match(begin, content):
            raise MalformedError(f"{told}, not a table", remedy)
    if is_archive(content):
        raise MalformedError("is an archive", "Unpack it, and give a file or the folder")
    if content.startswith(b"PK") and b"mimetypeapplication/vnd.oasis" in content[:200]:
        raise MalformedError("is an OpenDocument file", "Save it as .xlsx or CSV")


def is_archive(content: bytes) -> bool:
    """Return whether bytes are those of tar."""
    return content[257:262] == b"ustar"


def by_magic(content: bytes, formats: Iterable[Format]) -> Format | None:
    """Return the format that a file begins as, if it is no text."""
    for kind in formats:
        if content.startswith(kind.magic) and (kind.name != "xlsx" or is_workbook(content)):
            return kind
    return None


def text_format(text: str) -> str | None:
    r"""Return the name of the format that a text is in, if that is plain to see.

    >>> text_format("model,acc\nknn,0.9\n"), text_format('{"model": "knn"}\n{"model": "svm"}')
    ('csv', 'jsonl')
    """
    begin = text.lstrip()
    if begin.startswith(("{", "[")):
        lines = [line for line in begin.split("\n", _LOOKED_AT)[:_LOOKED_AT] if line.strip()]
        several = len(lines) > 1 and all(re.fullmatch(r"\s*\{.*\}\s*", line) for line in lines[:-1])
        return "jsonl" if several and lines[0].startswith("{") else "json"
    if _RELATION.match(begin):
        return "arff"
    if holds_table(text):
        return "markdown"
    lines = [line for line in islice(io.StringIO(begin, newline=None), _LOOKED_AT) if line.strip()]
    for name, separator in (("csv", ","), ("tsv", "\t"), ("csv", ";")):
        try:
            widths = set(map(len, csv.reader(lines, delimiter=separator)))
        except csv.Error:
            continue
        if len(lines) > 1 and len(widths) == 1 and widths != {1}:
            return name
    return None
