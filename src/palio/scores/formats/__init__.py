"""The formats of files that hold a table: a format is a function that reads it and an entry here.

Whoever lists formats (messages, help, the page, the documentation) reads `FORMATS`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from palio.errors import PalioError, ParameterError, UnreadableError
from palio.registry import Later, Registry
from palio.scores import limits
from palio.scores.columns import Columns
from palio.scores.formats.content import by_magic, refuse_strangers, text_format
from palio.scores.formats.encoding import decoded
from palio.scores.formats.kinds import Format, MalformedError
from palio.scores.formats.packing import PACKINGS, packing_of, plain_name, unpacked
from palio.scores.formats.text import separated
from palio.scores.frames import from_mapping, from_pandas
from palio.words import did_you_mean, joined, one_line

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "FORMATS",
    "Format",
    "MalformedError",
    "endings",
    "is_readable",
    "opened",
    "read_content",
    "read_file",
    "text_of",
    "unreadable",
    "write_file",
]


def endings(*, packed: bool = True, written: bool = False) -> str:
    """List the endings of the files that can be read, or written.

    >>> endings(packed=False)
    '.csv, .tsv, ... or .xlsx'
    """
    kinds = [each for each in FORMATS.values() if each.write or not written]
    text = joined([suffix for kind in kinds for suffix in kind.suffixes], "or")
    if not packed or written:
        return text
    return (
        f"{text}, each also with {joined([each.suffix for each in PACKINGS.values()], 'or')} behind"
    )


def read_file(path: Path, parameter: str, asked: str | None = None) -> Columns:
    """Read a file; ``asked`` names its format, or else its ending or its content tells it."""
    existing_file(path, parameter)
    with opened(path, parameter):
        return read_content(bytes_of(path), path.name, parameter, asked)


def read_content(whole: bytes, name: str, parameter: str, asked: str | None = None) -> Columns:
    """Read what a file holds; ``name`` is for the messages, and its ending may tell the format."""
    wanted, part = _asked(asked)
    limits.check_size(len(whole))
    content, inner = unpacked(whole, name)
    kind, notes = (wanted, ()) if wanted is not None else _format_of(content, inner)
    if inner == plain_name(name) != name and packing_of(whole) is None:
        notes = (*notes, "is not packed, whatever its ending says.")
    if kind is None:
        raise UnreadableError(
            parameter,
            f"cannot tell the format of {name!r} from its ending, nor from its content",
            remedy=f"It must be {endings()}; or read it yourself and give the frame",
        )
    kind.check_installed(parameter, name)
    if not kind.binary:
        text, more = decoded(content)
        notes = (*notes, *more)
    found = kind.read(content if kind.binary else text, name, **({"part": part} if part else {}))
    if isinstance(found, Mapping):
        found = from_mapping(found, name)
    elif not isinstance(found, Columns):
        found = from_pandas(found, name)
    # A record of one number is enough where the folder says what it is of.
    record = kind.name == "json" and len(found) == 1
    if len(found.names) == 1 and len(found) and not record:
        raise MalformedError(
            f"has one column only, {one_line(found.names[0], limit=40)!r}",
            "Give a table with names and scores, in text separated by commas or tabs",
        )
    return replace(found, notes=(*(f"{name} {note}" for note in notes), *found.notes))


def bytes_of(path: Path) -> bytes:
    """Return what is in a file, unless that is too much; of a pipe only its end tells."""
    limits.check_size(path.stat().st_size)
    return path.read_bytes()


def text_of(path: Path) -> str:
    """Return the text in a file, which may be packed."""
    return decoded(unpacked(bytes_of(path), path.name)[0])[0]


def _asked(asked: str | None) -> tuple[Format | None, str]:
    """Return the format that is asked for, and the part: ``xlsx:Sheet 2``."""
    if asked is None:
        return None, ""
    name, _, part = asked.partition(":")
    kind = FORMATS[name.lower().removeprefix(".")]
    if part and not kind.part:
        raise ParameterError("format", f"a file of {kind.name} has no parts", f"{part!r} was given")
    return kind, part


def _format_of(content: bytes, name: str) -> tuple[Format | None, tuple[str, ...]]:
    """Return the format of a file, and what is to be said of it after its name."""
    told = _by_ending(name)
    seen = by_magic(content, FORMATS.values())
    if seen is not None and seen is not told:
        return seen, (f"was read as {seen.name}, which it holds.",)
    if seen is None:
        refuse_strangers(content)
    if told is not None:
        return told, ()
    try:
        found = text_format(decoded(content)[0])
    except MalformedError:
        found = None
    if found is None:
        return None, ()
    return FORMATS[found], (f"was read as {found}, by its content.",)


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
        raise ParameterError(
            parameter, f"'{path}' cannot be written: {error.strerror or one_line(error)}"
        ) from error


def existing_file(path: Path, parameter: str) -> None:
    """Raise unless there is such a file, and say which may be meant."""
    if path.is_file() or (path.is_fifo() and path.parent.name == "fd"):  # as in <(zcat a.csv)
        return
    if path.is_dir():
        raise UnreadableError(parameter, f"{str(path)!r} is a folder", remedy="Give a file in it")
    if path.exists():
        raise UnreadableError(
            parameter, f"{str(path)!r} is no file", remedy="Give a file, or - for standard input"
        )
    beside: list[str] = []
    if path.parent.is_dir():
        beside = [each.name for each in path.parent.iterdir() if each.is_file()]
    raise UnreadableError(
        parameter,
        f"there is no file {one_line(str(path))!r}.{did_you_mean(path.name, beside)} Give the "
        "path of an existing file, or a frame",
    )


@contextmanager
def opened(path: Path, parameter: str) -> Iterator[None]:
    """Say in one line why a file that is read within cannot be."""
    try:
        yield
    except UnicodeDecodeError as error:  # of files of data, which are not guessed at
        line = error.object.count(b"\n", 0, error.start) + 1
        raise UnreadableError(
            parameter, f"{path.name} is not UTF-8 text (see line {line})", remedy="Save it as UTF-8"
        ) from error
    except MalformedError as error:
        raise UnreadableError(
            parameter, f"{path.name} {error.reason}", remedy=error.remedy
        ) from error
    except PalioError:
        raise
    except OSError as error:
        raise UnreadableError(
            parameter, f"{str(path)!r} cannot be read: {error.strerror or one_line(error)}"
        ) from error
    except Exception as error:  # libraries have errors of their own for what is spoiled
        raise unreadable(path, parameter, error) from error


def unreadable(path: Path, parameter: str, error: Exception) -> UnreadableError:
    """Return what is said of a file where nothing better is known than what was raised."""
    if isinstance(error, MemoryError):
        return UnreadableError(parameter, f"{path.name} needs more memory than there is")
    told = f"{type(error).__name__}: {one_line(error)}"
    return UnreadableError(parameter, f"{path.name} cannot be read ({told})")


def is_readable(path: Path, asked: str | None = None) -> bool:
    """Return whether the ending of a file is one of a table, or of one of the format asked for."""
    kind = _by_ending(plain_name(path.name))
    return kind is not None and (asked is None or kind is _asked(asked)[0])


FORMATS: Registry[Format] = Registry.of(
    "file format",
    separated("csv", ","),
    separated("tsv", "\t"),
    separated("txt", "\t"),
    Format(
        "json",
        (".json",),
        Later("palio.scores.formats.jsons:read_json"),
        Later("palio.scores.formats.jsons:write_json"),
    ),
    Format(
        "jsonl",
        (".jsonl", ".ndjson"),
        Later("palio.scores.formats.jsons:read_lines"),
        Later("palio.scores.formats.jsons:write_lines"),
    ),
    Format("arff", (".arff",), Later("palio.scores.formats.arff:read_arff")),
    Format(
        "markdown",
        (".md",),
        Later("palio.scores.formats.markdown:read_markdown"),
        part="table",
    ),
    Format(
        "parquet",
        (".parquet",),
        Later("palio.scores.formats.arrow:read_parquet"),
        Later("palio.scores.formats.arrow:write_parquet"),
        magic=(b"PAR1",),
        module="pyarrow",
        extra="parquet",
    ),
    Format(
        "feather",
        (".feather", ".arrow"),
        Later("palio.scores.formats.arrow:read_feather"),
        Later("palio.scores.formats.arrow:write_feather"),
        magic=(b"ARROW1", b"FEA1"),
        module="pyarrow",
        extra="parquet",
    ),
    Format(
        "xlsx",
        (".xlsx",),
        Later("palio.scores.formats.excel:read_excel"),
        magic=(b"PK\x03\x04",),
        part="sheet",
        module="openpyxl",
        extra="excel",
    ),
)
