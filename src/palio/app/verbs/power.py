"""``palio power``: how many data sets, or items, are needed."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

from palio.app.options import (
    Alpha,
    JsonFlag,
    MoreFiles,
    Over,
    PlainReading,
    choices,
    show,
    split_named,
    together,
)
from palio.errors import ParameterError


def power(
    results: str | None = None,
    /,
    *more: MoreFiles,
    a: Annotated[str | None, Parameter(help="One algorithm; of the best unless given.")] = None,
    b: Annotated[str | None, Parameter(help="The other.")] = None,
    over: Over = None,
    means: Annotated[
        str | None,
        Parameter(help="Instead of a table: mean scores, higher is better: A=0,B=1.5,C=5."),
    ] = None,
    sd: Annotated[float, Parameter(help="With --means: the standard deviation.")] = 1.0,
    difference: Annotated[
        float | None, Parameter(help="With a table: shift a's mean so far above b's.")
    ] = None,
    each: Annotated[
        str | None,
        Parameter(
            help="With a table: of how many splits, seeds or items each data set would be, such "
            "as splits=1,seeds=3; by its variance components."
        ),
    ] = None,
    test: Annotated[
        str | None,
        Parameter(help=choices("palio.comparison.pair_tests:PAIR_TESTS", "As for compare")),
    ] = None,
    correction: Annotated[
        str, Parameter(help=choices("palio.comparison.corrections:CORRECTIONS"))
    ] = "holm",
    alpha: Alpha = 0.05,
    datasets: Annotated[
        str | None,
        Parameter(help="Numbers of data sets to try: 10,20,40. Default: until the target."),
    ] = None,
    items: Annotated[
        str | None,
        Parameter(help="Over items: numbers of these, of all data sets together, to look at."),
    ] = None,
    target: Annotated[float, Parameter(help="The chance that is enough.")] = 0.8,
    trials: Annotated[int, Parameter(help="Simulated tables for each number.")] = 1000,
    seed: Annotated[int, Parameter(help="The seed.")] = 0,
    reading: PlainReading | None = None,
    json: JsonFlag = False,
) -> None:
    """Say how many data sets, or items of these, it takes to tell two algorithms apart.

    Example: palio power results.csv --a rf --b svm --test wilcoxon

    Example: palio power answers.csv --over items --difference 0.02

    Example: palio power --means A=0,B=1.5,C=5,D=6,E=7 --a A --b B --test sign --datasets 20

    Parameters
    ----------
    results
        A table whose data sets are drawn from; or give --means.
    """
    from palio.comparison.power import power as simulate

    if (results is None) == (means is None):
        raise ParameterError("means", "give a table of results or --means, one of the two")
    source = (
        (reading or PlainReading()).read(together(results, more), over=over)
        if results is not None
        else _means(means or "")
    )
    result = simulate(
        source,
        a=a,
        b=b,
        over=over,
        test=test,
        correction=correction,
        alpha=alpha,
        difference=difference,
        sd=sd,
        each=None if each is None else _numbers(each),
        n_datasets=None if datasets is None else _whole_numbers("datasets", datasets),
        n_items=None if items is None else _whole_numbers("items", items),
        target=target,
        trials=trials,
        seed=seed,
    )
    show(result, json=json)


def _means(text: str) -> dict[str, float]:
    pairs = [split_named("means", part.strip()) for part in text.split(",")]
    try:
        return {name: float(value) for name, value in pairs}
    except ValueError:
        raise ParameterError(
            "means", "numbers are needed, as in A=0,B=1.5", f"{text!r} was given"
        ) from None


def _numbers(text: str) -> dict[str, int]:
    pairs = [split_named("each", part.strip()) for part in text.split(",")]
    try:
        return {name: int(value) for name, value in pairs}
    except ValueError:
        raise ParameterError(
            "each", "whole numbers are needed, as in splits=1,seeds=3", f"{text!r} was given"
        ) from None


def _whole_numbers(name: str, text: str) -> list[int]:
    try:
        return [int(part) for part in text.split(",")]
    except ValueError:
        raise ParameterError(
            name, "whole numbers are needed, as in 10,20,40", f"{text!r} was given"
        ) from None
