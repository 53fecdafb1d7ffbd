"""Experiment files: what can be written in them, and what is said when it is wrong."""

import inspect
import os
from pathlib import Path

import pytest
from sklearn.naive_bayes import GaussianNB  # type: ignore[import-untyped]

import palio
from palio.errors import ParameterError, UnreadableError
from palio.experiment.config import Experiment, load_experiment
from palio.experiment.engines import EngineOptions
from palio.experiment.estimators import estimator_named, make_estimators
from palio.experiment.runner import read_store, run_plan
from palio.experiment.store.store import Store

TREE = """\
datasets = ["sklearn:iris"]
resampling = "5x2"

[algorithms.tree]
estimator = "sklearn.tree:DecisionTreeClassifier"
params = { max_depth = 2 }
"""

NESTED = """\
datasets = ["sklearn:iris"]
resampling = "2-fold"

[algorithms]
nb = "sklearn.naive_bayes:GaussianNB"

[algorithms.search]
estimator = "sklearn.model_selection:GridSearchCV"
params.param_grid = { max_depth = [1, 3] }
params.cv = 2

[algorithms.search.params.estimator]
estimator = "sklearn.tree:DecisionTreeClassifier"
params.min_samples_leaf = 2

[algorithms.pipe]
estimator = "sklearn.pipeline:Pipeline"
params.steps = [
    ["pca", { estimator = "sklearn.decomposition:PCA", params = { n_components = 2 } }],
    ["vote", { estimator = "sklearn.ensemble:VotingClassifier", params = { estimators = [
        ["nb", { estimator = "sklearn.naive_bayes:GaussianNB" }],
        ["knn", { estimator = "sklearn.neighbors:KNeighborsClassifier" }],
    ] } }],
]
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "trees.toml"


def load(path: Path, text: str) -> Experiment:
    path.write_text(text, encoding="utf-8")
    return load_experiment(path)


def complaint(path: Path, text: str) -> str:
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ParameterError) as caught:
        load_experiment(path)
    said = str(caught.value)
    assert said.startswith(f"experiment: {path}: ")
    return said.removeprefix(f"experiment: {path}: ")


# --- what can be written ---------------------------------------------------------------------


def test_every_option_reaches_the_plan(path: Path, tmp_path: Path) -> None:
    rows = [f"{i},{'abc'[i % 3]},{i % 7}" for i in range(60)]
    (tmp_path / "mine.csv").write_text("\n".join(["x,kind,z", *rows]), encoding="utf-8")
    options = """\
datasets = ["csv:mine.csv"]
algorithms = ["sklearn.tree:DecisionTreeClassifier"]
resampling = "3-fold"
scoring = ["accuracy", "f1"]
seed = 7
target = "kind"
task = "classification"
max_rows = 30
binary = true
aside = 0.2
predictions = true
"""
    plan = load(path, options).plan()
    (job,) = plan.jobs
    data = job.dataset
    assert (data.n_rows, data.classes, data.task) == (30, (0, 1), "classification")
    assert list(data.X.columns) == ["x", "z"]
    # a and c become 1, b becomes 0; classes stay in proportion.
    assert int(data.y.sum()) == 20
    assert plan.aside == 0.2
    assert [rows.size for rows in plan.held_out("mine")] == [24, 6]
    assert (job.scoring, job.seed, job.predictions) == (("accuracy", "f1"), 7, True)
    assert [split.test.size for split in job.splits] == [8, 8, 8]


def test_every_field_is_a_parameter_of_run() -> None:
    assert set(Experiment.model_fields) <= set(inspect.signature(palio.run).parameters)


@pytest.mark.parametrize(("written", "read"), [("0.25", 0.25), ('"1/3"', 1 / 3), ('"0.5"', 0.5)])
def test_fractions(path: Path, written: str, read: float) -> None:
    assert load(path, f"aside = {written}\n{TREE}").aside == read


def test_the_name_is_the_files_unless_given(path: Path) -> None:
    assert load(path, TREE).name == "trees"
    assert load(path, f'name = "my trees"\n{TREE}').name == "my trees"


def test_a_list_of_estimators_is_named_by_their_classes(path: Path) -> None:
    text = """\
