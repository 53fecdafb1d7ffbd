"""Each state of the page, in a browser: what can be said, and what to do next."""

import contextlib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from playwright.sync_api import Locator, Page, expect

import palio
from palio.app.options import Reading
from palio.errors import MissingCellsError
from tests.app.web.axe import expect_accessible
from tests.app.web.chromium import Open, expect_no_overflow, headline, serving
from tests.experiment.estimators import Raises

GOOD = np.random.default_rng(0).normal(0.8, 0.02, (12, 4)) + [0.1, 0.05, 0.02, 0.0]
NAMES = ("forest", "svm", "tree", "nb")


def csv(scores: Any, names: tuple[str, ...] = NAMES) -> str:
    """Write a wide table; what is not there is left empty."""
    rows = [
        ",".join([f"d{i}", *("" if np.isnan(x) else f"{x:.4f}" for x in row)])
        for i, row in enumerate(np.asarray(scores, dtype=float))
    ]
    return "\n".join([",".join(["dataset", *names]), *rows, ""])


ACCURACY = Reading(score="accuracy")


@contextlib.contextmanager
def served(folder: Path, text: str, reading: Reading = ACCURACY) -> Iterator[str]:
    """Serve a table of accuracies."""
    (folder / "good.csv").write_text(text, encoding="utf-8")
    with serving(str(folder / "good.csv"), reading) as address:
        yield address


def give(page: Page, folder: Path, name: str, text: str) -> None:
    (folder / name).write_text(text, encoding="utf-8")
    page.locator("#file").set_input_files(str(folder / name))


def problem(page: Page) -> Locator:
    return page.locator("#problem")


def gaps(page: Page) -> Locator:
    return page.locator("#gaps")


def press(page: Page, name: str | re.Pattern[str]) -> None:
    page.get_by_role("button", name=name).click()


# --- files ---------------------------------------------------------------------------------------


def test_a_bad_file_after_a_good_one(open_page: Open, tmp_path: Path) -> None:
    with served(tmp_path, csv(GOOD)) as address:
        page = open_page(address)
        expect(headline(page)).to_be_visible()
        link = page.url
        give(page, tmp_path, "bad.csv", "this is,no\ntable of,results\n")
        expect(problem(page)).to_be_visible()
        # Nothing of the old answer is left under the new name.
        expect(page.locator("#work")).to_be_hidden()
        expect(page.locator("#source")).to_contain_text("bad.csv — not read")
        expect(page.locator("#report")).to_be_hidden()
        expect(page.get_by_role("button", name="Open another file")).to_be_visible()
        expect_no_overflow(page)
        expect_accessible(page)
        press(page, "Back to good.csv")
        expect(headline(page)).to_be_visible()
        expect(problem(page)).to_be_hidden()
        expect(page.locator("#source")).to_contain_text("good.csv")
        assert page.url == link
        # One that is not even taken leaves the answer as it is, and says whose it is.
        give(page, tmp_path, "model.pkl", "x")
        expect(problem(page)).to_contain_text("its name must end in")
        expect(problem(page)).to_contain_text(
            "model.pkl was not opened. The answer below is still about good.csv."
        )
        expect(headline(page)).to_be_visible()
        press(page, "Stay with good.csv")
        expect(problem(page)).to_be_hidden()


def test_a_link_to_a_file_that_is_not_here(open_page: Open) -> None:
    with serving(None) as address:
        page = open_page(f"{address}/?table={'0' * 32}&alpha=0.01")
        expect(problem(page)).to_contain_text("does not have the file that the link speaks of")
        expect(page.get_by_role("button", name="Choose a file")).to_be_visible()


# --- what is missing -----------------------------------------------------------------------------


