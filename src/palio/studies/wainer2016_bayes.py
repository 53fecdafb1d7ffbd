"""Wainer (2016), the Bayesian half: who is practically as good as whom.

The error rates themselves are not printed. Without them one can go back from the printed
probabilities of one table to the means behind them, and from these foretell another.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from scipy.special import ndtr

from palio.bayes.models.anova import anova
from palio.bayes.posterior import Posterior
from palio.errors import MissingCellsError
from palio.report.references import REFERENCES
from palio.scores import ScoreTable
from palio.studies.reproduction import (
    Cell,
    Check,
    Reproduction,
    check_cells,
    read_rows,
)
from palio.types import FloatArray

REFERENCE = REFERENCES["Wainer 2016"].removesuffix(".")
Progress = Callable[[str], None]

# The size of the study, and its threshold of irrelevance (§4.3); the mean and the spread of the
# data sets are such that 3 % of generated scores are negative, as App. C tells.
N_DATASETS = 115
DELTA = 0.0112
MEAN, SD_DATASET = 0.2, 0.085

_DRAWS = 10_000
# Half the last digit, and three Monte-Carlo errors of the paper's 100,000 draws.
_PRINTED = 0.01


def load() -> ScoreTable:
    """Refuse: the error rates of wainer2016 are not in the paper."""
    raise MissingCellsError(
        "study",
        "'wainer2016-bayes' has no scores to load, because the paper does not print its error "
        "rates",
        remedy="reproduce it (palio reproduce wainer2016-bayes), or load 'ulas2008'",
    )


def reproduce() -> Reproduction:
    """Check the published tables by each other."""
    return Reproduction(
        study="wainer2016-bayes",
        reference=REFERENCE,
        checks=tuple(_from_means({number: papers_pairs(number) for number in ("3", "7")})),
        notes=_NOTES,
    )


def nobody(_step: str) -> None:
    """Tell nobody of a step."""


_NOTES = (
    "the error rates of the study are not printed: its Tables 3, 7, 8 and 12 cannot be recomputed "
    "from scores, nor its medians δ = 0.0112 and δ^cv = 0.0134",
    "Table 3 agrees by a fit: the fourteen means and the one spread of errors that explain its 91 "
    "probabilities best are put into a table of the study's size, and the model is asked about it; "
    "Table 7 had no part in finding them, so its cells are foretold",
    "Table 8 is a part of Table 12; where §5 says Table 8 shows half the region, it is Table 7",
)


# --- the published tables by each other --------------------------------------------------------


def papers_pairs(number: str) -> dict[Cell, float]:
    """Read a published triangle: (row, column) to the probability of equality, or the p-value."""
    rows = read_rows("wainer2016", f"table_{number}")
    return {(row["a"], row["b"]): float(row["value"]) for row in rows}


def _from_means(published: Mapping[str, Mapping[Cell, float]]) -> list[Check]:
    """Ask the model about a table whose means are those behind Table 3."""
    table = _table_behind(published["3"])
    return [
        check_cells(
            number,
            title,
            published[number],
            {cell: round(p, 4) for cell, p in _equal(table, width, published[number]).items()},
            tolerance=_PRINTED,
            words=("published", word),
        )
        for number, title, word, width in (
            ("3", "within ±0.0112: 91 cells, 15 numbers fitted", "fitted", DELTA),
            ("7", "within ±0.0056, foretold from Table 3", "foretold", DELTA / 2),
        )
    ]


def _equal(table: ScoreTable, width: float, cells: Mapping[Cell, float]) -> dict[Cell, float]:
    found = equalities(anova(table, rope=width, draws=_DRAWS))
    return {cell: found[frozenset(cell)] for cell in cells}


def equalities(posterior: Posterior) -> dict[frozenset[str], float]:
    """Return the probability of practical equality of every pair."""
    names, pairs = posterior.algorithms, posterior.pairs
    return {
        frozenset((names[i], names[j])): float(p)
        for i, j, p in zip(pairs.first, pairs.second, pairs.probabilities[:, 1], strict=True)
    }


def _table_behind(cells: Mapping[Cell, float]) -> ScoreTable:
    """Return a table of the study's size that the model judges as Table 3 does.

    The posterior of a complete table with normal errors depends on its means and its sums of
    squares alone. The posterior means x and the standard deviation s of a difference follow from
    Table 3; the scores behind them are x over the shrinkage, with errors σ_0. As x varies by
    v = shrinkage · σ_a² and s²/2 = shrinkage · σ_0²/S, both follow from v + s²/2 = σ_a².
    """
    names = list(dict.fromkeys(name for cell in cells for name in reversed(cell)))
    x, spread = _means_behind(cells, names)
    v, half = float(np.var(x, ddof=1)), spread**2 / 2
    shrinkage = v / (v + half)
    rng = np.random.default_rng(0)
    errors = _centred(rng.standard_normal((N_DATASETS, len(names))))
    df = (N_DATASETS - 1) * (len(names) - 1)
    errors *= np.sqrt(half / shrinkage * N_DATASETS * df / np.sum(errors**2))
    rows = rng.standard_normal(N_DATASETS)
    rows = SD_DATASET * (rows - rows.mean()) / rows.std()
    return ScoreTable.from_arrays(
        MEAN + rows[:, None] + (x - x.mean()) / shrinkage + errors,
        datasets=[f"data set {i}" for i in range(N_DATASETS)],
        algorithms=names,
        measure="error",
    )


def _means_behind(cells: Mapping[Cell, float], names: Sequence[str]) -> tuple[FloatArray, float]:
    """Fit means and one standard deviation of their differences to printed probabilities."""
    from scipy.optimize import least_squares  # slow to import

    row = np.array([names.index(a) for a, _ in cells])
    column = np.array([names.index(b) for _, b in cells])
    printed = np.array(list(cells.values()))

    def residuals(unknown: FloatArray) -> FloatArray:
        spread, gap = np.exp(unknown[-1]), np.abs(unknown[row] - unknown[column])
        left: FloatArray = ndtr((1 - gap) / spread) - ndtr((-1 - gap) / spread) - printed
        return left

    # In units of δ; the algorithms stand in the order of their mean ranks, which is about right.
    start = np.r_[np.arange(len(names)) / 2.0, np.log(0.7)]
    found = least_squares(residuals, start).x
    return DELTA * found[:-1], float(DELTA * np.exp(found[-1]))


def _centred(values: FloatArray) -> FloatArray:
    """Take the means of rows and columns out."""
    rows = values - values.mean(axis=1, keepdims=True)
    centred: FloatArray = rows - rows.mean(axis=0)
    return centred
