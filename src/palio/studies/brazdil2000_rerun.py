"""The experiment of brazdil2000 run again: stand-ins for its six learners on its 16 data sets."""

from __future__ import annotations

import os
from typing import Any

from palio.scores import ScoreTable
from palio.studies.reproduction import read_shipped
from palio.studies.rerunning import Setting, coded_sets, papers_data, run_again, write_kept

DATA = papers_data("brazdil2000")
# The paper's learners, and what stands in for them.
LEARNERS = {
    "c5": "c45",
    "ltree": "mdt",
    "timbl": "ib1",
    "discrim": "lda",
    "nbayes": "nb",
    "c5boost": "boost",
}
NOTES = (
    "rerun: 10-fold cv, stratified, the same folds for all (the paper does not say whether its "
    "own are stratified); accuracy; missing values are filled in within the fold; waveform is "
    "UCI's with 21 inputs",
    "stand-ins: c45 for c5 (C4.5, pruned with a fifth of the rows), boost for c5boost (AdaBoost of "
    "ten entropy trees, two rows in a leaf at least), mdt for ltree (a tree of linear "
    "discriminants), lda for discrim, nb for nbayes (Gaussian; nominal values by frequency), ib1 "
    "for timbl (every value a symbol, weighted by gain ratio, as TiMBL does unless told otherwise; "
    "chosen because it comes near the paper's errors on glass and australian, and on glass a "
    "nearest neighbour by distance does not)",
)
_COST = "fit_cpu_time"


def learners() -> dict[str, Any]:
    """Make the stand-ins."""
    from sklearn.discriminant_analysis import (  # type: ignore[import-untyped]
        LinearDiscriminantAnalysis,
    )
    from sklearn.ensemble import AdaBoostClassifier  # type: ignore[import-untyped]
    from sklearn.tree import DecisionTreeClassifier  # type: ignore[import-untyped]

    from palio.algorithms.catalogue import LEARNERS as CATALOGUE
    from palio.studies.brazdil2000_learners import (
        MixedNaiveBayesClassifier,
        SymbolicNeighbourClassifier,
    )

    # C5.0 boosts ten trees unless told otherwise, and splits off two rows at least.
    tree = DecisionTreeClassifier(criterion="entropy", min_samples_leaf=2)
    return {
        "c45": CATALOGUE["c45"].estimator(),
        "mdt": CATALOGUE["mdt"].estimator(),
        "ib1": SymbolicNeighbourClassifier(),
        "lda": LinearDiscriminantAnalysis(),
        "nb": MixedNaiveBayesClassifier(),
        "boost": AdaBoostClassifier(tree, n_estimators=10),
    }


def run(setting: Setting) -> tuple[ScoreTable, tuple[str, ...]]:
    """Run what the store has not; return accuracies by 10-fold cv, and which files are missing."""
    from palio.experiment.plan import make_plan

    found, missing = coded_sets(setting, DATA)
    # The small ones first, so that there is soon something to see.
    found.sort(key=lambda each: each.n_rows)
    plan = make_plan(
        found, learners(), prepare="standard", resampling="10-fold", scoring="accuracy"
    )
    return run_again(plan, setting, name="brazdil2000"), missing


def export(table: ScoreTable, path: str | os.PathLike[str]) -> None:
    """Write the folds of a rerun as the package keeps them: accuracy, and CPU seconds to train."""
    frame = table.to_frame().sort_values(["dataset", "algorithm", "fold"])
    columns = ["dataset", "algorithm", "fold", "accuracy", _COST]
    write_kept(frame[columns], path, [_COST])


def kept() -> ScoreTable:
    """Return the folds of the rerun that the package keeps."""
    return read_shipped("brazdil2000", "rerun", score="accuracy", costs=[_COST])
