"""What other tools write: an importer is a file that makes columns of it, and an entry here.

An entry says by what its files are known, so that none of these modules is loaded before one of
its files is there.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from palio.errors import PalioError, UnreadableError
from palio.registry import Later, Registry
from palio.scores.formats.packing import begin, plain_name
from palio.words import one_line

if TYPE_CHECKING:
    from palio.scores.columns import Columns

_HEAD = 1 << 16  # bytes in which a signature must stand
_LOOKED_AT = 200  # files of a folder, before it is taken for one of ordinary tables


class NotAsWrittenError(UnreadableError):
    """A file that looked like one of an importer is none."""


@dataclass(frozen=True)
class Importer:
    """An entry of the registry.

    Parameters
    ----------
    name : str
        Its name, which with a colon is the prefix that asks for it: ``lm-eval:runs/``.
    told : str
        Whose files these are, for notes and messages.
    signatures : tuple of (pattern of names, regular expression)
        By what a file is known: its name, without ``.gz`` and the like, and what stands in its
        first bytes. A folder is known by one of its files, however deep.
    read : Later
        Makes columns of the files that are known, in order, and of the place they came from.
    asked : tuple of str
        Patterns of names of files that it reads when its prefix asks for it, whatever they hold.
    """

    name: str
    told: str
    signatures: tuple[tuple[str, str], ...]
    read: Later[[list[Path], Path], Columns]
    asked: tuple[str, ...] = ()

    def files(self, place: Path) -> list[Path]:
        """Return its files at a place: the file itself, or those in the folder."""
        looked_at = [place] if place.is_file() else walk(place)
        return [path for path in looked_at if _knowing(path, [self])]


def _knowing(path: Path, importers: Iterable[Importer]) -> Importer | None:
    """Return the first of these importers that knows a file, by its name and how it begins."""
    plain = Path(plain_name(path.name))
    signs = [
        (each, sign)
        for each in importers
        for pattern, sign in each.signatures
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
    looked_at = [place] if place.is_file() else islice(walk(place), _LOOKED_AT)
    known = (_knowing(path, IMPORTERS.values()) for path in looked_at)
    return next(filter(None, known), None)


def imported(importer: Importer, place: Path, parameter: str) -> Columns:
    """Read a place with an importer, or say that nothing of its kind is there."""
    if not place.exists():
        raise UnreadableError(
            parameter,
            f"there is no file or folder {one_line(place, limit=400)!r}",
            remedy=f"Give where the files of {importer.told} are",
        )
    files = importer.files(place)
    if not files and place.is_file() and any(place.match(each) for each in importer.asked):
        files = [place]
    if not files:
        raise UnreadableError(
            parameter,
            f"{str(place)!r} holds no file of {importer.told}",
            remedy=f"Leave {importer.name}: out, or write table: in its place",
        )
    return _read(importer, files, place, parameter)


def imported_files(name: str, files: list[Path], parameter: str) -> Columns:
    """Read files that an importer knows."""
    place = files[0] if len(files) == 1 else files[0].parent
    return _read(IMPORTERS[name], files, place, parameter)


def _read(importer: Importer, files: list[Path], place: Path, parameter: str) -> Columns:
    try:
        return importer.read(files, place)
    except PalioError:
        raise
    except MemoryError as error:
        told = f"{str(place)!r} needs more memory than there is"
        raise UnreadableError(parameter, told) from error
    except Exception as error:  # what is not as expected may end in any
        lacks = f": it lacks {one_line(error)}" if isinstance(error, KeyError) else ""
        raise NotAsWrittenError(
            parameter,
            f"{str(place)!r} is not as {importer.told.partition(',')[0]} writes it{lacks}",
        ) from error


def _importer(
    name: str, home: str, told: str, *signatures: tuple[str, str], asked: tuple[str, ...] = ()
) -> Importer:
    """Return an entry; its function, ``read_NAME`` in a module here, is loaded when needed."""
    function = f"palio.scores.importers.{home}:read_{name.replace('-', '_')}"
    return Importer(name, told, signatures, Later(function), asked)


def _columns(*names: str) -> str:
    """Return an expression for a header that has columns of these names."""
    return r"\A" + "".join(rf'(?=[^\r\n]*(?:\A|[,;\t])"?{name}"?[,;\t\r\n])' for name in names)


_EEE = r'\A\s*\{\s*"schema_version"\s*:[^{}]*"evaluation_id"\s*:'

IMPORTERS: Registry[Importer] = Registry.of(
    "importer",
    _importer(
        "tsml", "benchmarks", "tsml or aeon, a file per estimator", ("*.csv", r"\AResamples:,")
    ),
    _importer(
        "mteb", "evaluations", "MTEB, a JSON file per task", ("*.json", r'"mteb_version"\s*:')
    ),
    _importer(
        "amlb",
        "benchmarks",
        "the AutoML benchmark",
        ("*.csv", _columns("framework", "task", "fold", "result", "duration")),
        ("*.csv", r"\Atype,task,(?=[^\r\n]*constantpredictor)"),
    ),
    _importer(
        "lm-eval",
        "evaluations",
        "lm-evaluation-harness",
        ("*.json", r'\A\s*\{\s*"results"\s*:\s*\{[\s\S]*?("[^",]+,[^",]+"|"versions")\s*:'),
        ("samples_*.jsonl", r'\A\s*\{\s*"doc_id"\s*:'),
    ),
    _importer(
        "inspect",
        "evaluations",
        "Inspect",
        ("*.json", r'\A\s*\{[^{}]*"status"\s*:\s*"\w+"\s*,\s*"eval"\s*:\s*\{'),
        ("*.eval", r"\APK"),
    ),
    _importer(
        "helm", "evaluations", "HELM, a folder per run", ("run_spec.json", r'"adapter_spec"\s*:')
    ),
    _importer("eee", "evaluations", "Every Eval Ever", ("*.json", _EEE), ("*.jsonl", _EEE)),
    _importer(
        "weka",
        "benchmarks",
        "WEKA's Experimenter",
        ("*.csv", r"\AKey_Dataset,"),
        ("*.arff", r"(?i)@attribute\s+['\"]?Key_Dataset"),
    ),
    _importer(
        "aslib",
        "benchmarks",
        "ASlib",
        ("*.arff", r"(?i)@attribute\s+instance_id[\s\S]*@attribute\s+runstatus"),
    ),
    _importer(
        "tabarena",
        "benchmarks",
        "TabArena",
        ("*.csv", _columns("method", "dataset", "fold", "metric_error")),
    ),
    _importer(
        "mlflow",
        "mlflow",
        "MLflow, a tracking store",
        ("meta.yaml", r"(?m)^run_(id|uuid):"),
        ("mlflow*.db", r"\ASQLite format 3"),
        asked=("*.db", "*.sqlite", "*.sqlite3"),
    ),
)
