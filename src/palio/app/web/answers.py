"""Answers as the page wants them: plain data in which every number is written already."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from functools import singledispatch
from typing import TYPE_CHECKING, Any

from palio.app.web.desk import (
    MOST_BY_PAIR,
    comparison_alone,
    light,
    quick_report,
    table_of,
)
from palio.app.web.panels import panels, too_many
from palio.app.web.sources import Asked, Source
from palio.report.blocks import Block, Items, Paragraph, Table, Title

if TYPE_CHECKING:
    from palio.bayes.models import Model
    from palio.scores import ScoreTable

__all__ = ["answer", "audit", "blocks_json", "describe", "encode", "methods", "posterior"]

Summary = Mapping[str, Any]


def encode(content: object) -> bytes:
    """Write JSON, small and strict."""
    from palio.report.summary import plain

    text = json.dumps(plain(content), ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    # A name may hold half a surrogate pair, which no UTF-8 has.
    return text.encode("utf-8", errors="replace")


# --- what there is to choose from ----------------------------------------------------------------


def methods() -> dict[str, Any]:
    """Return the methods that a question can name."""
    from palio.bayes.models import MODELS
    from palio.comparison.corrections import CORRECTIONS
    from palio.comparison.pair_tests import PAIR_TESTS
    from palio.comparison.rank_tests import POSTHOCS

    return {
        "tests": _titled(PAIR_TESTS),
        "corrections": {
            test: {
                "all": _fitting(CORRECTIONS, test, None),
                "control": _fitting(CORRECTIONS, test, "one"),
            }
            for test in PAIR_TESTS
        },
        "posthocs": _titled(POSTHOCS),
        "models": [{"name": name, "title": _with_needs(model)} for name, model in MODELS.items()],
    }


def _with_needs(model: Model) -> str:
    """Say what a model is called, and what it is asked about."""
    if model.one_dataset:
        return f"{model.title}, on the folds of one data set"
    if model.pair_by_pair:
        return f"{model.title}, on folds, of at most {MOST_BY_PAIR} algorithms here"
    return model.title


def _titled(registry: Mapping[str, Any]) -> list[dict[str, str]]:
    return [{"name": name, "title": entry.title} for name, entry in registry.items()]


def _fitting(corrections: Mapping[str, Any], test: str, control: str | None) -> list[str]:
    from palio.errors import InputError

    found = []
    for name, correction in corrections.items():
        try:
            correction.check(test=test, control=control)
        except InputError:
            continue
        found.append(name)
    return found


def describe(source: Source) -> bytes:
    """Say what a table holds: what can be asked of it."""
    from palio.bayes.models import MODELS
    from palio.comparison.fold_tests import tests_for
    from palio.measures import is_known_score
    from palio.words import count

    table = table_of(source)
    designs = {table.design(name) for name in table.datasets}
    fitting = [set(tests_for(each)) for each in designs]
    return encode(
        {
            "id": source.id,
            "name": source.name,
            "is_store": source.is_store,
            "version": source.version,
            "sentence": (
                f"{count(table.n_algorithms, 'algorithm')} on "
                f"{count(table.n_datasets, 'data set')}, {table.design()}"
            ),
            "algorithms": table.algorithms,
            "datasets": table.datasets,
            "scores": table.score_names,
            "costs": table.cost_names,
            # What nobody would call a score may be meant as a cost.
            "others": [
                name
                for name in table.score_names
                if name != table.measure.name and not is_known_score(name)
            ],
            "measure": {"name": table.measure.name, "direction": table.measure.direction},
            "direction_known": _is_well_known(table),
            "fold_tests": [
                name for name in tests_for(next(iter(designs))) if all(name in f for f in fitting)
            ],
            "models": [
                name
                for name, model in MODELS.items()
                if not model.on_folds or all(each.repeats * each.folds > 1 for each in designs)
            ],
            "notes": table.notes,
        }
    )


def _is_well_known(table: ScoreTable) -> bool:
    """Say whether the name of the score tells its direction."""
    from palio.errors import ParameterError
    from palio.measures import measure_named

    try:
        return measure_named(table.measure.name) == table.measure
    except ParameterError:
        return False


# --- the answer ----------------------------------------------------------------------------------


def answer(asked: Asked) -> bytes:
    """Return the verdict, the order with its reasons, and who differs from whom."""
    from palio.report.names import shown_names, with_names
    from palio.report.views.reports import order_table

    summary = light(quick_report(asked)).to_dict()
    names = summary["table"]["algorithms"]
    shown = shown_names([*names, *summary["table"]["datasets"]])
    table = order_table(summary)

    def short(sentence: str) -> str:
        said: str = with_names(sentence, shown)
        return said

    return encode(
        {
            "table": asked.source.id,
            "query": summary["query"],
            "verdict": with_names(_verdict(summary["verdict"]), shown),
            "algorithms": names,
            "pairs": _pairs(summary["comparison"], names),
            "order": {
                "how": table.title,
                **_columns(table),
                "reasons": with_names(_reasons(summary["ordering"]), shown),
                "rows": [
                    _row(row, cells, short)
                    for row, cells in zip(summary["order"]["rows"], table.rows, strict=True)
                ],
            },
            "panels": with_names(panels(summary, asked.question), shown),
            "choices": [short(each) for each in summary["choices"]],
            "not_done": [short(each) for each in _not_done(summary)],
            "notes": [short(each) for each in summary["notes"]],
            "references": [each["full"] for each in summary["references"]],
        }
    )


def _not_done(summary: Summary) -> list[str]:
    """Say what the page does without; the posterior and the audit have panels of their own."""
    n = summary["table"]["n_algorithms"]
    return [
        *(
            f"{each['part']}: {each['why']}"
            for each in summary["not_done"]
            if each["part"] not in ("posterior", "audit")
        ),
        *([f"figures: matrices and graphs of {n} algorithms cannot be read"] * too_many(n)),
    ]


def _verdict(verdict: Summary) -> dict[str, Any]:
    """Return the headline and the statements, of which the first does not repeat it."""
    headline = verdict["headline"]
    statements = []
    for each in verdict["statements"]:
        claim = each["claim"].removeprefix(f"{headline}: ")
        statements.append({"claim": claim[:1].upper() + claim[1:], "certainty": each["certainty"]})
    return {"headline": headline, "statements": statements}


def _reasons(ordering: Summary | None) -> list[list[str]]:
    """Say why each stands where it does; neighbours with one reason share a line."""
    from palio.report.views.orderings import reasons

    return [] if ordering is None else [list(each) for each in reasons(ordering["steps"])]


def _row(row: Summary, cells: Sequence[str], short: Any) -> dict[str, Any]:
    from palio.report.numbers import number

    said = ("overrides", "waits_for", "beats", "beaten_by", "level_with")
    return {
        "place": row["place"],
        "algorithm": row["algorithm"],
        "cells": cells[2:],
        "reason": short(row["reason"]),
        "costs": [[name, number(value)] for name, value in row["costs"].items()],
        **{key: row[key] or [] for key in said},
    }


def _pairs(comparison: Summary | None, names: Sequence[str]) -> list[list[object]]:
    """Return for each pair two numbers of algorithms, whether they differ, and who is better."""
    if comparison is None:
        return []
    number = {name: i for i, name in enumerate(names)}
    return [
        [number[p["a"]], number[p["b"]], p["significant"], number.get(p["better"])]
        for p in comparison["pairs"]
    ]


# --- what takes longer ---------------------------------------------------------------------------


def audit(asked: Asked) -> bytes:
    """Return which verdicts would change, and why, as blocks."""
    from palio.comparison.audit import audit as audit_table
    from palio.report.analysis import QUICK_CHECKS

    question, table = asked.question, comparison_alone(asked).table
    found = audit_table(
        table,
        test=question.test,
        correction=question.correction,
        alpha=question.alpha,
        only=QUICK_CHECKS if question.checks is None else question.checks,
    )
    return _viewed(table, found.to_dict())


def posterior(asked: Asked, found: bytes) -> bytes:
    """Return what the Bayesian model has said, as blocks."""
    from palio.report.analysis import chosen_table

    return _viewed(chosen_table(table_of(asked.source), asked.question), json.loads(found))


def _viewed(table: ScoreTable, summary: Summary) -> bytes:
    from palio.report.names import shown_names, with_names
    from palio.report.views import view

    shown = shown_names([*table.algorithms, *table.datasets])
    return encode({"blocks": blocks_json(view(with_names(summary, shown)))})


def blocks_json(blocks: Iterable[Block]) -> list[dict[str, Any]]:
    """Write blocks as plain data, each with its kind."""
    return [_block(block) for block in blocks]


@singledispatch
def _block(block: object) -> dict[str, Any]:
    raise TypeError(f"no JSON for {block!r}")


@_block.register
def _(block: Title) -> dict[str, Any]:
    return {"kind": "title", "text": block.text}


@_block.register
def _(block: Paragraph) -> dict[str, Any]:
    return {"kind": "paragraph", "text": block.text}


@_block.register
def _(block: Table) -> dict[str, Any]:
    return {"kind": "table", "title": block.title, "rows": block.rows, **_columns(block)}


@_block.register
def _(block: Items) -> dict[str, Any]:
    return {"kind": "items", "title": block.title, "items": block.items, "quiet": block.quiet}


def _columns(table: Table) -> dict[str, Any]:
    return {"columns": [{"name": c.name, "numeric": c.numeric} for c in table.columns]}
