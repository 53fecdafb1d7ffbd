"""wainer2016 with cells that are missing, with parts of its data sets, and as it is kept."""

import csv
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB  # type: ignore[import-untyped]

import palio
from palio.bayes.rope import suggest_rope
from palio.errors import MissingCellsError, ParameterError
from palio.experiment.engines import EngineOptions
from palio.experiment.runner import run_plan
from palio.experiment.store.store import Store
from palio.experiment.tuning import tuned
from palio.scores import ScoreTable
from palio.studies import replication2026, wainer2016, wainer2016_findings, wainer2016_rerun
from palio.studies.replication2026 import read_kept
from palio.studies.reproduction import Layout, read_rows
from palio.studies.rerunning import Setting, run_again
from palio.studies.wainer2016_experiment import lay_out

FIRST = [each.name for each in replication2026.data_sets().values() if each.first]


@pytest.fixture(autouse=True)
def few_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wainer2016_findings, "_ROBUST_DRAWS", 400)


def layout(found: palio.Reproduction, number: str) -> Layout:
    (each,) = (each for each in found.layouts if each.table == number)
    return each


def with_gaps() -> ScoreTable:
    """The first 48 data sets, without rf on zoo and iris, and without nb on zoo."""
    rows = [row for row in read_rows("replication2026", "results") if row["dataset"] in FIRST]
    lost = {("zoo", "rf"): "timeout", ("iris", "rf"): "timeout", ("zoo", "nb"): "memory"}
    return read_kept(
        [
            {
                **row,
                **dict.fromkeys(("n_wrong", "inner_cv_error", *replication2026.COSTS), ""),
                "status": lost[row["dataset"], row["algorithm"]],
            }
            if (row["dataset"], row["algorithm"]) in lost
            else {**row, "status": ""}
            for row in rows
        ]
    )


# --- missing cells --------------------------------------------------------------------------------


def test_missing_cells_are_told_with_their_reasons_and_count_as_worst() -> None:
    table = with_gaps()
    whole = palio.load_study("replication2026").select(datasets=table.datasets)
    found = wainer2016.reproduce(table)
    assert found.notes[0].startswith(
        "3 cells of 672 missing: nb on zoo (memory), rf on zoo (timeout), rf on iris (timeout); "
        "each counts as the worst error and the longest time of its data set."
    )
    means = whole.means()
    zoo, iris = (whole.datasets.index(name) for name in ("zoo", "iris"))
    rf, nb = (whole.algorithms.index(name) for name in ("rf", "nb"))
    halves = {name: whole.fold_scores(name)[:, 0, :] for name in ("zoo", "iris")}
    rest = [k for k in range(14) if k not in (rf, nb)]
    means[zoo, [rf, nb]] = halves["zoo"][rest].max(axis=0).mean()
    means[iris, rf] = halves["iris"][[k for k in range(14) if k != rf]].max(axis=0).mean()
    dense = [np.unique(np.round(row, 3), return_inverse=True)[1] + 1 for row in means]
    assert layout(found, "1").recomputed["rf", "mean rank"] == pytest.approx(
        np.mean([row[rf] for row in dense])
    )
    others = whole.select(datasets=[n for n in whole.datasets if n not in ("zoo", "iris")])
    suggested = suggest_rope(others)
    assert layout(found, "§4.3").recomputed["δ^cv", "here"] == f"{suggested.delta_cv:.4f}"
    beside = layout(found, "parts").recomputed
    assert (beside["data sets", "all"], beside["data sets", "no gaps"]) == ("48", "46")
    some = [name for name in whole.datasets if name not in ("zoo", "iris")]
    without = wainer2016.reproduce(whole.select(datasets=some))
    assert beside["cells that agree", "no gaps"] == f"{without.agree}/{without.cells}"


def test_who_did_not_end_is_slowest_there() -> None:
    table = with_gaps()
    whole = palio.load_study("replication2026").select(datasets=table.datasets)
    found = wainer2016_findings.worst_there(table)
    name = "tuning_cpu_time_per_combination"
    seconds = whole.cost_matrix(name)
    zoo, knn, rf = whole.datasets.index("zoo"), *map(whole.algorithms.index, ("knn", "rf"))
    assert found.cost_matrix(name)[zoo, rf] >= np.delete(seconds[zoo], [rf]).max() * 0.999
    assert found.cost_matrix(name)[zoo, knn] == seconds[zoo, knn]


