"""What a worker has on its desk: the tables it has read and the reports it has made.

Everything here runs in a worker process (see `workshop`), which handles one thing at a time.
"""

from __future__ import annotations

import math
from collections.abc import Hashable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from palio.app.web.cache import Bounded
from palio.app.web.settings import MEGABYTE
from palio.app.web.sources import Asked, Source
from palio.errors import InputError, UnreadableError

if TYPE_CHECKING:
    from palio.comparison.effects import Effect
    from palio.comparison.results import Comparison
    from palio.report.analysis import Report
    from palio.report.schema import ExperimentDict
    from palio.scores import ScoreTable

__all__ = [
    "asked_table",
    "comparison_alone",
    "full_report",
    "light",
    "posterior_summary",
    "quick_report",
    "table_of",
    "warm",
    "without_effects",
]

# Cells of a Parquet file, which packs a few bytes into as many of them as one likes.
_MOST_CELLS = 20_000_000

_tables = Bounded[Hashable, "ScoreTable"](most_bytes=200 * MEGABYTE)
# Several figures are drawn from one of these, and then nobody asks for it any more.
_reports = Bounded[Hashable, "Report"](most_bytes=100 * MEGABYTE, most=4)
_posteriors = Bounded[Hashable, dict[str, Any]](most_bytes=100 * MEGABYTE, most=4)


def warm() -> None:
    """Load what every answer needs, before the first is asked for."""
    import palio.report.analysis
    import palio.report.figures.style
    import palio.report.whole
    import palio.scores.frames  # noqa: F401


def table_of(source: Source) -> ScoreTable:
    """Read a table, or take the one that was read before."""
    found = _tables.get(source.key)
    if found is None:
        found = _read(source)
        _tables.put(source.key, found, size=_size(found))
    return found


def asked_table(asked: Asked) -> ScoreTable:
    """Read the table that is asked about; a cost that is asked for may have any name."""
    table = table_of(asked.source)
    new = [name for name in asked.question.weights or () if name not in table.cost_names]
    if not new or not set(new) <= set(table.score_names):
        return table  # as it is, or to be told what it does not have
    return table_of(replace(asked.source, costs=tuple(new)))


def _read(source: Source) -> ScoreTable:
    path = Path(source.place)
    if path.suffix.lower() == ".parquet":
        _check_parquet(path)
    try:
        return source.reading.read(source.place, source.costs)
    except InputError:
        raise
    except (RecursionError, MemoryError, ValueError, OverflowError) as error:
        raise UnreadableError(
            f"file: '{source.name}' cannot be read as a table ({type(error).__name__})."
        ) from error


def _check_parquet(path: Path) -> None:
    """Refuse a file that would be far larger in memory than it is on disk."""
    try:
        import pyarrow as pa  # type: ignore[import-untyped]
        import pyarrow.parquet as pq  # type: ignore[import-untyped]
    except ImportError:
        return  # reading it will say what to install
    try:
        about = pq.ParquetFile(path).metadata
    except (pa.ArrowException, OSError):
        return  # reading it will say what is wrong
    cells = about.num_rows * about.num_columns
    if cells > _MOST_CELLS:
        raise UnreadableError(
            f"file: '{path.name}' has {cells} cells, and at most {_MOST_CELLS} can be read here; "
            "leave out what is not needed."
        )


def _size(table: ScoreTable) -> int:
    rows = table.rows
    arrays = [
        rows.dataset, rows.algorithm, rows.repeat, rows.fold,
        *rows.scores.values(), *rows.costs.values(), *rows.pair_costs.values(),
    ]  # fmt: skip
    names = sum(map(len, (*rows.datasets, *rows.algorithms)))
    return 4 * names + sum(array.nbytes for array in arrays)


def quick_report(asked: Asked) -> Report:
    """Answer a question, but for the audit and the posterior, which are asked for later."""
    return _kept(asked, ("posterior", "audit"))


def comparison_alone(asked: Asked) -> Report:
    """Compare the algorithms, and do nothing else."""
    return _kept(asked, ("ordering", "posterior", "audit"))


def posterior_summary(asked: Asked) -> dict[str, Any]:
    """Ask the Bayesian model, the analysis of variance unless another is named."""
    from palio.bayes.models import run_model

    found = _posteriors.get(asked.key)
    if found is None:
        question, table = asked.question, comparison_alone(asked).table
        found = run_model(question.model or "anova", table, rope=question.rope).to_dict()
        _posteriors.put(asked.key, found, size=_size(table))
    return found


def _kept(asked: Asked, skip: tuple[str, ...]) -> Report:
    from palio.report.analysis import analyse

    found = _reports.get((skip, asked.key))
    if found is None:
        table = asked_table(asked)
        found = analyse(
            table,
            asked.question,
            source=asked.source.name,
            experiment=_experiment(asked.source),
            skip=skip,
        )
        _reports.put((skip, asked.key), found, size=_size(table))
    return found


def light(report: Report) -> Report:
    """Leave out what the verdict and the order do not need, and takes long to write down.

    That is the order on every data set, its pairs, and effect sizes.
    """
    ordering, comparison = report.ordering, report.comparison
    if ordering is not None:
        first = ordering.first_pass
        none = replace(
            first, datasets=(), mean_scores=first.mean_scores[:0], arrays=first.arrays[:0]
        )
        ordering = replace(ordering, first_pass=none, comparison=None, pairs=())
    if comparison is not None:
        comparison = without_effects(comparison)
    return replace(report, ordering=ordering, comparison=comparison)


def without_effects(comparison: Comparison) -> Comparison:
    """Return the comparison with the differences alone; the other effect sizes take long."""
    if bool(np.isnan(comparison.scores.values).any()):
        return comparison  # pair by pair, each on its own data sets
    found = replace(comparison)
    vars(found)["effects"] = _differences(found)  # where the cached property looks first
    return found


def _differences(comparison: Comparison) -> tuple[Effect, ...]:
    from palio.comparison.effects import Effect

    unknown = math.nan
    means = dict(
        zip(comparison.algorithms, comparison.scores.values.mean(axis=0).tolist(), strict=True)
    )
    return tuple(
        Effect(
            n=comparison.n_datasets,
            wins=0,
            ties=0,
            losses=0,
            difference=means[pair.a] - means[pair.b],
            interval=(unknown, unknown),
            median_difference=unknown,
            rank_biserial=unknown,
            cliffs_delta=unknown,
            vargha_delaney=unknown,
        )
        for pair in comparison.pairs
    )


def full_report(asked: Asked) -> Report:
    """Answer a question with all its parts, as `palio report` does."""
    from palio.report.analysis import analyse

    return analyse(
        asked_table(asked),
        asked.question,
        source=asked.source.name,
        experiment=_experiment(asked.source),
    )


def _experiment(source: Source) -> ExperimentDict | None:
    """Return what a store says of the run."""
    if not source.is_store:
        return None
    from palio.app.experiments import run_facts
    from palio.experiment.store import Store

    with Store(source.place, create=False) as store:
        return run_facts(store, source.reading.name)
