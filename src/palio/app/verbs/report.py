"""``palio report``: the whole answer on one page."""

from __future__ import annotations

import contextlib
import dataclasses
import sys
from dataclasses import dataclass
from pathlib import Path
from time import sleep
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Group, Parameter

from palio.app.console import write_json
from palio.app.options import (
    Focused,
    JsonFlag,
    MoreFiles,
    Over,
    PlainReading,
    Preference,
    Top,
    choices,
    flag,
    read_region,
    several,
    show,
    together,
)
from palio.errors import InputError, ParameterError, UnreadableError
from palio.words import masked, names_in

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from palio.report.analysis import Report
    from palio.report.question import Question
    from palio.scores import ScoreTable

_ASKING = Group("Question", sort_key=1)

# A page that is being rewritten is loaded again so often, in seconds.
_REFRESH = 10

# Seconds between two looks at what is watched.
PAUSE = 1.0


@Parameter(name="*", group=_ASKING)
@dataclass(frozen=True)
class Asking:
    """What is asked besides the cost."""

    over: Over = None
    item_test: Annotated[str | None, Parameter(help="Over items, as for compare.")] = None
    test: Annotated[str | None, Parameter(help="Over the data sets, as for compare; wilcoxon.")] = (
        None
    )
    correction: Annotated[str | None, Parameter(help="Over the pairs; holm.")] = None
    control: Annotated[str | None, Parameter(help="Compare the others with this one.")] = None
    method: Annotated[
        str | None,
        Parameter(help=choices("palio.ordering:ORDERINGS", "Of the order, auto or")),
    ] = None
    fold_test: Annotated[
        str | None,
        Parameter(help="On one data set, and of multitest and multi2test: one on folds."),
    ] = None
    fold_correction: Annotated[
        str | None, Parameter(help="Of multitest and multi2test, over the pairs; none.")
    ] = None
    posthoc: Annotated[
        str | None, Parameter(help="Multi²Test's second pass, as for order; nemenyi.")
    ] = None
    test_fraction: Annotated[
        float | None, Parameter(help="On hold-outs: the share of the data used for testing.")
    ] = None
    alpha: Annotated[float | None, Parameter(help="Significance level; 0.05.")] = None
    model: Annotated[
        str | None, Parameter(help="A Bayesian model as well. As for bayes; anova with --rope.")
    ] = None
    rope: Annotated[
        str | None, Parameter(help="Differences within ± this are practically none. Or auto.")
    ] = None
    checks: Annotated[
        str | None,
        Parameter(help="The audit's checks, with commas; all, none; all but error-rate."),
    ] = None
    algorithms: Annotated[list[str] | None, several("Only these: a,b or 'uci-*'.")] = None
    datasets: Annotated[list[str] | None, several("Only these: a,b or 'uci-*'.")] = None
    top: Top = None
    focus: Focused = None

    def arguments(self) -> dict[str, Any]:
        """Return the fields of the question that were given."""
        found = {name: value for name, value in vars(self).items() if value is not None}
        if "rope" in found:
            found["rope"] = read_region(found["rope"])
        if "checks" in found:
            found["checks"] = _checks(found["checks"])
        return found


def report(
    results: str | None = None,
    /,
    *more: MoreFiles,
    output: Annotated[
        Path | None, Parameter(name=["--output", "-o"], help="Write the page here: report.html.")
    ] = None,
    preference: Preference | None = None,
    asking: Asking | None = None,
    latex: Path | None = None,
    watch: Annotated[
        bool,
        flag("Write again when the table changes. Until the run is done or Ctrl-C."),
    ] = False,
    question: str | None = None,
    schema: Annotated[
        bool,
        flag("Print the JSON schema of --json."),
    ] = False,
    reading: PlainReading | None = None,
    json: JsonFlag = False,
) -> None:
    """Answer the whole question on one page: verdict, order and why, costs, how sure.

    A cost counts where one is named (--cost); the report says which the table has.

    Example: palio report results.csv -o report.html --cost train_time

    Parameters
    ----------
    results
        Scores: columns dataset, algorithm, repeat, fold, a score, costs; a store; or study:NAME.
    latex
        Write tables, figures and a methods text to this folder.
    question
        The whole question as a report's permalink has it.
    """
    if schema:
        _print_schema()
        return
    if results is None:
        raise ParameterError("results", "a table or a store is needed: palio report results.csv")
    if watch and output is None and latex is None:
        raise ParameterError("watch", "it rewrites files", remedy="say which with -o report.html")
    from palio.scores.sources import study_in

    if watch and study_in(results) is not None:
        raise ParameterError("watch", f"'{results}' is a published study", "does not change")
    if watch and more:
        raise ParameterError("watch", "it looks after one file or store", f"got {len(more) + 1}")
    asked = _question(question, preference or Preference(), asking or Asking())
    work = _Work(results, more, asked, reading or PlainReading(), output, latex)
    if watch:
        work.watch()
        return
    found = work.answer()
    show(found, json=json)
    work.write(found)


