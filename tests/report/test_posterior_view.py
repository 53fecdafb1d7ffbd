"""The text of a posterior: its numbers, on eighty columns."""

from __future__ import annotations

import re
from html import escape
from typing import Any

import pytest

from palio.numbers import hundredths, probability
from tests.report.figures.posteriors import joint_posterior, region_posterior
from tests.report.figures.summaries import names
from tests.report.made import notebook_html, render_latex, render_markdown, render_text

OUTCOMES = ("p_a_better", "p_rope", "p_b_better")


def lines_of(text: str, title: str) -> list[list[str]]:
    """Return the rows of the first table with this title, cells parted by three spaces."""
    table = text[text.index(title) :].split("\n\n")[0]
    _, _, rows = table.partition("─\n")
    return [re.split(r"\s{2,}", line.strip()) for line in rows.splitlines()]


@pytest.mark.parametrize("k", [2, 8, 10, 11, 14, 50])
@pytest.mark.parametrize("make", [joint_posterior, region_posterior])
@pytest.mark.parametrize("length", ["short", "long"])
def test_eighty_columns(make: Any, k: int, length: str) -> None:
    text = render_text(make(names(k, length)).to_dict())
    assert max(map(len, text.splitlines())) <= 80


def test_every_pair_is_told_with_the_numbers_of_the_summary() -> None:
    summary = joint_posterior(names(8, "short")).to_dict()
    rows = lines_of(render_text(summary), "Every pair: probabilities and the difference")
    assert len(rows) == len(summary["pairs"]) == 28
    for row, pair in zip(rows, summary["pairs"], strict=True):
        assert row[:2] == [pair["a"], pair["b"]]
        assert row[2:5] == [probability(pair[key]) for key in OUTCOMES]
        shown = [float(number.replace("−", "-")) for number in (row[5], *row[6].split(" … "))]
        assert shown == pytest.approx([pair["difference"], *pair["hdi"]], abs=0.5001e-4)


@pytest.mark.parametrize("k", [11, 14, 26])
def test_many_pairs_are_all_told_in_squares(k: int) -> None:
    summary = region_posterior(names(k, "short")).to_dict()
    text = render_text(summary)
    title = "In %: row better/equal/column better"
    told = {}
    for part in text.split(title)[1:]:
        head, _, rows = part.split("\n\n")[0].partition("─\n")
        columns = re.findall(r"\d+", head)
        for line in rows.splitlines():
            cells = line.split()
            row = summary["order"][int(cells[0]) - 1]
            assert cells[1] == row
            for column, cell in zip(columns, cells[2:], strict=False):
                other = summary["order"][int(column) - 1]
                if row != other:
                    told[row, other] = cell
                assert (cell == "–") == (row == other)
    assert len(told) == k * (k - 1) / 2
    for pair in summary["pairs"]:
        shares = [hundredths(pair[key]) for key in OUTCOMES]
        here, there = (pair["a"], pair["b"]), (pair["b"], pair["a"])
        assert told.get(here, "/".join(shares)) == "/".join(shares)
        assert told.get(there, "/".join(shares[::-1])) == "/".join(shares[::-1])
        assert (here in told) != (there in told)
    assert "--all, or .probabilities(), has them." in text


def test_who_is_best() -> None:
    summary = joint_posterior(names(14, "short")).to_dict()
    text = render_text(summary)
    rows = {row[0]: row for row in lines_of(text, "Who is best")}
    for row in summary["best"]:
        told = rows[row["algorithm"]]
        assert told[1:3] == [probability(row["p_best"]), probability(row["p_as_good"])]
        assert float(told[3]) == pytest.approx(row["expected_loss"], rel=1e-3)
    best = max(summary["best"], key=lambda row: row["p_best"])
    assert text.startswith(
        f"{best['algorithm']} is the best with probability {probability(best['p_best'])}"
    )
    assert next(iter(rows)) == best["algorithm"]


def test_lower_is_better() -> None:
    up = joint_posterior(["svr", "c45"]).to_dict()
    down = joint_posterior(["svr", "c45"], higher_is_better=False).to_dict()
    assert up["order"] == down["order"][::-1]
    assert render_text(up).split()[0] == up["order"][0]
    assert render_text(down).split()[0] == down["order"][0]
    assert "by error (lower is better)" in render_text(down)
    # The difference keeps its sign; the probabilities change sides.
    (one,), (other,) = up["pairs"], down["pairs"]
    assert one["difference"] == other["difference"]
    assert one["p_a_better"] == other["p_b_better"]


