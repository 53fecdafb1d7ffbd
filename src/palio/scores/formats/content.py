"""What a file holds: its text, and its format where the ending does not tell.

Bytes become text: UTF-8, UTF-16 as Excel writes it, or else Windows-1252, and that is said. Of
formats only what is unmistakable is recognised.
"""

from __future__ import annotations

import codecs
import csv
import io
import re
import unicodedata
from contextlib import suppress
from itertools import islice

from palio.scores.formats.markup import table_kind
from palio.scores.limits import MalformedError

_MARKS = {  # the longer ones first, for that of UTF-32 begins as that of UTF-16 does
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
_BYTES = 1 << 16
_CONTROL = re.compile(r"[\x01-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f]")
_PLAIN = bytes([*b"\t\n\r", *range(32, 127)])  # for which nothing else need be looked at
_NOT_IN_TEXT = re.compile(rb"[\0-\x08\x0e-\x1a\x1c-\x1f\x7f\x81\x8d\x8f\x90\x9d]")


def decoded(content: bytes) -> tuple[str, tuple[str, ...]]:
    """Return the text, and what is to be said of it after the name of the file.

    >>> decoded("naïve".encode("utf-16"))
    ('naïve', ())
    >>> decoded("naïve".encode("latin-1"))
    ('naïve', ('is not UTF-8, and was read as Windows-1252.',))
    """
    marked = next((name for mark, name in _MARKS.items() if content.startswith(mark)), None)
    encoding = marked or _without_mark(content) or "utf-8"
    try:
        text = content.decode(encoding)
    except UnicodeDecodeError as error:
        if marked is not None or not _is_western(content):
            line = content.count(b"\n", 0, error.start) + 1
            told = f"is not {encoding.upper()[:6].rstrip('-')} text (see line {line})"
            raise MalformedError(told, "Save it as UTF-8") from error
        return content.decode("cp1252"), ("is not UTF-8, and was read as Windows-1252.",)
    place = text.find("\0")
    if place >= 0:
        line = text.count("\n", 0, place) + 1
        raise MalformedError(f"is not text: line {line} holds a NUL byte", "Save it as UTF-8")
    # Letters with accents can be written in two ways that look the same.
    text = text if text.isascii() else unicodedata.normalize("NFC", text)
    is_plain = text.isascii() and all(
        not content[at : at + _BYTES].translate(None, _PLAIN)
        for at in range(0, len(content), _BYTES)
    )
    if not is_plain and _CONTROL.search(text):  # a terminal would obey them
        return _CONTROL.sub("", text), ("holds control characters, which were left out.",)
    return text, ()


def _without_mark(content: bytes) -> str | None:
    """Return which UTF-16 it is: of plain letters every second byte is then NUL."""
    some = content[:_BYTES]
    even, odd = some[::2].count(0), some[1::2].count(0)
    if len(content) % 2 or 4 * max(even, odd) < len(some) or min(even, odd) > len(some) // 100:
        return None
    return "utf-16-le" if odd > even else "utf-16-be"


def _is_western(content: bytes) -> bool:
    """Return whether text that is not UTF-8 may be Windows-1252.

    It is not where some of its letters are UTF-8, for that is UTF-8 with a fault.
    """
    if _NOT_IN_TEXT.search(content) or not content.decode("utf-8", errors="ignore").isascii():
        return False
    # The first byte of a letter at the very end: the file was cut.
    return not 0xC3 <= content[-1] <= 0xF4


# --- the format ------------------------------------------------------------------------------

_LOOKED_AT = 20  # lines
RECORDS = re.compile(r"\s*\{.*\}\s*\n\s*\{.*\}\s*(?:\n|$)")  # of which each has a line
_BEGINS = {
    "jsonl": RECORDS,
    "json": re.compile(r"[{\[]"),
    "arff": re.compile(r"(?i)(?:%[^\n]*\n\s*)*@relation\b"),
    "html": re.compile(r"(?i)<(table|head|body|div|h[1-6]|p)\b"),
    "latex": re.compile(r"\\(?:documentclass|begin|section|usepackage)\b"),
}

# How files begin that hold no table, what they are, and what to do.
_STRANGERS = (
    (rb"\xd0\xcf\x11\xe0", "is a workbook of an old Excel (.xls)", "Save it as .xlsx or CSV"),
    (rb"version https://git-lfs", "stands for a file of Git LFS", "Get the file: git lfs pull"),
    (rb"%PDF-", "is a PDF", "Give the table as CSV"),
    (rb"SQLite format 3\0", "is a database", "Write its table out as CSV"),
    (rb"\x89HDF\r\n", "is HDF5", "Write its table out as CSV or Parquet"),
    (rb"\x80[\x02-\x05]", "is a pickle, which could run anything", "Write it out as Parquet"),
    (rb"(?s).{257}ustar", "is an archive (tar)", "Unpack it, and give a file or the folder"),
    (rb"(?s)PK.{,170}mimetypeapplication/vnd\.oasis", "is OpenDocument", "Save it as .xlsx or CSV"),
)


def refuse_strangers(content: bytes) -> None:
    """Raise if a file is known to hold something else than a table."""
    for begin, told, remedy in _STRANGERS:
        if re.match(begin, content):
            raise MalformedError(f"{told}, not a table", remedy)


def is_web_page(content: bytes) -> bool:
    """Return whether a file begins as web pages do."""
    return re.match(rb"(?i)\s*<(!doctype html|html)\b", content) is not None


def text_format(text: str) -> str | None:
    r"""Return the name of the format that a text is in, if that is plain to see.

    >>> text_format("model,acc\nknn,0.9\n"), text_format('{"model": "knn"}\n{"model": "svm"}')
    ('csv', 'jsonl')
    """
    begin = text.lstrip()
    kind = next((name for name, form in _BEGINS.items() if form.match(begin)), table_kind(text))
    if kind:
        return kind
    lines = [line for line in islice(io.StringIO(begin, newline=None), _LOOKED_AT) if line.strip()]
    for name, separator in (("csv", ","), ("tsv", "\t"), ("csv", ";")):
        with suppress(csv.Error):
            widths = set(map(len, csv.reader(lines, delimiter=separator)))
            if len(lines) > 1 and len(widths) == 1 and widths != {1}:
                return name
    return None
