"""Several runs at once on a PostgreSQL server; some of them are killed."""

import json
import os
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB  # type: ignore[import-untyped]
from sklearn.tree import DecisionTreeClassifier  # type: ignore[import-untyped]

import palio
from palio.app.cli import main
from palio.app.verbs import report as verb
from palio.errors import MissingExtraError, UnreadableError
from palio.experiment.engines import EngineOptions
from palio.experiment.plan import make_plan
from palio.experiment.runner import Progress, run_plan
from palio.experiment.store.reading import read_store
from palio.experiment.store.store import Store
from palio.experiment.work import execute
from tests.experiment.estimators import Sleeps

pytestmark = pytest.mark.posix("kills, stops or interrupts processes by signals")

GOOD = {"nb": GaussianNB(), "tree": DecisionTreeClassifier()}
IRIS = ["sklearn:iris"]
ROOT = str(Path(__file__).resolve().parents[2])

# Runs a plan and writes what this process did itself, one job a line.
SCRIPT = textwrap.dedent(
    """
    import json, sys
    import palio
    from sklearn.tree import DecisionTreeClassifier
    from tests.experiment.estimators import Sleeps

    store, log, name, seconds, engine = sys.argv[1:]
    file = open(log, "w", buffering=1)

    def tell(state):
        if state.job is not None:
            file.write(f"{state.job.algorithm} {state.job.repeat}\\n")
        elif state.last is None:
            file.write(f"# {state.done} of {state.total}\\n")

    algorithms = {f"t{i}": DecisionTreeClassifier(max_depth=i) for i in range(1, 7)}
    for i in (1, 2):
        algorithms[f"slow{i}"] = Sleeps(float(seconds) + i / 1000)
    if name == "other":
        algorithms = {"few": algorithms["t1"], "many": algorithms["t6"]}
    table = palio.run(
        ["sklearn:iris"], algorithms, store=store, name=name, engine=engine, n_jobs=1,
        progress=tell,
    )
    sys.stdout.write(json.dumps([table.algorithms, table.means().tolist()]))
    """
)


class Runs:
    """Processes that run an experiment in one store."""

    def __init__(self, folder: Path, store: str) -> None:
        self.folder, self.store = folder, store
        self.processes: list[subprocess.Popen[str]] = []
        (folder / "go.py").write_text(SCRIPT, encoding="utf-8")

    def start(
        self, name: str = "experiment", *, seconds: float = 0.05, engine: str = "inline"
    ) -> int:
        number = len(self.processes)
        arguments = [self.store, str(self.log(number)), name, str(seconds), engine]
        process = subprocess.Popen(
            [sys.executable, str(self.folder / "go.py"), *arguments],
            env={**os.environ, "PYTHONPATH": ROOT},
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        self.processes.append(process)
        return number

    def log(self, number: int) -> Path:
        return self.folder / f"{number}.log"

    def did(self, number: int) -> list[str]:
        lines = self.log(number).read_text(encoding="utf-8").splitlines()
        return [line for line in lines if not line.startswith("#")]

    def wait_until_it_began(self, number: int) -> None:
        while not (self.log(number).exists() and self.log(number).read_text()):
            assert self.processes[number].poll() is None
            time.sleep(0.05)

    def wait_until_it_did(self, number: int, jobs: int) -> None:
        for _ in range(600):
            if self.log(number).exists() and len(self.did(number)) >= jobs:
                return
            time.sleep(0.05)
        raise AssertionError(f"run {number} did not get on")

    def ended(self, number: int) -> Any:
        out, err = self.processes[number].communicate(timeout=120)
        assert self.processes[number].returncode == 0, err
        return json.loads(out)


@contextmanager
def runs_in(folder: Path, store: str) -> Iterator[Runs]:
    runs = Runs(folder, store)
    try:
        yield runs
    finally:
        for process in runs.processes:
            process.kill()
            process.communicate()


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """What one run alone gives, in a SQLite store."""
    folder = tmp_path_factory.mktemp("alone")
    with runs_in(folder, str(folder / "e.db")) as runs:
        return runs.ended(runs.start(seconds=0.0))


def test_two_runs_share_the_jobs_of_a_plan(tmp_path: Path, postgres: str, undisturbed: Any) -> None:
    with runs_in(tmp_path, postgres) as runs:
        runs.start(seconds=0.15)
        runs.start(seconds=0.15)
        tables = [runs.ended(0), runs.ended(1)]
        did = runs.did(0) + runs.did(1)
        assert min(len(runs.did(0)), len(runs.did(1))) >= 1
    assert len(did) == len(set(did)) == 40  # 8 algorithms × 5 repeats, none done twice
    assert tables == [undisturbed, undisturbed]
    # Progress counts what the other did, before we began and since: both end with all jobs done.
    for number in (0, 1):
        begin, *since = [x for x in runs.log(number).read_text().splitlines() if x[0] == "#"]
        before = int(begin.split()[1])
        assert before + len(since) + len(runs.did(number)) == 40


@pytest.mark.slow
def test_two_plans_at_once_in_one_store(tmp_path: Path, postgres: str, undisturbed: Any) -> None:
    with runs_in(tmp_path, postgres) as runs:
        runs.start("mine", seconds=0.0)
        runs.start("other", seconds=0.0)
        mine, other = runs.ended(0), runs.ended(1)
        did = runs.did(0) + runs.did(1)
    assert mine == undisturbed
    algorithms, means = undisturbed
    few, many = algorithms.index("t1"), algorithms.index("t6")
    assert other == [["few", "many"], [[row[few], row[many]] for row in means]]
    assert len(did) == 40  # what both ask for was done once
    with Store(postgres) as store:
        assert set(store.plans()) == {"mine", "other"}


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["inline", "local"])
def test_what_a_killed_run_had_begun_is_done_by_the_other(
    tmp_path: Path, postgres: str, undisturbed: Any, engine: str
) -> None:
    with runs_in(tmp_path, postgres) as runs:
        first = runs.start(seconds=0.4, engine=engine)
        runs.wait_until_it_did(first, 31)  # among the slow ones
        second = runs.start(seconds=0.4)
        runs.wait_until_it_began(second)
        time.sleep(0.5)
        runs.processes[first].send_signal(signal.SIGKILL)
        runs.processes[first].wait()
        table = runs.ended(second)
        did = runs.did(first) + runs.did(second)
    assert table == undisturbed
    # What the first had finished but not yet written is done again, and nothing else.
    assert set(did) == {f"{name} {i}" for name in table[0] for i in range(1, 6)}
    assert len(did) - len(set(did)) <= 2