@pytest.mark.parametrize(
    ("shares", "says"),
    [
        ([0.7, 0.2, 0.1], "svr is better than c45 by more than 0.01"),
        ([0.2, 0.7, 0.1], "svr and c45 are practically equal"),
        ([0.1, 0.2, 0.7], "c45 is better than svr by more than 0.01"),
    ],
)
def test_the_headline_of_one_pair(shares: list[float], says: str) -> None:
    summary = region_posterior(["svr", "c45"]).to_dict()
    summary["pairs"][0].update(zip(OUTCOMES, shares, strict=True))
    text = " ".join(render_text(summary).split())
    # Of the sign test it is not the probability that it is so, and the headline says what it is.
    assert text.startswith(
        f"With probability 0.700 the likeliest on a new data set is that {says} Bayesian"
    )
    assert "an outcome to be the likeliest of the three on a new data set." in text
    summary["model"] = "correlated-t"
    assert " ".join(render_text(summary).split()).startswith(f"{says} with probability 0.700")


def test_what_is_decided_and_what_is_not() -> None:
    summary = region_posterior(names(4, "short")).to_dict()
    decided = [
        [0.96, 0.03, 0.01],
        [0.01, 0.03, 0.96],
        [0.02, 0.96, 0.02],
        [0.95, 0.05, 0.0],  # not more than 95 %
        [0.5, 0.3, 0.2],
        [0.0, 1.0, 0.0],
    ]
    for pair, shares in zip(summary["pairs"], decided, strict=True):
        pair.update(zip(OUTCOMES, shares, strict=True))
    text = " ".join(render_text(summary).split())
    assert "one is better in 2 of 6 pairs, practically equal in 2, undecided in 2." in text


def test_exact_probabilities_are_called_so() -> None:
    summary = region_posterior(["svr", "c45"]).to_dict()
    assert "Monte-Carlo error of a probability at most 0.0" in " ".join(
        render_text(summary).split()
    )
    summary["diagnostics"]["mc_error"] = 0.0
    assert "have no Monte-Carlo error" in " ".join(render_text(summary).split())


HOSTILE = ["$a_1$", "[bold]b[/bold]", "<i>&c", "two\nlines", "x" * 60]


@pytest.mark.parametrize("many", [False, True])
def test_hostile_names(many: bool) -> None:
    algorithms = [*HOSTILE, *names(9, "short")] if many else HOSTILE
    posterior = joint_posterior(algorithms)
    summary = posterior.to_dict()
    text = render_text(summary)
    assert {"$a_1$", "[bold]b[/bold]", "<i>&c"} <= set(text.split())
    # A word that is too long is folded, never cut.
    assert max(map(len, text.splitlines())) <= 80
    folded = [line for line in text.splitlines() if "xxxx" in line]
    assert sum(line.count("x") for line in folded) % 60 == 0
    page = posterior._repr_html_()
    assert escape("<i>&c") in page
    assert "<i>" not in page
    latex = render_latex(summary)
    assert r"\$a\_1\$" in latex
    assert "two lines" in latex
    assert r"\$a\_1\$" in render_markdown(summary)


@pytest.mark.parametrize("k", [8, 14])
def test_every_face_has_every_pair(k: int) -> None:
    summary = joint_posterior(names(k, "short")).to_dict()
    wanted = [
        (
            probability(pair["p_a_better"])
            if k == 8
            else "/".join(hundredths(pair[key]) for key in OUTCOMES)
        )
        for pair in summary["pairs"]
    ]
    if k == 14:  # below the diagonal the row is the worse one
        place = {name: i for i, name in enumerate(summary["order"])}
        wanted = [
            shares if place[pair["a"]] > place[pair["b"]] else "/".join(reversed(shares.split("/")))
            for shares, pair in zip(wanted, summary["pairs"], strict=True)
        ]
    page = notebook_html(summary)
    assert all(f">{escape(cell)}<" in page for cell in wanted)
