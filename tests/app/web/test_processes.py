"""The processes that answer: killed while they start, work or wait, they take nobody along."""

import asyncio
import contextlib
import os
import pickle
import random
import signal
import time
from collections import Counter
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest

from palio.app.web.cache import Memory
from palio.app.web.processes import Processes, _Worker
from palio.app.web.server import application
from palio.app.web.settings import GIGABYTE, OverloadError, Settings
from palio.errors import ParameterError
from tests.app.web import fuzzed
from tests.app.web.inside import fail_oddly, kill, refuse, reserve, reserve_and_wait

pytestmark = pytest.mark.posix("kills, stops or interrupts processes by signals")

Scene = Callable[[Processes], Coroutine[Any, Any, None]]


def played(scene: Scene, **settings: Any) -> None:
    """Play a scene with one process that answers, and one that draws."""

    async def play() -> None:
        processes = Processes(Settings(**{"workers": 1, "seconds": 10.0, **settings}))
        try:
            await scene(processes)
        finally:
            processes.close()

    asyncio.run(play())


def test_what_takes_too_long_or_dies_is_the_askers_trouble_alone() -> None:
    async def scene(processes: Processes) -> None:
        assert await processes.run(os.getpid) != os.getpid()
        with pytest.raises(OverloadError, match="took longer than 3 s"):
            await processes.run(time.sleep, 60)
        with pytest.raises(OverloadError, match="died"):
            await processes.run(os._exit, 3)
        with pytest.raises(ParameterError, match="alpha"):
            await processes.run(refuse, "alpha: no.")
        # And then it goes on.
        assert await processes.run(abs, -3) == 3

    played(scene, seconds=3.0)


def test_a_question_whose_process_is_killed_is_asked_once_more(tmp_path: Path) -> None:
    async def scene(processes: Processes) -> None:
        assert await processes.run(kill, str(tmp_path), 1) == "alive"
        with pytest.raises(OverloadError, match="died, and so did the next"):
            await processes.run(kill, str(tmp_path), 3)
        assert await processes.run(kill, str(tmp_path), 3) == "alive"

    played(scene)


def test_one_that_is_killed_while_it_waits_is_not_missed() -> None:
    async def scene(processes: Processes) -> None:
        for _ in range(3):
            first = await processes.run(os.getpid)
            os.kill(first, signal.SIGKILL)
            assert await processes.run(os.getpid) not in (first, os.getpid())

    played(scene)


def test_one_that_is_killed_while_it_starts_is_not_missed() -> None:
    async def scene(processes: Processes) -> None:
        asked = asyncio.ensure_future(processes.run(os.getpid))
        while not processes.pids:
            await asyncio.sleep(0.001)
        (started,) = processes.pids
        os.kill(started, signal.SIGKILL)
        assert await asked not in (started, os.getpid())
        # Two that are killed while they start are too many for one question, and for no other.
        os.kill(await processes.run(os.getpid), signal.SIGKILL)
        asked, gone = asyncio.ensure_future(processes.run(os.getpid)), set[int]()
        while not asked.done():
            for pid in {*processes.pids} - gone if len(gone) < 3 else ():
                os.kill(pid, signal.SIGKILL)
                gone.add(pid)
            await asyncio.sleep(0.001)
        assert isinstance(asked.exception(), OverloadError)
        assert await processes.run(abs, -3) == 3

    played(scene)


def test_one_that_is_stopped_is_noticed_at_the_time_limit() -> None:
    async def scene(processes: Processes) -> None:
        stopped = await processes.run(os.getpid)
        os.kill(stopped, signal.SIGSTOP)
        # More than a pipe holds, so that not even asking comes to an end.
        with pytest.raises(OverloadError, match="took longer than 2 s"):
            await processes.run(len, bytes(1_000_000))
        assert await processes.run(os.getpid) != stopped

    played(scene, seconds=2.0)


