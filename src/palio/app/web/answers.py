"""Answers as the page wants them: plain data in which every number is written already."""

from __future__ import annotations

import json
import pickle
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from palio.app.web.gaps import as_it_is, gaps
from palio.app.web.panels import panels, too_many
from palio.app.web.tables import Asked, TableSource
from palio.app.web.worker import MOST_BY_PAIR, quick_report, table_of
from palio.results import plain
from palio.scores.missing import USUAL
from palio.words import on_page

if TYPE_CHECKING:
    from palio.bayes.models import Model
    from palio.claims import Answer
    from palio.comparison.audit import Audit
    from palio.comparison.pair_tests import PairTest
    from palio.report.analysis import Report
    from palio.report.sections.answers import Link
    from palio.report.sections.parts import Draft
    from palio.scores import ItemScores, ScoreTable


# Verdicts on more pairs are not sent one by one.
MOST_PAIRS = 20_000


def encode(content: object) -> bytes:
    """Write JSON, small and strict."""
    written = _in_words_of_a_page(plain(content))
    text = json.dumps(written, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    # A name may hold half a surrogate pair, which no UTF-8 has.
    return text.encode("utf-8", errors="replace")


def _in_words_of_a_page(value: Any) -> Any:
    if isinstance(value, str):
        return on_page(value)
    if isinstance(value, dict):
        return {key: _in_words_of_a_page(item) for key, item in value.items()}
    # Of many thousand pairs each is a list of numbers.
    if isinstance(value, list) and not (value and isinstance(value[0], int)):
        return [_in_words_of_a_page(item) for item in value]
    return value


# --- what there is to choose from ----------------------------------------------------------------


def methods() -> dict[str, Any]:
    """Return the methods that a question can name."""
    from palio.bayes.models import MODELS
    from palio.comparison.corrections import CORRECTIONS
    from palio.comparison.fold_tests import FOLD_TESTS
    from palio.comparison.item_tests import ITEM_TESTS, usual_item_test
    from palio.comparison.pair_tests import PAIR_TESTS
    from palio.comparison.rank_tests import POSTHOCS
    from palio.ordering.methods import ORDERINGS
    from palio.scores.items import ENOUGH_DATASETS

    return {
        "tests": [
            {**each, "group": _advice(PAIR_TESTS[each["name"]])} for each in _titled(PAIR_TESTS)
        ],
        "fold_tests": _titled(FOLD_TESTS),
        "known_corrections": [
            {
                **each,
                "group": _PROMISES[CORRECTIONS[each["name"]].controls],
                "most_algorithms": CORRECTIONS[each["name"]].most_algorithms,
                "most_pairs": CORRECTIONS[each["name"]].most_tests,
            }
            for each in _titled(CORRECTIONS)
        ],
        "corrections": {
            test: {
                "all": _fitting(CORRECTIONS, test, None),
                "control": _fitting(CORRECTIONS, test, "one"),
            }
            for test in PAIR_TESTS
        },
        "item_tests": sorted(
            _titled(ITEM_TESTS), key=lambda entry: entry["name"] != usual_item_test(clustered=False)
        ),
        # What no test over data sets has to come with may come with any over items.
        "item_corrections": {
            "all": _fitting(CORRECTIONS, "sign", None),
            "control": _fitting(CORRECTIONS, "sign", "one"),
        },
        "enough_datasets": ENOUGH_DATASETS,
        "orders": _titled(ORDERINGS),
        "posthocs": _titled(POSTHOCS),
        "models": [
            {
                "name": name,
                "title": _with_needs(model),
                "for_one": model.one_dataset or model.on_items,
                "for_many": not model.one_dataset,
            }
            for name, model in MODELS.items()
        ],
    }


def _with_needs(model: Model) -> str:
    """Say what a model is called, and what it is asked about."""
    if model.one_dataset:
        return f"{model.title}, on the folds of one data set"
    if model.pair_by_pair:
        return f"{model.title}, on folds, of at most {MOST_BY_PAIR} algorithms here"
    return model.title


# What a correction holds below the level, as people would ask for it.
_PROMISES = {
    "fwer": "Hold the chance of any false finding",
    "transitive": "Hold that chance with tests of means or mean ranks alone",
    "fdr": "Hold the share of false findings",
    "weak": "Hold neither where some differ",
    "nothing": "Hold neither where some differ",
}


def _advice(entry: PairTest) -> str:
    return "Recommended" if entry.recommended else "In use"


def _titled(registry: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [
        {"name": name, "title": f"{entry.title[:1].upper()}{entry.title[1:]}"}
        for name, entry in registry.items()
    ]


def _fitting(corrections: Mapping[str, Any], test: str, control: str | None) -> list[str]:
    from palio.comparison.procedure import Procedure
    from palio.errors import InputError

    found = []
    for name in corrections:
        try:
            Procedure.asked(test, name, 0.05, control)
        except InputError:
            continue
        found.append(name)
    return found


def _has_items_for(model: Model, items: ItemScores | None) -> bool:
    return items is not None and (items.is_binary or not model.binary)


def describe(source: TableSource) -> bytes:
    """Say what a table holds: what can be asked of it."""
    from palio.bayes.models import MODELS
    from palio.comparison.fold_tests import tests_for
    from palio.comparison.over_datasets import usual_test
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
                if (not model.on_folds or all(each.repeats * each.folds > 1 for each in designs))
                and (not model.on_items or _has_items_for(model, table.items))
            ],
            "has_items": table.items is not None and not table.measure.is_ordinal,
            "usual_test": usual_test(table.measure),
            "chosen": {**source.chosen, **_resolved(source, table)},
            # What Palio keeps has columns of its own.
            "has_preview": table.how_read.spec is not None,
            "gaps": gaps(source, table, _whole(source, table)),
            "notes": table.notes,
        }
    )


