"""``palio variance``: what scores vary by, and what more of it would buy."""

from __future__ import annotations

from typing import Annotated

from palio.app.options import JsonFlag, MoreFiles, Over, Reading, figures, show, together


def variance(
    results: str,
    /,
    *more: MoreFiles,
    over: Over = None,
    cost: str | None = None,
    dataset_cost: float = 0.0,
    test_fraction: float | None = None,
    alpha: float = 0.05,
    seed: int = 0,
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
    cost
        A cost column, by which the cheapest way to a surer answer is found.
    dataset_cost
        What a further data set costs besides: in that cost, or in scores.
    test_fraction
        On hold-outs: the share of the data used for testing.
    alpha
        Intervals have confidence 1 − α.
    seed
        The seed of the intervals.
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
