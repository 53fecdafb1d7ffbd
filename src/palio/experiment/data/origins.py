"""Where data sets come from: an entry in a registry for each kind of place.

An origin says of a string whether it is its own, and turns it into tables; what a table means is
decided in `palio.experiment.data.datasets`. What lies beside a file is heeded, too:

``TYPES.json``, in a file's folder or the one above, names categorical columns:
``{"wine": {"categorical": ["hue"]}}``, the key being the path from there without its ending.
``INDEX.csv`` in the same places may give the task, in columns ``path`` and ``task``.
"""

from __future__ import annotations

import csv
import io
import json
import re
import warnings
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NoReturn, TypeAlias, cast
from urllib.error import HTTPError

from palio.errors import ColumnError, ParameterError, UnreadableError
from palio.experiment.data.columns import MISSING
from palio.experiment.data.generators import GENERATORS
from palio.extras import needing
from palio.registry import Registry, unknown_name
from palio.scores.columns import refuse_duplicates
from palio.scores.formats import FORMATS, MalformedError, opened
from palio.scores.limits import held
from palio.words import count, did_you_mean, one_line, quoted

if TYPE_CHECKING:
    import pandas as pd

Read = tuple["pd.DataFrame", tuple[str, ...]]

Target: TypeAlias = str | Mapping[str, str] | None

_SKLEARN = ("iris", "wine", "breast_cancer", "digits", "diabetes")
_COMPANIONS = ("INDEX.csv", "TYPES.json")


@dataclass(frozen=True)
class Table:
    """A frame on its way to becoming a data set; without a target, its columns are looked at."""

    name: str
    frame: pd.DataFrame
    source: str
    target: str | None = None
    categorical: tuple[str, ...] = ()
    task: str | None = None


@dataclass(frozen=True)
class Origin:
    """A kind of place: how it is written, which strings are its own, and how to get there.

    ``claims`` returns what remains of its own string without the prefix, and None for others;
    ``load`` takes that and the name of the target column (or one for each data set, by its name),
    which it heeds where ``takes_target`` says so. What remains is a path on this machine where
    ``is_path`` says so.
    """

    name: str
    forms: tuple[str, ...]
    claims: Callable[[str], str | None]
    load: Callable[[str, Target], list[Table]]
    takes_target: bool = False
    is_path: bool = False


def find_origin(spec: str) -> tuple[Origin, str]:
    """Return whose a string is, and what remains of it without the prefix.

    >>> origin, rest = find_origin("csv:mine.csv")
    >>> origin.name, rest
    ('file', 'mine.csv')
    """
    if not isinstance(spec, str):
        raise ParameterError(
            "data set",
            "must be a string such as 'sklearn:wine', 'monks-1' or 'csv:my.csv', or a Dataset",
            f"{type(spec).__name__} was given",
            "give a frame or (X, y) a name, as datasets={'mine': frame}",
        )
    for origin in ORIGINS.values():
        rest = origin.claims(spec.strip())
        if rest is not None:
            return origin, rest
    raise unknown_name("data set", spec, [form for each in ORIGINS.values() for form in each.forms])


def _prefixed(prefix: str) -> Callable[[str], str | None]:
    def claims(spec: str) -> str | None:
        before, colon, rest = spec.partition(":")
        return rest.strip() if colon and before.lower() == prefix else None

    return claims


def _claims_file(spec: str) -> str | None:
    prefixed = _prefixed("csv")(spec)
    if prefixed is not None:
        return prefixed
    return spec if Path(spec).suffix.lower() in ENDINGS else None


def _target_of(name: str, target: Target) -> str | None:
    """Return the target that was named for a data set, or for all of them."""
    return target.get(name) if isinstance(target, Mapping) else target


def _from_generator(name: str, _target: Target) -> list[Table]:
    return [_with_last(name, GENERATORS[name].make(), name)]


def _with_last(name: str, frame: pd.DataFrame, source: str) -> Table:
    """Return a table whose target is known to be the last column, and whose texts are names."""
    *features, target = map(str, frame.columns)
    names = tuple(each for each in features if frame[each].dtype.kind not in "biuf")
    return Table(name, frame, source, target, names)


