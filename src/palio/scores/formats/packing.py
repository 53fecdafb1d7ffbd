"""Files that are packed: each packing is a function that opens it and an entry in `PACKINGS`.

What is in them is read in pieces and never beyond a limit, for a small file may unpack to a large
one.
"""

from __future__ import annotations

import importlib
import io
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING

from palio.errors import MissingExtraError
from palio.registry import Registry
from palio.scores import limits
from palio.scores.limits import MalformedError
from palio.words import one_line, quoted

if TYPE_CHECKING:
    from zipfile import ZipFile

_PIECE = 1 << 20
_LAYERS = 2  # packed, and packed again


@dataclass(frozen=True)
class Packing:
    """A way to pack a file: its ending, how it begins, and what opens it.

    ``open`` takes a file of bytes; it returns another, and the name of what is in it if it has one.
    """

    name: str
    magic: bytes
    open: Callable[[IO[bytes]], tuple[IO[bytes], str]]


def plain_name(name: str) -> str:
    """Return the name of a file without the ending of a packing.

    >>> plain_name("results.csv.xz"), plain_name("results.csv")
    ('results.csv', 'results.csv')
    """
    stem, dot, ending = name.rpartition(".")
    return stem if dot and ending.lower() in PACKINGS else name


def unpacked(content: bytes, name: str) -> tuple[bytes, str]:
    """Return what is in a packed file, and its name; of one that is not packed, the file."""
    for _ in range(_LAYERS):
        packing = packing_of(content)
        if packing is None:
            return content, plain_name(name)
        content, name = _within(packing, content, name)
    if packing_of(content) is not None:
        raise MalformedError("is packed more than twice", "Unpack it, and give the file")
    return content, name


def packing_of(content: bytes) -> Packing | None:
    """Return how a file is packed; an Excel file is one of its own, though it is a ZIP."""
    found = next((each for each in PACKINGS.values() if content.startswith(each.magic)), None)
    return None if found is None or (found.name == "zip" and is_workbook(content)) else found


def is_workbook(content: bytes) -> bool:
    """Return whether a ZIP is what Excel writes."""
    return content.startswith(b"PK") and b"[Content_Types].xml" in content


def begin(path: Path, size: int) -> bytes:
    """Return how a file begins, unpacked by its ending; nothing where it cannot be read."""
    packing = path.suffix.lower().removeprefix(".")
    try:
        with path.open("rb") as file:
            return (PACKINGS[packing].open(file)[0] if packing in PACKINGS else file).read(size)
    except Exception:  # every packing has errors of its own
        return b""


def _within(packing: Packing, content: bytes, name: str) -> tuple[bytes, str]:
    """Return what comes out of a packing, and its name; it is counted before it is held."""
    most, size = limits.now().unpacked(len(content)), 0
    try:
        stream, inside = packing.open(io.BytesIO(content))
        while (piece := stream.read(_PIECE)) and size <= most:
            size += len(piece)
        if size <= most:
            return packing.open(io.BytesIO(content))[0].read(), inside or plain_name(name)
    except (MalformedError, MissingExtraError, MemoryError):
        raise
    except Exception as error:  # every packing has errors of its own
        told = one_line(error) or type(error).__name__
        raise MalformedError(f"cannot be read: {told}", "It may have been cut off") from error
    told = f"unpacks to more than {most / 1e6:.4g} MB, the limit for a file of its size"
    raise MalformedError(told, limits.REMEDY)


def check_archive(archive: ZipFile, share: int = 1) -> None:
    """Refuse an archive of which too much would come out; of one of several files, a share of it.

    No more comes out than the archive says, whatever is in it.
    """
    members = archive.infolist()
    packed = sum(each.compress_size for each in members)
    limits.check_size(sum(each.file_size for each in members), packed=packed, share=share)


# --- the packings --------------------------------------------------------------------------


def _by(module: str) -> Callable[[IO[bytes]], tuple[IO[bytes], str]]:
    return lambda file: (importlib.import_module(module).open(file), "")


def _zip(file: IO[bytes]) -> tuple[IO[bytes], str]:
    from zipfile import ZipFile

    archive = ZipFile(file)
    # What macOS adds, and folders, are no files of anyone.
    members = [each for each in archive.infolist() if not each.is_dir()]
    members = [each for each in members if not each.filename.startswith("__MACOSX/")]
    if not members:
        raise MalformedError("holds no file")
    if len(members) > 1:
        told = f"holds {len(members)} files ({quoted(each.filename for each in members)})"
        raise MalformedError(told, "Unpack it, and give one of them or the folder")
    if members[0].flag_bits & 1:
        raise MalformedError("is locked by a password", "Unpack it, and give the file")
    return archive.open(members[0]), Path(members[0].filename).name


def _zst(file: IO[bytes]) -> tuple[IO[bytes], str]:
    """Open what Zstandard packed: Python can from 3.14 on, pyarrow always."""
    with suppress(ImportError):
        return _by("compression.zstd")(file)
    from palio.extras import needing

    with needing("parquet", "source", "reading .zst needs Python 3.14 or pyarrow"):
        import pyarrow as pa  # type: ignore[import-untyped]
    return pa.CompressedInputStream(pa.PythonFile(file, mode="r"), "zstd"), ""


PACKINGS: Registry[Packing] = Registry.of(
    "packing",
    Packing("gz", b"\x1f\x8b", _by("gzip")),
    Packing("bz2", b"BZh", _by("bz2")),
    Packing("xz", b"\xfd7zXZ\0", _by("lzma")),
    Packing("zip", b"PK\x03\x04", _zip),
    Packing("zst", b"\x28\xb5\x2f\xfd", _zst),
)
