"""The report and the workbench in a real browser: what a person would do, and what they would see.

Every page is watched (`chromium.py`): no error in its console, nothing asked of another host.
"""

import contextlib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, Route, expect

import palio
from palio.app.options import Reading
from palio.claims import Evidence
from tests.app.web.chromium import Open, expect_no_overflow, headline, serving, started

SCRIPT = "<script>window.hacked = 1</script>"
IMAGE = "<img src=x onerror='window.hacked = 2'>"


@pytest.fixture(scope="module")
def server(results: Path) -> Iterator[str]:
    """The workbench as it is started by hand, with its processes."""
    with started(results) as address:
        yield address


def chip(page: Page, name: str) -> Locator:
    return page.locator("#controls").get_by_role("button", name=name, exact=True)


# --- the report ----------------------------------------------------------------------------------


def test_the_report(open_page: Open, tmp_path: Path) -> None:
    table = palio.load_study("ulas2008")
    report = palio.analyse(table, cost="train_time", checks=["leave-one-out"])
    path = tmp_path / "report.html"
    path.write_text(report.to_html(), encoding="utf-8")
    page = open_page(path.as_uri())
    expect(page.locator("h1")).to_have_text(report.claims.headline.removesuffix("."))
    assert page.locator("svg[role=img]").count() >= 4
    # An algorithm's details, by keyboard.
    link = page.locator("#order table a", has_text="svr").first
    link.focus()
    page.keyboard.press("Enter")
    detail = page.locator(".detail:target")
    expect(detail).to_be_visible()
    expect(detail).to_contain_text("svr")
    for width in (1440, 1024, 390):
        page.set_viewport_size({"width": width, "height": 900})
        expect_no_overflow(page)


# --- the workbench -------------------------------------------------------------------------------


def test_the_verdict_and_every_panel(open_page: Open, server: str) -> None:
    page = open_page(f"{server}/?cost=train_time")
    made = palio.analyse(palio.load_study("ulas2008"), cost="train_time")
    report = made.to_dict()
    expect(headline(page)).to_have_text(made.claims.headline.removesuffix("."))
    # The sentences of the verdict are behind the three answers.
    evidence = made.claims.of(Evidence)
    assert evidence is not None
    claims = page.locator("#verdict .claim")
    for i, said in enumerate((made.verdict.best, made.verdict.value, evidence.text)):
        expect(claims.nth(i)).to_have_text(str(said))
    assert made.verdict.sure.endswith(evidence.text)
    sure = page.locator('[data-about="sure"]')
    expect(sure.locator(".answer")).to_have_text(made.sureness.capitalize())
    rows = page.locator("#order tbody tr")
    assert rows.locator("th").all_inner_texts() == [
        row["algorithm"] for row in report["order"]["rows"]
    ]
    panels = page.locator(".panel")
    for i in range(panels.count()):
        panels.nth(i).scroll_into_view_if_needed()
        expect(panels.nth(i)).not_to_have_class(re.compile("stale"))
    figures = page.locator(".panel figure svg")
    assert figures.count() == 7
    for i in range(figures.count()):
        assert figures.nth(i).evaluate("svg => svg.getBoundingClientRect().width") > 100
        assert figures.nth(i).get_attribute("aria-label")
    expect(page.locator("[data-panel=audit]")).to_contain_text("one data set less")
    for width in (1024, 390):
        page.set_viewport_size({"width": width, "height": 900})
        expect_no_overflow(page)