def test_a_complete_table_is_left_as_it_is() -> None:
    whole = palio.load_study("replication2026").select(datasets=FIRST)
    assert wainer2016_findings.worst_there(whole) is whole
    assert not [note for note in wainer2016.reproduce(whole).notes if "missing" in note]


# --- some of the data sets ------------------------------------------------------------------------


def test_the_first_stand_beside_all(monkeypatch: pytest.MonkeyPatch) -> None:
    known = replication2026.data_sets()
    few = {name: replace(each, first=each.rows <= 300) for name, each in known.items()}
    monkeypatch.setattr(replication2026, "data_sets", lambda: few)
    names = [name for name, each in few.items() if each.first]
    found = palio.reproduce("wainer2016")
    alone = palio.reproduce("wainer2016", datasets="first48")
    part = f"first {len(names)}"
    cells = layout(found, "parts").recomputed
    assert cells["data sets", part] == str(len(names))
    assert cells["cells that agree", part] == f"{alone.agree}/{alone.cells}"
    assert cells["cells that agree", "all"] == f"{found.agree}/{found.cells}"
    ours, theirs = (layout(each, "1").recomputed for each in (found, alone))
    assert ours["rf", f"on {len(names)}"] == theirs["rf", "mean rank"]
    assert (
        layout(found, "agreement").recomputed["Table 3, P(equal)", f"ρ, {part}"]
        == (layout(alone, "agreement").recomputed["Table 3, P(equal)", "ρ"])
    )
    assert "parts" not in {each.table for each in alone.layouts}


def test_which_data_sets_is_one_of_two_words() -> None:
    with pytest.raises(ParameterError, match="'all' or 'first48', and 'first' was given"):
        palio.reproduce("wainer2016", datasets="first")
    with pytest.raises(ParameterError, match="'ulas2008' has no such choice"):
        palio.reproduce("ulas2008", datasets="first48")
    with pytest.raises(ParameterError, match="not about a rerun"):
        palio.reproduce("wainer2016", data="folder:x", datasets="first48")


# --- from a store to what is kept -----------------------------------------------------------------


class FailsOnMany(GaussianNB):  # type: ignore[misc]
    """Fails where there are more than sixty rows to learn from: on the half of `three`, 62."""

    def fit(self, X: Any, y: Any) -> "FailsOnMany":
        if len(X) > 60:
            raise ValueError("too many rows")
        super().fit(X, y)
        return self


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> tuple[Setting, dict[str, Any]]:
    """Three data sets, on the largest of which one learner fails; and a fourth that is not run.

    Tests read its store, and write elsewhere.
    """
    folder = tmp_path_factory.mktemp("ran")
    data = folder / "files"
    data.mkdir()
    rng = np.random.default_rng(0)
    for name, rows in {"one": 100, "two": 110, "three": 124, "four": 140}.items():
        codes = rng.integers(0, 2, rows)
        values = rng.normal(size=(rows, 2)) + codes[:, None]
        lines = [f"{u:.3f},{v:.3f},{'ab'[k]}" for (u, v), k in zip(values, codes, strict=True)]
        (data / f"{name}.csv").write_text("\n".join(["u,v,target", *lines, ""]))
    learners = {name: tuned(name, free=(), cv=2) for name in ("nb", "sda", "knn")}
    learners["knn"].set_params(param_grid={"n_neighbors": [1, 5]})
    learners["bst"] = tuned("nb", free=(), cv=2).set_params(
        estimator=FailsOnMany(), param_grid={"var_smoothing": [1e-9, 1e-3]}
    )
    setting = Setting(f"folder:{data}", folder / "all.db", max_rows=130, n_jobs=1)
    run_again(lay_out(setting, learners), setting, name="wainer2016")
    return setting, learners


def test_what_a_store_has_is_kept_with_its_reasons(
    ran: tuple[Setting, dict[str, Any]], tmp_path: Path
) -> None:
    setting, learners = ran
    kept = tmp_path / "new" / "kept"
    asked = replace(setting, keep=kept)
    found = wainer2016_rerun.rerun(asked, learners)
    assert "bst on three (failed: ValueError: too many rows)" in found.notes[0]
    with (kept / "results.csv").open(encoding="utf-8") as lines:
        rows = list(csv.DictReader(lines))
    assert list(dict.fromkeys(row["dataset"] for row in rows)) == ["one", "two", "three"]
    assert [row["algorithm"] for row in rows[:8:2]] == ["bst", "knn", "nb", "sda"]
    lost = [row for row in rows if row["status"]]
    assert {(row["dataset"], row["algorithm"], row["half"]) for row in lost} == {
        ("three", "bst", "1"), ("three", "bst", "2"),
    }  # fmt: skip
    assert {row["status"] for row in lost} == {"failed: ValueError: too many rows"}
    assert not any(row["n_wrong"] or row["fit_cpu_time"] for row in lost)
    table = read_kept(rows)
    three, bst = table.datasets.index("three"), table.algorithms.index("bst")
    assert np.argwhere(np.isnan(table.means())).tolist() == [[three, bst]]
    assert table.reasons(table.failed()) == ["failed: ValueError: too many rows"]


