"""The tables that can be asked about: what was opened with the server, and what was uploaded.

Uploaded files are kept on disk under their digest, the least used forgotten first.
"""

from __future__ import annotations

import contextlib
import hashlib
import re
import secrets
from collections.abc import AsyncIterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import BinaryIO

from palio.app.options import Reading
from palio.app.web.cache import Bounded
from palio.app.web.query import Query, read_query
from palio.app.web.settings import GoneError, OverloadError, Settings, TooLargeError
from palio.errors import ParameterError, UnreadableError
from palio.report.question import Question
from palio.scores.formats import FORMATS, endings
from palio.scores.formats.packing import PACKINGS
from palio.scores.kept import is_store, study_in
from palio.scores.missing import USUAL
from palio.words import masked

# How the names of studies begin in links, and those of files that only this server reads so.
_STUDY, _OWN = "study-", "own-"

# What the command line and a link both can say.
_LINKED = ("score", "higher_is_better", "missing", "keep_failing", "algorithms", "datasets")

ENDINGS = tuple(suffix for kind in FORMATS.values() for suffix in kind.suffixes)

# So many hexadecimal digits of SHA-256 tell files apart, and keep links short.
_DIGITS = 32

# Of all uploads together, in units of the largest that is allowed.
_TOGETHER = 10


@dataclass(frozen=True)
class TableSource:
    """Where a table is read from, and how.

    ``version`` tells the states of a store that is being written to apart; ``costs`` are columns
    that are to be costs though their names do not say so. With ``complete`` an experiment that is
    not at its end is asked about on those of its data sets that are.
    """

    id: str
    name: str
    place: str
    reading: Reading = field(default_factory=Reading)
    is_store: bool = False
    version: str = ""
    costs: tuple[str, ...] = ()
    complete: bool = False

    @property
    def chosen(self) -> list[str]:
        """What the command line says of the table and a link can say, too."""
        how, given = self.reading, self.reading.given()
        found = {"algorithms": how.algorithms or how.exclude, "datasets": how.datasets}
        return [name for name in _LINKED if given.get(name) or found.get(name)]

    @property
    def unlinked(self) -> list[str]:
        """How the command line has the file read, that no link can say."""
        beside = {*_LINKED, "exclude", "name", "no_limits", "costs"}
        return [
            _given_as(name.replace("_", " "), value)
            for name, value in self.reading.given().items()
            if name not in beside
        ]

    @property
    def key(self) -> tuple[object, ...]:
        """What the table that is read depends on."""
        return (self.id, self.version, self.costs, self.complete, repr(self.reading))


@dataclass(frozen=True)
class Asked:
    """A question about a table: what a link holds."""

    source: TableSource
    question: Question

    @property
    def key(self) -> tuple[object, ...]:
        """What the answer depends on."""
        return (*self.source.key, self.question)


def _given_as(name: str, value: object) -> str:
    """Write what was given for an option; a flag is said by its name."""
    if isinstance(value, bool):
        return name if value else f"no {name}"
    return " ".join([name, *(map(str, value) if isinstance(value, list) else [str(value)])])


def _files_in(place: Path) -> list[Path]:
    """Return the files of a folder of results, or the one file."""
    if not place.is_dir():
        return [place]
    return sorted(path for path in place.rglob("*") if path.is_file())


