"""Fonts of figures: texts stay texts in every file, and letters of other scripts are drawn."""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl
import pytest
from matplotlib import font_manager
from matplotlib.text import Text

from palio.report.figures import fonts, save
from tests.report.figures.comparisons import whole_comparison
from tests.report.made import draw

NAMES = ["Ulaş", "forêt", "α-β"]
OTHERS = ["随机森林", "b", "c"]


@pytest.fixture
def serif(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a font that is everywhere stand in for one of other scripts."""
    monkeypatch.setattr(fonts, "_others", lambda: ("DejaVu Serif",))


@pytest.mark.usefixtures("serif")
def test_another_font_only_where_letters_are_lacking() -> None:
    assert all(fonts.families(name) == ["DejaVu Sans"] for name in NAMES)
    assert fonts.families("k近邻") == ["DejaVu Sans", "DejaVu Serif"]


def test_a_font_that_was_installed_later_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    listed = iter([(), ("Noto Sans CJK SC",)])
    added: list[str] = []
    monkeypatch.setattr(fonts, "_listed", lambda: next(listed))
    paths = ["/fonts/NotoSansCJK-Regular.ttc", "/fonts/Other.ttf"]
    monkeypatch.setattr(font_manager, "findSystemFonts", lambda: paths)
    monkeypatch.setattr(font_manager.fontManager, "addfont", added.append)
    assert fonts._others.__wrapped__() == ("Noto Sans CJK SC",)
    assert added == paths[:1]


def saved(names: list[str], suffix: str, folder: Path) -> bytes:
    figure = draw(whole_comparison(names), "critical-difference")
    return save(figure, folder / f"figure{suffix}").read_bytes()


def test_texts_are_texts_in_svg(tmp_path: Path) -> None:
    svg = saved(NAMES, ".svg", tmp_path).decode()
    for name in NAMES:
        assert f">{name}</text>" in svg
    assert "'DejaVu Sans', Verdana, 'Segoe UI', sans-serif" in svg


@pytest.mark.usefixtures("serif")
@pytest.mark.filterwarnings("ignore:Glyph")
def test_the_other_font_is_named_in_svg(tmp_path: Path) -> None:
    svg = saved(OTHERS, ".svg", tmp_path).decode()
    assert ">随机森林</text>" in svg
    assert "'DejaVu Sans', 'DejaVu Serif', Verdana, 'Segoe UI', sans-serif" in svg


def test_texts_are_true_type_in_pdf(tmp_path: Path) -> None:
    pdf = saved(NAMES, ".pdf", tmp_path)
    assert b"/Subtype /CIDFontType2" in pdf
    assert b"/FontFile2" in pdf
    assert b"/Type3" not in pdf


@pytest.mark.usefixtures("serif")
@pytest.mark.filterwarnings("ignore:Glyph")
def test_other_scripts_are_drawn_in_pdf(tmp_path: Path) -> None:
    # Such fonts are seldom TrueType: their letters are kept as drawings with a meaning.
    pdf = saved(OTHERS, ".pdf", tmp_path)
    assert b"/Subtype /Type3" in pdf
    if mpl.__version_info__ >= (3, 11):
        assert b"/ToUnicode" in pdf


def test_figures_take_the_fonts_of_their_texts() -> None:
    figure = draw(whole_comparison(NAMES), "critical-difference")
    texts = [each for each in figure.findobj(Text) if isinstance(each, Text) and each.get_text()]
    assert {tuple(each.get_fontfamily()) for each in texts} == {("DejaVu Sans",)}
