"""The formats of files that hold a table: a format is a function that reads it and an entry here.

Whoever lists formats (messages, help, the page, the documentation) reads `FORMATS`. Each packing is
an entry in `PACKINGS`, how it begins and a function that opens it; it is read in pieces and never
beyond a limit, for a small file may unpack to a large one. Bytes become text: UTF-8, UTF-16 as
Excel writes it, or else Windows-1252, and that is said. Of formats only what is unmistakable is
recognised.
"""

from __future__ import annotations

import csv
import importlib
import io
import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, TypeAlias

from palio.errors import PalioError, ParameterError, UnreadableError
from palio.registry import Later, Registry
from palio.scores import limits
from palio.scores.columns import Columns
from palio.scores.formats.markup import table_kind
from palio.scores.frames import from_mapping, from_pandas
from palio.scores.limits import MalformedError as MalformedError
from palio.scores.text_tables import TextTable, columns_of
from palio.words import count, did_you_mean, joined, listed, one_line, quoted

if TYPE_CHECKING:
    from zipfile import ZipFile

    import pandas as pd


_PIECE = 1 << 20
LARGE = 1 << 22  # bytes of text from which on another reader is worth its loading

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


def all_of(file: IO[Any]) -> bytes:
    """Return what is in an open file, of which only its end may tell how long it is."""
    found, file = io.BytesIO(), getattr(file, "buffer", file)
    while piece := file.read(_PIECE):
        found.write(piece.encode() if isinstance(piece, str) else piece)
        limits.check_size(found.tell())
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
    if not _is_plain(content) and _CONTROL.search(text):  # a terminal would obey them
        notes.append("holds control characters, which were left out.")
        text = _CONTROL.sub("", text)
    return text


def _is_plain(content: bytes) -> bool:
    """Return whether nothing but what ASCII can print is in a text, and ends of lines and tabs."""
    pieces = (content[at : at + _BYTES] for at in range(0, len(content), _BYTES))
    return content.isascii() and not any(piece.translate(None, _PLAIN) for piece in pieces)


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


@dataclass(frozen=True)
class Format:
    """A format of files.

    Parameters
    ----------
    name : str
        Its short name.
    suffixes : tuple of str
        The endings of its files.
    read : callable
        Takes the content, text or (``binary``) bytes, and the name of the file; returns columns, a
        dictionary of columns, a frame, or all parts of a document (sheets by their names), of which
        those that cannot be read are the `MalformedError` that says why; or raises one.
    write : callable, optional
        Takes a frame and a path.
    read_large : callable, optional
        Reads large text, as plain UTF-8, in a faster way; returns nothing where it cannot.
    matches : callable
        Whether a file is plainly of this format, whatever its ending.
    binary : bool
        Whether it is no text.
    part : str
        What a file may have several of: tables, which have numbers, or sheets, which have names.
    is_document : bool
        Whether its files mostly hold other things: in a folder of tables they are passed over.
    module, extra : str, optional
        What must be installed to read it, and the extra that brings it.
    """

    name: str
    suffixes: tuple[str, ...]
    read: Callable[..., Any]
    write: Callable[..., object] | None = None
    read_large: Callable[[bytes, str], Any] | None = None
    matches: Callable[[bytes], bool] = lambda _: False
    binary: bool = False
    part: str = ""
    is_document: bool = False
    module: str | None = None
    extra: str = ""

    def table(self, content: bytes, file: str, parameter: str, notes: list[str]) -> Any:
        """Read a file; raise if what that needs is not installed."""
        self.check_installed(parameter, file)
        if self.binary:
            return self.read(content, file)
        if self.read_large is not None and len(content) >= LARGE:
            content = content if _is_plain(content) else decoded(content, notes).encode()
            if (found := self.read_large(content, file)) is not None:
                return found
        return self.read(decoded(content, notes), file)

    def check_installed(self, parameter: str, file: str) -> None:
        """Raise if what the format needs is not installed."""
        if self.module is None:
            return
        from palio.extras import needing

        with needing(self.extra, parameter, f"{file} needs {self.module}"):
            importlib.import_module(self.module)


def endings(*, packed: bool = True, written: bool = False) -> str:
    """List the endings of the files that can be read, or written.

    >>> endings(packed=False)
    '.csv, .tsv, ... or .xlsx'
    """
    kinds = [each for each in FORMATS.values() if each.write or not written]
    text = joined([suffix for kind in kinds for suffix in kind.suffixes], "or")
    packings = joined([f".{name}" for name in PACKINGS], "or")
    return text if written or not packed else f"{text}, each also with {packings} behind"


def read_file(path: Path, parameter: str, asked: str | None = None) -> Columns:
    """Read a file; ``asked`` names its format, or else its ending or its content tells it."""
    existing_file(path, parameter)
    with opened(path, parameter):
        return read_content(bytes_of(path), path.name, parameter, asked)


