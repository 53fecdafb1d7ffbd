"""Files of data become frames, with what lies beside them: ``TYPES.json`` and ``INDEX.csv``.

``TYPES.json``, in a file's folder or the one above, names categorical columns:
``{"wine": {"categorical": ["hue"]}}``, the key being the path from there without its ending.
``INDEX.csv`` in the same places may give the task, in columns ``path`` and ``task``.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NoReturn, cast

from palio.errors import ColumnError, UnreadableError
from palio.experiment.data.columns import MISSING
from palio.registry import Registry
from palio.scores.columns import refuse_duplicates
from palio.scores.formats import FORMATS, MalformedError, opened
from palio.scores.limits import held
from palio.words import count, did_you_mean, one_line

if TYPE_CHECKING:
    import pandas as pd

Read = tuple["pd.DataFrame", tuple[str, ...]]


@dataclass(frozen=True)
class About:
    """What the files beside a data file say of it."""

    categorical: tuple[str, ...] = ()
    task: str | None = None


def read_table(path: Path) -> Read:
    """Return the frame in a file, and the columns that the file itself calls nominal.

    The ending tells the format; a file of another ending is read as CSV.
    """
    if not path.is_file():
        refuse_path(path)
    ending = path.suffix.lower()
    reader = ENDINGS[ending if ending in ENDINGS else ".csv"]
    with opened(path, "data set"):
        frame, nominal = reader(path)
    if frame.empty:
        raise _empty(path)
    return frame, nominal


def refuse_path(path: Path, *, wanted: str = "file") -> NoReturn:
    """Say why there is no such file or folder, and which may be meant."""
    if path.is_dir():
        raise UnreadableError(
            "data set",
            f"{str(path)!r} is a folder",
            remedy=f"Write 'folder:{path}' to read all its files",
        )
    if path.is_file():
        raise UnreadableError(
            "data set",
            f"{str(path)!r} is a file, not a folder",
            remedy=f"Write 'csv:{path}' to read it",
        )
    beside = [each.name for each in path.parent.iterdir()] if path.parent.is_dir() else []
    raise UnreadableError(
        "data set",
        f"there is no {wanted} {one_line(path)!r}.{did_you_mean(path.name, beside)} Give the path "
        f"of an existing {wanted}",
    )


def about_file(path: Path) -> About:
    """Return what ``TYPES.json`` and ``INDEX.csv`` in the folder or its parent say of a file."""
    categorical: tuple[str, ...] = ()
    task: str | None = None
    for folder in _above(path):
        relative = path.resolve().relative_to(folder)
        categorical = categorical or _named_categorical(folder / "TYPES.json", relative)
        task = task or _named_task(folder / "INDEX.csv", relative)
    return About(categorical, task)


def _above(path: Path) -> Iterator[Path]:
    folder = path.resolve().parent
    yield folder
    if folder.parent != folder:
        yield folder.parent


def _named_categorical(types: Path, relative: Path) -> tuple[str, ...]:
    if not types.is_file():
        return ()
    try:
        content = json.loads(types.read_text(encoding="utf-8"))
        entry = content.get(relative.with_suffix("").as_posix(), {})
        return tuple(str(name) for name in entry.get("categorical", ()))
    except (OSError, ValueError, AttributeError, TypeError) as error:
        raise UnreadableError(
            "data set",
            f'{str(types)!r} is not of the form {{"name": {{"categorical": [columns]}}}}: '
            f"{one_line(error, limit=80)}",
            remedy="Mend it, or move it away",
        ) from error


def _named_task(index: Path, relative: Path) -> str | None:
    if not index.is_file():
        return None
    try:
        with index.open(encoding="utf-8-sig", newline="") as lines:
            for row in csv.DictReader(lines):
                if row.get("path") == relative.as_posix():
                    return row.get("task") or None
    except (OSError, ValueError, csv.Error):
        return None  # a file of that name that is no index says nothing
    return None


def _empty(path: Path) -> UnreadableError:
    return UnreadableError(
        "data set",
        f"{path.name} is empty",
        remedy="Give a file with a header and at least two rows",
    )


def _text_reader(expected: str) -> Callable[[Path], Read]:
    def read(path: Path) -> Read:
        text = path.read_bytes().decode("utf-8-sig")
        if not text.strip():
            raise _empty(path)
        return _from_text(text, path.name, expected), ()

    return read


def _from_text(text: str, name: str, expected: str) -> pd.DataFrame:
    import pandas as pd

    first, _, body = text.lstrip("\r\n").partition("\n")
    separator = next((each for each in (expected, ",", ";", "\t") if each in first), expected)
    try:
        cells = next(csv.reader([first], delimiter=separator, skipinitialspace=True))
        header = [cell.strip() for cell in cells]
        if not body.strip():
            return pd.DataFrame()
        # Without a header pandas counts the columns itself, and neither renames them nor takes
        # the first for row names where a line is too long.
        frame = pd.read_csv(
            io.StringIO(body),
            sep=separator,
            header=None,
            na_values=[name + space for name in MISSING for space in ("", " ")],
            keep_default_na=False,
            skipinitialspace=True,
            float_precision=_exact(pd.__version__),
            low_memory=False,
        )
    except (pd.errors.ParserError, csv.Error) as error:
        above = text.count("\n") - body.count("\n")
        raise UnreadableError(
            "data set",
            f"{name} is not a table: {_in_the_file(one_line(error), above)}",
            remedy=(
                "Every line needs as many columns as the header, and every quotation mark an end"
            ),
        ) from error
    _check_header(header, frame.shape[1], name)
    return frame.set_axis(header, axis=1)


def _in_the_file(message: str, above: int) -> str:
    """Return pandas' message with the line numbers of the file; its rows begin with 0."""
    message = message.rpartition("C error: ")[2].rstrip(".")
    message = re.sub(r"at row (\d+)", lambda row: f"in line {int(row[1]) + 1}", message)
    return re.sub(r"in line (\d+)", lambda line: f"in line {int(line[1]) + above}", message)


