"""The answer in plain sentences, each with what it rests on.

First the three of the verdict, as the results have them; then what else a report found.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Annotated, Literal, NamedTuple

from palio.bayes.models import MODELS
from palio.comparison.omnibus import OMNIBUS_TESTS
from palio.comparison.verdict import drawn_first, headline_of, some_of
from palio.numbers import p_said, probability, region
from palio.ordering.methods import ORDERINGS
from palio.words import count, strung

if TYPE_CHECKING:
    from palio.bayes.answer import PosteriorAnswer
    from palio.report.analysis import Report

About = Literal["best", "value", "sure", "front", "posterior", "missing", "experiment"]


class Statement(NamedTuple):
    """A sentence of the verdict, and what it rests on."""

    about: About
    claim: str
    certainty: Annotated[str, "What it rests on besides, where that is not said in the claim."]


class ReportVerdict(NamedTuple):
    """The answer in plain sentences: the three of the verdict, and all with what they rest on."""

    headline: str
    best: Annotated[str, "Who is best, and who cannot be told from the best."]
    value: Annotated[str | None, "The best value for its cost; null where no cost was named."]
    sure: Annotated[str, "What it rests on, and how much that can bear."]
    first: Annotated[str, "The first of the order."]
    best_by_score: Annotated[str, "The best mean rank of those that nobody significantly beats."]
    statements: tuple[Statement, ...]

    def claim(self, about: About) -> str | None:
        """Return what is said about a part; nothing where nothing is."""
        return next((each.claim for each in self.statements if each.about == about), None)


def verdict(report: Report) -> ReportVerdict:
    """Say who is best, what is the best value, how sure that is, and what else was found."""
    statements = tuple(statement for say in _STATEMENTS for statement in say(report))
    said = {each.about: each.claim for each in statements}
    ordering = report.ordering
    return ReportVerdict(
        headline=headline_of(ordering.judged, ordering.strongest, report.table),
        best=said["best"],
        value=said.get("value"),
        sure=said["sure"],
        first=ordering.best,
        best_by_score=ordering.strongest,
        statements=statements,
    )


def _best(report: Report) -> Iterator[Statement]:
    yield Statement("best", report.ordering.verdict.best, "")


def _value(report: Report) -> Iterator[Statement]:
    ordering = report.ordering
    if ordering.verdict.value is not None:
        method = ORDERINGS[ordering.method].title
        yield Statement("value", ordering.verdict.value, f"the first of the order by {method}")


def _sure(report: Report) -> Iterator[Statement]:
    """Say what the verdict rests on, and what the audit found."""
    audit, comparison = report.audit, report.ordering.judged
    claim = report.ordering.verdict.sure
    if audit is not None:
        claim = strung([claim, audit.sentence], " ")
    together = ""
    if comparison is not None and comparison.together is not None:
        omnibus = comparison.together
        title = OMNIBUS_TESTS[omnibus.method].title
        together = f"all together, {title}, {p_said(omnibus.p_value)}"
    yield Statement("sure", claim, together)


def _front(report: Report) -> Iterator[Statement]:
    front = report.front
    if front is None:
        return
    names = front.members
    rest = len(front.points) - len(names)
    behind = (
        "; each of the others is neither cheaper nor better than one of these"
        if rest > 1
        else "; the other one is neither cheaper nor better"
        if rest
        else ""
    )
    stand = "stands" if len(names) == 1 else "stand"
    claim = f"On the front of cost and {front.measure.name} {stand} {some_of(names)}{behind}."
    yield Statement("front", claim, "means alone, no test")


def _posterior(report: Report) -> Iterator[Statement]:
    posterior = report.posterior_answer
    if posterior is None:
        return
    within = region(posterior.rope, ratios=posterior.scale.ratios)
    warnings = len(posterior.diagnostics.warnings)
    trust = f"; {count(warnings, 'warning')}" if warnings else ""
    certainty = f"{posterior.title}, {within} ({posterior.rope_source}){trust}"
    yield Statement("posterior", posterior_claim(posterior), certainty)


def posterior_claim(posterior: PosteriorAnswer) -> str:
    """Say who is best, or how the two that lead compare, and how probable that is."""
    if posterior.best:
        first = posterior.best_first[0]
        as_good = f", and practically as good as the best with {probability(first.p_as_good)}"
        return (
            f"{first.algorithm} is the best with probability {probability(first.p_best)}"
            f"{as_good if posterior.rope else ''}."
        )
    pair = posterior.detail  # the two that lead, of those that have met
    if pair is None:
        return f"{posterior.title} says nothing: no two can be compared."
    one, two, (ahead, equal, behind) = pair.a, pair.b, pair.shares
    where = MODELS[posterior.model].likeliest if posterior.model in MODELS else ""
    if where:  # the probability is not that of being better
        even = f", with {probability(equal)} that they are practically equal"
        return (
            f"With probability {probability(ahead)} the likeliest {where} is that {one} is better "
            f"than {two}{even if posterior.rope or equal else ''}, with {probability(behind)} that "
            "it is worse."
        )
    even = f", practically equal with {probability(equal)}"
    new = "on a new one " if posterior.over == "datasets" else ""
    return (
        f"{drawn_first(posterior.over, posterior.n_datasets)}{new}"
        f"{one} is better than {two} with probability {probability(ahead)}"
        f"{even if posterior.rope or equal else ''}, worse with {probability(behind)}."
    )


def _missing(report: Report) -> Iterator[Statement]:
    gaps, told = report.facts.missing, report.ordering.verdict.missing
    said = strung((note for note in report.table.notes if note.startswith("missing=")), "; ")
    if told is not None:
        yield Statement("missing", told, "")
    elif gaps.cells and report.ordering.judged is None:
        claim = f"{gaps.cells} of {gaps.of} pairs of a data set and an algorithm have no score."
        yield Statement("missing", claim, said)
    elif said and not gaps.cells:
        yield Statement("missing", "Some scores were missing.", said)


def _experiment(report: Report) -> Iterator[Statement]:
    run = report.experiment
    if run is None or run.ended_well == run.jobs:
        return
    rest = ", ".join(f"{n} {name}" for name, n in run.counts.items() if name != "ok")
    yield Statement(
        "experiment",
        f"{run.ended_well} of {run.jobs} jobs of the experiment ended well; {rest}.",
        "the experiment is finished"
        if run.finished
        else "the experiment is not finished: what is said here may change",
    )


_STATEMENTS: tuple[Callable[[Report], Iterator[Statement]], ...] = (
    _best,
    _value,
    _sure,
    _front,
    _posterior,
    _missing,
    _experiment,
)
