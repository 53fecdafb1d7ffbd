"""A report as one dictionary, from which the page, the text, the JSON and the paper are drawn."""

from __future__ import annotations

import platform
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from palio.comparison.corrections import CORRECTIONS
from palio.comparison.fold_tests import FOLD_TESTS
from palio.comparison.omnibus import OMNIBUS_TESTS
from palio.comparison.pair_tests import PAIR_TESTS
from palio.comparison.rank_tests import POSTHOCS
from palio.ordering.methods import ORDERINGS
from palio.ordering.pareto import dominance
from palio.report.references import REFERENCES, cited
from palio.report.schema import (
    SCHEMA_VERSION,
    FrontDict,
    MeasureDict,
    NotDoneDict,
    OrderDict,
    OrderMethod,
    Part,
    ReferenceDict,
    ReportDict,
    TableDict,
)
from palio.report.summary import plain
from palio.report.verdict import verdict
from palio.scores import ScoreTable
from palio.types import FloatArray

if TYPE_CHECKING:
    from palio.comparison.results import Comparison
    from palio.ordering.result import Ordering
    from palio.report.analysis import Report

__all__ = ["whole"]


def whole(report: Report) -> ReportDict:
    """Return the dictionary of a report: plain data, as `report_schema` describes it."""
    front = _front(report)
    not_done = dict(report.not_done)
    if front is None:
        not_done["front"] = "there is no cost of every algorithm to weigh against the score"
    parts = {
        name: None if result is None else result.to_dict()
        for name, result in (
            ("ordering", report.ordering),
            ("comparison", report.comparison),
            ("posterior", report.posterior),
            ("audit", report.audit),
        )
    }
    found: dict[str, Any] = {
        "kind": "report",
        "schema_version": SCHEMA_VERSION,
        "question": report.question.to_dict(),
        "query": report.question.to_query(),
        "choices": list(report.choices),
        "table": _table(report.table, report.source),
        "order": _order(report, front),
        **parts,
        "front": front,
        "not_done": _not_done(not_done),
        "experiment": plain(report.experiment),
        "versions": _versions(),
        "references": _references(report),
        "notes": _notes(report.table.notes, parts.values()),
    }
    found["verdict"] = verdict(found)
    return cast("ReportDict", plain(found))


def _not_done(reasons: Mapping[str, str]) -> list[NotDoneDict]:
    return [{"part": cast("Part", part), "why": why} for part, why in reasons.items()]


# --- the table -----------------------------------------------------------------------------------


def _measure(table: ScoreTable) -> MeasureDict:
    return {
        "name": table.measure.name,
        "higher_is_better": table.measure.higher_is_better,
    }


def _table(table: ScoreTable, source: str | None) -> TableDict:
    gaps = table.gaps()
    return {
        "source": source,
        "measure": _measure(table),
        "design": str(table.design()),
        "n_datasets": table.n_datasets,
        "n_algorithms": table.n_algorithms,
        "datasets": list(table.datasets),
        "algorithms": list(table.algorithms),
        "costs": list(table.cost_names),
        "missing": {"choice": gaps.choice, "cells": gaps.cells, "of": gaps.of},
        "notes": list(table.notes),
    }


# --- cost against score --------------------------------------------------------------------------


def _front(report: Report) -> FrontDict | None:
    table, preference = report.table, report.preference
    if preference is None or preference.weights is None:
        return None
    costs = _weighed_cost(report)
    scores = np.array(list(table.mean_scores().values()))
    if not (np.isfinite(costs).all() and np.isfinite(scores).all()):
        return None
    behind = dominance(table.measure.turned(scores), costs)
    names = table.algorithms
    return {
        "cost": dict(preference.weights),
        "unit": (
            "mean share of each data set's largest"
            if table.n_datasets > 1 or len(preference.weights) > 1
            else "as measured"
        ),
        "measure": _measure(table),
        "points": [
            {
                "algorithm": name,
                "cost": float(costs[j]),
                "score": float(scores[j]),
                "on_front": not bool(behind[:, j].any()),
                "dominated_by": [names[i] for i in np.flatnonzero(behind[:, j]).tolist()],
            }
            for j, name in enumerate(names)
        ],
    }


def _weighed_cost(report: Report) -> FloatArray:
    """Return what each algorithm costs as the order counts it."""
    if report.preference is None:
        return np.full(report.table.n_algorithms, np.nan)
    if report.table.n_datasets == 1:
        return np.asarray(report.preference.shown(report.table)[0])
    mean: FloatArray = report.preference.values.mean(axis=0)
    return mean


# --- the order -----------------------------------------------------------------------------------


