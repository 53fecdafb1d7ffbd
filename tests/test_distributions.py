"""What is published: the wheel and the source, as ``make dist`` builds them."""

import email
import re
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Iterator
from email.message import Message
from pathlib import Path

import pytest

import palio

ROOT = Path(__file__).parent.parent
MOST_BYTES = 2_000_000

pytest.importorskip("hatchling", reason="it builds the wheel")
pytest.importorskip("hatch_fancy_pypi_readme", reason="it writes the index's README")


def build(source: Path, target: Path, kind: str) -> Path:
    command = [sys.executable, "-m", "hatchling", "build", "-t", kind, "-d", str(target)]
    subprocess.run(command, cwd=source, check=True, capture_output=True)
    (made,) = target.iterdir()
    return made


@pytest.fixture(scope="module")
def sdist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(ROOT, tmp_path_factory.mktemp("sdist"), "sdist")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(ROOT, tmp_path_factory.mktemp("wheel"), "wheel")


def names_in(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as archive:
        return set(archive.namelist())


@pytest.fixture(scope="module")
def metadata(wheel: Path) -> Message:
    (name,) = (name for name in names_in(wheel) if name.endswith(".dist-info/METADATA"))
    with zipfile.ZipFile(wheel) as archive:
        return email.message_from_bytes(archive.read(name))


def test_the_wheel_is_light(wheel: Path) -> None:
    assert wheel.stat().st_size < MOST_BYTES


def files_of(folder: Path) -> Iterator[str]:
    for path in folder.rglob("*"):
        if path.is_file() and "__pycache__" not in path.parts:
            yield path.relative_to(folder.parent).as_posix()


def test_the_wheel_holds_the_package_and_nothing_else(wheel: Path) -> None:
    described = {name for name in names_in(wheel) if name.split("/")[0].endswith(".dist-info")}
    assert names_in(wheel) - described == set(files_of(ROOT / "src" / "palio"))
    assert {name.partition("/")[2] for name in described} == {
        *("METADATA", "RECORD", "WHEEL", "entry_points.txt", "licenses/LICENSE")
    }
    assert "palio/py.typed" in names_in(wheel)


def test_the_wheel_says_what_it_is(wheel: Path, metadata: Message) -> None:
    assert wheel.name == f"palio-{palio.__version__}-py3-none-any.whl"
    assert metadata["Version"] == palio.__version__
    assert metadata["License-Expression"] == "BSD-3-Clause"
    assert metadata["Requires-Python"] == ">=3.11"
    assert {"all", "run", "web"} <= set(metadata.get_all("Provides-Extra", []))


def test_the_readme_leads_nowhere_on_the_index(metadata: Message) -> None:
    """A picture or a page of the repository is not there."""
    text = str(metadata.get_payload())
    assert metadata["Description-Content-Type"] == "text/markdown"
    assert text.startswith("# Palio\n")
    assert re.findall(r"!?\[[^\]]*\]\((?!https?:)[^)]*\)", text) == []


def test_the_source_holds_what_its_tests_need(sdist: Path) -> None:
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    tests = {name for name in files_of(ROOT / "tests") if not name.endswith(".pyc")}
    assert tests <= names
    assert {"Makefile", "README.md", "constraints.txt", "docs/conf.py", "tools/release.py"} <= names
    assert [name for name in names if "__pycache__" in name or name.startswith(".git/")] == []
    assert sdist.stat().st_size < 2 * MOST_BYTES


def test_the_source_builds_the_same_wheel_byte_by_byte(
    sdist: Path, wheel: Path, tmp_path: Path
) -> None:
    with tarfile.open(sdist) as archive:
        archive.extractall(tmp_path, filter="data")
    (source,) = tmp_path.iterdir()
    again = build(source, tmp_path / "again", "wheel")
    assert again.name == wheel.name
    assert again.read_bytes() == wheel.read_bytes()
