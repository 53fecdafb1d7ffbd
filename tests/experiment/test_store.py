"""The store, as a SQLite file and on a PostgreSQL server: the same code, the same answers."""

import hashlib
import json
import os
import stat
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB  # type: ignore[import-untyped]
from sklearn.neighbors import KNeighborsRegressor  # type: ignore[import-untyped]
from sklearn.tree import DecisionTreeClassifier  # type: ignore[import-untyped]

import palio
from palio.app.cli import main
from palio.errors import (
    InputError,
    LeftOutWarning,
    MissingCellsError,
    ParameterError,
    UnknownNameError,
)
from palio.experiment.engines import EngineOptions
from palio.experiment.outcome import FoldOutcome, FoldPredictions, JobOutcome
from palio.experiment.plan import Plan, make_plan
from palio.experiment.runner import Progress, run_plan
from palio.experiment.store.database import SCHEMA_VERSION
from palio.experiment.store.reading import (
    read_store,
    read_stored_items,
    read_stored_predictions,
)
from palio.experiment.store.store import Store
from palio.words import masked
from tests.experiment import estimators as bad
from tests.experiment.by_hand import folds_in, write
from tests.experiment.server import NOBODY

GOOD = {"nb": GaussianNB(), "tree": DecisionTreeClassifier()}
IRIS = ["sklearn:iris"]


def key(number: int) -> str:
    return hashlib.sha256(str(number).encode()).hexdigest()


def outcome(number: int, *scores: float, **more: Any) -> JobOutcome:
    folds = tuple(
        FoldOutcome(i, {"accuracy": score}, {"fit_time": 1.0})
        for i, score in enumerate(scores, start=1)
    )
    return replace(JobOutcome(key(number), "ok", folds, machine={"host": "here"}), **more)


def all_at_once(*works: Callable[[], object]) -> None:
    """Do several things at the same time, in threads; the first error is raised."""
    errors: list[BaseException] = []
    ready = threading.Barrier(len(works))

    def do(work: Callable[[], object]) -> None:
        ready.wait()
        try:
            work()
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=do, args=(work,)) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]


# Writing and reading


def test_a_job_done_anew_replaces_its_row_and_all_its_folds(place: str) -> None:
    with Store(place) as store:
        store.save([outcome(1, 0.1, 0.2, 0.3), outcome(2, 0.4)])
        store.save([outcome(1, 0.5, 0.6), outcome(3, status="failed", error="no good")])
        assert store.statuses() == {key(1): "ok", key(2): "ok", key(3): "failed"}
        assert store.scores([key(1), key(3)]) == {
            key(1): {1: {"accuracy": 0.5}, 2: {"accuracy": 0.6}}
        }
        # Twice in one go: the last counts.
        store.save([outcome(4, 0.1), outcome(4, 0.9)])
        assert store.scores([key(4)]) == {key(4): {1: {"accuracy": 0.9}}}
        store.save([])


def test_the_row_of_a_job_changes_its_mark(place: str) -> None:
    with Store(place) as store:
        store.save([outcome(1, 0.1)])
        before = store.marks()[key(1)]
        time.sleep(0.01)
        store.save([outcome(1, 0.1)])
        assert store.marks()[key(1)] != before
        assert store.marks([key(2)]) == {}


def test_what_databases_do_not_take_is_spelled_out(place: str) -> None:
    """A null character, and half of a surrogate pair as file names may have them."""
    plan = make_plan(IRIS, {"nb": GaussianNB()}, resampling="2-fold")
    said = JobOutcome(plan.jobs[0].key, "failed", error="zero \0 half \udc80", traceback="Ω\0")
    with Store(place) as store:
        store.save_plan(plan)
        store.save([said])
        (job,) = store.jobs()
    assert job["error"] == r"zero \x00 half \udc80"
    assert job["traceback"] == r"Ω\x00"


def test_more_keys_than_a_database_takes_at_once(place: str) -> None:
    with Store(place) as store:
        store.save([outcome(number, 0.5) for number in range(3000)])
        asked = [key(number) for number in range(100_000)]
        assert len(store.statuses(asked)) == 3000


def test_two_that_write_the_same_jobs_at_once(place: str) -> None:
    """Each job has one row in the end, and its folds are all of one hand."""
    numbers = range(20)

    def write(score: float, order: int) -> None:
        with Store(place) as store:
            for _ in range(15):
                store.save([outcome(n, *[score] * (2 + order)) for n in numbers[:: 1 - 2 * order]])

    Store(place).close()
    all_at_once(lambda: write(0.25, 0), lambda: write(0.75, 1))
    with Store(place) as store:
        assert len(store.marks()) == 20
        for folds in store.scores([key(n) for n in numbers]).values():
            scores = [fold["accuracy"] for fold in folds.values()]
            assert scores in ([0.25] * 2, [0.75] * 3)


