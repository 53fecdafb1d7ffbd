"""The question's controls: titles, what cannot be used and why, and nothing that does nothing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Page, expect
from starlette.testclient import TestClient

import palio
from palio.comparison.corrections import CORRECTIONS, Family
from palio.comparison.pair_tests import PAIR_TESTS
from palio.errors import ParameterError
from tests.app.web.chromium import Open, headline, serving


def written(size: int, path: Path, *, sets: int = 9, folds: bool = False) -> Path:
    rng = np.random.default_rng(size)
    shape = (sets, size, 1, 5) if folds else (sets, size)
    palio.ScoreTable.from_arrays(
        0.5 + 0.2 * rng.random(shape),
        datasets=[f"d{i}" for i in range(sets)],
        algorithms=[f"learner-{j}" for j in range(size)],
        measure="accuracy",
    ).to_frame().to_csv(path, index=False)
    return path


# --- what a correction can be worked out for ------------------------------------------------------


def test_a_limit_is_the_entrys_and_a_sentence() -> None:
    entry = CORRECTIONS["bergmann-hommel"]
    assert entry.most_algorithms is not None
    k = entry.most_algorithms + 1
    with pytest.raises(ParameterError, match=f"at most {k - 1} algorithms, and there are {k}"):
        entry.adjusted(Family(np.full(k * (k - 1) // 2, 0.01), k))
    rom = CORRECTIONS["rom"]
    assert rom.most_tests is not None
    with pytest.raises(ParameterError, match=f"at most {rom.most_tests} pairs"):
        rom.adjusted(Family(np.full(rom.most_tests + 1, 0.01), 101))


def test_a_link_that_asks_for_it_gets_a_sentence(empty: TestClient, tmp_path: Path) -> None:
    content = written(17, tmp_path / "many.csv").read_bytes()
    table = empty.post("/api/tables?name=many.csv", content=content).json()["id"]
    for path in ("answer", "audit"):
        found = empty.get(f"/api/{path}?table={table}&correction=bergmann-hommel")
        assert found.status_code == 422
        assert found.json()["parameter"] == "correction"
        assert "at most 16 algorithms, and there are 17" in found.json()["message"]
    names = "&".join(f"algorithms=learner-{j}" for j in range(5))
    some = empty.get(f"/api/answer?table={table}&correction=bergmann-hommel&{names}")
    assert some.status_code == 200


def test_every_method_has_a_title(client: TestClient) -> None:
    methods = client.get("/api/start").json()["methods"]
    titles = {each["name"]: each["title"] for each in methods["tests"]}
    assert {*titles} == {*PAIR_TESTS}
    assert titles["wilcoxon"] == "Wilcoxon signed-rank test"
    for kind in ("tests", "known_corrections", "fold_tests", "item_tests", "posthocs", "models"):
        for each in methods[kind]:
            assert each["title"][0] == each["title"][0].upper()
            assert each["title"] != each["name"]


# --- in a browser ---------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    path = written(20, tmp_path_factory.mktemp("many") / "many.csv")
    with serving(str(path)) as url:
        yield url


def test_what_cannot_be_used_is_disabled_with_its_reason(open_page: Open, many: str) -> None:
    page = open_page(many)
    expect(headline(page)).to_be_visible()
    option = page.get_by_label("Correction").locator("option[value=bergmann-hommel]")
    expect(option).to_be_disabled()
    expect(option).to_have_text("Bergmann–Hommel (at most 16 algorithms)")
    usual = page.get_by_label("Correction").locator("option[value=holm]")
    expect(usual).to_be_enabled()
    expect(usual).to_have_text("Holm")
    groups = page.get_by_label("Correction").locator("optgroup")
    assert groups.first.get_attribute("label") == "Hold neither where some differ"
    # With fewer algorithms it can be used; asked for by a link with more, the field says why not.
    names = "&".join(f"algorithms=learner-{j}" for j in range(5))
    page.goto(f"{many}/?{names}")
    expect(option).to_be_enabled()
    expect(option).to_have_text("Bergmann–Hommel")
    page.goto(f"{many}/?correction=bergmann-hommel")
    expect(page.get_by_label("Correction")).to_have_attribute("aria-invalid", "true")
    expect(page.locator(".complaint:visible")).to_contain_text("at most 16 algorithms")


def test_chips_are_one_stop_and_the_arrows_go_on(open_page: Open, many: str) -> None:
    page = open_page(many)
    expect(headline(page)).to_be_visible()
    chips = page.locator(".chips-field").first
    expect(chips.locator(".chip").first).to_be_hidden()  # of many, the rest would be out of sight
    chips.locator("summary").click()
    chips.get_by_role("button", name="None").focus()
    page.keyboard.press("Tab")
    expect(chips.locator(".chip").first).to_be_focused()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")
    third = chips.locator(".chip").nth(2)
    expect(third).to_be_focused()
    page.keyboard.press("Space")
    expect(third).to_have_attribute("aria-pressed", "false")
    expect(third).to_be_focused()
    page.keyboard.press("End")
    expect(chips.locator(".chip").last).to_be_focused()
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.matches('.chip')") is False
    page.keyboard.press("Shift+Tab")
    expect(chips.locator(".chip").last).to_be_focused()


def test_the_order_is_reached_in_ten_stops(open_page: Open, many: str) -> None:
    page = open_page(many)
    expect(headline(page)).to_be_visible()
    expect(page.locator("#order table")).to_be_visible()

    def stops(*keys: str) -> int:
        page.evaluate("document.activeElement.blur(); window.scrollTo(0, 0)")
        for key in keys:
            page.keyboard.press(key)
        for number in range(1, 60):
            page.keyboard.press("Tab")
            if page.evaluate("document.activeElement.closest('#order') !== null"):
                return number + keys.count("Tab")
        return 60

    assert stops("Tab", "Enter") <= 10  # by the first link
    assert stops("Tab", "Tab", "Enter") <= 4


def test_one_data_set_without_folds_has_no_tests(open_page: Open, tmp_path: Path) -> None:
    with serving(str(written(4, tmp_path / "one.csv", sets=1))) as url:
        page = open_page(url)
        expect(headline(page)).to_be_visible()
        for label in ("Correction", "Significance level", "Against a control", "Bayesian model"):
            expect(page.get_by_label(label)).to_have_count(0)
        expect(page.locator("#controls")).to_contain_text("no test is possible")
        assert groups(page) == ["Algorithms", "Score and cost", "Who differs"]


def test_what_a_table_does_not_have_is_not_asked(
    open_page: Open, many: str, tmp_path: Path
) -> None:
    page = open_page(many)
    expect(headline(page)).to_be_visible()
    expect(page.get_by_label("What it generalises to")).to_have_count(0)
    expect(page.locator("fieldset.costs")).to_have_count(0)
    assert "Missing scores" not in groups(page)
    holes = written(5, tmp_path / "holes.csv", folds=True)
    lines = holes.read_text().splitlines()
    holes.write_text("\n".join(lines[:1] + lines[6:]))
    with serving(str(holes)) as url:
        other = open_page(url)
        expect(headline(other)).to_be_visible()
        assert "Missing scores" in groups(other)


def groups(page: Page) -> list[str]:
    """Return the headings of the question's parts, without their counts."""
    said = page.locator("#controls summary").all_inner_texts()
    return [each.strip().split("  ")[0].rstrip("0123456789 of").strip() for each in said]
