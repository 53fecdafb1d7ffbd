"""``palio results.csv``, without a verb: the verdict, the order, and what to ask next."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from textwrap import fill
from typing import TYPE_CHECKING

from palio.app.options import Alpha, JsonFlag, MoreFiles, Preference, Reading, show, together
from palio.errors import MissingCellsError, ParameterError, UndecidedError
from palio.systems import system
from palio.words import masked, visible

if TYPE_CHECKING:
    from palio.ordering.result import Ordering
    from palio.report.overview import NextQuestion
    from palio.scores import ScoreTable

# A person reads this many costs that might be asked about.
_COSTS = 3
_ALPHA = 0.05


def overview(
    results: str,
    /,
    *more: MoreFiles,
    preference: Preference | None = None,
    dataset: str | None = None,
    alpha: Alpha = _ALPHA,
    reading: Reading | None = None,
    json: JsonFlag = False,
) -> None:
    """Say who is best, what is the best value, and how sure that is.

    The order is that of `palio order`, and how sure it is is checked by asking again in other ways.
    Below it stand the next questions, as commands to copy.

    Example: palio results.csv --cost train_time

    Parameters
    ----------
    results
        Scores: columns dataset, algorithm, a score; repeat and fold, costs, where there are any;
        or one column per algorithm with --score naming the measure. Or the store of an
        experiment, or study:NAME.
    dataset
        Look at this data set alone.
    """
    from palio.app.grounds import read_ground
    from palio.report.overview import overview as look_at

    preference, reading = preference or Preference(), reading or Reading()
    asked = {"cost": list(preference.weights), "dataset": dataset}
    try:
        ground, table = read_ground(together(results, more), None, reading, asked)
    except UndecidedError as error:
        if json or not _is_about_direction(error):
            raise
        typed = [masked(results), *more, *preference.typed(), *reading.typed()]
        way = replace(reading, higher_is_better=True)
        _, table = read_ground(together(results, more), None, way, asked)
        for higher in (True, False):
            turned = table.with_score(table.measure.name, higher)
            given = preference.arguments(table.algorithms)
            found = look_at(turned, **given, dataset=dataset, alpha=alpha)
            _show_headline(found.claims.headline, typed, higher=higher)
        return
    if not ground.ordered:
        if preference.typed():
            raise ParameterError(
                "cost",
                "it chooses among equals in an order",
                f"'{results}' holds {ground.name}, which are compared",
                "leave it out",
            )
        show(ground.run(table, alpha=alpha), json=json)
        return
    given = preference.arguments(table.algorithms)
    found = look_at(table, **given, dataset=dataset, alpha=alpha)
    asking = _Asking(
        [masked(results), *more],
        reading.typed(),
        preference.typed(),
        found.ordering,
        table.n_datasets,
    )
    show(replace(found, next=tuple(asking.next())), json=json)


def _show_headline(headline: str, typed: Sequence[str], *, higher: bool) -> None:
    """Write the answer for one direction, and the command that gives all of it."""
    way = "higher" if higher else "lower"
    command = system().typed(["palio", *typed, f"--{way}-is-better"])
    said = fill(f"If {way} is better: {visible(headline)}", 80, break_on_hyphens=False)
    sys.stdout.write(f"{said}\n\n    {visible(command)}\n\n")


def _is_complete(table: ScoreTable, cost: str) -> bool:
    """Say whether a cost was measured for every algorithm, as an order by it needs."""
    try:
        table.cost_matrix(cost)
    except MissingCellsError:
        return False
    return True


def _is_about_direction(error: UndecidedError) -> bool:
    """Say whether only the direction of the score is open."""
    return all(option.parameter == "higher_is_better" for option in error.options)


@dataclass(frozen=True)
class _Asking:
    """What may be asked next of this table, with the options that were needed to read it."""

    places: list[str]
    read_with: list[str]
    preferred: list[str]
    ordering: Ordering
    all_datasets: int

    @property
    def _whole(self) -> bool:
        """Whether it is about the table that was read, and not about one of its data sets."""
        return self.ordering.dataset is None or self.all_datasets == 1

    def next(self) -> Iterator[NextQuestion]:
        """Tell the questions that the table can answer, each as it is typed."""
        from palio.report.overview import NextQuestion

        for question, verb, options in self._questions():
            typed = system().typed(["palio", verb, *self.places, *options, *self.read_with])
            yield NextQuestion(question, typed)

    def _questions(self) -> Iterator[tuple[str, str, list[str]]]:
        from palio.report.views.common import rows_shown

        ordering, table = self.ordering, self.ordering.table
        level = [] if ordering.alpha == _ALPHA else ["--alpha", f"{ordering.alpha:g}"]
        one = level if self._whole else ["--dataset", str(ordering.dataset), *level]
        if not self.preferred:
            complete = [each for each in table.cost_names if _is_complete(table, each)]
            for cost in complete[:_COSTS]:
                yield f"the cheaper first by {cost}", "order", ["--cost", cost, *one]
        if ordering.test is not None:
            yield "who differs from whom", "compare", one
        n_algorithms = len(ordering.order)
        if rows_shown(n_algorithms, None) < n_algorithms:
            top = ["--top", str(n_algorithms)]
            yield f"all {n_algorithms} algorithms", "order", [*self.preferred, *one, *top]
        first, second = ordering.order[:2]
        why = ["--why", first, second]
        yield f"why {first} is before {second}", "order", [*self.preferred, *one, *why]
        some = level if self._whole else ["--datasets", str(ordering.dataset), *level]
        compared = ordering.comparison
        if table.n_datasets > 2 or (compared is not None and compared.over == "items"):
            yield "how robust it is", "audit", some
        if table.n_datasets > 2:
            yield "probability of being best", "bayes", []
        yield "all of it on a page", "report", [*self.preferred, *some, "-o", "report.html"]
