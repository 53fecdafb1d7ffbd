"""Files and stores of predictions, as the command line is asked to read them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from palio.app.options import PlainReading, columns_in
from palio.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Collection

    from palio.predictions import Predictions

Place = str | list[str]  # a file or a store, or several files that are one table

_COLUMNS = ("instance", "algorithm", "truth", "prediction", "dataset", "repeat", "fold")
_OF_SCORES = ("score", "higher_is_better", "costs", "missing")
_OF_ALL = ("column", "format", "name", "no_limits")


def read_predicted(
    place: Place,
    reading: PlainReading,
    *,
    dataset: str | None = None,
    besides: Collection[str] = (),
) -> Predictions:
    """Read predictions; options that are of scores are refused, but those of ``besides``."""
    from palio.predictions import read_predictions
    from palio.scores.named_sources import is_store

    for option in reading.given():
        if option in _OF_SCORES:
            raise ParameterError(option, "predictions are right or wrong", remedy="leave it out")
        if option not in (*_OF_ALL, *besides):
            raise ParameterError(option, "it is for tables of scores", remedy="leave it out")
    if isinstance(place, str) and is_store(place):
        from palio.experiment.store.reading import read_stored_predictions

        return read_stored_predictions(place, dataset=dataset, plan=reading.name)
    if reading.name is not None:
        raise ParameterError("plan", "a plan is in a store", f"'{place}' is a table")
    columns = columns_in(reading.column, _COLUMNS, "truth=y_true")
    limits = not reading.no_limits
    table = read_predictions(place, format=reading.format, limits=limits, **columns)
    return table if dataset is None else table.on(dataset)


def holds_predictions(place: Place, reading: PlainReading) -> bool:
    """Say whether a file has a column of true classes."""
    from palio.scores.item_reading import has_truth

    named = any(text.startswith("truth=") for text in reading.column)
    return has_truth(place, reading.format, limits=not reading.no_limits, named=named)
