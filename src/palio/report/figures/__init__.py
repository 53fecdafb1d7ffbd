"""Figures for papers and reports: `FIGURES` names them all, a file each draws one.

Matplotlib is loaded when the first figure is drawn, not when this package is imported.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from palio.errors import ParameterError
from palio.registry import Registry
from palio.report.figures.kinds import (
    FigureKind,
    compared,
    has_any_score,
    has_forest,
    has_graph,
    has_pairs,
    has_scores,
    has_sizes,
    has_wins,
)
from palio.report.files import check_path, save
from palio.results import Result, answer_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["FIGURES", "FigureKind", "available", "caption_of", "check_path", "draw", "save"]

_COMPARED = ("ordering", "comparison")
_SCORES = "the scores on each data set, all algorithms' on one of them at least"


def _pairs(what: str) -> str:
    return f"the pairs of a comparison with {what}: run compare"


FIGURES: Registry[FigureKind] = Registry.of(
    "figure",
    FigureKind(
        "multitest-graph",
        "Where the test overrode the prior order, and how each place was decided",
        kinds=("ordering",),
        has=has_graph,
        needs=(
            "a prior order, and of many algorithms a pair in which a test overrode it: run "
            "MultiTest or Multi²Test"
        ),
        options=("steps", "focus"),
        tells=lambda ordering: ordering.overridden,
    ),
    FigureKind(
        "critical-difference",
        "Mean ranks, and between which algorithms no difference was found",
        kinds=_COMPARED,
        has=compared,
        needs=("mean ranks over several data sets, which this does not have"),
        aliases=("cd", "cd-diagram", "critical-difference-diagram"),
    ),
    FigureKind(
        "comparison-matrix",
        "Who is significantly better than whom: mean difference, wins, adjusted p-value",
        kinds=_COMPARED,
        has=has_pairs,
        needs=_pairs("mean differences"),
        aliases=("mcm", "multi-comparison-matrix"),
    ),
    FigureKind(
        "p-values",
        "Adjusted p-values of all pairs",
        kinds=_COMPARED,
        has=has_pairs,
        needs=_pairs("adjusted p-values"),
        home="comparison_matrix",
    ),
    FigureKind(
        "win-matrix",
        "On how many data sets each algorithm beats each other",
        kinds=_COMPARED,
        has=has_wins,
        needs=_pairs("wins, ties and losses"),
        home="comparison_matrix",
    ),
    FigureKind(
        "rank-distribution",
        "How often each algorithm takes each rank",
        kinds=_COMPARED,
        has=has_scores,
        needs=_SCORES,
    ),
    FigureKind(
        "scores",
        "The scores of each algorithm over the data sets",
        kinds=_COMPARED,
        has=has_sizes,
        needs=_SCORES,
    ),
    FigureKind(
        "scores-grid",
        "The place or score of each algorithm on each data set, and what failed or was imputed",
        kinds=_COMPARED,
        has=has_any_score,
        needs="scores on several data sets",
        options=("by",),
        aliases=("grid", "heatmap", "score-grid"),
    ),
    FigureKind(
        "error-densities",
        "How the scores of each algorithm's folds are distributed on a data set",
        kinds=("error-densities",),
        has=lambda densities: densities.algorithms,
        needs="an algorithm's curve",
    ),
    FigureKind(
        "cell-grid",
        "The numbers of a study's table by row and column",
        kinds=("cell-grid",),
        has=lambda grid: grid.recomputed,
        needs="a cell",
    ),
    FigureKind(
        "pareto",
        "Cost against score, and who is beaten in both",
        kinds=("report",),
        has=lambda report: report.front,
        needs="a cost of every algorithm",
        aliases=("pareto-front",),
    ),
    FigureKind(
        "roc-hull",
        "ROC curves, and the convex hull over them",
        kinds=("prediction-comparison",),
        has=lambda comparison: comparison.roc,
        needs="ROC curves: compare the predictions by 'roc-hull'",
    ),
    FigureKind(
        "posterior-matrix",
        "How probable it is of each pair that one is better, or both practically equal",
        kinds=("posterior",),
        has=lambda posterior: posterior.pairs,
        needs="two algorithms or more",
    ),
    FigureKind(
        "forest",
        "Differences of pairs on each data set and over all, with intervals",
        kinds=("posterior", *_COMPARED),
        has=has_forest,
        needs=(
            "effects of all algorithms together: use anova, bradley-terry or plackett-luce; or "
            "pairs compared on data sets that have one measure"
        ),
        options=("algorithms",),
        aliases=("forest-plot",),
        titles={
            "posterior": "Effects of all algorithms with intervals, and who is as good as the best"
        },
    ),
    FigureKind(
        "posterior",
        "The posterior of one difference, with the region of practical equivalence",
        kinds=("posterior",),
        has=lambda posterior: posterior.detail and posterior.detail.difference,
        needs=(
            "draws of the difference, which this model does not keep; 'simplex' may show its draws"
        ),
    ),
    FigureKind(
        "simplex",
        "Draws of a pair's three probabilities in a triangle",
        kinds=("posterior",),
        has=lambda posterior: posterior.detail and posterior.detail.points,
        needs="draws of three probabilities: use sign, signed-rank or hierarchical",
        home="posterior",
    ),
    FigureKind(
        "predictive-check",
        "Whether the model would expect such scores",
        kinds=("posterior",),
        has=lambda posterior: posterior.checks.discrepancy,
        needs="replicates, which anova, bradley-terry and plackett-luce make",
        home="model_checks",
    ),
    FigureKind(
        "normality",
        "The scores of each algorithm and of some data sets, with normal curves",
        kinds=("posterior",),
        has=lambda posterior: posterior.checks.histograms,
        needs="the histograms of the scores, which anova makes",
        options=("of",),
        home="model_checks",
    ),
    FigureKind(
        "rank-stability",
        "How probable each place is for each algorithm, had other data sets been drawn",
        kinds=("rank-stability",),
        has=lambda stability: stability.methods,
        needs="a ranking method",
        home="rank_distribution",
        options=("method",),
    ),
    FigureKind(
        "variance-shares",
        "How much of the variance of a score is of data sets, splits, seeds or items",
        kinds=("variance",),
        has=lambda variance: variance.components,
        needs="variance components",
        home="variance",
    ),
    FigureKind(
        "standard-errors",
        "The standard error of a difference with more data sets, splits, seeds or items",
        kinds=("variance",),
        has=lambda variance: variance.curves,
        needs="a standard error, which this table does not tell",
        home="variance",
    ),
    FigureKind(
        "aggregates",
        "Interquartile mean, median, mean and optimality gap of each algorithm, with intervals",
        kinds=("aggregates",),
        has=lambda found: found.aggregates,
        needs="an algorithm",
    ),
    FigureKind(
        "performance-profile",
        "On what share of the data sets each algorithm reaches each score, or factor of the best",
        kinds=("aggregates",),
        has=lambda found: found.algorithms,
        needs="an algorithm",
        options=("algorithms",),
        aliases=("profile", "performance-profiles"),
    ),
    FigureKind(
        "loss-curves",
        "What is lost by trying algorithms in the order that a ranking recommends",
        kinds=("ranking-evaluation",),
        has=lambda evaluation: evaluation.loss_curves,
        needs="an evaluation's losses",
    ),
)


def available(result: Result) -> list[str]:
    """Return the names of the figures that can be drawn from a result.

    Parameters
    ----------
    result : Result
        What `palio.compare` and the others return.

    Returns
    -------
    list of str
        Names in `FIGURES`.

    Examples
    --------
    >>> import palio
    >>> available(palio.rank_stability(palio.load_study("ulas2008"), n_resamples=50))
    ['rank-stability']
    """
    found = answer_of(result)
    return [name for name, entry in FIGURES.items() if entry.complaint(found) is None]


def draw(
    result: Result, figure: str | None = None, *, medium: str = "file", **options: Any
) -> Figure:
    """Draw a figure from a result.

    Parameters
    ----------
    result : Result
        What `palio.compare` and the others return.
    figure : str, optional
        A name in `FIGURES`; the first that is `available` unless given.
    medium : {"file", "page", "panel", "narrow"}
        A file has the caption inside; a page writes it as text (`caption_of`). A panel of a page
        is narrower, and a phone has room for half the width.
    **options
        The figure's own options; ``multitest-graph`` has ``steps`` and ``focus``, ``scores-grid``
        has ``by``.

    Returns
    -------
    matplotlib.figure.Figure
        Sized by its content; a notebook shows it.

    Examples
    --------
    >>> import palio
    >>> found = palio.compare(palio.load_study("ulas2008"))
    >>> len(draw(found, "critical-difference").axes)
    1
    >>> draw(found, "simplex")
    Traceback (most recent call last):
    ...
    palio.errors.ParameterError: figure: 'simplex' is drawn from a posterior, not from \
    'comparison'; of this there are critical-difference, comparison-matrix, p-values, \
    win-matrix, rank-distribution, scores, scores-grid, forest.
    """
    found = answer_of(result)
    there = available(found)
    if figure is None:
        if not there:
            raise ParameterError("figure", f"none can be drawn from this {found.kind}")
        figure = there[0]
    entry = FIGURES[figure]
    complaint = entry.complaint(found)
    if complaint:
        others = f"of this there are {', '.join(there)}" if there else ""
        raise ParameterError("figure", complaint, remedy=others)
    return entry.draw(found, medium=medium, **options)


def caption_of(figure: Figure) -> str:
    """Return what is said below a figure, for a page that writes it as text."""
    return str(getattr(figure, "caption", ""))
