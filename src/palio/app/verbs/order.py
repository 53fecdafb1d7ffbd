"""``palio order``: best first, the cheaper first among equals."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

from palio.app.options import (
    Alpha,
    FoldTestOptions,
    JsonFlag,
    Preference,
    Reading,
    choices,
    figures,
    several,
    show,
    show_sentence,
)


def order(
    results: str,
    /,
    *,
    preference: Preference | None = None,
    dataset: Annotated[str | None, Parameter(help="Order on this data set alone.")] = None,
    test: Annotated[
        str, Parameter(help=choices("palio.comparison.fold_tests:FOLD_TESTS", "Test on folds"))
    ] = "5x2cv-f",
    correction: Annotated[
        str,
        Parameter(
            help=choices(
                "palio.comparison.corrections:CORRECTIONS",
                "Over the pairs of a data set",
                only="for_folds",
            )
        ),
    ] = "none",
    posthoc: Annotated[
        str | None,
        Parameter(
            help=choices(
                "palio.comparison.rank_tests:POSTHOCS",
                "Over data sets",
                "; nemenyi unless the test is bayes",
            )
        ),
    ] = None,
    alpha: Alpha = 0.05,
    test_options: FoldTestOptions | None = None,
    reading: Reading | None = None,
    why: Annotated[
        tuple[str, str] | None,
        several("Two algorithms: say only why one is before the other."),
    ] = None,
    figure: Annotated[list[str] | None, figures("multitest-graph", "ordering")] = None,
    json: JsonFlag = False,
) -> None:
    """Order algorithms best first: Multi²Test over many data sets, MultiTest on one.

    The cheaper of two algorithms is preferred unless the costlier is significantly better.

    Example: palio order results.csv --cost train_time --figure order.svg

    Parameters
    ----------
    results
        Scores per fold: columns dataset, algorithm, repeat, fold, a score, costs, in a file of
        any format that Palio reads, CSV for one.
    """
    from palio.app.writing import check_figures, write_figures
    from palio.ordering import ORDERINGS

    preference = preference or Preference()
    wanted = check_figures(figure or [])
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
    write_figures(wanted, ordering)
