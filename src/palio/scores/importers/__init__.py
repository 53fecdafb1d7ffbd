"""What other tools write: an importer is a file that makes columns of it, and an entry here.

An entry says by what its files are known, so that none of these modules is loaded before one of
its files is there.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from palio.errors import PalioError, UnreadableError
from palio.registry import Later, Registry
from palio.scores.columns import Columns
from palio.scores.formats import begin, plain_name
from palio.words import one_line

if TYPE_CHECKING:
    from palio.scores.importers.evaluations import ResultSet

_HEAD = 1 << 16  # bytes in which a signature must stand
_LOOKED_AT = 200  # files of a folder, before it is taken for one of ordinary tables
AS_TABLE = "table:"
"""In front of a path: no importer is to read it."""


@dataclass(frozen=True)
class Importer:
    """An entry of the registry.

    Parameters
    ----------
    name : str
        Its name, which with a colon is the prefix that asks for it: ``lm-eval:runs/``.
    home : str
        The module here whose ``read_NAME`` makes columns of the files that are known, in order, and
        of the place they came from.
    description : str
        Whose files these are, for notes and messages.
    signatures : mapping of pattern of names to regular expression
        By what a file is known: its name, without ``.gz`` and the like, and what stands in its
        first bytes. A folder is known by one of its files, however deep.
    """

    name: str
    home: str
    description: str
    signatures: Mapping[str, str]

    @property
    def read(self) -> Later[[list[Path], Path], Columns | ResultSet]:
        """The function, loaded when needed."""
        return Later(f"{__name__}.{self.home}:read_{self.name.replace('-', '_')}")

    def import_place(self, place: Path, parameter: str) -> Columns:
        """Read its files at a place; a file that is asked for is read, whatever it is called."""
        files = [x for x in walk(place) if _knowing(x, [self])] if place.is_dir() else [place]
        if not place.exists() or not files:
            rule = f"there is no file of {self.description} at {one_line(place, limit=400)!r}"
            raise UnreadableError(parameter, rule, remedy=f"Give its place behind {self.name}:")
        return self.import_files(files, place, parameter)

    def import_files(self, files: list[Path], place: Path, parameter: str) -> Columns:
        """Read files that it knows."""
        try:
            found = self.read(files, place)
            return found if isinstance(found, Columns) else found.to_columns(place.name, self.name)
        except PalioError:
            raise
        except MemoryError as error:
            rule = f"{str(place)!r} needs more memory than there is"
            raise UnreadableError(parameter, rule) from error
        except Exception as error:  # what is not as expected may end in any
            lacks = f": it lacks {one_line(error)}" if isinstance(error, KeyError) else ""
            rule = f"{str(place)!r} is not as {self.description.partition(',')[0]} writes it{lacks}"
            remedy = f"To read it as an ordinary table, write {AS_TABLE}{place}"
            raise UnreadableError(parameter, rule, remedy=remedy) from error


def _knowing(path: Path, importers: Iterable[Importer]) -> Importer | None:
    """Return the first of these importers that knows a file, by its name and how it begins."""
    plain = Path(plain_name(path.name))
    signs = [
        (each, sign)
        for each in importers
        for pattern, sign in each.signatures.items()
        if plain.match(pattern)
    ]
    # What cannot be read begins with nothing.
    text = begin(path, _HEAD).decode("utf-8-sig", errors="replace") if signs else ""
    return next((each for each, sign in signs if re.search(sign, text)), None)


def walk(folder: Path) -> Iterator[Path]:
    """Yield the files in a folder and those below, in order; hidden ones are not looked at."""
    for here, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        yield from (Path(here, name) for name in sorted(files) if not name.startswith("."))


def asked_for(source: str) -> tuple[Importer, Path] | None:
    """Return the importer that a prefix names, and the place behind it.

    >>> asked_for("tsml:results/")[1].name, asked_for("results/")
    ('results', None)
    """
    prefix, colon, place = source.partition(":")
    if not colon or prefix not in IMPORTERS:
        return None
    # A database may be named by its address: sqlite:///runs.db.
    return IMPORTERS[prefix], Path(place.removeprefix("sqlite:///")).expanduser()


def recognised(place: Path) -> Importer | None:
    """Return the importer that knows a file, or one of the first files of a folder."""
    files = islice(walk(place), _LOOKED_AT) if place.is_dir() else [place]
    return next(filter(None, (_knowing(path, IMPORTERS.values()) for path in files)), None)


def _columns(*names: str) -> str:
    """Return an expression for a header that has columns of these names."""
    return r"\A" + "".join(rf'(?=[^\r\n]*(?:\A|[,;\t])"?{name}"?[,;\t\r\n])' for name in names)


_AMLB = _columns("framework", "task", "fold", "result", "duration")
_AMLB_SUMMARY = r"\Atype,task,(?![^\r\n]*\bfold\b)(?=[^\r\n]*constantpredictor)"
_LM_EVAL = r'\A\s*\{\s*"results"\s*:\s*\{[\s\S]*?("[^",]+,[^",]+"|"versions")\s*:'
_LM_SAMPLES = r'\A\s*\{\s*"doc_id"\s*:'
_INSPECT = r'\A\s*\{[^{}]*"status"\s*:\s*"\w+"\s*,\s*"eval"\s*:\s*\{'
_EEE = r'\A\s*\{\s*"schema_version"\s*:[^{}]*"evaluation_id"\s*:'
_ASLIB = r"(?i)@attribute\s+instance_id[\s\S]*@attribute\s+runstatus"
_TABARENA = _columns("method", "dataset", "fold", "metric_error")
_WEKA = {"*.csv": r"\AKey_Dataset,", "*.arff": r"(?i)@attribute\s+['\"]?Key_Dataset"}
_OF_LM_EVAL = {"*.json": _LM_EVAL, "samples_*.jsonl": _LM_SAMPLES}
_TABLES, _LOGS = "tables", "evaluations"

IMPORTERS: Registry[Importer] = Registry.of(
    "importer",
    Importer("tsml", _TABLES, "tsml or aeon, a file per estimator", {"*.csv": r"\AResamples:,"}),
    Importer("mteb", _LOGS, "MTEB, a JSON file per task", {"*.json": r'"mteb_version"\s*:'}),
    Importer("amlb", _TABLES, "the AutoML benchmark", {"*.csv": f"{_AMLB}|{_AMLB_SUMMARY}"}),
    Importer("lm-eval", _LOGS, "lm-evaluation-harness", _OF_LM_EVAL),
    Importer("inspect", _LOGS, "Inspect", {"*.json": _INSPECT, "*.eval": r"\APK"}),
    Importer("helm", _LOGS, "HELM, a folder per run", {"run_spec.json": r'"adapter_spec"\s*:'}),
    Importer("eee", _LOGS, "Every Eval Ever", {"*.json": _EEE, "*.jsonl": _EEE}),
    Importer("weka", _TABLES, "WEKA's Experimenter", _WEKA),
    Importer("aslib", _TABLES, "ASlib", {"*.arff": _ASLIB}),
    Importer("tabarena", _TABLES, "TabArena", {"*.csv": _TABARENA}),
    Importer("mlflow", "experiments", "MLflow, a tracking store", {"mlflow*.db": r"\ASQLite"}),
)