def test_another_level_another_verdict(open_page: Open, server: str) -> None:
    page = open_page(server)
    expect(headline(page)).to_be_visible()
    expect(page.locator("#moved")).to_be_hidden()
    page.get_by_label("Significance level").fill("0.001")
    moved = page.locator("#moved")
    expect(moved).to_contain_text("no longer different")
    assert "alpha=0.001" in page.url
    # The order is at hand for whoever asks why.
    page.locator("#order").get_by_role("button", name="svr", exact=True).click()
    expect(page.locator("#order .detail")).to_contain_text("Significantly better by accuracy")
    # Whoever is looked at stands in the link; anywhere on a row will do.
    assert "focus=svr" in page.url
    c45 = page.locator("#order tbody tr", has=page.get_by_role("button", name="c45", exact=True))
    c45.locator("td").last.click()
    expect(page.locator("#order .looked-at")).to_contain_text("c45 stands at")
    assert "focus=c45" in page.url
    again = open_page(page.url)
    expect(again.locator("#order tr.looked th")).to_have_text("c45")
    expect(again.locator("#order .looked-at")).to_contain_text("To be told from")
    c45.locator("td").last.click()
    expect(page.locator("#order .detail")).to_be_hidden()
    assert "focus" not in page.url
    # A level that is none is said at the field, and the last answer stays.
    page.get_by_label("Significance level").fill("7")
    expect(page.locator("#problem")).to_contain_text("between 0 and 1")
    expect(page.get_by_label("Significance level")).to_have_attribute("aria-invalid", "true")
    expect(headline(page)).to_be_visible()
    page.get_by_label("Significance level").fill("0.05")
    expect(page.locator("#problem")).to_be_hidden()
    expect(moved).to_contain_text("now different")


def test_the_pool_decides(open_page: Open, server: str) -> None:
    page = open_page(f"{server}/?test=mean-ranks&correction=nemenyi")
    expect(page.locator("[data-panel=pools]")).to_contain_text("Without mlp")
    chip(page, "mlp").click()
    moved = page.locator("#moved")
    # By Nemenyi's test lnp and svl differ with mlp in the pool, and not without it.
    expect(moved).to_contain_text("lnp – svl: no longer different")
    expect(moved).to_contain_text("because the pool changed")
    expect(page.locator("#order tbody tr")).to_have_count(7)
    expect(chip(page, "mlp")).to_have_attribute("aria-pressed", "false")
    page.go_back()
    expect(page.locator("#order tbody tr")).to_have_count(8)
    expect(chip(page, "mlp")).to_have_attribute("aria-pressed", "true")


def test_a_link_holds_the_whole_question(open_page: Open, server: str) -> None:
    page = open_page(server)
    expect(headline(page)).to_be_visible()
    chip(page, "5nn").click()
    expect(page.locator("#order tbody tr")).to_have_count(7)
    page.get_by_label("Test", exact=True).select_option("sign")
    page.get_by_label("Correction").select_option("hochberg")
    page.get_by_role("checkbox", name="space").check()
    expect(page.locator("#method")).to_contain_text("How it was found")
    expect(page).to_have_url(re.compile("cost=space"))
    expect(page.locator("#work")).to_have_attribute("aria-busy", "false")
    said = headline(page).inner_text()
    answers = page.locator("#verdict .tile").all_inner_texts()
    assert len(answers) == 3
    other = open_page(page.url, dark=True)
    expect(headline(other)).to_have_text(said)
    assert other.locator("#verdict .tile").all_inner_texts() == answers
    expect(other.get_by_label("Test", exact=True)).to_have_value("sign")
    expect(other.get_by_label("Correction")).to_have_value("hochberg")
    expect(other.get_by_role("checkbox", name="space")).to_be_checked()
    expect(chip(other, "5nn")).to_have_attribute("aria-pressed", "false")


def test_what_the_command_line_chose_stands_in_the_link(
    open_page: Open, server: str, results: Path
) -> None:
    with serving(str(results), Reading(exclude=["5nn"], datasets=["b*"])) as address:
        page = open_page(address)
        expect(headline(page)).to_contain_text("7 algorithms over 3 data sets")
        expect(page).to_have_url(re.compile("algorithms=c45.*datasets=balance"))
        query = urlsplit(page.url).query
    # Another server has the whole table, and the same answer.
    other = open_page(f"{server}/?{query}")
    expect(headline(other)).to_contain_text("7 algorithms over 3 data sets")
    expect(chip(other, "5nn")).to_have_attribute("aria-pressed", "false")


