"""Every number in paper/paper.md is recomputed, and what the paper cites is what Palio cites."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import palio
from docs.pages.bibliography import key
from palio.comparison import AUDIT_CHECKS
from palio.report.references import DOIS, REFERENCES
from palio.scores.importers import IMPORTERS
from palio.stats.across import wilcoxon
from palio.stats.studentized import studentized_range_isf

PAPER = Path(__file__).resolve().parents[2] / "paper"
_, HEAD, BODY = (PAPER / "paper.md").read_text(encoding="utf-8").split("---\n", 2)
TEXT = " ".join(BODY.split())
# Fractions and small counts in words; what is not here is written in digits.
WORDS = {"tenth": 10, "eleven": 11, "Fourteen": 14}


@cache
def study() -> palio.Ordering:
    return palio.order(palio.load_study("replication2026"), cost="fit_cpu_time")


@cache
def audit() -> palio.Audit:
    checks = ("leave-one-out", "conventions", "symmetry")
    return palio.audit(palio.load_study("replication2026"), only=checks)


def asked_again() -> list[object]:
    significant = {frozenset(pair) for pair in audit().significant}
    return [len(audit().doubted & significant), len(audit().doubted - significant)]


def at_a_price() -> list[object]:
    costs, ranks = study().costs, study().mean_ranks
    assert costs is not None
    assert study().order[0] == "svmRadial"
    place = study().order.index("gbm")
    before = study().order[:place]
    assert all(costs[name] < costs["gbm"] for name in before)
    beaten = {(pair.better, pair.worse) for pair in audit().comparison.pairs if pair.significant}
    assert not beaten & {("gbm", name) for name in before}
    return [
        round(costs["gbm"] / costs["svmRadial"]),
        sorted(ranks, key=ranks.__getitem__).index("gbm") + 1,
        place + 1,
    ]


def size() -> list[object]:
    comparison, table = audit().comparison, palio.load_study("replication2026")
    return [table.n_algorithms, table.n_datasets, comparison.n_different, len(comparison.pairs)]


def unbeaten() -> list[object]:
    sets = study().rank_sets
    assert sets is not None
    return [sum(low == 1 for low, _ in sets.values())]


def nemenyi() -> list[object]:
    five, four = (studentized_range_isf(0.05, k) / np.sqrt(2) for k in (5, 4))
    return [f"{five:.3f}", f"{four:.3f}"]


def sides() -> list[object]:
    a, b = np.random.default_rng(0).standard_normal((2, 4000, 25))
    p = np.minimum(*(wilcoxon(a, b, alternative=side).p_value for side in ("greater", "less")))
    return [round(100 * (p <= 0.05).mean()), 5]


def reproduced(name: str) -> list[object]:
    found = palio.reproduce(name).to_dict()
    return [f"{found['cells']:,}", f"{found['agree']:,}"]


# A piece of the text, {} for each number in it, and what recomputes these.
CLAIMS: dict[str, Callable[[], list[object]]] = {
    "asks the same question again in {} ways": lambda: [len(AUDIT_CHECKS)],
    "one column too far, {} in the place of {} for four algorithms": nemenyi,
    "rejects {} % of true hypotheses at a level of {} %": sides,
    "with {} tuned learners on {} public data sets, {} of {} pairs differ": size,
    "(Wilcoxon with Holm's correction, $\\alpha$ = {})": lambda: [audit().alpha],
    "by another convention that we recommend, {} of these would not, and {} others": asked_again,
    "at a {} of the cost of `gbm`; `gbm`, in place {} by mean rank, stands in place {}": at_a_price,
    "The first rank is open to {} learners": unbeaten,
    "![{} learners on {} data sets, best first": lambda: size()[:2],
    "at once with confidence {} %": lambda: [round(100 * (1 - study().alpha))],
    "Of {} cells in the tables of @ulas2008 it gives {}, "
    "of {} in those of @brazdil2000 it gives {}, and": lambda: [
        *reproduced("ulas2008"),
        *reproduced("brazdil2000"),
    ],
    "Results of {} benchmark tools": lambda: [len(IMPORTERS)],
}


def pattern(claim: str) -> str:
    return re.escape(claim).replace(r"\{\}", r"([\w.,]+?)")


@pytest.mark.parametrize("claim", CLAIMS)
def test_the_paper_says_what_is_computed(claim: str) -> None:
    said = re.findall(pattern(claim), TEXT)
    assert len(said) == 1, f"the paper says this {len(said)} times, not once: {claim}"
    (written,) = said
    numbers = [WORDS.get(n, n) for n in ([written] if isinstance(written, str) else written)]
    assert [str(n) for n in numbers] == [str(n) for n in CLAIMS[claim]()]


def test_no_number_is_without_a_claim() -> None:
    """But those of names: papers, and the label of what is measured."""
    rest = TEXT
    for claim in CLAIMS:
        rest = re.sub(pattern(claim), "", rest)
    rest = re.sub(r"@\w+|\\\w+{[^}]*}|\[-@\w+\]", "", rest)
    assert re.findall(r"\d[\d.,]*", rest) == []


# --- what it cites --------------------------------------------------------------------------------

ENTRIES = {
    found[1]: dict(re.findall(r"(\w+) = \{(.+?)\}(?:,|\n)", found[2] + "\n"))
    for found in re.finditer(
        r"@\w+\{(\w+),\n(.*?)\n\}", (PAPER / "paper.bib").read_text(encoding="utf-8"), re.S
    )
}
OURS = {key(short): short for short in REFERENCES}


def test_what_is_cited_is_there_and_nothing_else() -> None:
    assert set(re.findall(r"@([a-z]+\d{4})", BODY)) == set(ENTRIES)


@pytest.mark.parametrize("name", [name for name in ENTRIES if name in OURS])
def test_an_entry_says_what_palio_cites(name: str) -> None:
    entry, short = ENTRIES[name], OURS[name]
    full = REFERENCES[short]
    for field in ("title", "year", "volume", "journal"):
        assert re.sub("[{}]", "", entry.get(field, "")) in full, field
    assert entry.get("pages", "").replace("--", "–") in full
    assert entry.get("doi") == DOIS.get(short)
    surnames = [author.split(",")[0] for author in entry["author"].split(" and ")]
    assert all(surname in full for surname in surnames)


def test_every_other_entry_has_a_doi_or_an_address() -> None:
    for name, entry in ENTRIES.items():
        assert name in OURS or {"doi", "url"} & set(entry), name


def test_it_has_the_sections_and_the_length_that_the_journal_asks_for() -> None:
    sections = re.findall(r"^# (.+)$", BODY, re.M)
    assert sections == [
        "Summary", "Statement of need", "State of the field", "Software design",
        "Research impact statement", "AI usage disclosure", "Acknowledgements", "References",
    ]  # fmt: skip
    assert 750 <= len(TEXT.split()) <= 1750
    assert (PAPER / "figure.png").is_file()
    assert "name: The Palio developers" in HEAD


def test_the_figure_is_of_these_numbers() -> None:
    from paper.figure import LABELS, Study, draw

    shown = Study.load()
    order = shown.ordering.order
    states = [shown.state(a, b) for i, a in enumerate(order) for b in order[:i]]
    counted = [states.count(state) for state in LABELS]
    doubted, might = asked_again()
    differ, pairs = size()[2:]
    assert counted[1:3] == [doubted, might]
    assert counted[0] + counted[1] == differ
    assert sum(counted) == pairs
    figure = draw(shown)
    assert [text.get_text() for text in figure.axes[0].get_yticklabels()] == list(order)