def _resolved(source: TableSource, table: ScoreTable) -> dict[str, list[str]]:
    """Return what the command line chose by patterns or other spellings, as the table has it."""
    found = {
        "score": [table.measure.name],
        "algorithms": list(table.algorithms),
        "datasets": list(table.datasets),
    }
    return {name: found[name] for name in source.chosen if name in found}


def _whole(source: TableSource, table: ScoreTable) -> ScoreTable:
    """Return the table with all that is missing in it; mostly that is the table itself."""
    if source.reading.missing == USUAL and not table.left_out:
        return table
    return table_of(as_it_is(source))


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
    from palio.ordering.methods import rule_of
    from palio.report.names import shown_in, with_names
    from palio.report.sections import answers as pieces
    from palio.report.sections.parts import prepare

    report = quick_report(asked)
    draft = prepare(report)
    shown = shown_in(report.table)

    return encode(
        {
            "table": asked.source.id,
            "query": report.query,
            "verdict": with_names(_verdict(report.claims), shown),
            "tiles": pieces.verdict(draft, offers=True),
            "board": pieces.leaderboard(draft, _row_button(draft)),
            "best": report.leader,
            "algorithms": report.table.algorithms,
            "pairs": _pairs(report),
            "different": 0 if report.comparison is None else report.comparison.n_different,
            "order": {
                "how": rule_of(report.ordering),
                "reasons": with_names(_reasons(report), shown),
                "rows": [
                    {"place": row.place, "algorithm": row.algorithm} for row in report.order.rows
                ],
            },
            "panels": with_names(panels(report), shown),
            "choices": with_names(report.choices, shown),
            "not_done": with_names(_not_done(report), shown),
            "notes": with_names(report.notes, shown),
            "references": [each.full for each in report.references],
        }
    )


def _row_button(draft: Draft) -> Link:
    """Return what a row is looked at by."""
    from palio.report.elements import breakable, tag

    return lambda name: tag(
        "button",
        breakable(name),
        type="button",
        class_="algorithm",
        aria_expanded="false",
        title=draft.full.get(name),
        data_key=f"row {name}",
    )


def _not_done(report: Report) -> list[str]:
    """Say what the page does without; the posterior and the audit have panels of their own."""
    n = report.table.n_algorithms
    return [
        *(
            f"{each.part}: {each.why}"
            for each in report.not_done
            if each.part not in ("posterior", "audit")
        ),
        *([f"figures: matrices and graphs of {n} algorithms cannot be read"] * too_many(n)),
    ]


def _verdict(answer: Answer) -> dict[str, Any]:
    """Return the headline, and the claims."""
    return {"headline": answer.headline.removesuffix("."), "claims": answer}


def _reasons(report: Report) -> list[tuple[str, str]]:
    """Say why each stands where it does; neighbours with one reason share a line."""
    from palio.report.views.orderings import reasons

    return list(reasons(report.ordering.steps))


