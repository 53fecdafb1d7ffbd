"""``palio predictions``: tests on per-instance predictions."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from palio.app.options import JsonFlag, show, split_named
from palio.errors import ParameterError

__all__ = ["predictions"]

_COLUMNS = ("instance", "algorithm", "truth", "prediction", "dataset", "repeat", "fold")


def predictions(
    results: Path,
    /,
    *,
    test: Annotated[
        str,
        Parameter(
            help="mcnemar (pairs); cochran, looney or looney-adjusted (do any differ?); "
            "multinomial-selection (who trusts the truth most?); roc-hull (who is optimal for "
            "which costs? two classes)."
        ),
    ] = "mcnemar",
    correction: Annotated[
        str,
        Parameter(
            help="For the pairs: none, bonferroni, sidak, holm, hochberg, hommel, holland, "
            "finner, rom, shaffer, bergmann-hommel, bh, by."
        ),
    ] = "holm",
    alpha: Annotated[float, Parameter(help="Significance level.")] = 0.05,
    positive: Annotated[
        str | None, Parameter(help="roc-hull: the positive class; the last in order by default.")
    ] = None,
    column: Annotated[
        list[str] | None,
        Parameter(
            help="Other names for the columns, such as --column truth=y_true.",
            negative_iterable="",
        ),
    ] = None,
    figure: Annotated[
        list[str] | None,
        Parameter(
            help="roc-hull: write the figure (.svg, .png, .pdf): --figure roc.svg.",
            negative_iterable="",
        ),
    ] = None,
    json: JsonFlag = False,
) -> None:
    """Compare algorithms by their predictions for the same test instances.

    Example: palio predictions preds.csv --test mcnemar --correction holm

    Parameters
    ----------
    results
        Predictions: columns instance, algorithm, truth, prediction and, for each class, p_CLASS;
        or instance, truth and one column per algorithm. Data set, repeat and fold columns belong
        to the instance.
    """
    from palio.app.figures import check_figures, write_figures
    from palio.comparison import compare_predictions
    from palio.predictions import read_predictions

    figures = check_figures(figure or [], default="roc-hull")
    columns = dict(split_named("column", text) for text in column or [])
    for key in columns:
        if key not in _COLUMNS:
            raise ParameterError(
                f"column: the columns are {', '.join(_COLUMNS)}, and {key!r} was given; write for "
                "example --column truth=y_true."
            )
    comparison = compare_predictions(
        read_predictions(results, **columns),
        test=test,
        correction=correction,
        alpha=alpha,
        positive=positive,
    )
    show(comparison, json=json)
    write_figures(figures, comparison)
