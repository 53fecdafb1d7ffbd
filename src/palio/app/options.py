"""Options that several verbs share: how to read a table, and where to show the result."""

from __future__ import annotations

import sys
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias, get_args

from cyclopts import Group, Parameter

from palio.errors import ParameterError, require
from palio.registry import load
from palio.results import to_json
from palio.words import joined, names_in, visible

if TYPE_CHECKING:
    from palio.predictions import Predictions
    from palio.results import Result
    from palio.scores import ScoreTable


def choices(home: str, before: str = "", after: str = "", *, only: str = "") -> str:
    """List what a registry holds, for a help text: ``package.module:REGISTRY``.

    Annotations are read when their verb is asked for, so other verbs load nothing for it. An
    entry may have a ``remark``; ``only`` those of which that is true are listed.

    >>> choices("palio.ordering:ORDERINGS", "Method")
    'Method: pairwise, multitest, multi2test.'
    """
    known = load(home)
    entries = known if isinstance(known, Mapping) else dict.fromkeys(get_args(known))
    names = [
        f"{name} ({remark})" if (remark := getattr(entry, "remark", "")) and not only else name
        for name, entry in entries.items()
        if not only or getattr(entry, only)
    ]
    return f"{before}{before and ': '}{', '.join(names)}{after}."


def listing(home: str, before: str, after: str = "") -> Parameter:
    """Describe an option of reading by what a registry in `palio.scores` holds."""
    return Parameter(help=choices(f"palio.scores.{home}", before, after))


def flag(text: str) -> Parameter:
    """Describe an option that is given or not."""
    return Parameter(help=text, negative="", show_default=False)


def several(text: str) -> Parameter:
    """Describe an option that may be given more than once."""
    return Parameter(help=text, negative_iterable="", show_default=False)


AllowOption = Annotated[
    list[str] | None,
    several("A module whose code you trust, so that an estimator may be of it; several may be."),
]


def figures(default: str, kind: str, besides: str = "") -> Parameter:
    """Describe ``--figure`` of a verb whose result is of a kind; others are drawn by name."""
    others = [
        name
        for name, each in load("palio.report.figures:FIGURES").items()
        if kind in each.kinds and name != default
    ]
    by_name = f"; others by name: --figure NAME=drawn.svg ({', '.join(others)})" if others else ""
    return several(
        f"Write a figure: --figure drawn.svg (.png, .pdf). It is {default}{besides}{by_name}."
    )


JsonFlag = Annotated[bool, flag("Print JSON.")]
Alpha = Annotated[float, Parameter(help="Significance level.")]
As = Annotated[
    str | None,
    Parameter(
        name="--as",
        help="A paper whose procedure it is: order has yildiz2006, ulas2008, benavoli2016 and "
        "wainer2016, rank has brazdil2000.",
    ),
]
Top = Annotated[int | None, Parameter(help="Show the first N of many algorithms.")]
Focused = Annotated[str | None, Parameter(help="Look at this algorithm against the rest.")]
All = Annotated[bool, Parameter(name="--all", help="Show every row of long lists.", negative="")]
MoreFiles = Annotated[str, Parameter(help="Further files of the same table.")]
Over = Annotated[
    Literal["items", "datasets"] | None,
    Parameter(
        help="Generalise to other items or to other datasets. Items would be drawn anew of these "
        "tasks, datasets are other tasks like these. With item scores on fewer than six data sets "
        "items, else datasets."
    ),
]
OneDataset = Annotated[str | None, Parameter(help="Which data set, if there are several.")]

Place: TypeAlias = str | list[str]  # a file or a store, or several files that are one table

_FILLED = "; baseline=NAME, value=X"
_OF_FILE = "Of the file, where its ending does not tell"
_OR_WRITER = "; xlsx:SHEET names a sheet; or who wrote it, such as lm-eval"

_PREFERENCE = Group("Preference", sort_key=1)
_TESTS = Group("With some tests", sort_key=1)
_READING = Parameter(
    name="*",
    group=Group("Reading the table", sort_key=2),
    negative="",
    negative_iterable="",
    show_default=lambda value: value if isinstance(value, str) else None,
)


