"""Probabilities on the command line: ``palio bayes``, ``rope``, ``order --test bayes``."""

import json
import re
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import palio
from palio.bayes import MODELS, anova, suggest_rope
from palio.studies.concordance import PAPERS
from tests.app.conftest import Run

# What each model needs besides a file, and a region that suits accuracies in percent.
NEEDS: dict[str, list[str]] = {
    "anova": ["--rope", "1"],
    "sign": ["--rope", "1"],
    "signed-rank": ["--rope", "1"],
    "correlated-t": ["--rope", "1", "--dataset", "optdigits"],
    "hierarchical": ["--rope", "1", "--pair", "svr,c45"],
    "bradley-terry": [],
    "plackett-luce": [],
}


ON_SCORES = [name for name, model in MODELS.items() if not model.on_items]


def width(text: str) -> int:
    return max(map(len, text.splitlines()))


def ask(run: Run, *arguments: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(run("bayes", *arguments, "--json"))
    return found


@pytest.mark.parametrize("model", ON_SCORES)
def test_every_model(run: Run, model: str) -> None:
    arguments = ["results.csv", "--model", model, *NEEDS[model]]
    summary = ask(run, *arguments)
    assert summary["model"] == model
    assert summary["rope"] == (0.05 if model in ("bradley-terry", "plackett-luce") else 1)
    assert len(summary["pairs"]) == (1 if model == "hierarchical" else 6)
    for pair in summary["pairs"]:
        assert {"a", "b", "p_a_better", "p_rope", "p_b_better", "difference", "hdi"} <= set(pair)
        total = pair["p_a_better"] + pair["p_rope"] + pair["p_b_better"]
        assert total == pytest.approx(1, abs=1e-9)
        low, high = pair["hdi"]
        assert low <= high
    text = run("bayes", *arguments)
    assert width(text) <= 80
    assert summary["title"] in text
    for name in summary["algorithms"]:
        assert name in text
    # The same seed, by default too, gives the same numbers.
    assert ask(run, *arguments) == summary


@pytest.mark.parametrize("model", ON_SCORES)
def test_the_seed_reaches_the_model(run: Run, model: str) -> None:
    arguments = ["results.csv", "--model", model, *NEEDS[model]]
    one, other = (ask(run, *arguments, "--seed", seed)["detail"] for seed in ("1", "2"))
    assert one["a"] == other["a"]
    assert one != other


def test_the_default_is_anova_with_the_region_of_the_table(run: Run, files: Path) -> None:
    summary = ask(run, "results.csv")
    table = palio.read_scores(files / "results.csv")
    expected = anova(table, rope="auto")
    assert summary["model"] == "anova"
    assert summary["rope"] == pytest.approx(suggest_rope(table).value)
    assert "suggested by the table itself" in summary["rope_source"]
    shares = [[p["p_a_better"], p["p_rope"], p["p_b_better"]] for p in summary["pairs"]]
    assert shares == pytest.approx(expected.pairs.probabilities)
    assert ask(run, "results.csv", "--rope", "auto") == summary


def test_options_reach_the_model(run: Run) -> None:
    assert "df" not in str(ask(run, "results.csv", "--rope", "1")["diagnostics"])
    robust = ask(run, "results.csv", "--rope", "1", "--robust", "--draws", "2000")
    assert robust["title"] == "Bayesian ANOVA, robust"
    assert robust["diagnostics"]["n_draws"] == 2000
    strong = ask(run, "results.csv", "--model=sign", "--rope=1", "--prior-strength=1000")
    weak = ask(run, "results.csv", "--model=sign", "--rope=1", "--prior-strength=0.1")
    assert strong["pairs"] != weak["pairs"]
    half = ask(
        run, "results.csv", "--model=correlated-t", "--rope=1", "--dataset=car",
        "--test-fraction=0.1",
    )  # fmt: skip
    assert any("ρ = 0.1 (given)" in note for note in half["notes"])


def test_lower_is_better(run: Run, tmp_path: Path, files: Path) -> None:
    """Errors instead of accuracies: the same probabilities, the differences turned round."""
    frame = pd.read_csv(files / "results.csv")
    frame["error"] = 100 - frame.pop("accuracy")
    path = tmp_path / "errors.csv"
    frame.to_csv(path, index=False)
    up = ask(run, "results.csv", "--rope", "1")
    down = ask(run, str(path), "--rope", "1")
    assert down["order"] == up["order"]
    for one, other in zip(up["pairs"], down["pairs"], strict=True):
        assert other["p_a_better"] == pytest.approx(one["p_a_better"], abs=1e-6)
        assert other["difference"] == pytest.approx(-one["difference"], abs=0.2)


# --- the cheapest that will do --------------------------------------------------------------------


def test_cost_gives_the_cheapest_that_will_do(run: Run, files: Path) -> None:
    arguments = ["results.csv", "--rope", "1", "--cost", "space", "--probability", "0.5"]
    summary = ask(run, *arguments)
    cheapest = summary["cheapest"]
    table = palio.read_scores(files / "results.csv", costs=["space"])
    order = palio.multi2test(table, cost="space").prior
    assert tuple(cheapest["prior"]) == order
    good = {row["algorithm"]: row["p_as_good"] for row in summary["best"]}
    assert cheapest["algorithm"] == next(name for name in order if good[name] >= 0.5)
    assert cheapest["probability"] == good[cheapest["algorithm"]]
    sentence = "The cheapest that is practically as good as the best with 50%: "
    assert sentence + cheapest["algorithm"] in " ".join(run("bayes", *arguments).split())


def test_a_prior_does_instead_of_a_cost(run: Run) -> None:
    wide = ask(run, "results.csv", "--rope", "100", "--prior", "5nn,c45,mdt,svr")
    assert wide["cheapest"]["algorithm"] == "5nn"  # nothing matters
    assert wide["cheapest"]["wanted"] == 0.95
    assert "cheapest" not in ask(run, "results.csv", "--rope", "1")


def test_nobody_is_sure_enough(run: Run) -> None:
    arguments = ["results.csv", "--rope", "0", "--cost", "space", "--probability", "0.999999"]
    summary = ask(run, *arguments)
    likeliest = max(summary["best"], key=lambda row: row["p_as_good"])
    assert summary["cheapest"]["algorithm"] == likeliest["algorithm"]
    text = " ".join(run("bayes", *arguments).split())
    assert "None is practically as good as the best with" in text
    assert f"the likeliest is {likeliest['algorithm']}" in text


# --- figures --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("model", "figure"),
    [
        ("anova", "m.svg"),
        ("anova", "forest=f.svg"),
        ("anova", "posterior=p.svg"),
        ("anova", "predictive-check=c.svg"),
        ("sign", "simplex=s.svg"),
    ],
)
def test_figures(run: Run, tmp_path: Path, model: str, figure: str) -> None:
    name, equals, path = figure.rpartition("=")
    run(
        "bayes", "results.csv", "--model", model, "--rope", "1", "--draws", "1000",
        "--figure", f"{name}{equals}{tmp_path / path}",
    )  # fmt: skip
    assert (tmp_path / path).read_bytes().startswith(b"<?xml")


