"""What is shown of a run while it goes: bars on a terminal, lines elsewhere."""

from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console
from sklearn.naive_bayes import GaussianNB  # type: ignore[import-untyped]

from palio.app.progress import job_bar
from palio.experiment.engines import EngineOptions
from palio.experiment.outcome import JobOutcome, Status
from palio.experiment.plan import Job, make_plan
from palio.experiment.runner import Progress, run_plan
from palio.experiment.store.store import Store
from tests.experiment import estimators as bad


class Clock:
    """A clock that goes when it is told to."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture(scope="module")
def job() -> Job:
    return make_plan(["sklearn:wine"], {"nb": GaussianNB()}, resampling="half").jobs[0]


def terminal() -> tuple[Console, StringIO]:
    written = StringIO()
    return Console(force_terminal=True, file=written, width=100, no_color=True), written


def not_a_terminal() -> tuple[Console, StringIO]:
    written = StringIO()
    return Console(force_terminal=False, file=written, width=20), written


def ended(job: Job, status: Status = "ok", error: str = "") -> JobOutcome:
    return JobOutcome(job.key, status, error=error)


def screen(written: StringIO) -> str:
    """Return what stands on the terminal at the end: what was written after the last erasure."""
    return written.getvalue().rpartition("\x1b[2K")[2]


# --- on a terminal ---------------------------------------------------------------------------


def test_names_counts_and_causes_are_shown(clock: Clock, job: Job) -> None:
    console, written = terminal()
    with job_bar(console, clock=clock) as tell:
        tell(Progress(400, 100, 1, datasets={"wine": (0, 200), "iris": (100, 200)}))
        clock.now += 60
        sets = {"wine": (20, 200), "iris": (100, 200)}
        failure = ended(job, "failed", "ValueError: not [bold]good[/bold]\n  at all")
        tell(Progress(400, 120, 2, failure, job, sets, seconds_left=840.0))
    shown = screen(written)
    assert "120/400 2 failed, about 14 min left" in shown
    lines = shown.splitlines()
    assert any(line.startswith("wine ") and " 20/200" in line for line in lines)
    assert any(line.startswith("iris ") and " 100/200" in line for line in lines)
    assert "last failure: nb on wine: failed: ValueError: not [bold]good[/bold] at all" in lines


def test_the_last_cause_stays_while_others_end_well(clock: Clock, job: Job) -> None:
    console, written = terminal()
    with job_bar(console, clock=clock) as tell:
        tell(Progress(9, 1, 1, ended(job, "timeout", "more than 3 s"), job))
        tell(Progress(9, 2, 1, ended(job), job))
        tell(Progress(9, 3, 1))
    assert "last failure: nb on wine: timeout: more than 3 s" in screen(written)


def test_data_sets_are_shown_while_they_are_under_way(clock: Clock) -> None:
    console, written = terminal()
    with job_bar(console, clock=clock) as tell:
        tell(Progress(30, 14, 0, datasets={"done": (10, 10), "begun": (4, 10), "later": (0, 10)}))
    shown = screen(written)
    assert "begun" in shown
    assert "done" not in shown
    assert "later" not in shown
    with job_bar(console, clock=clock) as tell:
        tell(Progress(30, 30, 0, datasets=dict.fromkeys(("done", "begun", "later"), (10, 10))))
    assert screen(written).splitlines()[-2].rstrip().endswith("30/30 0 failed")


def test_six_data_sets_are_enough(clock: Clock) -> None:
    console, written = terminal()
    with job_bar(console, clock=clock) as tell:
        tell(Progress(99, 9, 0, datasets={f"set-{i}": (1, 11) for i in range(9)}))
    shown = screen(written)
    assert [f"set-{i}" in shown for i in range(9)] == [True] * 6 + [False] * 3
    assert "and 3 more data sets" in shown


def test_long_names_and_causes_keep_to_their_line(clock: Clock, job: Job) -> None:
    console, written = terminal()
    with job_bar(console, clock=clock) as tell:
        failure = ended(job, "failed", "ValueError: " + "no good " * 50)
        tell(Progress(20, 2, 1, failure, job, {"name" * 30: (2, 20)}))
    lines = [line for line in screen(written).replace("\x1b[?25h", "").splitlines() if line]
    assert len(lines) == 3
    assert max(map(len, lines)) <= 100


def test_a_run_that_cannot_begin_shows_nothing(clock: Clock) -> None:
    for console, written in (terminal(), not_a_terminal()):
        with pytest.raises(RuntimeError), job_bar(console, clock=clock):
            raise RuntimeError
        assert "jobs" not in written.getvalue()
        assert "\n" not in written.getvalue()


# --- elsewhere -------------------------------------------------------------------------------


def test_a_line_every_ten_seconds_and_at_the_end(clock: Clock, job: Job) -> None:
    console, written = not_a_terminal()
    with job_bar(console, clock=clock) as tell:
        # Nothing is said of the end before enough is known.
        tell(Progress(110, 100, 2))
        for done in range(101, 111):
            clock.now += 4
            left = 4.0 * (110 - done) if done > 103 else None
            tell(Progress(110, done, 2, ended(job), job, seconds_left=left))
    assert written.getvalue().splitlines() == [
        "103/110 jobs, 2 failed",
        "106/110 jobs, 2 failed, about 16 s left",
        "109/110 jobs, 2 failed, about 4 s left",
        "110/110 jobs, 2 failed",
    ]


@pytest.mark.parametrize(
    ("seconds", "says"),
    [(7, "6 s"), (46, "45 s"), (181, "3 min"), (21601, "6 h"), (3 * 86400, "3 days"), (0.5, "1 s")],
)
def test_time_left_goes_down_while_nothing_ends(clock: Clock, seconds: float, says: str) -> None:
    console, written = not_a_terminal()
    with job_bar(console, clock=clock) as tell:
        tell(Progress(400, 100, 0, seconds_left=seconds))
        clock.now += 1
    assert written.getvalue().splitlines()[-1] == f"100/400 jobs, 0 failed, about {says} left"


def test_an_interrupted_run_says_how_far_it_was(clock: Clock) -> None:
    console, written = not_a_terminal()

    def run() -> None:
        with job_bar(console, clock=clock) as tell:
            tell(Progress(400, 0, 0))
            clock.now += 2
            tell(Progress(400, 8, 3, seconds_left=98.0))
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run()
    assert written.getvalue() == "8/400 jobs, 3 failed, about 98 s left\n"


def test_nothing_left_to_do_is_one_line(clock: Clock) -> None:
    console, written = not_a_terminal()
    with job_bar(console, clock=clock) as tell:
        tell(Progress(20, 20, 0))
    assert written.getvalue() == "20/20 jobs, 0 failed\n"


# --- a real run ------------------------------------------------------------------------------


def test_a_run_tells_how_far_each_data_set_is(tmp_path: Path) -> None:
    console, written = terminal()
    told: list[Progress] = []
    plan = make_plan(
        ["sklearn:iris", "sklearn:wine"],
        {"nb": GaussianNB(), "bad": bad.Raises()},
        resampling="3x2",
    )
    with Store(tmp_path / "e.db") as store, job_bar(console) as tell:

        def both(state: Progress) -> None:
            told.append(state)
            tell(state)

        run_plan(plan, store, EngineOptions("inline"), progress=both)
    assert told[0].datasets == {"iris": (0, 6), "wine": (0, 6)}
    assert told[-1].datasets == {"iris": (6, 6), "wine": (6, 6)}
    for state in told:
        assert sum(done for done, _ in state.datasets.values()) == state.done
    assert "12/12 6 failed" in screen(written)
    assert "last failure: bad on wine: failed: ValueError: no good" in screen(written)