@_READING
@dataclass(frozen=True)
class PlainReading:
    """How to read the table of scores, for verbs that have other uses for some of the names.

    Parameters
    ----------
    score
        Score column; in a wide table, the measure's name.
    higher_is_better
        Direction of the score, where its name does not tell.
    direction
        Direction of a measure that a column names: --direction gain=higher.
    scale
        What means the same on every data set: a difference (accuracy), a ratio (RMSE, loss, time)
        or only who is better (order); auto goes by the measure.
    costs
        A second file: dataset, algorithm, one column per cost.
    keep_failing
        Keep algorithms that failed on most data sets, instead of leaving them out.
    column
        Other names for the key columns, such as --column dataset=Task; of items also their
        cluster.
    dataset
        The column that names the data sets; COL+COL makes one name of several.
    exclude
        Leave these algorithms out: a,b or 'tuned-*'.
    where
        Only rows with this value: --where constraint=4h8c.
    transpose
        A wide table has algorithms in rows, data sets in columns; recognised unless given.
    decimal
        The decimal mark, . or , where the numbers do not tell.
    allow_out_of_range
        Take values as they are, also those that the measure cannot have.
    limits
        With --no-limits files of any size are read, without the limits that keep a bad one out.
    plan
        Of a store: which plan; the one saved last unless given.
    spec
        How to read the table, saved by palio read --save-spec results.toml.
    """

    score: str | None = None
    higher_is_better: Annotated[bool | None, Parameter(negative="--lower-is-better")] = None
    direction: list[str] = field(default_factory=list)
    scale: Literal["auto", "difference", "ratio", "order"] = "auto"
    costs: Path | None = None
    missing: Annotated[str, listing("missing:MISSING", "Missing cells", _FILLED)] = "pairwise"
    keep_failing: bool = False
    duplicates: Annotated[str, listing("doubts:DuplicatesChoice", "Rows that contradict")] = "error"
    column: list[str] = field(default_factory=list)
    dataset: Annotated[str | None, Parameter(name="--dataset-column")] = None
    exclude: list[str] = field(default_factory=list)
    where: list[str] = field(default_factory=list)
    transpose: Annotated[bool | None, Parameter(negative="--no-transpose")] = None
    decimal: str | None = None
    allow_out_of_range: bool = False
    limits: Annotated[bool, Parameter(negative="--no-limits")] = True
    format: Annotated[str | None, listing("formats:FORMATS", _OF_FILE, _OR_WRITER)] = None
    plan: Annotated[str | None, Parameter(name="--name")] = None
    spec: Path | None = None

    def read(
        self,
        source: Place,
        costs: Sequence[str] = (),
        *,
        alone: bool = False,
        over: str | None = None,
        predicted: bool = True,
        linked: Mapping[str, Any] | None = None,
    ) -> ScoreTable:
        """Read a file, a store (a text, for a path would lose a URL's slashes) or ``study:NAME``.

        Several files are one table.

        ``costs`` names columns that are costs, whatever their name; ``alone`` says that one
        algorithm will do; ``over`` items those that a store keeps are read. Predictions are
        accuracies on items, unless ``predicted`` says that they are not asked for. ``linked`` are
        fields of a `ReadSpec` that come before what was typed.
        """
        from palio.scores.limits import memory_held
        from palio.scores.reading import read_table

        given = {**self.fields(), **(linked or {}), "alone": alone}
        if costs and self.costs is None:
            given["costs"] = [*given.get("costs", ()), *costs]
        fits = predicted or given.keys().isdisjoint(_OF_PREDICTIONS)
        require(fits, "column", "it is of predictions", self.column)
        with memory_held(source if self.limits else None):
            table = read_table(source, self.spec, given, over=over, predicted=predicted)
        if not alone:
            _tell(table.how_read.recognised)
        return table

    def predictions(self, source: Place, *, dataset: str | None = None) -> Predictions:
        """Read predictions; options that are of scores are refused."""
        from palio.predictions import read_predictions
        from palio.scores.sources import is_store

        if isinstance(source, str) and is_store(source):
            from palio.experiment.store.reading import read_stored_predictions

            return read_stored_predictions(source, dataset=dataset, plan=self.plan)
        require(self.plan is None, "plan", "a plan is in a store", str(source), "leave it out")
        table = read_predictions(source, self.spec, **self.fields())
        return table if dataset is None else table.on(dataset)

    def holds_predictions(self, source: Place) -> bool:
        """Say whether a file has a column of true classes."""
        from palio.scores.reading import has_truth
        from palio.scores.spec import ReadSpec

        return has_truth(source, ReadSpec.of(self.spec, **self.fields()))

    def fields(self) -> dict[str, Any]:
        """Return what was given as fields of a `ReadSpec`."""
        from palio.scores.spec import ReadSpec

        given = self.given()
        found = {each.name: given[each.name] for each in fields(ReadSpec) if each.name in given}
        for role, name in (split_named("column", text) for text in self.column):
            remedy = "write for example --column dataset=Task"
            require(role in _COLUMNS, "column", f"the keys are {joined(_COLUMNS)}", role, remedy)
            require(found.get(role, name) == name, role, "it is given twice", name)
            found[role] = name
        return found

    def given(self) -> dict[str, Any]:
        """Return the options that are not as they are without being given."""
        usual = type(self)()
        return {name: value for name, value in vars(self).items() if value != vars(usual)[name]}

    def typed(self) -> list[str]:
        """Return the options that were given, as they are typed for any verb.

        >>> Reading(score="loss", higher_is_better=False, column=["dataset=Task"]).typed()
        ['--score', 'loss', '--lower-is-better', '--column', 'dataset=Task']
        """
        given = self.given().items()
        return [word for name, value in given for word in typed_as(name, value)]


