"""What every figure of the registry keeps, whatever it is drawn from."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from matplotlib.collections import Collection
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.text import Text

import palio
from palio.errors import PalioError, ParameterError
from palio.measures import Measure
from palio.report.figures import FIGURES, available, draw
from palio.report.figures.kinds import FigureKind
from palio.results import Result
from palio.scores import ItemScores, ScoreTable
from palio.studies.reproduction import Cell, CellGrid
from palio.studies.yildiz2006_figures import Density, ErrorDensities
from tests.report.figures.summaries import check_texts, one_line
from tests.report.figures.test_comparison_labels import check_shapes
from tests.slow import mostly_slow

# These name one pair, methods, components, those that there is room for, or those that share data
# sets.
NOT_ALL = (
    "aggregates", "loss-curves", "pareto", "performance-profile", "posterior", "predictive-check",
    "simplex", "standard-errors", "variance-shares",
)  # fmt: skip

TABLES = ("higher", "lower", "missing", "holes", "two", "level")


@cache
def table_of(case: str) -> ScoreTable:
    """Return ten data sets: errors, scores with holes, two algorithms alone, or all the same.

    Of "missing" some data sets have every score, of "holes" none has.
    """
    rng = np.random.default_rng(0)
    k = 2 if case == "two" else 4
    scores = rng.uniform(0.5, 0.9, (10, k)) + np.linspace(0, 0.09, k)
    if case == "missing":
        scores[3, 1] = scores[7, 2] = np.nan
    if case == "holes":
        scores[range(10), [i % k for i in range(10)]] = np.nan
    if case == "level":
        scores[:] = 0.5
    return ScoreTable.from_arrays(
        scores,
        datasets=[f"data {i}" for i in range(10)],
        algorithms=[f"algorithm {i}" for i in range(k)],
        measure="error" if case == "lower" else "accuracy",
        costs={"train_time": np.exp(rng.normal(size=(10, k)))},
        missing="pairwise" if case in ("missing", "holes") else "error",
    )


def predictions(case: str) -> Result:
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 2, 40)
    names = table_of(case).algorithms
    chances = {name: rng.uniform(0, 0.6, 40) + 0.4 * truth for name in names}
    made = palio.Predictions.from_arrays(
        truth,
        {name: (chance > 0.5).astype(int) for name, chance in chances.items()},
        probabilities={name: np.column_stack([1 - c, c]) for name, c in chances.items()},
        classes=[0, 1],
    )
    return palio.compare_predictions(made, test="roc-hull")


def without_scores(case: str) -> Result:
    """Return a comparison whose scores are not known, as where only p-values were published."""
    found = palio.compare(table_of(case))
    unknown = np.full_like(found.compared.values, np.nan)
    return replace(found, compared=replace(found.compared, values=unknown))


def densities(case: str) -> Result:
    curves = (
        Density(name, 6.0, 2.0, [0, 6, 12], [0, 0.2, 0]) for name in table_of(case).algorithms
    )
    error = Measure("error rate in %", higher_is_better=case != "lower")
    return ErrorDensities("iris", error, 10, tuple(curves))


def cell_grid(case: str) -> Result:
    names = table_of(case).algorithms
    low = -0.1 if case == "lower" else 0.0
    cells: dict[Cell, float | str] = {(a, str(i)): low + 0.1 * i for a in names for i in range(3)}
    cells[names[1], "0"] = np.nan
    return CellGrid("1", "how often", cells, "A study's table.", "rank")


def times_of(case: str) -> ScoreTable:
    """Return run times, whose profiles are of ratios to the best."""
    table = table_of(case)
    return ScoreTable.from_arrays(
        np.exp(10 * table.means()), datasets=table.datasets, algorithms=table.algorithms,
        measure="runtime", missing=table.missing,
    )  # fmt: skip


def folds(case: str) -> Result:
    """Return an ordering of the algorithms on the folds of one data set."""
    k = table_of(case).n_algorithms
    scores = np.random.default_rng(2).uniform(0.4, 0.6, (1, k, 5, 2)) + np.linspace(
        0, 0.3, k
    ).reshape(1, k, 1, 1)
    table = ScoreTable.from_arrays(
        scores,
        datasets=["iris"],
        algorithms=table_of(case).algorithms,
        measure=table_of(case).measure,
        costs={"train_time": np.arange(1.0, k + 1)[np.newaxis]},
    )
    return palio.multitest(table, cost="train_time")


def variance_of_folds(case: str) -> Result:
    """Return what the scores on the folds of several data sets vary by."""
    k = table_of(case).n_algorithms
    scores = np.random.default_rng(3).uniform(0.4, 0.6, (6, k, 3, 2))
    if case == "missing":
        scores[2, 1, 0, 0] = np.nan
    table = ScoreTable.from_arrays(
        scores,
        datasets=[f"data {i}" for i in range(6)],
        algorithms=table_of(case).algorithms,
        measure=table_of(case).measure,
    )
    return palio.variance(table)


def over_items(case: str) -> Result:
    """Return a comparison on the items of two data sets."""
    names, rng = table_of(case).algorithms, np.random.default_rng(4)
    scores = rng.uniform(0, 1, (40, len(names)))
    if case in ("missing", "holes"):
        scores[rng.random(scores.shape) < 0.2] = np.nan
    if case == "level":
        scores[:] = 0.5
    items = ItemScores.from_arrays(
        scores,
        algorithms=names,
        measure=table_of(case).measure,
        dataset=["essays"] * 25 + ["puzzles"] * 15,
        cluster=[i // 3 for i in range(40)] if case == "two" else None,
    )
    return palio.compare(items, over="items")


# How a result of each kind is made, from which every figure of that kind is drawn.
MAKERS: dict[str, Callable[[str], Result]] = {
    "comparison": lambda case: palio.compare(table_of(case)),
    "comparison without scores": without_scores,
    "comparison over items": over_items,
    "ordering": folds,
    "posterior": lambda case: palio.bayes.anova(table_of(case), rope=0.01),
    "posterior by pairs": lambda case: palio.bayes.sign(table_of(case), rope=0.01),
    "report": lambda case: palio.analyse(table_of(case), cost="train_time", checks=[]),
    "rank-stability": lambda case: palio.rank_stability(
        table_of(case), ["average-ranks"], n_resamples=30
    ),
    "ranking-evaluation": lambda case: palio.evaluate_rankings(
        table_of(case), ["average-ranks", "copeland"]
    ),
    "aggregates": lambda case: palio.aggregate(table_of(case), n_resamples=50),
    "aggregates of times": lambda case: palio.aggregate(times_of(case), n_resamples=50),
    "prediction-comparison": predictions,
    "error-densities": densities,
    "cell-grid": cell_grid,
    "variance": lambda case: palio.variance(table_of(case)),
    "variance of folds": variance_of_folds,
}


@cache
def result_of(kind: str, case: str) -> Result | None:
    """Return a result, or nothing where there is none: some methods need every score."""
    try:
        return MAKERS[kind](case)
    except PalioError:
        if case in ("missing", "holes", "level"):
            return None
        raise


def check_numbers(figure: Figure) -> None:
    """What is not there is not drawn: an entry whose ``has`` says too much would draw NaN."""
    for shape in figure.findobj(Collection):
        for path in shape.get_paths():
            assert np.isfinite(path.vertices).all(), shape.get_gid()
        assert np.isfinite(np.ma.filled(shape.get_offsets(), 0.0)).all(), shape.get_gid()
    for line in figure.findobj(Line2D):
        assert np.isfinite(line.get_xydata()).all(), line.get_gid()
    for text in figure.findobj(Text):
        assert np.isfinite(text.get_position()).all(), text.get_gid()
        assert "nan" not in text.get_text().split()


def drawn_from(figure: str, case: str) -> list[Result]:
    made = (result_of(kind, case) for kind in MAKERS)
    return [each for each in made if each is not None and figure in available(each)]


@pytest.mark.parametrize("case", mostly_slow(("higher", "two", "lower"), 2))
@pytest.mark.parametrize("figure", FIGURES)
def test_every_figure_can_be_drawn_and_says_what_it_is(figure: str, case: str) -> None:
    entry = FIGURES[figure]
    assert entry.name == figure
    assert entry.title[0].isupper()
    assert not entry.title.endswith(".")
    assert drawn_from(figure, case), f"no result of {MAKERS} can be drawn so; add one"


@pytest.mark.parametrize("case", mostly_slow(TABLES, ("higher", "missing", "two")))
@pytest.mark.parametrize("figure", FIGURES)
def test_texts_and_shapes_are_on_a_page_and_apart(figure: str, case: str) -> None:
    for result in drawn_from(figure, case):
        drawn = draw(result, figure)
        check_texts(drawn)
        check_shapes(drawn)
        check_numbers(drawn)
        width, height = drawn.get_size_inches()
        assert width <= 7.5
        assert height <= 11
        gids = [text.get_gid() for text in drawn.findobj(Text)]
        assert "caption" in gids
        if figure not in NOT_ALL:
            written = " ".join(text.get_text() for text in drawn.findobj(Text))
            assert all(name in written for name in table_of(case).algorithms)


@pytest.mark.parametrize("figure", FIGURES)
def test_what_a_figure_is_not_drawn_from_is_said_in_a_line(figure: str) -> None:
    entry = FIGURES[figure]
    for kind in MAKERS:
        result = result_of(kind, "higher")
        assert result is not None
        if result.answer().kind in entry.kinds:
            continue
        with pytest.raises(ParameterError, match=f"figure: '{figure}' is drawn from") as caught:
            draw(result, figure)
        one_line(caught.value)


def test_what_a_result_lacks_is_said_in_the_words_of_the_entry() -> None:
    entry = FigureKind("x", "X", kinds=("comparison",), has=lambda _: None, needs="more: give it")
    assert entry.complaint(palio.compare(table_of("two"))) == "'x' needs more: give it"


def test_a_dictionary_is_no_result() -> None:
    with pytest.raises(ParameterError, match=r"a dict was given; leave out \.to_dict\(\)\."):
        draw(palio.compare(table_of("two")).to_dict(), "p-values")  # type: ignore[arg-type]