def _order(report: Report, front: FrontDict | None) -> OrderDict:
    table, ordering, comparison = report.table, report.ordering, report.comparison
    method, names, reasons = _places(report)
    scores = table.mean_scores()
    weighed = dict(zip(table.algorithms, _weighed_cost(report).tolist(), strict=True))
    costs = table.mean_costs(of_all=True)
    prior = {name: i for i, name in enumerate(ordering.prior, start=1)} if ordering else {}
    on_front = {p["algorithm"]: p["on_front"] for p in front["points"]} if front else {}
    weights = _weights(report)
    beats, beaten_by, level_with = _verdicts(comparison)
    overrides, waits_for = _edges(ordering)
    return {
        "method": method,
        "cost": weights,
        "rows": [
            {
                "place": place,
                "algorithm": name,
                "mean_score": scores[name],
                "mean_rank": None if comparison is None else comparison.mean_ranks[name],
                "cost": None if weights is None else weighed[name],
                "costs": {cost: means[name] for cost, means in costs.items()},
                "prior_place": prior.get(name),
                "on_front": on_front.get(name),
                "reason": reasons[name],
                "overrides": overrides.get(name, []),
                "waits_for": waits_for.get(name, []),
                "beats": beats.get(name),
                "beaten_by": beaten_by.get(name),
                "level_with": level_with.get(name),
            }
            for place, name in enumerate(names, start=1)
        ],
    }


def _weights(report: Report) -> dict[str, float] | None:
    """Return the costs that the order went by, if it did."""
    weights = None if report.ordering is None else report.ordering.cost
    return None if weights is None else dict(weights)


def _places(report: Report) -> tuple[OrderMethod, Sequence[str], Mapping[str, str]]:
    """Return how the order was made, the algorithms best first, and the reason of each place."""
    if report.ordering is not None:
        ordering = report.ordering
        reasons = {step.taken: step.reason for step in ordering.steps}
        return cast("OrderMethod", ordering.method), ordering.order, reasons
    table = report.table
    if report.comparison is not None:
        ranks = report.comparison.mean_ranks
        names = sorted(table.algorithms, key=lambda name: (ranks[name], name))
        return "mean-ranks", names, dict.fromkeys(names, "by its mean rank")
    scores = table.mean_scores()
    sign = -1 if table.measure.higher_is_better else 1
    names = sorted(table.algorithms, key=lambda name: (sign * scores[name], name))
    return "mean-scores", names, dict.fromkeys(names, "by its mean score")


Named = dict[str, list[str]]


def _edges(ordering: Ordering | None) -> tuple[Named, Named]:
    """Return whom each stands before although it costs more, and who stands so before it."""
    overrides: Named = defaultdict(list)
    waits_for: Named = defaultdict(list)
    for cheaper, better in () if ordering is None else ordering.edges:
        overrides[better].append(cheaper)
        waits_for[cheaper].append(better)
    return overrides, waits_for


def _verdicts(comparison: Comparison | None) -> tuple[Named, Named, Named]:
    """Return whom each beats, who beats it, and who is level with it; nothing if not compared."""
    names = () if comparison is None else comparison.algorithms
    beats: Named = {name: [] for name in names}
    beaten_by: Named = {name: [] for name in names}
    level_with: Named = {name: [] for name in names}
    for pair in () if comparison is None else comparison.pairs:
        for one, other in ((pair.a, pair.b), (pair.b, pair.a)):
            side = {None: level_with, one: beats, other: beaten_by}[pair.winner]
            side[one].append(other)
    return beats, beaten_by, level_with


# --- how it was found ----------------------------------------------------------------------------


def _versions() -> dict[str, str]:
    from importlib.metadata import version

    import scipy

    return {
        "palio": version("palio"),
        "python": platform.python_version(),
        "numpy": np.__version__,
        "scipy": scipy.__version__,
    }


def _cited(report: Report) -> dict[str, str]:
    """Return the methods that were used, and what each cites in short."""
    used: dict[str, str] = {}
    ordering, comparison, posterior = report.ordering, report.comparison, report.posterior
    if ordering is not None:
        used |= _of_ordering(ordering)
    if comparison is not None:
        test, correction = PAIR_TESTS[comparison.method], CORRECTIONS[comparison.correction]
        omnibus = OMNIBUS_TESTS[comparison.omnibus.method]
        used |= {entry.title: entry.reference for entry in (test, correction, omnibus)}
    if posterior is not None:
        used[posterior.title] = posterior.reference
    if report.audit is not None:
        used["audit"] = "benavoli2016"
    return used


_ORDERINGS_CITE = {"multitest": "yildiz2006", "multi2test": "ulas2008"}


def _of_ordering(ordering: Ordering) -> dict[str, str]:
    test, correction = FOLD_TESTS[ordering.test], CORRECTIONS[ordering.correction]
    used = {
        ORDERINGS[ordering.method].title: _ORDERINGS_CITE[ordering.method],
        test.title: test.reference,
        correction.title: correction.reference,
    }
    if ordering.posthoc is not None:
        used[POSTHOCS[ordering.posthoc].title] = POSTHOCS[ordering.posthoc].reference
    return used


def _references(report: Report) -> list[ReferenceDict]:
    used = _cited(report)
    works = {
        short: [method for method, said in used.items() if short in cited([said])]
        for short in cited(used.values())
    }
    return [
        {"short": short, "full": REFERENCES[short], "methods": methods}
        for short, methods in works.items()
    ]


def _notes(table_notes: Iterable[str], parts: Iterable[dict[str, Any] | None]) -> list[str]:
    """Return the notes of all parts, each once; those of the table stand first."""
    notes = [*table_notes]
    for part in parts:
        notes += part["notes"] if part else []
    return list(dict.fromkeys(notes))