@_READING
@dataclass(frozen=True)
class Reading(PlainReading):
    """How to read the table of scores, and which part of it is asked about.

    Parameters
    ----------
    algorithm
        The column that names the algorithms; COL+COL makes one name of several.
    algorithms
        Only these algorithms: a,b or 'tuned-*'.
    datasets
        Only these data sets: a,b or 'uci-*'.
    """

    algorithm: str | None = None
    algorithms: list[str] = field(default_factory=list)
    datasets: list[str] = field(default_factory=list)


def _tell(recognised: Sequence[str]) -> None:
    """Say before the answer what was read from names and contents, and not given."""
    said = visible(" ".join(recognised[:_TOLD]))
    if len(recognised) > _TOLD:
        said += " More: palio read."
    if said:
        sys.stderr.write(f"{fill(said, 80, break_long_words=False, break_on_hyphens=False)}\n\n")


_TOLD = 3  # notes on reading that are said before an answer


def together(first: str, more: Sequence[str]) -> str | list[str]:
    """Return the files that were typed: one, or several that are one table.

    >>> together("a.csv", ()), together("a.csv", ("b.csv",))
    ('a.csv', ['a.csv', 'b.csv'])
    """
    return [first, *more] if more else first


@Parameter(name="*", group=_PREFERENCE, negative_iterable="", show_default=False)
@dataclass(frozen=True)
class Preference:
    """What is preferred among equals.

    Parameters
    ----------
    cost
        Among equals prefer what is low in this column. Several have weights: --cost train_time=0.7
        --cost space=0.3.
    prior
        Instead of a cost: algorithms, most preferred first: a,b,c, or the option for each.
    """

    cost: list[str] = field(default_factory=list)
    prior: list[str] = field(default_factory=list)

    @property
    def weights(self) -> dict[str, float]:
        """The costs and their weights."""
        from palio.report.question import split_weight

        weights: dict[str, float] = {}
        for text in self.cost:
            name, weight = split_weight(text)
            require(name not in weights, "cost", "no cost is given twice", name)
            weights[name] = weight
        return weights

    def typed(self) -> list[str]:
        """Return the options that were given, as they are typed."""
        return [*typed_as("cost", self.cost), *typed_as("prior", self.prior)]

    def arguments(self, algorithms: Collection[str]) -> dict[str, Any]:
        """Return what the ordering functions take, of a table with these algorithms."""
        return {"cost": self.weights or None, "prior": names_in(self.prior, algorithms) or None}


class Given:
    """Options of which only those that were given are handed on."""

    def arguments(self) -> dict[str, Any]:
        """Return those that were given."""
        return {name: value for name, value in vars(self).items() if value is not None}


