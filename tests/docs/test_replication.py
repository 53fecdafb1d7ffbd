"""What the page about wainer2016 says in sentences is what the replication gives."""

import re
from collections.abc import Callable, Sequence
from functools import cache

import numpy as np
import pytest

import palio
from docs.pages.replication import MARKS, by_error, cells, check, found
from docs.pages.tables import fill
from palio.scores import ScoreTable
from palio.stats.ranks import average_ranks
from palio.studies import replication2026
from palio.studies.reproduction import read_rows
from palio.studies.wainer2016_pmlb import pmlb_files
from palio.studies.wainer2016_size import SIZES
from tests.docs.written import DOCS

PAGE = (DOCS / "studies" / "wainer2016.md").read_text(encoding="utf-8")
WORDS = dict(enumerate(["none", "one", "two", "three", "four", "five", "six", "seven"]))


@cache
def text() -> str:
    """Return the page with its tables, which take seconds: not while tests are collected."""
    return " ".join(fill(PAGE).split())


@cache
def table() -> ScoreTable:
    return palio.load_study("replication2026")


def summed(cost: str, learner: str) -> int:
    of = table().rows.algorithm == table().algorithms.index(learner)
    return round(float(table().rows.costs[cost][of].sum()))


def run() -> list[object]:
    known = replication2026.data_sets()
    (sizes,) = palio.reproduce("replication2026").checks
    names = {row["dataset"] for row in read_rows("replication2026", "names")}
    alone = sorted(set(known) - names)
    listed = f"{', '.join(alone[:-1])} and {alone[-1]}"
    return [len(known), sizes.cells, len(sizes.differences), len(alone), listed]


def ended() -> list[object]:
    hours = f"{float(table().to_frame()['fit_cpu_time'].sum()) / 3600:.1f}"
    jobs = int(np.isfinite(table().means()).sum())
    assert jobs == table().n_datasets * table().n_algorithms
    return [jobs, table().n_datasets, table().n_algorithms, hours]


def capped() -> list[object]:
    models = 2 * table().n_datasets
    final = [summed("capped", name) for name in ("svmLinear", "svmPoly", "svmRadial")]
    within = [
        [
            f"{summed('n_capped', name):,}",
            f"{5 * n * models:,}",
        ]
        for name, n in (("svmLinear", 5), ("svmPoly", 20), ("svmRadial", 25))
    ]
    return [final[0], models, *final[1:], *(each for pair in within for each in pair)]


def verdicts(kind: str) -> str:
    return str(cells("verdicts")["Table 2", kind])


def rho(name: str) -> str:
    return f"{float(cells('agreement')[name, 'ρ']):.2f}"


def ranks(*names: str) -> list[float]:
    return [by_error().mean_ranks[name] for name in names]


def nnet() -> list[object]:
    three = ranks("rf", "gbm", "svmRadial")
    return [f"{rank:.1f}" for rank in (*ranks("nnet"), min(three), max(three))]


def better_than_nnet(name: str) -> bool:
    (better,) = (b for pair, b in check("2").recomputed.items() if {*pair} == {"nnet", name})
    return better == name


def errors() -> list[object]:
    mean = table().mean_scores()
    return [f"{mean[name]:.3f}" for name in ("nnet", "rf", "gbm")]


def robust() -> list[object]:
    values = {frozenset(cell): float(str(p).split("|")[0]) for cell, p in cells("12").items()}
    pairs = (("rf", "gbm"), ("rf", "svmRadial"), ("gbm", "svmRadial"))
    best = sorted({f"{values[frozenset(pair)]:.2f}" for pair in pairs})
    return [" to ".join(best[:1] + best[1:][-1:])]


def critical() -> list[object]:
    (text,) = (note for note in found().notes if "critical difference" in note)
    (said,) = re.findall(r"critical difference is ([\d.]+)", text)
    return [table().n_datasets, said]


def places() -> list[object]:
    values = cells("4")
    return [
        sorted(table().algorithms, key=lambda a: float(values[a, column])).index(name) + 1
        for column in ("1-t-t", "p/h")
        for name in ("elm", "bst")
    ]


def on_the_first() -> list[object]:
    parts = cells("parts")
    part = next((column for _, column in parts if column.startswith("first")), None)
    agree = (
        str(found().agree) if part is None else str(parts["cells that agree", part]).split("/")[0]
    )
    return [agree]


SMALL, MIDDLE, LARGE = (f"{low}–{high}" for low, high in SIZES)


def forest_by_size() -> list[object]:
    known = replication2026.data_sets()
    large = np.array([known[name].rows > 1000 for name in table().datasets])
    rf = average_ranks(table().means())[:, table().algorithms.index("rf")]
    return [large.sum(), f"{rf[large].mean():.1f}", f"{rf[~large].mean():.1f}"]


def by_size() -> list[object]:
    values = cells("size")
    return [values["data sets", LARGE], values["ρ, paper", LARGE], values["ρ, paper", SMALL]]