# --- palio rope -----------------------------------------------------------------------------------


def test_rope(run: Run, files: Path) -> None:
    expected = suggest_rope(palio.read_scores(files / "results.csv"))
    printed = json.loads(run("rope", "results.csv", "--json"))
    assert printed == json.loads(json.dumps(expected.to_dict()))
    text = run("rope", "results.csv")
    assert text.startswith(f"differences in accuracy within ±{expected.value:#.4g} are irrelevant")
    assert width(text) <= 80


def test_rope_needs_halves(fail: Run, tmp_path: Path, files: Path) -> None:
    frame = pd.read_csv(files / "results.csv")
    path = tmp_path / "means.csv"
    frame.groupby(["dataset", "algorithm"], as_index=False)["accuracy"].mean().to_csv(
        path, index=False
    )
    message = fail("rope", str(path))
    assert "'breast' has one value per data set" in message
    assert "choose one yourself: --rope 0.01 of bayes" in message


def test_without_a_region_better_and_worse_are_told(run: Run, tmp_path: Path, files: Path) -> None:
    frame = pd.read_csv(files / "results.csv")
    path = tmp_path / "means.csv"
    frame.groupby(["dataset", "algorithm"], as_index=False)["accuracy"].mean().to_csv(
        path, index=False
    )
    summary = ask(run, str(path))
    assert (summary["model"], summary["rope"]) == ("anova", 0)
    assert all(pair["p_rope"] == 0 for pair in summary["pairs"])
    text = run("bayes", str(path))
    assert "; every difference counts" in text.splitlines()[0]
    assert not {"equal", "P(as good)"} & set(text.split("Notes")[0].split())
    assert width(text) <= 80


