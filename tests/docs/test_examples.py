"""Every code block of the README and of the documentation runs, and prints what is shown."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

import palio
from palio.app.cli import main
from palio.experiment.engines import ENGINES, InlineEngine
from tests.docs.blocks import FILES, SHELL, Block, Page, matches, parse
from tests.docs.written import PAGES, ROOT

NOT_RUN = 12
"""So many blocks may be marked as not run, in all pages together."""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with what a reader would have: results, predictions, and data of one's own."""
    names = {"c45": "tree", "5nn": "knn", "svr": "svm"}
    table = palio.load_study("ulas2008").select(algorithms=list(names)).to_frame()
    table["algorithm"] = table["algorithm"].replace(names)
    table["accuracy"] /= 100
    table.to_csv(tmp_path / "results.csv", index=False)
    rows = "".join(f"{i % 7},{i % 5},{'yes' if i % 7 > i % 5 else 'no'}\n" for i in range(60))
    (tmp_path / "data").mkdir()
    for path in ("mine.csv", "new.csv", "data/other.csv"):
        (tmp_path / path).write_text(f"width,height,class\n{rows}", encoding="utf-8")
    said = "".join(f"{'yes' if i % 3 else 'no'},{'no' if i % 4 else 'yes'},no\n" for i in range(40))
    (tmp_path / "predictions.csv").write_text(f"truth,tree,knn\n{said}", encoding="utf-8")
    asked = "".join(
        f"sums,{i},large,{i % 3 > 0:d}\nsums,{i},small,{i % 4 == 0:d}\n" for i in range(40)
    )
    (tmp_path / "questions.csv").write_text(
        f"task,question,model,correct\n{asked}", encoding="utf-8"
    )
    # Workers of their own cost seconds to start, and do the same.
    local = replace(ENGINES["local"], make=lambda **_: InlineEngine())
    monkeypatch.setitem(ENGINES._entries, "local", local)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def _command(capsys: pytest.CaptureFixture[str]) -> Callable[[list[str]], int]:
    def command(arguments: list[str]) -> int:
        if arguments[0] == "serve" or "--watch" in arguments:
            pytest.fail(f"palio {' '.join(arguments)} does not end: mark its block as not run")
        status = main(arguments)
        if status != 0:
            pytest.fail(f"palio {' '.join(arguments)}: {capsys.readouterr().err}")
        return status

    return command


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_blocks_run(path: Path, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = Page(folder, _command(capsys))
    for block in parse(path.read_text(encoding="utf-8")):
        if block.not_run is None:
            page.run(block)


def test_every_language_is_known() -> None:
    """A block in a language that nobody runs would never be checked."""
    known = SHELL | FILES | {"python", "toml", "r"}
    unknown = {
        f"{path.name}:{block.line} {block.language}"
        for path in PAGES
        for block in parse(path.read_text(encoding="utf-8"))
        if block.language not in known
    }
    assert not unknown


def test_blocks_that_do_not_run_are_few_and_say_why() -> None:
    marked = {
        f"{path.relative_to(ROOT)}:{block.line}": block.not_run
        for path in PAGES
        for block in parse(path.read_text(encoding="utf-8"))
        if block.not_run is not None
    }
    assert len(marked) <= NOT_RUN, marked
    assert all(len(reason or "") > 10 for reason in marked.values()), marked


def test_a_wrong_answer_is_noticed(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = Page(folder, _command(capsys))
    page.run(Block("python", "x = 2\nx + 1  # -> 3\nprint(x)\n", 1, output="2\n"))
    with pytest.raises(AssertionError, match="x: 2"):
        page.run(Block("python", "x  # -> 3\n", 1))
    with pytest.raises(AssertionError, match="prints"):
        page.run(Block("python", "x + 1\n", 1, output="2\n"))
    with pytest.raises(pytest.fail.Exception, match="nosuch"):
        page.run(Block("sh", "palio order nosuch.csv\n", 1))
    with pytest.raises(pytest.fail.Exception, match="does not end"):
        page.run(Block("sh", "palio serve results.csv\n", 1))


def test_outputs_may_leave_out() -> None:
    assert matches("a\n…\nd", "a\nb\nc\nd\n")
    assert matches("p = …\n", "p = 0.05\n")
    assert not matches("a\nd", "a\nb\nd")


def test_blocks_are_found_with_their_marks() -> None:
    page = (
        "<!-- not run: it needs a cluster -->\n```sh\npalio run a.toml\n```\n\n"
        '```toml title="a.toml"\nx = 1\n```\n\n```python\n1\n```\n\n```text\n1\n```\n'
    )
    shell, toml, python = parse(page)
    assert (shell.not_run, shell.commands) == ("it needs a cluster", ["palio run a.toml"])
    assert (toml.title, toml.not_run) == ("a.toml", None)
    assert python.output == "1\n"
