"""Markdown that GitHub reads as it was meant."""

from __future__ import annotations

from typing import Any

import pytest
from markdown_it import MarkdownIt

import palio
from tests.report.figures.comparisons import whole_comparison
from tests.report.made import render_markdown

WEIRD = [
    "a|b",
    "a\\|b",
    "\\",
    "*bold*",
    "**very**",
    "snake_case_name",
    "_x_",
    "`code`",
    "<b>html</b>",
    "&amp;",
    "[link](http://x)",
    "![image](x)",
    "~~gone~~",
    "# heading",
    "$math$",
    "1. one",
    "- dash",
    "+",
    "|",
    "||",
    "{x}",
    "two\nlines",
    "λ ≥ µ",
]


def parse(markdown: str) -> list[Any]:
    return MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(markdown)


def tables(markdown: str) -> list[list[list[str]]]:
    """Return the tables as a reader sees them: the text of each cell, markup gone."""
    found: list[list[list[str]]] = []
    for token in parse(markdown):
        if token.type == "table_open":
            found.append([])
        elif token.type == "tr_open":
            found[-1].append([])
        elif token.type == "inline" and found and token.level == 4:
            found[-1][-1].append(seen(token))
    return found


def seen(inline: Any) -> str:
    kinds = {child.type for child in inline.children}
    assert kinds <= {"text", "text_special", "strong_open", "strong_close"}, kinds
    return "".join(child.content for child in inline.children)


def bold(markdown: str) -> set[str]:
    inlines = [token for token in parse(markdown) if token.type == "inline" and token.level == 4]
    return {
        seen(each)
        for each in inlines
        if any(child.type == "strong_open" for child in each.children)
    }


def test_weird_names_come_back() -> None:
    summary = whole_comparison(WEIRD)
    ranks, pairs = tables(render_markdown(summary))
    order = sorted(WEIRD, key=lambda name: summary["mean_ranks"][name])
    assert [row[0] for row in ranks[1:]] == [" ".join(name.split()) for name in order]
    shown = [(row[0], row[1]) for row in pairs[1:]]
    assert shown == [
        (" ".join(pair["a"].split()), " ".join(pair["b"].split())) for pair in summary["pairs"]
    ]


def test_tables_say_what_the_summary_says() -> None:
    summary = whole_comparison(["x", "y", "z"])
    text = render_markdown(summary)
    ranks, pairs = tables(text)
    assert ranks[0] == ["algorithm", "mean rank", "mean accuracy", "group"]
    assert {row[0]: row[1] for row in ranks[1:]} == {
        name: f"{rank:.2f}" for name, rank in summary["mean_ranks"].items()
    }
    assert {row[0]: row[3] for row in ranks[1:]} == summary["letters"]
    assert pairs[0][-2:] == ["p", "adjusted p"]
    better = {pair["better"] for pair in summary["pairs"] if pair["significant"]}
    assert bold(text) & set("xyz") == better
    assert "wilcoxon, holm, α = 0.05" in text
    assert "friedman" in text


def test_numbers_stand_right() -> None:
    rule = render_markdown(whole_comparison("ab")).split("| algorithm")[1].splitlines()[1]
    assert rule == "| :--- | ---: | ---: | :--- |"


@pytest.mark.parametrize("note", ["1. first", "- x", "+ y", "# z", "=== a", "1) b", "> c", "--- d"])
def test_notes_are_texts_whatever_they_begin_with(note: str) -> None:
    markdown = render_markdown(whole_comparison("ab", notes=[note]))
    tokens = parse(markdown)
    assert {token.type for token in tokens} <= {
        "heading_open",
        "heading_close",
        "paragraph_open",
        "paragraph_close",
        "inline",
        "bullet_list_open",
        "bullet_list_close",
        "list_item_open",
        "list_item_close",
        *(
            f"{tag}_{end}"
            for tag in ("table", "thead", "tbody", "tr", "th", "td")
            for end in ("open", "close")
        ),
    }
    assert seen([token for token in tokens if token.type == "inline"][-1]) == note
    assert sum(token.type == "heading_open" for token in tokens) == 1


def test_a_screen_shows_some_pairs_and_a_paper_all() -> None:
    summary = whole_comparison([f"a{i}" for i in range(20)])
    text = render_markdown(summary)
    assert len(tables(text)[1]) == 1 + 190
    assert "more pairs" not in text


def test_every_kind_of_result() -> None:
    table = palio.load_study("ulas2008")
    for result in (
        palio.multi2test(table, cost="train_time"),
        palio.compare_folds(table, dataset="zoo"),
        palio.find_best(table, dataset="zoo", cost="space"),
        palio.reproduce("ulas2008"),
    ):
        text = render_markdown(result.to_dict())
        assert text.startswith("## ")
        assert text.endswith("\n")
        widths = [{len(row) for row in each} for each in tables(text)]
        assert all(len(width) == 1 for width in widths)


def test_the_first_of_an_order_is_bold() -> None:
    ordering = palio.multi2test(palio.load_study("ulas2008"), cost="train_time")
    text = render_markdown(ordering.to_dict())
    assert bold(text) == {ordering.first}
    assert "- 1–7. 5nn, c45" in text
