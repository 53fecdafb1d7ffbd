"""Stores to work on, a SQLite file or a place on a PostgreSQL server; and every engine in turn."""

import itertools
from collections.abc import Iterator
from pathlib import Path

import pytest

from palio.experiment.engines import ENGINES, EngineKind
from tests.experiment.server import new_place, server

_numbers = itertools.count(1)


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[str]:
    with server() as url:
        yield url


@pytest.fixture
def postgres(postgres_server: str) -> str:
    """Return the URL of an empty place on the server."""
    return new_place(postgres_server, f"palio{next(_numbers)}")


@pytest.fixture(params=["sqlite", "postgresql"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Return a store that is not there yet, of either kind."""
    if request.param == "sqlite":
        return str(tmp_path / "e.db")
    url: str = request.getfixturevalue("postgres")
    return url


# A cluster is slow to start and to stop: `test_dask.py` has what is asked of it every time.
@pytest.fixture(
    params=[
        pytest.param(kind, id=name, marks=[pytest.mark.slow] if kind.clients else [])
        for name, kind in ENGINES.items()
    ]
)
def kind(request: pytest.FixtureRequest) -> EngineKind:
    entry: EngineKind = request.param
    if entry.clients:
        pytest.importorskip(entry.clients)
    return entry
