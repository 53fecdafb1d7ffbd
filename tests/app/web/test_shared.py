"""What one process has found out, the others need not: it is read once, and worked out once."""

import asyncio
import json
import pickle
from pathlib import Path

import pytest
from starlette.testclient import TestClient

import palio
from palio.app.options import Reading
from palio.app.web import answers, downloads, shared, worker
from palio.app.web.cache import Memory
from palio.app.web.processes import Processes
from palio.app.web.server import application
from palio.app.web.settings import Settings
from palio.app.web.tables import Asked, TableSource
from palio.report.question import Question
from tests.app.web import inside
from tests.app.web.conftest import HERE

QUESTIONS = [
    Question(),
    Question(cost="train_time", alpha=0.01, test="mean-ranks"),
    Question(algorithms=["svr", "c45", "lnp"], control="svr"),
    Question(datasets=["zoo"]),
    Question(method="multi2test", cost="space"),
]


def asked(path: Path, question: Question | None = None) -> Asked:
    source = TableSource(path.name, path.name, str(path), Reading())
    return Asked(source, question or Question())


def with_processes(settings: Settings, memory: Memory, asked: Asked) -> bytes:
    """Answer in one process, and draw in another, each of which counts what it does."""

    async def play() -> bytes:
        processes = Processes(settings, memory)
        try:
            await processes.run(inside.count)
            await processes.run(inside.count, slow=True)
            await processes.run(answers.answer, asked)
            await processes.run(downloads.figure, asked, "critical-difference", "svg", slow=True)
            await processes.run(answers.audit, asked, slow=True)
            quick = await processes.run(inside.counted)
            slow = await processes.run(inside.counted, slow=True)
            return json.dumps([quick, slow]).encode()
        finally:
            processes.close()

    return asyncio.run(play())


def test_a_figure_after_the_answer_reads_and_analyses_nothing(results: Path) -> None:
    memory = Memory(most_bytes=10_000_000)
    counts = json.loads(with_processes(Settings(workers=1), memory, asked(results)))
    assert counts == [{"read": 1, "analysed": 1}, {"read": 0, "analysed": 0}]
    assert len(memory) == 2


def test_without_room_each_process_works_for_itself(results: Path) -> None:
    memory = Memory(most_bytes=1)
    counts = json.loads(with_processes(Settings(workers=1), memory, asked(results)))
    assert counts == [{"read": 1, "analysed": 1}, {"read": 1, "analysed": 0}]
    # The newest is kept whatever its size, and nothing beside it.
    assert len(memory) == 1


@pytest.mark.parametrize("question", QUESTIONS)
def test_what_is_handed_over_says_the_same(results: Path, question: Question) -> None:
    made = palio.analyse(str(results), question, skip=("audit", "posterior"))
    known = worker._parts(made.table)
    content = shared.packed(made, known)
    again = shared.unpacked(content, known)
    assert again.table is made.table
    assert again.to_dict() == made.to_dict()
    # Every process has the table, or can have it.
    assert len(content) < len(shared.packed(made, {**known, "table": None}))


def test_what_is_too_large_or_cannot_be_written_is_not_handed_over(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    said: list[object] = []

    class Pipe:
        def send(self, what: object) -> None:
            said.append(what)

    monkeypatch.setattr(shared, "_server", [Pipe()])
    monkeypatch.setattr(shared, "LARGEST", 10)
    shared.keep("small", lambda: bytes(10))
    shared.keep("large", lambda: bytes(11))
    shared.keep("unwritable", lambda: pickle.dumps(lambda: None))
    assert said == [("keep", "small", bytes(10))]


def test_alone_there_is_nobody_to_share_with() -> None:
    def never() -> bytes:
        raise AssertionError("it is written for nobody")

    shared.keep("it", never)
    assert shared.ask("it") is None


def test_the_answers_and_what_is_shared_have_one_limit(results: Path) -> None:
    settings = Settings(workers=1, cache_bytes=150_000)
    app = application(settings, opened=str(results))
    with TestClient(app, base_url=HERE) as client:
        table = client.get("/api/start").json()["opened"]["id"]
        for alpha in (0.01, 0.02, 0.03, 0.05, 0.1):
            found = client.get(f"/api/answer?table={table}&alpha={alpha}")
            assert found.status_code == 200, found.text
            memory = app.state.server.memory
            assert len(memory) == 1 or memory.bytes <= 150_000