def _from_sklearn(name: str, _target: Target) -> list[Table]:
    spec = f"sklearn:{name}"
    if name not in _SKLEARN:
        raise unknown_name("data set", spec, [f"sklearn:{known}" for known in _SKLEARN])
    with needing("run", "data set", f"{spec!r} comes with scikit-learn"):
        from sklearn import datasets  # type: ignore[import-untyped]

    bunch = getattr(datasets, f"load_{name}")(as_frame=True)
    return [_with_last(name, bunch.frame, spec)]


def _from_openml(which: str, target: Target) -> list[Table]:
    with needing("run", "data set", "OpenML is read by scikit-learn"):
        from sklearn.datasets import fetch_openml  # type: ignore[import-untyped]

    target = _target_of(f"openml:{which}", target)  # its name is not known before it is here
    wanted: dict[str, Any] = {"data_id": int(which)} if which.isdecimal() else {"name": which}
    if not which:
        raise ParameterError("data set", "'openml:' needs a number or a name, such as 'openml:61'")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that it tries again, that versions differ
            column = target or "default-target"
            options = {"as_frame": True, "n_retries": 1, "delay": 0.2}
            bunch = fetch_openml(**wanted, target_column=column, **options)
    except (OSError, ValueError, KeyError) as error:
        raise _openml_error(which, target, error) from error
    frame: pd.DataFrame = bunch.frame
    name = str(bunch.details.get("name", which)) if hasattr(bunch, "details") else which
    if not bunch.target_names or len(bunch.target_names) != 1:
        raise ColumnError(
            "target",
            f"'openml:{which}' does not have one target column but {len(bunch.target_names or [])}",
            remedy=f"Name it: its columns are {quoted(frame.columns, limit=10)}",
        )
    return [Table(name, frame, f"openml:{which}", target=str(bunch.target_names[0]))]


def _openml_error(
    which: str, target: str | None, error: Exception
) -> UnreadableError | ColumnError:
    spec = f"openml:{which}"
    if isinstance(error, KeyError):
        remedy = "Look up its columns on openml.org"
        return ColumnError("target", f"{spec!r} has no column {target!r}", remedy=remedy)
    if isinstance(error, OSError) and not isinstance(error, HTTPError):
        return _unreadable(
            f"{spec!r} is not in scikit-learn's cache",
            "Go online once, or use a file or an offline set such as 'sklearn:wine'",
            f"openml.org cannot be reached ({one_line(error, limit=80)})",
        )
    rule = f"{spec!r} cannot be had from openml.org: {one_line(error, limit=120)}"
    return _unreadable(rule, "Look up its number there")


# --- files ---------------------------------------------------------------------------------------


def _from_file(path: str, target: Target) -> list[Table]:
    return [_file_table(Path(path).expanduser(), target)]


def _from_folder(folder: str, target: Target) -> list[Table]:
    path = Path(folder).expanduser()
    if not path.is_dir():
        _refuse_path(path, wanted="folder")
    files = sorted(filter(_is_data, path.iterdir()), key=lambda file: file.name)
    if not files:
        within = sorted(each.name for each in path.iterdir() if each.is_dir())
        hint = f"give one of the folders in it: {quoted(within)}" if within else ""
        rule = f"the folder {str(path)!r} has no file that ends in {', '.join(ENDINGS)}"
        raise _unreadable(rule, hint or "put data there, or give another folder")
    stems = Counter(file.stem for file in files)
    return [
        _file_table(file, target, file.stem if stems[file.stem] == 1 else file.name)
        for file in files
    ]


def _is_data(path: Path) -> bool:
    passed_over = path.name in _COMPANIONS or path.name.startswith((".", "~"))
    return path.is_file() and path.suffix.lower() in ENDINGS and not passed_over