def test_texts_are_kept(place: str) -> None:
    with Store(place) as store:
        store.remember("note", "one")
        store.remember("note", "two")
        assert store.recall("note") == "two"
        assert store.recall("none") is None


def test_final_results(place: str) -> None:
    with Store(place) as store:
        store.save_plan(make_plan(IRIS, GOOD), name="mine")
        for score in (0.5, 0.75):
            store.save_final(
                "mine",
                "iris",
                "nb",
                scores={"accuracy": score},
                costs={"fit_time": 0.1},
                machine={"host": "here"},
            )
        (row,) = store.finals()
        assert row["finished"] == pytest.approx(time.time(), abs=60)
        assert (row["dataset"], row["algorithm"]) == ("iris", "nb")
        assert row["scores"] == {"accuracy": 0.75}
        assert (row["costs"], row["machine"]) == ({"fit_time": 0.1}, {"host": "here"})
        store.save_plan(make_plan(IRIS, GOOD), name="other")
        assert store.finals() == []
        assert len(store.finals("mine")) == 1


# Plans


def test_a_plan_saved_again_is_the_newest_and_a_changed_one_replaces_it(place: str) -> None:
    plan, other = make_plan(IRIS, GOOD), make_plan(IRIS, GOOD, resampling="2-fold")
    with Store(place) as store:
        store.save_plan(plan, name="first")
        store.save_plan(plan, name="second")
        before = store.jobs("first")
        store.save_plan(plan, name="first")
        assert store.plans() == ["first", "second"]
        assert store.jobs("first") == before
        store.save_plan(other, name="first")
        assert [job["key"] for job in store.jobs("first")] == [job.key for job in other.jobs]
        assert store.jobs("second") == before


def test_plans_are_kept_by_name(place: str) -> None:
    first = palio.run(IRIS, GOOD, store=place, engine="inline", name="first", resampling="2-fold")
    second = palio.run(
        ["sklearn:wine"], {"a": GOOD["nb"], "b": GOOD["tree"]}, store=place, engine="inline",
        name="second",
    )  # fmt: skip
    assert (first.datasets, second.algorithms) == (("iris",), ("a", "b"))
    with Store(place) as store:
        assert store.plans() == ["second", "first"]
        assert {job["dataset"] for job in store.jobs()} == {"wine"}
        assert {job["dataset"] for job in store.jobs("first")} == {"iris"}
        with pytest.raises(UnknownNameError, match=r"Did you mean 'first'"):
            store.jobs("frst")
    assert read_store(place).datasets == ("wine",)
    assert np.array_equal(read_store(place, plan="first").means(), first.means())
    # Saved anew, a plan is the newest, and the other is as it was.
    palio.run(["sklearn:wine"], GOOD, store=place, engine="inline", name="first")
    with Store(place) as store:
        assert store.plans() == ["first", "second"]
        assert {job["algorithm"] for job in store.jobs()} == {"nb", "tree"}
        assert {job["algorithm"] for job in store.jobs("second")} == {"a", "b"}


def test_a_store_without_a_plan(place: str) -> None:
    with Store(place) as store:
        assert store.plans() == []
        assert store.jobs() == []
    with pytest.raises(MissingCellsError, match="has no finished job yet"):
        read_store(place)


# Running


def test_going_on_where_a_run_stopped(place: str) -> None:
    told: list[Progress] = []
    plan = make_plan(IRIS, GOOD)
    with Store(place) as store:
        run_plan(Plan(plan.jobs[:4], plan.resampling), store, EngineOptions("inline"))
        ended = run_plan(plan, store, EngineOptions("inline"), progress=told.append)
    assert (told[0].done, told[-1].done, ended.done) == (4, 10, 10)
    assert told[0].datasets == {"iris": (4, 10)}
    assert ended.datasets == {"iris": (10, 10)}
    assert str(read_store(place).design()) == "5×2 cv"


