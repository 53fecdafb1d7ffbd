"""``experiment.toml``: an experiment in a file."""

from __future__ import annotations

import json
import os
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, cast

from palio.errors import (
    ColumnError,
    InputError,
    Option,
    ParameterError,
    UnreadableError,
)
from palio.experiment.estimators import (
    estimator_named,
    has_grid,
    named_by_class,
    parameters_of,
    prescribed,
    search_over,
)
from palio.experiment.trust import Trust, configuration
from palio.extras import needing
from palio.scores.formats import MalformedError
from palio.scores.limits import check_nested
from palio.words import did_you_mean, is_server, nearest, one_line

if TYPE_CHECKING:
    from palio.experiment.data.datasets import Reading
    from palio.experiment.plan import Plan
    from palio.experiment.store.store import Store

Keys = tuple[str | int, ...]

with needing("run", "experiment", "experiment files need pydantic"):
    from pydantic import (
        BaseModel,
        BeforeValidator,
        ConfigDict,
        Field,
        PositiveFloat,
        PositiveInt,
        PrivateAttr,
        ValidationError,
    )


class Algorithm(BaseModel):
    """A learner: where it is, its parameters, and whether the others are tuned."""

    model_config = ConfigDict(extra="forbid")

    estimator: str
    params: dict[str, Any] = Field(default_factory=dict)
    tune: bool | None = None


def _spelled_out(algorithms: object) -> object:
    """Turn estimators without parameters, written as strings, into tables."""
    if isinstance(algorithms, list) and all(isinstance(text, str) for text in algorithms):
        try:
            algorithms = named_by_class(algorithms)
        except ValueError as error:
            raise ValueError(f"{error}, as [algorithms.NAME] estimator = …") from error
    if isinstance(algorithms, dict):
        return {
            name: {"estimator": entry} if isinstance(entry, str) else entry
            for name, entry in algorithms.items()
        }
    return algorithms


def _number(value: object) -> object:
    """Read a fraction: TOML has 0.25, and a third is better written "1/3"."""
    if isinstance(value, str):
        try:
            return float(Fraction(value))
        except (ValueError, ZeroDivisionError):
            return value
    return value


def _text_or_table(value: object) -> object:
    """Take what a name, a table, or a list of these stands for; it is made later."""
    if value is None or isinstance(value, str | dict | list):
        return value
    raise ValueError(f"input should be text or a table, and {value!r} was given")


Said = Annotated[Any, BeforeValidator(_text_or_table)]


# What a plan is made with as the file has it.
_OF_PLANS = ("scoring", "fit_params", "seed", "seeds", "aside", "predictions")