def _exact(pandas_version: str) -> Literal["round_trip"] | None:
    """Return what makes pandas read floats to the last bit: since 3.1 it does so by itself."""
    major, minor = pandas_version.split(".")[:2]
    return "round_trip" if (int(major), int(minor)) < (3, 1) else None


def _check_header(header: list[str], columns: int, name: str) -> None:
    if len(header) != columns:
        raise UnreadableError(
            "data set",
            f"the header of {name} has {count(len(header), 'column')} and its first row {columns}",
            remedy="Every line needs as many columns as the header",
        )
    if all(_is_number(cell) for cell in header):
        raise ColumnError(
            "columns",
            f"{name} has numbers in its first line, where the names of the columns belong",
            remedy="Put a line of names in front",
        )
    refuse_duplicates(header, name)


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def _from_parquet(path: Path) -> Read:
    with held(False):  # who names a data set in an experiment vouches for it
        read = FORMATS["parquet"].table(path.read_bytes(), path.name, "data set")
        frame = cast("pd.DataFrame", read)
    return frame.reset_index(drop=True), ()


def _from_arff(path: Path) -> Read:
    import pandas as pd
    from scipy.io import arff

    try:
        rows, meta = arff.loadarff(io.StringIO(path.read_bytes().decode("utf-8-sig")))
    except (arff.ArffError, NotImplementedError, ValueError, StopIteration) as error:
        if isinstance(error, UnicodeDecodeError):
            raise
        raise MalformedError(
            f"is not ARFF that can be read here: {one_line(error)}", "Save it as CSV"
        ) from error
    kinds: dict[str, str] = dict(zip(meta.names(), meta.types(), strict=True))
    columns: dict[str, Any] = {name: rows[name] for name in kinds}
    nominal = tuple(name for name, kind in kinds.items() if kind == "nominal")
    for name in nominal:
        columns[name] = [cell.decode() for cell in columns[name]]
    return pd.DataFrame(columns), nominal


ENDINGS: Registry[Callable[[Path], Read]] = Registry(
    "file format",
    {
        ".csv": _text_reader(","),
        ".tsv": _text_reader("\t"),
        ".parquet": _from_parquet,
        ".arff": _from_arff,
    },
)