def test_failures_are_run_again_when_asked(place: str, tmp_path: Path) -> None:
    marker = tmp_path / "marker"
    plan = make_plan(IRIS, {"a": bad.RaisesOnce(str(marker)), "nb": GaussianNB()})
    told: list[Progress] = []
    with Store(place) as store:
        assert run_plan(plan, store, EngineOptions("inline")).failed == 1
        assert run_plan(plan, store, EngineOptions("inline")).failed == 1
        failed = [key for key, status in store.statuses().items() if status == "failed"]
        ended = run_plan(plan, store, EngineOptions("inline"), again=failed, progress=told.append)
        assert (told[0].done, told[0].failed) == (9, 0)
        assert (ended.done, ended.failed) == (10, 0)
        assert set(store.statuses().values()) == {"ok"}


def test_costs_of_several_machines_are_noted(place: str) -> None:
    plan = make_plan(IRIS, GOOD, resampling="2-fold")
    with Store(place) as store:
        run_plan(plan, store, EngineOptions("inline"))
        assert read_store(store).notes == ()
        here, there = (
            replace(outcome(0, 0.5, 0.5), key=job.key, machine={"host": host, "processor": "x"})
            for job, host in zip(plan.jobs, ("here", "there"), strict=True)
        )
        store.save([here, there])
        (note,) = read_store(store).notes
    assert "costs come from 2 machines (here, there)" in note


# Predictions


def test_predictions_are_kept_when_asked(place: str) -> None:
    plan = make_plan([*IRIS, "sklearn:wine"], GOOD, resampling="3-fold")
    with Store(place) as store:
        run_plan(plan, store, EngineOptions("inline"))
        with pytest.raises(MissingCellsError, match=r"no predictions on 'wine' of 'nb, repeat 1'"):
            read_stored_predictions(store, dataset="wine")
        bare = read_store(store).means()
        told: list[Progress] = []
        run_plan(plan, store, EngineOptions("inline"), predictions=True, progress=told.append)
        assert (told[0].done, told[-1].done) == (0, 4)  # all again, for none had any
        run_plan(plan, store, EngineOptions("inline"), predictions=True, progress=told.append)
        assert told[-1] == replace(told[-1], done=4, job=None)  # and not once more
        run_plan(plan, store, EngineOptions("inline"), progress=told.append)
        assert told[-1] == replace(told[-1], done=4, job=None)
        said = read_stored_predictions(store, dataset="wine")
        table = read_store(store)
    assert np.array_equal(table.means(), bare)
    assert said.n == 178  # each instance of wine is tested once in three folds
    assert said.keys is not None
    assert set(said.keys) == {"dataset", "repeat", "fold", "instance"}
    assert set(said.keys["instance"]) == {str(i) for i in range(1, 179)}
    assert said.probabilities is not None
    # The accuracy of the folds, put together, is that of the instances.
    frame = table.to_frame()
    for algorithm, accuracy in said.accuracies.items():
        rows = frame[(frame["dataset"] == "wine") & (frame["algorithm"] == algorithm)]
        sizes = [sum(fold == f for fold in said.keys["fold"]) for f in ("1", "2", "3")]
        assert np.average(rows["accuracy"], weights=sizes) == pytest.approx(accuracy)
    with pytest.raises(ParameterError, match=r"there are 2: 'iris', 'wine'\. Name one"):
        read_stored_predictions(place)
    with pytest.raises(UnknownNameError, match="Did you mean 'wine'"):
        read_stored_predictions(place, dataset="wnie")


def test_the_items_of_all_data_sets(place: str) -> None:
    plan = make_plan([*IRIS, "sklearn:wine"], {**GOOD, "bad": bad.Raises()}, resampling="2x2")
    with Store(place) as store:
        run_plan(plan, store, EngineOptions("inline"))
        with pytest.raises(MissingCellsError, match="has no predictions; run the experiment with"):
            read_stored_items(store)
        run_plan(plan, store, EngineOptions("inline"), predictions=True)
        # One data set after the other, and what failed nowhere.
        items = read_stored_items(store)
        good = make_plan([*IRIS, "sklearn:wine"], GOOD, resampling="2x2")
        run_plan(good, store, EngineOptions("inline"), predictions=True)
        said = read_stored_predictions(store, dataset="wine").to_items()
    assert (items.datasets, items.sizes.tolist()) == (("iris", "wine"), [150, 178])
    assert items.algorithms == tuple(GOOD)
    wine = items.on("wine")
    assert dict(zip(wine.labels, wine.values.tolist(), strict=True)) == dict(
        zip(said.labels, said.values.tolist(), strict=True)
    )
    # An item is tested once in each repeat.
    assert items.repeats is not None
    assert set(np.unique(items.repeats.counts)) == {2}