def test_one_data_set_asks_its_folds(run: Run, files: Path, tmp_path: Path) -> None:
    named = ask(run, "results.csv", "--dataset", "zoo")
    assert named["model"] == "correlated-t"
    frame = pd.read_csv(files / "results.csv")
    path = tmp_path / "zoo.csv"
    frame[frame.dataset == "zoo"].to_csv(path, index=False)
    assert ask(run, str(path))["pairs"] == named["pairs"]


def test_what_a_probability_is_of_stands_in_the_headline(run: Run) -> None:
    """Of the sign test it is the share of draws in which that side is the likeliest."""
    arguments = ["results.csv", "--model", "hierarchical", "--pair", "svr,c45", "--rope", "1"]
    text = " ".join(run("bayes", *arguments, "--draws", "400").split())
    assert text.startswith("With probability ")
    assert "the likeliest on a new data set is that svr is better than c45 by more than 1 " in text
    assert "With more than 95 %: the likeliest is that one is better in" in text
    sign = run("bayes", "results.csv", "--model", "sign", "--rope", "1")
    said = "A probability is that of an outcome to be the likeliest of the three on a new data set."
    assert said in " ".join(sign.split())
    assert "likeliest" not in run("bayes", "results.csv", "--rope", "1")


def test_errors_with_a_unit_are_compared_by_ratios(run: Run, fail: Run, tmp_path: Path) -> None:
    """Ten data sets in ten units; a third of the error on each is a third."""
    rows = [
        {"dataset": f"d{d}", "algorithm": name, "rmse": 10.0 ** (d - 4) * part * (1 + 0.01 * d)}
        for d in range(10)
        for name, part in (("rf", 1.0), ("knn", 3.0 + 0.1 * (d % 3)))
    ]
    path = tmp_path / "rmse.csv"
    pd.DataFrame(rows).to_csv(path, index=False)
    summary = ask(run, str(path), "--rope", "0.01")
    assert summary["scale"]["ratios"]
    assert summary["rope"] == 0.01
    assert summary["best"][0]["p_best"] > 0.99
    text = run("bayes", str(path), "--rope", "0.01")
    assert "practically equal within ±1 %" in " ".join(text.split())
    assert "a / b" in text
    assert re.search(r"rf +knn .* 0\.32\d ", text)
    pd.DataFrame(rows).assign(quality=lambda f: f.pop("rmse")).to_csv(path, index=False)
    quality = [str(path), "--lower-is-better"]
    assert ask(run, *quality, "--scale", "ratio")["scale"]["ratios"]
    assert not ask(run, *quality)["scale"]["ratios"]
    order = ask(run, *quality, "--scale", "order")
    assert (order["model"], order["best_set"]) == ("plackett-luce", ["rf"])
    assert order["best_set_probability"] == order["best"][0]["p_best"]
    said = fail("bayes", *quality, "--scale", "order", "--model", "anova")
    for model in ("plackett-luce", "sign"):  # whole commands, to copy
        assert f"palio bayes {path} --lower-is-better --scale order --model {model}" in said


# --- palio order --test bayes ---------------------------------------------------------------------


