"""ReadSpec: everything that can be said about how a table is read.

`read_scores`, the command line and the page fill one in; what it leaves open is inferred. It can be
kept as a TOML file, with ``--spec`` or beside the results: ``results.csv.palio.toml``.
"""

from __future__ import annotations

import json
import os
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

from palio.errors import ParameterError, UnreadableError, require
from palio.scores.missing import USUAL, rule_of
from palio.words import did_you_mean, joined, one_line

if TYPE_CHECKING:
    from palio.scores.sources import TableSource

    Names: TypeAlias = str | Sequence[str]
    Where: TypeAlias = str | Sequence[str] | Mapping[str, object]
    Directions: TypeAlias = Mapping[str, bool | str] | Sequence[str] | str

Layout: TypeAlias = Literal["long", "datasets-in-rows", "algorithms-in-rows", "board", "one"]
"""One row per result; a row per data set and a column per algorithm; the other way round; a row per
algorithm and a column per measure, all of one data set; a row per data set of one algorithm."""

BESIDE = ".palio.toml"
"""What the name of a file is followed by in that of the spec beside it."""

KEYS = ("dataset", "algorithm", "repeat", "fold")
OF_ITEMS = ("item", "cluster")
OF_PREDICTIONS = ("instance", "truth", "prediction")
_WAYS = {"higher": True, "true": True, "lower": False, "false": False}