# A piece of the text, {} for each number in it, and what computes these.
CLAIMS: dict[str, Callable[[], Sequence[object]]] = {
    "{} in all. {} of them are also among the paper's 115, {} of these in a version of another "
    "size. The other {} are {}.": run,
    "All {} jobs ({} data sets × {} learners) ended well, in {} hours of CPU.": ended,
    "That happened to {} of {} final models of svmLinear, to {} of svmPoly and to {} of svmRadial; "
    "and within the searches to {} of {}, {} of {}, {} of {} fits.": capped,
    "with the paper's is {} (Spearman, 14 learners)": lambda: [rho("Table 1, mean ranks")],
    "(Nemenyi at 0.05), {} are the same and {} is the opposite": lambda: [
        verdicts("same"), WORDS[int(verdicts("opposite"))]
    ],
    "{} differences are significant in the paper and not here": lambda: [verdicts("only paper")],
    "With {} data sets mean ranks must differ by {} to be told apart": critical,
    "nnet has the mean rank {}, the three have {} to {}.": nnet,
    "worse than the three best* (§4.2) is confirmed for {} alone": lambda: [
        each for each in ("rf", "gbm", "svmRadial") if better_than_nnet(each)
    ],
    "{} differences are significant here and not in the paper:": lambda: [verdicts("only here")],
    "gbm moves as well ({}), from {} on up to 300 rows to {} on more than 1000": lambda: [
        cells("size")["gbm", column] for column in ("slope ± 95 %", SMALL, LARGE)
    ],
    "may be so by chance (p = {};": lambda: [cells("size")["gbm", "p"]],
    "Of rf ({}) it cannot be told": lambda: [cells("size")["rf", "slope ± 95 %"]],
    "on the {} data sets of more than 1000 rows it has the mean rank {}, and on smaller ones {}": (
        forest_by_size
    ),
    "on those {} correlates with the paper's by {}, and on those of up to 300 rows by {}": by_size,
    "instead of {} of the cells compared with the paper agree": on_the_first,
    "its mean error ({}) lies between theirs ({} and {})": errors,
    "probabilities with the paper's is {} for the normal model and {} for the robust one": lambda: [
        rho("Table 3, P(equal)"), rho("Table 12, P(equal)")
    ],
    "for the three best its probabilities are {}.": robust,
    "the correlations are {} (1-t-t) and {} (p/h)": lambda: [
        rho("Table 4, mean ranks, 1-t-t"), rho("Table 4, mean ranks, p/h")
    ],
    "half of a data set is at most {} rows here": lambda: [
        max(each.rows for each in replication2026.data_sets().values()) // 2
    ],
    "Here they are in places {} and {}, and {} and {}.": places,
}  # fmt: skip


@pytest.mark.parametrize("claim", CLAIMS)
def test_the_page_says_what_is_computed(claim: str) -> None:
    """In digits, or small numbers in words."""
    values = [str(value) for value in CLAIMS[claim]()]
    ways = [
        {value, WORDS.get(int(value), value)} if value.isdigit() else {value} for value in values
    ]
    slots = iter("|".join(map(re.escape, way)) for way in ways)
    pattern = re.sub(r"\\{\\}", lambda _: f"(?:{next(slots)})", re.escape(claim))
    said = re.findall(rf"(?<![\w.]){pattern}", text())
    assert len(said) == 1, f"the page should say once: {claim.format(*values)}"


def test_whom_the_page_names_as_better_here_alone() -> None:
    (said,) = re.findall(r"here and not in the paper: (.+?)\.", text())
    here = [each for each in check("2").differences if each.published == "neither"]
    assert len(here) == int(verdicts("only here"))
    for each in here:
        (loser,) = set(each.key) - {each.recomputed}
        assert re.search(rf"\b{each.recomputed}\b[^;]*better than {loser}(;|$)", said)


def test_the_size_of_data_sets_is_told_as_it_is_computed() -> None:
    """Who clearly gains by more rows is named in the page, and nobody else as one who does."""
    (note,) = (note for note in found().notes if note.startswith("ranks with twice the rows"))
    for side, verb in (("better", "gain"), ("worse", "lose")):
        (told,) = re.findall(rf"clearly {side} (.+?)(?:, clearly worse|$)", note)
        (said,) = re.findall(rf"only (\w+(?:, \w+)*(?: and \w+)?) clearly {verb}", text())
        assert re.split(", | and ", said) == re.findall(r"(\w+) \(", told)


def test_what_is_still_to_be_run() -> None:
    """Of those decided on before: those of PMLB are listed, the others have the paper's names."""
    (count, said) = re.findall(r"(\d+) of them are still to be run: (.+?)\. Those of PMLB", text())[
        0
    ]
    names = re.split(", | and ", said)
    there = set(replication2026.data_sets())
    assert len(names) == int(count)
    assert not there & set(names)
    assert set(pmlb_files()) <= there | set(names)


def test_who_is_ahead_where_only_the_paper_tells_two_apart() -> None:
    alone = [each for each in check("2").differences if each.recomputed == "neither"]
    ahead = [ranks(str(each.published))[0] == min(ranks(*map(str, each.key))) for each in alone]
    where = "each" if all(ahead) else str(sum(ahead))
    assert f"not here; in {where} of them the same learner is ahead here." in text()


TABLES = ("errors", "size", "thresholds", "equal", "times", "verdicts")


@pytest.mark.parametrize("mark", [f"wainer2016_{name}" for name in TABLES])
def test_a_table_has_a_head_and_rows_of_the_same_length(mark: str) -> None:
    lines = MARKS[mark]().splitlines()
    assert len(lines) > 3
    assert len({line.count("|") for line in lines}) == 1