def test_order_by_probabilities(run: Run, files: Path) -> None:
    arguments = ["results.csv", "--cost", "space", "--test", "bayes", "--rope", "0.5"]
    printed = json.loads(run("order", *arguments, "--json"))
    table = palio.read_scores(files / "results.csv", costs=["space"])
    expected = palio.order(table, cost="space", test="bayes", rope=0.5)
    assert printed == json.loads(json.dumps(expected.to_dict()))
    paper = [*arguments, "--method", "multi2test"]
    found = palio.multi2test(table, cost="space", test="bayes", rope=0.5)
    assert json.loads(run("order", *paper, "--json")) == json.loads(json.dumps(found.to_dict()))
    assert "bayes, then bayes" in run("order", *paper)
    one = json.loads(run("order", *arguments, "--dataset", "optdigits", "--json"))
    assert ["c45", "svr"] in one["edges"]
    wide = ["results.csv", "--cost=space", "--test=bayes", "--rope=99", "--dataset=optdigits"]
    assert json.loads(run("order", *wide, "--json"))["edges"] == []


# --- palio reproduce wainer2016-bayes -------------------------------------------------------------


def test_reproduce(run: Run) -> None:
    text = run("reproduce", "wainer2016-bayes", "--table", "7")
    assert "15 of 15 cells agree" in text
    assert "0.51|0.5" in text
    assert width(text) <= 80


@pytest.mark.slow
def test_reproduce_without_a_name_is_the_concordance(run: Run) -> None:
    text = run("reproduce")
    assert all(paper in text for paper in PAPERS if paper != "wainer2016-bayes")
    assert "Table A.12   MultiTest by training time         304 of 304" in text


# --- what is refused ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["bayes", "nowhere.csv"], "there is no file 'nowhere.csv'"),
        (["bayes", "results.csv", "--model", "anov"], "Did you mean 'anova'"),
        (
            ["bayes", "results.csv", "--model", "sign", "--rope", "1", "--robust"],
            "robust: model 'sign' does not take it (it takes prior_strength, prior_place",
        ),
        (
            ["bayes", "results.csv", "--model", "anova", "--dataset", "zoo"],
            "dataset: model 'anova' does not take it",
        ),
        (
            ["bayes", "results.csv", "--scale", "log"],
            "for --scale. Choose from:",
        ),
        (["bayes", "results.csv", "--rope", "wide"], "rope: it is a number or auto, and 'wide'"),
        (["bayes", "results.csv", "--rope=-1"], "rope: it is not negative and finite"),
        (["bayes", "results.csv", "--rope", "nan"], "rope: it is not negative and finite"),
        (["bayes", "results.csv", "--rope", "1", "--draws", "0"], "draws: at least one draw"),
        (["bayes", "results.csv", "--model=correlated-t", "--rope=1"], "dataset"),
        (
            ["bayes", "results.csv", "--model=hierarchical", "--rope=1", "--pair=svr"],
            "pair: two algorithms are written a,b",
        ),
        (
            ["bayes", "results.csv", "--model=hierarchical", "--rope=1", "--pair=svr,c4"],
            "Did you mean 'c45'",
        ),
        (["bayes", "results.csv", "--rope", "1", "--cost", "spice"], "Did you mean 'space'"),
        (
            ["bayes", "results.csv", "--rope=1", "--cost=space", "--probability=95"],
            "probability: it lies between 0 and 1",
        ),
        (
            ["bayes", "results.csv", "--model=sign", "--rope=1", "--cost=space"],
            "model: 'sign' compares pair by pair",
        ),
        (["bayes", "results.csv", "--rope", "1", "--figure", "m.gif"], ".svg, .png or .pdf"),
        (
            ["bayes", "results.csv", "--model=bradley-terry", "--rope=0.6"],
            "rope: it is below 0.5 here",
        ),
        (["order", "results.csv", "--cost=space", "--rope=1"], "'wilcoxon' does not take it"),
        (
            ["order", "results.csv", "--cost=space", "--method=multi2test", "--rope=1"],
            "'5x2cv-f' does not take it",
        ),
        (["order", "results.csv", "--cost=space", "--test=bayes", "--rope=-1"], "not negative"),
        (["order", "results.csv", "--cost=space", "--test=bayes", "--rope=auto"], "--rope"),
    ],
)
def test_bad_commands(fail: Run, arguments: list[str], says: str) -> None:
    assert says in fail(*arguments)


