"""``palio submit``: the scripts, and what is done with what sbatch says; Slurm: `test_slurm.py`."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from tests.app.conftest import Run

pytestmark = pytest.mark.posix("Slurm is for Linux")

EXPERIMENT = """
datasets = ["sklearn:iris"]
store = "{store}"
[algorithms.nb]
estimator = "sklearn.naive_bayes:GaussianNB"
"""

SBATCH = """#!/bin/sh
echo "$@" >> {folder}/asked
echo "$((40 + $(wc -l < {folder}/asked)));cluster"
"""


@pytest.fixture
def toml(tmp_path: Path) -> Path:
    place = tmp_path / "e.toml"
    place.write_text(EXPERIMENT.format(store="results.db"), encoding="utf-8")
    return place


def pretend(folder: Path, monkeypatch: pytest.MonkeyPatch, script: str) -> None:
    """Put an sbatch into the PATH."""
    program = folder / "sbatch"
    program.write_text(script.format(folder=folder), encoding="utf-8")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")


def test_a_dry_run_prints_the_scripts_and_writes_nothing(run: Run, toml: Path) -> None:
    said = run("submit", str(toml), "--slurm", "--array", "100", "--cpus", "4",
               "--sbatch", "time=2:00:00 mem=4G", "--dry-run")  # fmt: skip
    parts = toml.parent / "results-parts"
    for line in (
        "#SBATCH --array=1-100", "#SBATCH --cpus-per-task=4", "#SBATCH --requeue",
        "#SBATCH --time=2:00:00", "#SBATCH --mem=4G", f"#SBATCH --output={parts}/part-%a.log",
    ):  # fmt: skip
        assert line in said.splitlines()
    assert f'-m palio run {toml} --part "$task/100" --store {parts}/part-"$task".db' in said
    assert '--n-jobs "${SLURM_CPUS_PER_TASK:-1}"' in said
    assert f"-m palio merge {toml.parent}/results.db {parts}/part-*.db" in said
    assert list(toml.parent.iterdir()) == [toml]


def test_a_shared_store_needs_no_parts_and_no_merge(run: Run, toml: Path) -> None:
    url = "postgresql://me:s3cr3t@host/db"
    toml.write_text(EXPERIMENT.format(store=url), encoding="utf-8")
    said = run("submit", str(toml), "--slurm", "--dry-run")
    assert "--part" not in said
    assert "merge" not in said
    assert "s3cr3t" not in said


def test_the_merge_waits_for_the_array(
    run: Run, toml: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pretend(tmp_path, monkeypatch, SBATCH)
    said = run("submit", str(toml), "--slurm", "--array", "3")
    parts = tmp_path / "results-parts"
    array, merge = (tmp_path / "asked").read_text().splitlines()
    assert array == f"--parsable {parts}/array.sh"
    assert merge == f"--parsable --dependency=afterany:41 {parts}/merge.sh"
    assert f"follow it: palio status {parts}" in said
    assert stat.S_IMODE((parts / "array.sh").stat().st_mode) == 0o600


def test_what_cannot_be_submitted(
    fail: Run, toml: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert f"palio submit {toml} --slurm" in fail("submit", str(toml))
    assert "at least 1" in fail("submit", str(toml), "--slurm", "--array", "0")
    monkeypatch.setenv("PATH", "/nowhere")
    assert "there is no sbatch on this machine" in fail("submit", str(toml), "--slurm")
    pretend(tmp_path, monkeypatch, "#!/bin/sh\necho 'Batch job submission failed' >&2\nexit 1\n")
    assert "Batch job submission failed" in fail("submit", str(toml), "--slurm")


def test_a_folder_of_parts_without_a_store(fail: Run, tmp_path: Path) -> None:
    assert "has no store yet; wait until the first part has begun" in fail("status", str(tmp_path))


def test_a_retry_of_a_part_runs_that_part_only(run: Run, toml: Path) -> None:
    store = toml.parent / "part.db"
    run("run", str(toml), "--part", "1/2", "--store", str(store), "--engine", "inline")
    said = run("retry", str(store))
    assert "part 1/2, 3 of the plan's 5 jobs: 3 ok" in said
