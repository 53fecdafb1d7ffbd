"""Jobs that change what all code of a process shares, beside honest ones: these notice nothing."""

import statistics
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest
from sklearn.naive_bayes import GaussianNB  # type: ignore[import-untyped]

import palio
from palio.errors import ParameterError
from palio.experiment.config import load_experiment
from palio.experiment.engines import EngineKind, EngineOptions
from palio.experiment.outcome import JobOutcome
from palio.experiment.plan import Plan, make_plan
from palio.experiment.runner import Progress, run_plan
from palio.experiment.store.store import Store
from tests.experiment.estimators import TellsPid
from tests.experiment.saboteurs import LEFT_BEHIND, SABOTAGES, Honest, Saboteur
from tests.experiment.test_faults import folds_of, jobs_of, undisturbed, written

pytestmark = [
    pytest.mark.filterwarnings("ignore"),
    pytest.mark.posix("forks, and changes limits and signals"),
]
linux_only = pytest.mark.skipif(
    sys.platform != "linux", reason="what else is left behind can only be looked at on Linux"
)
FEW = ["files", "threads", "fork", "signals"]


def plan_of(kinds: list[str], *, honest: int = 3, resampling: str = "2-fold") -> Plan:
    """Return a plan with so many honest jobs before, between and after saboteurs."""
    algorithms: dict[str, Any] = {}
    for kind in [*kinds, ""]:
        for _ in range(honest):
            algorithms[f"honest {len(algorithms)}"] = Honest(len(algorithms))
        if kind:
            algorithms[kind] = Saboteur(kind)
    return make_plan(["sklearn:iris"], algorithms, resampling=resampling)


def run(plan: Plan, place: Path, **options: Any) -> list[JobOutcome]:
    """Run a plan on two workers; return how its jobs ended, in that order."""
    ended: list[JobOutcome] = []

    def tell(state: Progress) -> None:
        if state.last is not None:
            ended.append(state.last)

    with Store(place) as store:
        run_plan(plan, store, EngineOptions(**{"n_jobs": 2, **options}), progress=tell)
    return ended


@linux_only
@pytest.mark.parametrize(
    "kinds", [FEW, *(pytest.param([kind], marks=pytest.mark.slow) for kind in SABOTAGES)], ids=str
)
def test_the_scores_of_others_are_what_they_were(kinds: list[str], tmp_path: Path) -> None:
    plan = plan_of(kinds)
    ended = {each.key: each for each in run(plan, tmp_path / "e.db")}
    with Store(tmp_path / "e.db") as store:
        jobs, folds = jobs_of(store), folds_of(store)
    assert len(jobs) == len(plan.jobs)
    assert {jobs[name]["status"] for name in jobs if name not in kinds} == {"ok"}
    honest = {job.algorithm: job.estimator for job in plan.jobs if job.algorithm not in kinds}
    alone = make_plan(["sklearn:iris"], honest, resampling="2-fold")
    assert [fold for fold in folds if fold[0] in honest] == undisturbed(alone, tmp_path)
    for kind in kinds:
        (key,) = (job.key for job in plan.jobs if job.algorithm == kind)
        assert jobs[kind]["status"] in ("ok", "failed", "killed")
        left = ended[key].machine.get("left_behind", "")
        assert LEFT_BEHIND.get(kind, "") in left
        assert bool(left) == (kind in LEFT_BEHIND)


@linux_only
@pytest.mark.slow
def test_the_cpu_time_of_others_is_what_it_was(tmp_path: Path) -> None:
    """Within a fifth: what ran before the first saboteur ended against what ran after, in medians.

    Both are of one run, so that whatever else the machine does concerns both.
    """
    plan = plan_of(list(SABOTAGES), honest=12)
    ended = run(plan, tmp_path / "e.db")
    names = {job.key: job.algorithm for job in plan.jobs}
    first = next(i for i, each in enumerate(ended) if names[each.key] in SABOTAGES)
    times: dict[bool, list[float]] = defaultdict(list)
    for i, each in enumerate(ended):
        if names[each.key] not in SABOTAGES:
            times[i > first].append(sum(fold.costs["fit_cpu_time"] for fold in each.folds))
    assert min(map(len, times.values())) >= 8
    before, after = (statistics.median(times[later]) for later in (False, True))
    assert after == pytest.approx(before, rel=0.2)
    # Nor is there a single one that was hit: a spinning thread, or a trace, doubles it at least.
    assert max(times[True]) < 2 * max(times[False])


def test_each_job_has_its_own_process_if_that_is_asked_for(tmp_path: Path) -> None:
    def pids(isolation: str) -> list[int]:
        file = tmp_path / isolation
        plan = make_plan(["sklearn:iris"], {"it": TellsPid(str(file), 0.0)}, resampling="4x2")
        ended = run(plan, tmp_path / f"{isolation}.db", n_jobs=1, isolation=isolation)
        assert [each.status for each in ended] == ["ok"] * 4
        return [pid for pid, _ in written(file)]

    assert len(set(pids("worker"))) == 1
    own = pids("process")
    assert [own[i] == own[i + 1] for i in range(7)] == [True, False] * 3 + [True]
    assert len(set(own)) == 4


def test_isolation_is_refused_where_there_are_no_workers(kind: EngineKind) -> None:
    options = EngineOptions(kind.name, isolation="process", patience=1.0)
    if kind.workers:
        options.make()
    else:
        with pytest.raises(ParameterError, match="cannot isolate jobs; use engine 'loc"):
            options.make()


def test_isolation_in_python_and_in_a_file(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="isolation: it is 'worker' or 'process', and 'no'"):
        palio.run(["sklearn:iris"], {"nb": GaussianNB()}, isolation="no", store=tmp_path / "e.db")
    text = 'datasets = ["sklearn:iris"]\nalgorithms = ["c45"]\n'
    file = tmp_path / "x.toml"
    file.write_text(f'{text}isolation = "process"\n', encoding="utf-8")
    assert load_experiment(file).isolation == "process"
    file.write_text(f'{text}isolation = "thread"\n', encoding="utf-8")
    with pytest.raises(ParameterError, match=r"line 3, isolation: .*'worker' or 'process'"):
        load_experiment(file)


@pytest.mark.parametrize("kind_of_fork", ["fork", "fork and raise"])
def test_a_process_that_a_fit_forks_does_not_go_on_with_the_run(
    kind_of_fork: str, tmp_path: Path
) -> None:
    """In this very process, too."""
    algorithms = {"forks": Saboteur(kind_of_fork), "nb": GaussianNB()}
    plan = make_plan(["sklearn:iris"], algorithms, resampling="2-fold")
    ended = run(plan, tmp_path / "e.db", engine="inline")
    assert [each.status for each in ended] == ["ok", "ok"]
