"""The reading step: what a table looks like, which column is what, and what can be said of it."""

import re
from collections.abc import Callable
from pathlib import Path
from urllib.parse import parse_qs

import pytest
from playwright.sync_api import Locator, Page, expect
from starlette.testclient import TestClient

from palio.app.web.preview import preview
from palio.scores.spec import ReadSpec
from tests.app.web.axe import expect_accessible
from tests.app.web.chromium import Open, expect_no_overflow, headline, serving, settle
from tests.app.web.chromium import put as put_on

SETS = [f"d{i}" for i in range(8)]
NAMES = ("forest", "svm", "tree")


def zeal(i: int, j: int) -> float:
    return 40 - 5 * j + ((7 * i + 3 * j) % 5) / 4


# What is measured has no name that anybody knows.
OPEN = "dataset,algorithm,zeal,vigour,warmth\n" + "".join(
    f"{name},{algorithm},{zeal(i, j)},{zeal(j, i)},{10 + j}\n"
    for i, name in enumerate(SETS)
    for j, algorithm in enumerate(NAMES)
)
WIDE = "dataset\tforest\tsvm\ttree\n" + "".join(
    f"{name}\t{zeal(i, 0)}\t{zeal(i, 1)}\t{zeal(i, 2)}\n" for i, name in enumerate(SETS)
)
# Two columns may name the data sets, and neither says so.
TWICE = "model,alpha,beta,accuracy\n" + "".join(
    f"{name},a{i % 4},b{i // 4},{zeal(i, j) / 100}\n"
    for i in range(8)
    for j, name in enumerate(NAMES)
)


# --- what the server says ------------------------------------------------------------------------


def role_menu(html: str, column: str) -> dict[str, dict[str, list[str]]]:
    """Return what the menu of a column offers, and what each would change."""
    (menu,) = re.findall(f'aria-label="Role of {column}">(.*?)</select>', html)
    found = re.findall(r'<option value="([^"]*)"(?: selected)?>(.*?)</option>', menu)
    return {
        text: parse_qs(value.replace("&amp;", "&"), keep_blank_values=True) for value, text in found
    }


@pytest.fixture
def piece(empty: TestClient, put: Callable[..., str]) -> Callable[..., str]:
    def piece(text: str, query: str = "", name: str = "results.csv") -> str:
        found = empty.get(f"/api/preview?table={put(text, name)}&{query}")
        assert found.status_code == 200, found.text
        return str(found.json()["html"])

    return piece


def test_each_column_has_its_role(piece: Callable[..., str]) -> None:
    html = piece(OPEN)
    for column, role in (("dataset", "data set"), ("algorithm", "algorithm"), ("zeal", "result")):
        assert re.search(f'Role of {column}"><option value="" selected>{role}</option>', html)
    assert "24 rows: a row per result. The first 12 are shown." in html
    assert html.count("<tr>") == 1 + 12
    assert role_menu(html, "vigour")["result"] == {"score": ["vigour"], "higher_is_better": [""]}
    assert role_menu(html, "warmth")["cost"] == {"costs": ["warmth"]}
    swapped = role_menu(html, "dataset")["algorithm"]
    assert (swapped["algorithm"], swapped["dataset"]) == (["dataset"], ["algorithm"])
    together = role_menu(html, "algorithm")["data set, with dataset"]
    assert together["dataset"] == ["dataset+algorithm"]


def test_what_is_said_of_a_column_can_be_taken_back(piece: Callable[..., str]) -> None:
    html = piece(OPEN, "costs=warmth&costs=vigour&fold=zeal")
    assert role_menu(html, "warmth")["not used"] == {"costs": ["vigour"]}
    assert role_menu(html, "zeal")["not used"] == {"fold": [""]}
    assert "Forget these choices" in html
    # One result less is what a wide table can be told.
    html = piece(WIDE, "", "results.tsv")
    assert role_menu(html, "svm")["not used"] == {"results": ["forest", "tree"]}
    html = piece(WIDE, "results=forest&results=tree", "results.tsv")
    assert role_menu(html, "svm")["result"] == {"results": ["forest", "tree", "svm"]}


@pytest.mark.parametrize("column", ["algorithm", "vigour", "warmth"])
def test_whatever_a_menu_offers_is_a_link_that_the_server_takes(
    piece: Callable[..., str], put: Callable[..., str], empty: TestClient, column: str
) -> None:
    """It is answered, or it is the next question."""
    table = put(OPEN)
    for text, change in role_menu(piece(OPEN), column).items():
        query = "&".join(
            f"{name}={each}" for name, texts in change.items() for each in texts if each
        ).replace("+", "%2B")
        found = empty.get(f"/api/table?table={table}&{query}")
        assert found.status_code in (200, 422), (text, found.text)
        if found.status_code == 422:
            assert found.json()["message"]
        assert empty.get(f"/api/preview?table={table}&{query}").status_code == 200, text


