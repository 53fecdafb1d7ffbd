"""What is shown of long work while it goes on: bars in a notebook or on a terminal."""

import sys
import time
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from rich.console import Console
from sklearn.naive_bayes import GaussianNB  # type: ignore[import-untyped]

import palio
from palio import bars
from palio.bars import job_bar
from palio.errors import ParameterError
from palio.experiment.engines import EngineOptions
from palio.experiment.outcome import JobOutcome, Status
from palio.experiment.plan import Job, make_plan
from palio.experiment.runner import Progress, run_plan
from palio.experiment.store.store import Store
from palio.recommending import Described
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
    with job_bar(console=console, lines=True, clock=clock) as tell:
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
    with job_bar(console=console, lines=True, clock=clock) as tell:
        tell(Progress(9, 1, 1, ended(job, "timeout", "more than 3 s"), job))
        tell(Progress(9, 2, 1, ended(job), job))
        tell(Progress(9, 3, 1))
    assert "last failure: nb on wine: timeout: more than 3 s" in screen(written)


def test_data_sets_are_shown_while_they_are_under_way(clock: Clock) -> None:
    console, written = terminal()
    with job_bar(console=console, lines=True, clock=clock) as tell:
        tell(Progress(30, 14, 0, datasets={"done": (10, 10), "begun": (4, 10), "later": (0, 10)}))
    shown = screen(written)
    assert "begun" in shown
    assert "done" not in shown
    assert "later" not in shown
    with job_bar(console=console, lines=True, clock=clock) as tell:
        tell(Progress(30, 30, 0, datasets=dict.fromkeys(("done", "begun", "later"), (10, 10))))
    assert screen(written).splitlines()[-2].rstrip().endswith("30/30 0 failed")


def test_six_data_sets_are_enough(clock: Clock) -> None:
    console, written = terminal()
    with job_bar(console=console, lines=True, clock=clock) as tell:
        tell(Progress(99, 9, 0, datasets={f"set-{i}": (1, 11) for i in range(9)}))
    shown = screen(written)
    assert [f"set-{i}" in shown for i in range(9)] == [True] * 6 + [False] * 3
    assert "and 3 more data sets" in shown


def test_long_names_and_causes_keep_to_their_line(clock: Clock, job: Job) -> None:
    console, written = terminal()
    with job_bar(console=console, lines=True, clock=clock) as tell:
        failure = ended(job, "failed", "ValueError: " + "no good " * 50)
        tell(Progress(20, 2, 1, failure, job, {"name" * 30: (2, 20)}))
    lines = [line for line in screen(written).replace("\x1b[?25h", "").splitlines() if line]
    assert len(lines) == 3
    assert max(map(len, lines)) <= 100


def test_a_run_that_cannot_begin_shows_nothing(clock: Clock) -> None:
    shown = []
    for console, written in (terminal(), not_a_terminal()):
        with pytest.raises(RuntimeError), job_bar(console=console, lines=True, clock=clock):
            raise RuntimeError
        shown.append(written.getvalue())
    # Before Rich 15 a live display that showed nothing ends in an empty line.
    assert shown[0].replace("\n", "") == "\x1b[?25l\x1b[?25h"
    assert shown[1] == ""


# --- elsewhere -------------------------------------------------------------------------------


def test_a_line_every_ten_seconds_and_at_the_end(clock: Clock, job: Job) -> None:
    console, written = not_a_terminal()
    with job_bar(console=console, lines=True, clock=clock) as tell:
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
    with job_bar(console=console, lines=True, clock=clock) as tell:
        tell(Progress(400, 100, 0, seconds_left=seconds))
        clock.now += 1
    assert written.getvalue().splitlines()[-1] == f"100/400 jobs, 0 failed, about {says} left"


def test_an_interrupted_run_says_how_far_it_was(clock: Clock) -> None:
    console, written = not_a_terminal()

    def run() -> None:
        with job_bar(console=console, lines=True, clock=clock) as tell:
            tell(Progress(400, 0, 0))
            clock.now += 2
            tell(Progress(400, 8, 3, seconds_left=98.0))
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run()
    assert written.getvalue() == "8/400 jobs, 3 failed, about 98 s left\n"


def test_nothing_left_to_do_is_one_line(clock: Clock) -> None:
    console, written = not_a_terminal()
    with job_bar(console=console, lines=True, clock=clock) as tell:
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
    with Store(tmp_path / "e.db") as store, job_bar(console=console, lines=True) as tell:

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


# --- in a notebook, and elsewhere -----------------------------------------------------------------


class Notebook:
    """Stands in for IPython in a kernel, and remembers what its cells show."""

    kernel = object()

    def __init__(self) -> None:
        self.shown: list[dict[str, str]] = []
        self.displays = 0
        self.display = SimpleNamespace(display=self._display)

    def get_ipython(self) -> "Notebook":
        return self

    def _display(self, bundle: dict[str, str], *, raw: bool, display_id: bool) -> Any:
        assert raw
        assert display_id
        self.displays += 1
        return SimpleNamespace(update=lambda told, *, raw: self.shown.append(told))