@dataclass(frozen=True, kw_only=True, slots=True)
class ReadSpec:
    """How a table is read; what is None is found out.

    Parameters
    ----------
    dataset, algorithm, repeat, fold : str, optional
        The names of the key columns; by default ``dataset``, ``algorithm``, ``repeat`` and
        ``fold`` in any case, or what people call them (`palio.scores.vocabulary`): model, task,
        split, …. Several columns make one name: ``algorithm="framework+version"``, or a list.
        ``folder`` and ``file`` are where tables are that name neither, ``index`` a first column
        without a name.
    item, cluster : str, optional
        The columns of items (questions, instances) and of what puts these together (a passage with
        several questions).
    instance, truth, prediction : str, optional
        The columns of predictions: what tells the test instances apart, their true classes, and
        what an algorithm says.
    score : str, optional
        Long: the score column asked about, or a value of the column that names the measures.
        Wide: the name of what is measured.
    higher_is_better : bool, optional
        The direction of the score, if its name does not tell.
    direction : mapping, or str or list of str, optional
        Directions of measures by their names, where a column (``metric``, ``measure``, …) says
        what is measured on each data set: ``{"gain": "higher"}`` or ``"gain=higher"``.
    scale : {"auto", "difference", "ratio", "order"}, optional
        What means the same on every data set: a difference (accuracy), a ratio (RMSE, loss, time,
        which have a unit of their own on each) or only who is better. Read from well-known names
        unless given; of others a difference, and a note says so.
    costs : list of str, path or frame, optional
        Cost columns of the same table, or a second table: dataset, algorithm, one column per
        cost. Columns with well-known names (``train_time``, ``space``, …) are costs without being
        named.
    missing : str, default "pairwise"
        What to do about missing scores, by a rule of `MISSING`: compare each pair where both have
        one; ``"error"``; leave out what has gaps (``"drop-datasets"``, ``"drop-algorithms"``); or
        fill them in: ``"worst"`` (that any algorithm has there), ``"baseline=NAME"`` (what that
        algorithm has there), ``"value=X"``, ``"par10"`` (run times: ten times the cut-off).
    keep_failing : bool, default False
        Whether to keep algorithms that failed on most of the data sets they were tried on.
    duplicates : {"error", "mean", "first", "last"}, default "error"
        What to do about rows of one data set, algorithm, repeat and fold that contradict: refuse,
        or take their mean, the first or the last. Rows that agree are copies, of which one is kept.
    transpose : bool, optional
        Whether a wide table has algorithms in rows and data sets in columns.
    layout : str, optional
        How the table is laid out (`palio.scores.spec.Layout`): ``"long"``,
        ``"datasets-in-rows"``, ``"algorithms-in-rows"``, ``"board"`` (a row per algorithm, a column
        per measure, one data set) or ``"one"`` (a row per data set, of one algorithm).
    results : list of str, optional
        The columns of a wide table that hold results; the others are not used.
    algorithms, exclude, datasets : str or list of str, optional
        Only these algorithms, not these, only these data sets; ``*`` stands for anything.
    where : mapping, or str or list of str, optional
        Only rows with these values in these columns: ``{"constraint": "4h8c"}`` or
        ``"constraint=4h8c"``; several values of one column are alternatives.
    plan : str, optional
        Of a store: which of its plans; the one saved last unless given.
    decimal : {".", ","}, optional
        The decimal mark, where the numbers do not tell: ``1,234`` may be 1234 or 1.234.
    allow_out_of_range : bool, default False
        Take values as they are that cannot be, or not all at once: outside the range of the
        measure, percent beside fractions, ranks under the name of a share; otherwise an error.
    alone : bool, default False
        Whether results of one algorithm will do, to look at them or to put them beside others.
    limits : bool, default True
        Whether to refuse files beyond what any table of results has (`palio.scores.limits`), which
        may be there to fill the memory.
    format : str, optional
        The format of the file (`FORMATS`) or who wrote it (`IMPORTERS`), where its ending does not
        tell; ``"xlsx:Sheet 2"`` names a sheet.

    Examples
    --------
    >>> spec = ReadSpec(algorithm=["framework", "version"], direction="gain=higher")
    >>> spec.algorithm, spec.direction
    ('framework+version', {'gain': True})
    >>> print(spec.to_toml())
    algorithm = "framework+version"
    <BLANKLINE>
    [direction]
    "gain" = true
    """

    dataset: str | None = None
    algorithm: str | None = None
    repeat: str | None = None
    fold: str | None = None
    item: str | None = None
    cluster: str | None = None
    instance: str | None = None
    truth: str | None = None
    prediction: str | None = None
    score: str | None = None
    higher_is_better: bool | None = None
    direction: Directions | None = None
    scale: str | None = None
    costs: Sequence[str] | TableSource | None = None
    missing: str = USUAL
    keep_failing: bool = False
    duplicates: str = "error"
    transpose: bool | None = None
    layout: Layout | None = None
    results: tuple[str, ...] = ()
    algorithms: Names | None = None
    exclude: Names | None = None
    datasets: Names | None = None
    where: Where | None = None
    plan: str | None = None
    decimal: str | None = None
    allow_out_of_range: bool = False
    alone: bool = False
    limits: bool = True
    format: str | None = None

    def __post_init__(self) -> None:
        from palio.scores.doubts import check_duplicates

        for name, value in self.given().items():
            if kind := _KINDS.get(str(_FIELDS[name].type).removesuffix(" | None")):
                require(kind[1](value), name, kind[0], value)
        _ = rule_of(self.missing)
        check_duplicates(self.duplicates)
        require(self.decimal in (None, ".", ","), "decimal", "it is . or ,", self.decimal)
        for role in ("dataset", "algorithm"):
            names = getattr(self, role)
            if isinstance(names, list | tuple):
                require(_are_texts(names), role, "must be names of columns", names)
                object.__setattr__(self, role, "+".join(names))
        object.__setattr__(self, "direction", directions_in(self.direction) or None)

    @classmethod
    def of(cls, spec: ReadSpec | str | os.PathLike[str] | None, **given: Any) -> ReadSpec:
        """Return a spec, or that of a TOML file, with what is given besides.

        >>> ReadSpec.of(ReadSpec(score="f1"), fold="part").score
        'f1'
        """
        for name in given:
            if name not in _FIELDS:
                raise unknown_option(name, _FIELDS)
        base = spec if isinstance(spec, ReadSpec) else cls() if spec is None else from_toml(spec)
        return replace(base, **given)

    @property
    def keys(self) -> dict[str, str | None]:
        """The columns that say which result a row is, by their roles."""
        asked = {role: name for role in OF_ITEMS if (name := getattr(self, role)) is not None}
        return {**{role: getattr(self, role) for role in KEYS}, **asked}

    @property
    def cost_columns(self) -> tuple[str, ...]:
        """The columns of the table itself that are costs, if costs are columns of it."""
        return tuple(map(str, self.costs)) if isinstance(self.costs, list | tuple) else ()

    @property
    def directions(self) -> Mapping[str, bool]:
        """The directions of measures by their names."""
        return self.direction or {}  # type: ignore[return-value]  # read by __post_init__

    def given(self) -> dict[str, Any]:
        """Return what it says, and does not leave open."""
        values = {name: getattr(self, name) for name in _FIELDS}
        # A frame of costs equals nothing, in a way that is no truth.
        return {
            name: value
            for name, value in values.items()
            if (value is not None if name == "costs" else value != _FIELDS[name].default)
        }

    def to_toml(self) -> str:
        """Return what it says as TOML, which `from_toml` reads."""
        lines = list[str]()
        for name, value in sorted(self.given().items(), key=lambda x: isinstance(x[1], Mapping)):
            if isinstance(value, Mapping):
                lines += ["", f"[{name}]"]
                lines += [f"{_toml(name, str(x))} = {_toml(name, y)}" for x, y in value.items()]
            else:
                lines.append(f"{name} = {_toml(name, value)}")
        return "\n".join(lines)


