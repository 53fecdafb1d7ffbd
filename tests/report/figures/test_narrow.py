"""Figures for a phone and for a panel: no wider than the room, every text there and apart."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from matplotlib.text import Text

import palio
from palio.errors import ParameterError
from palio.report.figures import FIGURES, caption_of, draw
from palio.report.figures.style import drawn_for, fold, is_narrow, page_width, text_extent
from palio.report.sections.pictures import MOST_STEPS
from palio.results import Result
from palio.scores import ScoreTable
from tests.report.figures.summaries import check_texts
from tests.report.figures.test_marks import DRAWN, inline, marked, part

# CSS pixels; a panel of 518 shows a figure at 82 % before it scrolls.
ROOM = {"narrow": 350, "panel": 630}
LONG = "HistGradientBoostingClassifierOfManyTrees-"


@cache
def long_part(name: str, k: int) -> Result:
    """Return what a panel is drawn from, with names of 40 letters and many data sets."""
    rng = np.random.default_rng(k)
    table = ScoreTable.from_arrays(
        rng.uniform(0.5, 0.6, (80, k)) + np.linspace(0, 0.3, k),
        datasets=[f"a_data_set_with_a_name_that_is_rather_{i}" for i in range(80)],
        algorithms=[f"{LONG[: 38 - len(str(i))]}-{i}" for i in range(k)],
        measure="error",
        costs={"train_time": np.exp(3 * rng.normal(size=(80, k)))},
    )
    if "posterior" in name:
        return palio.bayes.anova(table, rope=0.01).answer()
    report = palio.analyse(table, cost="train_time", checks=[])
    if name == "pareto":
        return report
    found = report.ordering if name == "multitest-graph" else report.comparison
    assert found is not None
    return found


@pytest.mark.parametrize("k", [3, 14, pytest.param(60, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", DRAWN)
@pytest.mark.parametrize("medium", ROOM)
def test_a_figure_fits_the_room(medium: str, name: str, k: int) -> None:
    for found in (part(name, min(k, 30)), long_part(name, k)):
        options = {"steps": k <= MOST_STEPS} if name == "multitest-graph" else {}
        drawn = draw(found, name, medium=medium, **options)
        width, _ = drawn.get_size_inches()
        assert width * 96 <= ROOM[medium]
        assert "caption" not in {text.get_gid() for text in drawn.findobj(Text)}
        assert caption_of(drawn)
        check_texts(drawn)


@pytest.mark.parametrize("name", DRAWN)
def test_a_phone_shows_whom_a_page_shows(name: str) -> None:
    wide, narrow = (marked(inline(name, 14, medium=medium)) for medium in ("page", "narrow"))
    # One against three others has room for one of them.
    assert narrow < wide if name == "forest" else narrow == wide


def test_a_medium_ends_with_the_drawing() -> None:
    assert (page_width(), is_narrow()) == (7.0, False)
    with pytest.raises(ParameterError, match="medium: it is file, page, panel or narrow"):
        draw(part("scores-grid", 3), "scores-grid", medium="watch")
    draw(part("scores-grid", 3), "scores-grid", medium="narrow")
    with drawn_for("narrow"):
        assert is_narrow()
        assert page_width() * 96 <= ROOM["narrow"]
    assert not is_narrow()


def test_a_word_that_is_too_long_goes_on_in_the_next_line() -> None:
    pieces = fold(LONG, 0.8, size=7.0, anywhere=True)
    assert "".join(pieces) == LONG
    assert max(text_extent(piece, size=7.0).width for piece in pieces) <= 0.8
    assert fold(LONG, 0.8, size=7.0) == [LONG]


def test_files_are_as_wide_as_ever() -> None:
    assert set(DRAWN) <= set(FIGURES)
    figure = draw(part("pareto", 14), "pareto")
    assert figure.get_size_inches()[0] > 6