def _file_table(path: Path, targets: Target, name: str | None = None) -> Table:
    """Read a file by its ending, any other as CSV, with what the files beside it say."""
    if not path.is_file():
        _refuse_path(path)
    ending = path.suffix.lower()
    with opened(path, "data set"):
        frame, nominal = ENDINGS[ending if ending in ENDINGS else ".csv"](path)
    if frame.empty:
        raise _empty(path)
    name = name or path.stem
    target = _target_of(name, targets)
    place = path.resolve()
    above = [(folder, place.relative_to(folder)) for folder in place.parents[:2]]
    named = (_named_categorical(folder / "TYPES.json", relative) for folder, relative in above)
    tasks = (_named_task(folder / "INDEX.csv", relative) for folder, relative in above)
    return Table(
        name=name,
        frame=frame,
        source=str(path),
        target=target,
        categorical=tuple(dict.fromkeys((*nominal, *next(filter(None, named), ())))),
        task=next(filter(None, tasks), None) if target in (None, str(frame.columns[-1])) else None,
    )


def _unreadable(rule: str, remedy: str, received: str = "") -> UnreadableError:
    return UnreadableError("data set", rule, received, remedy)


def _refuse_path(path: Path, *, wanted: str = "file") -> NoReturn:
    """Say why there is no such file or folder, and which may be meant."""
    if path.is_dir():
        remedy = f"Write 'folder:{path}' to read all its files"
        raise _unreadable(f"{str(path)!r} is a folder", remedy)
    if path.is_file():
        raise _unreadable(
            f"{str(path)!r} is a file, not a folder", f"Write 'csv:{path}' to read it"
        )
    beside = [each.name for each in path.parent.iterdir()] if path.parent.is_dir() else []
    rule = f"there is no {wanted} {one_line(path)!r}.{did_you_mean(path.name, beside)}"
    raise _unreadable(f"{rule} Give the path of an existing {wanted}", "")


def _named_categorical(types: Path, relative: Path) -> tuple[str, ...]:
    if not types.is_file():
        return ()
    try:
        content = json.loads(types.read_text(encoding="utf-8"))
        entry = content.get(relative.with_suffix("").as_posix(), {})
        return tuple(str(name) for name in entry.get("categorical", ()))
    except (OSError, ValueError, AttributeError, TypeError) as error:
        form = '{"name": {"categorical": [columns]}}'
        rule = f"{str(types)!r} is not of the form {form}: {one_line(error, limit=80)}"
        raise _unreadable(rule, "Mend it, or move it away") from error


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
    return _unreadable(f"{path.name} is empty", "Give a file with a header and at least two rows")


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
        raise _unreadable(
            f"{name} is not a table: {_in_the_file(one_line(error), above)}",
            "Every line needs as many columns as the header, and every quotation mark an end",
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
        rule = (
            f"the header of {name} has {count(len(header), 'column')} and its first row {columns}"
        )
        raise _unreadable(rule, "Every line needs as many columns as the header")
    if all(_is_number(cell) for cell in header):
        rule = f"{name} has numbers in its first line, where the names of the columns belong"
        raise ColumnError("columns", rule, remedy="Put a line of names in front")
    refuse_duplicates(header, name)


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def _from_parquet(path: Path) -> Read:
    with held(False):  # who names a data set in an experiment vouches for it
        read = FORMATS["parquet"].table(path.read_bytes(), path.name, "data set", [])
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


# --- the registry --------------------------------------------------------------------------------


ORIGINS: Registry[Origin] = Registry.of(
    "origin of data sets",
    Origin(
        "generator",
        tuple(GENERATORS),
        lambda spec: spec if spec in GENERATORS else None,
        _from_generator,
    ),
    Origin(
        "sklearn",
        tuple(f"sklearn:{name}" for name in _SKLEARN),
        _prefixed("sklearn"),
        _from_sklearn,
    ),
    Origin("openml", ("openml:ID",), _prefixed("openml"), _from_openml, takes_target=True),
    Origin(
        "folder",
        ("folder:PATH",),
        _prefixed("folder"),
        _from_folder,
        takes_target=True,
        is_path=True,
    ),
    Origin("file", ("csv:PATH",), _claims_file, _from_file, takes_target=True, is_path=True),
)