def test_no_cost_until_one_is_named(open_page: Open, server: str) -> None:
    page = open_page(server)
    expect(headline(page)).to_contain_text("svr leads 8 algorithms over 38 data sets; svl may be")
    costs = page.get_by_role("group", name="Costs and weights")
    expect(costs).to_contain_text("None chosen")
    expect(costs.get_by_role("checkbox")).to_have_count(2)
    expect(costs.get_by_role("checkbox", checked=True)).to_have_count(0)
    value = page.locator('[data-about="value"]')
    expect(value).to_contain_text("No cost chosen")
    expect(page.locator("#order thead")).not_to_contain_text("train_time")
    expect(page.locator("#method")).to_contain_text("the table has train_time and space")
    # The tile offers them too.
    value.get_by_role("button", name="train_time").click()
    expect(costs.get_by_role("checkbox", name="train_time")).to_be_checked()
    # Who leads is the same; who is first in the order is not.
    expect(value.locator(".answer")).to_have_text("svl")
    moved = page.locator("#moved")
    expect(moved).to_contain_text("svl is first in the order now; it was svr.")
    expect(moved).not_to_contain_text("leads now")
    expect(page.locator("#order thead")).to_contain_text("train_time")
    expect(page.locator("#order tr.best th")).to_have_text("svr")
    page.locator("#order").get_by_role("button", name="svr", exact=True).click()
    expect(page.locator("#order .detail")).to_contain_text("In the order it overrides the cheaper")
    chip(page, "svr").click()
    expect(moved).to_contain_text("svl leads now; it was svr.")
    costs.get_by_role("checkbox", name="train_time").uncheck()
    expect(page).not_to_have_url(re.compile("cost"))
    expect(value).to_contain_text("No cost chosen")


def test_methods_show_what_they_take(open_page: Open, server: str) -> None:
    page = open_page(f"{server}/?cost=train_time")
    expect(headline(page)).to_be_visible()
    page.locator("summary", has_text="Method of the order").click()
    folds, second = page.get_by_label("Test on folds"), page.get_by_label("Second pass")
    expect(folds).to_have_count(0)
    expect(second).to_have_count(0)
    page.get_by_label("Method", exact=True).select_option(label="Multi²Test, as in the paper")
    expect(page.locator("#order")).to_contain_text("The order is by Multi²Test.")
    expect(page.locator("#order tbody th").first).to_have_text("5nn")
    expect(headline(page)).to_contain_text("svr leads 8 algorithms over 38 data sets; svl may be")
    expect(folds).to_have_value("")
    expect(second).to_have_value("")
    assert "method=multi2test" in page.url
    # On one data set the pairs are those of its folds, whatever the method.
    one = open_page(f"{server}/?datasets=optdigits")
    expect(headline(one)).to_contain_text("sv2 leads 8 algorithms on optdigits; ")
    expect(one.get_by_label("Test on folds")).to_have_count(1)
    expect(one.get_by_label("Test", exact=True)).to_have_count(0)
    expect(one.locator("[data-panel=audit]")).to_have_count(0)
    expect(one.locator("[data-panel=comparison-matrix] svg")).to_be_visible()


