"""``palio best``: the best algorithm on one data set, by MultiTest or a rival."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

from palio.app.options import (
    Alpha,
    FoldTestOptions,
    JsonFlag,
    MoreFiles,
    OneDataset,
    Preference,
    Reading,
    choices,
    show,
    together,
)


def best(
    results: str,
    /,
    *more: MoreFiles,
    preference: Preference | None = None,
    dataset: OneDataset = None,
    method: Annotated[
        str, Parameter(help=choices("palio.ordering.baselines:FINDERS"))
    ] = "multitest",
    test: Annotated[
        str | None,
        Parameter(
            help=choices(
                "palio.comparison.fold_tests:FOLD_TESTS",
                "On folds: 5x2cv-f for multitest and 5x2cv-t for testfirst by default, or "
                "corrected-t on other folds",
            )
        ),
    ] = None,
    correction: Annotated[
        str | None,
        Parameter(help="For multitest; none by default."),
    ] = None,
    alpha: Alpha = 0.05,
    test_options: FoldTestOptions | None = None,
    reading: Reading | None = None,
    json: JsonFlag = False,
) -> None:
    """Find the best algorithm on one data set, as four methods do it.

    MultiTest's is the first of palio order --method multitest; its rivals do not always find one.

    Example: palio best results.csv --dataset optdigits --cost train_time --method newman-keuls

    Parameters
    ----------
    results
        Scores per fold: columns dataset, algorithm, repeat, fold, a score, costs.
    """
    from palio.ordering import find_best

    preference = preference or Preference()
    table = (reading or Reading()).read(together(results, more), costs=list(preference.weights))
    result = find_best(
        table,
        method=method,
        dataset=dataset,
        **preference.arguments(table.algorithms),
        test=test,
        correction=correction,
        alpha=alpha,
        **(test_options or FoldTestOptions()).arguments(),
    )
    show(result, json=json)
