"""Uploaded files: kept on disk under their digest, the least used forgotten first."""

from __future__ import annotations

import hashlib
import re
import secrets
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from palio.app.web.cache import Bounded
from palio.app.web.settings import GoneError, Settings, TooLargeError
from palio.errors import UnreadableError
from palio.scores.formats import FORMATS, endings

ENDINGS = tuple(suffix for kind in FORMATS.values() for suffix in kind.suffixes)

# So many hexadecimal digits of SHA-256 tell files apart, and keep links short.
_DIGITS = 32

# Of all uploads together, in units of the largest that is allowed.
_TOGETHER = 10


@dataclass(frozen=True)
class Upload:
    """A file that someone uploaded."""

    digest: str
    name: str
    path: Path
    size: int


class Uploads:
    """The files, in a folder that nobody else uses."""

    def __init__(self, folder: Path, settings: Settings) -> None:
        self._folder = folder
        self._settings = settings
        self._kept = Bounded[str, Upload](
            most_bytes=_TOGETHER * settings.upload_bytes, most=settings.uploads, forget=_remove
        )

    async def add(self, name: str, chunks: AsyncIterator[bytes]) -> Upload:
        """Take in a file; one that grows beyond the limit is dropped as soon as it does."""
        name = safe_name(name)
        part = self._folder / f"{secrets.token_hex(16)}.part"
        try:
            with part.open("xb") as file:
                digest, size = await self._write(file, chunks)
            path = self._folder / digest / name
            path.parent.mkdir(exist_ok=True)
            for other in path.parent.iterdir():  # the same content under another name
                other.unlink()
            part.replace(path)
        finally:
            part.unlink(missing_ok=True)
        upload = Upload(digest, name, path, size)
        self._kept.put(digest, upload, size=size)
        return upload

    async def _write(self, file: BinaryIO, chunks: AsyncIterator[bytes]) -> tuple[str, int]:
        content, size = hashlib.sha256(), 0
        async for chunk in chunks:
            size += len(chunk)
            if size > self._settings.upload_bytes:
                raise TooLargeError(self._settings.too_large)
            content.update(chunk)
            file.write(chunk)
        return content.hexdigest()[:_DIGITS], size

    def get(self, digest: str) -> Upload:
        """Return a file by its digest, or say that it has to be uploaded again."""
        found = self._kept.get(digest)
        if found is None:
            raise GoneError(
                "table",
                "this server does not have the file that the link speaks of, or has it no more",
                remedy="open the same file again, and the link works",
            )
        return found


def digest_of(*paths: Path) -> str:
    """Return the digest of files, as an upload of the first would have it if it were alone."""
    content = hashlib.sha256()
    for path in paths:
        try:
            content.update(path.read_bytes())
        except OSError as error:
            raise UnreadableError("file", f"'{path}' cannot be read: {error.strerror}") from error
    return content.hexdigest()[:_DIGITS]


def safe_name(name: str) -> str:
    """Return a name for the file that is no path and no command, or refuse its format.

    >>> safe_name("../../etc/results 1.CSV"), safe_name("a" * 300 + ".json")[-9:]
    ('results_1.csv', 'aaaa.json')
    >>> safe_name("model.pkl")
    Traceback (most recent call last):
    ...
    palio.errors.UnreadableError: file: its name must end in .csv, ..., and 'model.pkl'
    does not.
    """
    base = re.split(r"[/\\]", name)[-1]
    stem, dot, ending = base.rpartition(".")
    suffix = f"{dot}{ending.lower()}"
    if suffix not in ENDINGS:
        unpack = " Unpack it first." if suffix == ".gz" else ""
        raise UnreadableError(
            "file",
            f"its name must end in {endings(packed=False)}",
            f"{base[-60:]!r} does not.{unpack}",
        )
    plain = re.sub(r"[^\w-]+", "_", stem, flags=re.ASCII).strip("_")[:60]
    return f"{plain or 'table'}{suffix}"


def _remove(upload: Upload) -> None:
    upload.path.unlink(missing_ok=True)
    upload.path.parent.rmdir()