@Parameter(name="*", group=_TESTS, negative="")
@dataclass(frozen=True)
class FoldTestOptions(Given):
    """What some tests need besides.

    Parameters
    ----------
    test_fraction
        For corrected-t and bayes on hold-outs: the share of the data used for testing.
    test_df
        For calibrated-t: the calibrated degrees of freedom.
    rope
        For bayes: differences within ± this are practically none; 0 by default.
    """

    test_fraction: float | None = None
    test_df: float | None = None
    rope: float | None = None


@Parameter(name="*", group=_TESTS, negative="")
@dataclass(frozen=True)
class PairTestOptions(FoldTestOptions):
    """What some tests, over data sets or on folds, need besides.

    Parameters
    ----------
    zero_method
        For wilcoxon, zero differences: wilcox, pratt or zsplit.
    ties
        For sign, ties: drop or split.
    n_resamples
        For permutation and sign-flips: how many.
    seed
        For permutation and sign-flips: the seed.
    average
        Over items, for item-t, cluster-flips and sign-flips: what counts the same, datasets or
        items.
    unpaired
        Over items: compare also algorithms that share no items, by their means.
    """

    zero_method: str | None = None
    ties: str | None = None
    n_resamples: int | None = None
    seed: int | None = None
    average: str | None = None
    unpaired: bool | None = None


# Options that have other names here than in Python, and those that are columns of a table.
_NAMES = {"estimators": "algorithm", "new": "for", "plan": "name", "relevant": "nearest"}
_OF_PREDICTIONS = ("instance", "truth", "prediction")
_COLUMNS = ("dataset", "algorithm", "repeat", "fold", "item", "cluster", *_OF_PREDICTIONS)
_NEGATED = {"higher_is_better": "lower_is_better"}


def typed_as(name: str, value: object) -> list[str]:
    """Return an option as it is typed, once for each of several values; of None by its name alone.

    >>> typed_as("cost", ["time", "space"]), typed_as("algorithm", "Learner")
    (['--cost', 'time', '--cost', 'space'], ['--column', 'algorithm=Learner'])
    """
    if isinstance(value, list):
        return [word for each in value for word in typed_as(name, each)]
    if name in _COLUMNS:
        return ["--column", f"{name}={value or 'NAME'}"]
    if value is False:
        name, value = _NEGATED.get(name, f"no_{name}"), True
    typed = f"--{_NAMES.get(name, name).replace('_', '-')}"
    return [typed] if value in (None, True) else [typed, str(value)]


def looked_at(result: Result, top: int | None, focus: str | None = None) -> Result:
    """Return a result of which the first few are shown, or one algorithm is in focus."""
    from palio.results import Focusable, Topped

    if top is not None:
        if not isinstance(result, Topped):
            raise ParameterError("top", "this answer has no list of algorithms", f"{top} was given")
        result = result.top(top)
    if focus is not None:
        if not isinstance(result, Focusable):
            rule = "it is for comparisons of pairs, and rankings"
            raise ParameterError("focus", rule, f"{focus!r} was given")
        result = result.focused(focus)
    return result


MAX_ROWS = 30  # of a list, where --all has the rest


def show(result: Result, *, json: bool, whole: bool | None = None) -> None:
    """Write a result to standard output, as JSON or for a person.

    ``whole`` says for a person whether long lists are written in full; None, that the result knows.
    """
    if json:
        from palio.app.console import write_json

        write_json(to_json(result))
        return
    from palio.report.text import print_to_terminal
    from palio.results import Topped

    if whole is not None and isinstance(result, Topped):
        require(not (whole and result.shown), "top", "--all shows every row", result.shown)
        result = result.whole() if whole else result.top(result.shown or MAX_ROWS)
    print_to_terminal(result)


def show_sentence(sentence: str, *, json: bool) -> None:
    """Write one sentence, the answer to ``--why``."""
    if json:
        from palio.app.console import write_json

        write_json(to_json({"why": sentence}))
    else:
        sys.stdout.write(f"{visible(sentence)}\n")


def read_region(text: str | None) -> float | str | None:
    """Read ``--rope``: a number, or auto."""
    if text is None or text == "auto":
        return text
    try:
        return float(text)
    except ValueError:
        raise ParameterError("rope", "it is a number or auto", f"{text!r} was given") from None


def split_named(parameter: str, text: str) -> tuple[str, str]:
    """Split ``name=value``."""
    name, equals, value = text.partition("=")
    require(name and equals and value, parameter, "it is written name=value", text)
    return name, value