def focus(asked: Asked) -> bytes:
    """Return what there is to say of one algorithm: why it stands there, and beside whom."""
    from palio.errors import ParameterError
    from palio.registry import unknown_name
    from palio.report.elements import joined
    from palio.report.sections import answers as pieces
    from palio.report.sections.parts import blocks_html, prepare
    from palio.report.views.reports import focus_said

    name = asked.question.focus
    if name is None:
        raise ParameterError("focus", "name the algorithm that is meant")
    report = quick_report(asked)
    if name not in report.ordering.order:
        raise unknown_name("focus", name, report.ordering.order)
    draft = prepare(report if report.comparison is None else report.focused(name))
    row = draft.report.order.rows[report.ordering.order.index(name)]
    # Whom it beats is told by name below.
    said = focus_said(draft.report)[:1] + focus_said(draft.report)[2:]
    return encode(
        {"algorithm": name, "html": joined([pieces.detail(draft, row), blocks_html(said)])}
    )


def _pairs(report: Report) -> list[list[object]]:
    """Return for each pair two numbers of algorithms, whether they differ, and who is better.

    None of very many: only how many differ is told then.
    """
    if report.comparison is None or len(report.comparison.pairs) > MOST_PAIRS:
        return []
    number = {name: i for i, name in enumerate(report.table.algorithms)}
    return [
        [number[pair.a], number[pair.b], pair.significant, number.get(pair.better or "")]
        for pair in report.comparison.pairs
    ]


def facts(asked: Asked, also: Sequence[str] = ()) -> bytes:
    """Return what the page says of whom it is pointed at; of many, only pairs with some."""
    from palio.report.facts import facts_of
    from palio.report.sections import prepare

    report = quick_report(asked)
    draft = prepare(report)
    shown = dict(zip(report.table.algorithms, draft.algorithms, strict=True))
    return encode(facts_of(draft, [shown[name] for name in also if name in shown]))


def pools(asked: Asked) -> bytes:
    """Return who differs by mean ranks in this pool, and what one algorithm changes."""
    from palio.comparison.pools import pool_verdict
    from palio.report.analysis import chosen_table
    from palio.report.names import shown_in, with_names
    from palio.report.sections.evidence import pools_html

    question = asked.question
    table = table_of(asked.source)
    chosen = chosen_table(table, question)  # or it says which name is not known
    if question.score not in (None, table.measure.name):
        table = table.with_score(question.score, question.higher_is_better)
    if question.datasets is not None:
        table = table.select(question.datasets)
    found = pool_verdict(table, question.algorithms, alpha=question.alpha)
    shown = shown_in(table)
    numbers = {shown.get(name, name): i for i, name in enumerate(chosen.algorithms)}
    piece = pools_html(with_names(found, shown), numbers)
    return encode({**plain(found), "html": piece})


# --- what takes longer ---------------------------------------------------------------------------


def audit(asked: Asked) -> bytes:
    """Return which verdicts would change, and why, as a piece of the page."""
    from palio.comparison.audit import audit as audit_table
    from palio.report.analysis import QUICK_CHECKS, test_over
    from palio.report.sections.evidence import audit_html
    from palio.report.sections.parts import prepare

    question, report = asked.question, quick_report(asked)
    table, judged = report.table, report.ordering.judged
    items = judged is not None and judged.over == "items"
    found = audit_table(
        table,
        over="items" if items else "datasets",
        test=question.item_test if items else test_over(table, question),
        correction=question.correction,
        alpha=question.alpha,
        only=QUICK_CHECKS if question.checks is None else question.checks,
        progress=False,
    )
    draft = prepare(replace(report, audit=found))
    said = cast("Audit", draft.report.audit)
    return encode({"html": audit_html(said, draft.numbers), "headline": said.claims.headline})


def posterior(asked: Asked, pickled: bytes) -> bytes:
    """Return what the Bayesian model has said, as a piece of the page."""
    from palio.bayes.claims import posterior_claim
    from palio.report.analysis import chosen_table
    from palio.report.elements import joined
    from palio.report.names import shown_in, with_names
    from palio.report.sections.evidence import posterior_html
    from palio.report.sections.parts import paragraph

    table = chosen_table(table_of(asked.source), asked.question)
    found = with_names(pickle.loads(pickled), shown_in(table))
    return encode({"html": joined([paragraph(posterior_claim(found).text), posterior_html(found)])})