def test_missing_cells_have_buttons_with_their_consequences(
    open_page: Open, tmp_path: Path
) -> None:
    holes = GOOD.copy()
    holes[[0, 1, 2], 3] = np.nan
    holes[[2, 3], 2] = np.nan
    with served(tmp_path, csv(holes)) as address:
        page = open_page(address)
        expect(page.locator("#verdict")).to_contain_text("5 of 48 scores are missing")
        offered = gaps(page).get_by_role("button")
        expect(offered).to_have_text(
            ["Keep 8 of 12 data sets", "Leave out 2 of 4 algorithms (tree and nb)",
             "Count the 5 as worst"]
        )  # fmt: skip
        expect_accessible(page)
        press(page, "Keep 8 of 12 data sets")
        expect(page.locator("#source")).to_contain_text("4 algorithms on 8 data sets")
        expect(page).to_have_url(re.compile("missing=drop-datasets"))
        press(page, "Leave out 2 of 4 algorithms (tree and nb)")
        expect(page.locator("#source")).to_contain_text("2 algorithms on 12 data sets")
        press(page, "Count the 5 as worst")
        expect(page.locator("#source")).to_contain_text("4 algorithms on 12 data sets")
        press(page, "Compare each pair where both have a score, on 12 data sets")
        expect(page).not_to_have_url(re.compile("missing="))
        expect(gaps(page).get_by_role("button")).to_have_count(3)
        page.set_viewport_size({"width": 390, "height": 900})
        expect_no_overflow(page)


def test_a_table_without_gaps_says_nothing_of_them(open_page: Open, tmp_path: Path) -> None:
    with served(tmp_path, csv(GOOD)) as address:
        page = open_page(address)
        expect(headline(page)).to_be_visible()
        expect(gaps(page)).to_be_hidden()


def test_a_failing_learner_is_left_out_and_comes_back(open_page: Open, tmp_path: Path) -> None:
    rows = ["dataset,algorithm,accuracy,status"]
    for i, row in enumerate(GOOD):
        for name, score in zip(NAMES, row, strict=True):
            bad = name == "nb" and i < 10
            rows.append(f"d{i},{name},{'' if bad else score},{'timeout' if bad else 'ok'}")
    with served(tmp_path, "\n".join(rows)) as address:
        page = open_page(address)
        expect(page.locator("#verdict")).to_contain_text(
            "Left out: nb, which failed on 10 of 12 data sets (10 timeout)."
        )
        expect(page.locator("#source")).to_contain_text("3 algorithms on 12 data sets")
        press(page, "Put nb back")
        expect(page).to_have_url(re.compile("keep_failing=true"))
        expect(page.locator("#source")).to_contain_text("4 algorithms on 12 data sets")
        expect(page.locator("#verdict")).not_to_contain_text("Left out")
        link = page.url
        press(page, "Leave nb out")
        expect(page.locator("#source")).to_contain_text("3 algorithms on 12 data sets")
        expect(page).not_to_have_url(re.compile("keep_failing"))
        page.goto(link)
        expect(page.locator("#source")).to_contain_text("4 algorithms on 12 data sets")


# --- what cannot be asked ------------------------------------------------------------------------


def test_a_link_with_a_level_of_seven(open_page: Open, tmp_path: Path) -> None:
    with served(tmp_path, csv(GOOD)) as address:
        page = open_page(address)
        expect(headline(page)).to_be_visible()
        usual = headline(page).inner_text()
        page.goto(f"{page.url}&alpha=7")
        expect(problem(page)).to_contain_text("Alpha")
        expect(problem(page)).to_contain_text("The answer below is without it.")
        expect(headline(page)).to_have_text(usual)
        # What is taken away is the answer that is seen.
        expect(page.locator("#report")).not_to_have_attribute("href", re.compile("alpha"))
        level = page.get_by_label("Significance level α")
        expect(level).to_have_value("7")
        expect(level).to_have_attribute("aria-invalid", "true")
        expect_accessible(page)
        press(page, "Leave this out of the question")
        expect(problem(page)).to_be_hidden()
        expect(level).to_have_value("0.05")
        expect(page).not_to_have_url(re.compile("alpha"))
        # Typed, it leaves the answer as it was.
        level.fill("7")
        expect(problem(page)).to_contain_text("The answer below is")
        expect(headline(page)).to_have_text(usual)
        level.fill("0.01")
        expect(problem(page)).to_be_hidden()


