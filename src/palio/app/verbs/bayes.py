"""``palio bayes`` and ``palio rope``: how sure, and does it matter."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Group, Parameter

from palio.app.options import (
    All,
    Given,
    JsonFlag,
    MoreFiles,
    Over,
    Preference,
    Reading,
    choices,
    figures,
    flag,
    read_region,
    show,
    together,
)
from palio.errors import ParameterError

if TYPE_CHECKING:
    from palio.scores import ScoreTable


@Parameter(name="*", group=Group("With some models", sort_key=1))
@dataclass(frozen=True)
class ModelOptions(Given):
    """What some models take besides."""

    robust: Annotated[
        bool | None,
        flag("anova: Student t errors, for outliers."),
    ] = None
    over: Over = None
    dataset: Annotated[
        str | None,
        Parameter(help="correlated-t, outcomes, hierarchical-items: which data set."),
    ] = None
    pair: Annotated[
        str | None,
        Parameter(
            help="hierarchical, hierarchical-items: two algorithms, a,b; all pairs by default."
        ),
    ] = None
    test_fraction: Annotated[
        float | None,
        Parameter(
            help="correlated-t, hierarchical on hold-outs: the share of the data used for testing."
        ),
    ] = None
    prior_strength: Annotated[
        float | None,
        Parameter(
            help="sign, signed-rank: how many data sets the prior counts for; outcomes: how many "
            "items."
        ),
    ] = None
    prior_spread: Annotated[
        float | None,
        Parameter(
            help="hierarchical-items: scale of the prior of the standard deviation between data "
            "sets; by default half of what two differ by on an item."
        ),
    ] = None
    prior_place: Annotated[
        str | None, Parameter(help="sign, signed-rank: where the prior's weight sits.")
    ] = None
    ties: Annotated[
        str | None, Parameter(help="bradley-terry, plackett-luce: what a tie counts.")
    ] = None
    draws: Annotated[int | None, Parameter(help="How many draws.")] = None
    seed: Annotated[int | None, Parameter(help="The seed; the same gives the same numbers.")] = None

    def arguments(self) -> dict[str, Any]:
        """Return those that were given."""
        found = super().arguments()
        if "pair" in found:
            found["pair"] = _two(found["pair"])
        return found


def bayes(
    results: str,
    /,
    *more: MoreFiles,
    model: Annotated[
        str | None,
        Parameter(
            help=choices("palio.bayes.models:MODELS")
            + " By default correlated-t on the folds of one data set, outcomes on its right and "
            "wrong answers; hierarchical-items on other items, and over the items of several; over "
            "data sets anova, or plackett-luce where only who is better counts (--scale order)."
        ),
    ] = None,
    rope: str | None = None,
    model_options: ModelOptions | None = None,
    preference: Preference | None = None,
    probability: float = 0.95,
    reading: Reading | None = None,
    whole: All = False,
    figure: Annotated[list[str] | None, figures("posterior-matrix", "posterior")] = None,
    json: JsonFlag = False,
) -> None:
    """Give the probability that one is better, practically equal, or worse, for every pair.

    Example: palio bayes results.csv --rope 0.01

    Parameters
    ----------
    results
        Scores: columns dataset, algorithm, a score and, for auto, correlated-t and hierarchical,
        repeat and fold, for outcomes and hierarchical-items item; or a store.
    rope
        Differences within ± this are practically none: a number, of ratios 0.01 for 1 %; or auto,
        the default: what the table itself suggests (see palio rope), or none, so that every
        difference counts. bradley-terry, plackett-luce: of the probability to win, 0.05 by default.
    probability
        With a cost: how sure the cheapest must be as good as the best.
    """
    from palio.app.writing import check_figures, write_figures
    from palio.bayes.models import run_model

    wanted = check_figures(figure or [], default="posterior-matrix")
    preferred = preference or Preference()
    table = (reading or Reading()).read(together(results, more), costs=tuple(preferred.weights))
    found = run_model(
        model, table, rope=read_region(rope), **(model_options or ModelOptions()).arguments()
    )
    prior = _cheapest_first(table, preferred)
    answer = found.answer(prior=prior, probability=probability, with_claims=True)
    show(answer, json=json, whole=whole)
    write_figures(wanted, answer)


def rope(results: str, /, *, reading: Reading | None = None, json: JsonFlag = False) -> None:
    """Say which differences this table itself suggests to be irrelevant, and why.

    Example: palio rope results.csv

    Parameters
    ----------
    results
        Scores with folds: two halves, or 5×2 cv.
    """
    from palio.bayes.rope import suggest_rope

    show(suggest_rope((reading or Reading()).read(results)), json=json)


def _cheapest_first(table: ScoreTable, preferred: Preference) -> list[str] | None:
    """Return the algorithms, the cheapest or most preferred first, where that was given."""
    from palio.ordering.prior import preference_of

    if not preferred.weights and not preferred.prior:
        return None
    standing = dict(zip(table.algorithms, (-table.overall()).tolist(), strict=True))
    return preference_of(table, standing, **preferred.arguments(table.algorithms)).order


def _two(text: str) -> tuple[str, str]:
    names = [name.strip() for name in text.split(",")]
    if len(names) != 2 or not all(names):
        raise ParameterError("pair", "two algorithms are written a,b", f"{text!r} was given")
    return names[0], names[1]
