"""The workbench under load: 50 people at once, some 20 requests each, on this machine alone.

Each opens the page, changes the question ten times (the level, an algorithm in or out, the test)
and looks at some figures, with half a second to a second and a half between clicks. First one
person alone with 50 algorithms × 200 data sets: how long does a new answer take? It stops by
itself. Loopback only.

    python benchmarks/web.py
"""

from __future__ import annotations

import json
import random
import re
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

import palio

PEOPLE, CHANGES = 50, 10
LARGE, USUAL = (200, 50), (115, 14)
FILES = ("", "static/workbench.css", "static/main.js", "static/controls.js", "static/panels.js")
FIGURES = ("critical-difference", "pareto")

Times = dict[str, list[float]]


def write_table(path: Path, datasets: int, algorithms: int) -> None:
    """Write accuracies by 5×2 cv, and training times."""
    rng = np.random.default_rng(0)
    skill = 0.8 + 0.02 * rng.normal(size=(algorithms, 1, 1))
    luck = 0.02 * rng.normal(size=(datasets, algorithms, 1, 1))
    noise = 0.015 * rng.normal(size=(datasets, algorithms, 5, 2))
    palio.ScoreTable.from_arrays(
        np.clip(skill + luck + noise, 0.05, 0.999),
        datasets=[f"d{i}" for i in range(datasets)],
        algorithms=[f"a{j:02d}" for j in range(algorithms)],
        measure="accuracy",
        costs={"train_time": np.exp(rng.normal(size=(datasets, algorithms)))},
    ).to_frame().to_csv(path, index=False)


@contextmanager
def serving(path: Path) -> Iterator[str]:
    """Start the workbench as a person would, and end it."""
    command = [sys.executable, "-m", "palio.app.cli", "serve", str(path), "--port", "0"]
    with subprocess.Popen([*command, "--no-browser"], stderr=subprocess.PIPE, text=True) as process:
        said = process.stderr.readline() if process.stderr else ""
        found = re.search(r"http://127\.0\.0\.1:\d+", said)
        if found is None:
            raise RuntimeError(f"the server did not start: {said}")
        try:
            yield found.group()
        finally:
            process.terminate()


class Person:
    """Someone at the page, who notes how long each answer took."""

    def __init__(self, address: str, seed: int) -> None:
        self.address = address
        self.chance = random.Random(seed)
        self.times: Times = defaultdict(list)
        self.errors: list[str] = []

    def get(self, kind: str, path: str) -> bytes:
        """Ask for something."""
        begun = time.perf_counter()
        content = b"{}"
        try:
            with urllib.request.urlopen(f"{self.address}/{path}", timeout=60) as reply:
                content = reply.read()
        except (urllib.error.URLError, TimeoutError) as error:
            self.errors.append(f"{kind}: {error}")
        self.times[kind].append(time.perf_counter() - begun)
        return content

    def work(self) -> None:
        """Open the page, and change the question again and again."""
        for path in FILES:
            self.get("page", path)
        table = digest(self)
        names = json.loads(self.get("table", f"api/table?table={table}"))["algorithms"]
        self.get("answer", f"api/answer?table={table}")
        look = self.chance.sample(range(CHANGES), 2)
        for change in range(CHANGES):
            time.sleep(self.chance.uniform(0.5, 1.5))
            question = f"table={table}&{self.question(names)}"
            self.get("answer", f"api/answer?{question}")
            if change in look:
                self.get("figure", f"api/figures/{self.chance.choice(FIGURES)}.svg?{question}")

    def question(self, names: list[str]) -> str:
        """Return what someone might ask next; some ask the same."""
        left = self.chance.choice(names)
        inside = "&".join(f"algorithms={name}" for name in names if name != left)
        return self.chance.choice(
            [
                f"alpha={self.chance.choice((0.01, 0.02, 0.1))}",
                inside,
                f"{inside}&alpha=0.01",
                f"test={self.chance.choice(('sign', 'paired-t', 'mean-ranks'))}",
            ]
        )


def report(title: str, times: list[float]) -> None:
    """Print how long it took, in milliseconds."""
    cuts = [statistics.median(times), *statistics.quantiles(times, n=20)[18:], max(times)]
    shown = "".join(f"{1000 * cut:9.0f}" for cut in cuts)
    print(f"{title:28}{len(times):9}{shown}")


def digest(person: Person) -> str:
    """Return the name that links have for the table."""
    return str(json.loads(person.get("start", "api/start"))["opened"]["id"])


def alone(folder: Path) -> None:
    """Measure a new answer about a large table."""
    path = folder / "large.csv"
    write_table(path, *LARGE)
    with serving(path) as address:
        person = Person(address, 0)
        table = digest(person)
        for _ in range(6):  # until every process has read the table
            person.get("first", f"api/answer?table={table}&alpha={person.chance.random():.4f}")
        for _ in range(20):
            person.get("new", f"api/answer?table={table}&alpha={person.chance.random():.4f}")
            person.get("known", f"api/answer?table={table}&alpha=0.05")
    report(f"new answer, {LARGE[1]} × {LARGE[0]}", person.times["new"])
    report("the same again", person.times["known"])


def together(folder: Path) -> int:
    """Measure many people, and return how many requests failed."""
    path = folder / "usual.csv"
    write_table(path, *USUAL)
    with serving(path) as address:
        people = [Person(address, seed) for seed in range(PEOPLE)]
        table = digest(people[0])
        for i in range(6):  # until the processes have started
            people[0].get("warm", f"api/answer?table={table}&alpha=0.{i + 1}")
            people[0].get("warm", f"api/figures/pareto.svg?table={table}&alpha=0.{i + 1}")
        people[0].times.clear()
        threads = [threading.Thread(target=person.work) for person in people]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    times: Times = defaultdict(list)
    for person in people:
        for kind, each in person.times.items():
            times[kind] += each
    for kind in ("page", "start", "table", "answer", "figure"):
        report(f"{PEOPLE} people: {kind}", times[kind])
    report(f"{PEOPLE} people: all", [each for kind in times for each in times[kind]])
    errors = [error for person in people for error in person.errors]
    print(f"errors: {len(errors)}{''.join(f'{chr(10)}  {error}' for error in errors[:5])}")
    return len(errors)


def main() -> None:
    """Print the figures."""
    print(f"{'milliseconds':28}{'requests':>9}{'median':>9}{'p95':>9}{'max':>9}")
    with tempfile.TemporaryDirectory() as folder:
        alone(Path(folder))
        failed = together(Path(folder))
    sys.exit(min(failed, 1))


if __name__ == "__main__":
    main()
