"""``palio order``: best first, the cheaper first among equals."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from palio.app.options import (
    Alpha,
    As,
    JsonFlag,
    MoreFiles,
    Over,
    PairTestOptions,
    Preference,
    Reading,
    Top,
    choices,
    figures,
    looked_at,
    several,
    show,
    show_sentence,
    together,
)


def order(
    results: str,
    /,
    *more: MoreFiles,
    preference: Preference | None = None,
    over: Over = None,
    dataset: str | None = None,
    method: Annotated[
        str, Parameter(help=choices("palio.ordering:ORDERINGS", "auto, which is the first of"))
    ] = "auto",
    test: Annotated[
        str | None,
        Parameter(
            help=choices("palio.comparison.pair_tests:PAIR_TESTS", "Over data sets")
            + " "
            + choices(
                "palio.comparison.fold_tests:FOLD_TESTS",
                "On folds, with --dataset, multitest and multi2test",
            )
        ),
    ] = None,
    correction: Annotated[
        str | None,
        Parameter(
            help=choices(
                "palio.comparison.corrections:CORRECTIONS",
                after="; holm unless given, none for multitest and multi2test",
            )
        ),
    ] = None,
    posthoc: Annotated[
        str | None,
        Parameter(
            help=choices(
                "palio.comparison.rank_tests:POSTHOCS",
                "The second pass of multi2test",
                "; nemenyi unless the test is bayes",
            )
        ),
    ] = None,
    alpha: Alpha = 0.05,
    tolerance: float | None = None,
    test_options: PairTestOptions | None = None,
    reading: Reading | None = None,
    why: Annotated[
        tuple[str, str] | None,
        several("Two algorithms: say only why one is before the other."),
    ] = None,
    preset: As = None,
    top: Top = None,
    latex: Path | None = None,
    figure: Annotated[list[str] | None, figures("multitest-graph", "ordering")] = None,
    json: JsonFlag = False,
) -> None:
    """Order algorithms: nobody before one that is significantly better.

    Among the rest the cheaper first (--cost, or --prior), or without a cost the better mean rank.
    The pairs are those of `palio compare`; --method multi2test and multitest order as the papers
    of these names do. Predictions, and with --over items those that a store keeps, are right or
    wrong on each item: they are ordered by their accuracies, as --over items compares these.

    Example: palio order results.csv --cost train_time --figure order.svg
    Example: palio order predictions.csv --over items

    Parameters
    ----------
    results
        Scores: columns dataset, algorithm, a score; repeat and fold, costs, where there are any;
        or one column per algorithm with --score naming the measure. Or predictions, as for `palio
        compare`.
    dataset
        Order on this data set alone.
    tolerance
        On fewer data sets than any test could tell apart: how much worse a mean score the cheaper
        may have and still stand first; one point of a share, 1 % of an error without bound.
    latex
        Write what a paper needs to this file: how it was done, table, graph and references.
    """
    from palio.app.writing import check_figures, write_figures, write_text
    from palio.ordering import order as order_table

    preference = preference or Preference()
    wanted = check_figures(figure or [])
    table = (reading or Reading()).read(
        together(results, more), costs=list(preference.weights), over=over
    )
    ordering = order_table(
        table,
        **preference.arguments(table.algorithms),
        method=method,
        over=over,
        dataset=dataset,
        test=test,
        correction=correction,
        posthoc=posthoc,
        alpha=alpha,
        tolerance=tolerance,
        preset=preset,
        **(test_options or PairTestOptions()).arguments(),
    )
    if why is not None:
        show_sentence(ordering.why(*why), json=json)
    else:
        show(looked_at(ordering, top), json=json)
    write_figures(wanted, ordering)
    if latex is not None:
        from palio.report.article import order_piece

        write_text(latex, order_piece(ordering, latex))
