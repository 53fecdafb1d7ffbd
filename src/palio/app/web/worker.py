"""What a worker process keeps: the tables it has read and the reports it has made.

Everything here runs in a worker process (see `state`), which handles one thing at a time.
"""

from __future__ import annotations

import gc
import pickle
import warnings
from collections.abc import Hashable
from dataclasses import replace
from typing import TYPE_CHECKING

from palio.app.web import shared
from palio.app.web.cache import Bounded
from palio.app.web.settings import MEGABYTE
from palio.app.web.tables import Asked, TableSource
from palio.bars import unwatched
from palio.errors import (
    InputError,
    LeftOutWarning,
    MissingCellsError,
    Option,
    ParameterError,
    UnreadableError,
)
from palio.report.question import Question
from palio.scores.missing import USUAL
from palio.words import count

if TYPE_CHECKING:
    from palio.experiment.status import RunFacts
    from palio.report.analysis import Report
    from palio.scores import ScoreTable

_tables = Bounded[Hashable, "ScoreTable"](most_bytes=200 * MEGABYTE)
# Several figures are drawn from one of these, and then nobody asks for it any more.
_reports = Bounded[Hashable, "Report"](most_bytes=100 * MEGABYTE, most=4)

# Algorithms of a model that samples pair by pair, two seconds each: half a minute together.
MOST_BY_PAIR = 6

# What a posterior depends on: another level or cost leaves it as it is.
_OF_POSTERIOR = (
    "score", "higher_is_better", "over", "test_fraction", "model", "rope", "algorithms", "datasets",
)  # fmt: skip


def warm() -> None:
    """Load what every answer needs, before the first is asked for."""
    import palio.report.analysis
    import palio.report.figures.style
    import palio.report.methods
    import palio.scores.sources  # noqa: F401

    # All that is there to stay: the collector need not go through it at every answer.
    gc.freeze()


def table_of(source: TableSource) -> ScoreTable:
    """Read a table, or take the one that was read before."""
    found = _tables.get(source.key)
    if found is None:
        found = _read_once(source)
        _tables.put(source.key, found, size=_size(found))
    return found


def _read_once(source: TableSource) -> ScoreTable:
    """Take a table as another process has read it, or read it for all."""
    key = ("read", *source.key)
    content = shared.ask(key)
    if content is not None:
        found: ScoreTable = shared.unpacked(content, {})
        return found
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LeftOutWarning)  # the page says who is left out
        read = _read(source)
    shared.keep(key, lambda: shared.packed(read, {}))
    return read


def asked_table(asked: Asked) -> ScoreTable:
    """Read the table that is asked about; a cost that is asked for may have any name."""
    table = table_of(asked.source)
    new = [name for name in asked.question.weights or () if name not in table.cost_names]
    if not new or not set(new) <= set(table.score_names):
        return table  # as it is, or to be told what it does not have
    return table_of(replace(asked.source, costs=tuple(new)))


def _read(source: TableSource) -> ScoreTable:
    try:
        table = source.reading.read(source.place, source.costs, linked=dict(source.linked))
        return so_far(table, source) if source.complete else table
    except InputError:
        raise
    except (RecursionError, ValueError, OverflowError) as error:
        raise UnreadableError(
            "file", f"'{source.name}' cannot be read as a table ({type(error).__name__})"
        ) from error


def so_far(table: ScoreTable, source: TableSource) -> ScoreTable:
    """Return the part of an experiment's table that no job is left of."""
    from palio.experiment.store.store import Store

    with Store(source.place, create=False) as store:
        jobs = store.jobs(source.reading.plan)
    datasets = set(table.datasets)
    left = {job["dataset"] for job in jobs if job["status"] is None} & datasets
    if not left:
        return table
    complete = [name for name in table.datasets if name not in left]
    if not complete:
        ended = sum(job["status"] is not None for job in jobs)
        raise MissingCellsError(
            "missing",
            "no data set is complete yet",
            f"{ended} of {len(jobs)} jobs have ended",
            f"wait, or take what there is: {Option('missing', USUAL)}",
        )
    said = (
        f"So far: {len(complete)} of {count(len(datasets), 'data set')} are complete, and only "
        "these count."
    )
    return replace(table.select(complete), notes=(*table.notes, said))


