"""Tables like wainer2016's whose truth is known, and what the Bayesian ANOVA says of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from palio.bayes.models.anova import anova
from palio.bayes.rope import suggest_rope
from palio.scores import ScoreTable
from palio.studies.reproduction import Cell, Check, check_cells
from palio.studies.wainer2016_bayes import DELTA, MEAN, N_DATASETS, SD_DATASET
from palio.types import BoolArray, FloatArray

# What happened, and the probabilities that were stated.
Groups = dict[Cell, tuple[BoolArray, FloatArray]]

N_ALGORITHMS = 14
# Spreads like the study's: that of the errors is what Table 3 implies, that of the algorithms
# what it implies for the twelve best.
SD_ALGORITHM, SD_ERROR = 0.02, 0.06
# A normal change has its median at 0.6745 standard deviations; a half has half the variance.
SD_HALF = DELTA / 0.6744898 / np.sqrt(2)
# Degrees of freedom of the errors with which the robust model is tried.
DF = 4.0

EDGES = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
# Observed shares may be this many binomial standard errors away from what was expected.
LIMIT = 3.0
WORDS = ("expected", "observed")


@dataclass(frozen=True, eq=False)
class Seen:
    """What was said of pairs whose truth is known, and what was true.

    Parameters
    ----------
    inside : array of bool (n,)
        Whether the true difference lies in its 95 % interval.
    stated : array (n,)
        The probability that the two are practically equal.
    equal : array of bool (n,)
        Whether they are.
    thresholds : array (tables,)
        The threshold that each table suggests.
    """

    inside: BoolArray
    stated: FloatArray
    equal: BoolArray
    thresholds: FloatArray


def simulate(rng: np.random.Generator, *, df: float | None = None) -> tuple[ScoreTable, FloatArray]:
    """Return the two halves of 115 data sets, and the true effects of 14 algorithms.

    The errors of an algorithm on a data set are normal, or Student t with ``df``; they are the
    model's. What differs between the halves of a data set comes on top and is always normal.
    """
    shape = (N_DATASETS, N_ALGORITHMS)
    effects = SD_ALGORITHM * rng.standard_normal(N_ALGORITHMS)
    errors = rng.standard_normal(shape) if df is None else rng.standard_t(df, shape)
    scores = MEAN + SD_DATASET * rng.standard_normal(N_DATASETS)[:, None] + effects
    scores += np.sqrt(SD_ERROR**2 - SD_HALF**2 / 2) * errors
    halves = scores[:, :, None, None] + SD_HALF * rng.standard_normal((*shape, 1, 2))
    table = ScoreTable.from_arrays(
        halves,
        datasets=[f"data set {i}" for i in range(N_DATASETS)],
        algorithms=[f"algorithm {j}" for j in range(N_ALGORITHMS)],
        measure="error",
    )
    return table, effects


def watch(n_tables: int, *, robust: bool, draws: int, seed: int) -> Seen:
    """Ask the model about simulated tables, its own errors in them.

    Of each table seven pairs are looked at that share no algorithm. Given the spreads their
    differences are independent, so what is counted is binomial.
    """
    rng = np.random.default_rng([seed, robust])
    inside, stated, equal, thresholds = [], [], [], []
    for number in range(n_tables):
        table, effects = simulate(rng, df=DF if robust else None)
        suggested = suggest_rope(table)
        found = anova(table, rope=suggested.rope, robust=robust, draws=draws, seed=number)
        pairs = found.pairs
        apart = (pairs.first % 2 == 0) & (pairs.second == pairs.first + 1)
        gap = effects[pairs.first[apart]] - effects[pairs.second[apart]]
        low, high = pairs.hdi[apart].T
        inside.append((low <= gap) & (gap <= high))
        stated.append(pairs.probabilities[apart, 1])
        equal.append(np.abs(gap) <= suggested.value)
        thresholds.append(suggested.delta)
    return Seen(
        np.concatenate(inside), np.concatenate(stated), np.concatenate(equal), np.array(thresholds)
    )


def check_coverage(seen: dict[str, Seen]) -> Check:
    """Compare how many 95 % intervals hold the true difference with 95 %."""
    shares: Groups = {
        (name,): (found.inside, np.full(found.inside.size, 0.95)) for name, found in seen.items()
    }
    return _check_shares("coverage", "simulated: true differences in 95 % intervals", shares)


def check_calibration(seen: dict[str, Seen]) -> Check:
    """Compare stated probabilities of practical equality with how often it was so.

    The pairs are put together by what was said of them; the few of a robust model are one group.
    """
    groups: Groups = {}
    for name, found in seen.items():
        edges = EDGES if found.stated.size >= 100 else (0.0, 1.0)
        place = np.clip(np.searchsorted(edges, found.stated, side="right") - 1, 0, len(edges) - 2)
        for b in np.unique(place).tolist():
            here = place == b
            label = f"{name}, said {edges[b]:g} to {edges[b + 1]:g}"
            groups[(label,)] = (found.equal[here], found.stated[here])
    return _check_shares("calibration", "simulated: practically equal, said and true", groups)


def _check_shares(table: str, title: str, groups: Groups) -> Check:
    """Compare shares of what happened with the mean of the probabilities said."""
    return check_cells(
        table,
        title,
        {cell: round(float(said.mean()), 4) for cell, (_, said) in groups.items()},
        {cell: round(float(happened.mean()), 4) for cell, (happened, _) in groups.items()},
        tolerances={
            cell: LIMIT * float(np.sqrt(np.sum(said * (1 - said)))) / said.size
            for cell, (_, said) in groups.items()
        },
        explain=lambda cell: (
            f"{groups[cell][0].size} pairs; more than {LIMIT:g} binomial standard errors away"
        ),
        words=WORDS,
    )


def check_threshold(seen: Sequence[Seen]) -> Check:
    """Compare the mean threshold that tables suggest with the one they were made with."""
    thresholds = np.concatenate([found.thresholds for found in seen])
    # The median of n half-normal changes has standard error 1/(2 f √n), f their density there.
    changes = thresholds.size * 3 * N_DATASETS
    density = 2 * np.exp(-(0.6744898**2) / 2) / np.sqrt(2 * np.pi) / (SD_HALF * np.sqrt(2))
    return check_cells(
        "threshold",
        "simulated: the threshold δ that tables suggest",
        {("mean δ",): DELTA},
        {("mean δ",): round(float(thresholds.mean()), 6)},
        tolerance=LIMIT / (2 * density * np.sqrt(changes)),
        explain=lambda _cell: f"{changes} changes; more than {LIMIT:g} standard errors away",
        words=WORDS,
    )
