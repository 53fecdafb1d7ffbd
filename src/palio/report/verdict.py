"""The answer in plain sentences, each with what it rests on.

The sentences are written from the report's dictionary, so that none says what a number does not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from palio.comparison.corrections import CORRECTIONS
from palio.comparison.fold_tests import FOLD_TESTS
from palio.comparison.omnibus import OMNIBUS_TESTS
from palio.comparison.pair_tests import PAIR_TESTS
from palio.comparison.rank_tests import POSTHOCS
from palio.ordering.methods import ORDERINGS
from palio.report.numbers import limit, number, p_said, probability, rank, signed_alike
from palio.report.schema import StatementDict, VerdictDict
from palio.report.views.common import Summary
from palio.words import count, joined

__all__ = ["some_of", "verdict"]

# A sentence names this many; the rest are counted.
_NAMED = 5


def verdict(summary: Summary) -> VerdictDict:
    """Say who comes first, who is best by the score, what it costs, and how sure that is."""
    first = summary["order"]["rows"][0]["algorithm"]
    return {
        "headline": f"{first} comes first of {_where(summary)}",
        "first": first,
        "best_by_score": _best_by_score(summary)["algorithm"],
        "statements": [statement for say in _STATEMENTS for statement in say(summary)],
    }


def some_of(names: Sequence[str]) -> str:
    """Join names as in a sentence, the first few of many.

    >>> some_of(["a", "b"]), some_of(list("abcdefg"))
    ('a and b', 'a, b, c, d, e and 2 others')
    """
    if len(names) <= _NAMED + 1:
        return joined(names)
    return f"{', '.join(names[:_NAMED])} and {len(names) - _NAMED} others"


def _where(summary: Summary) -> str:
    table = summary["table"]
    sets = (
        f"over {table['n_datasets']} data sets"
        if table["n_datasets"] > 1
        else f"on {table['datasets'][0]}"
    )
    return f"{table['n_algorithms']} algorithms {sets}"


def _best_by_score(summary: Summary) -> Summary:
    """Return the row of the best mean rank, or of the best mean score where there are no ranks."""
    rows: Sequence[Summary] = summary["order"]["rows"]
    if summary["comparison"] is not None:
        return min(rows, key=lambda row: row["mean_rank"])
    sign = -1 if summary["table"]["measure"]["higher_is_better"] else 1
    return min(rows, key=lambda row: sign * row["mean_score"])


# --- the order -----------------------------------------------------------------------------------


def _order(summary: Summary) -> Iterator[StatementDict]:
    row = summary["order"]["rows"][0]
    yield {
        "about": "order",
        "claim": f"{row['algorithm']} comes first of {_where(summary)}: {_first_reason(summary)}.",
        "certainty": _order_certainty(summary),
    }


def _first_reason(summary: Summary) -> str:
    order = summary["order"]
    row, method = order["rows"][0], order["method"]
    if method in _BY_MEANS:
        return f"it has the best {_BY_MEANS[method]}"
    # Multi²Test compares ranks in which the cheaper has won wherever no test said otherwise.
    better, counted = (
        ("ranks significantly better", " once cost is counted in")
        if method == "multi2test"
        else ("is significantly better", "")
    )
    if row["prior_place"] == 1:
        preferred = "is first in the given prior order" if order["cost"] is None else "costs least"
        return f"it {preferred}, and no other {better}{counted}"
    if row["overrides"]:
        return f"it {better} than the cheaper {some_of(row['overrides'])}{counted}"
    return str(row["reason"])


_BY_MEANS = {"mean-ranks": "mean rank", "mean-scores": "mean score"}


def _order_certainty(summary: Summary) -> str:
    ordering = summary["ordering"]
    if ordering is None:
        why = next(row["why"] for row in summary["not_done"] if row["part"] == "ordering")
        by = _BY_MEANS[summary["order"]["method"]]
        return f"the order is that of the {by}s, no test and no cost is in it: {why}"
    passes = FOLD_TESTS[ordering["test"]].title
    if ordering["posthoc"] is not None:
        passes += f" on each data set, then {POSTHOCS[ordering['posthoc']].title}"
    return f"{ORDERINGS[ordering['method']].title}: {passes}; α = {limit(ordering['alpha'])}"


# --- the score -----------------------------------------------------------------------------------


def _score(summary: Summary) -> Iterator[StatementDict]:
    comparison = summary["comparison"]
    if comparison is None:
        return
    if comparison["control"] is not None:
        yield _against_control(summary)
        return
    best = _best_by_score(summary)
    found = []
    if best["beats"]:
        found.append(f"it is significantly better than {some_of(best['beats'])}")
    if best["beaten_by"]:
        found.append(f"{some_of(best['beaten_by'])} is significantly better than it")
    if best["level_with"]:
        found.append(f"no difference was found from {some_of(best['level_with'])}")
    yield {
        "about": "score",
        "claim": (
            f"By {comparison['measure']['name']} alone {best['algorithm']} has the best mean rank, "
            f"{rank(best['mean_rank'])}: {'; '.join(found)}."
        ),
        "certainty": _comparison_certainty(comparison),
    }


def _against_control(summary: Summary) -> StatementDict:
    comparison, control = summary["comparison"], summary["comparison"]["control"]
    row = next(row for row in summary["order"]["rows"] if row["algorithm"] == control)
    parts = [
        f"{text} {some_of(row[key])}"
        for key, text in (
            ("beats", "it is significantly better than"),
            ("beaten_by", "it is significantly worse than"),
            ("level_with", "no difference was found from"),
        )
        if row[key]
    ]
    return {
        "about": "score",
        "claim": f"The control {control}, by {comparison['measure']['name']}: {'; '.join(parts)}.",
        "certainty": _comparison_certainty(comparison),
    }


def _comparison_certainty(comparison: Summary) -> str:
    omnibus = comparison["omnibus"]
    test, correction = PAIR_TESTS[comparison["method"]], CORRECTIONS[comparison["correction"]]
    together = f"{OMNIBUS_TESTS[omnibus['method']].title}, {p_said(omnibus['p_value'])}"
    level = limit(comparison["alpha"])
    return f"{test.title}, {correction.title}, α = {level}; all together, {together}"


def _trade(summary: Summary) -> Iterator[StatementDict]:
    """Say what the first gives up against the best by score, if they are two."""
    comparison, best, first = (
        summary["comparison"],
        _best_by_score(summary),
        summary["order"]["rows"][0],
    )
    names = {best["algorithm"], first["algorithm"]}
    if comparison is None or len(names) < 2:
        return
    pair = next((p for p in comparison["pairs"] if {p["a"], p["b"]} == names), None)
    if pair is None:
        return
    name = comparison["measure"]["name"]
    sign = 1 if pair["a"] == first["algorithm"] else -1
    gap = signed_alike([sign * pair["difference"]])[0]
    differ = "differ significantly" if pair["significant"] else "do not differ significantly"
    yield {
        "about": "trade",
        "claim": (
            f"Taking {first['algorithm']} instead of {best['algorithm']} changes mean {name} by "
            f"{gap}{_times_the_cost(first, best)}; the two {differ} in {name}."
        ),
        "certainty": f"adjusted {p_said(pair['p_adjusted'])}",
    }


def _times_the_cost(first: Summary, best: Summary) -> str:
    if not first["cost"] or not best["cost"]:
        return ""
    return f" and costs {number(first['cost'] / best['cost'])} times as much"


# --- the rest ------------------------------------------------------------------------------------


def _front(summary: Summary) -> Iterator[StatementDict]:
    front = summary["front"]
    if front is None:
        return
    points = sorted(front["points"], key=lambda point: point["cost"])
    names = [point["algorithm"] for point in points if point["on_front"]]
    rest = len(points) - len(names)
    behind = (
        "; each of the others is neither cheaper nor better than one of these"
        if rest > 1
        else "; the other one is neither cheaper nor better"
        if rest
        else ""
    )
    stand = "stands" if len(names) == 1 else "stand"
    yield {
        "about": "front",
        "claim": (
            f"On the front of cost and {front['measure']['name']} {stand} {some_of(names)}{behind}."
        ),
        "certainty": "means alone, no test",
    }


def _posterior(summary: Summary) -> Iterator[StatementDict]:
    posterior = summary["posterior"]
    if posterior is None:
        return
    region = f"±{limit(posterior['rope'])} ({posterior['rope_source']})"
    warnings = len(posterior["diagnostics"]["warnings"])
    trust = f"; {warnings} warning{'s' if warnings > 1 else ''}" if warnings else ""
    yield {
        "about": "posterior",
        "claim": _posterior_claim(posterior),
        "certainty": f"{posterior['title']}, practically equal within {region}{trust}",
    }


def _posterior_claim(posterior: Summary) -> str:
    if posterior["best"]:
        first = max(posterior["best"], key=lambda row: row["p_best"])
        return (
            f"{first['algorithm']} is the best with probability {probability(first['p_best'])}, "
            f"and practically as good as the best with {probability(first['p_as_good'])}."
        )
    one, two = posterior["order"][:2]
    pair = next(p for p in posterior["pairs"] if {p["a"], p["b"]} == {one, two})
    ahead, behind = (
        ("p_a_better", "p_b_better") if pair["a"] == one else ("p_b_better", "p_a_better")
    )
    return (
        f"{one} is better than {two} with probability {probability(pair[ahead])}, practically "
        f"equal with {probability(pair['p_rope'])}, worse with {probability(pair[behind])}."
    )


def _audit(summary: Summary) -> Iterator[StatementDict]:
    audit = summary["audit"]
    if audit is None:
        return
    significant, sound = len(audit["significant"]), len(audit["sound"])
    if not significant:
        return
    pairs = count(significant, "significant pair")
    claim = (
        f"No check casts doubt on {sound} of {pairs}."
        if sound
        else f"Of {pairs} each is doubted by some check."
        if significant > 1
        else "The one significant pair is doubted by some check."
    )
    done = ", ".join(check["name"] for check in audit["checks"])
    yield {"about": "audit", "claim": claim, "certainty": f"checks: {done}"}


def _missing(summary: Summary) -> Iterator[StatementDict]:
    missing = summary["table"]["missing"]
    said = [note for note in summary["table"]["notes"] if note.startswith("missing=")]
    if missing["cells"]:
        yield {
            "about": "missing",
            "claim": (
                f"{missing['cells']} of {missing['of']} pairs of a data set and an algorithm "
                "have no score."
            ),
            "certainty": "; ".join(said),
        }
    elif said:
        yield {
            "about": "missing",
            "claim": "Some scores were missing.",
            "certainty": "; ".join(said),
        }


def _experiment(summary: Summary) -> Iterator[StatementDict]:
    experiment = summary["experiment"]
    if experiment is None:
        return
    counts = experiment["counts"]
    ok = counts.get("ok", 0)
    if ok == experiment["jobs"]:
        return
    rest = ", ".join(f"{n} {name}" for name, n in counts.items() if name != "ok")
    yield {
        "about": "experiment",
        "claim": f"{ok} of {experiment['jobs']} jobs of the experiment ended well; {rest}.",
        "certainty": (
            "the experiment is finished"
            if experiment["finished"]
            else "the experiment is not finished: what is said here may change"
        ),
    }


_STATEMENTS: tuple[Callable[[Summary], Iterator[StatementDict]], ...] = (
    _order,
    _score,
    _trade,
    _front,
    _posterior,
    _audit,
    _missing,
    _experiment,
)