def test_a_job_that_failed_is_not_run_again_for_its_predictions(place: str) -> None:
    """It has none, and would have none the next time: it is done, as without predictions."""
    plan = make_plan(IRIS, {**GOOD, "bad": bad.Raises()}, resampling="2-fold", predictions=True)
    told: list[Progress] = []
    with Store(place) as store:
        run_plan(plan, store, EngineOptions("inline"))
        before = store.marks()
        run_plan(plan, store, EngineOptions("inline"), progress=told.append)
        assert [(each.done, each.failed) for each in told] == [(len(plan.jobs), 1)]
        assert store.marks() == before


def test_regressors_say_nothing_that_is_kept(place: str) -> None:
    plan = make_plan(
        ["sklearn:diabetes"], {"knn": KNeighborsRegressor()}, resampling="2-fold", predictions=True
    )
    told: list[Progress] = []
    with Store(place) as store:
        run_plan(plan, store, EngineOptions("inline"))
        run_plan(plan, store, EngineOptions("inline"), progress=told.append)
    assert [state.done for state in told] == [1]


def test_a_row_without_predictions_replaces_one_with(place: str) -> None:
    said = FoldPredictions(np.array([3]), np.array(["é"]), np.array(["b"]), ("b", "é"))
    (fold,) = outcome(1, 0.5).folds
    with Store(place) as store:
        store.save([outcome(1, 0.5, folds=(replace(fold, predictions=said),))])
        assert store.predicted() == store.predicted([key(1), key(2)]) == {key(1)}
        store.save([outcome(1, 0.5)])
        assert store.predicted() == set()


# Costs measured with nothing beside


def rows_of(place: str) -> list[dict[str, Any]]:
    with Store(place) as store:
        return [{**job, "machine": json.loads(job["machine"])} for job in store.jobs()] + folds_in(
            store
        )


def test_exclusive_measures_costs_again_and_nothing_else(place: str) -> None:
    plan = make_plan(IRIS, {**GOOD, "bad": bad.Raises()}, resampling="2-fold")
    told: list[Progress] = []
    with Store(place) as store:
        with pytest.raises(ParameterError, match="3 of 3 have not been run; run the experiment"):
            run_plan(plan, store, EngineOptions("inline"), exclusive=True)
        assert store.plans() == []
        run_plan(plan, store, EngineOptions("inline"))
        before = rows_of(place)
        ended = run_plan(plan, store, EngineOptions("inline"), exclusive=True, progress=told.append)
        assert (told[0].done, ended.done, ended.changed) == (1, 3, 0)
        after = rows_of(place)
        again = run_plan(plan, store, EngineOptions("inline"), exclusive=True, progress=told.append)
        assert told[-1] == again  # nothing was run: it goes on where it stopped
        assert rows_of(place) == after
    for old, new in zip(before, after, strict=True):
        if "costs" in old:
            assert old["costs"].keys() == new["costs"].keys()
            assert old["costs"]["fit_time"] != new["costs"]["fit_time"]
            assert {**old, "costs": 0} == {**new, "costs": 0}
        else:
            assert ("exclusive" in new["machine"]) == (new["status"] == "ok")
            assert {**old, "machine": 0} == {**new, "machine": 0}
    with pytest.warns(LeftOutWarning, match=r"algorithm 'bad' \(1 of 1 job failed: ValueError"):
        table = read_store(place, missing="pairwise")
    assert not any("comparable" in note for note in table.notes)


def test_exclusive_never_changes_scores(place: str) -> None:
    plan = make_plan(IRIS, GOOD, resampling="2-fold")
    with Store(place) as store:
        run_plan(plan, store, EngineOptions("inline"))
        store.save([replace(outcome(0, 0.125, 0.25), key=plan.jobs[0].key)])
    table = palio.run(IRIS, GOOD, resampling="2-fold", store=place, engine="inline", exclusive=True)
    assert table.to_frame()["accuracy"].tolist()[:2] == [0.125, 0.25]
    assert "1 job came out with other scores" in table.notes[-1]


def test_exclusive_is_for_this_machine(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="exclusive: jobs on a cluster run beside others"):
        palio.run(IRIS, GOOD, store=tmp_path / "e.db", engine="dask", exclusive=True)


# Claims


def test_what_is_claimed_is_ours(place: str) -> None:
    keys = {key(1), key(2), 64 * "f"}
    with Store(place) as store, store.writing():
        assert store.claim(keys) == keys
        assert store.claim(keys) == keys
        store.release(keys)
        store.release(keys)


