"""Figures for papers and reports, drawn from a result's summary dictionary.

Matplotlib is loaded when the first figure is drawn, not when this package is imported.
"""

from __future__ import annotations

import importlib
import io
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from palio.errors import ParameterError
from palio.registry import Registry
from palio.report.figures.needs import needs_pairs, needs_part, needs_scores
from palio.report.files import replace_file

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["FIGURES", "FigureKind", "available", "check_path", "draw", "save"]

Summary = Mapping[str, Any]


@dataclass(frozen=True)
class FigureKind:
    """A kind of figure: what it is called, what draws it, and from which summaries.

    ``lacks`` says in one line what a summary of the right kind lacks, or returns nothing.
    """

    name: str
    title: str
    draw: Callable[..., Figure]
    kinds: tuple[str, ...]
    lacks: Callable[[Summary], str | None]
    options: tuple[str, ...] = ()


def _drawn_by(module: str) -> Callable[..., Figure]:
    """Return the function ``draw_…`` of a module here, which is loaded when it first draws."""

    def draw_it(summary: Summary, **options: Any) -> Figure:
        found = importlib.import_module(f"{__name__}.{module}")
        figure: Figure = getattr(found, f"draw_{module}")(summary, **options)
        return figure

    return draw_it


def _lacks_prior(summary: Summary) -> str | None:
    if summary.get("prior"):
        return None
    return "figure: 'multitest-graph' needs a prior order: run MultiTest or Multi²Test."


def _lacks_mean_ranks(summary: Summary) -> str | None:
    if summary["kind"] == "comparison" or summary.get("comparison"):
        return None
    return (
        "figure: 'critical-difference' needs mean ranks over several data sets, which this "
        "ordering does not have: run Multi²Test over several data sets."
    )


def _lacks_curves(summary: Summary) -> str | None:
    if summary.get("roc"):
        return None
    return "figure: 'roc-hull' needs ROC curves: compare the predictions by 'roc-hull'."


