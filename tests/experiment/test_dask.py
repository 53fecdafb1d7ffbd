"""The Dask engine: the same scores as any other, also where a worker is killed in mid-run."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB  # type: ignore[import-untyped]
from sklearn.tree import DecisionTreeClassifier  # type: ignore[import-untyped]

import palio
from palio.errors import ParameterError
from palio.experiment.runner import Progress
from palio.experiment.store.store import Store
from tests.experiment import estimators as bad

distributed = pytest.importorskip("distributed")

DATA = ["sklearn:iris", "sklearn:wine"]
GOOD = {"nb": GaussianNB(), "tree": DecisionTreeClassifier()}

pytestmark = pytest.mark.filterwarnings("ignore")  # the cluster's own, as it is taken down


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=None
        ) as cluster,
        distributed.Client(cluster, set_as_default=False) as made,
    ):
        yield made


def test_the_same_scores_as_inline(client: Any, tmp_path: Path) -> None:
    one = palio.run(DATA, GOOD, resampling="3-fold", store=tmp_path / "i.db", engine="inline")
    two = palio.run(DATA, GOOD, resampling="3-fold", store=tmp_path / "d.db", engine=client)
    assert np.array_equal(one.means(), two.means())


def test_by_address(client: Any, tmp_path: Path) -> None:
    table = palio.run(
        DATA, GOOD, resampling="2-fold", store=tmp_path / "a.db", engine="dask",
        scheduler=client.scheduler.address,
    )  # fmt: skip
    assert table.n_datasets == 2


def test_a_killed_worker_loses_no_job(client: Any, tmp_path: Path) -> None:
    algorithms = {**GOOD, "slow": bad.Sleeps(0.2)}
    killed: list[int] = []

    def kill_one(progress: Progress) -> None:
        if progress.done >= 5 and not killed:
            pid = next(iter(client.run(os.getpid).values()))
            killed.append(pid)
            os.kill(pid, signal.SIGKILL)

    disturbed = palio.run(
        DATA, algorithms, store=tmp_path / "k.db", engine=client, progress=kill_one
    )
    whole = palio.run(DATA, algorithms, store=tmp_path / "w.db", engine="local")
    assert killed
    assert np.array_equal(disturbed.means(), whole.means())
    with Store(tmp_path / "k.db") as store:
        assert {job["status"] for job in store.jobs()} == {"ok"}


def test_limits_hold_inside_a_worker(client: Any, tmp_path: Path) -> None:
    store = tmp_path / "l.db"
    palio.run(
        ["sklearn:iris"], {"nb": GaussianNB(), "slow": bad.Sleeps(60)}, resampling="2-fold",
        store=store, engine=client, time_limit=5,
    )  # fmt: skip
    with Store(store) as opened:
        ended = {job["algorithm"]: job["status"] for job in opened.jobs()}
    assert ended == {"nb": "ok", "slow": "timeout"}


def test_nobody_at_the_address(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ParameterError, match="nobody answers at 'tcp"):
        palio.run(DATA, GOOD, store=tmp_path / "n.db", engine="dask", scheduler="tcp://127.0.0.1:9")


def test_other_engines_have_no_scheduler(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="engine 'local' has none"):
        palio.run(DATA, GOOD, store=tmp_path / "n.db", scheduler="tcp://127.0.0.1:9")
