"""What is particular to each system, and that nothing else in the package is."""

import ctypes
import importlib
import os
import re
import signal
import socket
import subprocess
import sys
import threading
from pathlib import Path, PureWindowsPath
from types import SimpleNamespace
from typing import Any

import pytest

import palio
from palio.experiment.store import locks
from palio.scores import sources
from palio.systems import System, system

if not hasattr(os, "fork"):
    pytest.skip("the other systems are played on a POSIX one", allow_module_level=True)

from palio.systems.posix import MacOS, Posix

Windows: Any = importlib.import_module("palio.systems.windows").Windows

PACKAGE = Path(palio.__file__).parent
# What some system has not; mypy looks for more, by `make lint-platforms`.
PARTICULAR = re.compile(
    r"\b(import (fcntl|resource|msvcrt|pwd|grp|termios)\b|sys\.platform|os\.name\b|/proc/"
    r"|os\.(pread|pwrite|geteuid|getuid|fork|killpg|nice|setsid|mkfifo)\b"
    r"|signal\.(SIGKILL|SIGHUP|SIGSTOP|alarm|setitimer|pthread_sigmask)\b|SO_REUSEADDR|shlex)"
)


def test_only_one_room_knows_which_system_it_is() -> None:
    knowing = {
        str(path.relative_to(PACKAGE))
        for path in PACKAGE.rglob("*.py")
        if "systems" not in path.relative_to(PACKAGE).parts[:1]
        and PARTICULAR.search(path.read_text(encoding="utf-8"))
    }
    # Scripts of a cluster are for its shell, whatever system writes them.
    assert knowing == {"app/verbs/submit.py"}


# --- locks -----------------------------------------------------------------------------------


