"""How long the rest takes: by hand, on the durations of a real run, and in a run."""

import heapq
import time
from pathlib import Path
from typing import NamedTuple

import pytest

import palio
from palio.experiment import runner
from palio.experiment.estimate import Pace
from tests.experiment.estimators import Sleeps

Jobs = list[tuple[str, str, float]]


class Spent(NamedTuple):
    algorithm: str
    dataset: str
    seconds: float
    finished: float = 0.0


def pace(spent: list[Spent]) -> Pace:
    found = Pace()
    for each in spent:
        found.add((each.algorithm, each.dataset), each.seconds, each.finished)
    return found


def seconds_left(left: list[tuple[str, str]], spent: list[Spent], now: float) -> float | None:
    return pace(spent).seconds_left(left, now)


def work_left(left: list[tuple[str, str]], spent: list[Spent]) -> float | None:
    return pace(spent).work_left(left)


# Seconds of five jobs each, as `palio demo` took them on two cores: eight learners on 16 data sets.
LEARNERS = ("naive-bayes", "lda", "logistic", "5-nn", "tree", "forest", "svm", "boosting")
DEMO = {
    "iris": (0.32, 0.23, 0.16, 0.30, 0.19, 3.41, 0.07, 1.35),
    "wine": (0.16, 0.11, 0.29, 0.18, 0.17, 4.23, 0.14, 1.14),
    "breast_cancer": (0.06, 0.07, 0.08, 0.11, 0.09, 5.51, 0.18, 2.40),
    "digits": (0.14, 0.31, 0.52, 0.64, 0.61, 7.93, 2.14, 24.17),
    "monks-1": (0.32, 0.43, 0.56, 0.24, 0.41, 5.34, 0.71, 1.01),
    "monks-2": (0.83, 0.69, 0.24, 1.12, 1.26, 8.82, 1.14, 1.83),
    "monks-3": (1.30, 0.65, 1.54, 0.83, 0.95, 6.83, 0.53, 1.50),
    "balance-scale": (0.08, 0.08, 0.47, 0.48, 0.24, 7.18, 0.27, 3.30),
    "tic-tac-toe": (0.99, 1.33, 1.34, 1.33, 0.96, 7.38, 1.81, 2.70),
    "twonorm": (0.22, 0.28, 0.26, 0.19, 0.22, 4.42, 0.38, 1.46),
    "ringnorm": (0.18, 0.20, 0.28, 0.08, 0.28, 4.92, 0.76, 1.21),
    "threenorm": (0.18, 0.13, 0.32, 0.09, 0.09, 7.29, 0.89, 2.75),
    "waveform-21": (0.35, 0.16, 0.30, 0.43, 0.12, 6.64, 0.86, 8.20),
    "waveform-40": (0.60, 0.34, 0.31, 0.27, 0.27, 7.57, 0.76, 4.70),
    "led-7": (0.06, 0.12, 0.16, 0.14, 0.10, 5.06, 0.44, 6.42),
    "led-24": (0.23, 0.37, 0.52, 0.37, 0.31, 4.38, 0.49, 2.39),
}


def as_run(slow: float = 1.0) -> Jobs:
    """Return the jobs in the order in which they run: one of each learner on each data set first.

    The support vector machine may be made slower.
    """
    one = [
        (learner, dataset, total / 5 * (slow if learner == "svm" else 1.0))
        for dataset, row in DEMO.items()
        for learner, total in zip(LEARNERS, row, strict=True)
    ]
    return one + [job for job in one for _ in range(4)]


def ended(jobs: Jobs, workers: int) -> list[Spent]:
    """Run jobs one after the other on so many workers; return them as they end."""
    free = [1000.0] * workers
    found = []
    for learner, dataset, seconds in jobs:
        finished = heapq.heappop(free) + seconds
        heapq.heappush(free, finished)
        found.append(Spent(learner, dataset, seconds, finished))
    return sorted(found, key=lambda each: each.finished)