def test_to_keep_is_to_run_nothing(ran: tuple[Setting, dict[str, Any]], tmp_path: Path) -> None:
    setting, learners = ran
    more = replace(setting, max_rows=None, keep=tmp_path / "kept")
    with pytest.raises(MissingCellsError, match=r"does not know 4 of the 16 jobs .* on four"):
        wainer2016_rerun.rerun(more, learners)
    assert not (tmp_path / "kept").exists()
    with pytest.raises(palio.errors.InputError):
        wainer2016_rerun.rerun(replace(setting, keep=tmp_path, store=tmp_path / "no.db"), learners)


def test_data_sets_with_jobs_to_be_run_are_left_out(
    ran: tuple[Setting, dict[str, Any]], tmp_path: Path
) -> None:
    """Half of the data sets have been run; of the plan of the store the rest has not."""
    setting, learners = ran
    searches = {name: each for name, each in learners.items() if name != "bst"}
    half = replace(setting, store=tmp_path / "half.db", max_rows=None)
    plan = lay_out(half, searches)
    keys = {job.key for job in plan.jobs if job.dataset.name in ("one", "four")}
    with Store(half.store) as store:
        run_plan(plan, store, EngineOptions(n_jobs=1), only=keys, name="wainer2016")
    found = wainer2016_rerun.rerun(replace(half, keep=tmp_path / "kept"), searches)
    (said,) = (note for note in found.notes if note.startswith("left out"))
    assert said == "left out, not all jobs have ended there: two, three"
    with (tmp_path / "kept" / "datasets.csv").open(encoding="utf-8") as lines:
        assert [row["dataset"] for row in csv.DictReader(lines)] == ["one", "four"]


def _kept(folder: Path, name: str) -> list[dict[str, str]]:
    with (folder / f"{name}.csv").open(encoding="utf-8") as lines:
        return list(csv.DictReader(lines))


def test_what_is_kept_grows_by_data_sets(
    ran: tuple[Setting, dict[str, Any]], tmp_path: Path
) -> None:
    """Day by day, from stores that know nothing of each other; what is there stays."""
    setting, learners = ran
    kept, today = tmp_path / "kept", tmp_path / "today"
    wainer2016_rerun.rerun(replace(setting, keep=kept), learners)
    before = _kept(kept, "results")
    today.mkdir()
    for name in ("one", "four"):
        (today / f"{name}.csv").write_bytes((setting.folder / f"{name}.csv").read_bytes())
    second = Setting(f"folder:{today}", tmp_path / "second.db", n_jobs=1)
    run_again(lay_out(second, learners), second, name="wainer2016")
    wainer2016_rerun.rerun(replace(second, keep=kept), learners)
    after = _kept(kept, "results")
    assert after[: len(before)] == before
    assert {row["dataset"] for row in after[len(before) :]} == {"four"}
    known = [(row["dataset"], row["rows"]) for row in _kept(kept, "datasets")]
    assert known == [("one", "100"), ("two", "110"), ("three", "124"), ("four", "140")]
    assert read_kept(after).n_datasets == 4


def test_what_is_kept_with_other_errors_is_refused(
    ran: tuple[Setting, dict[str, Any]], tmp_path: Path
) -> None:
    setting, learners = ran
    asked = replace(setting, keep=tmp_path / "kept")
    wainer2016_rerun.rerun(asked, learners)
    file = tmp_path / "kept" / "results.csv"
    row = next(row for row in _kept(file.parent, "results") if row["algorithm"] == "nb")
    start = f"one,nb,1,{row['n_test']},"
    other = file.read_text().replace(f"{start}{row['n_wrong']},", f"{start}49,", 1)
    file.write_text(other)
    said = rf"nb on half 1 of one ended with '{row['n_wrong']} of 50 wrong' in the .* '49 of 50 wr"
    with pytest.raises(ParameterError, match=said):
        wainer2016_rerun.rerun(asked, learners)
    assert file.read_text() == other