_ENTRIES = (
    FigureKind(
        name="multitest-graph",
        title="Where the test overrode the prior order, and how each place was decided",
        draw=_drawn_by("multitest_graph"),
        kinds=("ordering",),
        lacks=_lacks_prior,
        options=("steps",),
    ),
    FigureKind(
        name="critical-difference",
        title="Mean ranks, and which algorithms do not differ",
        draw=_drawn_by("critical_difference"),
        kinds=("ordering", "comparison"),
        lacks=_lacks_mean_ranks,
    ),
    FigureKind(
        name="comparison-matrix",
        title="Every algorithm against every other: mean difference, wins, adjusted p-value",
        draw=_drawn_by("comparison_matrix"),
        kinds=("ordering", "comparison"),
        lacks=needs_pairs("comparison-matrix", "difference", "mean differences"),
    ),
    FigureKind(
        name="p-values",
        title="Adjusted p-values of all pairs",
        draw=_drawn_by("p_values"),
        kinds=("ordering", "comparison"),
        lacks=needs_pairs("p-values", "p_adjusted", "adjusted p-values"),
    ),
    FigureKind(
        name="win-matrix",
        title="On how many data sets each algorithm beats each other",
        draw=_drawn_by("win_matrix"),
        kinds=("ordering", "comparison"),
        lacks=needs_pairs("win-matrix", "wins", "wins, ties and losses"),
    ),
    FigureKind(
        name="rank-distribution",
        title="How often each algorithm takes each rank",
        draw=_drawn_by("rank_distribution"),
        kinds=("ordering", "comparison"),
        lacks=needs_scores("rank-distribution", direction=True),
    ),
    FigureKind(
        name="scores",
        title="The scores of each algorithm over the data sets",
        draw=_drawn_by("scores"),
        kinds=("ordering", "comparison"),
        lacks=needs_scores("scores", direction=False),
    ),
    FigureKind(
        name="error-densities",
        title="How the scores of each algorithm's folds are distributed on a data set",
        draw=_drawn_by("error_densities"),
        kinds=("error-densities",),
        lacks=needs_part("algorithms", "figure: 'error-densities' needs an algorithm's curve."),
    ),
    FigureKind(
        name="pareto",
        title="Cost against score, and who is beaten in both",
        draw=_drawn_by("pareto"),
        kinds=("report",),
        lacks=needs_part("front", "figure: 'pareto' needs a cost of every algorithm."),
    ),
    FigureKind(
        name="roc-hull",
        title="ROC curves, and the convex hull over them",
        draw=_drawn_by("roc_hull"),
        kinds=("prediction-comparison",),
        lacks=_lacks_curves,
    ),
    FigureKind(
        name="posterior-matrix",
        title="How probable it is of each pair that one is better, or both practically equal",
        draw=_drawn_by("posterior_matrix"),
        kinds=("posterior",),
        lacks=needs_part("pairs", "figure: 'posterior-matrix' needs two algorithms or more."),
    ),
    FigureKind(
        name="forest",
        title="Effects of all algorithms with intervals, and who is as good as the best",
        draw=_drawn_by("forest"),
        kinds=("posterior",),
        lacks=needs_part(
            "effects",
            "figure: 'forest' needs effects of all algorithms together: use anova, bradley-terry "
            "or plackett-luce.",
        ),
    ),
    FigureKind(
        name="posterior",
        title="The posterior of one difference, with the region of practical equivalence",
        draw=_drawn_by("posterior"),
        kinds=("posterior",),
        lacks=needs_part(
            "detail.difference",
            "figure: 'posterior' needs draws of the difference, which this model does not keep; "
            "'simplex' may show its draws.",
        ),
    ),
    FigureKind(
        name="simplex",
        title="Draws of a pair's three probabilities in a triangle",
        draw=_drawn_by("simplex"),
        kinds=("posterior",),
        lacks=needs_part(
            "detail.points",
            "figure: 'simplex' needs draws of three probabilities: use sign, signed-rank or "
            "hierarchical.",
        ),
    ),
    FigureKind(
        name="predictive-check",
        title="Whether the model would expect such scores",
        draw=_drawn_by("predictive_check"),
        kinds=("posterior",),
        lacks=needs_part(
            "checks.discrepancy",
            "figure: 'predictive-check' needs replicates, which anova, bradley-terry and "
            "plackett-luce make.",
        ),
    ),
    FigureKind(
        name="normality",
        title="The scores of each algorithm and of some data sets, with normal curves",
        draw=_drawn_by("normality"),
        kinds=("posterior",),
        lacks=needs_part(
            "checks.histograms",
            "figure: 'normality' needs the histograms of the scores, which anova makes.",
        ),
    ),
    FigureKind(
        name="rank-stability",
        title="How probable each place is for each algorithm, had other data sets been drawn",
        draw=_drawn_by("rank_stability"),
        kinds=("rank-stability",),
        lacks=needs_part("methods", "figure: 'rank-stability' needs a ranking method."),
        options=("method",),
    ),
    FigureKind(
        name="loss-curves",
        title="What is lost by trying algorithms in the order that a ranking recommends",
        draw=_drawn_by("loss_curves"),
        kinds=("ranking-evaluation",),
        lacks=needs_part("loss_curves", "figure: 'loss-curves' needs an evaluation's losses."),
    ),
)

FIGURES: Registry[FigureKind] = Registry.of("figure", *_ENTRIES)


def available(summary: Summary) -> list[str]:
    """Return the names of the figures that can be drawn from a summary.

    Parameters
    ----------
    summary : mapping
        A result's ``to_dict()``.

    Returns
    -------
    list of str
        Names in `FIGURES`.

    Examples
    --------
    >>> available({"kind": "comparison", "mean_ranks": {"a": 1.0, "b": 2.0}})
    ['critical-difference']
    """
    return [name for name, entry in FIGURES.items() if _complaint(entry, summary) is None]