@dataclass(frozen=True)
class _Work:
    """A report to be made, perhaps more than once."""

    place: str
    more: tuple[str, ...]
    question: Question
    reading: PlainReading
    output: Path | None
    latex: Path | None

    def answer(self) -> Report:
        """Read the table and answer the question."""
        from palio.report.analysis import analyse
        from palio.scores.sources import is_store

        table = self._table()
        # The names may have commas, so that the table tells where one ends.
        prior = names_in(self.question.prior, table.algorithms)
        question = dataclasses.replace(self.question, prior=prior, **self._chosen(table))
        experiment = None
        if is_store(self.place):
            from palio.experiment.status import run_facts
            from palio.experiment.store.store import Store

            with Store(self.place, create=False) as store:
                experiment = run_facts(store, self.reading.plan)
        source = ", ".join([masked(self.place), *self.more])
        return analyse(table, question, source=source, experiment=experiment)

    def _chosen(self, table: ScoreTable) -> dict[str, Any]:
        """Return the algorithms and data sets asked for, wildcards spelled out for the link."""
        from palio.scores.selection import names_matching

        asked = {"algorithms": table.algorithms, "datasets": table.datasets}
        return {
            name: names_matching(name.removesuffix("s"), given, known)
            for name, known in asked.items()
            if (given := getattr(self.question, name))
        }

    def _table(self) -> ScoreTable:
        """Read the table with all its costs; the one asked for may have a name of its own."""
        named = list(self.question.weights or ())
        with contextlib.suppress(InputError):  # it is said below what is wrong
            table = self.reading.read(together(self.place, self.more), over=self.question.over)
            if set(named) <= set(table.cost_names):
                return table
        return self.reading.read(
            together(self.place, self.more), costs=named, over=self.question.over
        )

    def write(self, found: Report, *, refresh: int | None = None) -> None:
        """Write the page and the folder, those that were asked for."""
        from palio.app.writing import write_text
        from palio.report.article import write_article
        from palio.report.page import render_page

        if self.output is not None:
            write_text(self.output, render_page(found, refresh=refresh))
        if self.latex is not None:
            write_article(found, self.latex)
            sys.stderr.write(f"wrote {self.latex / 'report.tex'}\n")

    def watch(self) -> None:
        """Write whenever there is something new, until the run is done."""
        try:
            for _ in versions(self.place):
                try:
                    found = self.answer()
                except InputError as error:
                    # A table half written, or no job finished yet: it may come.
                    sys.stderr.write(f"waiting: {' '.join(str(error).split())}\n")
                    continue
                done = found.experiment is not None and found.experiment.finished
                self.write(found, refresh=None if done else _REFRESH)
                if done:
                    return
        except KeyboardInterrupt:
            sys.stderr.write("stopped watching\n")


def _question(text: str | None, preference: Preference, asking: Asking) -> Question:
    from palio.report.question import Question

    given: Mapping[str, Any] = {**_preferred(preference), **asking.arguments()}
    if text is None:
        return Question(**given)
    if given:
        raise ParameterError(
            "question", "it is the whole question", remedy=f"leave {next(iter(given))} out"
        )
    return Question.from_query(text)


def _preferred(preference: Preference) -> dict[str, Any]:
    if preference.cost == ["none"]:
        return {"cost": ()}
    found = {"cost": preference.weights, "prior": preference.prior}
    return {name: value for name, value in found.items() if value}


def _checks(text: str) -> list[str]:
    from palio.comparison.audit import AUDIT_CHECKS

    named = {"all": list(AUDIT_CHECKS), "none": []}
    return named.get(text, [name.strip() for name in text.split(",")])


def _print_schema() -> None:
    import json

    from palio.report.schema import report_schema

    write_json(json.dumps(report_schema(), indent=2, ensure_ascii=False))


# --- waiting for a file or a store to change ------------------------------------------------------


def versions(
    place: str, *, pause: float = PAUSE, wait: Callable[[float], object] | None = None
) -> Iterator[str]:
    """Yield what a file or a store looks like, at once and whenever it has changed.

    Parameters
    ----------
    place : str
        A table, a store file, or the URL of one.
    pause : float
        Seconds between two looks.
    wait : callable, optional
        What waits, for whoever cannot.
    """
    last = None
    while True:
        now = _version(place)
        if now != last:
            last = now
            yield now
        (wait or sleep)(pause)


def _version(place: str) -> str:
    from palio.words import is_server

    return _of_server(place) if is_server(place) else _of_file(place)


def _of_file(place: str) -> str:
    """Look at the file and, of a store, at the log beside it, where the newest rows are."""
    found = []
    for path in (Path(place), Path(f"{place}-wal")):
        try:
            stat = path.stat()
        except OSError:
            found.append("absent")
        else:
            found.append(f"{stat.st_mtime_ns}:{stat.st_size}")
    return " ".join(found)


def _of_server(place: str) -> str:
    """Ask the server; one that cannot be reached may come back, as a file may come."""
    from palio.experiment.status import version_of
    from palio.experiment.store.store import Store

    try:
        with Store(place, create=False) as store:
            return version_of(mark.finished for mark in store.marks().values())
    except UnreadableError:
        return "absent"
