"""How long the workbench takes to answer on this machine, one person and 50 at once.

One person asks about 60 algorithms × 200 data sets: another level, another test, another cost, and
the figures, the audit and the posterior that belong to it; then corrects by Bergmann and Hommel
with 14 algorithms. Then 50 people change the question every two seconds, about 14 algorithms × 115
data sets, and some of them look at figures. Every question is a new one, but for what 50 people ask
alike. It stops by itself. Loopback only.

    python benchmarks/web.py
"""

from __future__ import annotations

import gzip
import json
import os
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
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import numpy as np

import palio

LARGE, USUAL = (200, 60), (115, 14)  # data sets, algorithms
TIMES = 5
PEOPLE, CHANGES, PAUSE = 50, 10, 2.0
LOOKS = 2  # of the changes of each of many people, at a figure
FILES = ("", "static/workbench.css", "static/main.js", "static/controls.js", "static/panels.js")
TESTS = ("sign", "paired-t", "mean-ranks", "permutation", "aligned-ranks")
CORRECTIONS = ("holm", "hochberg", "hommel", "finner", "shaffer")

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


class Server:
    """The workbench as a person would start it."""

    def __init__(self, address: str, pid: int) -> None:
        self.address, self._pid = address, pid

    def processor_seconds(self) -> float:
        """Return what it and its processes have taken of the processors; 0 where none can tell."""
        return sum(_seconds(pid) for pid in (self._pid, *_children(self._pid)))


@contextmanager
def serving(path: Path) -> Iterator[Server]:
    """Start it, and end it."""
    command = [sys.executable, "-m", "palio.app.cli", "serve", str(path), "--port", "0"]
    with subprocess.Popen([*command, "--no-browser"], stderr=subprocess.PIPE, text=True) as process:
        said = process.stderr.readline() if process.stderr else ""
        found = re.search(r"http://127\.0\.0\.1:\d+", said)
        if found is None:
            raise RuntimeError(f"the server did not start: {said}")
        try:
            yield Server(found.group(), process.pid)
        finally:
            process.terminate()


def _children(pid: int) -> list[int]:
    tasks = Path(f"/proc/{pid}/task")  # each is the child of the thread that has started it
    return [int(each) for file in tasks.glob("*/children") for each in file.read_text().split()]


def _seconds(pid: int) -> float:
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Person:
    """Someone at the page, who notes how long each answer took."""

    def __init__(self, server: Server, seed: int) -> None:
        self.server = server
        self.chance = random.Random(seed)
        self.times: Times = defaultdict(list)
        self.errors: list[str] = []
        self.table = str(json.loads(self.get("start", "api/start"))["opened"]["id"])

    def get(self, kind: str, path: str) -> bytes:
        """Ask for something, as a browser does."""
        begun = time.perf_counter()
        content = b"{}"
        asked = urllib.request.Request(
            f"{self.server.address}/{path}", headers={"Accept-Encoding": "gzip"}
        )
        try:
            with urllib.request.urlopen(asked, timeout=180) as reply:
                content = reply.read()
                if reply.headers["Content-Encoding"] == "gzip":
                    content = gzip.decompress(content)
        except (urllib.error.URLError, TimeoutError) as error:
            self.errors.append(f"{kind}: {error}")
        self.times[kind].append(time.perf_counter() - begun)
        return content

    def ask(self, kind: str, what: str, question: str) -> bytes:
        """Ask about the table."""
        return self.get(kind, f"api/{what}?table={self.table}&{question}")

    def level(self) -> str:
        """Return a level that nobody has asked for."""
        return f"alpha={self.chance.uniform(0.01, 0.1):.9f}"


# --- one person, a large table --------------------------------------------------------------------