datasets = ["monks-1"]
algorithms = ["sklearn.naive_bayes:GaussianNB", "sklearn.tree:DecisionTreeClassifier"]
"""
    found = load(path, text)
    assert {name: repr(each) for name, each in found.estimators().items()} == {
        "GaussianNB": "GaussianNB()",
        "DecisionTreeClassifier": "DecisionTreeClassifier()",
    }
    # The store keeps it as JSON, from which `palio retry` reads it.
    assert Experiment.model_validate_json(found.model_dump_json()) == found


def test_nested_estimators_are_made_and_run(path: Path) -> None:
    found = load(path, NESTED)
    made = found.estimators()
    assert repr(made["search"].estimator) == "DecisionTreeClassifier(min_samples_leaf=2)"
    assert made["search"].param_grid == {"max_depth": [1, 3]}
    (_, pca), (_, vote) = made["pipe"].steps
    assert pca.n_components == 2
    assert [name for name, _ in vote.estimators] == ["nb", "knn"]
    again = Experiment.model_validate_json(found.model_dump_json())
    assert [job.key for job in again.plan().jobs] == [job.key for job in found.plan().jobs]
    with Store(found.store) as store:
        run_plan(found.plan(), store, EngineOptions("inline"))
        table = read_store(store)
    assert table.algorithms == ("nb", "search", "pipe")
    assert (table.means() > 0.85).all()


def test_a_table_of_values_is_not_an_estimator() -> None:
    """A search may try several values for a parameter that is called ``estimator``."""
    stump = {"estimator": "sklearn.tree:DecisionTreeClassifier", "params": {"max_depth": 1}}
    entry = {
        "estimator": "sklearn.model_selection:GridSearchCV",
        "params": {
            "estimator": {"estimator": "sklearn.ensemble:BaggingClassifier"},
            "param_grid": {"estimator": [stump], "n_estimators": [3]},
        },
    }
    written = {"datasets": ["monks-1"], "algorithms": {"bag": entry}}
    search = Experiment.model_validate(written).estimator("bag")
    assert repr(search.param_grid["estimator"]) == "[DecisionTreeClassifier(max_depth=1)]"
    assert search.param_grid["n_estimators"] == [3]


def test_paths_are_seen_from_the_file(
    tmp_path: Path, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("a.csv", "b.csv", "more/c.csv"):
        place = tmp_path / name
        place.parent.mkdir(exist_ok=True)
        place.write_text("x,y\n" + "\n".join(f"{i},{i % 2}" for i in range(20)), encoding="utf-8")
    away = tmp_path / "elsewhere"
    away.mkdir()
    monkeypatch.chdir(away)
    absolute = tmp_path / "b.csv"
    written = TREE.replace(
        '"sklearn:iris"', f'"csv:a.csv", "folder:more", "{absolute}", "sklearn:iris"'
    )
    path.write_text(written, encoding="utf-8")
    found = load_experiment(Path(os.pardir) / path.name)
    assert found.plan().datasets == ("a", "c", "b", "iris")
    # Read again from a third place, as `palio retry` does.
    monkeypatch.chdir("/")
    assert found.plan().datasets == ("a", "c", "b", "iris")
    monkeypatch.chdir(away)
    assert Path(found.store).resolve() == tmp_path / "experiment.db"


def test_a_path_from_the_home_folder(
    tmp_path: Path, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    found = load(path, TREE.replace("sklearn:iris", "csv:~/x.csv"))
    assert found.datasets == [f"csv:{tmp_path}/home/x.csv"]


# --- what is said when it is wrong -----------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "says"),
    [
        # in the file
        (("resampling", "resamplin"), "line 2, 'resamplin' is not a key. Did you mean 'resampling'?"
         " There are: name, datasets, algorithms, "),
        (('"5x2"', "52"), "line 2, resampling: input should be text or a table, and 52 was given."),
        (('["sklearn:iris"]', "[]"), "line 1, datasets: value should have at least 1 item"),
        (("sklearn:iris", "monk-1"), "line 1, data set: 'monk-1' is not known. Did you mean"),
        (('resampling = "5x2"', "aside = 1.5"), "line 2, aside: input should be less than 1, and"),
        (('resampling = "5x2"', "aside = 0"), "line 2, aside: input should be greater than 0"),
        (('resampling = "5x2"', 'aside = "a third"'), "line 2, aside: input should be a valid num"),
        (('resampling = "5x2"', "max_rows = 1"), "line 2, max_rows: input should be greater than"),
        (('resampling = "5x2"', 'task = "learn"'), "line 2, task: input should be 'classificatio"),
        # in an algorithm
        (("estimator =", "estimtor ="), "line 5, 'algorithms.tree.estimtor' is not a key. Did you"
         " mean 'estimator'? There are: estimator, params, tune."),
        (("params", "parms"), "line 6, 'algorithms.tree.parms' is not a key. Did you mean 'params'?"
         " There are: estimator, params, tune."),
        (("params", "seed"), "line 6, 'algorithms.tree.seed' is not a key. Write 'seed' above the"
         " first [table]. There are: estimator, params, tune."),
        (("{ max_depth = 2 }", "2"), "line 6, algorithms.tree.params: input should be a valid"),
        (('estimator = "sklearn.tree:DecisionTreeClassifier"', ""),
         "line 4, algorithms.tree.estimator: field required."),
        # in an estimator
        (("max_depth", "maxdepth"), "line 6, 'algorithms.tree.params.maxdepth' is not a parameter"
         " of DecisionTreeClassifier. Did you mean 'max_depth'? There are: criterion, "),
        (("TreeClassifier", "TreClassifier"), "line 5, algorithms.tree.estimator: "
         "'sklearn.tree:DecisionTreClassifier' cannot be found: sklearn.tree has no "
         "DecisionTreClassifier. Did you mean 'DecisionTreeClassifier'"),
        (("sklearn.tree:", "sklearn.tre:"), "line 5, algorithms.tree.estimator: "
         "'sklearn.tre:DecisionTreeClassifier' cannot be imported: ModuleNotFoundError: "),
        (("sklearn.tree:", ""), "line 5, algorithms.tree.estimator: it is written "
         "package.module:Class, or is a short name that palio algorithms lists, and "
         "'DecisionTreeClassifier' was given."),
        (("DecisionTreeClassifier", "__name__"), "is no class of estimators but a str."),
    ],
)  # fmt: skip
def test_errors_name_line_and_key(path: Path, change: tuple[str, str], says: str) -> None:
    said = complaint(path, TREE.replace(*change))
    assert says in said
    assert "more)" not in said


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (("params.min_samples_leaf", "prams.min_samples_leaf"), "line 14, 'algorithms.search.params"
         ".estimator.prams' is not a key. Did you mean 'params'? There are: estimator, params"),
        (("min_samples_leaf", "min_sample_leaf"), "line 14, 'algorithms.search.params.estimator."
         "params.min_sample_leaf' is not a parameter of DecisionTreeClassifier. Did you mean"),
        (("decomposition:PCA", "decomposition:PCB"), "line 18, algorithms.pipe.params.steps.0.1."
         "estimator: 'sklearn.decomposition:PCB' cannot be found"),
        (('GaussianNB" }', 'GaussianNB", parms = 1 }'), "'algorithms.pipe.params.steps.1.1.params."
         "estimators.0.1.parms' is not a key. Did you mean 'params'?"),
    ],
)  # fmt: skip
def test_errors_inside_nested_estimators(path: Path, change: tuple[str, str], says: str) -> None:
    assert says in complaint(path, NESTED.replace(*change))


def test_other_errors_are_counted(path: Path) -> None:
    said = complaint(path, TREE.replace('"5x2"', "5").replace("[algorithms.tree]", "sed = 1"))
    # `sed`, `estimator` and `params` are no keys of the file, `algorithms` is missing.
    assert said.startswith("line 4, 'sed' is not a key. Did you mean 'seed'?")
    assert said.endswith("isolation (and 4 more).")


def test_two_estimators_of_one_name(path: Path) -> None:
    text = 'datasets = ["monks-1"]\nalgorithms = ["sklearn.svm:SVC", "sklearn.svm:SVC"]'
    assert "line 2, algorithms: names must differ, and SVC comes twice" in complaint(path, text)


def test_a_constructor_that_raises_is_one_line(path: Path) -> None:
    said = complaint(path, TREE.replace("sklearn.tree:DecisionTreeClassifier", "json:loads"))
    assert "algorithms.tree" in said
    assert "\n" not in said


def test_unreadable_files(path: Path) -> None:
    with pytest.raises(UnreadableError, match="cannot be read"):
        load_experiment(path)
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(UnreadableError, match="is not UTF-8"):
        load_experiment(path)
    with pytest.raises(UnreadableError, match="is not TOML"):
        load(path, "datasets = [")


def test_keys_with_dots_and_quotes_are_found(path: Path) -> None:
    text = TREE.replace("[algorithms.tree]", '[ algorithms . "a.tree" ]  # mine')
    assert complaint(path, text.replace("params", "parms")).startswith("line 6, 'algorithms.a.tree")
    dotted = f'datasets = ["monks-1"]\nalgorithms.{"tree"}.estimtor = "sklearn.svm:SVC"\n'
    assert complaint(path, dotted).startswith("line 2, 'algorithms.tree.estimtor' is not a key.")


def test_an_estimator_is_a_path_or_a_short_name() -> None:
    assert estimator_named("sklearn.naive_bayes:GaussianNB") is GaussianNB
    assert repr(estimator_named("5nn")(p=1)) == "KNeighborsClassifier(p=1)"
    with pytest.raises(ParameterError, match=r"lists, and 'c4.5' was given\. Did you mean 'c45'"):
        estimator_named("c4.5")


def test_short_names_in_a_file(path: Path) -> None:
    found = load(path, 'datasets = ["monks-1"]\nalgorithms = ["c45", "nn"]\n')
    assert list(found.estimators()) == ["c45", "nn"]
    tree = TREE.replace("sklearn.tree:DecisionTreeClassifier", "c45")
    assert load(path, tree).estimators()["tree"].max_depth == 2
    assert complaint(path, tree.replace("max_depth", "maxdepth")).startswith(
        "line 6, 'algorithms.tree.params.maxdepth' is not a parameter of c45. Did you mean "
        "'max_depth'"
    )


# --- tuning --------------------------------------------------------------------------------------

THREE = 'datasets = ["sklearn:iris"]\nresampling = "half"\nalgorithms = ["c45", "knn", "svl"]\n'


def test_learners_with_a_grid_are_tuned_if_asked(path: Path) -> None:
    kinds = {name: type(e).__name__ for name, e in load(path, THREE).estimators().items()}
    assert kinds == {"c45": "C45Classifier", "knn": "KNeighborsClassifier", "svl": "SVMClassifier"}
    found = load(path, f"tune = true\n{THREE}").estimators()
    assert {name for name, each in found.items() if isinstance(each, palio.FreeSearchCV)} == {
        "knn", "svl",
    }  # fmt: skip
    assert found["knn"].param_grid is palio.tuned("knn").param_grid


def test_a_learner_can_be_tuned_alone_with_other_parameters_given(path: Path) -> None:
    text = 'datasets = ["sklearn:iris"]\n[algorithms.mine]\nestimator = "knn"\ntune = true\n'
    search = load(path, f"{text}params = {{ p = 1 }}\n").estimators()["mine"]
    assert isinstance(search, palio.FreeSearchCV)
    assert search.estimator.p == 1
    assert complaint(path, f"{text}params = {{ n_neighbors = 1 }}\n") == (
        "line 4, algorithms.mine.tune: n_neighbors of 'knn' is searched over, so it cannot be "
        "given, too; leave it out, or do not tune."
    )
    assert complaint(path, text.replace("knn", "c45")).startswith(
        "line 4, algorithms.mine.tune: 'c45' has no grid"
    )
    spared = "tune = true\n" + text.replace("tune = true", "tune = false")
    assert not isinstance(load(path, spared).estimators()["mine"], palio.FreeSearchCV)


def test_a_tuned_experiment_runs_from_python_by_names(tmp_path: Path) -> None:
    table = palio.run(
        ["sklearn:iris"],
        ["nn", "knn"],
        tune=True,
        resampling="half",
        store=tmp_path / "tuned.db",
        engine="inline",
    )
    assert table.algorithms == ("nn", "knn")
    costs = table.to_frame().set_index("algorithm")["tuning_time"]
    assert (costs["knn"] > 0).all()
    assert costs["nn"].isna().all()
    with pytest.raises(ParameterError, match="algorithms: names must differ, and C comes twice"):
        make_estimators(["a:C", "b:C"])
    for wrong in ("c45", [object()]):
        with pytest.raises(ParameterError, match="algorithms: estimators by name"):
            make_estimators(wrong)  # type: ignore[arg-type]
