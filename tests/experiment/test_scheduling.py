"""What is left to do: which rows say enough for what a run is for."""

import json
import platform
from pathlib import Path

from palio.experiment.outcome import FoldOutcome, JobOutcome
from palio.experiment.scheduling import Costs
from palio.experiment.store.store import Mark, Store


def marked(status: str = "ok", **machine: str) -> Mark:
    return Mark(status, 1.0, json.dumps(machine))


def test_costs_are_those_of_this_machine_with_nothing_beside(tmp_path: Path) -> None:
    here = platform.node()
    marks = {
        "done": marked(exclusive="yes", host=here),
        "elsewhere": marked(exclusive="yes", host=f"not {here}"),
        "in company": marked(host=here),
        "failed": marked("failed"),
    }
    with Store(tmp_path / "e.db") as store:
        assert Costs(store).done(marks) == {"done", "failed"}


def test_a_job_that_fails_when_measured_again_keeps_its_row(tmp_path: Path) -> None:
    fold = FoldOutcome(1, {"accuracy": 0.5}, {"fit_time": 1.0})
    with Store(tmp_path / "e.db") as store:
        store.save([JobOutcome("k", "ok", (fold,), machine={"host": "first"})])
        before = store.marks()
        costs = Costs(store)
        costs.save([JobOutcome("k", "killed", machine={"host": "second"})])
        assert store.marks() == before
        assert costs.changed == 0
