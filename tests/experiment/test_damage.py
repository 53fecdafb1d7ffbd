"""Stores that are not as they were written: what is damaged is named, and nothing is taken for it.

A file is damaged by hand, byte by byte at random, or taken away; the server's rows by hand.
"""

import random
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pandas as pd
import pytest
from sklearn.naive_bayes import GaussianNB  # type: ignore[import-untyped]
from sklearn.tree import DecisionTreeClassifier  # type: ignore[import-untyped]

from palio.app.cli import main
from palio.errors import InputError, PalioError, ParameterError, UnreadableError
from palio.experiment.engines import EngineOptions
from palio.experiment.outcome import FoldOutcome, JobOutcome
from palio.experiment.plan import Plan, make_plan
from palio.experiment.runner import Progress, run_plan
from palio.experiment.store.reading import read_store, read_stored_predictions
from palio.experiment.store.rows import checksum, is_whole, pack_folds
from palio.experiment.store.store import Store
from palio.experiment.work import execute
from tests.experiment.by_hand import change_folds, write

GOOD = {"nb": GaussianNB(), "tree": DecisionTreeClassifier(random_state=0)}
DATA = ["sklearn:iris", "sklearn:wine"]
TREE = "(SELECT key FROM palio_jobs WHERE dataset = 'wine' AND algorithm = 'tree')"


@pytest.fixture(scope="module")
def plan() -> Plan:
    return make_plan(DATA, GOOD, resampling="2-fold", predictions=True)


@pytest.fixture(scope="module")
def outcomes(plan: Plan) -> list[JobOutcome]:
    return [execute(job) for job in plan.jobs]


@pytest.fixture
def full(place: str, plan: Plan, outcomes: list[JobOutcome]) -> str:
    """Return a store of either kind with all that one can hold: 4 jobs of 2 folds."""
    with Store(place) as store:
        store.save_plan(plan)
        store.save(outcomes)
        store.save_final(
            "experiment", "iris", "nb", scores={"accuracy": 0.5}, costs={}, machine={"host": "x"}
        )
        store.remember("targets of experiment", '{"iris": "class"}')
    return place


def tree(plan: Plan) -> str:
    """Return the key of the job of TREE."""
    (job,) = (j for j in plan.jobs if (j.dataset.name, j.algorithm) == ("wine", "tree"))
    return job.key


def scores(place: str) -> pd.DataFrame:
    return read_store(place).to_frame()[["dataset", "algorithm", "fold", "accuracy"]]


# One row


def test_a_digit_changed_by_hand_is_found_and_mended(
    full: str, plan: Plan, capsys: pytest.CaptureFixture[str]
) -> None:
    before = scores(full)
    change_folds(full, tree(plan))
    line = (
        r"is damaged: 1 of 4 jobs is not as written \(wine, tree, repeat 1\), the other 3 "
        r"good; run the experiment again: only the damaged jobs are run anew\."
    )
    with pytest.raises(UnreadableError, match=line):
        read_store(full)
    for command in (["status", full, "--check"], ["order", full]):
        assert main(command) == 2
        (said,) = capsys.readouterr().err.splitlines()
        assert "(wine, tree, repeat 1)" in said
        assert "intact" not in said
    told: list[Progress] = []
    with Store(full) as store:
        run_plan(plan, store, EngineOptions("inline"), progress=told.append)
    assert [each.done for each in told] == [3, 4]  # the others are not run again
    assert scores(full).equals(before)
    assert main(["status", full, "--check"]) == 0
    assert "rows, all as they were written" in capsys.readouterr().out