def draw(summary: Summary, figure: str = "multitest-graph", **options: Any) -> Figure:
    """Draw a figure from a summary.

    Parameters
    ----------
    summary : mapping
        A result's ``to_dict()``.
    figure : str
        A name in `FIGURES`.
    **options
        The figure's own options; ``multitest-graph`` has ``steps``.

    Returns
    -------
    matplotlib.figure.Figure
        Sized by its content.

    Examples
    --------
    >>> summary = {
    ...     "kind": "comparison",
    ...     "algorithms": ["svr", "c45"],
    ...     "n_datasets": 38,
    ...     "mean_ranks": {"svr": 1.2, "c45": 1.8},
    ...     "critical_difference": 0.318,
    ...     "groups": [["svr"], ["c45"]],
    ... }
    >>> type(draw(summary, "critical-difference")).__name__
    'Figure'
    """
    entry = FIGURES[figure]
    complaint = _complaint(entry, summary)
    if complaint:
        raise ParameterError(complaint)
    for option in options:
        if option not in entry.options:
            allowed = ", ".join(entry.options) or "none"
            raise ParameterError(
                option, f"not an option of the figure {figure!r}, whose options are: {allowed}"
            )
    return entry.draw(summary, **options)


def _complaint(entry: FigureKind, summary: Summary) -> str | None:
    """Say in one line why a figure cannot be drawn from a summary, or nothing."""
    kind = summary.get("kind")
    if kind not in entry.kinds:
        needed = " or ".join(entry.kinds)
        article = "an" if needed[0] in "aeiou" else "a"
        return f"figure: {entry.name!r} is drawn from {article} {needed}, not from {kind!r}."
    return entry.lacks(summary)


# What goes into the file besides the picture: no dates, so that the same figure is the same file.
_FORMATS: dict[str, dict[str, Any]] = {
    ".svg": {"format": "svg", "metadata": {"Date": None}},
    ".png": {"format": "png", "metadata": {}},
    ".pdf": {"format": "pdf", "metadata": {"CreationDate": None}},
}


def check_path(path: str | os.PathLike[str]) -> Path:
    """Return a path that a figure can be saved to, or say what is wrong before it is drawn.

    Parameters
    ----------
    path : path-like
        Where a figure is to go.

    Returns
    -------
    pathlib.Path
        The same path.

    Examples
    --------
    >>> check_path("figure.jpg")
    Traceback (most recent call last):
    ...
    palio.errors.ParameterError: path: 'figure.jpg' must end in .svg, .png or .pdf.
    """
    target = Path(path)
    if target.suffix.lower() not in _FORMATS:
        raise ParameterError("path", f"{str(target)!r} must end in .svg, .png or .pdf")
    if target.is_dir():
        raise ParameterError("path", f"{str(target)!r} cannot be written: it is a folder")
    if not target.parent.is_dir():
        raise ParameterError(
            "path", f"{str(target)!r} cannot be written: {str(target.parent)!r} is not a folder"
        )
    return target


def save(fig: Figure, path: str | os.PathLike[str]) -> Path:
    """Write a figure to a file, in the format that the suffix names.

    Parameters
    ----------
    fig : matplotlib.figure.Figure
        What `draw` returned.
    path : path-like
        Ends in ``.svg``, ``.png`` (200 dpi) or ``.pdf``. An existing file is replaced, and only
        once the new one is complete.

    Returns
    -------
    pathlib.Path
        The path.

    Examples
    --------
    >>> import tempfile
    >>> ranks = {"kind": "comparison", "mean_ranks": {"a": 1.0, "b": 2.0}}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(draw(ranks, "critical-difference"), Path(folder) / "ranks.svg").name
    'ranks.svg'
    """
    target = check_path(path)
    content = _render(fig, _FORMATS[target.suffix.lower()])
    try:
        replace_file(target, content)
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise ParameterError("path", f"{str(target)!r} cannot be written: {reason}") from None
    return target


def _render(fig: Figure, how: dict[str, Any]) -> bytes:
    from matplotlib import rc_context

    from palio.report.figures.style import DPI, FILE_SETTINGS, PAPER

    buffer = io.BytesIO()
    with rc_context(FILE_SETTINGS):
        fig.savefig(buffer, dpi=DPI, facecolor=PAPER, **how)
    return buffer.getvalue()
