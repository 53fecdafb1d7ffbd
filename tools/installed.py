"""What ``make dist`` made, tried where the repository is not: the wheel, and the source.

``python -m tools.installed wheel dist``: into an empty environment, first by itself, then with what
its README asks for. ``python -m tools.installed sdist dist TEST …``: unpacked, built and tested.
"""

import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


class Place:
    """A folder of its own with an empty environment in it, far from the repository."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "here"
        self.folder.mkdir()
        venv.create(folder / "environment", with_pip=True)
        self.bin = folder / "environment" / ("Scripts" if os.name == "nt" else "bin")
        # Neither what lies beside these modules nor what the caller has installed may be found.
        self.environment = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith("PYTHON") and name != "VIRTUAL_ENV"
        }

    def install(self, *what: str) -> None:
        """Install distributions."""
        self.run("python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *what)

    def run(self, program: str, *arguments: str, folder: Path | None = None) -> None:
        """Run a program of the environment, which must end well."""
        command = [str(self.bin / program), *arguments]
        sys.stdout.write(f"$ {' '.join([program, *arguments])}\n")
        sys.stdout.flush()
        subprocess.run(command, cwd=folder or self.folder, env=self.environment, check=True)


def try_wheel(wheel: Path, place: Place) -> None:
    """Install a wheel by itself and with all extras; run what a newcomer would."""
    place.install(str(wheel))
    shutil.copy(ROOT / "tests" / "without_extras.py", place.folder)
    place.run("python", "without_extras.py")
    place.run("palio", "--version")
    place.run("palio", "--install-completion", "--shell", "fish", "--output", "palio.fish")
    place.run("python", "-m", "palio", "study:ulas2008")
    place.install(f"{wheel}[all]", "pytest")
    place.run("palio", "demo")
    _copy_readme(place.folder)
    place.run("python", "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests")


def _copy_readme(folder: Path) -> None:
    """Copy the README, and what runs the examples in it."""
    shutil.copy(ROOT / "README.md", folder)
    shutil.copytree(
        ROOT / "tests" / "docs",
        folder / "tests" / "docs",
        ignore=lambda _, names: {*names} - {"blocks.py", "written.py", "test_examples.py"},
    )


def try_sdist(sdist: Path, place: Place, tests: list[str]) -> None:
    """Unpack the source, build it, and run its tests: the quick ones, unless some are told."""
    with tarfile.open(sdist) as archive:
        archive.extractall(place.folder, filter="data")
    (source,) = place.folder.iterdir()
    place.install("--editable", f"{source}[all,docs,test]")
    place.run(
        "python", "-m", "pytest", "-q", "-n", "auto", "--dist", "loadfile", *tests, folder=source
    )


if __name__ == "__main__":
    kind, made, *told = sys.argv[1:]
    (found,) = Path(made).resolve().glob("*.whl" if kind == "wheel" else "*.tar.gz")
    with tempfile.TemporaryDirectory() as temporary:
        Path(temporary).chmod(0o755)  # a test runs as nobody, who must find the environment
        if kind == "wheel":
            try_wheel(found, Place(Path(temporary)))
        else:
            try_sdist(found, Place(Path(temporary)), told)
