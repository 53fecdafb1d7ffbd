"""The Dask engine: the same scores as any other, also where a worker is killed in mid-run."""

import logging
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
from palio.errors import EngineError, ParameterError
from palio.experiment.engines.dask import _quiet
from palio.experiment.runner import Progress
from palio.experiment.store.store import Store
from tests.experiment import estimators as bad
from tests.experiment.cluster import running

distributed = pytest.importorskip("distributed")

DATA = ["sklearn:iris", "sklearn:wine"]
GOOD = {"nb": GaussianNB(), "tree": DecisionTreeClassifier()}

pytestmark = [
    pytest.mark.filterwarnings("ignore"),  # the cluster's own, as it is taken down
    pytest.mark.posix("kills, stops or interrupts processes by signals"),
]


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


@pytest.mark.slow
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


@pytest.mark.slow
def test_all_workers_killed_at_once_lose_no_job(client: Any, tmp_path: Path) -> None:
    """With them the data are lost that the next jobs wait for."""
    algorithms = {**GOOD, "slow": bad.Sleeps(0.1)}
    killed: list[int] = []

    def kill_all(progress: Progress) -> None:
        if progress.done >= 5 and not killed:
            killed.extend(client.run(os.getpid).values())
            for pid in killed:
                os.kill(pid, signal.SIGKILL)

    disturbed = palio.run(
        DATA, algorithms, store=tmp_path / "k.db", engine=client, progress=kill_all
    )
    whole = palio.run(DATA, algorithms, store=tmp_path / "w.db", engine="inline")
    assert len(killed) == 2
    assert np.array_equal(disturbed.means(), whole.means())
    with Store(tmp_path / "k.db") as store:
        assert {job["status"] for job in store.jobs()} == {"ok"}


@pytest.mark.slow
def test_a_scheduler_that_comes_back_is_found_again(tmp_path: Path) -> None:
    algorithms = {**GOOD, "slow": bad.Sleeps(0.1)}
    with running(tmp_path / "dask", 1, mended=True) as cluster:
        killed: list[int] = []

        def restart(progress: Progress) -> None:
            if progress.done >= 5 and not killed:
                killed.append(cluster.scheduler.pid)
                cluster.scheduler.kill()

        disturbed = palio.run(
            DATA, algorithms, store=tmp_path / "k.db", engine="dask", progress=restart,
            scheduler=cluster.address,
        )  # fmt: skip
    whole = palio.run(DATA, algorithms, store=tmp_path / "w.db", engine="inline")
    assert killed
    assert np.array_equal(disturbed.means(), whole.means())


@pytest.mark.slow
@pytest.mark.parametrize("what", ["scheduler", "workers"])
def test_what_stays_away_ends_the_run_and_all_is_kept(
    what: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    algorithms = {**GOOD, "slow": bad.Sleeps(0.1)}
    with running(tmp_path / "dask", 1) as cluster:

        def kill(progress: Progress) -> None:
            if progress.done == 5:
                if what == "scheduler":
                    cluster.scheduler.kill()
                else:
                    os.killpg(cluster.nannies[0].pid, signal.SIGKILL)

        # The run is patient for 4 s only, and a worker on a busy machine takes longer to come.
        with distributed.Client(cluster.address, set_as_default=False) as client:
            client.wait_for_workers(1, timeout=60)
        with pytest.raises(EngineError) as ended:
            palio.run(
                DATA, algorithms, store=tmp_path / "k.db", engine="dask", progress=kill,
                scheduler=cluster.address, patience=4,
            )  # fmt: skip
        lacks = f"no answer from the scheduler at '{cluster.address}'"
    with Store(tmp_path / "k.db") as store:
        done = store.statuses()
    assert str(ended.value) == (
        f"engine: 'dask' has had {lacks if what == 'scheduler' else 'no worker'} for 4 s, and "
        f"{30 - len(done)} of 30 jobs are not run; what is finished is kept in "
        f"{tmp_path / 'k.db'}: run again to go on."
    )
    assert capfd.readouterr() == ("", "")
    assert len(done) >= 5
    assert set(done.values()) == {"ok"}
    assert palio.run(DATA, algorithms, store=tmp_path / "k.db", engine="inline").is_complete


@pytest.mark.slow
def test_limits_hold_inside_a_worker(client: Any, tmp_path: Path) -> None:
    store = tmp_path / "l.db"
    palio.run(
        ["sklearn:iris"], {"nb": GaussianNB(), "slow": bad.Sleeps(60)}, resampling="2-fold",
        store=store, engine=client, time_limit=5,
    )  # fmt: skip
    with Store(store) as opened:
        ended = {job["algorithm"]: job["status"] for job in opened.jobs()}
    assert ended == {"nb": "ok", "slow": "timeout"}


@pytest.mark.slow
def test_nobody_at_the_address(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ParameterError, match="nobody answers at 'tcp"):
        palio.run(DATA, GOOD, store=tmp_path / "n.db", engine="dask", scheduler="tcp://127.0.0.1:9")


def test_other_engines_have_no_scheduler(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match=r"scheduler: engine 'local' .* has no sche"):
        palio.run(DATA, GOOD, store=tmp_path / "n.db", scheduler="tcp://127.0.0.1:9")


def test_what_dask_logs_of_itself_is_kept_from_the_terminal() -> None:
    """Of its tasks the loop tells, too; what is said of others, and before and after, is heard."""
    heard: list[str] = []
    handler = logging.Handler()
    handler.emit = lambda record: heard.append(record.getMessage())  # type: ignore[method-assign]
    loggers = [logging.getLogger(name) for name in ("distributed.client", "asyncio")]
    for logger in loggers:
        logger.addHandler(handler)

    def say(when: str) -> None:
        loggers[0].error("%s: lost", when)
        loggers[1].error("%s: a task of distributed/client.py", when)
        loggers[1].error("%s: a task of one's own", when)

    try:
        say("before")
        with _quiet():
            say("meanwhile")
        say("after")
    finally:
        for logger in loggers:
            logger.removeHandler(handler)
    assert [text for text in heard if "meanwhile" in text] == ["meanwhile: a task of one's own"]
    assert len(heard) == 7