def test_a_file_and_a_link_that_waits_for_it(open_page: Open, server: str, tmp_path: Path) -> None:
    path = tmp_path / "mine.csv"
    lines = [
        f'set {s},"{name}",{0.9 - 0.1 * i + 0.001 * s}'
        for s in range(8)
        for i, name in enumerate([SCRIPT, IMAGE, "=1+1", "plain"])
    ]
    path.write_text("dataset,algorithm,accuracy\n" + "\n".join(lines) + "\n")
    page = open_page(server)
    expect(headline(page)).to_be_visible()
    page.locator("#file").set_input_files(path)
    expect(headline(page)).to_contain_text(f"{SCRIPT} leads 4")
    page.locator("#order").get_by_role("button", name=IMAGE, exact=True).click()
    expect(page.locator("#order .detail h3")).to_contain_text("onerror")
    assert page.evaluate("window.hacked") is None
    link = page.url.replace("?", "?alpha=0.06&")
    # Another server has never seen the file: the page says so, and takes it.
    with serving(None) as elsewhere:
        other = open_page(link.replace(server, elsewhere))
        expect(other.locator("#problem")).to_contain_text("open the same file again")
        drop(other, path)
        expect(headline(other)).to_contain_text(f"{SCRIPT} leads 4")
        expect(other.get_by_label("Significance level")).to_have_value("0.06")
        # And a file that is no table is an error, not the end.
        broken = tmp_path / "broken.csv"
        broken.write_text("nothing\n")
        drop(other, broken)
        expect(other.locator("#problem")).to_be_visible()
        drop(other, path)
        expect(headline(other)).to_contain_text("leads 4")


def test_a_file_may_come_before_the_server_has_said_what_it_takes(
    open_page: Open, tmp_path: Path
) -> None:
    path = tmp_path / "wide.csv"
    path.write_text("dataset,knn,svm\n" + "".join(f"d{i},0.9,0.8\n" for i in range(9)))
    with serving(None) as address:
        page = open_page(address)
        held: list[Route] = []
        page.route("**/api/start", lambda route: held.append(route))  # a bound method will not do
        page.reload()
        drop(page, path)
        expect(page.get_by_role("alert")).to_be_hidden()
        held[0].continue_()
        expect(page.get_by_role("alert")).to_contain_text("whether higher is better")


def test_an_error_has_a_button_for_each_choice(open_page: Open, tmp_path: Path) -> None:
    path = tmp_path / "holes.csv"
    rows = [f"set {i},{0.9 + i / 1000},{0.8 - i / 1000},{0.7}" for i in range(8)]
    path.write_text("dataset,knn,svm,tree\n" + "\n".join(rows) + "\nset 8,0.9,0.8,\n")
    with serving(None) as address:
        page = open_page(address)
        problem = page.get_by_role("alert")
        choices = problem.get_by_role("group", name="What can be chosen").get_by_role("button")
        drop(page, path)
        expect(choices).to_have_text(["higher is better", "lower is better"])
        # By keyboard, which is then at the answer: the button has gone with its error.
        problem.get_by_role("button", name="higher is better").press("Enter")
        expect(headline(page)).to_contain_text("knn leads 3")
        expect(problem).to_be_hidden()
        expect(page.get_by_label("Direction", exact=True)).to_have_value("true")
        expect(page.locator("#answer")).to_be_focused()
        expect(page).to_have_url(re.compile("higher_is_better=true"))
        expect(page.locator("#answer")).to_contain_text("1 of 27 scores is missing")
        # A panel that cannot answer says why, and the rest stays.
        page.goto(f"{page.url}&model=correlated-t")
        panel = page.locator("[data-panel=posterior]")
        panel.scroll_into_view_if_needed()
        expect(panel).to_contain_text("'correlated-t' is about one data set, and 9 are chosen")
        page.get_by_text("Missing scores", exact=True).and_(page.locator("summary")).click()
        page.get_by_role("combobox", name="Missing scores").select_option("drop-datasets")
        expect(headline(page)).to_contain_text("over 8 data sets")
        page.go_back()
        expect(headline(page)).to_contain_text("over 9 data sets")
        # Under the errors of another file stands no answer about this one.
        path.write_text(path.read_text() + "set 9,0.9,,0.7\n")
        drop(page, path)
        expect(choices).to_have_count(2)
        expect(headline(page)).to_be_hidden()
        expect(page.get_by_role("link", name="Report")).to_be_hidden()