@pytest.fixture
def notebook(monkeypatch: pytest.MonkeyPatch) -> Notebook:
    made = Notebook()
    monkeypatch.setitem(sys.modules, "IPython", made)
    monkeypatch.setattr(bars, "_NOTEBOOK_SECONDS", 0.0)
    monkeypatch.setattr(bars, "_PATIENCE", 0.0)
    return made


def test_a_notebook_shows_steps_and_takes_them_away(notebook: Notebook) -> None:
    with bars.steps("auditing", 2) as step:
        step("one")
        step("<two>")
    first, second, last = notebook.shown
    assert first["text/plain"] == "auditing: one 0/2"
    assert second["text/plain"] == "auditing: <two> 1/2"
    assert "&lt;two&gt;" in second["text/html"]
    assert "<progress value='1' max='2'" in second["text/html"]
    assert last == {"text/html": "", "text/plain": ""}


def test_a_run_in_a_notebook_shows_bars_unasked(
    notebook: Notebook, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def run(**options: Any) -> None:
        learners = {"nb": GaussianNB(), "bad": bad.Raises()}
        palio.run(
            ["sklearn:wine", "sklearn:iris"], learners, resampling="half", engine="inline",
            store=tmp_path / "e.db", **options,
        )  # fmt: skip

    run()
    last = notebook.shown[-1]["text/plain"].splitlines()
    assert last[0] == "jobs 4/4 2 failed"
    assert last[-1].startswith("last failure: bad on ")
    assert notebook.displays == 1
    run(progress=False)
    assert notebook.displays == 1
    run(progress=True)
    assert notebook.displays == 2
    assert capsys.readouterr() == ("", "")


def test_what_takes_no_time_shows_nothing(
    notebook: Notebook, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bars, "_PATIENCE", 60.0)
    with bars.steps("auditing", 1) as step:
        step("one")
    assert notebook.displays == 0


def test_what_takes_long_is_shown_before_its_first_step_ends(
    notebook: Notebook, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bars, "_PATIENCE", 0.01)
    with bars.steps("auditing", 1) as step:
        step("one")
        until = time.monotonic() + 10
        while not notebook.displays and time.monotonic() < until:
            time.sleep(0.01)
        assert notebook.displays == 1


def test_work_inside_work_is_not_shown_twice(notebook: Notebook) -> None:
    told: list[str] = []
    with bars.steps("outside", 1), bars.steps("inside", 1):
        pass
    assert notebook.displays == 1
    for given in (told.append, False):
        with bars.steps("outside", 1, given) as step, bars.steps("inside", 1) as inner:
            step("of mine")
            inner("not of mine")
    assert (notebook.displays, told) == (1, ["of mine"])
    with bars.unwatched(), bars.steps("for others", 1):
        pass
    assert notebook.displays == 1
    with bars.steps("again", 1):
        pass
    assert notebook.displays == 2


LONG: dict[str, Callable[..., object]] = {
    "audit": lambda table, **options: palio.audit(table, only=["leave-one-out"], **options),
    "analyse": lambda table, **options: palio.analyse(table, checks=[], **options),
    "power": lambda table, **options: palio.power(table, trials=5, n_datasets=[10], **options),
    "hierarchical": lambda table, **options: palio.bayes.hierarchical(
        table.select(datasets=table.datasets[:3]), draws=50, chains=2, **options
    ),
    "evaluate_recommendation": lambda table, **options: palio.evaluate_recommendation(
        table,
        [Described(name, 9, {"x": float(i)}) for i, name in enumerate(table.datasets)],
        nearest=[1],
        **options,
    ),
}


@pytest.mark.parametrize("name", LONG)
def test_every_long_function_tells(notebook: Notebook, name: str) -> None:
    table = palio.load_study("ulas2008").select(algorithms=["svr", "c45"])
    LONG[name](table)
    assert notebook.displays > 0
    assert notebook.shown[0]["text/plain"]


def test_a_function_is_told_instead(notebook: Notebook) -> None:
    told: list[object] = []
    LONG["audit"](palio.load_study("ulas2008"), progress=told.append)
    assert (told, notebook.displays) == (["leave-one-out"], 0)


def test_nothing_is_shown_where_nobody_looks(capfd: pytest.CaptureFixture[str]) -> None:
    palio.audit(palio.load_study("ulas2008"), only=["leave-one-out"])
    with bars.job_bar() as tell, bars.steps("auditing", 1, True) as step:
        step("one")
        tell(Progress(2, 1, 0))
    assert capfd.readouterr() == ("", "")


def test_progress_is_a_function_or_a_word() -> None:
    with pytest.raises(ParameterError, match="progress: it is True, False or a function"):
        palio.audit(palio.load_study("ulas2008"), only=["luck"], progress="yes")  # type: ignore[arg-type]