class TableSources:
    """What was opened with the server, if anything, and the uploads."""

    def __init__(self, uploads: Uploads, opened: str | None = None, reading: Reading | None = None):
        self.uploads = uploads
        self._opened, self._reading = opened, reading or Reading()
        self._digest = ("", "")  # of the opened files, and the state they were in

    def opened(self) -> TableSource | None:
        """Return what the server was started with, as it is now."""
        if self._opened is None:
            return None
        place, how = self._opened, self._reading
        if is_store(place):
            called = hashlib.sha256(f"{place}\n{how.name or ''}".encode()).hexdigest()[:12]
            return TableSource(f"store-{called}", masked(place), place, how, is_store=True)
        if (study := study_in(place)) is not None:
            return TableSource(f"{_STUDY}{study}", study, place, how)
        files = [*_files_in(Path(place).expanduser()), *([how.costs] if how.costs else [])]
        made = TableSource(self._digested(files), Path(place).name, place, how)
        if not made.unlinked:
            return made
        # The same file elsewhere is another table, and a link about this one would be wrong there.
        own = hashlib.sha256(f"{made.id}\n{made.unlinked!r}".encode()).hexdigest()
        return replace(made, id=f"{_OWN}{own[:_DIGITS]}")

    def _digested(self, files: list[Path]) -> str:
        """Return the digest of the opened files, anew only when they have changed."""
        try:
            state = repr([(file.stat().st_mtime_ns, file.stat().st_size) for file in files])
        except OSError as error:
            raise UnreadableError(
                "file", f"'{error.filename}' cannot be read: {error.strerror}"
            ) from error
        if self._digest[1] != state:
            self._digest = (digest_of(*files), state)
        return self._digest[0]

    def get(self, table: str) -> TableSource:
        """Return a table by the name that links have for it."""
        opened = self.opened()
        if opened is not None and table == opened.id:
            return opened
        if table.startswith("store-"):
            raise GoneError(
                "table",
                "the link is about an experiment that this server was not started with",
                remedy="start the workbench with that experiment",
            )
        if table.startswith(_OWN):
            raise GoneError(
                "table",
                "the link is about a file that its server was told how to read",
                remedy="start this one in the same way",
            )
        if table.startswith(_STUDY):  # shipped with the package, so that every server has it
            study = table.removeprefix(_STUDY)
            return TableSource(table, study, f"study:{study}")
        upload = self.uploads.get(table)
        return TableSource(upload.digest, upload.name, str(upload.path))

    def asked(self, query: str) -> Asked:
        """Read a link's query: the table, what to do about its gaps, and the question."""
        asked = read_query(query)
        question = asked.question
        if asked.table is None:
            raise ParameterError(
                "table", "open a file first", remedy="there is nothing to ask about"
            )
        source = self.get(asked.table)
        return Asked(_read_as(source, asked), question)


def _read_as(source: TableSource, asked: Query) -> TableSource:
    """Let the question say what the file does not: its measure, and what to do about gaps."""
    how, question, missing = source.reading, asked.question, asked.missing
    given = question.higher_is_better
    reading = replace(
        how,
        missing=how.missing if missing is None else missing,
        keep_failing=how.keep_failing if asked.keep_failing is None else asked.keep_failing,
        score=how.score or question.score,
        higher_is_better=given if how.higher_is_better is None else how.higher_is_better,
    )
    # What is still to come is not missing, unless someone says that it is.
    complete = source.is_store and missing is None and how.missing == USUAL
    return replace(source, reading=reading, complete=complete)


# --- uploads --------------------------------------------------------------------------------------


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
            if not path.exists():  # or else it has the same content, and may be being read
                for other in path.parent.iterdir():  # the same content under another name
                    other.unlink()
                part.replace(path)
        except OSError as error:
            raise OverloadError(
                "file", f"the server cannot keep it ({error.strerror})", remedy="try again later"
            ) from error
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
    >>> safe_name("Con.csv")  # on Windows it would be the terminal
    'table_Con.csv'
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
        unpack = " Unpack it first." if suffix[1:] in PACKINGS else ""
        raise UnreadableError(
            "file",
            f"its name must end in {endings(packed=False)}",
            f"{base[-60:]!r} does not.{unpack}",
        )
    plain = re.sub(r"[^\w-]+", "_", stem, flags=re.ASCII).strip("_")[:60]
    if _DEVICE.fullmatch(plain):
        plain = f"table_{plain}"
    return f"{plain or 'table'}{suffix}"


_DEVICE = re.compile(r"con|prn|aux|nul|(com|lpt)\d", re.IGNORECASE)


def _remove(upload: Upload) -> None:
    # Windows does not part with a file that is being read: it goes with the folder, at the end.
    with contextlib.suppress(PermissionError):
        upload.path.unlink(missing_ok=True)
        upload.path.parent.rmdir()
