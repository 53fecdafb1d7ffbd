"""wainer2016 beside its replication: the kept table, the paper's tables, and a rerun."""

import csv
from dataclasses import replace
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

import palio
from docs.pages.replication import found as replicated
from palio.errors import DesignError, MissingCellsError, ParameterError
from palio.experiment.data.datasets import load_datasets
from palio.experiment.data.metafeatures import METAFEATURES, describe
from palio.experiment.tuning import tuned
from palio.report.figures import draw
from palio.scores import ScoreTable
from palio.studies import (
    STUDIES,
    replication2026,
    rerunning,
    wainer2016,
    wainer2016_experiment,
    wainer2016_findings,
    wainer2016_rerun,
)
from palio.studies.replication2026 import DataSet, errors_of
from palio.studies.replication2026_keep import keep, known_of
from palio.studies.reproduction import CellGrid, Layout, read_rows
from palio.studies.rerunning import Setting
from palio.studies.wainer2016_bayes import papers_pairs
from palio.studies.wainer2016_experiment import FAMILIES, lay_out, one_per_source
from palio.studies.wainer2016_findings import worst_there
from palio.studies.wainer2016_tables import (
    Times,
    Verdicts,
    correlation,
    dense_ranks,
    nemenyi,
    papers_ranks,
)

ROOT = files("palio.studies") / "data" / "replication2026"
FOURTEEN = {
    "bst", "elm", "gbm", "glmnet", "knn", "lvq", "nb", "nnet", "rf", "rknn", "sda", "svmLinear",
    "svmPoly", "svmRadial",
}  # fmt: skip


@pytest.fixture(scope="module")
def table() -> ScoreTable:
    return palio.load_study("replication2026")


@pytest.fixture(scope="module")
def whole(table: ScoreTable) -> ScoreTable:
    """Without gaps: who did not end is the worst there."""
    return worst_there(table)


@pytest.fixture(scope="module")
def reproduction() -> palio.Reproduction:
    """The same as its page tells of, and worked out once for both."""
    return replicated()


@pytest.fixture(scope="module")
def first() -> palio.Reproduction:
    return palio.reproduce("wainer2016", datasets="first48")


def layout(found: palio.Reproduction, number: str) -> Layout:
    (each,) = (each for each in found.layouts if each.table == number)
    return each


def test_figures_are_drawn_as_in_the_paper(reproduction: palio.Reproduction) -> None:
    """Dense ranks in the heat map, 20 data sets, and replicates as far off as what was observed."""
    grid, algorithms, datasets, check = reproduction.drawings
    assert isinstance(grid.summary, CellGrid)
    cells = {cell: float(value) for cell, value in grid.summary.recomputed.items()}
    firsts = layout(reproduction, "1").recomputed
    for name in FOURTEEN:
        row = [value for (row, _), value in cells.items() if row == name]
        assert np.nansum(row) == 90
        assert cells[name, "1"] == float(firsts[name, "first"])  # where Figure 1 and Table 1 meet
    assert max(cells, key=lambda cell: np.nan_to_num(cells[cell])) == ("rf", "1")
    for drawing, of, n in ((algorithms, "algorithms", 14), (datasets, "datasets", 20)):
        texts = draw(drawing.summary, drawing.figure, **drawing.options).axes[0].texts
        assert sum(f"name:{of}:" in str(text.get_gid()) for text in texts) == n
    assert check.summary.answer().checks.discrepancy.p_value == pytest.approx(0.5, abs=0.05)  # type: ignore[attr-defined]


# --- the kept table -------------------------------------------------------------------------------


def test_the_kept_table_is_complete_but_for_what_has_a_reason(table: ScoreTable) -> None:
    assert set(table.algorithms) == FOURTEEN
    assert sum(each.first for each in replication2026.data_sets().values()) == 48
    missing = np.isnan(table.means())
    assert len(table.reasons(missing)) == missing.sum() < 0.02 * missing.size
    assert str(table.design()) == "2-fold cv"
    assert table.score_names == ("error", "inner_cv_error")
    assert not table.measure.higher_is_better
    for cost in ("tuning_cpu_time", "refit_cpu_time", "model_bytes", "fit_time"):
        assert (table.cost_matrix(cost)[~missing] > 0).all()