def read_content(whole: bytes, name: str, parameter: str, asked: str | None = None) -> Columns:
    """Read the table of results in a file, or the one that is asked for: ``markdown:2``.

    ``name`` is for the messages, and its ending may tell the format.
    """
    tables = read_tables(whole, name, parameter, asked)
    if len(tables) == 1:
        return next(iter(tables.values()))
    from palio.scores.documents import results_table

    return results_table(tables)


def read_tables(
    whole: bytes, name: str, parameter: str, asked: str | None = None
) -> dict[str, Columns]:
    """Read all tables of a file, by what asks for each (``markdown:2``), or the one asked for.

    Tables without rows, or with one column, are left out where others are not; that is noted.
    """
    limits.check_size(len(whole))
    notes = list[str]()
    content, inner = unpacked(whole, name, notes)
    kind, part = _asked(asked)
    # What is in an archive may have no ending; that of the archive tells it then.
    kind = kind or _format_of(content, inner if Path(inner).suffix else plain_name(name), notes)
    if kind is None:
        rule = f"cannot tell the format of {name!r} from its ending, nor from its content"
        remedy = f"It must be {endings()}; or read it yourself and give the frame"
        raise UnreadableError(parameter, rule, remedy=remedy)
    found = _parts(kind, kind.table(content, name, parameter, notes), part)
    read = dict[str, Columns]()
    failed = dict[str, Exception]()
    for number, table in found.items():
        try:
            read[f"{kind.name}:{number}"] = _columns(table, kind, name, alone=len(found) == 1)
        except (MalformedError, PalioError) as error:
            failed[number] = error
    if not read:
        raise next(iter(failed.values()))
    if failed:
        number, why = next(iter(failed.items()))
        told = f" ({kind.part} {number} {why})" if isinstance(why, MalformedError) else ""
        notes.append(f"has no results in the {kind.part}s {listed(failed)}{told}.")
    said = tuple(f"{name} {note}" for note in notes)
    file = plain_name(name).rpartition(".")[0] or name
    return {
        number: replace(each, notes=(*said, *each.notes), context=replace(each.context, file=file))
        for number, each in read.items()
    }


def _parts(kind: Format, found: Any, part: str) -> dict[str, Any]:
    """Return the tables of a file by their numbers or sheets, or the one that is asked for."""
    tables = found if isinstance(found, list) else [found]
    parts = found if kind.part == "sheet" else {str(n): t for n, t in enumerate(tables, 1)}
    if part and part not in parts:
        told = f"has no {kind.part} {part!r}; its {kind.part}s are {quoted(parts)}"
        raise MalformedError(told)
    return {part: parts[part]} if part else parts


def _columns(table: Any, kind: Format, name: str, *, alone: bool) -> Columns:
    """Return the columns of a table, if they may be one."""
    if isinstance(table, MalformedError):
        raise table
    if isinstance(table, TextTable):
        found = columns_of(table, name)
    elif isinstance(table, Mapping):
        found = from_mapping(table, name)
    else:
        found = table if isinstance(table, Columns) else from_pandas(table, name)
    if not (len(found) or alone):
        raise MalformedError("has no rows")
    # A record of one number is enough where the folder says what it is of.
    record = kind.name in ("json", "yaml") and len(found) == 1
    if len(found.names) == 1 and len(found) and not record:
        told = f"has one column only, {one_line(found.names[0], limit=40)!r}"
        remedy = "Give a table with names and scores, in text separated by commas or tabs"
        raise MalformedError(told, remedy)
    return found


def bytes_of(path: Path) -> bytes:
    """Return what is in a file, unless that is too much."""
    limits.check_size(path.stat().st_size)
    with path.open("rb") as file:
        return file.read() if path.is_file() else all_of(file)


def text_of(path: Path) -> str:
    """Return the text in a file, which may be packed."""
    return decoded(unpacked(bytes_of(path), path.name, [])[0], [])


def _asked(asked: str | None) -> tuple[Format | None, str]:
    """Return the format that is asked for, and the part: ``xlsx:Sheet 2``."""
    name, _, part = (asked or "").partition(":")
    kind = FORMATS[name.lower().removeprefix(".")] if name else None
    if kind is not None and part and not kind.part:
        raise ParameterError("format", f"a file of {kind.name} has no parts", f"{part!r} was given")
    return kind, part


def _format_of(content: bytes, name: str, notes: list[str]) -> Format | None:
    """Return the format of a file; ``notes`` are what is to be said of it after its name."""
    by_ending = _by_ending(name)
    found = next((kind for kind in FORMATS.values() if kind.matches(content)), None)
    if found is None:
        refuse_strangers(content)
        found = by_ending
    if found is None and (sniffed := text_format(content)):
        found = FORMATS[sniffed]
    if found not in (None, by_ending):
        notes.append(f"was read as {found.name}, by its content.")
    return found


