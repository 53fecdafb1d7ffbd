"""``palio aggregate``: one number per algorithm from scores on many scales."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, cast

from palio.app.options import (
    JsonFlag,
    MoreFiles,
    Reading,
    Top,
    figures,
    looked_at,
    show,
    together,
)

if TYPE_CHECKING:
    from palio.comparison.aggregates.result import Over


def aggregate(
    results: str,
    /,
    *more: MoreFiles,
    normalise: str | None = None,
    over: str | None = None,
    target: float | None = None,
    level: float = 0.95,
    n_resamples: int | None = None,
    seed: int = 0,
    top: Top = None,
    reading: Reading | None = None,
    figure: Annotated[list[str] | None, figures("aggregates", "aggregates")] = None,
    json: JsonFlag = False,
) -> None:
    """Aggregate scores on many scales: interquartile mean, median, mean, optimality gap.

    Example: palio aggregate results.csv --normalise min-max

    Example: palio aggregate atari.csv --normalise human=human,random=random

    Parameters
    ----------
    results
        Scores: columns dataset, algorithm, a score, and seed if there are several.
    normalise
        To one scale: min-max; baseline=NAME; or two anchors, algorithms or numbers, the first is 1
        and the second 0, and neither is compared: human=NAME,random=0. Unless given scores as they
        are, or ratios to the data set's median where these count.
    over
        What is drawn anew: runs (the seeds; repeats only if this says so) or datasets. Where there
        are seeds, runs.
    target
        For the optimality gap; 1 of normalised scores, else the best possible.
    level
        Of the intervals.
    n_resamples
        How many times is drawn; 2000, fewer of large tables.
    seed
        The seed of the draws.
    """
    from palio.app.writing import check_figures, write_figures
    from palio.comparison.aggregates import aggregate as aggregated

    wanted = check_figures(figure or [], default="aggregates")
    table = (reading or Reading()).read(together(results, more))
    result = aggregated(
        table,
        normalise=normalise,
        over=cast("Over | None", over),
        target=target,
        level=level,
        n_resamples=n_resamples,
        seed=seed,
    )
    show(looked_at(result, top), json=json)
    write_figures(wanted, result)