def test_a_correction_that_cannot_be_used(open_page: Open, tmp_path: Path) -> None:
    names = tuple(f"a{i}" for i in range(30))
    scores = np.random.default_rng(1).normal(0.8, 0.05, (10, 30))
    with served(tmp_path, csv(scores, names)) as address:
        page = open_page(address)
        expect(headline(page)).to_be_visible()
        expect(page.locator('option[value="bergmann-hommel"]')).to_be_disabled()
        page.goto(f"{page.url}&correction=bergmann-hommel")
        expect(problem(page)).to_contain_text("16")
        expect(headline(page)).to_be_visible()
        press(page, "Leave this out of the question")
        expect(problem(page)).to_be_hidden()
        expect(page).not_to_have_url(re.compile("correction"))


# --- little to say -------------------------------------------------------------------------------


def test_one_data_set(open_page: Open, tmp_path: Path) -> None:
    with served(tmp_path, csv(GOOD[:1])) as address:
        page = open_page(address)
        expect(headline(page)).to_be_visible()
        expect(page.locator("#source")).to_contain_text("4 algorithms on 1 data set")
        # What would do nothing is not there.
        expect(page.get_by_label("Test", exact=True)).to_have_count(0)
        for control in ("Method", "Correction", "Against a control", "Significance level α"):
            expect(page.get_by_label(control, exact=True)).to_have_count(0)
        expect(problem(page)).to_be_hidden()


def test_nothing_significant(open_page: Open, tmp_path: Path) -> None:
    scores = np.random.default_rng(2).normal(0.8, 0.05, (8, 3))
    with served(tmp_path, csv(scores, ("a", "b", "c"))) as address:
        page = open_page(address)
        expect(headline(page)).to_be_visible()
        ranks = (-scores).argsort(axis=1).argsort(axis=1).mean(axis=0) + 1
        first = "abc"[ranks.argmin()]
        expect(headline(page)).to_contain_text(
            f"{first} has the best mean rank, {ranks.min():.2f}, of 3 algorithms over 8 data sets"
        )
        expect(headline(page)).to_contain_text("no difference was found between any two")
        answers = page.locator("#verdict .tile .answer")
        expect(answers).to_have_text(["No difference found", "No costs given", "Open"])


def test_everything_tied(open_page: Open, tmp_path: Path) -> None:
    with served(tmp_path, csv(np.full((8, 3), 0.5), ("a", "b", "c"))) as address:
        page = open_page(address)
        expect(headline(page)).to_be_visible()
        expect(problem(page)).to_be_hidden()
        expect(page.locator("#verdict")).not_to_contain_text("NaN")


def test_two_algorithms(open_page: Open, tmp_path: Path) -> None:
    with served(tmp_path, csv(GOOD[:, [0, 3]], ("forest", "nb"))) as address:
        page = open_page(address)
        expect(headline(page)).to_contain_text("forest")
        expect(page.locator("#source")).to_contain_text("2 algorithms on 12 data sets")
        expect(problem(page)).to_be_hidden()


# --- experiments ---------------------------------------------------------------------------------


class StopError(Exception):
    pass


def run_some(store: Path, jobs: int, **more: Any) -> None:
    """Begin an experiment of three data sets, and stop it after so many jobs."""
    from sklearn.dummy import DummyClassifier  # type: ignore[import-untyped]
    from sklearn.tree import DecisionTreeClassifier  # type: ignore[import-untyped]

    def stop(state: Any) -> None:
        if state.done >= jobs:
            raise StopError

    tree = DecisionTreeClassifier(max_depth=2, random_state=0)
    with contextlib.suppress(StopError, MissingCellsError):
        palio.run(
            ["sklearn:iris", "sklearn:wine", "sklearn:breast_cancer"],
            {"majority": DummyClassifier(), "tree": tree, **more},
            resampling="5x2",
            store=store,
            engine="inline",
            progress=stop,
        )