@pytest.mark.parametrize("slow", [1.0, 60.0])
@pytest.mark.parametrize("workers", [1, 2, 4])
@pytest.mark.parametrize("part", [0.25, 0.5, 0.75])
def test_it_is_right_within_30_percent_from_a_quarter_on(
    slow: float, workers: int, part: float
) -> None:
    done = ended(as_run(slow), workers)
    cut = int(part * len(done))
    now = done[cut - 1].finished
    rest = [(each.algorithm, each.dataset) for each in done[cut:]]
    said = seconds_left(rest, done[:cut], now)
    assert said == pytest.approx(done[-1].finished - now, rel=0.3)


def test_nothing_is_said_before_each_learner_was_seen_on_a_quarter() -> None:
    done = ended(as_run(), 2)
    for cut in (0, 1, 5, 20):
        rest = [(each.algorithm, each.dataset) for each in done[cut:]]
        assert seconds_left(rest, done[:cut], 2000.0) is None
    # A learner that has nothing left to do need not be known.
    spent = [Spent("a", "x", 1.0, 1001.0)]
    assert seconds_left([("a", "x")], spent, 1001.0) == 1.0
    assert seconds_left([("a", "x"), ("b", "x")], spent, 1001.0) is None
    assert seconds_left([], spent, 1001.0) == 0


def test_a_pause_is_nobodys_work() -> None:
    """By hand: one at a time yesterday, two at a time today."""
    yesterday = [Spent("a", "x", 10.0, 1010.0 + 10 * i) for i in range(20)]
    today = [Spent("a", "x", 10.0, 90_010.0 + 10 * (i // 2)) for i in range(10)]
    assert seconds_left([("a", "x")] * 4, yesterday, 1200.0) == pytest.approx(40)
    assert seconds_left([("a", "x")] * 4, [*yesterday, *today], 90_050.0) == pytest.approx(20)
    # Too few ended today to tell by them alone.
    few = [*yesterday, *today[:2]]
    assert seconds_left([("a", "x")] * 4, few, 90_010.0) == pytest.approx(40 * 210 / 220)


def test_it_goes_down_while_nothing_ends_but_not_to_nothing() -> None:
    spent = [Spent("a", "x", 10.0, 1010.0), Spent("a", "x", 10.0, 1020.0)]
    left = [("a", "x")] * 4
    assert [seconds_left(left, spent, 1020.0 + t) for t in (0, 10, 500)] == [40, 30, 20]


def test_the_longest_is_waited_for() -> None:
    spent = [Spent("slow", "x", 100.0, 1100.0), *(Spent("a", "x", 10.0, 1100.0) for _ in range(30))]
    assert seconds_left([("slow", "x")], spent, 1100.0) == 100


def test_what_failed_took_its_time_too() -> None:
    assert work_left([], []) is None
    assert work_left([], [Spent("a", "x", 2.0)]) == 0
    assert work_left([("a", "x")], [Spent("a", "x", 0.0)]) == 0


def test_a_run_knows_its_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One slow learner beside two quick ones: known after a quarter of the jobs."""
    monkeypatch.setattr(runner, "_ESTIMATE_SECONDS", 0.0)
    told: list[tuple[float, runner.Progress]] = []
    palio.run(
        ["sklearn:iris", "sklearn:wine"],
        {"quick": Sleeps(0.005), "other": Sleeps(0.01), "slow": Sleeps(0.08)},
        resampling="6x2",
        store=tmp_path / "e.db",
        engine="inline",
        progress=lambda state: told.append((time.time(), state)),
    )
    end = told[-1][0]
    assert told[0][1].seconds_left is None
    # Each learner is tried on each data set before any a second time.
    assert [state.datasets["wine"][0] for _, state in told[3:7]] == [0, 1, 2, 3]
    when, quarter = next((when, state) for when, state in told if 4 * state.done >= state.total)
    assert quarter.seconds_left == pytest.approx(end - when, rel=0.3)
    assert told[-1][1].done == told[-1][1].total
