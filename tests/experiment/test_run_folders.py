"""Temporary folders: those of dead runs are swept, others are not."""

import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from palio.errors import EngineError
from palio.experiment.engines import folders

SCRIPT = """
import sys, time
from palio.experiment.engines.folders import run_folder
with run_folder() as folder:
    sys.stdout.write(f"{folder}\\n")
    sys.stdout.flush()
    time.sleep(600)
"""


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    return tmp_path


@pytest.mark.posix("kills, stops or interrupts processes by signals")
def test_the_folder_of_a_killed_run_is_swept_at_the_next_start(place: Path) -> None:
    process = subprocess.Popen([sys.executable, "-c", SCRIPT], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    left = Path(process.stdout.readline().strip())
    assert left.parent == place
    (place / "palio-of-another-kind").mkdir()
    with folders.run_folder():
        assert left.exists()  # it is running
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()
    with folders.run_folder() as ours:
        assert not left.exists()
        assert sorted(place.iterdir()) == sorted([ours, place / "palio-of-another-kind"])
    assert not ours.exists()


@pytest.mark.posix("removes a file that is open")
def test_a_folder_that_is_swept_as_it_is_made_is_made_anew(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Someone who sweeps comes between the making of the lock and the taking of it."""
    taken, tries = folders._taken, []

    def late(lock: int) -> bool:
        tries.append(lock)
        if len(tries) == 1:
            monkeypatch.setattr(folders, "_taken", taken)
            assert len(folders.sweep()) == 1
            monkeypatch.setattr(folders, "_taken", late)
        return taken(lock)

    monkeypatch.setattr(folders, "sweep", folders.sweep)
    monkeypatch.setattr(folders, "_taken", late)
    folder, lock = folders._locked_folder()
    os.close(lock)
    assert len(tries) == 2
    assert list(place.iterdir()) == [folder]


def test_a_place_that_cannot_be_written_to_is_one_line(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(place / "none"))
    with pytest.raises(EngineError, match="none can be made: No such file"), folders.run_folder():
        pass