def alone(folder: Path) -> int:
    """Measure one person's questions about a large table; return how many failed."""
    path = folder / "large.csv"
    write_table(path, *LARGE)
    title(f"alone, {LARGE[1]} algorithms × {LARGE[0]} data sets")
    with serving(path) as server:
        person = Person(server, 0)
        time.sleep(3)  # the processes load what they need
        person.ask("first answer", "answer", "")
        show("first answer, the file is read", person.times["first answer"])
        _warm(person)
        for kind, changes in {
            "another level": [person.level() for _ in range(TIMES)],
            "another test": [f"test={test}&{person.level()}" for test in TESTS],
            "another cost": [f"cost=train_time&{person.level()}" for _ in range(TIMES)],
        }.items():
            _changed(person, kind, changes)
        _looked_at(person)
        _posterior(person)
    return told(person.errors)


def _warm(person: Person) -> None:
    """Let every process have the table, and its fonts."""
    for _ in range(2):
        _all_panels(person, "warm", f"cost=train_time&{person.level()}")


def _changed(person: Person, kind: str, changes: list[str]) -> None:
    """Measure answers to new questions, and the figures that are in view then."""
    before = person.server.processor_seconds()
    for question in changes:
        begun = time.perf_counter()
        answer = json.loads(person.ask(kind, "answer", question))
        in_view = [each["key"] for each in answer["panels"] if each["kind"] == "figure"][:2]
        _together(person, "in view", [(_address(key), question) for key in in_view])
        person.times[f"{kind}: figures"].append(time.perf_counter() - begun)
    taken = (person.server.processor_seconds() - before) / len(changes)
    show(f"{kind}: verdict and table", person.times[kind])
    show(f"{kind}: with the figures in view", person.times[f"{kind}: figures"], taken)


def _looked_at(person: Person) -> None:
    """Measure each panel, and then all at once."""
    questions = [f"cost=train_time&{person.level()}" for _ in range(TIMES)]
    keys: list[str] = []
    for question in questions:
        answer = json.loads(person.ask("answer", "answer", question))
        keys = [each["key"] for each in answer["panels"]]
        for key in keys:
            person.ask(key, _address(key), question)
    for key in keys:
        show(f"panel {key}", person.times[key])
    before = person.server.processor_seconds()
    for _ in range(TIMES):
        begun = time.perf_counter()
        _all_panels(person, "at once", f"cost=train_time&{person.level()}")
        person.times["all"].append(time.perf_counter() - begun)
    show("all panels", person.times["all"], (person.server.processor_seconds() - before) / TIMES)


def _posterior(person: Person) -> None:
    """Measure what a region of practical equivalence adds."""
    before = person.server.processor_seconds()
    for i in range(3):
        question = f"rope=0.0{i + 1}"
        person.ask("answer", "answer", question)
        for key in ("posterior", "posterior-matrix"):
            person.ask(f"with a region: {key}", _address(key), question)
    taken = (person.server.processor_seconds() - before) / 3
    show("with a region: posterior", person.times["with a region: posterior"], taken)
    show("with a region: its matrix", person.times["with a region: posterior-matrix"])


def _address(key: str) -> str:
    texts = ("pools", "audit", "posterior")
    return key if key in texts else f"figures/{key}.html"


def _all_panels(person: Person, kind: str, question: str) -> None:
    answer = json.loads(person.ask("answer", "answer", question))
    _together(person, kind, [(_address(each["key"]), question) for each in answer["panels"]])


def _together(person: Person, kind: str, asked: list[tuple[str, str]]) -> None:
    """Ask for several things at a time, as a browser does."""
    with ThreadPoolExecutor(6) as threads:
        list(threads.map(lambda each: person.ask(kind, *each), asked))


# --- exact corrections ----------------------------------------------------------------------------


def corrected(folder: Path) -> int:
    """Measure Bergmann and Hommel's procedure beside Holm's; return how many failed."""
    title(f"alone, {USUAL[1]} algorithms × {USUAL[0]} data sets")
    path = folder / "usual.csv"
    write_table(path, *USUAL)
    with serving(path) as server:
        person = Person(server, 1)
        for name in ("holm", "bergmann-hommel"):
            person.ask("warm", "answer", f"correction={name}&test={TESTS[-1]}")
            for test in TESTS[:-1]:
                person.ask(name, "answer", f"correction={name}&test={test}&{person.level()}")
            show(f"corrected by {name}", person.times[name])
    return told(person.errors)