CHANGES = {
    "status": ("UPDATE palio_results SET status = 'failed' WHERE key = " + TREE, "wine, tree"),
    "seconds": ("UPDATE palio_results SET seconds = seconds + 1 WHERE key = " + TREE, "wine, tree"),
    "folds gone": ("UPDATE palio_results SET folds = EMPTY WHERE key = " + TREE, "wine, tree"),
    "another's folds": (
        "UPDATE palio_results SET folds = (SELECT folds FROM palio_results WHERE key <> "
        + TREE + " AND status = 'ok' LIMIT 1) WHERE key = " + TREE, "wine, tree"),
    "another machine": (
        "UPDATE palio_results SET machine = 'elsewhere' WHERE key = " + TREE, "wine, tree"),
    "machine": ("UPDATE palio_machines SET content = '{}'", "machine"),
    "another's name": (
        "UPDATE palio_jobs SET algorithm = 'nb' WHERE algorithm = 'tree' AND dataset = 'wine'",
        "wine, nb",
    ),
    "a job gone": ("DELETE FROM palio_jobs WHERE key = " + TREE, "'experiment'"),
    "text": ("UPDATE palio_meta SET value = '{\"iris\": \"clasS\"}' WHERE name LIKE 'tar%'",
             "'targets of experiment'"),
    "no checksum": ("UPDATE palio_results SET checksum = NULL WHERE key = " + TREE, "wine, tree"),
}  # fmt: skip


@pytest.mark.parametrize("change", CHANGES)
def test_whatever_is_changed_is_found(full: str, plan: Plan, change: str) -> None:
    script, says = CHANGES[change]
    empty = "''::bytea" if full.startswith("postgresql") else "x''"
    write(full, script.replace("EMPTY", empty))
    with Store(full) as store, pytest.raises(UnreadableError, match="is damaged") as caught:
        store.check()
    assert says in str(caught.value)
    if change == "text":
        assert main(["status", full]) == 2
        return
    with pytest.raises(UnreadableError, match="is damaged"):
        read_store(full)
    with Store(full) as store:
        run_plan(plan, store, EngineOptions("inline"))
        store.check()
    assert read_store(full).algorithms == ("nb", "tree")


def test_predictions_and_final_results_are_checked(full: str, plan: Plan) -> None:
    content = "'\\x00'::bytea" if full.startswith("postgresql") else "x'00'"
    write(full, f"UPDATE palio_predictions SET content = {content} WHERE fold = 1 AND key = {TREE}")
    write(full, "UPDATE palio_finals SET scores = '{\"accuracy\": 0.6}'")
    with pytest.raises(UnreadableError, match="wine, tree, repeat 1, fold 1"):
        read_stored_predictions(full, dataset="wine")
    assert read_stored_predictions(full, dataset="iris").n == 150
    with Store(full) as store:
        with pytest.raises(UnreadableError, match=r"1 of 1 final result is .*\(iris, nb\)"):
            store.finals()
        run_plan(plan, store, EngineOptions("inline"))
    assert read_stored_predictions(full, dataset="wine").n == 178


def test_costs_are_not_measured_into_damaged_rows(full: str, plan: Plan) -> None:
    """New checksums would vouch for the rest of the row."""
    change_folds(full, tree(plan))
    with Store(full) as store:
        with pytest.raises(ParameterError, match="1 of 4 have not been run"):
            run_plan(plan, store, EngineOptions("inline"), exclusive=True)
        with pytest.raises(UnreadableError, match="is damaged"):
            read_store(store)
        run_plan(plan, store, EngineOptions("inline"))
        run_plan(plan, store, EngineOptions("inline"), exclusive=True)
        store.check()


def test_a_changed_digit_always_makes_another_checksum() -> None:
    text = '{"accuracy": 0.9473684210526315}'
    kept = checksum(["key", 1, text, b"\0\1"])
    for place in range(len(text)):
        for letter in "0123456789":
            if text[place] != letter:
                changed = f"{text[:place]}{letter}{text[place + 1 :]}"
                assert checksum(["key", 1, changed, b"\0\1"]) != kept
    assert checksum(["key", 1, text, b"\0\2"]) != kept


