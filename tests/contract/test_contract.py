"""The JSON of every verb, and how it fails, stays what it was; new keys may come.

What was meant to change is named here, with the reason.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import palio
from tests.contract.commands import (
    ANSWERS,
    COMMANDS,
    ERRORS,
    EXPERIMENT,
    MISTAKES,
    answer,
    asked,
    folder_of_tables,
    mistake,
)
from tests.shared import shared_file

_POOLS = "the audit judges pools by Nemenyi's critical difference, as the page beside it does"

# Parts of answers that say another thing than they did, and why. A part is a path in the JSON.
_BY_SCORE = "by score, as compare has them; what stood here is mean_places now"
_RECOMMENDED = "doubt is counted from conventions that we recommend; the others are checks[-1]"
_COPIES = "neighbours by rank are not called near-copies"
_BY_PAIRS = "one data set is left out of those that a pair has, not of those that all have"
_USUAL = "nobody gave this region: it is the usual one of a probability to win"
_LEFT = "a reason is about those left, by place in Multi²Test, and in the words of the preference"
_NO_SETS = "a note says why a comparison has no rank sets"
_NOT_TRANSITIVE = "Shaffer's correction promises nothing of sign tests, so there are no rank sets"
_ASKED = "the paper's method and its cost are asked for by name now"
_ALWAYS = "there is an order on every table, by the pairs of the comparison"
_ON_FOLDS = "on one data set the algorithms are compared by its folds"
_CITED = "a report gives rank sets, and cites where they come from"
_UNITS = "intervals of strengths take data sets as independent, not games, and a note says so"
_AT_REST = "strengths are found to more digits, where ratings are a hundred times as large"
_GAPS = (
    "ranks and the test of all together are of the data sets that each has, not of those that all "
    "have; what is missing has a sentence of its own"
)
_ANSWERS = "the default answers where scores are missing"
_ONCE = "what is missing has a sentence of its own, and the note does not repeat it"
_OVER_GAPS = ("mean_ranks.", "omnibus.", "kendall_w", "notes", "verdict.sure")
_CLAIMS = "an answer is made of claims, which stand beside it; sentences are rendered from these"
_INTERVALS = "an interval is that of the pair's own test, at the level at which it was decided"
_ADJUSTED = "mean scores allow for the data sets that an algorithm lacks"
_COSTS = "costs are geometric means, in their own unit, and the order goes by their logarithms"
_BY_MEAN = "on one data set algorithms stand by their mean score"
_PLAIN = "the next questions are in plainer words"
_ROWS, _COMPARED = range(9), ("mean_rank", "beats", "beaten_by", "level_with")


def _with_gaps(name: str) -> dict[str, str]:
    """Return what is said otherwise of a table with missing scores, and why."""
    found = {"table.missing.choice": _ANSWERS, "table.notes[0]": _ONCE}
    if name == "bayes-wide-bradley-terry":
        found["notes[0]"] = _ONCE
    if name in ("compare-wide-pairwise", "order-wide-pairwise", "audit-wide", "report-wide"):
        for whose in ("", "comparison.", "audit."):
            found |= {f"{whose}{part}": _GAPS for part in _OVER_GAPS}
        found |= {f"order.rows[{i}].mean_rank": _GAPS for i in _ROWS}
    return found


def _reported(name: str) -> dict[str, str]:
    """Return what a report says otherwise than it did, and why."""
    if "report" not in name or name.endswith("-pairwise"):
        return {}
    if name == "report-folds":
        return {"query": _ASKED, "references": _CITED}
    if name == "report-kfold":
        found = dict.fromkeys(("question.cost", "query", "choices"), _ASKED)
        found |= {f"order.rows[{i}].{key}": _ON_FOLDS for i in _ROWS for key in _COMPARED}
        return found | dict.fromkeys(("comparison", "not_done", "references", "notes"), _ON_FOLDS)
    found = {f"order.rows[{i}].prior_place": _ALWAYS for i in _ROWS}
    parts = ("order.method", "ordering", "not_done", "references", "notes")
    return found | dict.fromkeys(parts, _ALWAYS)


_WHOSE = ("", "comparison.", "ordering.", "ordering.comparison.")
_GONE = ("headline", "statements", "first", "best_by_score")


def _of_all(part: str) -> tuple[str, ...]:
    """Return a part of an answer, and the same of the comparison and the order in it."""
    return tuple(f"{whose}{part}" for whose in _WHOSE)


def _one_answer(name: str) -> dict[str, str]:
    """Return what every face says from the same claims, in the same numbers, and why."""
    found = dict.fromkeys(_of_all("verdict.best") + _of_all("verdict.sure"), _CLAIMS)
    if "report" in name:
        found |= dict.fromkeys((*(f"verdict.{part}" for part in _GONE), "audit.sentence"), _CLAIMS)
    if "report" in name or "overview" in name:
        found |= {f"{part}[{i}].reason": _LEFT for part in _PLACES for i in _ROWS}
    for i in range(10):
        found |= dict.fromkeys(_of_all(f"pairs[{i}].interval"), _INTERVALS)
    if name in ("compare-wide-pairwise", "order-wide-pairwise", "report-wide"):
        found |= dict.fromkeys(_of_all("mean_scores."), _ADJUSTED)
        found |= {f"order.rows[{i}].mean_score": _ADJUSTED for i in _ROWS}
    return found | _by_cost(name) | _on_one_dataset(name)


def _by_cost(name: str) -> dict[str, str]:
    found = dict[str, str]()
    if "report" in name:
        found |= {f"order.rows[{i}].cost": _COSTS for i in _ROWS}
        found |= {f"front.points[{i}].cost": _COSTS for i in _ROWS} | {"front.unit": _COSTS}
    if name in _OF_FEW:
        parts = ("costs.", "ordering.costs.", "notes[5]", "ordering.notes[5]")
        found |= dict.fromkeys(parts, _COSTS)
        inner = ("order[", "ranks.", "edges:", "steps[", "notes:")
        changed = [f"{whose}{part}" for whose in ("", "ordering.") for part in inner]
        found |= dict.fromkeys([*changed, "order.rows[", "next[1]."], _TOLERATED)
    return found


def _on_one_dataset(name: str) -> dict[str, str]:
    if name == "order-kfold-pairwise":
        return {"verdict.value": _CLAIMS, "notes[4]": _BY_MEAN}
    if name not in ("overview-kfold", "report-kfold-pairwise"):
        return {}
    return {"notes[3]": _BY_MEAN, "ordering.notes[3]": _BY_MEAN}


_PLACES = ("order.rows", "ordering.steps")
_TOO_FEW = "on so few data sets nobody can tell whether the best value is as good as the best"
_SOMETHING = "a cheap one is tried first, so that a budget always returns something; a note says so"
_BUDGETED = ("suggestions[0].spent", "suggestions[1].spent", "notes:")
_TOLERATED = (
    "where no test could tell any two apart, the folds and a tolerance speak before the cost does"
)
_OF_FEW = ("order-folds-pairwise", "overview-folds", "report-folds-pairwise")
_VALUES = ("verdict.value", "ordering.verdict.value")
_WITHOUT_SETS = ("compare-folds-nemenyi", "compare-wide-drop", "compare-wide-exact")
_SETS = ("rank_sets:", "comparison.rank_sets:")
_STRENGTHS = ("rank-wide-bradley-terry", "rank-wide-elo")
# Two of its 128 draws are equally far from their median, but for a last digit in which libraries
# differ: whether they tie is seen in the third of R-hat.
_R_HAT = ("diagnostics.r_hat", "diagnostics.warnings[2]")
_ONE_ANSWER = "the best by MultiTest is the first of its order, by the same test"
_DRAWN = "every figure that can be drawn is; a paper without any has one of ours"
_FOLDED = "draws that are folded tie or not by their last digit"

CHANGED: dict[str, dict[str, str]] = {
    name: {
        **({"mean_ranks.": _BY_SCORE} if "order" in name else {}),
        **({f"steps[{i}].reason": _LEFT for i in range(9)} if "order" in name else {}),
        **({"why:": _LEFT} if name == "order-folds-why" else {}),
        **({"notes:": _NO_SETS} if name == "order-folds-bayes" else {}),
        **({"comparison.notes:": _NO_SETS} if name == "order-folds-bayes" else {}),
        **({"ordering.mean_ranks.": _BY_SCORE} if "report" in name else {}),
        **({"notes": _NO_SETS} if name in _WITHOUT_SETS else {}),
        **(dict.fromkeys(_SETS, _NOT_TRANSITIVE) if name == "order-wide-pairwise" else {}),
        **({"checks[0]": _POOLS} if "audit" in name else {}),
        **({"audit.checks[0]": _POOLS} if "report" in name else {}),
        **({"checks[2]": _RECOMMENDED, "checks[4]": _COPIES} if name == "audit-folds" else {}),
        **({"notes": "1 test, and that cost alone decides"} if name == "experiment-order" else {}),
        **({"checks[1]": _BY_PAIRS, "sound": _BY_PAIRS} if name == "audit-wide" else {}),
        **({"audit.sound": _BY_PAIRS} if name == "report-wide" else {}),
        **({f"next[{i}].question": _PLAIN for i in (2, 3)} if name == "overview-folds" else {}),
        **_reported(name),
        **_with_gaps(name),
        **_one_answer(name),
        **(dict.fromkeys(("intervals", "notes"), _UNITS) if name in _STRENGTHS else {}),
        **({"scores": _AT_REST} if name == "rank-wide-elo" else {}),
        **(dict.fromkeys(_VALUES, _TOO_FEW) if name in _OF_FEW else {}),
        **(dict.fromkeys(_BUDGETED, _SOMETHING) if name == "recommend-folds" else {}),
        **(dict.fromkeys(_R_HAT, _FOLDED) if name == "bayes-folds-hierarchical" else {}),
        **({"diagnostics.warnings[5]": _FOLDED} if name == "bayes-folds-robust" else {}),
        **(dict.fromkeys(("test:", "notes"), _ONE_ANSWER) if name == "best-folds" else {}),
        **({"drawings:": _DRAWN} if name == "reproduce" else {}),
        **({"rope_source": _USUAL} if name.endswith(("bradley-terry", "plackett-luce")) else {}),
    }
    for name in {**COMMANDS, **EXPERIMENT}
}

# Words of a line that are others than they were: options are written as they are typed.
_SINCE = (
    "wide.csv has one column per algorithm and does not say what they measure. Give "
    "--score 'accuracy' or another well-known measure, or any name with --higher-is-"
    "better or --lower-is-better."
)
REWORDED: dict[str, dict[str, str]] = {
    # Nothing there names a measure, so that none is proposed.
    "compare wide.csv": {
        _SINCE: (
            "wide.csv does not say what it measures, nor whether higher is better. Say it: palio "
            "compare wide.csv --higher-is-better; or palio compare wide.csv --lower-is-better."
        )
    },
    # It was asked of "quality", which is by now a word for good performance: higher is better.
    "compare wide.csv --score zeal --missing worst": {
        (
            "higher_is_better: 'zeal' is not a well-known measure, so its direction cannot be read "
            "from its name; give --higher-is-better or --lower-is-better."
        ): (
            "score: wide.csv does not say whether a higher 'zeal' is better. Say it: palio compare "
            "wide.csv --score zeal --missing worst --higher-is-better; or palio compare wide.csv "
            "--score zeal --missing worst --lower-is-better."
        )
    },
    # Only commands that would answer are proposed, and whole ones.
    "compare wide.csv --score accuracy --missing error": {
        (
            "; --missing error wants every algorithm to have a score on every data set. Add what "
            "is missing, or choose another rule, such as --missing pairwise (compare each pair "
            "where both have scores), --missing drop-datasets (leave those data sets out) or "
            "--missing worst (the worst score any algorithm has there)."
        ): (
            ". Add what is missing, or give palio compare wide.csv --score accuracy --missing "
            "pairwise or palio compare wide.csv --score accuracy --missing worst."
        )
    },
    "compare folds.csv --column task=dataset": {
        "--column --column": "--column",
        "repeat and fold": ("repeat, fold, item, cluster, instance, truth and prediction"),
    },
    "audit folds.csv --only all": {"variants.": "variants, in-use, missing, luck, splits."},
    "predictions folds.csv": {"--column truth=": "--column truth=NAME"},
    "order kfold.csv --method multi2test": {
        "(palio.multitest, or --dataset)": "--method multitest",
        "for it --": "for it: --",
    },
    "orders folds.csv": {
        "demo, run, plan, status, retry, export, algorithms, final": (
            "order, compare, bayes, rope, rank, aggregate, recommend, best"
        )
    },
    "bayes folds.csv --model anova --pair tree,svm": {"takes robust,": "takes robust, scale,"},
    "reproduce ulas2009": {
        "replication2026, ": "replication2026, classification2026, regression2026, "
    },
}

_INNER = ("comparison", "ordering")

_MEANT = "scripts rely on this answer; what is meant to change is named in CHANGED, with the reason"

_OTHER_WORDS = "what it says otherwise on purpose, as a list with one more name, is in REWORDED"


@pytest.fixture(scope="module", autouse=True)
def folder() -> Iterator[Path]:
    with folder_of_tables() as folder:
        yield folder


@pytest.mark.parametrize("name", COMMANDS)
def test_answers_stay(name: str) -> None:
    found = answer(COMMANDS[name])
    assert differences(name, found) == [], _MEANT
    for part in [found, *(found.get(inner) for inner in _INNER)] if isinstance(found, dict) else []:
        if isinstance(part, dict) and "claims" in part and "verdict" in part:
            _verdict_is_claimed(part)


def _verdict_is_claimed(found: dict[str, Any]) -> None:
    """Check that the sentences, the leader and how sure that is are those of the claims."""
    claims = {each["kind"]: each for each in found["claims"]}
    verdict, sure = found["verdict"], claims["sureness"]
    assert found["leader"] == claims["leader"]["algorithm"]
    assert found["sureness"] == sure["level"]
    assert f"{sure['level']}: {sure['reason']}" in verdict["best"]
    on = [claims[kind]["text"] for kind in ("sureness", "evidence") if kind in claims]
    assert verdict["sure"] == " ".join(on)
    for part in ("value", "missing"):
        assert verdict.get(part) == claims.get(part, {}).get("text"), part


def test_an_experiment_stays() -> None:
    found = {name: differences(name, answer(command)) for name, command in EXPERIMENT.items()}
    assert {name: each for name, each in found.items() if each} == {}, _MEANT
    status, _, err = asked("export e.db out.csv")
    lines = Path("out.csv").read_text(encoding="utf-8").splitlines()
    assert (status, err) == (0, "wrote out.csv\n")
    # Every job is exported, with its status and the reason if it did not end well.
    keys = ["dataset", "algorithm", "repeat", "fold", "status", "reason", "accuracy"]
    assert lines[0].split(",")[: len(keys)] == keys
    assert len(lines) == 41


def test_livebench_has_as_many_significant_pairs_over_its_items() -> None:
    # Items without clusters: t, which the tests of clusters leave alone.
    path = shared_file("results/livebench/livebench_13012025.parquet")
    found = palio.compare(path, over="items")
    assert (found.method, found.n_different, found.n_pairs) == ("item-t", 3095, 4158)


@pytest.mark.parametrize("command", MISTAKES)
def test_mistakes_are_one_line(command: str) -> None:
    status, line = json.loads(ERRORS.read_text(encoding="utf-8"))[command]
    for before, now in REWORDED.get(command, {}).items():
        line = line.replace(before, now)
    assert mistake(command) == [status, line], _OTHER_WORDS


def differences(name: str, now: Any) -> list[str]:
    """Say where an answer is not what was recorded; what was meant to change is left out."""
    before = json.loads((ANSWERS / f"{name}.json").read_text(encoding="utf-8"))
    meant = tuple(CHANGED.get(name, {}))
    assert "" not in meant, "an empty path would let everything change: name what does"
    return [each for each in _compared(before, now, "") if not each.startswith(meant)]


def _compared(before: Any, now: Any, where: str) -> Iterator[str]:
    if isinstance(before, dict) and isinstance(now, dict):
        for key, each in before.items():
            here = f"{where}.{key}" if where else key
            if key in now:
                yield from _compared(each, now[key], here)
            else:
                yield f"{here}: is gone"
    elif isinstance(before, list) and isinstance(now, list) and len(before) == len(now):
        for index, (first, second) in enumerate(zip(before, now, strict=True)):
            yield from _compared(first, second, f"{where}[{index}]")
    elif not _same(before, now):
        yield f"{where}: was {before!r}, is {now!r}"


def _same(before: Any, now: Any) -> bool:
    numbers = isinstance(before, (int, float)) and isinstance(now, (int, float))
    if numbers and not (isinstance(before, bool) or isinstance(now, bool)):
        return math.isclose(before, now, rel_tol=1e-9, abs_tol=1e-12)
    return type(before) is type(now) and bool(before == now)
