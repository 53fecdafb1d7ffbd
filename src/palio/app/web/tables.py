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
from typing import Any, BinaryIO

from palio.app.options import Reading
from palio.app.web.cache import Bounded
from palio.app.web.query import READING, Query, read_query
from palio.app.web.settings import GoneError, OverloadError, Settings, TooLargeError
from palio.errors import ParameterError, UnreadableError
from palio.report.question import Question
from palio.scores.formats import FORMATS, PACKINGS, endings
from palio.scores.missing import USUAL
from palio.scores.sources import is_store, study_in
from palio.scores.spec import ReadSpec, field_texts, spec_beside
from palio.words import masked

# How the names of studies begin in links.
_STUDY = "study-"

ENDINGS = tuple(suffix for kind in FORMATS.values() for suffix in kind.suffixes)

PASTED = "pasted_table"
"""The name of a table that was pasted; its content tells its format."""

# So many hexadecimal digits of SHA-256 tell files apart, and keep links short.
_DIGITS = 32

# Of all uploads together, in units of the largest that is allowed.
_TOGETHER = 10


@dataclass(frozen=True)
class TableSource:
    """Where a table is read from, and how.

    ``version`` tells the states of a store that is being written to apart; ``costs`` are columns
    that are to be costs though their names do not say so, ``linked`` the fields of a `ReadSpec`
    that a link sets. With ``complete`` an experiment that is not at its end is asked about on those
    of its data sets that are.
    """

    id: str
    name: str
    place: str
    reading: Reading = field(default_factory=Reading)
    is_store: bool = False
    version: str = ""
    costs: tuple[str, ...] = ()
    complete: bool = False
    linked: tuple[tuple[str, Any], ...] = ()

    @property
    def spec(self) -> ReadSpec:
        """How the table is read, as far as that is said."""
        how = self.reading
        beside = how.spec or spec_beside(self.place)
        return ReadSpec.of(beside, **{"limits": True, **how.fields(), **dict(self.linked)})

    @property
    def chosen(self) -> dict[str, list[str]]:
        """What the command line says of the table, as a link says it."""
        given = self.spec.given()
        if "exclude" in given:
            given.setdefault("algorithms", given["exclude"])
        names = ("score", "higher_is_better", *READING, "algorithms", "datasets")
        linked = [name for name in names if name in given and name not in ("costs", "exclude")]
        return {name: field_texts(given[name]) for name in linked}

    @property
    def key(self) -> tuple[object, ...]:
        """What the table that is read depends on."""
        how = (repr(self.reading), self.linked)
        return (self.id, self.version, self.costs, self.complete, *how)


@dataclass(frozen=True)
class Asked:
    """A question about a table: what a link holds."""

    source: TableSource
    question: Question

    @property
    def key(self) -> tuple[object, ...]:
        """What the answer depends on."""
        return (*self.source.key, self.question)


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
            called = hashlib.sha256(f"{place}\n{how.plan or ''}".encode()).hexdigest()[:12]
            return TableSource(f"store-{called}", masked(place), place, how, is_store=True)
        if (study := study_in(place)) is not None:
            return TableSource(f"{_STUDY}{study}", study, place, how)
        files = [*_files_in(Path(place).expanduser()), *([how.costs] if how.costs else [])]
        return TableSource(self._digested(files), Path(place).name, place, how)

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
    """Let the link say what the file does not: its measure, roles, and what to do about gaps."""
    how, said = source.reading, dict[str, Any](asked.reading)
    score, up = asked.question.score, asked.question.higher_is_better
    # Another score has a direction of its own.
    usual = how.higher_is_better if score in (None, how.score) else None
    reading = replace(
        how,
        missing=said.pop("missing", how.missing),
        keep_failing=said.pop("keep_failing", how.keep_failing),
        score=score or how.score,
        higher_is_better=usual if up is None else up,
    )
    # What is still to come is not missing, unless someone says that it is.
    complete = source.is_store and "missing" not in asked.reading and how.missing == USUAL
    return replace(source, reading=reading, complete=complete, linked=tuple(said.items()))


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
    if base == PASTED:
        return PASTED
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
