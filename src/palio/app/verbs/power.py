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
    a: str | None = None,
    b: str | None = None,
    over: Over = None,
    means: str | None = None,
    sd: float = 1.0,
    difference: float | None = None,
    each: str | None = None,
    test: Annotated[
        str | None,
        Parameter(help=choices("palio.comparison.pair_tests:PAIR_TESTS", "As for compare")),
    ] = None,
    correction: Annotated[
        str, Parameter(help=choices("palio.comparison.corrections:CORRECTIONS"))
    ] = "holm",
    alpha: Alpha = 0.05,
    datasets: str | None = None,
    items: str | None = None,
    target: float = 0.8,
    trials: int = 1000,
    seed: int = 0,
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
    a
        One algorithm; of the best unless given.
    b
        The other.
    means
        Instead of a table: mean scores, higher is better: A=0,B=1.5,C=5.
    sd
        With --means: the standard deviation.
    difference
        With a table: shift a's mean so far above b's.
    each
        With a table: of how many splits, seeds or items each data set would be, such as
        splits=1,seeds=3; by its variance components.
    datasets
        Numbers of data sets to try: 10,20,40. Default: until the target.
    items
        Over items: numbers of these, of all data sets together, to look at.
    target
        The chance that is enough.
    trials
        Simulated tables for each number.
    seed
        The seed.
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