def _by_ending(name: str) -> Format | None:
    ending = Path(name).suffix.lower()
    return next((kind for kind in FORMATS.values() if ending in kind.suffixes), None)


def write_file(frame: pd.DataFrame, path: Path, parameter: str) -> None:
    """Write a frame to a file, whose ending tells its format."""
    kind = _by_ending(path.name)
    if kind is None or kind.write is None:
        raise ParameterError(parameter, f"'{path}' must end in {endings(written=True)}")
    kind.check_installed(parameter, path.name)
    try:
        kind.write(frame, path)
    except OSError as error:
        told = f"'{path}' cannot be written: {error.strerror or one_line(error)}"
        raise ParameterError(parameter, told) from error


def existing_file(path: Path, parameter: str) -> None:
    """Raise unless there is such a file, and say which may be meant."""
    if path.is_file() or (path.is_fifo() and path.parent.name == "fd"):  # as in <(zcat a.csv)
        return
    folder, name = path.parent, one_line(str(path))
    beside = [each.name for each in folder.iterdir() if each.is_file()] if folder.is_dir() else []
    missing = f"there is no file {name!r}.{did_you_mean(path.name, beside)}"
    reason = f"{name!r} is no file." if path.exists() else missing
    raise UnreadableError(parameter, f"{reason} Give the path of an existing file, or a frame")


@contextmanager
def opened(path: Path, parameter: str) -> Iterator[None]:
    """Say in one line why a file that is read within cannot be."""
    try:
        yield
    except PalioError:
        raise
    except Exception as error:  # libraries have errors of their own for what is spoiled
        reason = f"{path.name} cannot be read ({type(error).__name__}: {one_line(error)})"
        remedy = ""
        if isinstance(error, MalformedError):
            reason, remedy = f"{path.name} {error.reason}", error.remedy
        elif isinstance(error, UnicodeDecodeError):  # of files of data, which are not guessed at
            line = error.object.count(b"\n", 0, error.start) + 1
            reason, remedy = f"{path.name} is not UTF-8 text (see line {line})", "Save it as UTF-8"
        elif isinstance(error, MemoryError):
            reason = f"{path.name} needs more memory than there is"
            remedy = "Leave out what is not needed, or save it as Parquet"
        raise UnreadableError(parameter, reason, remedy=remedy) from error


def is_readable(path: Path, asked: str | None = None) -> bool:
    """Return whether the ending of a file is one of a table, or of one of the format asked for."""
    kind = _by_ending(plain_name(path.name))
    is_meant = kind and (not kind.is_document if asked is None else kind is _asked(asked)[0])
    return bool(is_meant)


def _later(names: str, read: str, write: str = "", large: str = "", **more: Any) -> Format:
    """Return a format, by its name and endings, whose functions are loaded when needed."""
    name, *suffixes = names.split()
    places = (each and f"palio.scores.formats.{each}" for each in (read, write, large))
    functions: Any = (Later[..., Any](place) if place else None for place in places)
    return Format(name, tuple(suffixes), *functions, **more)


def _begins(pattern: bytes) -> Callable[[bytes], bool]:
    return lambda content: re.match(pattern, content) is not None


_WEB_PAGE = _begins(rb"(?i)\s*<(!doctype html|html)\b")
_DOCUMENT: dict[str, Any] = {"part": "table", "is_document": True}
_SEPARATED = ("text:read_separated", "text:write_separated", "text:read_large")
_BINARY: dict[str, Any] = {"binary": True}
_PARQUET = _BINARY | {"module": "pyarrow", "extra": "parquet", "matches": _begins(rb"PAR1")}
_EXCEL = _BINARY | {"module": "openpyxl", "extra": "excel", "matches": is_workbook, "part": "sheet"}

FORMATS: Registry[Format] = Registry.of(
    "file format",
    *(_later(f"{name} .{name}", *_SEPARATED) for name in ("csv", "tsv")),
    _later("txt .txt", *_SEPARATED, part="table"),
    _later("json .json", "jsons:read_json", "jsons:write_json"),
    _later("jsonl .jsonl .ndjson", "jsons:read_lines", "jsons:write_lines"),
    _later("arff .arff", "text:read_arff"),
    _later("markdown .md", "markup:read_markup", **_DOCUMENT),
    _later("html .html .htm", "markup:read_html", matches=_WEB_PAGE, **_DOCUMENT),
    _later("latex .tex", "latex:read_latex", **_DOCUMENT),
    _later("rst .rst", "markup:read_markup", **_DOCUMENT),
    _later("yaml .yaml .yml", "jsons:read_yaml", module="yaml", extra="yaml", is_document=True),
    _later("parquet .parquet", "arrow:read_parquet", "arrow:write_parquet", **_PARQUET),
    _later("xlsx .xlsx", "excel:read_excel", **_EXCEL),
)