class Experiment(BaseModel):
    """The whole file; every field is also a parameter of :func:`palio.run`.

    ``algorithms`` is a table of tables, each with ``estimator`` and ``params``; an estimator
    without parameters may be a string, and several of them a list of strings, whose names are
    those of their classes.

    A parameter that is a table with the key ``estimator`` is an estimator itself, at any depth, so
    that searches, ensembles and pipelines can be written::

        name = "trees"                       # the name of the file unless given
        datasets = ["sklearn:wine", "csv:mine.csv", "folder:more"]
        target = "class"                     # in files; the last column unless given,
                                             # or of each: target = { mine = "class", … }
        resampling = "5x2"
        seeds = 5                            # random states of each algorithm on each split
        aside = "1/3"                        # or 0.25
        store = "trees.db"

        [algorithms]
        nb = "sklearn.naive_bayes:GaussianNB"

        [algorithms.tree]
        estimator = "sklearn.model_selection:GridSearchCV"
        params.param_grid = { max_depth = [1, 3, 10] }
        params.estimator = { estimator = "sklearn.tree:DecisionTreeClassifier" }

        [algorithms.svm]
        estimator = "sklearn.pipeline:Pipeline"
        params.steps = [
            ["pca", { estimator = "sklearn.decomposition:PCA", params = { n_components = 3 } }],
            ["svm", { estimator = "sklearn.svm:SVC" }],
        ]

    Learners of the catalogue are searched over the grid of their paper, within every training part,
    if ``tune`` is true; of one that is not to be (or alone is), say so in its own table::

        algorithms = ["c45", "svr", "rf"]    # c45 has no grid, and is taken as it is
        tune = true

    What is done to the features, how data sets are divided and how predictions are scored may be
    tables, too::

        prepare = { svm = "standard", nb = { estimator = "sklearn.preprocessing:MinMaxScaler" } }
        resampling = { estimator = "sklearn.model_selection:GroupKFold", params = { n_splits = 5 } }
        groups = "customer"                  # a column, or of each: groups = { mine = "customer" }
        scoring = ["accuracy", { scorer = "f1", average = "macro" }]

    Paths are seen from the file.
    """

    model_config = ConfigDict(extra="forbid")

    name: str | None = None
    datasets: list[str] | dict[str, str] = Field(min_length=1)
    algorithms: Annotated[dict[str, Algorithm], BeforeValidator(_spelled_out)] = Field(min_length=1)
    prepare: Said = None
    tune: bool = False
    resampling: Said = "5x2"
    scoring: Said = None
    target: str | dict[str, str] | None = None
    groups: str | dict[str, str] | None = None
    sample_weight: str | dict[str, str] | None = None
    fit_params: dict[str, dict[str, Any]] | None = None
    task: Literal["classification", "regression"] | None = None
    max_rows: int | None = Field(default=None, ge=2)
    binary: bool = False
    aside: Annotated[float | None, BeforeValidator(_number)] = Field(default=None, gt=0, lt=1)
    predictions: bool = False
    store: str = "experiment.db"
    engine: str = "local"
    n_jobs: PositiveInt = 2
    time_limit: PositiveFloat | None = None
    memory_limit: PositiveInt | None = None
    seed: int = 0
    seeds: PositiveInt = 1
    scheduler: str | None = None
    patience: PositiveFloat = 120.0
    isolation: Literal["worker", "process"] = "worker"

    # Whose code may be run says whoever runs it, never the file.
    _trust: Trust = PrivateAttr(default_factory=Trust)

    def estimators(self) -> dict[str, Any]:
        """Make the estimators."""
        return {name: self.estimator(name) for name in self.algorithms}

    def estimator(self, name: str, *, tune: bool | None = None) -> Any:
        """Make an estimator, tuned as the file says unless given.

        >>> stump = {"estimator": "sklearn.tree:DecisionTreeClassifier", "params": {"max_depth": 1}}
        >>> of = {"estimator": "sklearn.ensemble:BaggingClassifier", "params": {"estimator": stump}}
        >>> Experiment(datasets=["monks-1"], algorithms={"bags": of}).estimator("bags")
        BaggingClassifier(estimator=DecisionTreeClassifier(max_depth=1))
        """
        entry = self.algorithms[name]
        tuned = self._is_tuned(entry) if tune is None else tune
        keys = ("algorithms", name)
        return _made(entry.estimator, entry.params, keys, tuned, self._trust)

    def preparation(self) -> Any:
        """Make what prepares the features: for all, or by algorithm."""
        named = {name: entry.estimator for name, entry in self.algorithms.items()}
        return prescribed(named, _value(self.prepare, ("prepare",), self._trust))

    def trusting(self, trust: Trust) -> Experiment:
        """Return the experiment as one whose estimators may be of other modules, too."""
        found = self.model_copy()
        found._trust = trust
        return found

    def check_scheduler(self) -> None:
        """Refuse to send jobs where only the file says."""
        self._trust.check_scheduler(self.scheduler)

    def _is_tuned(self, entry: Algorithm) -> bool:
        """Whether a learner is; of all together, only those that can be."""
        return (self.tune and has_grid(entry.estimator)) if entry.tune is None else entry.tune

    def plan(self) -> Plan:
        """Lay out the jobs."""
        from palio.experiment.plan import make_plan

        try:
            return make_plan(
                self.datasets,
                self.estimators(),
                prepare=self.preparation(),
                resampling=_value(self.resampling, ("resampling",), self._trust),
                **{name: getattr(self, name) for name in _OF_PLANS},
                **self.reading,
            )
        except ColumnError as error:
            raise ColumnError(error.spelled(_in_the_file)) from error
        except OSError as error:  # of names that no file can have
            told = error.strerror or one_line(error)
            raise UnreadableError("data set", f"it cannot be read: {told}") from error

    @property
    def reading(self) -> Reading:
        """How data sets are read."""
        from palio.experiment.data.datasets import Reading

        return cast(Reading, {name: getattr(self, name) for name in Reading.__annotations__})


def _in_the_file(option: Option) -> str:
    """Write an option as it is written in the file.

    >>> _in_the_file(Option("target", "class"))
    'target = "class"'
    """
    return f"{option.parameter} = {json.dumps(option.value, ensure_ascii=False)}"


# --- reading the file ------------------------------------------------------------------------


