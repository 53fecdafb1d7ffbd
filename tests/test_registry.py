"""Names of methods: as people write them, for one method each, and never taken for another."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import palio
from palio.app.cli import main
from palio.app.grounds import grounds_of
from palio.comparison import (
    CORRECTIONS,
    FOLD_TESTS,
    GROUP_TESTS,
    ITEM_TESTS,
    OMNIBUS_TESTS,
    PAIR_TESTS,
)
from palio.comparison.pair_tests import pair_test_named
from palio.comparison.prediction_tests import PREDICTION_TESTS
from palio.errors import UnknownNameError
from palio.ordering import FINDERS, ORDERINGS, RANKINGS
from palio.registry import Registry, load
from palio.report.question import Question
from palio.words import loosely

SOURCE = Path(palio.__file__).parent


def _homes() -> list[str]:
    """Find every registry there is, so that a new one is looked at too."""
    found = []
    for path in sorted(SOURCE.rglob("*.py")):
        module = ".".join(path.relative_to(SOURCE.parent).with_suffix("").parts)
        for name in re.findall(r"^([A-Z_0-9]+): Registry\[", path.read_text(), re.MULTILINE):
            found.append(f"{module.removesuffix('.__init__')}:{name}")
    return found


HOMES = _homes()


def test_the_registries_are_found() -> None:
    assert len(HOMES) > 25
    assert "palio.comparison.corrections:CORRECTIONS" in HOMES


@pytest.mark.parametrize("home", HOMES)
def test_each_spelling_is_for_one_entry(home: str) -> None:
    registry: Registry[Any] = load(home)
    names = [*registry, *(a for e in registry.values() for a in getattr(e, "aliases", ()))]
    assert len({loosely(name) for name in names}) == len(names)
    for written, name in registry.spellings().items():
        for form in (written, written.upper(), written.replace("-", "_"), f" {written} "):
            assert registry.name_of(form) == name
            assert form in registry
            assert registry[form] is registry[name]


@pytest.mark.parametrize(
    ("registry", "written", "name"),
    [
        (CORRECTIONS, "benjamini-hochberg", "bh"),
        (CORRECTIONS, "fdr_bh", "bh"),
        (CORRECTIONS, "BH", "bh"),
        (CORRECTIONS, "fdr_by", "by"),
        (CORRECTIONS, "Holm", "holm"),
        (CORRECTIONS, "holm-bonferroni", "holm"),
        (CORRECTIONS, "Bonferroni", "bonferroni"),
        (CORRECTIONS, "Šidák", "sidak"),
        (CORRECTIONS, "Bergmann–Hommel", "bergmann-hommel"),
        (FOLD_TESTS, "5x2cv_f", "5x2cv-f"),
        (FOLD_TESTS, "5×2 cv F", "5x2cv-f"),
        (FOLD_TESTS, "combined_ftest_5x2cv", "5x2cv-f"),
        (FOLD_TESTS, "nadeau-bengio", "corrected-t"),
        (PAIR_TESTS, "signed-rank", "wilcoxon"),
        (PAIR_TESTS, "ttest", "paired-t"),
        (PAIR_TESTS, "t-test", "paired-t"),
        (GROUP_TESTS, "TukeyHSD", "tukey"),
        (ORDERINGS, "Multi²Test", "multi2test"),
        (RANKINGS, "mean rank", "average-ranks"),
    ],
)
def test_what_people_type(registry: Registry[Any], written: str, name: str) -> None:
    assert registry.name_of(written) == name


PROCEDURES = (
    CORRECTIONS, FOLD_TESTS, GROUP_TESTS, ITEM_TESTS, OMNIBUS_TESTS, PAIR_TESTS,
    PREDICTION_TESTS, FINDERS,
    RANKINGS, ORDERINGS, load("palio.bayes.models:MODELS"),
    load("palio.comparison.rank_tests:POSTHOCS"),
)  # fmt: skip
KNOWN = [name for registry in PROCEDURES for name in registry.spellings()]
ELSEWHERE = [
    "dunn", "dunnett", "scheffe", "games-howell", "tukey-kramer", "lsd",
    "benjamini-krieger-yekutieli", "fdr-tsbh", "fdr-gbs", "storey", "q-value", "westfall-young",
    "hochberg-benjamini", "holm-hochberg", "mann-whitney", "ranksum", "rank-sum",
    "wilcoxon-mann-whitney", "brunner-munzel", "unpaired-t", "uncorrected-t", "welch",
    "welch-t", "ttest-ind", "z-test", "sign-flip", "kendall", "spearman", "ancova", "manova",
    "friedman-nemenyi", "siegel", "kolmogorov-smirnov", "5x2cv-z", "10x10cv-t", "3x2cv-f",
    "5x3cv-f", "kfold-f", "page", "durbin", "skillings-mack", "bootstrap", "delong", "glicko",
    "trueskill", "borda", "kemeny", "student", "fisher", "levene",
]  # fmt: skip


@pytest.mark.parametrize("name", sorted({*KNOWN, *ELSEWHERE}))
def test_another_method_is_never_suggested(name: str) -> None:
    """Whoever names a method that is not there means that one, and no other."""
    for registry in PROCEDURES:
        if name in registry:
            continue
        close = registry.close_to(name)
        same = {each for each in close if _is_of_that_name(each, name)}
        assert set(close) == same, (registry.kind, name, close)


def _is_of_that_name(found: str, asked: str) -> bool:
    """Whether a longer name begins with the one that was asked for, or is its plural."""
    return found.startswith(f"{asked}-") or found == f"{asked}s"


@pytest.mark.parametrize(
    ("registry", "written", "meant"),
    [
        (CORRECTIONS, "hochbreg", ["hochberg"]),
        (CORRECTIONS, "bonferonni", ["bonferroni"]),
        (CORRECTIONS, "benjamini-hochbreg", ["benjamini-hochberg"]),
        (CORRECTIONS, "holmes", []),
        (CORRECTIONS, "hommell", ["hommel"]),
        (CORRECTIONS, "bw", []),
        (PAIR_TESTS, "wilcoxen", ["wilcoxon"]),
        (PAIR_TESTS, "wilcox", ["wilcoxon"]),
        (FOLD_TESTS, "corected-t", ["corrected-t"]),
        (FOLD_TESTS, "5x2cv", ["5x2cv-f", "5x2cv-t"]),
    ],
)
def test_a_slip_of_the_pen_is_seen(registry: Registry[Any], written: str, meant: list[str]) -> None:
    assert registry.close_to(written) == meant


def test_over_several_registries_at_once() -> None:
    with pytest.raises(UnknownNameError, match="Did you mean 'corrected-t'"):
        pair_test_named("corected-t")
    with pytest.raises(UnknownNameError, match=r"^test: 'dunnett' is not known. There are: wilcox"):
        grounds_of("dunnett")
    assert grounds_of("Cochrans-Q")[0].name == "predictions"


@pytest.fixture
def table() -> palio.ScoreTable:
    """Eight data sets, three algorithms, 5×2 cv."""
    rng = np.random.default_rng(3)
    scores = 0.5 + 0.02 * rng.standard_normal((8, 3, 5, 2)) + [[[0.1]], [[0.0]], [[0.05]]]
    return palio.ScoreTable.from_arrays(
        scores,
        datasets=[f"d{i}" for i in range(8)],
        algorithms=["a", "b", "c"],
        measure="accuracy",
        costs={"train_time": np.ones((8, 3)) * [1, 2, 3]},
    )


Ask = Callable[[palio.ScoreTable, bool], Any]

ASKED: dict[str, Ask] = {
    "compare": lambda t, own: palio.compare(
        t, test="wilcoxon" if own else "Signed_Rank", correction="bh" if own else "fdr_bh",
        omnibus="friedman" if own else "Friedman",
    ),
    "on ranks": lambda t, own: palio.compare(
        t, test="mean-ranks" if own else "Mean Ranks", correction="nemenyi" if own else "Nemenyi",
    ),
    "on folds": lambda t, own: palio.compare(
        t, dataset="d0", test="corrected-t" if own else "nadeau-bengio",
    ),
    "bayes": lambda t, own: palio.compare(t, test="bayes" if own else "Bayesian", draws=200),
    "all at once": lambda t, own: palio.compare_folds(
        t, dataset="d0", test="tukey" if own else "Tukey_HSD"
    ),
    "order": lambda t, own: palio.order(
        t, cost="train_time", method="multi2test" if own else "Multi²Test",
        test="5x2cv-t" if own else "5x2-t", posthoc="wilcoxon-holm" if own else "Wilcoxon_Holm",
    ),
    "multitest": lambda t, own: palio.multitest(
        t, dataset="d0", cost="train_time", test="5x2cv-f" if own else "5x2cv_F",
        correction="holm" if own else "bonferroni-holm",
    ),
    "rank": lambda t, own: palio.rank(t, method="average-ranks" if own else "mean-rank"),
    "stability": lambda t, own: palio.rank_stability(
        t, ["success-rate-ratios" if own else "SRR"], n_resamples=20
    ),
    "evaluation": lambda t, own: palio.evaluate_rankings(
        t, ["mean-score", "elo"] if own else ["average_score", "Elo"]
    ),
    "best": lambda t, own: palio.find_best(
        t, dataset="d0", method="newman-keuls" if own else "Newman-Keuls",
        test="5x2cv-t" if own else "dietterich",
    ),
    "power": lambda t, own: palio.power(
        t, a="a", b="b", test="paired-t" if own else "ttest", n_datasets=[6], trials=20,
        correction="holland" if own else "holm-sidak",
    ),
    "audit": lambda t, own: palio.audit(
        t, test="wilcoxon" if own else "Wilcoxon", only=["in-use" if own else "in_use"]
    ),
    "model": lambda t, own: palio.bayes.run_model(
        "signed-rank" if own else "SignedRankTest", t, rope=0.01, draws=200
    ),
}  # fmt: skip


@pytest.mark.parametrize("ask", ASKED)
def test_however_it_is_written_the_answer_is_the_same(ask: str, table: palio.ScoreTable) -> None:
    assert ASKED[ask](table, False).to_dict() == ASKED[ask](table, True).to_dict()


def test_a_question_and_its_link_have_the_registry_s_names() -> None:
    asked = Question(
        test="T-Test", correction="fdr_bh", fold_test="5x2_f", fold_correction="Holm",
        model="BayesianAnova", posthoc="Nemenyi", method="Multi2Test", checks=["Pools"],
    )  # fmt: skip
    assert asked == Question(
        test="paired-t", correction="bh", fold_test="5x2cv-f", fold_correction="holm",
        model="anova", posthoc="nemenyi", method="multi2test", checks=["pools"],
    )  # fmt: skip
    assert "correction=bh" in asked.to_query()


def test_the_command_line_takes_them(capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["compare", "study:ulas2008", "--json", "--test", "Signed-Rank"]
    assert main([*asked, "--correction", "benjamini-hochberg"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["method"], found["correction"]) == ("wilcoxon", "bh")
    assert main([*asked, "--correction", "dunnett"]) == 2
    assert "mean" not in capsys.readouterr().err.partition("There are")[0]
