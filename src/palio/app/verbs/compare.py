"""``palio compare``: who differs from whom over many data sets."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from palio.app.options import Alpha, Given, JsonFlag, Reading, choices, figures, show


@Parameter(name="*")
@dataclass(frozen=True)
class PairTestOptions(Given):
    """What some tests take besides."""

    zero_method: Annotated[
        str | None, Parameter(help="wilcoxon, zero differences: wilcox, pratt or zsplit.")
    ] = None
    ties: Annotated[str | None, Parameter(help="sign, ties: drop or split.")] = None
    n_resamples: Annotated[int | None, Parameter(help="permutation: how many.")] = None
    seed: Annotated[int | None, Parameter(help="permutation: the seed.")] = None


def compare(
    results: str,
    /,
    *,
    test: Annotated[
        str, Parameter(help=choices("palio.comparison.pair_tests:PAIR_TESTS"))
    ] = "wilcoxon",
    correction: Annotated[
        str,
        Parameter(help=choices("palio.comparison.corrections:CORRECTIONS")),
    ] = "holm",
    control: Annotated[str | None, Parameter(help="Compare the others with this one.")] = None,
    alpha: Alpha = 0.05,
    omnibus: Annotated[
        str,
        Parameter(help=choices("palio.comparison.omnibus:OMNIBUS_TESTS", "All at once")),
    ] = "friedman",
    pair_options: PairTestOptions | None = None,
    reading: Reading | None = None,
    figure: Annotated[list[str] | None, figures("critical-difference", "comparison")] = None,
    latex: Annotated[Path | None, Parameter(help="Write LaTeX tables to this file.")] = None,
    markdown: Annotated[Path | None, Parameter(help="Write Markdown tables to this file.")] = None,
    json: JsonFlag = False,
) -> None:
    """Compare algorithms over many data sets: all pairs, or all with a control.

    Each data set counts once, with the mean over its folds.

    Example: palio compare results.csv --test wilcoxon --correction holm

    Parameters
    ----------
    results
        Scores: columns dataset, algorithm, a score (folds are averaged), or one column per
        algorithm with --score naming the measure.
    """
    from palio.app.writing import check_figures, write_figures, write_text
    from palio.comparison import compare as compare_table
    from palio.report.latex import render_latex
    from palio.report.markdown import render_markdown

    wanted = check_figures(figure or [], default="critical-difference")
    table = (reading or Reading()).read(results)
    comparison = compare_table(
        table,
        test=test,
        correction=correction,
        alpha=alpha,
        control=control,
        omnibus=omnibus,
        **(pair_options or PairTestOptions()).arguments(),
    )
    show(comparison, json=json)
    write_figures(wanted, comparison)
    for path, render in ((latex, render_latex), (markdown, render_markdown)):
        if path is not None:
            write_text(path, render(comparison))