def drop(page: Page, path: Path) -> None:
    """Drop a file on the page."""
    page.evaluate(
        """([name, text]) => {
            const data = new DataTransfer();
            data.items.add(new File([text], name));
            for (const kind of ["dragover", "drop"])
                window.dispatchEvent(new DragEvent(kind, {dataTransfer: data, cancelable: true}));
        }""",
        [path.name, path.read_text()],
    )


def test_what_can_be_taken_away(open_page: Open, server: str, tmp_path: Path) -> None:
    page = open_page(server)
    panel = page.locator("[data-panel=critical-difference]")

    def taken(link: Locator) -> bytes:
        with page.expect_download() as waiting:
            link.click()
        path = tmp_path / waiting.value.suggested_filename
        waiting.value.save_as(path)
        return path.read_bytes()

    svg = taken(panel.get_by_role("link", name="SVG"))
    assert b"<svg" in svg
    assert (tmp_path / "critical-difference.svg").exists()
    assert taken(page.get_by_role("link", name="order.csv")).startswith(b"place,algorithm")


def test_by_keyboard_alone(open_page: Open, server: str) -> None:
    page = open_page(server)
    expect(headline(page)).to_be_visible()

    def focused() -> Any:
        return page.evaluate(
            """() => {
                const one = document.activeElement;
                const style = getComputedStyle(one);
                return {text: one.textContent.trim(), id: one.id, outline: style.outlineStyle};
            }"""
        )

    def tab_to(text: str, most: int = 60) -> None:
        for _ in range(most):
            page.keyboard.press("Tab")
            if focused()["text"] == text:
                return
        raise AssertionError(f"{text!r} was not reached by Tab")

    page.keyboard.press("Tab")
    assert focused()["text"] == "Skip to the answer"
    page.keyboard.press("Enter")
    assert focused()["id"] == "answer"
    page.evaluate("document.activeElement.blur(); window.scrollTo(0, 0)")
    page.goto(server)
    expect(headline(page)).to_be_visible()
    tab_to("c45")
    assert focused()["outline"] == "solid"
    page.keyboard.press("Space")
    expect(page.locator("#order tbody tr")).to_have_count(7)
    assert focused()["text"] == "c45"  # the chip is a new one, and has the keyboard still
    page.keyboard.press("Enter")
    expect(page.locator("#order tbody tr")).to_have_count(8)
    tab_to("svr", most=120)  # its chip
    tab_to("svr", most=120)  # its row
    page.keyboard.press("Enter")
    expect(page.locator("#order .detail")).to_be_visible()
    assert focused()["text"] == "svr"


def test_the_drawer_of_a_narrow_screen(open_page: Open, server: str) -> None:
    page = open_page(server, width=390)
    expect(headline(page)).to_be_visible()
    expect_no_overflow(page)
    button, drawer = page.locator("#drawer-button"), page.locator("#question")
    expect(drawer).not_to_be_in_viewport()
    button.click()
    expect(drawer).to_be_in_viewport()
    expect(button).to_have_attribute("aria-expanded", "true")
    chip(page, "mdt").click()
    expect(page.locator("#order tbody tr")).to_have_count(7)
    page.keyboard.press("Escape")
    expect(drawer).not_to_be_in_viewport()
    expect(button).to_be_focused()


# --- an experiment -------------------------------------------------------------------------------


def test_a_study_is_a_click_away(open_page: Open) -> None:
    with serving(None) as address:
        page = open_page(address)
        page.get_by_role("link", name="eight learners on 38 data sets").click()
        expect(headline(page)).to_contain_text("svr leads 8 algorithms over 38 data sets")
        page.go_back()
        expect(page.get_by_role("heading", name="Which algorithm is best")).to_be_visible()


