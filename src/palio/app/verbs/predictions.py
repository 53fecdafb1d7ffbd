"""``palio predictions``: tests on per-instance predictions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from palio.app.options import (
    Alpha,
    JsonFlag,
    OneDataset,
    choices,
    figures,
    several,
    show,
    split_named,
)
from palio.errors import ParameterError, require

if TYPE_CHECKING:
    from palio.predictions import Predictions

_COLUMNS = ("instance", "algorithm", "truth", "prediction", "dataset", "repeat", "fold")


def predictions(
    results: str,
    /,
    *,
    test: Annotated[
        str,
        Parameter(help=choices("palio.comparison.prediction_tests:PREDICTION_TESTS")),
    ] = "mcnemar",
    correction: Annotated[
        str,
        Parameter(help=choices("palio.comparison.corrections:CORRECTIONS", "For the pairs")),
    ] = "holm",
    alpha: Alpha = 0.05,
    dataset: OneDataset = None,
    name: Annotated[
        str | None, Parameter(help="Of a store: which plan; the one saved last unless given.")
    ] = None,
    positive: Annotated[
        str | None, Parameter(help="roc-hull: the positive class; the last in order by default.")
    ] = None,
    column: Annotated[
        list[str] | None,
        several("Other names for the columns, such as --column truth=y_true."),
    ] = None,
    figure: Annotated[list[str] | None, figures("roc-hull", "prediction-comparison")] = None,
    json: JsonFlag = False,
) -> None:
    """Compare algorithms by their predictions for the same test instances.

    Example: palio predictions preds.csv --test mcnemar --correction holm

    Parameters
    ----------
    results
        Predictions: columns instance, algorithm, truth, prediction and, for each class, p_CLASS;
        or instance, truth and one column per algorithm. Data set, repeat and fold columns belong
        to the instance. Or a store of an experiment that was run with predictions.
    """
    from palio.app.writing import check_figures, write_figures
    from palio.comparison import compare_predictions

    wanted = check_figures(figure or [], default="roc-hull")
    comparison = compare_predictions(
        _read(results, column or [], dataset, name),
        test=test,
        correction=correction,
        alpha=alpha,
        positive=positive,
    )
    show(comparison, json=json)
    write_figures(wanted, comparison)


def _read(
    results: str, column: Sequence[str], dataset: str | None, name: str | None
) -> Predictions:
    from palio.experiment.store.database import is_store
    from palio.predictions import read_predictions

    if is_store(results):
        from palio.experiment.store.reading import read_stored_predictions

        return read_stored_predictions(results, dataset=dataset, plan=name)
    if name is not None:
        raise ParameterError("name", "a plan is in a store", f"'{results}' is a table")
    columns = dict(split_named("column", text) for text in column)
    rule = f"the columns are {', '.join(_COLUMNS)}"
    for key in columns:
        require(key in _COLUMNS, "column", rule, key, "write for example --column truth=y_true")
    table = read_predictions(results, **columns)
    return table if dataset is None else table.on(dataset)
