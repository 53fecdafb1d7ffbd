"""Spoiled files and experiments by the thousand, from a fixed seed.

Each is a result or one clear error of Palio's, within seconds; nothing else may come out.
"""

from __future__ import annotations

import random
import re
import signal
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

import palio
from palio.app.cli import main
from palio.errors import PalioError
from palio.experiment.config import load_experiment
from palio.predictions import read_predictions
from palio.results import to_json
from palio.scores import read_scores
from palio.words import LONGEST
from tests.fuzz.corpus import EXPERIMENTS, corpus
from tests.fuzz.mutations import BYTES, TEXT, spoiled

pytestmark = pytest.mark.posix("ends what hangs by an alarm")

SEED = 19
SECONDS = 20  # that one file may take, on a machine with other things to do
COMPARED = 5  # of so many tables one is compared, too


@contextmanager
def no_longer_than(seconds: int) -> Iterator[None]:
    def stop(_number: int, _frame: FrameType | None) -> None:
        raise TimeoutError(f"not done within {seconds} seconds")

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


class Tally:
    """What came out, by the ending of the file."""

    def __init__(self) -> None:
        self.counts: dict[str, Counter[str]] = defaultdict(Counter)
        self.slowest: dict[str, float] = defaultdict(float)
        self.bad: list[str] = []

    def run(self, kind: str, told: str, work: Callable[[], object]) -> None:
        begun = time.perf_counter()
        try:
            with no_longer_than(SECONDS):
                work()
            end = "answers"
        except PalioError as error:
            end = "one line"
            fault = _faulty(str(error))
            if fault:
                self.bad.append(f"{told}: {fault}: {str(error)[:200]!r}")
        except Exception as error:
            end = "anything else"
            self.bad.append(f"{told}: {type(error).__name__}: {str(error)[:200]}")
        self.counts[kind][end] += 1
        self.slowest[kind] = max(self.slowest[kind], time.perf_counter() - begun)

    def table(self) -> str:
        ends = ("answers", "one line", "anything else")
        lines = [f"{'':12}{'files':>8}{'answers':>9}{'one line':>10}{'else':>6}{'slowest':>10}"]
        for kind, counts in sorted(self.counts.items()):
            lines.append(_line(kind, [counts[end] for end in ends], self.slowest[kind]))
        total = [sum(counts[end] for counts in self.counts.values()) for end in ends]
        lines.append(_line("together", total, max(self.slowest.values())))
        return "\n".join(lines)


def _line(kind: str, ends: list[int], slowest: float) -> str:
    answers, lines, other = ends
    return f"{kind:12}{sum(ends):8}{answers:9}{lines:10}{other:6}{slowest:8.2f} s"


def _faulty(text: str) -> str:
    """Say what is wrong with the text of an error."""
    if len(text.splitlines()) > 1:
        return "more than a line"
    if len(text) > LONGEST + 1:
        return "too long"
    if any(ord(letter) < 32 or 127 <= ord(letter) < 160 for letter in text):
        return "control characters"
    return ""


def ask(path: Path, place: int) -> None:
    """Read a file as one of the doors does; show what was understood, and now and then compare."""
    if "prediction" in path.name:
        read_predictions(path)
        return
    given: dict[str, Any] = {"alone": True, "allow_out_of_range": place % 2 == 0}
    if place % 3 == 0 or path.name in UNNAMED:
        given |= {"score": "accuracy"}
    if place % 3 == 1:
        given |= {"higher_is_better": True, "duplicates": "mean"}
    table = read_scores(path, **given)
    to_json(table.understood())
    shown = str(table.understood())
    assert not any(ord(letter) < 32 and letter != "\n" for letter in shown)
    if place % COMPARED == 0:
        found = palio.compare(read_scores(path, **{**given, "alone": False}))
        to_json(found)
        assert str(found)


def fuzz_files(number: int, folder: Path, seed: int = SEED) -> Tally:
    source, files, tally = random.Random(seed), corpus(), Tally()
    names = sorted(files)
    for place in range(number):
        name = names[place % len(names)]
        content, done = spoiled(source, name, files[name], files[source.choice(names)])
        path = folder / name
        path.write_bytes(content)
        kind = ".".join(name.split(".")[1:]) or "no ending"
        tally.run(kind, f"{place} {name} {done}", lambda p=path, n=place: ask(p, n))  # type: ignore[misc]
    return tally


def fuzz_experiments(number: int, folder: Path, seed: int = SEED) -> Tally:
    source, tally = random.Random(seed), Tally()
    for place in range(number):
        text = EXPERIMENTS[place % len(EXPERIMENTS)].encode()
        done = []
        for _ in range(source.choice((1, 1, 2))):
            change = source.choice((*BYTES, *TEXT, *TEXT))
            text = change(source, text)
            done.append(change.__name__)
        path = folder / "experiment.toml"
        path.write_bytes(text)
        tally.run("toml", f"{place} {done}", lambda p=path: load_experiment(p).plan())  # type: ignore[misc]
    return tally


def assert_clean(tally: Tally, record: Callable[[str, object], None] | None = None) -> None:
    if record is not None:
        record("table", tally.table())
    assert not tally.bad, "\n".join(tally.bad)


# Files that do not say what they measure.
UNNAMED = (
    "wide.csv",
    "items.csv",
    "written.csv",
    "nested.json",
    "table.md",
    "t.xlsx",
    "indexed.parquet",
)


@pytest.mark.parametrize("name", sorted(corpus()))
def test_the_corpus_is_valid(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(corpus()[name])
    if "prediction" in name:
        assert len(read_predictions(path).algorithms) == 2
        return
    score = "accuracy" if name in UNNAMED else None
    table = read_scores(path, alone=True, score=score, allow_out_of_range=True)
    assert table.n_datasets >= 1


@pytest.mark.parametrize("text", EXPERIMENTS)
def test_the_experiments_are_valid(text: str, tmp_path: Path) -> None:
    path = tmp_path / "e.toml"
    path.write_text(text, encoding="utf-8")
    assert load_experiment(path).plan().jobs


def test_a_sample_of_spoiled_files(tmp_path: Path) -> None:
    assert_clean(fuzz_files(300, tmp_path, seed=1))


def test_a_sample_on_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source, files = random.Random(2), corpus()
    for name in sorted(files):
        for verb in ("read", "compare"):
            path = tmp_path / name
            path.write_bytes(spoiled(source, name, files[name], files["long.csv"])[0])
            status = main([verb, str(path)])
            said = capsys.readouterr()
            assert status in (0, 2), said.err
            if status:
                assert re.fullmatch(
                    r"error: [^\n\x00-\x1f\x7f-\x9f]+\n", said.err.split("\n\n")[-1]
                )


def test_a_sample_of_spoiled_experiments(tmp_path: Path) -> None:
    assert_clean(fuzz_experiments(30, tmp_path, seed=1))


@pytest.mark.slow
def test_thousands_of_spoiled_files(
    tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    assert_clean(fuzz_files(6000, tmp_path), record_property)


@pytest.mark.slow
def test_hundreds_of_spoiled_experiments(
    tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    assert_clean(fuzz_experiments(600, tmp_path), record_property)