# --- many people ----------------------------------------------------------------------------------


def together(folder: Path) -> int:
    """Measure many people, and return how many requests failed."""
    path = folder / "usual.csv"
    with serving(path) as server:
        people = [Person(server, seed) for seed in range(PEOPLE)]
        for _ in range(2):  # until the processes have started, and have their fonts
            _all_panels(people[0], "warm", f"cost=train_time&{people[0].level()}")
        for person in people:
            person.times.clear()
        before, begun = server.processor_seconds(), time.perf_counter()
        threads = [threading.Thread(target=_work, args=[person]) for person in people]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        taken = (server.processor_seconds() - before) / (time.perf_counter() - begun)
    times: Times = defaultdict(list)
    for person in people:
        for kind, each in person.times.items():
            times[kind] += each
    title(
        f"{PEOPLE} people, {PAUSE:g} s between changes, {USUAL[1]} × {USUAL[0]} "
        f"({taken:.1f} processors busy)"
    )
    for kind in ("page", "table", "answer", "figure"):
        show(kind, times[kind])
    show("all", [each for kind in times for each in times[kind]])
    return told([error for person in people for error in person.errors])


def _work(person: Person) -> None:
    """Open the page, and change the question again and again."""
    time.sleep(person.chance.uniform(0, PAUSE))  # not all come at the same moment
    for path in FILES:
        person.get("page", path)
    names = json.loads(person.ask("table", "table", ""))["algorithms"]
    person.ask("answer", "answer", "")
    look = person.chance.sample(range(CHANGES), LOOKS)
    for change in range(CHANGES):
        time.sleep(person.chance.uniform(0.75, 1.25) * PAUSE)
        question = _question(person.chance, names)
        answer = json.loads(person.ask("answer", "answer", question))
        if change in look and "panels" in answer:
            figures = [each["key"] for each in answer["panels"] if each["kind"] == "figure"]
            person.ask("figure", _address(person.chance.choice(figures[:3])), question)


def _question(chance: random.Random, names: list[str]) -> str:
    """Return what someone might ask next; some ask the same."""
    left = chance.choice(names)
    inside = "&".join(f"algorithms={name}" for name in names if name != left)
    level = f"alpha={chance.choice((0.01, 0.02, 0.1))}"
    test = f"test={chance.choice(TESTS[:3])}"
    cost = f"cost=train_time&alpha={chance.uniform(0.01, 0.1):.4f}"
    correction = f"correction={chance.choice(CORRECTIONS)}&{level}"
    return chance.choice([level, inside, f"{inside}&{level}", test, cost, correction])


# --- what is printed ------------------------------------------------------------------------------


def title(text: str) -> None:
    """Print what comes next."""
    print(f"\n{text}")
    print(
        f"{'milliseconds':46}{'n':>5}{'median':>8}{'p95':>8}{'max':>8}{'processor':>11}", flush=True
    )


def show(name: str, times: list[float], processor: float | None = None) -> None:
    """Print how long it took, and how long the processors worked on one, in milliseconds."""
    cuts = [statistics.median(times), float(np.quantile(times, 0.95)), max(times)]
    shown = "".join(f"{1000 * cut:8.0f}" for cut in cuts)
    worked = f"{1000 * processor:11.0f}" if processor else ""
    print(f"  {name:44}{len(times):5}{shown}{worked}", flush=True)


def told(errors: list[str]) -> int:
    """Print the errors, and return how many there are."""
    print(f"  errors: {len(errors)}{''.join(f'{chr(10)}    {error}' for error in errors[:5])}")
    return len(errors)


def main() -> None:
    """Print the figures."""
    with tempfile.TemporaryDirectory() as folder:
        failed = sum(part(Path(folder)) for part in (alone, corrected, together))
    sys.exit(min(failed, 1))


if __name__ == "__main__":
    main()
