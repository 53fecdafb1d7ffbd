"""Everything a report says, worked out: the order, who differs, the posterior, the audit."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, NamedTuple

from palio.bars import Steps, steps
from palio.bayes.claims import posterior_claim
from palio.claims import Answer, Answered, Claim, Leader, Unfinished, Value
from palio.comparison.audit import AUDIT_CHECKS, Audit, audit, audit_of
from palio.comparison.board import BoardRow, focus_on
from palio.comparison.fold_tests import FOLD_TESTS, usual_test
from palio.comparison.over_datasets import USUAL_ON_SIDES, compare, suits
from palio.comparison.over_items import read_over
from palio.comparison.pair_tests import PAIR_TESTS, pair_test_named
from palio.comparison.results import Comparison
from palio.errors import InputError, ParameterError
from palio.measures import Measure
from palio.ordering.methods import order
from palio.ordering.result import Order, Ordering, places
from palio.ordering.tradeoff import Front, front_of
from palio.report.methods import Reference, references, versions
from palio.report.question import Question
from palio.results import Result, plain, same_but
from palio.scores import ScoreTable, Tabular, as_table, reading_in
from palio.scores.items import ReadOver
from palio.scores.selection import part_of
from palio.scores.spec import unknown_option
from palio.scores.summary import Gaps
from palio.words import joined

if TYPE_CHECKING:
    from palio.bayes.answer import PosteriorAnswer
    from palio.bayes.posterior import Posterior
    from palio.experiment.status import RunFacts

# The simulation takes as long as everything else together, several times over.
QUICK_CHECKS = tuple(name for name in AUDIT_CHECKS if name != "error-rate")

Part = Literal["comparison", "front", "posterior", "audit"]


class NotDone(NamedTuple):
    """A part that the report does without, and why."""

    part: Part
    why: str


@dataclass(frozen=True)
class TableFacts:
    """What was analysed."""

    source: Annotated[str | None, "The file or the store, where there is one."]
    measure: Measure
    design: Annotated[str, "The resampling design, in words."]
    n_datasets: int
    n_algorithms: int
    datasets: tuple[str, ...]
    algorithms: tuple[str, ...]
    costs: Annotated[tuple[str, ...], "The names of the costs that the table has."]
    missing: Gaps
    notes: tuple[str, ...]


@dataclass(frozen=True, eq=False, repr=False)
class Report(Answered, Result):
    """A whole report: the answer, the evidence, and how it was found.

    Made by `analyse`. What could not be worked out is ``None``, and ``not_done`` says why.

    Attributes
    ----------
    table : ScoreTable
        What was analysed: the score, algorithms and data sets asked for.
    question : Question
        As it was asked.
    ordering, comparison, front, posterior, audit
        The results, where there are any.
    choices : tuple of str
        What was chosen where the question left it open.
    not_done : tuple of NotDone
        The parts that are missing, and why.
    source : str, optional
        Where the table came from.
    experiment : RunFacts, optional
        What the store says of the run.

    Examples
    --------
    >>> import palio
    >>> report = palio.analyse(palio.load_study("ulas2008"), cost="train_time", checks=[])
    >>> report.leader, report.sureness
    ('svr', 'shared')
    >>> report.ordering.order[:2], [each.part for each in report.not_done]
    (('svl', 'svr'), ['posterior', 'audit'])
    >>> report.to_html()[:15]
    '<!doctype html>'
    """

    kind: ClassVar[str] = "report"
    parts = (
        "schema_version", "question", "query", "choices", "table", "verdict", "leader", "sureness",
        "claims", "order", "ordering",
        "comparison", "front", "posterior", "audit", "not_done", "experiment", "versions",
        "references", "notes",
    )  # fmt: skip
    under: ClassVar[Mapping[str, str]] = {
        "question": "asked", "table": "facts", "posterior": "posterior_answer",
    }  # fmt: skip
    schema_version: ClassVar[int] = 1

    table: ScoreTable
    question: Question
    ordering: Ordering
    comparison: Comparison | None
    front: Front | None
    posterior: Posterior | None
    audit: Audit | None
    choices: Annotated[tuple[str, ...], "What was chosen where the question left it open."]
    not_done: tuple[NotDone, ...]
    source: str | None = None
    experiment: RunFacts | None = None

    def __repr__(self) -> str:
        return f"<Report: {self.claims.headline}>"

    @property
    def asked(self) -> Annotated[dict[str, Any], "What was asked, as given."]:
        """The question as plain data."""
        return self.question.to_dict()

    @property
    def query(self) -> Annotated[str, "The same as a query string."]:
        """The question as a query string."""
        return self.question.to_query()

    @cached_property
    def facts(self) -> TableFacts:
        """What was analysed, in short."""
        table = self.table
        same = ("measure", "n_datasets", "n_algorithms", "datasets", "algorithms", "notes")
        return TableFacts(
            source=self.source,
            design=str(table.design()),
            costs=table.cost_names,
            missing=table.gaps(),
            **{name: getattr(table, name) for name in same},
        )

    @cached_property
    def claims(self) -> Answer:
        """What is claimed, each claim with its numbers."""
        found: list[Claim] = [each for each in self.ordering.claims if not isinstance(each, Value)]
        if self.question.control is not None and self.comparison is not None:
            found = list(self.comparison.claims)
        value = self.ordering.claims.of(Value)
        found += [] if value is None else [value]
        found += [] if self.front is None else [self.front.claim]
        if self.posterior_answer is not None:
            found.append(posterior_claim(self.posterior_answer, self.ordering.claims.of(Leader)))
        run = self.experiment
        if run is not None and run.ended_well < run.jobs:
            rest = ", ".join(f"{n} {name}" for name, n in run.counts.items() if name != "ok")
            found.append(Unfinished(run.ended_well, run.jobs, rest, run.finished))
        return Answer(found)

    @cached_property
    def order(self) -> Order:
        """Every algorithm in its place, best first."""
        return places(self.ordering, self.comparison, self.front)

    @cached_property
    def boards(self) -> tuple[tuple[BoardRow, ...], ...]:
        """The rows of the comparison in the places of the order, or none without a comparison.

        There is a board for each part that no data set joins to another, the largest first.
        """
        if self.comparison is None:
            return ()
        rows, ranks = {row.algorithm: row for row in self.comparison.board}, self.ordering.ranks
        return tuple(
            tuple(
                rows[name]._replace(place=place)
                for place, name in enumerate(sorted(part, key=ranks.__getitem__), start=1)
            )
            for part in self.comparison.components
        )

    def focused(self, name: str) -> Report:
        """Return the same report with one algorithm in focus: where it stands, and why."""
        if self.comparison is None:
            raise ParameterError("focus", "it is against the rest by a test", "there is none")
        focus = focus_on(self.comparison, name, self.ordering.order)
        question = replace(self.question, focus=name)
        return same_but(self, question=question, comparison=same_but(self.comparison, focus=focus))

    @cached_property
    def posterior_answer(self) -> PosteriorAnswer | None:
        """What the posterior says, without its draws."""
        return None if self.posterior is None else self.posterior.answer()

    @property
    def versions(self) -> Annotated[dict[str, str], "Of the libraries that made the report."]:
        """The versions of what made the report."""
        return versions()

    @cached_property
    def references(self) -> tuple[Reference, ...]:
        """The works that the methods come from."""
        return references(self)

    @property
    def notes(self) -> Annotated[tuple[str, ...], "The conventions of all parts, each once."]:
        """The notes of the table and of all results, each once."""
        results = (self.ordering, self.comparison, self.posterior, self.audit)
        notes = [note for result in results if result is not None for note in result.notes]
        return tuple(dict.fromkeys([*self.table.notes, *notes]))

    def _frame(self) -> Any:
        """Give one row per algorithm, best first."""
        return plain(self.order.rows)

    def to_html(self) -> str:
        """Return the report as one HTML page that needs nothing else."""
        from palio.report.page import render_page

        return render_page(self)


def analyse(
    table: Tabular,
    question: Question | None = None,
    *,
    source: str | None = None,
    experiment: RunFacts | None = None,
    progress: Steps = None,
    skip: Collection[str] = (),
    **asked: Any,
) -> Report:
    """Answer the whole question: who is best, in what order, at what cost, how sure.

    The order is by the pairs of the comparison, so that nobody stands before one that is
    significantly better, and among the rest the cheaper is first, where a cost is named. Parts that
    the table does not allow are left out, and the report says why; parts that were asked for by
    name are errors instead.

    Parameters
    ----------
    table : ScoreTable, path or frame
        Two algorithms or more; whatever `read_scores` reads.
    question : Question, optional
        What is asked; instead of it, its fields by name.
    source : str, optional
        Where the table came from, to be said in the report.
    experiment : RunFacts, optional
        What the store says of the run.
    progress : callable or bool, optional
        What is shown meanwhile: a bar in a notebook or on a terminal unless given, nothing with
        ``False``; a function is called with the name of each part.
    skip : collection of str
        Parts that come later, or not at all: ``"posterior"``, ``"audit"``.
    **asked
        The fields of `Question`; and options of :func:`palio.read_scores` that are none of these,
        where the table is yet to be read.

    Returns
    -------
    Report

    See Also
    --------
    palio.order : the order alone.
    palio.compare : the comparison alone.

    Examples
    --------
    >>> import palio
    >>> report = palio.analyse(palio.load_study("ulas2008"), cost="train_time", checks=[])
    >>> report
    <Report: svr leads 8 algorithms over 38 data sets; svl may be as good; shared: ...>
    >>> report.ordering.first
    'svl'
    """
    own = [each.name for each in fields(Question)]
    reading = reading_in(asked, *own)
    if question is not None and asked:
        raise ParameterError("question", "it is given", f"so is {next(iter(asked))}", "give one")
    for name in asked.keys() - own:
        raise unknown_option(name, own)
    question = question or Question(**asked)
    if not isinstance(table, ScoreTable):
        reading |= {name: getattr(question, name) for name in ("score", "higher_is_better")}
    table = as_table(table, reading, analyse, over=question.over)
    table = chosen_table(table, question)
    work = _Work(table, question)
    found: dict[str, Any] = {}
    with steps("analysing", len(_PARTS), progress) as tell:
        for part, run in _PARTS.items():
            tell(part)
            found[part] = None if part in skip else run(work)
    report = Report(
        table=table,
        question=question,
        **found,
        choices=tuple(work.choices),
        not_done=tuple(NotDone(part, why) for part, why in work.not_done.items()),
        source=source,
        experiment=experiment,
    )
    return report if question.focus is None else report.focused(question.focus)


def chosen_table(table: ScoreTable, question: Question) -> ScoreTable:
    """Return the table of the score, the algorithms and the data sets asked for."""
    score = question.score or table.measure.name
    upward = question.higher_is_better
    if score != table.measure.name or upward not in (None, table.measure.higher_is_better):
        table = table.with_score(score, upward)
    if question.algorithms is not None or question.datasets is not None:
        table = part_of(table, question.datasets, question.algorithms)
    if table.n_algorithms < 2:
        raise ParameterError("algorithms", "a report compares two or more", "there is one")
    return table


def test_over(table: ScoreTable, question: Question) -> str:
    """Return the test over data sets: the one asked for, or one that the measure allows."""
    fits = suits(pair_test_named(question.test), table.measure)
    return question.test if fits else USUAL_ON_SIDES


class _Work:
    """The table, the question, and what has been decided on the way."""

    def __init__(self, table: ScoreTable, question: Question) -> None:
        self.table, self.question = table, question
        self.choices: list[str] = []
        self.not_done: dict[Part, str] = {}

    @cached_property
    def ordering(self) -> Ordering:
        """The order: by the pairs of the comparison, unless another method is asked for."""
        self._offer_costs()
        question = self.question
        if question.method in ("auto", "pairwise"):
            found = self._ordered(
                test=self.test, correction=question.correction, over=self._asked_over
            )
        else:
            chosen = {"correction": question.fold_correction, "posthoc": question.posthoc}
            found = self._ordered(
                test=question.fold_test or self._fitting_test,
                **{name: value for name, value in chosen.items() if value is not None},
            )
            found = replace(found, judged_by=self.compared(control=None))
        if found.test in FOLD_TESTS and question.fold_test is None:
            design = self.table.design()
            self.choices.append(f"test on folds: {found.test}, which fits {design}")
        return found

    def _ordered(self, **chosen: Any) -> Ordering:
        question = self.question
        return order(
            self.table,
            method=question.method,
            cost=question.weights or None,
            prior=question.prior or None,
            alpha=question.alpha,
            **chosen,
            **self.options(chosen["test"]),
        )

    def compared(self, *, control: str | None) -> Comparison:
        """Compare the algorithms as the question says."""
        question = self.question
        return compare(
            self.table,
            over=self._asked_over,
            test=self.test,
            correction=question.correction,
            alpha=question.alpha,
            control=control,
            cost=question.weights,
            **self.options(self.test),
        )

    @cached_property
    def over(self) -> ReadOver:
        """What would be drawn anew: items, where these are asked for, or usual."""
        asked, usual = self.question, Question()
        named = asked.item_test or (asked.test if asked.test != usual.test else asked.fold_test)
        return read_over(self.table, asked.over, dataset=None, test=named)

    @property
    def _asked_over(self) -> ReadOver | None:
        """The reading as it was asked for; over the folds of one data set none is."""
        return self.over if self.over == "items" or self.question.over is not None else None

    @cached_property
    def test(self) -> str | None:
        """The test of the pairs: over items, over data sets, or on the folds of one."""
        if self.over == "items":
            return self.question.item_test
        if self.table.n_datasets == 1:
            return self.question.fold_test
        test = test_over(self.table, self.question)
        if test != self.question.test:
            self.choices.append(
                f"test over data sets: {test}, as {self.table.measure.why_ordinal} and "
                f"{self.question.test} weighs differences"
            )
        return test

    @cached_property
    def _fitting_test(self) -> str | None:
        """The test on folds that the designs of all data sets allow."""
        return usual_test(self.table.design(name) for name in self.table.datasets)

    def options(self, test: str | None) -> dict[str, Any]:
        """Return what was given besides for a test on folds; none is the one that fits."""
        if test is None and self.over == "items":
            return {}
        given = {"test_fraction": self.question.test_fraction, "rope": self.question.rope}
        name = test or self._fitting_test or ""
        takes = FOLD_TESTS[name].options if name in FOLD_TESTS else frozenset[str]()
        return {
            name: float(value)
            for name, value in given.items()
            if name in takes and value not in (None, "auto")
        }

    def _offer_costs(self) -> None:
        """Say which costs could be weighed, where none was named."""
        names = self.table.cost_names
        if self.question.cost is None and not self.question.prior and names:
            by = self.table.measure.name if self.over == "items" else "rank"
            self.choices.append(
                f"no cost: among equals the better mean {by} first (the table has {joined(names)})"
            )


def _comparison(work: _Work) -> Comparison | None:
    """Return the comparison that the order stands on, or the one with a control."""
    control, judged = work.question.control, work.ordering.judged
    if control is not None:
        return work.compared(control=control)
    if judged is None:
        work.not_done["comparison"] = "on one data set it is by folds, and there are none to share"
    return judged


def _front(work: _Work) -> Front | None:
    found = front_of(work.table, work.question.weights)
    if found is None:
        work.not_done["front"] = (
            "no cost was named to weigh against the score"
            if not work.question.weights
            else f"{work.table.measure.why_ordinal}, so that there is no mean score to weigh"
            if work.table.measure.is_ordinal
            else "not every algorithm has a score and a cost"
        )
    return found


def _posterior(work: _Work) -> Posterior | None:
    if work.question.asked_model is None:
        work.not_done["posterior"] = "no Bayesian model and no region was asked for"
        return None
    try:
        return posterior_of(work.table, work.question)
    except InputError as error:
        if work.question.model is not None:
            raise
        work.not_done["posterior"] = str(error)
        return None


def posterior_of(table: ScoreTable, question: Question) -> Posterior:
    """Ask the question's model about its table, or say what the model would need."""
    from palio.bayes.models import MODELS, default_model, run_model

    model = question.model or default_model(table, rope=question.rope, over=question.over)
    if MODELS[model].one_dataset and table.n_datasets > 1:
        raise ParameterError(
            "model",
            f"'{model}' is about one data set",
            f"{table.n_datasets} are chosen",
            "choose one of them (datasets), or 'hierarchical', which is about all of them together",
        )
    given = {"over": question.over, "test_fraction": question.test_fraction}
    takes = MODELS[model].options
    options: dict[str, Any] = {
        name: value for name, value in given.items() if value is not None and name in takes
    }
    try:
        return run_model(model, table, rope=question.rope, **options)
    except InputError as error:
        if error.parameter != "scale":
            raise
        return run_model(None, table)  # who is better can be said on any scale


def _audit(work: _Work) -> Audit | None:
    question = work.question
    checks = QUICK_CHECKS if question.checks is None else question.checks
    why = (
        "a comparison with a control is not audited"
        if question.control is not None
        else "no check was asked for"
        if not checks
        else "an audit is over three data sets or more"
        if work.table.n_datasets < 3 and work.over != "items"
        else None
    )
    if why is None:
        try:
            judged = work.ordering.judged
            if judged and judged.over == "datasets" and PAIR_TESTS[judged.method].audited:
                return audit_of(judged, only=checks)
            return audit(
                work.table,
                over=work.over,
                test=work.test,
                correction=question.correction,
                alpha=question.alpha,
                only=checks,
            )
        except InputError as error:
            if question.checks is not None:
                raise
            why = str(error)
    work.not_done["audit"] = why
    return None


_PARTS: dict[str, Callable[[_Work], Any]] = {
    "ordering": lambda work: work.ordering,
    "comparison": _comparison,
    "posterior": _posterior,
    "audit": _audit,
    "front": _front,
}