def _are_texts(value: object) -> bool:
    texts = [value] if isinstance(value, str) else value
    return isinstance(texts, Iterable) and all(isinstance(each, str) for each in texts)


def _are_pairs(value: object) -> bool:
    return isinstance(value, Mapping) or _are_texts(value)


# What a field of a type may hold, for a file of TOML may say anything; costs are told by who reads.
_KINDS: dict[str, tuple[str, Callable[[object], bool]]] = {
    "bool": ("must be True or False, or left out", lambda value: isinstance(value, bool)),
    "Names": ("must be a name or several", _are_texts),
    "Where": ("it is written COL=VALUE, one or several", _are_pairs),
    "Directions": ("it is written NAME=higher or NAME=lower", _are_pairs),
    "Layout": (f"must be {joined(get_args(Layout), 'or')}", get_args(Layout).__contains__),
}


def read_field(name: str, texts: Sequence[str]) -> bool | str | tuple[str, ...]:
    """Read a field from texts, as a link or a form has them; of a single value the last counts.

    >>> read_field("transpose", ["true"]), read_field("costs", ["time", "space"])
    (True, ('time', 'space'))
    """
    if is_several(name):
        return tuple(text for text in texts if text)
    if "bool" not in str(_FIELDS[name].type):
        return texts[-1]
    require(texts[-1] in ("true", "false"), name, "it is true or false", texts[-1])
    return texts[-1] == "true"


def is_several(name: str) -> bool:
    """Say whether a field has several values.

    >>> is_several("costs"), is_several("layout")
    (True, False)
    """
    return not {"bool", "str", "Layout"} & set(str(_FIELDS[name].type).split(" | "))


def field_texts(value: object) -> list[str]:
    """Return the value of a field as the texts that `read_field` reads.

    >>> field_texts({"gain": True}), field_texts(False)
    (['gain=higher'], ['false'])
    """
    if isinstance(value, bool):
        return [str(value).lower()]
    if isinstance(value, Mapping):
        ways = {True: "higher", False: "lower"}
        return [f"{key}={ways.get(each, each)}" for key, each in value.items()]
    return [str(each) for each in value] if isinstance(value, list | tuple) else [str(value)]


_FIELDS = {field.name: field for field in fields(ReadSpec)}


def unknown_option(name: str, known: Iterable[str]) -> ParameterError:
    """Return the error for an option that neither reading nor the question has."""
    return ParameterError(name, f"no option has this name.{did_you_mean(name, known)}")


def from_toml(path: str | os.PathLike[str]) -> ReadSpec:
    """Read a spec that was saved."""
    try:
        said = tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:  # the latter of what is no TOML, or no text
        rule = f"{str(path)!r} cannot be read as TOML: {one_line(error)}"
        raise UnreadableError("spec", rule) from error
    if "results" in said:
        said["results"] = tuple(said["results"])
    return ReadSpec.of(None, **said)


def spec_beside(source: object) -> Path | None:
    """Return the spec that lies beside a file, if one does.

    >>> spec_beside("results.csv") is None
    True
    """
    if not isinstance(source, str | os.PathLike):
        return None
    with suppress(OSError):  # of a name that no file can have
        path = Path(f"{os.fspath(source)}{BESIDE}").expanduser()
        return path if path.is_file() else None
    return None


def _toml(name: str, value: object) -> str:
    """Write a value; texts and lists of JSON are those of TOML."""
    if isinstance(value, float):
        return repr(value)  # JSON writes nan and inf otherwise
    try:
        return json.dumps(value, ensure_ascii=False, default=os.fspath)
    except TypeError:
        kind = type(value).__name__
        raise ParameterError(name, "it cannot be saved", f"it is a {kind}") from None


def directions_in(given: Directions | None) -> dict[str, bool]:
    """Read directions by the names of measures: a mapping, or ``NAME=higher``, one or several.

    >>> directions_in("mape=lower"), directions_in({"gain": True})
    ({'mape': False}, {'gain': True})
    """
    if isinstance(given, Mapping):
        ways = dict(given)
    else:
        texts = [given] if isinstance(given, str) else given or ()
        parts = [text.rpartition("=") for text in texts]
        ways = {name.strip(): way.strip() for name, _, way in parts}
    found = {name: _WAYS.get(str(way).lower()) for name, way in ways.items()}
    rule = "it is written NAME=higher or NAME=lower"
    require(all(found) and None not in found.values(), "direction", rule, given)
    return {name: bool(way) for name, way in found.items()}
