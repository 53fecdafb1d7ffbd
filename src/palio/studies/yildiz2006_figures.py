"""Figures 2 to 4 of yildiz2006: a worked example; MultiTest's graph and the errors, twice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from palio.measures import Measure
from palio.ordering import Ordering, multitest
from palio.ordering.arrays import multitest_batch
from palio.results import Result
from palio.scores import ScoreTable
from palio.studies.reproduction import (
    Cell,
    Check,
    Drawing,
    Explain,
    check_cells,
    check_pairs,
    places_of,
)
from palio.studies.yildiz2006_rerun import ALGORITHMS
from palio.types import FloatArray

if TYPE_CHECKING:
    import pandas as pd

NAMES = tuple(ALGORITHMS.values())
FIGURES = {"Figure 3": "hepatitis", "Figure 4": "pendigits"}
# As §4.3 tells them: from the preferred algorithm to one that is significantly better.
EDGES: Mapping[str, frozenset[tuple[str, str]]] = {
    "hepatitis": frozenset(),
    "pendigits": frozenset(combinations(NAMES, 2)) - {("LGC", "C4.5")},
}
ARROW = " → "
_TEST: dict[str, Any] = {"test": "5x2cv-t", "correction": "bonferroni"}
_POINTS = 201


def checks(found: Mapping[str, FloatArray], explain: Explain) -> list[Check]:
    """Compare the worked example, and the most frequent graphs, edge by edge."""
    places = places_of("3241", _worked_example().order)
    made = [check_cells("Figure 2", "worked example, order", *places)]
    for number, dataset in _shown(found):
        edges = set(_usual(dataset, found[dataset])[0].edges)
        pairs: dict[Cell, tuple[float, float]] = {
            (dataset, ARROW.join(pair)): (float(pair in EDGES[dataset]), float(pair in edges))
            for pair in combinations(NAMES, 2)
        }
        title = f"edges of the most frequent graph on {dataset}"
        made.append(check_pairs(number, title, pairs, explain=explain))
    return made


def drawings(found: Mapping[str, FloatArray]) -> tuple[Drawing, ...]:
    """Draw the worked example, the most frequent graphs, and the densities of the errors."""
    made = [
        Drawing("Figure 2", "worked example, step by step", "multitest-graph", _worked_example())
    ]
    for number, dataset in _shown(found):
        ordering, share = _usual(dataset, found[dataset])
        made += [
            Drawing(
                f"{number} graph",
                f"MultiTest's most frequent graph on {dataset}, that of {share:.0f} % of the runs",
                "multitest-graph",
                ordering,
            ),
            Drawing(
                f"{number} errors",
                f"error rates of the five learners on {dataset}",
                "error-densities",
                _densities(dataset, found[dataset]),
            ),
        ]
    return tuple(made)


def _shown(found: Mapping[str, FloatArray]) -> Iterator[tuple[str, str]]:
    return ((number, dataset) for number, dataset in FIGURES.items() if dataset in found)


def _worked_example() -> Ordering:
    """Order four algorithms on folds made up so that the edges of Figure 2 come out."""
    noise = np.random.default_rng(0).normal(size=(1, 4, 5, 2))
    errors = np.array([50.0, 30.0, 10.0, 30.0])[:, np.newaxis, np.newaxis] + noise
    table = ScoreTable.from_arrays(
        errors, datasets=["the worked example"], algorithms="1234", measure="error"
    )
    return multitest(table, prior="1234", **_TEST)


def _usual(dataset: str, errors: FloatArray) -> tuple[Ordering, float]:
    """Return the ordering of the first run with the most frequent graph, and its share."""
    prior = np.arange(len(NAMES))
    batch = multitest_batch(errors, prior, higher_is_better=False, **_TEST)
    graphs = [run.tobytes() for run in batch.edges]
    usual, times = Counter(graphs).most_common(1)[0]
    table = ScoreTable.from_arrays(
        errors[[graphs.index(usual)]], datasets=[dataset], algorithms=NAMES, measure="error"
    )
    return multitest(table, prior=NAMES, **_TEST), 100 * times / len(graphs)


class Density(NamedTuple):
    """How the scores of an algorithm's folds are distributed: a curve, its mean and its spread."""

    name: str
    mean: float
    sd: float
    x: list[float]
    density: list[float]


@dataclass(frozen=True)
class ErrorDensities(Result):
    """The densities of all algorithms' scores on the folds of a data set."""

    kind = "error-densities"
    parts = ("dataset", "measure", "n_folds", "algorithms")

    dataset: str
    measure: Measure
    n_folds: int
    algorithms: tuple[Density, ...]

    def to_frame(self) -> pd.DataFrame:
        """Return one row per algorithm and point of its curve."""
        import pandas as pd

        return pd.concat(pd.DataFrame(each._asdict()) for each in self.algorithms)


def _densities(dataset: str, errors: FloatArray) -> ErrorDensities:
    folds = errors.swapaxes(0, 1).reshape(len(NAMES), -1)
    return ErrorDensities(
        dataset,
        Measure("error rate in %", higher_is_better=False),
        folds.shape[1],
        tuple(
            Density(name, float(values.mean()), float(values.std(ddof=1)), *_density(values))
            for name, values in zip(NAMES, folds, strict=True)
        ),
    )


def _density(values: FloatArray) -> tuple[list[float], list[float]]:
    """Smooth by a Gaussian kernel with Silverman's bandwidth, 0.9 min(s, IQR/1.34) n^(−1/5)."""
    distinct, counts = np.unique(values, return_counts=True)
    quarter, three = np.quantile(values, [0.25, 0.75])
    spread = min(s for s in (values.std(ddof=1), (three - quarter) / 1.34, np.inf) if s > 0)
    # Errors are whole numbers of rows: a kernel as wide as a step shows no combs.
    step = np.diff(distinct).min() if distinct.size > 1 else 1.0
    width = step if np.isinf(spread) else max(0.9 * spread * values.size**-0.2, step)
    x = np.linspace(max(0.0, distinct[0] - 3 * width), distinct[-1] + 3 * width, _POINTS)
    kernels = np.exp(-0.5 * ((x[:, np.newaxis] - distinct) / width) ** 2)
    density = kernels @ counts / (values.size * width * np.sqrt(2 * np.pi))
    return x.round(4).tolist(), density.round(6).tolist()