def test_a_changed_byte_of_a_block_of_folds_is_found_wherever_it_is() -> None:
    block = pack_folds("key", [FoldOutcome(i, {"f1": 0.5 + i}, {"fit_time": 0.1}) for i in (1, 2)])
    for place in range(len(block)):
        changed = bytearray(block)
        changed[place] ^= 16
        assert not is_whole("key", bytes(changed))
        assert not is_whole("key", block[:place])


@pytest.mark.parametrize("value", ["", "two", "2.5", "-1", "0", "9" * 5000, "²"])
def test_odd_versions(full: str, value: str) -> None:
    write(full, f"UPDATE palio_meta SET value = '{value}' WHERE name = 'schema'")
    with pytest.raises(InputError, match=r"stands for its version") as caught:
        Store(full)
    assert len(str(caught.value)) < 500


def test_a_store_that_does_not_tell_its_version(full: str) -> None:
    write(full, "DELETE FROM palio_meta WHERE name = 'schema'")
    with pytest.raises(UnreadableError, match="None stands for its version"):
        Store(full)


def test_a_table_that_is_gone(full: str, capsys: pytest.CaptureFixture[str]) -> None:
    write(full, "DROP TABLE palio_results")
    assert main(["order", full]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert "palio_results" in line
    assert "intact" not in line


def test_a_retry_of_an_experiment_that_is_none(
    full: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with Store(full) as store:
        store.remember("file of experiment", '{"datasets": 3}')
    assert main(["retry", full]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert "what it keeps of its experiment file is none" in line


# A file that is taken away


@pytest.mark.parametrize("what", ["removed or moved", "replaced by another file"])
@pytest.mark.posix("moves a file that is open")
def test_a_file_taken_away_during_a_run_is_noticed_at_the_next_write(
    tmp_path: Path, what: str
) -> None:
    place, done = tmp_path / "e.db", list[int]()

    def tell(state: Progress) -> None:
        done.append(state.done)
        time.sleep(0.05)  # what is done is written four times a second
        if state.done == 2:
            place.rename(tmp_path / "elsewhere.db")
            if what.startswith("replaced"):
                shutil.copy(tmp_path / "elsewhere.db", place)

    plan = make_plan(DATA, GOOD)
    with Store(place) as store, pytest.raises(UnreadableError, match=f"e.db' was {what} while"):
        run_plan(plan, store, EngineOptions("inline"), progress=tell)
    assert done[-1] < len(plan.jobs)  # not only at the end


@pytest.mark.posix("moves a file that is open")
def test_a_file_taken_away_is_noticed_in_reading_too(tmp_path: Path) -> None:
    place = tmp_path / "e.db"
    with Store(place) as store:
        place.unlink()
        with pytest.raises(UnreadableError, match="was removed or moved while it was open"):
            store.plans()


# While others write


def test_what_is_being_written_is_not_taken_for_damaged(
    full: str, plan: Plan, outcomes: list[JobOutcome]
) -> None:
    """A job comes and goes, with and without folds, and so do the jobs of a plan."""
    short = Plan(plan.jobs[:2], plan.resampling)
    bare = [JobOutcome(each.key, "failed") for each in outcomes]
    over = threading.Event()

    def rewrite() -> None:
        with Store(full) as store:
            while not over.is_set():
                for some, written in ((plan, outcomes), (short, bare)):
                    store.save_plan(some)
                    store.save(written)

    writer = threading.Thread(target=rewrite)
    writer.start()
    try:
        with Store(full) as store:
            for _ in range(30):
                store.check()
                store.jobs()
                assert not store.damaged([job.key for job in plan.jobs])
    finally:
        over.set()
        writer.join()


# Pages of a file


def test_broken_pages_and_what_can_be_read_of_the_rest(
    tmp_path: Path, plan: Plan, outcomes: list[JobOutcome], capsys: pytest.CaptureFixture[str]
) -> None:
    """The page that holds the predictions of one job is blanked, the others are good."""
    place = tmp_path / "e.db"
    with Store(place) as store:
        store.save_plan(plan)
        store.save(outcomes)
    assert outcomes[-1].folds[0].predictions is not None
    content = place.read_bytes()
    start = content.index(outcomes[-1].folds[0].predictions.to_bytes()[-200:])
    start -= start % 4096
    place.write_bytes(content[:start] + b"\xff" * 4096 + content[start + 4096 :])
    assert main(["status", str(place), "--check"]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert "is damaged: " in line
    assert "'wine, tree, repeat 1'" in line
    assert "of 4 jobs" in line
    assert line.endswith("put it back from a copy, or give the experiment a new store.")


def test_a_text_of_megabytes_is_cut(place: str, plan: Plan) -> None:
    said = JobOutcome(plan.jobs[0].key, "failed", error="x" * 20_000_000, traceback="y" * 10**7)
    with Store(place) as store:
        store.save_plan(plan)
        store.save([said])
        (job,) = (job for job in store.jobs() if job["status"])
    assert len(job["error"]) <= 2001
    assert len(job["traceback"]) <= 20_001


# Bytes of a file at random


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory, plan: Plan, outcomes: list[JobOutcome]) -> Path:
    place = tmp_path_factory.mktemp("sound") / "e.db"
    with Store(place) as store:
        store.save_plan(plan)
        store.save(outcomes)
    return place


def spoil(content: bytes, dice: random.Random) -> bytes:
    """Change bytes, blank a page, cut the end off, or put another piece in its place."""
    changed = bytearray(content)
    kind = dice.choice(["bytes", "page", "cut", "piece"])
    start = dice.randrange(len(changed))
    if kind == "bytes":
        for _ in range(dice.choice([1, 10, 200])):
            changed[dice.randrange(len(changed))] = dice.randrange(256)
    elif kind == "page":
        page = start - start % 4096
        changed[page : page + 4096] = bytes(4096)
    elif kind == "cut":
        del changed[start:]
    else:
        other = dice.randrange(len(changed))
        changed[start : start + 300] = changed[other : other + 300]
    return bytes(changed)


def spoiled_stores(sound: Path, folder: Path, seed: int, many: int) -> Iterator[Path]:
    dice = random.Random(seed)
    for number in range(many):
        place = folder / f"{number}.db"
        place.write_bytes(spoil(sound.read_bytes(), dice))
        yield place


def survives(place: Path, sound: Path, plan: Plan, capsys: pytest.CaptureFixture[str]) -> str:
    """Ask a spoiled store: the answer of the sound one, or one line; say which it was.

    A run mends what is not as written; pages that are broken it does not.
    """
    ended = set[int]()
    for asked in ("status PLACE", "status PLACE --check", "order PLACE"):
        status = main(asked.replace("PLACE", str(place)).split())
        err = capsys.readouterr().err.splitlines()
        assert (status, len(err)) in ((0, 0), (2, 1)), err
        assert "intact" not in " ".join(err)
        ended.add(status)
    try:
        assert scores(str(place)).equals(scores(str(sound)))
    except PalioError:
        assert 2 in ended
    try:
        with Store(place) as store:
            run_plan(plan, store, EngineOptions("inline"))
        assert scores(str(place)).equals(scores(str(sound)))
    except PalioError:
        assert 2 in ended
        return "found"
    return "mended" if 2 in ended else "harmless"


def test_spoiled_files(
    sound: Path, plan: Plan, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ends = [survives(p, sound, plan, capsys) for p in spoiled_stores(sound, tmp_path, 19, 6)]
    assert "found" in ends


@pytest.mark.slow
def test_many_spoiled_files(
    sound: Path,
    plan: Plan,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    record_property: Callable[[str, object], None],
) -> None:
    ends = [survives(p, sound, plan, capsys) for p in spoiled_stores(sound, tmp_path, 2026, 200)]
    counted = ", ".join(f"{ends.count(end)} {end}" for end in sorted(set(ends)))
    record_property("table", f"spoiled stores: {len(ends)} tried: {counted}")
    assert len(ends) - ends.count("harmless") > 100
