"""``palio aggregate``: one number per algorithm from scores on many scales."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, cast

from cyclopts import Parameter

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
    normalise: Annotated[
        str | None,
        Parameter(
            help="To one scale: min-max; baseline=NAME; or two anchors, algorithms or numbers, the "
            "first is 1 and the second 0, and neither is compared: human=NAME,random=0. Unless "
            "given scores as they are, or ratios to the data set's median where these count."
        ),
    ] = None,
    over: Annotated[
        str | None,
        Parameter(
            help="What is drawn anew: runs (the seeds; repeats only if this says so) or datasets. "
            "Where there are seeds, runs."
        ),
    ] = None,
    target: Annotated[
        float | None,
        Parameter(help="For the optimality gap; 1 of normalised scores, else the best possible."),
    ] = None,
    level: Annotated[float, Parameter(help="Of the intervals.")] = 0.95,
    n_resamples: Annotated[
        int | None, Parameter(help="How many times is drawn; 2000, fewer of large tables.")
    ] = None,
    seed: Annotated[int, Parameter(help="The seed of the draws.")] = 0,
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