def _size(table: ScoreTable) -> int:
    rows = table.rows
    arrays = [
        rows.dataset, rows.algorithm, rows.repeat, rows.fold,
        *rows.scores.values(), *rows.costs.values(),
    ]  # fmt: skip
    names = sum(map(len, (*rows.datasets, *rows.algorithms)))
    return 4 * names + sum(array.nbytes for array in arrays)


def quick_report(asked: Asked) -> Report:
    """Answer a question, but for the audit and the posterior, which are asked for later.

    Who is in focus changes no answer, and is asked for apart.
    """
    asked = replace(asked, question=replace(asked.question, focus=None, top=None))
    found = _reports.get(asked.key)
    if found is None:
        found = _analysed_once(asked)
        _reports.put(asked.key, found, size=_size(found.table))
    return found


def _analysed_once(asked: Asked) -> Report:
    """Take a report as another process has made it, or make it for all.

    It is handed over without its table, which every process has, or can have.
    """
    key = ("analysed", *asked.key)
    content = shared.ask(key)
    if content is not None:
        found: Report = shared.unpacked(content, _parts(_chosen(asked)))
        return found
    made = _analysed(asked, ("posterior", "audit"))
    shared.keep(key, lambda: shared.packed(made, _parts(made.table)))
    return made


def _parts(table: ScoreTable) -> dict[str, object]:
    """Return what a report is made of that every process has; functions cannot be handed over."""
    from palio.comparison.corrections import CORRECTIONS
    from palio.comparison.fold_tests import FOLD_TESTS

    methods: dict[str, object] = {
        f"{registry.kind} {name}": method
        for registry in (FOLD_TESTS, CORRECTIONS)
        for name, method in registry.items()
    }
    return {**methods, "table": table, "items": table.items}


def _chosen(asked: Asked) -> ScoreTable:
    """Return the table that the question is about."""
    from palio.report.analysis import chosen_table

    return chosen_table(asked_table(asked), asked.question)


def posterior_question(asked: Asked) -> Asked:
    """Return the part of a question that the posterior depends on."""
    kept = {name: getattr(asked.question, name) for name in _OF_POSTERIOR}
    return replace(asked, question=Question(**kept))


def pickled_posterior(asked: Asked) -> bytes:
    """Ask the Bayesian model, and hand over what it says: several panels show it."""
    from palio.report.analysis import chosen_table, posterior_of

    question = asked.question
    table = chosen_table(table_of(asked.source), question)
    _check_pairs(table, question)
    with unwatched():
        return pickle.dumps(posterior_of(table, question).answer())


def _check_pairs(table: ScoreTable, question: Question) -> None:
    """Refuse what nobody would wait for on a page."""
    from palio.bayes.models import MODELS

    k, model = table.n_algorithms, question.asked_model
    if model is not None and MODELS[model].pair_by_pair and k > MOST_BY_PAIR:
        raise ParameterError(
            "model",
            f"'{model}' takes about two seconds for each pair",
            f"{k} algorithms have {k * (k - 1) // 2}",
            f"choose at most {MOST_BY_PAIR} algorithms here",
        )


def full_report(asked: Asked) -> Report:
    """Answer a question with all its parts, as `palio report` does."""
    _check_pairs(_chosen(asked), asked.question)
    return _analysed(asked, ())


def _analysed(asked: Asked, skip: tuple[str, ...]) -> Report:
    from palio.report.analysis import analyse

    return analyse(
        asked_table(asked),
        asked.question,
        source=asked.source.name,
        experiment=_experiment(asked.source),
        skip=skip,
        progress=False,
    )


def _experiment(source: TableSource) -> RunFacts | None:
    """Return what a store says of the run."""
    if not source.is_store:
        return None
    from palio.experiment.status import run_facts
    from palio.experiment.store.store import Store

    with Store(source.place, create=False) as store:
        return run_facts(store, source.reading.plan)
