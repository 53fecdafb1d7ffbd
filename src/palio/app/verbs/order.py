"""``palio order``: best first, the cheaper first among equals."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

from palio.app.options import FoldTestOptions, JsonFlag, Preference, Reading, show, show_sentence

__all__ = ["order"]


def order(
    results: str,
    /,
    *,
    preference: Preference | None = None,
    dataset: Annotated[str | None, Parameter(help="Order on this data set alone.")] = None,
    test: Annotated[
        str,
        Parameter(
            help="Test on folds: 5x2cv-f, 5x2cv-t, kfold-t, corrected-t, calibrated-t, bayes (no "
            "p-values: the costlier is better with probability above 1 − α)."
        ),
    ] = "5x2cv-f",
    correction: Annotated[
        str, Parameter(help="Over the pairs of a data set: none, bonferroni, holm, hochberg, …")
    ] = "none",
    posthoc: Annotated[
        str | None,
        Parameter(
            help="Over data sets: nemenyi, wilcoxon-holm, sign-holm, pairwise-sign, bayes; "
            "nemenyi unless the test is bayes."
        ),
    ] = None,
    alpha: Annotated[float, Parameter(help="Significance level.")] = 0.05,
    test_options: FoldTestOptions | None = None,
    reading: Reading | None = None,
    why: Annotated[
        tuple[str, str] | None,
        Parameter(
            help="Two algorithms: say only why one is before the other.", negative_iterable=""
        ),
    ] = None,
    figure: Annotated[
        list[str] | None,
        Parameter(
            help="Write a figure (.svg, .png, .pdf): --figure graph.svg draws the MultiTest "
            "graph, --figure critical-difference=cd.pdf the line of mean ranks.",
            negative_iterable="",
        ),
    ] = None,
    json: JsonFlag = False,
) -> None:
    """Order algorithms best first: Multi²Test over many data sets, MultiTest on one.

    The cheaper of two algorithms is preferred unless the costlier is significantly better.

    Example: palio order results.csv --cost train_time --figure order.svg

    Parameters
    ----------
    results
        Scores per fold: columns dataset, algorithm, repeat, fold, a score, costs (.csv, .tsv,
        .json, .parquet).
    """
    from palio.app.figures import check_figures, write_figures
    from palio.ordering import ORDERINGS

    preference = preference or Preference()
    figures = check_figures(figure or [])
    table = (reading or Reading()).read(results, costs=list(preference.weights))
    method = ORDERINGS["multi2test" if dataset is None else "multitest"]
    where = {"posthoc": posthoc} if dataset is None else {"dataset": dataset}
    ordering = method.run(
        table,
        **preference.arguments(),
        **where,
        test=test,
        correction=correction,
        alpha=alpha,
        **(test_options or FoldTestOptions()).arguments(),
    )
    if why is not None:
        show_sentence(ordering.why(*why), json=json)
    else:
        show(ordering, json=json)
    write_figures(figures, ordering)