def test_a_run_that_has_not_begun_and_one_that_stopped(open_page: Open, tmp_path: Path) -> None:
    store = tmp_path / "experiment.db"
    run_some(store, 0)
    with serving(str(store)) as address:
        page = open_page(address)
        progress = page.locator("#progress")
        expect(progress).to_contain_text("Experiment not begun")
        expect(progress).to_contain_text("0 of 30 jobs have ended")
        expect(progress).to_contain_text("Nobody runs it at the moment: run it.")
        expect(page.locator("#source")).to_contain_text("— no results yet")
        expect(progress).to_contain_text("No data set is complete yet")
        expect(progress.get_by_title("waiting")).to_have_count(6)
        expect(problem(page)).to_be_hidden()
        # A part of it: what is complete counts, unless all is to be taken as it is.
        run_some(store, 9 + 12, broken=Raises())
        expect(progress).to_contain_text("Experiment stopped")
        expect(progress).to_contain_text("7 jobs of broken on iris, wine, breast_cancer: failed:")
        expect(progress).to_contain_text("ValueError: no good")
        expect(progress.get_by_title("5 of 5 failed")).to_have_count(1)
        expect_accessible(page)
        for width in (390, 1024, 1440):
            page.set_viewport_size({"width": width, "height": 900})
            expect_no_overflow(page)


def test_a_partial_run_can_be_taken_as_it_is(open_page: Open, tmp_path: Path) -> None:
    store = tmp_path / "experiment.db"
    run_some(store, 6 + 8)
    with serving(str(store)) as address:
        page = open_page(address)
        expect(page.locator("#progress")).to_contain_text("The order so far, on 1 of 3 data sets")
        expect(page.locator("#source")).to_contain_text("on 1 data set")
        expect(headline(page)).to_contain_text("tree")
        press(page, "Take all 3 data sets as they are")
        expect(page.locator("#source")).to_contain_text("on 3 data sets")
        press(page, "Only the complete ones")
        expect(page.locator("#source")).to_contain_text("on 1 data set")


def test_a_store_without_a_plan(open_page: Open, tmp_path: Path) -> None:
    from palio.experiment.store.store import Store

    with Store(tmp_path / "empty.db"):
        pass
    with serving(str(tmp_path / "empty.db")) as address:
        page = open_page(address)
        expect(page.locator("#progress")).to_contain_text("Experiment not begun")
        expect(page.locator("#progress")).to_contain_text("0 of 0 jobs")


def test_the_server_is_gone_and_comes_back(open_page: Open, tmp_path: Path) -> None:
    with served(tmp_path, csv(GOOD)) as address:
        page = open_page(address)
        expect(headline(page)).to_be_visible()
    page.get_by_label("Significance level α").fill("0.01")
    expect(problem(page)).to_contain_text("The server cannot be reached")
    expect(problem(page)).to_contain_text("The answer below is the last one that the server gave.")
    expect(headline(page)).to_be_visible()
    with serving(str(tmp_path / "good.csv"), ACCURACY, port=int(address.rpartition(":")[2])):
        press(page, "Try again")
        expect(problem(page)).to_be_hidden()
        expect(page.locator("#verdict")).to_be_visible()


# --- links ---------------------------------------------------------------------------------------


def test_a_link_holds_what_the_command_line_said(open_page: Open, tmp_path: Path) -> None:
    text = csv(GOOD)
    with served(tmp_path, text, Reading(score="gain", higher_is_better=True)) as address:
        page = open_page(address)
        expect(headline(page)).to_be_visible()
        expect(page).to_have_url(re.compile("score=gain&higher_is_better=true"))
        link = page.url.partition("?")[2]
        press(page, "Copy link")
        expect(page.locator("#copied")).to_contain_text("it holds the whole question")
    with serving(None) as elsewhere:
        page = open_page(f"{elsewhere}/?{link}")
        give(page, tmp_path, "good.csv", text)
        expect(page.locator("#verdict")).to_contain_text("gain (higher is better)")
    how = Reading(score="accuracy", transpose=False)
    with served(tmp_path, text, how) as address:
        page = open_page(address)
        expect(headline(page)).to_be_visible()
        expect(page).to_have_url(re.compile("score=accuracy&transpose=false"))
        link = page.url.partition("?")[2]
    with serving(None) as elsewhere:
        page = open_page(f"{elsewhere}/?{link}")
        expect(problem(page)).to_contain_text("does not have the file")
        give(page, tmp_path, "good.csv", text)
        expect(headline(page)).to_be_visible()
        assert page.url.partition("?")[2] == link
