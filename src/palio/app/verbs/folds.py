"""``palio folds``: all algorithms on the folds of one data set."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

from palio.app.options import Alpha, JsonFlag, OneDataset, Reading, choices, show


def folds(
    results: str,
    /,
    *,
    dataset: OneDataset = None,
    test: Annotated[
        str, Parameter(help=choices("palio.comparison.fold_groups:GROUP_TESTS"))
    ] = "newman-keuls",
    alpha: Alpha = 0.05,
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