def test_an_experiment_is_followed(open_page: Open, tmp_path: Path) -> None:
    from sklearn.dummy import DummyClassifier  # type: ignore[import-untyped]
    from sklearn.tree import DecisionTreeClassifier  # type: ignore[import-untyped]

    def run(stop_at: int) -> None:
        def stop(state: Any) -> None:
            if state.done >= stop_at:
                raise KeyboardInterrupt

        learners = {
            "majority": DummyClassifier(),
            "tree": DecisionTreeClassifier(max_depth=2, random_state=0),
        }
        with contextlib.suppress(KeyboardInterrupt):
            palio.run(
                ["sklearn:iris", "sklearn:wine"],
                learners,
                resampling="5x2",
                store=tmp_path / "experiment.db",
                engine="inline",
                progress=stop,
            )

    run(2)
    with serving(str(tmp_path / "experiment.db")) as address:
        page = open_page(address)
        progress = page.locator("#progress")
        expect(progress).to_contain_text("Experiment stopped")
        expect(progress).to_contain_text("No data set is complete yet")
        run(4 + 8)
        expect(progress).to_contain_text("The order so far, on 1 of 2 data sets")
        # One winner on the screen.
        expect(progress.locator(".run-standing li").first).to_contain_text("tree")
        expect(headline(page)).to_contain_text("tree leads 2")
        expect(progress.get_by_title("1 of 5 done").first).to_be_visible()
        run(1000)
        expect(progress).to_contain_text("Experiment finished")
        expect(progress.locator(".run-order")).to_be_empty()
        expect(headline(page)).to_be_visible()
        # There was nothing to choose from before the first results.
        expect(chip(page, "tree")).to_be_visible()


def test_what_it_generalises_to_is_a_control_where_there_are_items(
    open_page: Open, tmp_path: Path
) -> None:
    rng = np.random.default_rng(0)
    rows = ["task,item,model,accuracy"] + [
        f"t{t},{t}-{i},{name},{int(rng.random() < chance)}"
        for t in range(4)
        for i in range(40)
        for name, chance in (("a", 0.9), ("b", 0.5), ("c", 0.5))
    ]
    (tmp_path / "answers.csv").write_text("\n".join(rows), encoding="utf-8")
    with serving(str(tmp_path / "answers.csv")) as address:
        page = open_page(address)
        over = page.get_by_label("What it generalises to")
        best = page.locator('[data-about="best"]')
        expect(over).to_have_value("items")
        expect(best).to_contain_text("These tasks, other items: a leads")
        expect(page.get_by_label("Test", exact=True)).to_have_value("")
        over.select_option("datasets")
        expect(best).to_contain_text("Other tasks like these")
        expect(page).to_have_url(re.compile("over=datasets"))
        expect(page.get_by_label("Test", exact=True)).to_have_value("wilcoxon")
        link = page.url
        over.select_option("items")
        expect(best).to_contain_text("These tasks, other items")
        expect(page).not_to_have_url(re.compile("over="))
        page.get_by_label("Test", exact=True).select_option("mcnemar")
        expect(page.locator('[data-about="sure"]')).to_contain_text("McNemar")
        for width in (400, 900, 1400):
            page.set_viewport_size({"width": width, "height": 900})
            expect_no_overflow(page)
        page.goto(link)
        expect(best).to_contain_text("Other tasks like these")
        expect(page.get_by_label("What it generalises to")).to_have_value("datasets")


# --- for others -----------------------------------------------------------------------------------


def test_the_address_with_the_token_opens_and_the_bare_one_asks(
    open_page: Open, results: Path
) -> None:
    with started(results, "--host", "0.0.0.0") as address:
        page = open_page(address)
        expect(headline(page)).to_be_visible()
        expect(page.locator("#figures svg").first).to_be_visible()
        assert "token" not in page.url
        token = address.partition("token=")[2]
        other = open_page(address.partition("?")[0])
        other.get_by_label("Token").fill(token)
        other.get_by_role("button", name="Open").click()
        expect(headline(other)).to_be_visible()
        assert token not in other.url
