"""The catalogue's own trees against scikit-learn's, on 10,000 rows × 20 numeric columns.

Seconds to fit, the best of several turns taken one after the other; what a first call compiles is
not counted. C4.5 with and without pruning; the goal is at most 3 times scikit-learn's tree.

    python benchmarks/learners.py [--rows 10000] [--columns 20] [--rounds 5]
"""

from __future__ import annotations

import argparse
import time
from typing import Any

from sklearn.base import clone  # type: ignore[import-untyped]
from sklearn.datasets import make_classification  # type: ignore[import-untyped]
from sklearn.tree import DecisionTreeClassifier  # type: ignore[import-untyped]

from palio.algorithms.c45 import C45Classifier
from palio.algorithms.mdt import MDTClassifier

RIVAL = "scikit-learn's tree, entropy"
LEARNERS: dict[str, Any] = {
    RIVAL: DecisionTreeClassifier(criterion="entropy", random_state=0),
    "scikit-learn's tree, gini": DecisionTreeClassifier(random_state=0),
    "c45": C45Classifier(random_state=0),
    "c45, not pruned": C45Classifier(pruning_fraction=0),
    "mdt": MDTClassifier(random_state=0),
}


def seconds(learner: Any, X: Any, y: Any) -> tuple[float, float]:
    """Return what a fit takes, and what predicting the same rows does."""
    model = clone(learner)
    start = time.perf_counter()
    model.fit(X, y)
    middle = time.perf_counter()
    model.predict(X)
    return middle - start, time.perf_counter() - middle


def main() -> None:
    """Print seconds, and how many times the rival's they are."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=10_000)
    parser.add_argument("--columns", type=int, default=20)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    X, y = make_classification(
        options.rows,
        options.columns,
        n_informative=options.columns // 2,
        n_classes=3,
        flip_y=0.05,
        random_state=0,
    )
    taken: dict[str, list[tuple[float, float]]] = {name: [] for name in LEARNERS}
    for _ in range(options.rounds):
        for name, learner in LEARNERS.items():
            taken[name].append(seconds(learner, X, y))
    rival = min(fit for fit, _ in taken[RIVAL])
    print(f"{'':32} {'fit':>8} {'ratio':>7} {'predict':>9}")
    for name, times in taken.items():
        fit, predict = (min(each) for each in zip(*times, strict=True))
        print(f"{name:32} {fit:8.4f} {fit / rival:7.2f} {predict:9.4f}")


if __name__ == "__main__":
    main()
