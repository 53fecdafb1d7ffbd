"""The page: complete in itself, names as text, the same numbers as everywhere."""

from __future__ import annotations

import base64
import hashlib
import re
from html.parser import HTMLParser
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import palio
from palio.numbers import cost, number, rank
from palio.report.page import asset, render_page, script, style
from palio.report.sections import SECTIONS, prepare
from palio.report.text import render_text

VOID = {"br", "hr", "link", "meta", "wbr", "input"}
HOSTILE = [
    "<script>alert(1)</script>",
    "=1+2",
    'a"onload="x',
    "x" * 10_000,
    "né\u0007 \u202eb&amp;",
]


class Page(HTMLParser):
    """What a page is made of: elements, ids, references, texts; every element closed."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.texts: list[str] = []
        self.open: list[str] = []
        self.feed(html)
        self.close()
        assert not self.open

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.elements.append((tag, {key: value or "" for key, value in attrs}))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: Any) -> None:
        self.elements.append((tag, {key: value or "" for key, value in attrs}))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data)

    def all(self, attribute: str) -> list[str]:
        return [attrs[attribute] for _, attrs in self.elements if attribute in attrs]

    def named(self, *tags: str) -> list[dict[str, str]]:
        return [attrs for tag, attrs in self.elements if tag in tags]


def random_table(
    algorithms: list[str], datasets: int, *, repeats: tuple[int, ...] = (5, 2)
) -> palio.ScoreTable:
    rng = np.random.default_rng(0)
    k = len(algorithms)
    scores = rng.uniform(0.5, 0.9, (datasets, 1)) + rng.normal(0, 0.03, k)
    if repeats:
        scores = scores[..., None, None] + rng.normal(0, 0.02, (datasets, k, *repeats))
    return palio.ScoreTable.from_arrays(
        scores,
        datasets=[f"d{i}" for i in range(datasets)],
        algorithms=algorithms,
        measure="accuracy",
        costs={"time": rng.lognormal(0, 1, (datasets, k))},
    )


@pytest.fixture(scope="module")
def report() -> palio.Report:
    table = palio.load_study("ulas2008")
    return palio.analyse(table, cost="train_time", source="results.csv")


@pytest.fixture(scope="module")
def summary(report: palio.Report) -> dict[str, Any]:
    return report.to_dict()


@pytest.fixture(scope="module")
def html(report: palio.Report) -> str:
    return render_page(report)


def test_the_page_asks_for_nothing(html: str) -> None:
    page = Page(html)
    assert not page.named("link", "img", "iframe", "object", "embed", "base", "form")
    for attribute in ("href", "src", "xlink:href", "action"):
        assert all(value.startswith("#") for value in page.all(attribute))
    assert not re.search(r"@import|url\(", style())
    assert not re.search(r"fetch|XMLHttp|import\(|eval|innerHTML", script())
    assert not re.search(r"(?:src|href)=.?https?:", html)


def test_the_policy_knows_our_style_and_script_and_no_other(html: str) -> None:
    policy = next(
        attrs["content"]
        for attrs in Page(html).named("meta")
        if attrs.get("http-equiv") == "Content-Security-Policy"
    )
    assert policy.startswith("default-src 'none'; ")
    assert "unsafe" not in policy
    for content, tag in ((style(), "style"), (script(), "script")):
        inside = re.findall(rf"<{tag}>(.*?)</{tag}>", html, flags=re.DOTALL)
        assert inside == [content]
        digest = base64.b64encode(hashlib.sha256(inside[0].encode()).digest()).decode()
        assert f"'sha256-{digest}'" in policy
    # What the policy would block is not there.
    assert not any("style" in attrs or "onclick" in attrs for _, attrs in Page(html).elements)


def test_ids_are_unique_and_links_lead_somewhere(html: str) -> None:
    page = Page(html)
    ids = page.all("id")
    assert len(set(ids)) == len(ids)
    assert {href.removeprefix("#") for href in page.all("href")} <= set(ids)
    assert {label for text in page.all("aria-labelledby") for label in text.split()} <= set(ids)
    assert "algorithm-svr" in ids


def test_headings_and_landmarks(html: str) -> None:
    page = Page(html)
    levels = [int(tag[1]) for tag, _ in page.elements if re.fullmatch(r"h[1-6]", tag)]
    assert levels.count(1) == 1
    assert all(after - before <= 1 for before, after in pairwise(levels))
    for landmark in ("header", "nav", "main", "footer"):
        assert len(page.named(landmark)) == 1
    assert page.named("html")[0]["lang"] == "en"
    drawn = [attrs for attrs in page.named("svg") if "aria-hidden" not in attrs]
    assert all(attrs["role"] == "img" and attrs["aria-label"] for attrs in drawn)
    # What has no words of its own stands beside its number.
    assert len(drawn) >= len(page.named("svg")) / 3
    assert {attrs.get("scope") for attrs in page.named("th")} == {"col", "row"}
    assert len(page.named("table")) == len(page.named("caption"))


def test_every_section_with_something_to_say_is_there(html: str, report: palio.Report) -> None:
    ids = set(Page(html).all("id"))
    draft = prepare(report)
    for name, section in SECTIONS.items():
        assert (name in ids) == bool(section.render(draft)), name
    assert {"verdict", "order", "graph", "audit", "references"} <= ids
    assert not {"posterior", "experiment"} & ids  # nobody asked, and there is no store


def test_the_same_numbers_in_text_and_page(
    html: str, report: palio.Report, summary: dict[str, Any]
) -> None:
    text = " ".join(render_text(report).split())
    page = " ".join(" ".join(Page(html).texts).split())
    for sentence in (report.verdict.best, report.verdict.value):
        assert str(sentence) in page
        assert str(sentence).removesuffix(".") in text
    for each in summary["claims"]:
        if each["kind"] in ("evidence", "front"):
            assert each["text"] in page
            assert each["text"] in text
    for row in summary["order"]["rows"]:
        for value in (number(row["mean_score"]), rank(row["mean_rank"]), cost(row["cost"])):
            assert value in page
            assert value in text
    for work in summary["references"]:
        assert work["full"] in page


def test_details_of_an_algorithm(html: str, summary: dict[str, Any]) -> None:
    article = re.search(r'<article id="algorithm-svr".*?</article>', html, flags=re.DOTALL)
    assert article is not None
    row = next(row for row in summary["order"]["rows"] if row["algorithm"] == "svr")
    for name in row["beats"]:
        assert re.search(rf'<a href="#algorithm-{name}" data-a="\d">{name}</a>', article[0])
    assert cost(row["costs"]["space"]) in article[0]
    assert row["reason"] in article[0]


# --- names that mean harm ------------------------------------------------------------------------


def test_hostile_names_are_text() -> None:
    report = palio.analyse(
        random_table(HOSTILE, 4), checks=["leave-one-out"], model="sign", rope=0.1
    )
    html = render_page(report)
    page = Page(html)
    # What the page knows of each, which is not run, and the page's own.
    assert page.named("script") == [{"type": "application/json", "id": "facts"}, {}]
    assert not any(key.startswith("on") for _, attrs in page.elements for key in attrs)
    texts = " ".join(page.texts)
    assert "<script>alert(1)</script>" in texts
    assert "=1+2" in texts
    assert 'a"onload="x' in texts
    assert "\u0007" not in html
    # Cut in view, whole in the title.
    assert "x" * 100 not in texts
    assert "x" * 10_000 in page.all("title")
    assert len(html) < 400_000


def test_hostile_names_of_data_sets_and_measures() -> None:
    table = palio.ScoreTable.from_arrays(
        [[0.1, 0.2], [0.3, 0.1]],
        datasets=["</style><img src=x>", "y" * 5000],
        algorithms=["a", "b"],
        measure=palio.Measure("<i>error</i>", higher_is_better=False),
    )
    html = palio.analyse(table, source="<b>.csv").to_html()
    assert not Page(html).named("img", "i", "b")
    assert "&lt;i&gt;error&lt;/i&gt;" in html
    assert "y" * 100 not in html


# --- size ----------------------------------------------------------------------------------------


def test_fifty_algorithms_are_a_page_of_less_than_two_megabytes() -> None:
    table = random_table([f"algorithm-{j:02d}" for j in range(50)], 10)
    report = palio.analyse(table, checks=[])
    html = report.to_html()
    assert len(html.encode()) < 2_000_000
    # What is left out is said to be.
    text = " ".join(Page(html).texts)
    assert "Of 1225 pairs the others are not listed." in text
    assert "Neighbours by mean rank in numbers" in text
    assert len(Page(html).named("article")) == 50


def test_beyond_sixty_there_is_no_matrix() -> None:
    table = random_table([f"a{j}" for j in range(61)], 4, repeats=())
    html = palio.analyse(table, checks=[]).to_html()
    assert "With 61 algorithms the matrix of all pairs is left out here" in html
    assert "figure-comparison-matrix" not in Page(html).all("id")


def test_of_many_nobody_names_all() -> None:
    """The page grows with the algorithms, not with their square; the text has the first places."""
    table = random_table([f"a{j:03d}" for j in range(201)], 4, repeats=())
    report = palio.analyse(table, checks=[])
    html = report.to_html()
    assert "The first 150 of 201 algorithms." in " ".join(Page(html).texts)
    assert " and 192 others</p>" in html
    assert max(len(article) for article in html.split("<article")[1:-1]) < 3000
    text = " ".join(str(report).split())
    assert "and 171 more: the page and --json have all" in text
    assert sum(f"a{j:03d}" in text for j in range(201)) < 60


def test_a_page_that_is_rewritten_is_loaded_again() -> None:
    report = palio.analyse(random_table(["a", "b"], 1))
    meta = Page(render_page(report, refresh=10)).named("meta")
    assert {"http-equiv": "refresh", "content": "10"} in meta


def contrast(one: str, other: str) -> float:
    """WCAG's ratio of two colours."""

    def luminance(colour: str) -> float:
        parts = np.array([int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)])
        linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
        return float(linear @ [0.2126, 0.7152, 0.0722])

    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def test_contrast_in_both_schemes() -> None:
    roots = re.findall(r":root \{(.*?)\}", asset("colours.css"), flags=re.DOTALL)
    light: dict[str, str] = dict(re.findall(r"--(\w+): (#\w{6})", roots[0]))
    dark = {**light, **dict(re.findall(r"--(\w+): (#\w{6})", roots[1]))}
    for colours in (light, dark):
        for ink in ("ink", "quiet", "accent", "warn"):
            for ground in ("ground", "card", "raised", "tint"):
                assert contrast(colours[ink], colours[ground]) >= 4.5, (ink, ground)