@pytest.mark.linux("a limit that the system holds")
def test_memory_is_limited_and_what_is_short_of_it_ends_as_a_sentence() -> None:
    async def scene(processes: Processes) -> None:
        assert await processes.run(reserve, GIGABYTE // 2) == GIGABYTE // 2
        with pytest.raises(OverloadError, match="more memory than the 1 GB that a process may"):
            await processes.run(reserve, 20 * GIGABYTE)
        assert await processes.run(abs, -3) == 3

    played(scene, worker_bytes=GIGABYTE)


def test_where_the_system_holds_no_memory_it_is_watched(monkeypatch: pytest.MonkeyPatch) -> None:
    worker = _Worker(0, 4 * GIGABYTE, Memory(most_bytes=1))
    monkeypatch.setattr(worker, "_most_bytes", 200_000_000)
    try:
        before = worker.ask(pickle.dumps((os.getpid, ())), 60)
        with pytest.raises(MemoryError):
            worker.ask(pickle.dumps((reserve_and_wait, (300_000_000, 30.0))), 60)
        assert worker.ask(pickle.dumps((os.getpid, ())), 60) != before
    finally:
        worker.close()


def test_an_error_that_cannot_be_sent_is_still_one_error() -> None:
    async def scene(processes: Processes) -> None:
        first = await processes.run(os.getpid)
        with pytest.raises(RuntimeError, match="a secret of the worker"):
            await processes.run(fail_oddly)
        assert await processes.run(os.getpid) == first

    played(scene)


def test_they_end_with_the_server_whatever_they_are_at() -> None:
    async def scene() -> list[int]:
        processes = Processes(Settings(workers=2))
        waiting = [asyncio.ensure_future(processes.run(time.sleep, 60)) for _ in range(5)]
        while len(processes.pids) < 2:
            await asyncio.sleep(0.01)
        pids = processes.pids
        processes.close()
        await asyncio.gather(*waiting, return_exceptions=True)
        return pids

    for pid in asyncio.run(scene()):
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


# --- a server whose workers are killed ------------------------------------------------------------


async def besieged(requests: int, kills: int, seed: int) -> dict[int, int]:
    """Ask a server so much at once while its workers are killed; return the answers by status.

    When the killing is over it must answer as ever.
    """
    drawn = random.Random(seed)
    app = application(Settings(workers=2))
    server = app.state.server
    server.open()

    async def kill_some() -> None:
        for _ in range(kills):
            await asyncio.sleep(drawn.uniform(0.01, 0.4))
            if pids := server._processes.pids:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(drawn.choice(pids), signal.SIGKILL)

    async def ask(i: int) -> int:
        path = ("answer", "pools", "focus", "figures/critical-difference.svg")[i % 4]
        query = f"table=study-ulas2008&focus=mlp&alpha={0.01 + i / 10_000}"
        return (await fuzzed.asked(app, "GET", f"/api/{path}", query.encode()))[0]

    try:
        killing = asyncio.ensure_future(kill_some())
        found = Counter(await asyncio.gather(*map(ask, range(requests))))
        await killing
        assert [await ask(i) for i in range(requests, requests + 4)] == [200] * 4
    finally:
        server.close()
    return dict(found)


def test_a_server_whose_workers_are_killed_answers_or_says_so() -> None:
    found = asyncio.run(besieged(requests=8, kills=2, seed=1))
    assert set(found) <= {200, 503}


@pytest.mark.slow
def test_two_hundred_requests_at_once_while_workers_are_killed(
    capsys: pytest.CaptureFixture[str],
) -> None:
    rows = [asyncio.run(besieged(requests=200, kills=40, seed=seed)) for seed in range(3)]
    with capsys.disabled():
        print("\n  kills  asked    200    503    500")  # noqa: T201
        for found in rows:
            counts = (40, sum(found.values()), *(found.get(each, 0) for each in (200, 503, 500)))
            print("".join(f"{each:7}" for each in counts))  # noqa: T201
    assert all(set(found) <= {200, 503} for found in rows)