def load_experiment(path: str | os.PathLike[str], *, allow: str | Sequence[str] = ()) -> Experiment:
    """Read and validate an experiment file; errors name the line, the key and what is allowed.

    The estimators are made once, so that a misspelt class or parameter is an error here, too. They
    are of installed packages, or of modules in ``allow``, which may lie beside the file.
    """
    place = Path(path)
    try:
        text = place.read_text(encoding="utf-8")
    except OSError as error:
        rule = f"'{place}' cannot be read: {error.strerror}"
        raise UnreadableError("experiment", rule) from error
    except UnicodeDecodeError as error:
        raise UnreadableError("experiment", f"'{place}' is not UTF-8: {error.reason}") from error
    content = _parsed(text, place)
    try:
        found = Experiment.model_validate(content).trusting(Trust.of(allow, place.parent))
        found.estimators()
        found.preparation()
        return _placed(found, place)
    except ValidationError as error:
        keys, complaint = _complaint(error)
    except _AtKeyError as error:
        keys, complaint = error.keys, error.marked
    line = _line_of(keys, text)
    where = f"line {line}, " if line else ""
    raise ParameterError("experiment", f"{place}: {where}{complaint}") from None


def _parsed(text: str, place: Path) -> dict[str, Any]:
    """Return what a text of TOML holds, if it is not too deep, nor its numbers too long."""
    try:
        content = tomllib.loads(text)
        check_nested(content)
    except MalformedError as error:
        raise UnreadableError("experiment", f"'{place}' {error.reason}") from error
    except (ValueError, RecursionError) as error:  # the latter of what is nested
        raise UnreadableError("experiment", f"'{place}' is not TOML: {one_line(error)}") from error
    return content


def _placed(found: Experiment, place: Path) -> Experiment:
    """Name the experiment, and let its paths be seen from the file."""
    from palio.experiment.data.datasets import seen_from

    # Absolute, as they are kept in the store and read again from elsewhere.
    folder, given = place.parent.absolute(), found.datasets
    placed: dict[str | int, str] = {}
    for key, spec in given.items() if isinstance(given, dict) else enumerate(given):
        try:
            placed[key] = seen_from(folder, spec)
        except InputError as error:
            raise _AtKeyError(("datasets", key), str(error)) from None
    datasets = placed if isinstance(given, dict) else list(placed.values())
    store = found.store
    if not is_server(store):
        store = str(place.parent / store)
    return found.model_copy(
        update={"name": found.name or place.stem, "datasets": datasets, "store": store}
    )


class _AtKeyError(ParameterError):
    """Something is wrong at a key of the file; who has the text can name the line."""

    def __init__(self, keys: Keys, message: str) -> None:
        super().__init__(message)
        self.keys = keys


def _complaint(error: ValidationError, above: Keys = ()) -> tuple[Keys, str]:
    """Return where the file is wrong and why; a misspelt key first, as it explains others."""
    errors = sorted(error.errors(), key=lambda each: each["type"] != "extra_forbidden")
    first, others = errors[0], errors[1:]
    keys: Keys = (*above, *first["loc"])
    if first["type"] == "extra_forbidden":
        known = (Experiment if len(keys) == 1 else Algorithm).model_fields
        close = nearest(str(keys[-1]), known)
        # That the right key is missing needs no saying.
        meant = (*first["loc"][:-1], *close[:1])
        others = [each for each in others if (each["type"], each["loc"]) != ("missing", meant)]
        said = f"{_dotted(keys)!r} is not a key.{_hint(keys, close)} There are: {', '.join(known)}"
    else:
        rule = first["msg"].removeprefix("Value error, ")
        said = f"{_dotted(keys)}: {rule[0].lower()}{rule[1:]}"
        told = first["type"] in ("missing", "value_error")
        said += "" if told else f", and {first['input']!r} was given"
    return keys, said + (f" (and {len(others)} more)" if others else "")


def _hint(keys: Keys, close: list[str]) -> str:
    if len(keys) > 1 and keys[-1] in Experiment.model_fields:
        # TOML gives a table all that follows it.
        return f" Write {keys[-1]!r} above the first [table]."
    return f" Did you mean {close[0]!r}?" if close else ""


def _dotted(keys: Keys) -> str:
    return ".".join(map(str, keys))


# --- where a key stands: the parser does not tell, and who is to mend it must know ---------------

_BARE = r"""(?:[\w-]+|"[^"]*"|'[^']*')"""
_PATH = rf"{_BARE}(?:\s*\.\s*{_BARE})*"
_TABLE = re.compile(rf"\s*\[\s*({_PATH})\s*\]\s*(?:#.*)?")
_ENTRY = re.compile(rf"\s*({_PATH})\s*=")


def _line_of(keys: Keys, text: str) -> int | None:
    r"""Return the line of a key, or of the nearest table or entry around it.

    >>> _line_of(("a", "b", "c"), "x = 1\n[a]\nb = { c = 2 }")
    3
    """
    wanted = tuple(map(str, keys))
    best, line = 0, None
    for number, path in _paths(text):
        shared = min(len(path), len(wanted))
        if shared > best and wanted[:shared] == path[:shared]:
            best, line = shared, number
    return line