@pytest.fixture(params=[Posix, Windows])
def here(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> System:
    """Have stores locked as another system does it."""
    made: System = request.param()
    monkeypatch.setattr(locks, "system", lambda: made)
    return made


def test_one_run_has_the_lock_and_tells_its_jobs(here: System, tmp_path: Path) -> None:
    place = str(tmp_path / "e.db")
    assert locks.run_at(place) == locks.Running(False)
    first = locks.OneWriter(place)
    first.tell(["b", "a"])
    assert locks.run_at(place) == locks.Running(True, frozenset("ab"))
    with pytest.raises(palio.errors.PalioError, match="another run is writing"):
        locks.OneWriter(place)
    assert locks.run_at(place).keys == frozenset("ab")  # who is refused leaves it as it is
    first.close()
    assert locks.run_at(place) == locks.Running(False)
    locks.OneWriter(place).close()


def test_who_looks_never_takes_another_that_looks_for_a_run(here: System, tmp_path: Path) -> None:
    place = str(tmp_path / "e.db")
    locks.OneWriter(place).close()
    found: list[bool | None] = []

    def look() -> None:
        found.extend(locks.run_at(place).goes_on for _ in range(20))

    threads = [threading.Thread(target=look) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [False] * 60


def test_what_an_older_version_tells_is_read_and_the_other_way_round(tmp_path: Path) -> None:
    """It wrote the list from the first byte on, and reads it from there."""
    import fcntl
    import json

    place = tmp_path / "e.db"
    with Path(f"{place}.lock").open("w+") as old:
        fcntl.flock(old, fcntl.LOCK_EX | fcntl.LOCK_NB)
        old.write('["key"]')
        old.flush()
        assert locks.run_at(str(place)) == locks.Running(True, frozenset({"key"}))
        with pytest.raises(palio.errors.PalioError, match="another run is writing"):
            locks.OneWriter(str(place))
    new = locks.OneWriter(str(place))
    new.tell(["key"])
    with Path(f"{place}.lock").open() as old:
        assert json.loads(old.read()) == ["key"]
        with pytest.raises(BlockingIOError):
            fcntl.flock(old, fcntl.LOCK_SH | fcntl.LOCK_NB)
    new.close()


def test_on_windows_nobody_reads_the_byte_that_is_locked(tmp_path: Path) -> None:
    place = str(tmp_path / "e.db")
    first = locks.OneWriter(place)
    first.tell(["a"])
    content = Path(f"{place}.lock").read_bytes()
    first.close()
    assert locks._keys(content[Windows.first_readable :]) == frozenset("a")


# --- Ctrl-C, addresses, shells ----------------------------------------------------------------


STARTS = """
import signal
from multiprocessing import get_context
from palio.systems import system

def is_blocked():
    return signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, [])

with system().uninterrupted():
    get_context("spawn").Lock()
    print(is_blocked())
print(is_blocked())
"""


def test_the_first_process_that_starts_is_not_interrupted_either() -> None:
    """Python starts one of its own before, after which it lets the signal through again."""
    done = subprocess.run([sys.executable, "-c", STARTS], capture_output=True, check=True)
    assert done.stdout.split() == [b"True", b"False"]


def test_windows_ignores_ctrl_c_while_processes_start(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[tuple[Any, ...]] = []
    kernel = SimpleNamespace(SetConsoleCtrlHandler=lambda *given: calls.append(given))
    windll = SimpleNamespace(kernel32=kernel)
    monkeypatch.setattr(ctypes, "windll", windll, raising=False)
    with pytest.raises(OSError, match="no room"), Windows().uninterrupted():
        raise OSError("no room")
    assert calls == [(None, True), (None, False)]


def test_windows_has_no_address_shared(monkeypatch: pytest.MonkeyPatch) -> None:
    set_to: list[tuple[int, int, int]] = []
    monkeypatch.setattr(socket, "SO_EXCLUSIVEADDRUSE", -5, raising=False)
    listener: Any = SimpleNamespace(setsockopt=lambda *given: set_to.append(given))
    Windows().claim_address(listener)
    assert set_to == [(socket.SOL_SOCKET, -5, 1)]


def test_commands_can_be_copied_into_the_shell() -> None:
    words = ["palio", "order", r"C:\my data\r.csv", "R&D.csv", 'say "a"', "plain.csv", ""]
    assert Windows().typed(words) == (
        r'palio order "C:\my data\r.csv" "R&D.csv" "say \"a\"" plain.csv ""'
    )
    assert Posix().typed(["palio", "my r.csv"]) == "palio 'my r.csv'"


def test_standard_input_is_known_by_its_path_on_windows_too(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sources, "_from_stream", lambda *_given: Ellipsis)
    found: object = sources._from_path(PureWindowsPath("/dev/stdin"), "source")
    assert found is Ellipsis


def test_every_system_says_what_ends_a_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(signal, "SIGBREAK", signal.SIGUSR1, raising=False)
    for each in (Posix(), MacOS(), Windows(), system()):
        assert signal.SIGINT in each.interruptions
        assert len(set(each.interruptions)) == 3


# --- memory -----------------------------------------------------------------------------------


def test_the_memory_of_a_process_and_of_none() -> None:
    assert system().memory_of(os.getpid()) > 10_000_000
    assert system().memory_of(2**22 + 1) == 0


def test_where_nothing_holds_a_process_to_its_memory_nothing_pretends_to() -> None:
    with MacOS().held_to(1):
        assert len(bytearray(10_000_000)) == 10_000_000
    MacOS().hold_to(1)
    assert MacOS().memory_gauge()[0] == "polling"
    assert not Windows.holds_memory
    assert not MacOS.holds_memory


def test_a_softer_limit_is_noted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from sklearn.naive_bayes import GaussianNB  # type: ignore[import-untyped]

    from palio.experiment import runner

    monkeypatch.setattr(runner, "run_plan", lambda *_given, **_options: SimpleNamespace(changed=0))
    table = palio.load_study("ulas2008")
    monkeypatch.setattr(runner, "read_store", lambda *_given, **_options: table)

    def notes(limit: int | None) -> tuple[str, ...]:
        store = tmp_path / "e.db"
        made = runner.run(["sklearn:iris"], {"nb": GaussianNB()}, store=store, memory_limit=limit)
        return made.notes[len(table.notes) :]

    monkeypatch.setattr(runner, "system", MacOS)
    assert notes(10**9) == (runner.WATCHED,)
    assert notes(None) == ()
    monkeypatch.setattr(runner, "system", lambda: SimpleNamespace(holds_memory=True))
    assert notes(10**9) == ()


def test_files_on_several_drives_are_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    from palio.scores.importers import tables

    def refuse(_paths: object) -> str:
        raise ValueError("Paths don't have the same drive")

    monkeypatch.setattr(os.path, "commonpath", refuse)
    assert tables.names_of_files([Path("/c/knn.csv"), Path("/d/svm.csv")]) == ["c/knn", "d/svm"]


def test_what_code_can_change_for_other_code_is_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = system().process_state()
    assert system().process_state() == before
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PALIO_TEST", "1")
    now = system().process_state()
    assert {name for name in now if now[name] != before[name]} == {"current folder", "environment"}
