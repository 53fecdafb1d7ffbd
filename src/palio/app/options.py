"""Options that several verbs share: how to read a table, and where to show the result."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

from cyclopts import Group, Parameter

from palio.errors import ParameterError
from palio.report.question import split_weight

if TYPE_CHECKING:
    from palio.results import Result
    from palio.scores import ScoreTable
    from palio.scores.missing import MissingChoice

__all__ = [
    "FoldTestOptions",
    "JsonFlag",
    "Preference",
    "Reading",
    "read_region",
    "show",
    "show_sentence",
    "show_summary",
    "split_named",
    "study_in",
]

JsonFlag = Annotated[bool, Parameter(help="Print JSON.", negative="", show_default=False)]

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
        Parameter(help="Missing cells: error, drop-datasets, worst or pairwise."),
    ] = "error"
    column: Annotated[
        list[str],
        Parameter(
            help="Other names for the key columns, such as --column dataset=Task.",
            negative_iterable="",
            show_default=False,
        ),
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
        for key in columns:
            if key not in {"dataset", "algorithm", "repeat", "fold"}:
                raise ParameterError(
                    "column",
                    "the keys are dataset, algorithm, repeat and fold",
                    f"{key!r} was given",
                    "write for example --column dataset=Task",
                )
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
        Parameter(
            help="A cost column; several with weights: --cost train_time=0.7 --cost space=0.3.",
            negative_iterable="",
            show_default=False,
        ),
    ] = field(default_factory=list)
    prior: Annotated[
        str | None,
        Parameter(help="Instead of a cost: all algorithms, most preferred first: a,b,c."),
    ] = None

    @property
    def weights(self) -> dict[str, float]:
        """The costs and their weights."""
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


@Parameter(name="*")
@dataclass(frozen=True)
class FoldTestOptions:
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

    def arguments(self) -> dict[str, Any]:
        """Return those that were given."""
        return {name: value for name, value in vars(self).items() if value is not None}


def show(result: Result, *, json: bool) -> None:
    """Write a result to standard output, as JSON or for a person."""
    from palio.report.summary import summarise

    show_summary(summarise(result), json=json)


def show_summary(summary: Mapping[str, Any], *, json: bool) -> None:
    """Write a summary to standard output, as JSON or for a person."""
    from palio.report.summary import to_json

    if json:
        sys.stdout.write(to_json(summary) + "\n")
        return
    from palio.report.text import print_to_terminal

    print_to_terminal(summary)


def show_sentence(sentence: str, *, json: bool) -> None:
    """Write one sentence, the answer to ``--why``."""
    from palio.report.summary import to_json

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
    if not (name and equals and value):
        raise ParameterError(parameter, "it is written name=value", f"{text!r} was given")
    return name, value
