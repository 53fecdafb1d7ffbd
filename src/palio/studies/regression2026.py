"""Eight learners on public regression data: what `palio recommend` goes by in regression.

The table is kept with the package: the error of each of 5×2 folds, and CPU seconds.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from palio.recommending.relevance import Described
from palio.scores import ScoreTable
from palio.studies.reproduction import (
    Check,
    Layout,
    Reproduction,
    check_cells,
    read_rows,
    read_shipped,
)
from palio.studies.rerunning import Setting, data_sets, run_again, stored, write_kept

if TYPE_CHECKING:
    from palio.experiment.data.datasets import Dataset
    from palio.experiment.plan import Plan

REFERENCE = (
    "an experiment with this package in 2026: eight learners of scikit-learn, 5×2 cv, on public "
    "regression data"
)
COSTS = ("fit_cpu_time", "predict_cpu_time")

_NAME, _SCORER, _SAMPLE_ROWS = "regression2026", "neg_root_mean_squared_error", 2000
_SIZES = ("rows", "all_rows", "features", "categorical")


def load() -> ScoreTable:
    """Return the root mean squared errors of all folds, and the costs.

    >>> load().n_algorithms
    8
    """
    return read_shipped(_NAME, "results", score="rmse", costs=list(COSTS))


def described() -> tuple[Described, ...]:
    """Return the data sets as a recommendation takes them, so that nearness needs no data."""
    return tuple(
        Described(
            row["dataset"],
            int(row["rows"]),
            {
                name: float(value or "nan")
                for name, value in row.items()
                if name not in ("dataset", "source", *_SIZES)
            },
            "regression",
        )
        for row in read_rows(_NAME, "datasets")
    )


def learners() -> dict[str, Any]:
    """Make the learners, with scikit-learn's defaults but for what is said here.

    >>> list(learners())
    ['ridge', 'knn', 'tree', 'rf', 'et', 'hgb', 'svr', 'mlp']
    """
    from sklearn import (  # type: ignore[import-untyped]
        ensemble,
        linear_model,
        neighbors,
        neural_network,
        svm,
        tree,
    )
    from sklearn.compose import TransformedTargetRegressor  # type: ignore[import-untyped]
    from sklearn.preprocessing import StandardScaler  # type: ignore[import-untyped]

    def scaled(estimator: Any) -> Any:
        # Its penalty or its steps are in the unit of the target.
        return TransformedTargetRegressor(estimator, transformer=StandardScaler())

    return {
        "ridge": linear_model.RidgeCV(alphas=[0.01, 0.1, 1.0, 10.0, 100.0]),
        "knn": neighbors.KNeighborsRegressor(),
        "tree": tree.DecisionTreeRegressor(min_samples_leaf=5),
        "rf": ensemble.RandomForestRegressor(),
        "et": ensemble.ExtraTreesRegressor(),
        "hgb": ensemble.HistGradientBoostingRegressor(),
        "svr": scaled(svm.SVR(C=10.0)),
        "mlp": scaled(neural_network.MLPRegressor(max_iter=500)),
    }


def reproduce(again: ScoreTable | None = None) -> Reproduction:
    """Lay the data sets and the learners out; with a table of a rerun, compare it cell by cell."""
    table = load()
    checks = () if again is None else (_compared(table, again),)
    ranks, costs = table.means().argsort(axis=1).argsort(axis=1).mean(axis=0), table.mean_costs()
    return Reproduction(
        study=_NAME,
        reference=REFERENCE,
        checks=checks,
        layouts=(
            Layout(
                "learners",
                "mean rank by rmse, and seconds to fit half of a data set (geometric mean)",
                {
                    (name, what): f"{value:.3g}"
                    for j, name in enumerate(table.algorithms)
                    for what, value in (
                        ("rank", float(ranks[j]) + 1),
                        ("CPU s", costs["fit_cpu_time"][name]),
                    )
                },
            ),
            Layout(
                "data",
                "the data sets: rows as run, rows there are, features and nominal ones of them",
                {
                    (row["dataset"], column.replace("_", " ")): row[column]
                    for row in read_rows(_NAME, "datasets")
                    for column in _SIZES
                },
            ),
        ),
        notes=(
            f"of data sets with more than {_SAMPLE_ROWS:,} rows so many were drawn; features were "
            "imputed, scaled and coded 1-of-n within the folds; no hyper-parameters were searched",
        ),
    )


def _compared(table: ScoreTable, again: ScoreTable) -> Check:
    kept, rerun = _cells(table), _cells(again)
    return check_cells(
        "errors",
        "mean rmse of the folds",
        {cell: value for cell, value in kept.items() if cell in rerun},
        rerun,
        tolerance=1e-9,
        words=("kept", "run again"),
    )


def _cells(table: ScoreTable) -> dict[tuple[str, ...], float]:
    """Return the mean error of each data set and learner, whichever sign it has."""
    return {
        (dataset, name): abs(float(table.means()[i, j]))
        for i, dataset in enumerate(table.datasets)
        for j, name in enumerate(table.algorithms)
    }


# --- the experiment ------------------------------------------------------------------------------


def rerun(setting: Setting) -> Reproduction:
    """Run the experiment again on a folder's data sets; with ``keep`` write what the store has."""
    plan = lay_out(setting)
    table = (stored if setting.keep else run_again)(plan, setting, name=_NAME)
    if setting.keep:
        keep(table, plan, setting, Path(setting.keep))
    return reproduce(table)


def keep(table: ScoreTable, plan: Plan, setting: Setting, folder: Path) -> None:
    """Write the folds and what is known of the data sets, as `load` and `described` read them."""
    from palio.experiment.data.metafeatures import describe
    from palio.studies.replication2026_keep import source_of, write_rows

    folder.mkdir(parents=True, exist_ok=True)
    frame = table.to_frame()
    frame["rmse"] = -frame[_SCORER]
    columns = ["dataset", "algorithm", "repeat", "fold", "rmse", *COSTS]
    write_kept(frame[columns], folder / "results.csv", COSTS)
    rows = []
    for data in {job.dataset.name: job.dataset for job in plan.jobs}.values():
        sizes = (data.n_rows, _read(setting, data.name).n_rows, data.n_features)
        known: dict[str, Any] = dict(zip(_SIZES, (*sizes, len(data.categorical)), strict=True))
        features = {
            name: f"{value:.4g}".replace("nan", "") for name, value in describe(data).items()
        }
        source = source_of(setting.folder / f"{data.name}.csv")
        rows.append({"dataset": data.name, **known, "source": source, **features})
    write_rows(folder / "datasets.csv", rows[0], rows)


def lay_out(setting: Setting) -> Plan:
    """Lay out 5×2 folds of each data set of a folder, the smallest first."""
    from palio.experiment.plan import make_plan

    found, _ = data_sets(setting, sorted(p.stem for p in setting.folder.glob("*.csv")), _read)
    found.sort(key=lambda each: (each.n_rows, each.name))
    most = setting.sample_rows or _SAMPLE_ROWS
    return make_plan(
        found,
        learners(),
        prepare="standard",
        resampling="5x2",
        scoring=_SCORER,
        seed=2026,
        max_rows=most,
    )


def _read(setting: Setting, name: str) -> Dataset:
    from palio.experiment.data.datasets import load_datasets

    (found,) = load_datasets(f"csv:{setting.folder / name}.csv", task="regression")
    return found
