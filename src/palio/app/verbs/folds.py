"""``palio folds``: all algorithms on the folds of one data set."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

from palio.app.options import JsonFlag, Reading, show

__all__ = ["folds"]


def folds(
    results: str,
    /,
    *,
    dataset: Annotated[str | None, Parameter(help="Which data set, if there are several.")] = None,
    test: Annotated[
        str,
        Parameter(
            help="anova or kruskal-wallis (do any differ?); newman-keuls, tukey or duncan (which "
            "do not?)."
        ),
    ] = "newman-keuls",
    alpha: Annotated[float, Parameter(help="Significance level.")] = 0.05,
    reading: Reading | None = None,
    json: JsonFlag = False,
) -> None:
    """Compare all algorithms on the folds of one data set.

    Example: palio folds results.csv --dataset optdigits --test tukey

    Parameters
    ----------
    results
        Scores per fold: columns dataset, algorithm, repeat, fold, a score.
    """
    from palio.comparison import compare_folds

    table = (reading or Reading()).read(results)
    show(compare_folds(table, dataset=dataset, test=test, alpha=alpha), json=json)
