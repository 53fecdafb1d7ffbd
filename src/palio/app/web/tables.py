"""The tables that can be asked about: what was opened with the server, and what was uploaded."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field, replace
from pathlib import Path
from urllib.parse import parse_qsl, urlencode

from palio.app.options import Reading, study_in
from palio.app.web.settings import GoneError
from palio.app.web.uploads import Uploads, digest_of
from palio.errors import ParameterError, UnreadableError
from palio.report.question import Question

# What a link holds besides the question: the table, and what to do about its gaps.
_TABLE, _MISSING = "table", "missing"

# How the names of studies begin in links.
_STUDY = "study-"


@dataclass(frozen=True)
class TableSource:
    """Where a table is read from, and how.

    ``version`` tells the states of a store that is being written to apart; ``costs`` are columns
    that are to be costs though their names do not say so.
    """

    id: str
    name: str
    place: str
    reading: Reading = field(default_factory=Reading)
    is_store: bool = False
    version: str = ""
    costs: tuple[str, ...] = ()

    @property
    def key(self) -> tuple[object, ...]:
        """What the table that is read depends on."""
        how = self.reading
        return (self.id, self.version, self.costs, how.score, how.higher_is_better, how.missing)


@dataclass(frozen=True)
class Asked:
    """A question about a table: what a link holds."""

    source: TableSource
    question: Question

    @property
    def key(self) -> tuple[object, ...]:
        """What the answer depends on."""
        return (*self.source.key, self.question)


class TableSources:
    """What was opened with the server, if anything, and the uploads."""

    def __init__(self, uploads: Uploads, opened: str | None = None, reading: Reading | None = None):
        self.uploads = uploads
        self._opened, self._reading = opened, reading or Reading()
        self._digest = ("", "")  # of the opened files, and the state they were in

    def opened(self) -> TableSource | None:
        """Return what the server was started with, as it is now."""
        from palio.experiment.store.database import is_store, shown

        if self._opened is None:
            return None
        place, how = self._opened, self._reading
        if is_store(place):
            called = hashlib.sha256(f"{place}\n{how.name or ''}".encode()).hexdigest()[:12]
            return TableSource(f"store-{called}", shown(place), place, how, is_store=True)
        if (study := study_in(place)) is not None:
            return TableSource(f"{_STUDY}{study}", study, place, how)
        files = [Path(place).expanduser(), *([how.costs] if how.costs is not None else [])]
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
                remedy="start it with: palio serve experiment.db",
            )
        if table.startswith(_STUDY):  # shipped with the package, so that every server has it
            study = table.removeprefix(_STUDY)
            return TableSource(table, study, f"study:{study}")
        upload = self.uploads.get(table)
        return TableSource(upload.digest, upload.name, str(upload.path))

    def asked(self, query: str) -> Asked:
        """Read a link's query: the table, what to do about its gaps, and the question."""
        pairs = parse_qsl(query, keep_blank_values=True)
        of_table = {name: text for name, text in pairs if name in (_TABLE, _MISSING)}
        question = Question.from_query(
            urlencode([(name, text) for name, text in pairs if name not in of_table])
        )
        if _TABLE not in of_table:
            raise ParameterError(
                "table", "open a file first", remedy="there is nothing to ask about"
            )
        source = self.get(of_table[_TABLE])
        return Asked(_read_as(source, question, of_table.get(_MISSING)), question)


def _read_as(source: TableSource, question: Question, missing: str | None) -> TableSource:
    """Let the question say what the file does not: its measure, and what to do about gaps."""
    how = source.reading
    given = question.higher_is_better
    reading = replace(
        how,
        missing=how.missing if missing is None else missing,
        score=how.score or question.score,
        higher_is_better=given if how.higher_is_better is None else how.higher_is_better,
    )
    return replace(source, reading=reading)
