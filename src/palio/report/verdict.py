"""The answer in plain sentences, each with what it rests on.

The sentences are written from the results, so that none says what a number does not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Annotated, Literal, NamedTuple

from palio.comparison.corrections import CORRECTIONS
from palio.comparison.fold_tests import FOLD_TESTS
from palio.comparison.omnibus import OMNIBUS_TESTS
from palio.comparison.pair_tests import PAIR_TESTS
from palio.comparison.rank_tests import POSTHOCS
from palio.ordering.methods import ORDERINGS
from palio.report.numbers import limit, number, p_said, probability, rank, signed_alike
from palio.words import count, joined

if TYPE_CHECKING:
    from palio.bayes.answer import PosteriorAnswer
    from palio.comparison.results import Comparison
    from palio.ordering.places import OrderRow
    from palio.report.analysis import Report

About = Literal["order", "score", "trade", "front", "posterior", "audit", "missing", "experiment"]

# A sentence names this many; the rest are counted.
_NAMED = 5


class Statement(NamedTuple):
    """A sentence of the verdict, and what it rests on."""

    about: About
    claim: str
    certainty: Annotated[str, "The test, its level and its p-value, or the probability."]


class Verdict(NamedTuple):
    """The answer in plain sentences."""

    headline: str
    first: Annotated[str, "The first of the order."]
    best_by_score: Annotated[str, "The best mean rank, or the best mean score on one data set."]
    statements: tuple[Statement, ...]

    def claim(self, about: About) -> str | None:
        """Return what is said about a part; nothing where nothing is."""
        return next((each.claim for each in self.statements if each.about == about), None)


def verdict(report: Report) -> Verdict:
    """Say who comes first, who is best by the score, what it costs, and how sure that is."""
    first = report.order.first.algorithm
    return Verdict(
        headline=f"{first} comes first of {_where(report)}",
        first=first,
        best_by_score=report.order.best_by_score,
        statements=tuple(statement for say in _STATEMENTS for statement in say(report)),
    )


def some_of(names: Sequence[str]) -> str:
    """Join names as in a sentence, the first few of many.

    >>> some_of(["a", "b"]), some_of(list("abcdefg"))
    ('a and b', 'a, b, c, d, e and 2 others')
    """
    if len(names) <= _NAMED + 1:
        return joined(names)
    return f"{', '.join(names[:_NAMED])} and {len(names) - _NAMED} others"


def _where(report: Report) -> str:
    table = report.table
    sets = (
        f"over {table.n_datasets} data sets" if table.n_datasets > 1 else f"on {table.datasets[0]}"
    )
    return f"{table.n_algorithms} algorithms {sets}"


# --- the order -----------------------------------------------------------------------------------


def _order(report: Report) -> Iterator[Statement]:
    name = report.order.first.algorithm
    claim = f"{name} comes first of {_where(report)}: {_first_reason(report)}."
    yield Statement("order", claim, _order_certainty(report))


def _first_reason(report: Report) -> str:
    order = report.order
    row, method = order.first, order.method
    if method in _BY_MEANS:
        return f"it has the best {_BY_MEANS[method]}"
    # Multi²Test compares ranks in which the cheaper has won wherever no test said otherwise.
    better, counted = (
        ("ranks significantly better", " once cost is counted in")
        if method == "multi2test"
        else ("is significantly better", "")
    )
    if row.prior_place == 1:
        preferred = "is first in the given prior order" if order.cost is None else "costs least"
        return f"it {preferred}, and no other {better}{counted}"
    if row.overrides:
        return f"it {better} than the cheaper {some_of(row.overrides)}{counted}"
    return row.reason


_BY_MEANS = {"mean-ranks": "mean rank", "mean-scores": "mean score"}


def _order_certainty(report: Report) -> str:
    ordering = report.ordering
    if ordering is None:
        why = next(each.why for each in report.not_done if each.part == "ordering")
        by = _BY_MEANS[report.order.method]
        return f"the order is that of the {by}s, no test and no cost is in it: {why}"
    passes = FOLD_TESTS[ordering.test].title
    if ordering.posthoc is not None:
        passes += f" on each data set, then {POSTHOCS[ordering.posthoc].title}"
    return f"{ORDERINGS[ordering.method].title}: {passes}; α = {limit(ordering.alpha)}"


# --- the score -----------------------------------------------------------------------------------


def _score(report: Report) -> Iterator[Statement]:
    comparison, measure = report.comparison, report.table.measure.name
    if comparison is None:
        return
    if comparison.control is not None:
        row = report.order.row(comparison.control)
        found = _told_from(row, "it is significantly worse than {}")
        claim = f"The control {row.algorithm}, by {measure}: {found}."
    else:
        row = report.order.row(report.order.best_by_score)
        found = _told_from(row, "{} is significantly better than it")
        claim = (
            f"By {measure} alone {row.algorithm} has the best mean rank, "
            f"{rank(comparison.mean_ranks[row.algorithm])}: {found}."
        )
    yield Statement("score", claim, _comparison_certainty(comparison))


def _told_from(row: OrderRow, worse: str) -> str:
    """Say whom an algorithm differs from by the score, and from whom it was not told."""
    said = (
        ("it is significantly better than {}", row.beats),
        (worse, row.beaten_by),
        ("no difference was found from {}", row.level_with),
    )
    return "; ".join(text.format(some_of(names)) for text, names in said if names)


def _comparison_certainty(comparison: Comparison) -> str:
    omnibus = comparison.omnibus
    test, correction = PAIR_TESTS[comparison.method], CORRECTIONS[comparison.correction]
    together = f"{OMNIBUS_TESTS[omnibus.method].title}, {p_said(omnibus.p_value)}"
    level = limit(comparison.alpha)
    return f"{test.title}, {correction.title}, α = {level}; all together, {together}"


def _trade(report: Report) -> Iterator[Statement]:
    """Say what the first gives up against the best by score, if they are two."""
    comparison, order = report.comparison, report.order
    first, best = order.first, order.row(order.best_by_score)
    if comparison is None or first is best:
        return
    change = comparison.against(first.algorithm).get(best.algorithm)
    if change is None:
        return
    name = report.table.measure.name
    times = first.times_the_cost_of(best)
    costs = "" if times is None else f" and costs {number(times)} times as much"
    differ = "differ significantly" if change.significant else "do not differ significantly"
    claim = (
        f"Taking {first.algorithm} instead of {best.algorithm} changes mean {name} by "
        f"{signed_alike([change.difference])[0]}{costs}; the two {differ} in {name}."
    )
    yield Statement("trade", claim, f"adjusted {p_said(change.p_adjusted)}")


# --- the rest ------------------------------------------------------------------------------------


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
    region = f"±{limit(posterior.rope)} ({posterior.rope_source})"
    warnings = len(posterior.diagnostics.warnings)
    trust = f"; {count(warnings, 'warning')}" if warnings else ""
    certainty = f"{posterior.title}, practically equal within {region}{trust}"
    yield Statement("posterior", _posterior_claim(posterior), certainty)


def _posterior_claim(posterior: PosteriorAnswer) -> str:
    if posterior.best:
        first = posterior.best_first[0]
        return (
            f"{first.algorithm} is the best with probability {probability(first.p_best)}, "
            f"and practically as good as the best with {probability(first.p_as_good)}."
        )
    one, two = posterior.order[:2]
    pair = next(pair for pair in posterior.pairs if {pair.a, pair.b} == {one, two})
    ahead, equal, behind = pair.shares if pair.a == one else pair.shares[::-1]
    return (
        f"{one} is better than {two} with probability {probability(ahead)}, practically "
        f"equal with {probability(equal)}, worse with {probability(behind)}."
    )


def _audit(report: Report) -> Iterator[Statement]:
    audit = report.audit
    if audit is None:
        return
    done = ", ".join(check.name for check in audit.checks)
    yield Statement("audit", audit.sentence, f"checks: {done}")


def _missing(report: Report) -> Iterator[Statement]:
    gaps = report.facts.missing
    said = "; ".join(note for note in report.table.notes if note.startswith("missing="))
    if gaps.cells:
        claim = f"{gaps.cells} of {gaps.of} pairs of a data set and an algorithm have no score."
        yield Statement("missing", claim, said)
    elif said:
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
    _order,
    _score,
    _trade,
    _front,
    _posterior,
    _audit,
    _missing,
    _experiment,
)