def _paths(text: str) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Return every line that begins a table or an entry, with its keys."""
    table: tuple[str, ...] = ()
    for number, line in enumerate(text.splitlines(), start=1):
        if header := _TABLE.fullmatch(line):
            table = _split_path(header[1])
            yield number, table
        elif entry := _ENTRY.match(line):
            yield number, (*table, *_split_path(entry[1]))


def _split_path(path: str) -> tuple[str, ...]:
    return tuple(key.strip("\"'") for key in re.findall(_BARE, path))


# --- kept in a store -----------------------------------------------------------------------


def keep_experiment(store: Store, found: Experiment, name: str) -> None:
    """Remember the experiment file of a plan, so that it can be gone on with from the store."""
    # Where the store is need not be in it, and its URL may have a password.
    store.remember(f"file of {name}", found.model_dump_json(exclude={"store"}))


def stored_experiment(
    store: Store, name: str | None = None, *, allow: str | Sequence[str] = ()
) -> tuple[Experiment, str]:
    """Return the experiment file of a plan, the newest without a name, and the plan's name.

    Modules in ``allow`` may lie beside the store.
    """
    plan = store.plan_name(name)
    kept = store.recall(f"file of {plan}")
    if kept is None:
        no_file = f"'{store.shown}' does not come from an experiment file"
        rule = f"{no_file}, so the estimators are not known"
        raise ParameterError("store", rule, remedy="call palio.run again in Python")
    folder = None if store.shared else Path(store.place).parent
    try:
        found = Experiment.model_validate_json(kept).trusting(Trust.of(allow, folder))
    except ValidationError:
        rule = f"'{store.shown}' is damaged: what it keeps of its experiment file is none"
        raise UnreadableError("store", rule) from None
    return found.model_copy(update={"store": store.place}), plan


# --- making estimators -----------------------------------------------------------------------


def _made(path: str, params: Mapping[str, Any], keys: Keys, tune: bool, trust: Trust) -> Any:
    try:
        part = len(keys) > 2 or keys[0] != "algorithms"
        make = estimator_named(path, trust=trust, part=part)
    except ParameterError as error:
        said = f"{_dotted(keys)}.{error.marked}"
        raise _AtKeyError((*keys, "estimator"), said) from error
    _check_params(make, params, (*keys, "params"))
    values = {key: _value(value, (*keys, "params", key), trust) for key, value in params.items()}
    try:
        made = make(**values)
    except Exception as error:  # whatever a class of one's own raises
        said = f"{_dotted(keys)}: {type(error).__name__}: {one_line(error)}"
        raise _AtKeyError(keys, said) from error
    try:
        return search_over(path, made, params) if tune else made
    except ParameterError as error:
        raise _AtKeyError((*keys, "tune"), f"{_dotted(keys)}.{error}") from error


def _value(value: Any, keys: Keys, trust: Trust) -> Any:
    """Make the estimators inside a parameter."""
    _refuse_cache(value, keys, trust)
    if isinstance(value, Mapping):
        if isinstance(value.get("estimator"), str):
            return _nested(value, keys, trust)
        return {key: _value(item, (*keys, key), trust) for key, item in value.items()}
    if isinstance(value, list):
        items = [_value(item, (*keys, i), trust) for i, item in enumerate(value)]
        # The steps of a pipeline and the members of an ensemble are tuples: a name, an estimator.
        step = (
            bool(items)
            and isinstance(items[0], str)
            and any(isinstance(each, Mapping) for each in value)
        )
        return tuple(items) if step else items
    return value


def _refuse_cache(value: Any, keys: Keys, trust: Trust) -> None:
    """Refuse a folder from which scikit-learn would unpickle what it finds there."""
    texts = any(isinstance(each, str) for each in (value if isinstance(value, list) else [value]))
    if texts and str(keys[-1]).rpartition("__")[2] == "memory" and not trust.whole:
        raise _AtKeyError(
            keys,
            f"{_dotted(keys)}: a folder for memory may hold pickles, which could run anything; "
            f"leave it out, or trust the folder of the file in {configuration()}",
        )


def _nested(table: Mapping[str, Any], keys: Keys, trust: Trust) -> Any:
    try:
        entry = Algorithm.model_validate(table)
    except ValidationError as error:
        raise _AtKeyError(*_complaint(error, keys)) from None
    return _made(entry.estimator, entry.params, keys, bool(entry.tune), trust)


def _check_params(make: Callable[..., Any], params: Mapping[str, Any], keys: Keys) -> None:
    if not params:
        return
    name, known = parameters_of(make)
    if known is None:
        return
    for key in params:
        if key not in known:
            raise _AtKeyError(
                (*keys, key),
                f"{_dotted((*keys, key))!r} is not a parameter of {name}."
                f"{did_you_mean(key, known)} There are: {', '.join(known) or 'none'}.",
            )