@pytest.mark.parametrize("verb", ["bayes", "rope"])
def test_help_has_an_example_and_json(run: Run, verb: str) -> None:
    text = run(verb, "--help")
    assert f"Example: palio {verb} results.csv" in text
    assert "--json" in text


def test_help_names_every_model_and_option(run: Run) -> None:
    squeezed = "".join(run("bayes", "--help-all").split()).replace("│", "")
    for entry in MODELS.values():
        assert entry.name in squeezed
        for option in entry.options:
            assert f"--{option.replace('_', '-')}" in squeezed


def test_right_and_wrong_answers(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "answers.csv"
    rows = ["item,algorithm,correct"]
    rows += [f"q{i},big,{int(i % 10 < 8)}\nq{i},small,{int(i % 10 < 5)}" for i in range(40)]
    path.write_text("\n".join(rows), encoding="utf-8")
    arguments = [str(path), "--model", "outcomes", "--rope", "0.05"]
    found = ask(run, *arguments)
    (pair,) = found["pairs"]
    # Dirichlet(20 + 1, 12 + 1, 0 + 1, 8 + 1): the mean of δ is 12/44.
    assert pair["difference"] == pytest.approx(12 / 44, abs=0.005)
    assert pair["p_a_better"] > 0.99
    assert ask(run, *arguments) == found
    assert ask(run, *arguments, "--seed", "1") != found
    assert ask(run, str(path))["model"] == "outcomes"
    assert "Dirichlet model of right and wrong answers" in run("bayes", *arguments)


def test_items_of_several_data_sets(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "graded.csv"
    rows = ["task,item,model,score,passage"]
    for task in range(3):
        for i in range(30):
            noise = (7 * i % 11) / 11
            rows.append(f"t{task},q{i},big,{0.5 + noise / 4:.3f},p{i // 3}")
            rows.append(f"t{task},q{i},small,{0.35 + task / 10 + (i % 5) / 20:.3f},p{i // 3}")
    path.write_text("\n".join(rows), encoding="utf-8")
    found = ask(run, str(path), "--rope", "0.02")
    assert (found["model"], found["over"]) == ("hierarchical-items", "items")
    (pair,), (following,) = found["pairs"], found["checks"]["next_dataset"]
    assert pair["p_a_better"] > 0.9 > following["p_a_better"]
    assert [row["dataset"] for row in found["checks"]["shrunken"][0]["datasets"]] == [
        "t0", "t1", "t2",
    ]  # fmt: skip
    text = run("bayes", str(path), "--rope", "0.02")
    assert text.startswith("These tasks, other items: big is better than small")
    assert "On a new data set like these: big better with probability" in text
    assert "big − small, each data set in view of the others" in text
    assert "standard errors from clusters" in text
    assert max(map(len, text.splitlines())) <= 80
    named = ["--model", "hierarchical-items", "--rope", "0.02"]
    text = run("bayes", str(path), *named, "--over", "datasets")
    assert text.startswith("Other tasks like these: on a new one big is better than small")
    assert "On average over these data sets: big better with probability" in text
    assert "3 data sets are few" in text
    wide = ask(run, str(path), *named, "--over", "datasets", "--prior-spread", "1")
    narrow = ask(run, str(path), *named, "--over", "datasets", "--prior-spread", "0.01")
    assert narrow["pairs"][0]["hdi"][0] > wide["pairs"][0]["hdi"][0]
    one = ask(run, str(path), "--dataset", "t0")
    assert (one["model"], one["n_datasets"]) == ("hierarchical-items", 1)
    assert ask(run, str(path), "--over", "datasets")["model"] != "hierarchical-items"
