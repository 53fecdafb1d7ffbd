"""The audit as a piece of the page: which pair a row is about, and what its checks have said."""

import re
from typing import Any
from xml.etree import ElementTree as ET

import numpy as np
import pytest

import palio
from palio.comparison.audit import AUDIT_CHECKS
from palio.report.elements import Html
from palio.report.sections.evidence import MAX_ROWS, audit_html
from palio.scores import ScoreTable

QUICK = [name for name in AUDIT_CHECKS if name != "error-rate"]
TITLES = {check.title: check.name for check in AUDIT_CHECKS.values()}


def table_of(
    k: int, n: int, names: list[str] | None = None, *, missing: float = 0.0, step: float = 0.01
) -> ScoreTable:
    rng = np.random.default_rng(2)
    scores = 0.5 + step * np.arange(k) + 0.05 * rng.standard_normal((n, k))
    scores[rng.random((n, k)) < missing] = np.nan
    return ScoreTable.from_arrays(
        scores,
        datasets=[f"d{i}" for i in range(n)],
        algorithms=names or [f"m{j:02}" for j in range(k)],
        measure="error",
        missing="pairwise" if missing else "error",
    )


def piece(table: ScoreTable, **options: Any) -> tuple[palio.Audit, ET.Element]:
    asked: dict[str, Any] = {"only": ["leave-one-out", "conventions", "in-use"], **options}
    audit = palio.audit(table, **asked)
    made = audit_html(audit, {name: i for i, name in enumerate(table.algorithms)})
    assert isinstance(made, Html)
    # Attributes without a value are all that keeps it from being XML.
    return audit, ET.fromstring(re.sub(r" (open)(?=[ >])", r' \1=""', made))


@pytest.fixture(
    scope="module",
    params=[
        (table_of(16, 16), {}),
        (table_of(7, 14), {"test": "mean-ranks", "correction": "nemenyi", "only": QUICK}),
        (table_of(8, 16, missing=0.1, step=0.02), {"test": "sign", "alpha": 0.1, "only": QUICK}),
    ],
    ids=["wilcoxon", "mean-ranks", "missing"],
)
def made(request: pytest.FixtureRequest) -> tuple[palio.Audit, ET.Element]:
    table, options = request.param
    return piece(table, **options)


def rows_of(root: ET.Element) -> list[ET.Element]:
    return [row for row in root.iter("tr") if "data-a" in row.attrib]


def names_of(audit: palio.Audit, row: ET.Element) -> list[str]:
    return [audit.algorithms[int(row.attrib[key])] for key in ("data-a", "data-b")]


def test_a_row_is_a_pair_in_doubt_the_best_placed_first(
    made: tuple[palio.Audit, ET.Element],
) -> None:
    audit, root = made
    rows, place = rows_of(root), audit.comparison.by_standing.index
    assert {frozenset(names_of(audit, row)) for row in rows} == audit.doubted
    places = [tuple(map(place, names_of(audit, row))) for row in rows]
    assert places == sorted(places)
    assert all(a < b for a, b in places)
    for row in rows:
        names = names_of(audit, row)
        pair = audit.comparison.pair(*names)
        said = "".join((row[0].find(".//summary") or row[0]).itertext())
        if pair.significant:
            (worse,) = {*names} - {pair.better}
            assert said.startswith(f"{pair.better} better than {worse}")
        else:
            assert said.startswith(f"{names[0]} not told from {names[1]}")


def test_a_mark_is_a_shape_and_a_word_and_what_its_check_has_said(
    made: tuple[palio.Audit, ET.Element],
) -> None:
    audit, root = made
    head = root.find(".//thead")
    assert head is not None
    checks = [audit[TITLES["".join(each.itertext())]] for each in list(head.iter("th"))[1:]]
    found = set()
    for row in rows_of(root):
        pair = frozenset(names_of(audit, row))
        for cell, check in zip(row.findall("td"), checks, strict=True):
            shape, word = cell.findall(".//span/span")
            found.add((shape.text, word.text))
            told = any(frozenset(each) == pair for each in check.pairs)
            assert (word.text == "flips") == (pair in check.affected)
            assert (word.text != "same") == told
            assert word.text != "differs" or check.apart or check.name == "symmetry"
        why = [each.text for each in row[0].iter("p")]
        assert why == [
            f"{finding}."
            for check in checks
            for each, finding in zip(check.pairs, check.findings, strict=True)
            if frozenset(each) == pair
        ]
    assert found <= {("✓", "same"), ("◆", "flips"), ("◇", "differs")}
    assert len(found) >= 2
    legend = "".join(root[1].itertext())
    assert all((shape in legend) == any(shape == one for one, _ in found) for shape in "✓◆◇")


def test_every_pair_is_counted_once(made: tuple[palio.Audit, ET.Element]) -> None:
    audit, root = made
    said = "".join(root.itertext())
    level = audit.comparison.n_pairs - len(audit.doubted) - len(audit.sound)
    if audit.sound:
        assert f"✓ the same in every check: {len(audit.sound)} difference" in said
    if level:
        assert f"{level} pairs in which no difference was found." in said


def test_what_was_not_asked_is_no_column() -> None:
    _, root = piece(table_of(5, 12, missing=0.5), only=QUICK)
    head = root.find(".//thead")
    titles = [] if head is None else ["".join(each.itertext()) for each in head.iter("th")]
    # Of three data sets that all have, two checks have too few; others are not about pairs.
    assert not {"other pools", "luck of the first", "fewer splits"} & set(titles)
    assert "pools and variants: it looks at data sets" in "".join(root.itertext())


def test_of_very_many_pairs_the_first_are_there_and_the_rest_counted() -> None:
    audit, root = piece(table_of(60, 16), correction="none", alpha=0.2)
    assert len(audit.doubted) > MAX_ROWS
    assert len(rows_of(root)) == MAX_ROWS
    said = "".join(root[0].itertext())
    assert f"Some check changes the verdict on {len(audit.doubted)} of the 1770 pairs" in said
    assert f"the {MAX_ROWS} of the best placed are listed" in said


def test_of_many_algorithms_one_sentence_is_on_all_pairs() -> None:
    rng = np.random.default_rng(0)
    table = ScoreTable.from_arrays(
        rng.standard_normal((15, 31)) + 40.0 * np.arange(31),
        datasets=[f"d{i}" for i in range(15)],
        algorithms=[f"m{j}" for j in range(31)],
        measure="accuracy",
    )
    audit, root = piece(table, only=["leave-one-out"])
    (said,) = audit["leave-one-out"].findings
    assert "nobody would be beaten" in said
    assert "".join(root.itertext()).count(said) == 1
    assert {"".join(row[1].itertext()) for row in rows_of(root)} == {"◆flips"}


def test_names_are_text() -> None:
    names = [f"<b>{j}&amp;" for j in range(16)]
    audit, root = piece(table_of(16, 16, names))
    text = "".join(root.itertext())
    assert all(name in text for pair in audit.doubted for name in pair)


def test_where_nothing_is_in_doubt_there_is_no_table() -> None:
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
