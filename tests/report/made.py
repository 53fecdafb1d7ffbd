"""Results made of dictionaries, to be checked by eye: what is not given is none or derived.

The faces take results; here they take what a test has written down, too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from palio.bayes.answer import Binned, Histogram
from palio.claims import Answer, Claim, Evidence, Leader, Unbeaten
from palio.comparison.board import BoardRow
from palio.comparison.results import lowest
from palio.comparison.sample import Scores
from palio.measures import Measure
from palio.ordering.graph import BY_COST, BY_HAND
from palio.report import figures, latex, markdown, notebook, text
from palio.results import Result
from palio.stats.ranks import average_ranks, place_counts

__all__ = [
    "available",
    "draw",
    "notebook_html",
    "render_latex",
    "render_markdown",
    "render_text",
    "typed",
]


class Attributes(dict[str, Any]):
    """A dictionary whose keys are attributes; what is not there is ``None``."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        if name == "answer":
            return lambda: self
        derive = _DERIVED.get(name)
        return derive(self) if derive and name not in self else self.get(name)


Result.register(Attributes)


def typed(value: Any) -> Any:
    """Return a result as it is, and a dictionary with attributes."""
    if isinstance(value, Attributes):
        return value
    if isinstance(value, Mapping):
        if set(value) == {"name", "higher_is_better"}:
            return Measure(value["name"], higher_is_better=value["higher_is_better"])
        return Attributes(
            {key: claimed(item) if key == "claims" else typed(item) for key, item in value.items()}
        )
    if isinstance(value, list):
        return [typed(item) for item in value]
    return value


def claimed(rows: list[dict[str, Any]]) -> Answer:
    """Return the claims that JSON has, as claims."""
    kinds = {kind.kind: kind for kind in Claim.__subclasses__()}
    return Answer(
        kinds[row["kind"]](
            **{
                key: tuple(value) if isinstance(value, list) else value
                for key, value in row.items()
                if key not in ("kind", "text")
            }
        )
        for row in rows
    )


def draw(result: Any, figure: str = "multitest-graph", **options: Any) -> Figure:
    """Draw a result, or what stands in for one."""
    return figures.draw(typed(result), figure, **options)


def available(result: Any) -> list[str]:
    """Return what can be drawn of a result, or of what stands in for one."""
    return figures.available(typed(result))


def render_text(result: Any) -> str:
    """Write a result, or what stands in for one."""
    return text.render_text(typed(result))


def notebook_html(result: Any) -> str:
    """Write a result, or what stands in for one."""
    return notebook.notebook_html(typed(result))


def render_latex(result: Any) -> str:
    """Write a result, or what stands in for one."""
    return latex.render_latex(typed(result))


def render_markdown(result: Any) -> str:
    """Write a result, or what stands in for one."""
    return markdown.render_markdown(typed(result))


def _by_mean_rank(comparison: Any) -> list[str]:
    ranks = comparison.mean_ranks
    return sorted(ranks, key=lambda name: (ranks[name], name))


def _claims(comparison: Any) -> Answer:
    """Claim that the first by mean rank leads, and how many pairs differ."""
    first, ranks = _by_mean_rank(comparison)[0], comparison.mean_ranks
    n, n_different = comparison.n_datasets or 0, comparison.n_different
    by, alpha = f"{comparison.method}, {comparison.correction}", comparison.alpha or 0.0
    return Answer(
        (
            Leader(first, n, n, len(ranks), "mean rank", ranks[first], (first,), any_differ=True),
            Unbeaten((first,), (), any_differ=True, beats_all=False),
            Evidence(
                n_different,
                len(comparison.pairs or ()),
                f"{n} data sets",
                str(comparison.measure),
                f"{by}, α = {alpha:g}",
            ),
        )
    )


def _board(comparison: Any) -> list[BoardRow]:
    return [
        BoardRow(
            place,
            name,
            comparison.mean_ranks[name],
            None,
            (comparison.mean_scores or {}).get(name, 0.0),
            (0.0, 0.0),
            (comparison.letters or {}).get(name, ""),
            0,
            0,
            0,
            {},
        )
        for place, name in enumerate(_by_mean_rank(comparison), start=1)
    ]


def _by_mean_score(comparison: Any) -> list[str]:
    if not comparison.mean_scores or not comparison.measure:
        return _by_mean_rank(comparison)
    sign = -1 if comparison.measure.higher_is_better else 1
    return sorted(_by_mean_rank(comparison), key=lambda n: sign * comparison.mean_scores[n])


def _likeliest(pair: Any) -> tuple[str, float]:
    return max(zip(("a", "equal", "b"), _shares(pair), strict=True), key=lambda each: each[1])


def _shares(pair: Any) -> tuple[float, float, float]:
    return pair.p_a_better, pair.p_rope, pair.p_b_better


def _decided(result: Any) -> Any:
    better = sum(max(pair.p_a_better, pair.p_b_better) > 0.95 for pair in result.pairs)
    equal = sum(pair.p_rope > 0.95 for pair in result.pairs)
    return typed(
        {"better": better, "equal": equal, "undecided": len(result.pairs) - better - equal}
    )


