"""Options that several verbs share: how to read a table, and where to show the result."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast, get_args

from cyclopts import Group, Parameter

from palio.errors import ParameterError, require
from palio.registry import load
from palio.results import to_json

if TYPE_CHECKING:
    from palio.results import Result
    from palio.scores import ScoreTable
    from palio.scores.missing import MissingChoice


def choices(home: str, before: str = "", after: str = "", *, only: str = "") -> str:
    """List what a registry holds, for a help text: ``package.module:REGISTRY``.

    Annotations are read when their verb is asked for, so other verbs load nothing for it. An
    entry may have a ``remark``; ``only`` those of which that is true are listed.

    >>> choices("palio.ordering:ORDERINGS", "Method")
    'Method: multitest, multi2test.'
    """
    known = load(home)
    entries = known if isinstance(known, Mapping) else dict.fromkeys(get_args(known))
    names = [
        f"{name} ({remark})" if (remark := getattr(entry, "remark", "")) and not only else name
        for name, entry in entries.items()
        if not only or getattr(entry, only)
    ]
    return f"{before}{before and ': '}{', '.join(names)}{after}."


def flag(text: str) -> Parameter:
    """Describe an option that is given or not."""
    return Parameter(help=text, negative="", show_default=False)


def several(text: str) -> Parameter:
    """Describe an option that may be given more than once."""
    return Parameter(help=text, negative_iterable="", show_default=False)


def figures(default: str, kind: str) -> Parameter:
    """Describe ``--figure`` of a verb whose result is of a kind; others are drawn by name."""
    others = [
        name
        for name, each in load("palio.report.figures:FIGURES").items()
        if kind in each.kinds and name != default
    ]
    by_name = f"; others by name: --figure NAME=drawn.svg ({', '.join(others)})" if others else ""
    return several(
        f"Write a figure (.svg, .png, .pdf): --figure drawn.svg draws {default}{by_name}."
    )


JsonFlag = Annotated[bool, flag("Print JSON.")]
Alpha = Annotated[float, Parameter(help="Significance level.")]
OneDataset = Annotated[str | None, Parameter(help="Which data set, if there are several.")]

_READING = Group("Reading the table", sort_key=2)
_PREFERENCE = Group("Preference", sort_key=1)


@Parameter(name="*", group=_READING)
@dataclass(frozen=True)
class Reading:
    """How to read the table of scores."""

    score: Annotated[
        str | None, Parameter(help="Score column; in a wide table, the measure's name.")
    ] = None
    higher_is_better: Annotated[
        bool | None,
        Parameter(
            negative="--lower-is-better",
            help="Direction of the score, where its name does not tell.",
            show_default=False,
        ),
    ] = None
    costs: Annotated[
        Path | None,
        Parameter(help="A second file: dataset, algorithm, one column per cost."),
    ] = None
    missing: Annotated[
        str,
        Parameter(help=choices("palio.scores.missing:MissingChoice", "Missing cells")),
    ] = "error"
    column: Annotated[
        list[str],
        several("Other names for the key columns, such as --column dataset=Task."),
    ] = field(default_factory=list)

    name: Annotated[
        str | None, Parameter(help="Of a store: which plan; the one saved last unless given.")
    ] = None

    def read(self, source: str | Path, costs: Sequence[str] = ()) -> ScoreTable:
        """Read a file, a store (a text, for a path would lose a URL's slashes) or ``study:NAME``.

        ``costs`` names columns that are costs, whatever their name.
        """
        from palio.experiment.store.database import is_store
        from palio.scores import read_scores

        if is_store(source):
            return self._read_store(source)
        if (study := study_in(source)) is not None:
            return self._read_study(study)
        if self.name is not None:
            raise ParameterError("name", "a plan is in a store", f"'{source}' is a table")
        columns = dict(split_named("column", text) for text in self.column)
        rule = "the keys are dataset, algorithm, repeat and fold"
        for key in columns:
            known = key in {"dataset", "algorithm", "repeat", "fold"}
            require(known, "column", rule, key, "write for example --column dataset=Task")
        return read_scores(
            source,
            score=self.score,
            higher_is_better=self.higher_is_better,
            costs=self.costs if self.costs is not None else (list(costs) or None),
            missing=cast("MissingChoice", self.missing),  # read_scores checks it
            **columns,
        )

    def _read_store(self, source: str | Path) -> ScoreTable:
        """Read the store of an experiment, finished or not, instead of a file."""
        from palio.experiment.runner import read_store

        missing = None if self.missing == "error" else self.missing
        return read_store(source, plan=self.name, score=self.score, missing=missing)

    def _read_study(self, study: str) -> ScoreTable:
        """Take the scores of a study that is shipped with the package."""
        from palio.studies import load_study

        for option, given in (("costs", self.costs), ("column", self.column), ("name", self.name)):
            if given:
                raise ParameterError(
                    option,
                    "a study has columns and costs of its own",
                    remedy="leave it out, or give a file",
                )
        table = load_study(study)
        if self.score is None and self.higher_is_better is None:
            return table
        return table.with_score(self.score or table.measure.name, self.higher_is_better)


def study_in(source: str | Path) -> str | None:
    """Return the name of the study that stands in the place of a file, if one does.

    >>> study_in("study:ulas2008"), study_in("results.csv")
    ('ulas2008', None)
    """
    prefix, colon, name = str(source).partition(":")
    return name if colon and prefix == "study" else None


@Parameter(name="*", group=_PREFERENCE)
@dataclass(frozen=True)
class Preference:
    """What is preferred among equals."""

    cost: Annotated[
        list[str],
        several("A cost column; several with weights: --cost train_time=0.7 --cost space=0.3."),
    ] = field(default_factory=list)
    prior: Annotated[
        str | None,
        Parameter(help="Instead of a cost: all algorithms, most preferred first: a,b,c."),
    ] = None

    @property
    def weights(self) -> dict[str, float]:
        """The costs and their weights."""
        from palio.report.question import split_weight

        weights: dict[str, float] = {}
        for text in self.cost:
            name, weight = split_weight(text)
            if name in weights:
                raise ParameterError(
                    "cost", f"{name!r} is given twice", remedy="give each cost once"
                )
            weights[name] = weight
        return weights

    def arguments(self) -> dict[str, Any]:
        """Return what the ordering functions take."""
        prior = None if self.prior is None else [name.strip() for name in self.prior.split(",")]
        return {"cost": self.weights or None, "prior": prior}


class Given:
    """Options of which only those that were given are handed on."""

    def arguments(self) -> dict[str, Any]:
        """Return those that were given."""
        return {name: value for name, value in vars(self).items() if value is not None}


@Parameter(name="*")
@dataclass(frozen=True)
class FoldTestOptions(Given):
    """What some tests need besides."""

    test_fraction: Annotated[
        float | None,
        Parameter(
            help="For corrected-t and bayes on hold-outs: the share of the data used for testing."
        ),
    ] = None
    test_df: Annotated[
        float | None, Parameter(help="For calibrated-t: the calibrated degrees of freedom.")
    ] = None
    rope: Annotated[
        float | None,
        Parameter(help="For bayes: differences within ± this are practically none; 0 by default."),
    ] = None


def show(result: Result, *, json: bool) -> None:
    """Write a result to standard output, as JSON or for a person."""
    if json:
        sys.stdout.write(to_json(result) + "\n")
        return
    from palio.report.text import print_to_terminal

    print_to_terminal(result)


def show_sentence(sentence: str, *, json: bool) -> None:
    """Write one sentence, the answer to ``--why``."""
    sys.stdout.write((to_json({"why": sentence}) if json else sentence) + "\n")


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