def test_columns_that_are_left_out_are_not_shown_as_results(piece: Callable[..., str]) -> None:
    lines = WIDE.replace("dataset", "accuracy on").replace("\t", ",").splitlines()
    rows = [line.split(",") for line in lines[1:]]
    means = [sum(map(float, row[1:])) / 3 for row in rows]
    html = piece(
        "\n".join(
            [f"{lines[0]},Mean", *(f"{line},{m}" for line, m in zip(lines[1:], means, strict=True))]
        )
    )
    assert 'Role of svm"><option value="" selected>result' in html
    assert 'Role of Mean"><option value="" selected>not used' in html


@pytest.mark.parametrize(
    ("heading", "role"),
    [
        ("step", "step of training"),
        ("turn", "turn of a conversation"),
        ("phase", "part of the data"),
    ],
)
def test_what_tells_rows_apart_has_a_role(
    piece: Callable[..., str], heading: str, role: str
) -> None:
    rows = [
        f"{name},{data},{cell},0.{5 + n}"
        for name in ("knn", "svm")
        for data in ("iris", "wine")
        for n, cell in enumerate(("train", "test") if heading == "phase" else "1234")
    ]
    html = piece("\n".join([f"model,dataset,{heading},accuracy", *rows]))
    assert f'Role of {heading}"><option value="" selected>{role}' in html


def test_names_are_text_and_never_markup(piece: Callable[..., str]) -> None:
    bad = "<img src=x onerror=alert(1)>"
    html = piece(OPEN.replace("zeal", bad).replace("forest", '"<b>"'))
    assert "<img" not in html
    assert "<b>" not in html
    assert "&lt;img src=x" in html


def test_what_is_no_table_has_no_preview(empty: TestClient, put: Callable[..., str]) -> None:
    found = empty.get(f"/api/preview?table={put('nothing')}")
    assert found.status_code == 422
    # What Palio keeps has columns of its own, of which the page offers no preview.
    about = empty.get("/api/table?table=study-ulas2008").json()
    assert about["has_preview"] is False


def test_roles_are_those_of_the_reading_that_is_taken() -> None:
    rows = [("a", "m", 1, 0.5), ("b", "m", 1, 0.6), ("a", "n", 1, 0.7), ("b", "n", 1, 0.8)]
    names = ("task", "model", "seed", "accuracy")
    table = {name: [row[i] for row in rows] for i, name in enumerate(names)}
    seen = preview(table, ReadSpec())
    assert {each.name: each.role for each in seen.columns} == {
        "task": "dataset",
        "model": "algorithm",
        "seed": "seed",
        "accuracy": "result",
    }
    given = preview(table, ReadSpec(fold="seed", dataset="model"))
    assert {each.name: each.role for each in given.columns}["model"] == "dataset"
    assert {each.name: each.role for each in given.columns}["seed"] == "fold"
    # A spec that cannot be met is for reading to refuse; the rows are there all the same.
    assert preview(table, ReadSpec(dataset="nowhere")).n_rows == 4


# --- the page ------------------------------------------------------------------------------------


def role_of(page: Page, column: str) -> Locator:
    return page.get_by_role("combobox", name=f"Role of {column}", exact=True)


def choose(page: Page, column: str, role: str) -> None:
    """Choose a role as a person does, whose keyboard is at the menu."""
    role_of(page, column).focus()
    role_of(page, column).select_option(label=role)


def paste(page: Page, text: str, *, into: str = "document.body") -> None:
    """Let Ctrl-V happen: a script may not fill the clipboard."""
    page.evaluate(
        f"""text => {{
            const data = new DataTransfer();
            data.setData("text/plain", text);
            const event = new ClipboardEvent("paste", {{clipboardData: data, bubbles: true}});
            {into}.dispatchEvent(event);
        }}""",
        text,
    )


def test_a_table_that_is_not_clear_is_shown_and_its_questions_are_choices(open_page: Open) -> None:
    with serving(None) as server:
        page = open_page(put_on(server, OPEN))
        shown = page.get_by_role("region", name="First rows of the table")
        expect(shown).to_be_visible()
        expect(page.get_by_role("alert")).to_contain_text("whether a higher 'zeal' is better")
        expect(role_of(page, "dataset").locator("option:checked")).to_have_text("data set")
        expect_accessible(page)
        # Another measure is another question, about that one.
        choose(page, "vigour", "result")
        expect(page.get_by_role("alert")).to_contain_text("whether a higher 'vigour' is better")
        expect(role_of(page, "zeal").locator("option:checked")).to_have_text("another measure")
        expect(role_of(page, "vigour")).to_be_focused()
        page.get_by_role("combobox", name="Measure").select_option(label="zeal")
        expect(page.get_by_role("alert")).to_contain_text("whether a higher 'zeal' is better")
        page.get_by_role("combobox", name="Direction").select_option(label="higher is better")
        expect(headline(page)).to_contain_text("forest leads 3")
        expect(shown).to_be_hidden()
        expect(page.locator("#answer")).to_be_focused()
        expect(page).to_have_url(re.compile("score=zeal&higher_is_better=true"))
        page.go_back()
        expect(page.get_by_role("alert")).to_contain_text("whether a higher 'zeal' is better")
        expect(shown).to_be_visible()
        page.go_forward()
        expect(headline(page)).to_contain_text("forest leads 3")