def _best_first(result: Any) -> list[Any]:
    if result.accuracies is None:
        return sorted(result.best, key=lambda row: (-row.p_best, row.expected_loss))
    key = dict(result.accuracies)
    key |= {row.algorithm: row.wins for row in result.selection or ()}
    key |= {name: line.auc for name, line in (result.roc.curves if result.roc else {}).items()}
    return sorted(key, key=lambda name: -key[name])


def _most_wins(result: Any) -> list[str]:
    most = max(row.wins for row in result.selection)
    return [row.algorithm for row in result.selection if most - row.wins < 1e-9]


def _complete(comparison: Any) -> Any:
    """Return the scores where all have one, by mean rank, as `Comparison.complete` does."""
    names = _by_mean_rank(comparison)
    rows = [comparison.scores[name] for name in names] if comparison.scores else []
    values = np.array([[np.nan if v is None else v for v in row] for row in rows], dtype=float).T
    values = values[np.isfinite(values).all(axis=1)] if values.size else np.zeros((0, len(names)))
    datasets = [""] * len(values)
    measure = comparison.measure or Measure("error", higher_is_better=False)
    return Scores(values, tuple(names), tuple(datasets), measure)


def _compared(comparison: Any) -> Any:
    """Return the scores by data set, as `Comparison.compared` does."""
    names = list(comparison.mean_ranks)
    rows = [comparison.scores[name] for name in names] if comparison.scores else [[] for _ in names]
    values = np.array([[np.nan if v is None else v for v in row] for row in rows], dtype=float).T
    datasets = comparison.datasets or [f"d{i}" for i in range(len(values))]
    measure = comparison.measure or Measure("error", higher_is_better=False)
    return Scores(values, tuple(names), tuple(datasets), measure)


def _best_mean_score(comparison: Any) -> frozenset[str]:
    sign = -1 if comparison.measure.higher_is_better else 1
    return lowest({name: sign * score for name, score in comparison.mean_scores.items()})


_DERIVED: dict[str, Callable[[Any], Any]] = {
    "n_different": lambda result: sum(pair.significant for pair in result.pairs),
    "by_mean_rank": _by_mean_rank,
    "by_standing": _by_mean_rank,
    "board": _board,
    "components": lambda comparison: [_by_mean_rank(comparison)],
    "neighbours": lambda comparison: comparison.pairs,
    "steps": lambda comparison: lambda _order: (comparison.n_different, len(comparison.pairs)),
    "by_mean_score": _by_mean_score,
    "best_mean_rank": lambda comparison: lowest(comparison.mean_ranks),
    "best_mean_score": _best_mean_score,
    "by_name": lambda group: Binned(**group).by_name,
    "if_normal": lambda found: Histogram(**found).if_normal,
    "claims": _claims,
    "verdict": lambda result: result.claims.verdict,
    "together": lambda comparison: comparison.omnibus,
    "mean_of": lambda comparison: comparison.measure.name,
    "tested": lambda _comparison: typed({"effects": {"ratios": False}}),
    "preferred_by": lambda ordering: "cost" if ordering.cost else "prior",
    "wording": lambda ordering: BY_COST if ordering.cost else BY_HAND,
    "over": lambda result: "datasets" if result.kind == "comparison" else None,
    "overridden": lambda result: result.edges,
    "winner": lambda pair: pair.better if pair.significant else None,
    "worse": lambda pair: pair.b if pair.better == pair.a else pair.a,
    "significant": lambda result: result.p_value <= result.alpha,
    "n_pairs": lambda result: (
        len(result.order) * (len(result.order) - 1) // 2 if result.order else len(result.pairs)
    ),
    "different": lambda result: sorted(
        (pair for pair in result.pairs if pair.significant), key=lambda pair: -abs(pair.statistic)
    ),
    "shares": _shares,
    "likeliest": _likeliest,
    "decided": _decided,
    "best_first": _best_first,
    "best_set": lambda result: [row.algorithm for row in _best_first(result) if row.in_set],
    "most_wins": _most_wins,
    "complete": _complete,
    "compared": _compared,
    "pairs_among": lambda comparison: lambda _names: comparison.pairs,
    "n_complete": lambda comparison: comparison.n_datasets,
    "rank_counts": lambda result: place_counts(average_ranks(-result.complete.goodness, axis=1)),
    "differing": lambda result: {
        name for pair in result.pairs or () if pair.significant for name in (pair.a, pair.b)
    },
    "share_won": lambda pair: (pair.wins + pair.ties / 2) / (pair.wins + pair.ties + pair.losses),
    "by_area": lambda roc: sorted(roc.curves, key=lambda name: -roc.curves[name].auc),
    "by_method": lambda result: {each.method: each for each in result.methods},
    "by_cost": lambda front: sorted(front.points, key=lambda point: point.cost),
    "members": lambda front: [point for point in front.points if point.on_front],
    "n": lambda counted: sum(counted.counts) + counted.beyond,
    "value": lambda result: result.rope,
    "optimal_corners": lambda roc: [c for c in roc.hull if c.slopes[0] != c.slopes[1]],
}