# Claims


def test_claims_exclude_each_other_and_end_with_their_holder(postgres: str) -> None:
    keys = {f"{i:x}" + 63 * "0" for i in range(16)}
    some = {key for key in keys if key < "8"}
    with Store(postgres) as one, Store(postgres) as two:
        assert one.claim(some) == some
        assert two.claim(keys) == keys - some
        one.release(some)
        assert two.claim(keys) == keys
        two.release(keys)
        assert one.claim(keys) == keys
    with Store(postgres) as three:
        assert three.claim(keys) == keys  # closed, the others have nothing
    with Store(postgres) as one:
        with one.writing():
            one.claim(keys)
        with Store(postgres) as two:
            assert two.claim(keys) == keys  # nor has one that has finished writing


def test_stores_in_one_database_do_not_get_in_each_others_way(
    postgres: str, postgres_server: str
) -> None:
    from tests.experiment.server import new_place

    elsewhere = new_place(postgres_server, "elsewhere")
    with Store(postgres) as one, Store(elsewhere) as two:
        assert one.claim([64 * "a"]) == two.claim([64 * "a"]) == {64 * "a"}


def test_jobs_that_others_hold_are_waited_for(
    postgres: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One is finished by its holder meanwhile, one is given back undone."""
    plan = make_plan(IRIS, GOOD, resampling="2-fold")
    nb, tree = plan.jobs
    told: list[Progress] = []
    with Store(postgres) as other, Store(postgres) as store:
        assert other.claim([nb.key, tree.key]) == {nb.key, tree.key}

        def wait(_seconds: float) -> None:
            if nb.key in other.statuses():
                other.release([tree.key])
            other.save([execute(nb)])
            other.release([nb.key])

        monkeypatch.setattr("palio.experiment.scheduling.time.sleep", wait)
        ended = run_plan(plan, store, EngineOptions("inline"), progress=told.append)
    assert [(state.done, state.job) for state in told] == [(0, None), (1, None), (2, tree)]
    assert ended.done == 2


def test_a_job_that_another_run_did_anew_is_not_done_again(postgres: str) -> None:
    """Both were asked to retry it; who comes second sees that its row is a new one."""
    plan = make_plan(IRIS, GOOD, resampling="2-fold")
    keys = [job.key for job in plan.jobs]
    told: list[Progress] = []
    with Store(postgres) as other, Store(postgres) as store:
        run_plan(plan, store, EngineOptions("inline"))

        def tell(state: Progress) -> None:
            if not told:
                other.save([execute(plan.jobs[1])])
            told.append(state)

        run_plan(plan, store, EngineOptions("inline"), again=keys, progress=tell)
    assert [state.job for state in told] == [None, None, plan.jobs[0]]


# When the server is not there


def test_a_lost_connection_is_one_clear_line_and_loses_nothing(postgres: str) -> None:
    import psycopg

    def tell(state: Progress) -> None:
        if state.done == 6:
            with psycopg.connect(postgres, autocommit=True) as connection:
                connection.execute(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                    "WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'"
                )

    slow = {"a": Sleeps(0.01), "b": Sleeps(0.011)}
    with pytest.raises(UnreadableError, match=r"cannot be used: .*terminat") as caught:
        palio.run(IRIS, slow, store=postgres, engine="inline", progress=tell)
    assert "\n" not in str(caught.value)
    with Store(postgres) as store:
        assert len(store.statuses()) >= 5
    assert palio.run(IRIS, slow, store=postgres, engine="inline").n_datasets == 1


def test_a_server_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(UnreadableError, match="cannot be used: ") as caught:
        read_store(f"postgresql://me:secret@/db?host={tmp_path}")
    assert "\n" not in str(caught.value)
    assert "secret" not in str(caught.value)
    assert "me:***@" in str(caught.value)
    with pytest.raises(UnreadableError, match="cannot be used: "):
        Store("postgresql://host:port/db")


def test_without_psycopg(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'palio\[postgres\]'"):
        Store("postgresql://host/db")


# The command line


def test_a_url_is_a_store_on_the_command_line(
    postgres: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(
        f'datasets = ["sklearn:iris", "sklearn:wine"]\nstore = "{postgres}"\nengine = "inline"\n'
        "predictions = true\n"
        '[algorithms]\nnb = "sklearn.naive_bayes:GaussianNB"\n'
        'tree = "sklearn.tree:DecisionTreeClassifier"\n',
        encoding="utf-8",
    )

    def run(*arguments: str) -> Any:
        status = main([*arguments, "--json"])
        captured = capsys.readouterr()
        assert status == 0, captured.err
        return json.loads(captured.out)

    assert run("run", str(file))["counts"] == {"ok": 20}
    assert run("plan", str(file))["left"] == 0
    assert run("status", postgres)["counts"] == {"ok": 20}
    assert run("retry", postgres)["counts"] == {"ok": 20}
    assert run("order", postgres, "--cost", "fit_time")["n_datasets"] == 2
    assert run("compare", postgres)["algorithms"] == ["nb", "tree"]
    assert run("predictions", postgres, "--dataset", "wine")["algorithms"] == ["nb", "tree"]
    target = tmp_path / "out.csv"
    assert main(["export", postgres, str(target)]) == 0
    means = palio.read_scores(target, score="accuracy").means()
    assert np.array_equal(means, read_store(postgres).means())


def test_a_report_that_watches_follows_the_run_to_its_end(
    postgres: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """It begins before the first job is done, and is not written anew when nothing is."""
    page = tmp_path / "report.html"
    plan = make_plan(["sklearn:iris", "sklearn:wine"], GOOD, resampling="2-fold")
    seen: list[str] = []

    def go_on(_seconds: float) -> None:
        """Stand for the time in which the run goes on, in a process of its own."""
        seen.append(page.read_text(encoding="utf-8") if page.exists() else "")
        with Store(postgres) as store:
            if len(seen) == 1:
                with pytest.raises(InterruptedError):
                    run_plan(plan, store, EngineOptions("inline"), progress=stop_before_wine)
            elif len(seen) == 3:
                run_plan(plan, store, EngineOptions("inline"))
        assert len(seen) < 4, "it should have seen the last job and stopped"

    def stop_before_wine(state: Progress) -> None:
        if state.done == 2:
            raise InterruptedError

    monkeypatch.setattr(verb, "sleep", go_on)
    assert main(["report", postgres, "-o", str(page), "--watch", "--checks", "none"]) == 0
    assert seen[0] == ""
    assert "not finished" in seen[1]
    assert 'http-equiv="refresh"' in seen[1]
    last = page.read_text(encoding="utf-8")
    assert 'http-equiv="refresh"' not in last
    assert "4 jobs: 4 ok; the run is finished." in last
    said = capsys.readouterr().err
    assert said.startswith("waiting: ")
    assert said.count("wrote ") == 2


def test_watching_waits_for_a_server_that_is_not_there(tmp_path: Path) -> None:
    looks = verb.versions(f"postgresql://me@/db?host={tmp_path}", wait=lambda _seconds: None)
    assert next(looks) == "absent"