def test_how_it_was_read_can_be_seen_and_changed(open_page: Open, tmp_path: Path) -> None:
    path = tmp_path / "results.csv"
    path.write_text(OPEN.replace("zeal", "accuracy"))
    with serving(str(path)) as server:
        page = open_page(f"{server}/?score=accuracy&allow_out_of_range=true")
        expect(headline(page)).to_contain_text("forest leads 3")
        button = page.get_by_role("button", name="How it was read")
        button.press("Enter")
        expect(button).to_have_attribute("aria-expanded", "true")
        # It stays while the table is read again, and so does the keyboard.
        choose(page, "warmth", "cost")
        expect(page).to_have_url(re.compile("costs=warmth"))
        expect(page.get_by_role("checkbox", name="warmth")).to_be_visible()
        expect(role_of(page, "warmth").locator("option:checked")).to_have_text("cost")
        expect(role_of(page, "warmth")).to_be_focused()
        choose(page, "dataset", "algorithm")
        expect(page.locator("#source")).to_contain_text("8 algorithms on 3 data sets")
        expect(role_of(page, "algorithm").locator("option:checked")).to_have_text("data set")
        page.get_by_role("button", name="Forget these choices").click()
        expect(page).not_to_have_url(re.compile("costs="))
        expect(role_of(page, "dataset").locator("option:checked")).to_have_text("data set")
        settle(page)
        expect_accessible(page)
        button.click()
        expect(page.locator("#preview")).to_be_hidden()


def test_what_belongs_together_is_one_button(open_page: Open) -> None:
    with serving(None) as server:
        page = open_page(put_on(server, TWICE))
        choices = page.get_by_role("group", name="What can be chosen").get_by_role("button")
        expect(choices.first).to_be_visible()
        text = choices.first.inner_text()
        assert "name" in text
        assert "column" not in text
        choices.first.click()
        expect(headline(page)).to_be_visible()
        expect(page).to_have_url(re.compile("dataset="))


@pytest.mark.parametrize(
    "text",
    [
        WIDE,
        WIDE.replace("\t", ","),
        re.sub("^(.*)$", r"| \1 |", WIDE.strip().replace("\t", " | "), flags=re.MULTILINE).replace(
            "|\n", "|\n|---|---|---|---|\n", 1
        ),
    ],
    ids=["cells", "csv", "markdown"],
)
def test_a_table_can_be_pasted(open_page: Open, text: str) -> None:
    with serving(None) as server:
        page = open_page(server)
        expect(page.get_by_role("button", name="Choose a file")).to_be_visible()
        paste(page, text)
        expect(page.locator("#source")).to_contain_text("pasted_table — not read")
        page.get_by_role("alert").get_by_role("button", name="higher is better").click()
        expect(headline(page)).to_contain_text("forest leads 3")
        expect(page.locator("#source")).to_contain_text("3 algorithms on 8 data sets")


def test_a_table_can_be_pasted_into_its_field(open_page: Open) -> None:
    with serving(None) as server:
        page = open_page(server)
        page.get_by_text("Paste a table", exact=True).click()
        field = page.get_by_role("textbox", name="Table")
        paste(page, "not, a table", into="document.getElementById('pasted')")  # stays there
        field.fill(WIDE.replace("dataset", "accuracy by dataset"))
        expect_accessible(page)
        page.get_by_role("button", name="Read it").click()
        expect(page.locator("#start")).to_be_hidden()
        expect(page.locator("#source")).to_contain_text("pasted_table")


@pytest.mark.parametrize("width", [375, 1280])
def test_a_wide_table_scrolls_in_its_own_box(open_page: Open, width: int) -> None:
    names = [f"algorithm number {j}" for j in range(80)]
    rows = [",".join([name, *(str(zeal(i, j)) for j in range(80))]) for i, name in enumerate(SETS)]
    with serving(None) as server:
        page = open_page(
            put_on(server, "\n".join([",".join(["dataset", *names]), *rows])), width=width
        )
        shown = page.get_by_role("region", name="First rows of the table")
        expect(shown).to_be_visible()
        expect_no_overflow(page)
        expect(page.locator("#preview")).to_contain_text("So are the first 60 of 81 columns.")
        shown.focus()
        page.keyboard.press("ArrowRight")
        moved = """async frame => {
            const drawn = () => new Promise(requestAnimationFrame);
            for (let i = 0; i < 200 && !frame.scrollLeft; i++) await drawn();
            return frame.scrollLeft;
        }"""
        assert shown.evaluate(moved) > 0
