"""What a file holds: what is packed in it, its text, and its format where the ending does not tell.

Each packing is an entry in `PACKINGS`, how it begins and a function that opens it; it is read in
pieces and never beyond a limit, for a small file may unpack to a large one. Bytes become text:
UTF-8, UTF-16 as Excel writes it, or else Windows-1252, and that is said. Of formats only what is
unmistakable is recognised.
"""

from __future__ import annotations

import csv
import importlib
import io
import re
import unicodedata
from collections.abc import Callable
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import IO, TYPE_CHECKING, TypeAlias

from palio.scores import limits
from palio.scores.formats.markup import table_kind
from palio.scores.limits import MalformedError
from palio.words import count, quoted

if TYPE_CHECKING:
    from zipfile import ZipFile

_PIECE = 1 << 20

Packing: TypeAlias = Callable[[IO[bytes]], tuple[IO[bytes], str]]
"""Opens a file of bytes that is packed; returns another, and the name of what is in it, if any."""


def plain_name(name: str) -> str:
    """Return the name of a file without the ending of a packing.

    >>> plain_name("results.csv.xz"), plain_name("results.csv")
    ('results.csv', 'results.csv')
    """
    stem, dot, ending = name.rpartition(".")
    return stem if dot and ending.lower() in PACKINGS else name


def unpacked(content: bytes, name: str, notes: list[str]) -> tuple[bytes, str]:
    """Return what is in a packed file, and its name; of one that is not packed, the file."""
    open_packed = _packing_of(content)
    if open_packed is None:
        if plain_name(name) != name:
            notes.append("is not packed, whatever its ending says.")
        return content, plain_name(name)
    stream, inside = open_packed(io.BytesIO(content))
    size = 0  # which is counted before anything is held
    while piece := stream.read(_PIECE):
        size += len(piece)
        limits.check_size(size, packed=len(content))
    found = open_packed(io.BytesIO(content))[0].read()
    if _packing_of(found) is not None:
        raise MalformedError("is packed more than once", "Unpack it, and give the file")
    return found, inside or plain_name(name)


def _packing_of(content: bytes) -> Packing | None:
    """Return what opens a packed file; an Excel file is one of its own, though it is a ZIP."""
    found = next((each for magic, each in PACKINGS.values() if content.startswith(magic)), None)
    return None if found is _zip and is_workbook(content) else found


def all_of(file: IO[bytes]) -> bytes:
    """Return what is in an open file, of which only its end may tell how long it is."""
    found = io.BytesIO()
    while piece := file.read(_PIECE):
        limits.check_size(found.tell() + len(piece))
        found.write(piece)
    return found.getvalue()


def is_workbook(content: bytes) -> bool:
    """Return whether a ZIP is what Excel writes."""
    return content.startswith(b"PK") and b"[Content_Types].xml" in content


def begin(path: Path, size: int) -> bytes:
    """Return how a file begins, unpacked by its ending; nothing where it cannot be read."""
    if not path.is_file():  # a pipe would wait for who writes to it
        return b""
    packing = path.suffix.lower().removeprefix(".")
    try:
        with path.open("rb") as file:
            return (PACKINGS[packing][1](file)[0] if packing in PACKINGS else file).read(size)
    except Exception:  # every packing has errors of its own
        return b""


def check_archive(archive: ZipFile, share: int = 1) -> None:
    """Refuse an archive of which too much would come out; of one of several files, a share of it.

    No more comes out than the archive says, whatever is in it.
    """
    members = archive.infolist()
    packed = sum(each.compress_size for each in members)
    limits.check_size(sum(each.file_size for each in members), packed=packed, share=share)


# --- the packings --------------------------------------------------------------------------


def _by(module: str) -> Packing:
    return lambda file: (importlib.import_module(module).open(file), "")


def _zip(file: IO[bytes]) -> tuple[IO[bytes], str]:
    from zipfile import ZipFile

    archive = ZipFile(file)
    # What macOS adds, and folders, are no files of anyone.
    members = [each for each in archive.infolist() if not each.is_dir()]
    members = [each for each in members if not each.filename.startswith("__MACOSX/")]
    if len(members) != 1:
        told = f"holds {count(len(members), 'file')} ({quoted(each.filename for each in members)})"
        raise MalformedError(told, "Unpack it, and give one of them or the folder")
    return archive.open(members[0]), Path(members[0].filename).name


