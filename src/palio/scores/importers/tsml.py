"""tsml and aeon: a file per estimator and measure, a row per data set, a column per resample."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from palio.errors import UnreadableError
from palio.scores.columns import Columns
from palio.scores.formats import read_file
from palio.scores.formats.packing import plain_name
from palio.scores.importers.results import Result, columns_of
from palio.words import count, listed


def read(files: list[Path], place: Path) -> Columns:
    """Read files named ``ESTIMATOR_MEASURE.csv``; resamples are hold-outs, so repeats."""
    named = [(path, *_named(path)) for path in files]
    measures = list(dict.fromkeys(measure for *_, measure in named))
    if len(measures) > 1:
        raise UnreadableError(
            "source",
            f"{place.name!r} holds files of several measures: {listed(measures)}",
            remedy=f"Give those of one in quotation marks: '{place}/*_{measures[0]}.csv'",
        )
    results = [each for path, name, measure in named for each in _results(path, name, measure)]
    told = f"{count(len(files), 'file')} of tsml or aeon: an estimator each, resamples as repeats."
    return columns_of(results, name=place.name, source="tsml", notes=[told])


def _named(path: Path) -> tuple[str, str]:
    estimator, _, measure = plain_name(path.name).removesuffix(".csv").rpartition("_")
    return (estimator, measure) if estimator else (measure, "accuracy")


def _results(path: Path, estimator: str, measure: str) -> Iterator[Result]:
    table = read_file(path, "source")
    first, *resamples = table.names
    datasets = table.coded(first)
    for resample in resamples:
        for row, score in enumerate(table.numbers(resample).checked().tolist()):
            yield Result(datasets.name(row), estimator, {measure: score}, repeat=resample)
