"""Where data sets come from: an entry in a registry for each kind of place.

An origin says of a string whether it is its own, and turns it into tables; what a table means is
decided in `palio.experiment.data.datasets`.
"""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias
from urllib.error import HTTPError

from palio.errors import ColumnError, ParameterError, UnreadableError, require
from palio.experiment.data.files import ENDINGS, about_file, read_table, refuse_path
from palio.experiment.data.generators import GENERATORS
from palio.extras import needing
from palio.registry import Registry, unknown_name
from palio.words import one_line, quoted

if TYPE_CHECKING:
    import pandas as pd

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
    where ``takes_target`` says that it may have one. What remains is a path on this machine where
    ``is_path`` says so.
    """

    name: str
    forms: tuple[str, ...]
    claims: Callable[[str], str | None]
    load: Callable[[str, Target], list[Table]]
    takes_target: bool = False
    is_path: bool = False


def find_table(spec: str, target: Target = None) -> list[Table]:
    """Return the tables that a string names.

    >>> [table.name for table in find_table("sklearn:iris")]
    ['iris']
    """
    origin, rest = find_origin(spec)
    return origin.load(rest, target)


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


def _from_generator(name: str, target: Target) -> list[Table]:
    _refuse_target(name, target)
    return [_with_last(name, GENERATORS[name].make(), name)]


def _with_last(name: str, frame: pd.DataFrame, source: str) -> Table:
    """Return a table whose target is known to be the last column, and whose texts are names."""
    *features, target = map(str, frame.columns)
    names = tuple(each for each in features if frame[each].dtype.kind not in "biuf")
    return Table(name, frame, source, target, names)


def _from_sklearn(name: str, target: Target) -> list[Table]:
    spec = f"sklearn:{name}"
    if name not in _SKLEARN:
        raise unknown_name("data set", spec, [f"sklearn:{known}" for known in _SKLEARN])
    _refuse_target(spec, target)
    with needing("run", "data set", f"{spec!r} comes with scikit-learn"):
        from sklearn import datasets  # type: ignore[import-untyped]

    bunch = getattr(datasets, f"load_{name}")(as_frame=True)
    return [_with_last(name, bunch.frame, spec)]


def _refuse_target(spec: str, target: Target) -> None:
    remedy = "leave target away; it is for frames, files and OpenML"
    require(target is None, "target", f"{spec!r} has its own", target, remedy)


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
            bunch = fetch_openml(
                **wanted,
                target_column=target or "default-target",
                as_frame=True,
                n_retries=1,
                delay=0.2,
            )
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
        return ColumnError(
            "target",
            f"{spec!r} has no column {target!r}",
            remedy="Look up its columns on openml.org",
        )
    if isinstance(error, OSError) and not isinstance(error, HTTPError):
        return UnreadableError(
            "data set",
            f"{spec!r} is not in scikit-learn's cache",
            f"openml.org cannot be reached ({one_line(error, limit=80)})",
            "Go online once, or use a file or an offline set such as 'sklearn:wine'",
        )
    return UnreadableError(
        "data set",
        f"{spec!r} cannot be had from openml.org: {one_line(error, limit=120)}",
        remedy="Look up its number there",
    )


def _from_file(path: str, target: Target) -> list[Table]:
    return [_file_table(Path(path).expanduser(), target)]


def _file_table(path: Path, targets: Target, name: str | None = None) -> Table:
    frame, nominal = read_table(path)
    about = about_file(path)
    name = name or path.stem
    target = _target_of(name, targets)
    return Table(
        name=name,
        frame=frame,
        source=str(path),
        target=target,
        categorical=tuple(dict.fromkeys((*nominal, *about.categorical))),
        task=about.task if target in (None, str(frame.columns[-1])) else None,
    )


def _from_folder(folder: str, target: Target) -> list[Table]:
    path = Path(folder).expanduser()
    if not path.is_dir():
        refuse_path(path, wanted="folder")
    files = sorted(filter(_is_data, path.iterdir()), key=lambda file: file.name)
    if not files:
        within = sorted(each.name for each in path.iterdir() if each.is_dir())
        hint = f"give one of the folders in it: {quoted(within)}" if within else ""
        raise UnreadableError(
            "data set",
            f"the folder {str(path)!r} has no file that ends in {', '.join(ENDINGS)}",
            remedy=hint or "put data there, or give another folder",
        )
    stems = Counter(file.stem for file in files)
    return [
        _file_table(file, target, file.stem if stems[file.stem] == 1 else file.name)
        for file in files
    ]


def _is_data(path: Path) -> bool:
    hidden = path.name.startswith((".", "~"))
    return (
        path.is_file()
        and path.suffix.lower() in ENDINGS
        and path.name not in _COMPANIONS
        and not hidden
    )


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