def test_errors_are_counts_of_instances(table: ScoreTable) -> None:
    with (ROOT / "results.csv").open(encoding="utf-8") as lines:
        rows = list(csv.DictReader(lines))
    known = replication2026.data_sets()
    for row in rows:
        assert int(row["n_test"]) in (known[row["dataset"]].rows // 2 + np.array([0, 1]))
        assert 0 <= int(row["n_wrong"] or 0) <= int(row["n_test"])
    first = rows[0]
    assert table.fold_scores(first["dataset"])[
        table.algorithms.index(first["algorithm"]), 0, 0
    ] == int(first["n_wrong"]) / int(first["n_test"])


def test_only_machines_with_a_cap_say_whether_it_stopped_them(table: ScoreTable) -> None:
    told = {
        table.algorithms[i]
        for i in table.rows.algorithm[~np.isnan(table.rows.costs["capped"])].tolist()
    }
    assert told == {"svmLinear", "svmPoly", "svmRadial"}


def test_the_kept_table_is_small() -> None:
    with (ROOT / "results.csv").open("rb") as file:
        assert len(file.read()) < 400_000


def test_data_sets_are_of_the_size_that_the_rules_allow(table: ScoreTable) -> None:
    known = replication2026.data_sets()
    assert tuple(known) == table.datasets
    assert all(100 <= each.rows <= min(5000, each.all_rows) for each in known.values())
    assert one_per_source(known) == list(known)


def test_what_is_kept_of_a_data_set_is_what_its_data_say() -> None:
    """scikit-learn has wdbc, too, with other names of the classes, which move the folds."""
    known = replication2026.data_sets()["wdbc"]
    (data,) = load_datasets("sklearn:breast_cancer")
    assert (known.rows, known.features, known.classes) == (569, 30, 2)
    for name, value in describe(data).items():
        off = 0.005 if name.startswith("landmark") else 5e-4 * abs(value)
        assert known.metafeatures[name] == pytest.approx(value, abs=off), name


def test_a_recommendation_takes_the_data_sets_as_they_are_kept(table: ScoreTable) -> None:
    found = replication2026.described()
    assert tuple(each.name for each in found) == table.datasets
    names = [each.name for each in METAFEATURES.values() if "classification" in each.tasks]
    assert all(list(each.features) == names for each in found)
    assert {each.task for each in found} == {"classification"}
    evaluated = palio.evaluate_recommendation(worst_there(table), found, nearest=(5,))
    assert evaluated.n_datasets == table.n_datasets


def test_a_row_of_the_data_sets_is_read_as_it_was_written() -> None:
    one = replication2026.data_sets()["zoo"]  # whose correlation there is not
    assert np.isnan(one.metafeatures["mean_correlation"])
    again = DataSet.read(one.written())
    assert replace(again, metafeatures={}) == replace(one, metafeatures={})
    assert again.metafeatures == pytest.approx(one.metafeatures, nan_ok=True)
    other = replace(one, first=not one.first, source='elsewhere, 1, "2"')
    assert DataSet.read(other.written()).first is other.first


def test_sizes_are_compared_with_table_9() -> None:
    found = palio.reproduce("replication2026")
    (check,) = found.checks
    known = replication2026.data_sets()
    names = {row["dataset"] for row in read_rows("replication2026", "names")}
    assert check.cells == len(names & set(known)) >= 43
    assert {d.key[0] for d in check.differences} == set(replication2026._OTHER_SIZE) & set(known)
    sizes = layout(found, "§4.3").recomputed
    complete = int(np.isfinite(palio.load_study("replication2026").means()).all(axis=1).sum())
    assert int(str(sizes["smaller", "data sets"])) == complete // 2
    assert int(str(sizes["larger", "data sets"])) == complete - complete // 2
    assert float(str(sizes["larger", "δ"])) < float(str(sizes["smaller", "δ"]))


def test_what_chance_makes_of_two_halves_by_hand() -> None:
    """Errors of 0.2 on halves of 100: the difference has sd √(2·0.16/100), the median 0.6745 sd."""
    errors = np.array([[0.2, 0.2, 0.2, 0.5]])
    found = replication2026._by_chance(errors, np.array([200.0]))
    assert found == pytest.approx(0.6745 * np.sqrt(0.0032), abs=1e-5)
    # Without errors there are no differences.
    assert replication2026._by_chance(np.zeros((2, 4)), np.array([200.0, 200.0])) < 1e-9


# --- the paper's tables beside it -----------------------------------------------------------------


def test_what_is_compared(reproduction: palio.Reproduction, table: ScoreTable) -> None:
    cells = {check.table: check.cells for check in reproduction.checks}
    assert cells == {"1": 3, "2": 55, "§4.3": 1, "3": 15, "8": 15, "§5": 1, "5": 15, "6": 14}
    assert [each.table for each in reproduction.layouts] == [
        *(["parts"] if table.n_datasets > 48 else []),
        "agreement", "verdicts", "1", "size", "2", "§4.3", "3", "12", "4", "10", "11",
    ]  # fmt: skip
    assert all(d.reason != "unexplained" for c in reproduction.checks for d in c.differences)


def test_how_much_agrees_on_the_first_48(first: palio.Reproduction) -> None:
    """By errors, which a run of more data sets does not change; of all, the page tells."""
    agree = {check.table: check.agree for check in first.checks}
    assert {number: agree[number] for number in ("1", "2", "§4.3", "§5")} == {
        "1": 1, "2": 31, "§4.3": 1, "§5": 1,
    }  # fmt: skip
    values = layout(first, "verdicts").recomputed
    kinds = ("same", "only paper", "only here", "opposite")
    assert [values["Table 2", kind] for kind in kinds] == ["31", "18", "6", "0"]
    assert layout(first, "agreement").recomputed["Table 1, mean ranks", "ρ"] == 0.8813


def test_who_is_ahead_in_table_2_is_ahead_on_the_first_48_too(first: palio.Reproduction) -> None:
    """What the paper shows and 48 data sets do not is nowhere turned round."""
    (check,) = (each for each in first.checks if each.table == "2")
    assert not [d for d in check.differences if "the other way" in d.reason]


@pytest.mark.parametrize(
    ("number", "time"), [("10", "one_train_test"), ("11", "per_hyperparameter")]
)
def test_the_papers_p_values_of_times_fit_data_sets_and_not_halves(number: str, time: str) -> None:
    ranks = papers_ranks("4", time)
    cells = {cell: p for cell, p in papers_pairs(number).items() if 0.02 < p < 0.98}
    gaps = np.array([abs(ranks[a] - ranks[b]) for a, b in cells])
    off = {}
    for n in (115, 230):
        q = np.sqrt(2) * gaps / np.sqrt(14 * 15 / (6 * n))
        expected = stats.studentized_range.sf(q, 14, 1e5)
        off[n] = np.abs(expected - list(cells.values())).mean()
    assert off[115] < 0.07
    assert off[230] > 0.25


def test_dense_ranks_by_hand() -> None:
    errors = np.array([[0.1004, 0.0996, 0.25, 0.25, 0.3], [0.5, 0.4, 0.3, 0.2, 0.1]])
    assert dense_ranks(errors).tolist() == [[1, 1, 2, 2, 3], [5, 4, 3, 2, 1]]


def test_table_1_counts_all_who_are_first(
    whole: ScoreTable, reproduction: palio.Reproduction
) -> None:
    rounded = np.round(whole.means(), 3)
    best = rounded == rounded.min(axis=1, keepdims=True)
    values = layout(reproduction, "1").recomputed
    for i, name in enumerate(whole.algorithms):
        assert values[name, "first"] == str(int(best[:, i].sum()))
    assert values["rf", "paper's"] == 3.04
    assert values["rf", "paper's first"] == "36"


def test_p_values_against_scipys_studentised_range(
    whole: ScoreTable, reproduction: palio.Reproduction
) -> None:
    ranks = stats.rankdata(np.round(whole.means(), 12), axis=1).mean(axis=0)
    i, j = whole.algorithms.index("rf"), whole.algorithms.index("nb")
    spread = np.sqrt(14 * 15 / (6 * whole.n_datasets))
    p = stats.studentized_range.sf(np.sqrt(2) * abs(ranks[i] - ranks[j]) / spread, 14, np.inf)
    values = layout(reproduction, "2").recomputed
    text = values.get(("nb", "rf")) or values["rf", "nb"]
    assert float(str(text).split("|")[0]) == pytest.approx(p, abs=0.006)


def test_thresholds_by_hand(table: ScoreTable, reproduction: palio.Reproduction) -> None:
    """δ is the median over the three best, and whoever is level with the third."""
    frame = table.to_frame()
    changes, promised = [], []
    for _, rows in frame.groupby("dataset"):
        if rows["error"].isna().any():
            continue
        means = rows.groupby("algorithm")["error"].mean()
        best = means[means <= means.nsmallest(3).iloc[-1] + 1e-9].index
        for _, two in rows[rows["algorithm"].isin(best)].groupby("algorithm"):
            one, other = two["error"]
            changes.append(abs(one - other))
            promised += list((two["error"] - two["inner_cv_error"]).abs())
    values = layout(reproduction, "§4.3").recomputed
    assert values["δ", "here"] == f"{np.median(changes):.4f}"
    assert values["δ^cv", "here"] == f"{np.median(promised):.4f}"


def test_verdicts_are_counted_and_named() -> None:
    """Eight sets on which rf < gbm < knn always; the paper: rf and gbm level, both ahead of knn."""
    blocks = [f"set {i}" for i in range(8)]
    names = ("knn", "rf", "gbm")
    ours = nemenyi(np.tile([3.0, 1.0, 2.0], (8, 1)), blocks, names, "error")
    verdicts = Verdicts("2", ours, papers_ranks("1", "mean_rank"))
    assert verdicts.papers == {("gbm", "rf"): "neither", ("knn", "rf"): "rf", ("knn", "gbm"): "gbm"}
    assert verdicts.here(("knn", "rf")) == "rf"
    # Mean ranks 1 and 3 differ by 2, the critical difference is 2.343 √(3·4/(6·8)) = 1.17.
    assert verdicts.counts() == {"same": 2, "only paper": 1, "only here": 0, "opposite": 0}
    (difference,) = verdicts.check("error", number="2").differences
    assert difference.reason == "mean ranks 3.00 and 2.00, p = 0.11"
    backwards = nemenyi(np.tile([1.0, 3.0, 2.0], (8, 1)), blocks, names, "error")
    turned = replace(verdicts, ours=backwards)
    assert turned.counts() == {"same": 1, "only paper": 1, "only here": 0, "opposite": 1}


def test_a_p_value_printed_as_the_level_is_left_out(table: ScoreTable) -> None:
    ours = Times.of(worst_there(table)).by_datasets("per_hyperparameter")
    verdicts = Verdicts("11", ours, papers_ranks("4", "per_hyperparameter"))
    assert ("svmPoly", "nnet") not in verdicts.papers
    assert ("elm", "rf") not in verdicts.papers
    assert len(verdicts.papers) == 89


def test_halves_are_blocks_of_their_own(whole: ScoreTable) -> None:
    times = Times.of(whole)
    by_sets, halves = times.by_datasets("one_train_test"), times.by_halves("one_train_test")
    assert halves.n_datasets == 2 * by_sets.n_datasets
    seconds = times.seconds["one_train_test"]
    ranks = stats.rankdata(np.concatenate([seconds[:, :, 0], seconds[:, :, 1]]), axis=1)
    expected = dict(zip(whole.algorithms, ranks.mean(axis=0).tolist(), strict=True))
    assert halves.mean_ranks == pytest.approx(expected)


def test_correlation_is_scipys() -> None:
    rng = np.random.default_rng(0)
    one, other = rng.integers(0, 6, 20).astype(float), rng.random(20)
    found, n = correlation(dict(enumerate(one)), {**dict(enumerate(other)), "more": 3.0})
    assert n == 20
    assert found == pytest.approx(stats.spearmanr(one, other).statistic, abs=1e-4)


def test_figures_are_written(reproduction: palio.Reproduction, tmp_path: Path) -> None:
    written = reproduction.draw(tmp_path)
    assert sorted(path.name for path in written) == [
        f"wainer2016-figure-{number}.{end}" for number in range(1, 5) for end in ("png", "svg")
    ]


def test_a_table_without_cpu_times_or_with_other_folds_is_refused(table: ScoreTable) -> None:
    with pytest.raises(MissingCellsError, match="lacks refit_cpu_time, model_predict_cpu_time"):
        wainer2016.reproduce(palio.load_study("ulas2008"))
    frame = table.to_frame()
    with pytest.raises(DesignError, match="two halves of every data set"):
        wainer2016.reproduce(palio.read_scores(frame[frame["fold"] == 1], score="error"))


def test_the_paper_has_no_scores_to_load() -> None:
    with pytest.raises(MissingCellsError, match="load the replication's, 'replication2026'"):
        palio.load_study("wainer2016")


# --- a rerun --------------------------------------------------------------------------------------


def test_of_each_source_the_first_is_taken() -> None:
    every = [name for family in FAMILIES for name in family]
    assert one_per_source([*every, "iris"]) == [*(family[0] for family in FAMILIES), "iris"]
    assert one_per_source(["sick", "hypothyroid_3163"]) == ["hypothyroid_3163"]
    assert len(set(every)) == len(every)


def test_learners_are_the_papers_and_so_is_what_is_free() -> None:
    found = wainer2016_experiment.learners()
    assert set(found) == FOURTEEN
    free = {name: search.free for name, search in found.items() if search.free}
    assert free == {
        "bst": ("n_boosts",),
        "gbm": ("n_estimators",),
        "glmnet": ("strength",),
        "rf": ("n_estimators",),
        "rknn": ("n_members",),
    }


def _write(folder: Path, name: str, rows: int, classes: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, len(classes), rows)
    X = rng.normal(size=(rows, 3)) + codes[:, None]
    lines = [f"{a:.3f},{b:.3f},{c:.3f},{classes[k]}" for (a, b, c), k in zip(X, codes, strict=True)]
    (folder / f"{name}.csv").write_text("\n".join(["u,v,w,target", *lines, ""]))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("data")
    _write(made, "heart_c", 120, "ab", 0)
    _write(made, "heart", 110, "ab", 1)  # of the same source
    _write(made, "mine", 104, "xyz", 2)
    _write(made, "other", 130, "pqr", 3)
    _write(made, "few", 99, "ab", 4)
    _write(made, "many", 150, "ab", 5)
    return made


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    few = {name: tuned(name, free=(), cv=2) for name in ("knn", "nb", "sda", "svmRadial")}
    few["knn"].set_params(param_grid={"n_neighbors": [1, 5]})
    few["svmRadial"].set_params(param_grid={"C": [1.0, 32.0]})
    monkeypatch.setattr(wainer2016_experiment, "learners", lambda: few)
    monkeypatch.setattr(wainer2016_findings, "_ROBUST_DRAWS", 400)


def test_inner_folds_are_drawn_at_random() -> None:
    """Consecutive rows of a file in order make folds unlike each other."""
    for search in wainer2016_experiment.learners().values():
        assert (search.cv.n_splits, search.cv.shuffle, search.cv.random_state) == (5, True, 0)


def test_which_data_sets_are_run_and_in_which_order(folder: Path) -> None:
    setting = Setting(f"folder:{folder}", "unused.db", max_rows=140)
    plan = lay_out(setting, {"knn": tuned("knn")})
    assert plan.datasets == ("mine", "heart_c", "other")
    assert all(len(job.dataset.classes) == 2 for job in plan.jobs)
    assert plan.jobs[0].dataset.name == "mine"
    assert [split.test.size for split in plan.jobs[0].splits] == [52, 52]
    everything = lay_out(replace(setting, max_rows=None), {"knn": tuned("knn")})
    assert everything.datasets == ("mine", "heart_c", "other", "many")


def test_files_of_pmlb_are_coded_as_the_study_had_them(tmp_path: Path) -> None:
    """`irish` has a column of names, `crabs` one that numbers the rows; `spect` is a CSV file."""
    rng = np.random.default_rng(0)
    for name, columns in {"irish": ["Sex", "Type_school"], "prnn_crabs": ["FL", "index"]}.items():
        values = rng.integers(0, 12, (100, 3))
        lines = ["\t".join([columns[0], "target", columns[1]])]
        lines += ["\t".join(map(str, (a, b % 2, c))) for a, b, c in values.tolist()]
        (tmp_path / f"{name}.tsv").write_text("\n".join(lines))
    setting = Setting(f"folder:{tmp_path}", "unused.db")
    alone = lay_out(setting, {"knn": tuned("knn")})
    _write(tmp_path, "spect", 100, "ab", 0)
    (tmp_path / "spect.tsv").write_text("not looked at")
    plan = lay_out(setting, {"knn": tuned("knn")})
    assert (alone.datasets, plan.datasets) == (("crabs", "irish"), ("crabs", "irish", "spect"))
    crabs, irish, _ = (job.dataset for job in plan.jobs)
    assert list(crabs.X.columns) == ["FL"]
    assert (crabs.categorical, irish.categorical) == ((), ("Type_school",))
    assert set(irish.X["Type_school"]) == {f"c{k}" for k in range(12)}
    assert len(crabs.classes) == 2
    (known,) = known_of(plan, setting, ["irish"])
    assert (known.source, known.categorical, known.rows) == ("PMLB irish", 1, 100)


def test_of_larger_data_sets_a_sample_is_taken(folder: Path) -> None:
    """Of their two classes, in proportion; the smaller ones stay what they are, job by job."""
    setting = Setting(f"folder:{folder}", "unused.db")
    whole = lay_out(setting, {"knn": tuned("knn")})
    sampled = lay_out(replace(setting, sample_rows=125), {"knn": tuned("knn")})
    assert sampled.datasets == whole.datasets
    rows = {job.dataset.name: job.dataset.n_rows for job in sampled.jobs}
    assert rows == {"mine": 104, "heart_c": 120, "other": 125, "many": 125}
    same = {
        job.dataset.name
        for job, other in zip(sampled.jobs, whole.jobs, strict=True)
        if job.key == other.key
    }
    assert same == {"mine", "heart_c"}
    for job, other in zip(sampled.jobs, whole.jobs, strict=True):
        share, of_all = (np.mean(each.dataset.y == other.dataset.y[0]) for each in (job, other))
        assert share == pytest.approx(of_all, abs=1 / 125)


def test_data_sets_are_told_as_they_were_run(folder: Path, tmp_path: Path) -> None:
    """A sample of two classes; what they were made of, and where that is from, is told besides."""
    (tmp_path / "INDEX.csv").write_text("name,rows,source\nother,130,a shelf\nheart,110,no\n")
    (tmp_path / "files").mkdir()
    for file in folder.glob("*.csv"):
        (tmp_path / "files" / file.name).write_bytes(file.read_bytes())
    links = tmp_path / "elsewhere" / "links"
    links.mkdir(parents=True)
    for file in (tmp_path / "files").glob("*.csv"):
        (links / file.name).symlink_to(file)
    setting = Setting(f"folder:{links}", "unused.db", sample_rows=125)
    plan = lay_out(setting, {"nb": tuned("nb")})
    found = known_of(plan, setting, ["heart_c", "other"])
    heart, other = (DataSet.read(each.written()) for each in found)
    assert (other.rows, other.all_rows, other.classes, other.features) == (125, 130, 3, 3)
    assert (other.source, other.first) == ("a shelf", False)
    assert (heart.rows, heart.all_rows, heart.source, heart.first) == (120, 120, "", True)
    (run,) = {
        job.dataset.name: job.dataset for job in plan.jobs if job.dataset.name == "other"
    }.values()
    assert other.metafeatures == pytest.approx(describe(run), rel=1e-3)
    assert other.metafeatures["log_rows"] == pytest.approx(np.log(125), abs=1e-3)


@pytest.mark.usefixtures("quick")
def test_a_part_of_it_is_run(folder: Path, tmp_path: Path) -> None:
    setting = Setting(f"folder:{folder}", tmp_path / "1.db", part="2/4", n_jobs=1)
    plan = lay_out(setting, {"nb": tuned("nb", cv=2), "sda": tuned("sda", cv=2)})
    table = rerunning.run_again(plan, setting, name="wainer2016")
    # A part is of jobs: of two learners on four data sets a quarter has two.
    assert int(np.isfinite(table.means()).sum()) == 2
    with pytest.raises(MissingCellsError, match="0 of 4 data sets"):
        wainer2016_rerun.rerun(setting, {"nb": tuned("nb", cv=2), "sda": tuned("sda", cv=2)})


def test_no_data_set_of_the_right_size_is_said(folder: Path) -> None:
    setting = Setting(f"folder:{folder}", "unused.db", max_rows=100)
    with pytest.raises(ParameterError, match=r"none of the 5 data sets .* from 100 to 100 rows"):
        lay_out(setting)


@pytest.mark.slow
@pytest.mark.usefixtures("quick")
def test_a_rerun_is_compared_kept_and_gone_on_with(folder: Path, tmp_path: Path) -> None:
    told: list[int] = []
    options = {"store": tmp_path / "rerun.db", "max_rows": 140, "n_jobs": 1}
    found = palio.reproduce(
        "wainer2016", data=f"folder:{folder}", progress=lambda p: told.append(p.done), **options
    )
    assert told[-1] == 3 * 4
    assert str(found).startswith("wainer2016: ")
    assert layout(found, "1").title.startswith("dense mean ranks and first places on 3 data sets")
    assert {check.table for check in found.checks} >= {"1", "2", "§4.3"}
    again: list[int] = []
    second = palio.reproduce(
        "wainer2016", data=f"folder:{folder}", progress=lambda p: again.append(p.done), **options
    )
    assert again == [3 * 4]  # all there at once
    assert second.to_dict() == found.to_dict()
    _keeps(folder, tmp_path)


def _keeps(folder: Path, tmp_path: Path) -> None:
    """What is written is what was measured."""
    stored = palio.read_scores(tmp_path / "rerun.db")
    setting = Setting(f"folder:{folder}", "x", max_rows=140)
    keep(stored, lay_out(setting), setting, {}, tmp_path)
    with (tmp_path / "results.csv").open(encoding="utf-8") as lines:
        rows = list(csv.DictReader(lines))
    errors = errors_of(stored)
    assert len(rows) == len(errors.rows) == 3 * 4 * 2
    frame = errors.to_frame()
    measured = {(e["dataset"], e["algorithm"], e["fold"]): e for e in frame.to_dict("records")}
    for row in rows:
        expected = measured[row["dataset"], row["algorithm"], int(row["half"])]
        assert int(row["n_wrong"]) / int(row["n_test"]) == pytest.approx(expected["error"])
        assert float(row["inner_cv_error"]) == pytest.approx(expected["inner_cv_error"], abs=1e-6)
        assert float(row["refit_cpu_time"]) == pytest.approx(expected["refit_cpu_time"], rel=1e-3)
        assert (row["capped"] != "") == (row["algorithm"] == "svmRadial")
    with (tmp_path / "datasets.csv").open(encoding="utf-8") as lines:
        assert [row["dataset"] for row in csv.DictReader(lines)] == ["mine", "heart_c", "other"]


def test_the_verb_takes_max_rows() -> None:
    assert STUDIES["wainer2016"].takes == ("max_rows", "sample_rows", "keep", "datasets")
    with pytest.raises(ParameterError, match="runs: 'wainer2016' has no such choice"):
        palio.reproduce("wainer2016", data="folder:x", runs=3)