def test_a_second_run_on_a_sqlite_store_is_told(tmp_path: Path) -> None:
    store = tmp_path / "e.db"
    with (
        Store(store) as first,
        first.writing(),
        Store(store) as second,
        pytest.raises(InputError, match="another run is writing"),
        second.writing(),
    ):
        pass
    with Store(store) as later, later.writing():
        pass  # the first let go
    others = stat.S_IMODE(Path(f"{store}.lock").stat().st_mode) & 0o077
    assert others | 0o044 == 0o044  # others may look at most


# Other schemas

# What was written before there was a first release, as far as it is looked at.
OLDER = """
CREATE TABLE palio_meta (name VARCHAR NOT NULL, value VARCHAR NOT NULL, PRIMARY KEY (name));
CREATE TABLE palio_results (
    "key" VARCHAR(64) NOT NULL, status VARCHAR(16) NOT NULL, machine TEXT NOT NULL);
INSERT INTO palio_meta VALUES ('schema', '{schema}');
INSERT INTO palio_results VALUES
    ('k1', 'failed', '{{}}'), ('k2', 'ok', '{{"host": "here", "palio": "0.1.3"}}');
"""


@pytest.mark.parametrize("schema", [1, 4, 99])
def test_a_store_of_another_schema_is_refused_with_the_command_that_exports_it(
    place: str, schema: int, capsys: pytest.CaptureFixture[str]
) -> None:
    write(place, OLDER.format(schema=schema))
    for _ in range(2):  # and nothing is changed
        assert main(["status", place]) == 2
        (line,) = capsys.readouterr().err.splitlines()
        assert f"was written by Palio 0.1.3 (schema {schema}, this version has 1); write" in line
        assert f"uvx --from 'palio[run]==0.1.3' palio export '{masked(place)}' results.csv" in line


def test_a_store_of_another_schema_without_a_version(place: str) -> None:
    Store(place).close()
    write(place, "UPDATE palio_meta SET value = '2' WHERE name = 'schema'")
    with pytest.raises(InputError, match=f"by Palio {palio.__version__} .schema 2, this version"):
        Store(place)
    write(place, "DELETE FROM palio_meta WHERE name = 'palio'")
    with pytest.raises(InputError, match=r"another version of Palio.*palio\[run\]==VERSION"):
        Store(place)


def test_several_that_open_a_store_at_once(place: str) -> None:
    all_at_once(*[lambda: Store(place).close() for _ in range(6)])
    with Store(place) as store:
        assert store.recall("schema") == str(SCHEMA_VERSION)
        assert store.recall("palio") == palio.__version__
        assert store.jobs() == []
        store.check()


# Places that cannot be written


@pytest.mark.posix("what may be done with a file is its mode")
def test_a_read_only_store_is_a_clear_line_and_can_be_read(tmp_path: Path) -> None:
    """In a process that may not write, whoever runs the tests."""
    script = textwrap.dedent(
        f"""
        import os, sys
        import palio
        from sklearn.naive_bayes import GaussianNB
        place = sys.argv[1]
        two = {{"nb": GaussianNB(), "other": GaussianNB(var_smoothing=0.1)}}
        palio.run(["sklearn:iris"], two, store=place, engine="inline")
        palio.read_scores(place)  # loads what may be out of reach later
        os.chmod(place, 0o444)
        os.remove(place + ".lock")
        os.chmod(os.path.dirname(place), 0o555)
        if os.geteuid() == 0:
            os.setuid({NOBODY})
        print(palio.read_scores(place).algorithms)
        try:
            palio.run(
                ["sklearn:iris"], {{"nb": GaussianNB(var_smoothing=1e-3)}}, store=place,
                engine="inline",
            )
        except palio.errors.UnreadableError as error:
            print(error)
        """
    )
    # Below the system's folder for such things, for pytest's own can be entered by its owner only.
    folder = Path(
        subprocess.run(["mktemp", "-d"], capture_output=True, text=True, check=True).stdout.strip()
    )
    folder.chmod(0o755)
    try:
        done = subprocess.run(
            [sys.executable, "-c", script, str(folder / "e.db")],
            capture_output=True, text=True, check=True, env={**os.environ, "HOME": "/tmp"},
        )  # fmt: skip
        algorithms, line = done.stdout.splitlines()
        assert algorithms == "('nb', 'other')"
        assert line == f"store: '{folder}/e.db' cannot be used: Permission denied."
    finally:
        folder.chmod(0o755)
        for file in folder.iterdir():
            file.unlink()
        folder.rmdir()
