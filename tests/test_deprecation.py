"""Names on their way out warn whoever uses them, are marked, and go in time."""

from __future__ import annotations

import inspect
import re
import warnings
from pathlib import Path

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB  # type: ignore[import-untyped]
from sklearn.tree import DecisionTreeClassifier  # type: ignore[import-untyped]

import palio
from palio.deprecation import deprecated

ROOT = Path(__file__).resolve().parents[1]


@deprecated(since="0.2.0", gone="0.4.0", instead="palio.order")
def toy(one: int, *, other: int = 1) -> int:
    """Add."""
    return one + other


def test_who_calls_is_told_once_at_their_own_line() -> None:
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("default")
        for _ in range(3):
            assert toy(1, other=2) == 3
            line = inspect.currentframe().f_lineno - 1  # type: ignore[union-attr]
    (warning,) = told
    assert warning.category is FutureWarning  # Python hides a DeprecationWarning of a module
    assert (Path(warning.filename), warning.lineno) == (Path(__file__), line)
    assert str(warning.message) == (
        "palio.toy is deprecated since 0.2.0 and goes with 0.4.0: use palio.order"
    )


def test_a_store_is_read_by_both_names(tmp_path: Path) -> None:
    place = tmp_path / "e.db"
    palio.run(
        ["sklearn:iris"], {"nb": GaussianNB(), "tree": DecisionTreeClassifier()},
        store=place, engine="inline", resampling="3-fold",
    )  # fmt: skip
    now = palio.read_scores(place)
    with pytest.warns(FutureWarning, match=r"use palio\.read_scores") as told:
        before = palio.read_store(place, missing="error")
    assert [Path(each.filename) for each in told] == [Path(__file__)]
    assert np.array_equal(before.means(), now.means())


DEPRECATED = [name for name in palio.__all__ if hasattr(getattr(palio, name), "__deprecated__")]


def test_what_is_deprecated() -> None:
    assert DEPRECATED == ["read_store"]


def version(text: str) -> tuple[int, ...]:
    return tuple(int(number) for number in text.split("."))


@pytest.mark.parametrize("name", DEPRECATED)
def test_the_documentation_marks_it_and_it_goes_in_time(name: str) -> None:
    function = getattr(palio, name)
    said = re.search(r"since (\S+) and goes with (\S+): ", function.__deprecated__)
    assert said is not None
    since, gone = said.groups()
    marked = re.search(
        r"^\.\. deprecated:: (\S+)\n((?: {4}.*\n)+)", inspect.getdoc(function) or "", re.M
    )
    assert marked is not None, f"palio.{name}: its docstring needs '.. deprecated:: {since}'"
    assert marked[1] == since
    assert gone in marked[2]
    assert version(palio.__version__) < version(gone), f"palio.{name} is overdue: take it out"
    assert version(gone) >= (*version(since)[:1], version(since)[1] + 2, 0), "two minor versions"


def test_nothing_of_ours_uses_them() -> None:
    for path in (*ROOT.glob("src/**/*.py"), *ROOT.glob("docs/**/*.md"), ROOT / "README.md"):
        if path.name != "former.py":
            used = re.search(rf"palio\.({'|'.join(DEPRECATED)})\b", path.read_text("utf-8"))
            assert used is None, f"{path.relative_to(ROOT)} uses {used and used[0]}"
