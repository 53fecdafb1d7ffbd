"""One thread per job, whatever brings the threads; more only where the experiment asks for them."""

from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from sklearn.datasets import make_classification  # type: ignore[import-untyped]
from sklearn.ensemble import (  # type: ignore[import-untyped]
    HistGradientBoostingClassifier,
    RandomForestClassifier,
    VotingClassifier,
)
from sklearn.linear_model import RidgeClassifier  # type: ignore[import-untyped]
from sklearn.pipeline import make_pipeline  # type: ignore[import-untyped]
from sklearn.preprocessing import StandardScaler  # type: ignore[import-untyped]

from palio.experiment import costs
from palio.experiment.engines import EngineOptions
from palio.experiment.plan import make_plan
from palio.experiment.runner import run_plan
from palio.experiment.store.store import Store
from palio.experiment.work import execute
from tests.experiment.estimators import CpuElsewhere


@pytest.fixture(autouse=True)
def _as_many_threads_as_they_like(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        monkeypatch.delenv(name, raising=False)


LIBRARIES = ["lightgbm", "xgboost", "catboost"]


def learner(library: str, **parameters: Any) -> Any:
    found = pytest.importorskip(library)
    if library == "lightgbm":
        return found.LGBMClassifier(verbose=-1, **parameters)
    if library == "xgboost":
        return found.XGBClassifier(**parameters)
    return found.CatBoostClassifier(verbose=False, allow_writing_files=False, **parameters)


@pytest.mark.parametrize("library", LIBRARIES)
def test_learners_with_threads_of_their_own_are_told_to_use_one(library: str) -> None:
    name = "thread_count" if library == "catboost" else "n_jobs"
    for parameters in ({}, {name: -1}):
        model = learner(library, **parameters)
        piped = make_pipeline(StandardScaler(), VotingClassifier([("inner", model)]))
        assert costs.limit_threads(piped) == 1
        assert model.get_params()[name] == 1


@pytest.mark.parametrize("library", LIBRARIES)
def test_a_number_that_the_experiment_gives_is_kept_under_any_name(library: str) -> None:
    other = {"lightgbm": "num_threads", "xgboost": "nthread", "catboost": "thread_count"}[library]
    model = learner(library, **{other: 3})
    before = model.get_params()
    assert costs.limit_threads(make_pipeline(model)) == 3
    assert model.get_params() == before


def test_none_is_one_thread_in_scikit_learn() -> None:
    """So that the size of a model, pickled, is what it was."""
    forest = RandomForestClassifier()
    assert (costs.limit_threads(forest), forest.n_jobs) == (1, None)


def test_threads_are_recorded_with_the_machine() -> None:
    forests = {str(n): RandomForestClassifier(2, n_jobs=n) for n in (None, -1, 2)}
    plan = make_plan(["sklearn:iris"], forests, resampling="2-fold")
    told = {job.algorithm: execute(job).machine["threads"] for job in plan.jobs}
    assert told == {"None": "1", "-1": "1", "2": "2"}


@pytest.mark.slow
@pytest.mark.parametrize("library", [*LIBRARIES, "OpenMP of scikit-learn", "BLAS"])
def test_all_cpu_time_is_that_of_one_thread(library: str, tmp_path: Path) -> None:
    """In a worker: a library that is loaded late, inside a pipeline, is held to one thread, too."""
    X, y = make_classification(4000, 300, n_informative=20, random_state=0)
    pd.DataFrame(X).add_prefix("x").assign(target=y).to_csv(tmp_path / "x.csv", index=False)
    model: Any
    if library == "BLAS":
        model = RidgeClassifier()
    elif library in LIBRARIES:
        model = learner(library, n_estimators=50)
    else:
        model = HistGradientBoostingClassifier(max_iter=20)
    algorithms = {"it": make_pipeline(StandardScaler(), CpuElsewhere(model))}
    plan = make_plan([f"csv:{tmp_path / 'x.csv'}"], algorithms, resampling="2-fold")
    with Store(tmp_path / "e.db") as store:
        run_plan(plan, store, EngineOptions("local", n_jobs=1))
        (job,) = store.jobs()
    kind, share = job["error"].split(": ")
    assert kind == "RuntimeError"
    assert float(share) < 0.05
