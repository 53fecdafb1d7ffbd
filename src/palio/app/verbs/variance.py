"""``palio variance``: what scores vary by, and what more of it would buy."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

from palio.app.options import JsonFlag, MoreFiles, Over, Reading, figures, show, together


def variance(
    results: str,
    /,
    *more: MoreFiles,
    over: Over = None,
    cost: Annotated[
        str | None,
        Parameter(help="A cost column, by which the cheapest way to a surer answer is found."),
    ] = None,
    dataset_cost: Annotated[
        float,
        Parameter(help="What a further data set costs besides: in that cost, or in scores."),
    ] = 0.0,
    test_fraction: Annotated[
        float | None,
        Parameter(help="On hold-outs: the share of the data used for testing."),
    ] = None,
    alpha: Annotated[float, Parameter(help="Intervals have confidence 1 − α.")] = 0.05,
    seed: Annotated[int, Parameter(help="The seed of the intervals.")] = 0,
    reading: Reading | None = None,
    figure: Annotated[list[str] | None, figures("variance-shares", "variance")] = None,
    json: JsonFlag = False,
) -> None:
    """Say what scores vary by, and what more data sets, splits, seeds or items would buy.

    Example: palio variance results.csv --cost train_time

    Parameters
    ----------
    results
        Scores: columns dataset, algorithm, a score, repeat and fold, seed or item; or a store.
    """
    from palio.app.writing import check_figures, write_figures
    from palio.comparison.variance import variance as analyse

    wanted = check_figures(figure or [], default="variance-shares")
    costs = [cost] if cost is not None else []
    table = (reading or Reading()).read(together(results, more), costs=costs, over=over)
    result = analyse(
        table,
        over=over,
        cost=cost,
        dataset_cost=dataset_cost,
        test_fraction=test_fraction,
        alpha=alpha,
        seed=seed,
    )
    show(result, json=json)
    write_figures(wanted, result)