PACKINGS: dict[str, tuple[bytes, Packing]] = {
    "gz": (b"\x1f\x8b", _by("gzip")),
    "bz2": (b"BZh", _by("bz2")),
    "xz": (b"\xfd7zXZ\0", _by("lzma")),
    "zip": (b"PK\x03\x04", _zip),
}


# --- text ----------------------------------------------------------------------------------

_MARKS = {b"\xef\xbb\xbf": "utf-8-sig", b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16"}
_BYTES = 1 << 16
_CONTROL = re.compile(r"[\x01-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f]")
_PLAIN = bytes([*b"\t\n\r", *range(32, 127)])  # for which nothing else need be looked at
_NOT_IN_TEXT = re.compile(rb"[\0-\x08\x0e-\x1a\x1c-\x1f\x7f\x81\x8d\x8f\x90\x9d]")


def decoded(content: bytes, notes: list[str]) -> str:
    """Return the text; ``notes`` are what is to be said of it after the name of the file.

    >>> decoded("naïve".encode("utf-16"), [])
    'naïve'
    """
    encoding = next((name for mark, name in _MARKS.items() if content.startswith(mark)), "utf-8")
    try:
        text = content.decode(encoding)
    except UnicodeDecodeError as error:
        if encoding != "utf-8" or not _is_western(content):
            line = content.count(b"\n", 0, error.start) + 1
            told = f"is not {encoding.upper()[:6].rstrip('-')} text (see line {line})"
            raise MalformedError(told, "Save it as UTF-8") from error
        notes.append("is not UTF-8, and was read as Windows-1252.")
        return content.decode("cp1252")
    if not text or text.isspace():
        raise MalformedError("is empty", "Give a file with a header and rows")
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise MalformedError(f"is not text: line {line} holds a NUL byte", "Save it as UTF-8")
    # Letters with accents can be written in two ways that look the same.
    text = text if text.isascii() else unicodedata.normalize("NFC", text)
    is_plain = text.isascii() and all(
        not content[at : at + _BYTES].translate(None, _PLAIN)
        for at in range(0, len(content), _BYTES)
    )
    if not is_plain and _CONTROL.search(text):  # a terminal would obey them
        notes.append("holds control characters, which were left out.")
        text = _CONTROL.sub("", text)
    return text


def _is_western(content: bytes) -> bool:
    """Return whether text that is not UTF-8 may be Windows-1252.

    It is not where some of its letters are UTF-8, for that is UTF-8 with a fault, nor where the
    first byte of such a letter is at the very end: the file was cut.
    """
    if _NOT_IN_TEXT.search(content) or 0xC3 <= content[-1] <= 0xF4:
        return False
    return content.decode("utf-8", errors="ignore").isascii()


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
    (rb"\x28\xb5\x2f\xfd", "is packed by Zstandard", "Unpack it, and give the file"),
    (rb"ARROW1|FEA1", "is Feather", "Save it as Parquet or CSV"),
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


def text_format(content: bytes) -> str:
    r"""Return the name of the format that text is in, if that is plain to see.

    >>> text_format(b"model,acc\nknn,0.9\n"), text_format(b'{"model": "knn"}\n{"model": "svm"}')
    ('csv', 'jsonl')
    """
    with suppress(MalformedError):
        text = decoded(content, []).lstrip()
        kinds = [name for name, form in _BEGINS.items() if form.match(text)] or [table_kind(text)]
        if kinds[0]:
            return kinds[0]
        lines = list(filter(str.strip, islice(io.StringIO(text, newline=None), _LOOKED_AT)))
        for name, separator in (("csv", ","), ("tsv", "\t"), ("csv", ";")):
            with suppress(csv.Error):
                widths = set(map(len, csv.reader(lines, delimiter=separator)))
                if len(lines) > 1 and len(widths) == 1 and widths != {1}:
                    return name
    return ""
