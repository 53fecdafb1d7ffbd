"""What cannot be drawn, and how figures become files."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from matplotlib.figure import Figure
from matplotlib.text import Text

import palio
from palio.errors import PalioError, ParameterError, UnknownNameError
from palio.report.figures import FIGURES, check_path, save
from tests.report.figures.summaries import (
    comparison,
    one_line,
    optdigits,
)
from tests.report.made import available, draw


def test_ordering_without_a_comparison_has_no_line() -> None:
    with pytest.raises(ParameterError, match="mean ranks over several data sets") as caught:
        draw(optdigits(), "critical-difference")
    one_line(caught.value)
    assert available(optdigits()) == ["multitest-graph"]


def test_comparison_has_no_graph() -> None:
    summary = comparison({"a": 1.0, "b": 2.0}, [])
    with pytest.raises(ParameterError, match="drawn from an ordering") as caught:
        draw(summary)
    one_line(caught.value)
    assert available(summary) == ["critical-difference"]


def test_ordering_without_a_prior_has_no_graph() -> None:
    with pytest.raises(ParameterError, match="needs a prior order"):
        draw({"kind": "ordering", "method": "average-ranks", "order": ["a"]})


def test_unknown_figure_lists_the_near_ones() -> None:
    with pytest.raises(UnknownNameError, match="Did you mean 'multitest-graph'"):
        draw(optdigits(), "multitest-grpah")


def test_unknown_option() -> None:
    with pytest.raises(ParameterError, match="'multitest-graph', whose options are: steps, focus"):
        draw(optdigits(), step=False)


def test_every_entry_goes_by_its_name() -> None:
    assert all(name == entry.name and entry.title for name, entry in FIGURES.items())


MAGIC = {".png": b"\x89PNG\r\n\x1a\n", ".pdf": b"%PDF-", ".svg": b"<?xml"}


@pytest.fixture(scope="module")
def figure() -> Figure:
    return draw(optdigits())


@pytest.mark.parametrize("suffix", [".png", ".pdf", ".svg", ".SVG"])
def test_saved_in_the_format_of_the_suffix(figure: Figure, suffix: str, tmp_path: Path) -> None:
    path = save(figure, tmp_path / f"graph{suffix}")
    content = path.read_bytes()
    assert content.startswith(MAGIC[suffix.lower()])
    assert len(content) > 5000
    assert [each.name for each in tmp_path.iterdir()] == [f"graph{suffix}"]


def test_bitmap_has_200_dots_per_inch(figure: Figure, tmp_path: Path) -> None:
    header = save(figure, tmp_path / "graph.png").read_bytes()[16:24]
    size = int.from_bytes(header[:4], "big"), int.from_bytes(header[4:], "big")
    assert size == pytest.approx(tuple(200 * figure.get_size_inches()), abs=1)


@pytest.mark.parametrize("suffix", [".svg", ".pdf", ".png"])
def test_the_same_figure_is_the_same_file(suffix: str, tmp_path: Path) -> None:
    one = save(draw(optdigits()), tmp_path / f"one{suffix}")
    two = save(draw(optdigits()), str(tmp_path / f"two{suffix}"))
    assert one.read_bytes() == two.read_bytes()
    assert b"<dc:date>" not in one.read_bytes()
    assert b"CreationDate" not in one.read_bytes()


def test_ids_are_in_the_svg(figure: Figure, tmp_path: Path) -> None:
    text = save(figure, tmp_path / "graph.svg").read_text(encoding="utf-8")
    assert 'id="node:svr:step1"' in text
    assert 'id="arc:c45-&gt;svr"' in text


@pytest.mark.parametrize("name", ["graph.jpg", "graph", ".svg"])
def test_other_suffixes(figure: Figure, name: str, tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match=r"must end in \.svg, \.png or \.pdf") as caught:
        save(figure, tmp_path / name)
    one_line(caught.value)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["missing/graph.svg", "folder.svg", "file/graph.svg"])
def test_path_that_cannot_be_written(figure: Figure, name: str, tmp_path: Path) -> None:
    (tmp_path / "folder.svg").mkdir()
    (tmp_path / "file").write_text("here")
    for attempt in (lambda path: save(figure, path), check_path):
        with pytest.raises(PalioError, match=r"cannot be written: .* a folder") as caught:
            attempt(tmp_path / name)
        one_line(caught.value)
    assert sorted(each.name for each in tmp_path.rglob("*")) == ["file", "folder.svg"]


def test_an_interrupted_write_leaves_the_old_file(
    figure: Figure, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "graph.svg"
    path.write_text("old")

    def full(self: Path, data: bytes) -> int:
        with self.open("wb") as file:
            file.write(data[:10])
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(PalioError, match="No space left on device"):
        save(figure, path)
    assert path.read_text() == "old"
    assert [each.name for each in tmp_path.iterdir()] == ["graph.svg"]


def test_matplotlib_is_loaded_late_and_pyplot_never() -> None:
    script = (
        "import sys; import palio.report.figures as f; assert 'matplotlib' not in sys.modules\n"
        "import palio; found = palio.compare(palio.load_study('ulas2008'))\n"
        "assert 'matplotlib' not in sys.modules\n"
        "f.draw(found, 'critical-difference')\n"
        "assert 'matplotlib.pyplot' not in sys.modules"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()


def test_on_one_data_set_the_pairs_are_drawn_and_speak_of_folds() -> None:
    found = palio.compare(palio.load_study("ulas2008"), dataset="optdigits")
    assert available(found) == ["comparison-matrix", "p-values"]
    said = " ".join(text.get_text() for text in draw(found, "comparison-matrix").findobj(Text))
    assert "10 folds of optdigits" in " ".join(said.split())
    assert "data set" not in said


def test_texts_in_a_saved_svg_are_texts(figure: Figure, tmp_path: Path) -> None:
    content = save(figure, tmp_path / "graph.svg").read_text(encoding="utf-8")
    written = [text.get_text() for text in figure.findobj(Text) if text.get_text()]
    for line in {line for text in written for line in text.splitlines()}:
        assert f">{line}</text>" in content.replace("&gt;", ">").replace("&lt;", "<")
    # Where DejaVu Sans is not at hand another stands in, and the paper is white.
    assert content.count("<text ") == content.count(
        "'DejaVu Sans', Verdana, 'Segoe UI', sans-serif"
    )
    assert "#ffffff" in content
