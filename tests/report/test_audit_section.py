"""The audit as a piece of the page: which pair a row is about, and what a cell opens."""

import re
from typing import Any
from xml.etree import ElementTree as ET

import numpy as np
import pytest

import palio
from palio.report.elements import Html
from palio.report.sections.audit_grid import MOST_ROWS, ROWS_IN_VIEW, audit_html
from palio.scores import ScoreTable


def table_of(k: int, n: int, names: list[str] | None = None) -> ScoreTable:
    rng = np.random.default_rng(2)
    return ScoreTable.from_arrays(
        0.5 + 0.01 * np.arange(k) + 0.05 * rng.standard_normal((n, k)),
        datasets=[f"d{i}" for i in range(n)],
        algorithms=names or [f"m{j:02}" for j in range(k)],
        measure="error",
    )


def piece(table: ScoreTable, **options: Any) -> tuple[palio.Audit, ET.Element]:
    audit = palio.audit(table, only=["leave-one-out", "conventions", "in-use"], **options)
    made = audit_html(audit, {name: i for i, name in enumerate(table.algorithms)})
    assert isinstance(made, Html)
    # Attributes without a value and void elements are all that keeps it from being XML.
    return audit, ET.fromstring(re.sub(r" (hidden)(?=[ >])", r' \1=""', made))


@pytest.fixture(scope="module")
def made() -> tuple[palio.Audit, ET.Element]:
    return piece(table_of(16, 16))


def rows_of(root: ET.Element) -> list[ET.Element]:
    return [row for row in root.iter("tr") if "data-a" in row.attrib]


def test_a_row_is_marked_by_the_numbers_of_its_pair(made: tuple[palio.Audit, ET.Element]) -> None:
    audit, root = made
    rows = rows_of(root)
    pairs = {frozenset((row.attrib["data-a"], row.attrib["data-b"])) for row in rows}
    places = {name: str(i) for i, name in enumerate(audit.algorithms)}
    assert pairs == {frozenset(places[name] for name in pair) for pair in audit.doubted}
    for row in rows:
        said = "".join(row[0].itertext())
        names = [audit.algorithms[int(row.attrib[key])] for key in ("data-a", "data-b")]
        pair = audit.comparison.pair(*names)
        if pair.significant:
            (worse,) = {*names} - {pair.better}
            assert said == f"{pair.better} better than {worse}"
        else:
            assert said == f"{names[0]} not told from {names[1]}"


def test_a_cell_is_a_shape_and_a_word_and_opens_what_it_hangs_on(
    made: tuple[palio.Audit, ET.Element],
) -> None:
    _, root = made
    opened = {row.attrib["id"]: row for row in root.iter("tr") if "id" in row.attrib}
    found = set()
    for row in rows_of(root):
        for cell in row.findall("td"):
            mark = next(each for each in cell.iter("span") if "mark" in each.get("class", ""))
            shape, word = mark.findall("span")
            found.add((mark.attrib["class"], shape.text, word.text))
            button = cell.find("button")
            assert (button is None) == (word.text == "firm")
            if button is not None:
                below = opened[button.attrib["aria-controls"]]
                (why,) = [
                    each
                    for each in below.iter("div")
                    if each.get("data-check") == button.attrib["data-check"]
                ]
                assert len("".join(why.itertext())) > 30
                assert "hidden" in why.attrib
                assert "hidden" in below.attrib
    assert found == {
        ("mark firm", "✓", "firm"),
        ("mark flips", "◆", "flips"),
        ("mark differs", "◇", "differs"),
    }


def test_only_some_rows_are_in_view_and_tab_reaches_one_cell(
    made: tuple[palio.Audit, ET.Element],
) -> None:
    _, root = made
    rows = rows_of(root)
    assert len(rows) > ROWS_IN_VIEW
    assert ["hidden" in row.attrib for row in rows] == [i >= ROWS_IN_VIEW for i in range(len(rows))]
    buttons = [each for each in root.iter("button") if each.get("class") == "audit-cell"]
    assert [each.get("tabindex") for each in buttons].count(None) == 1
    every = next(each for each in root.iter("button") if each.get("class") == "audit-all")
    assert every.text == f"Show all {len(rows)} pairs"


def test_of_very_many_pairs_the_first_are_there_and_the_rest_counted() -> None:
    audit, root = piece(table_of(60, 16), correction="none", alpha=0.2)
    assert len(audit.doubted) > MOST_ROWS
    assert len(rows_of(root)) == MOST_ROWS
    said = "".join(root[0].itertext())
    assert f"Some check changes the verdict on {len(audit.doubted)} of the 1770 pairs" in said
    assert f"the {MOST_ROWS} of the best placed are listed" in said


def test_names_are_text() -> None:
    names = [f"<b>{j}&amp;" for j in range(16)]
    audit, root = piece(table_of(16, 16, names))
    text = "".join(root.itertext())
    assert all(name in text for pair in audit.doubted for name in pair)


def test_where_nothing_is_in_doubt_there_is_no_grid() -> None:
    rng = np.random.default_rng(0)
    table = ScoreTable.from_arrays(
        rng.normal(size=(20, 2)) + [10, 0],
        datasets=[f"d{i}" for i in range(20)],
        algorithms=["a", "b"],
        measure="accuracy",
    )
    audit, root = piece(table)
    assert not audit.doubted
    assert root.find(".//table") is None
    assert "No check changes the verdict on the one pair." in "".join(root.itertext())
    assert "1 difference" in "".join(root.itertext())
