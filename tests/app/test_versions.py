"""``palio --version``, and the scripts that complete verbs and options."""

import json
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Literal

import pytest

import palio
from palio.app.cli import completing, main
from palio.app.verbs import VERBS
from palio.app.versions import installed
from palio.extras import CORE, EXTRAS, distribution
from tests.slow import mostly_slow

PYPROJECT = Path(__file__).parents[2] / "pyproject.toml"


def test_the_first_line_is_the_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == f"palio {palio.__version__}"
    assert lines[1].startswith(f"Python    {sys.version.split()[0]} ")
    assert max(map(len, lines)) <= 80
    assert [line.split()[0] for line in lines[3:] if line[0] != " "] == ["core", *EXTRAS]
    assert main(["order", "--version"]) == 0
    assert capsys.readouterr().out.splitlines() == lines


def test_for_scripts(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version", "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["palio"] == palio.__version__
    assert said["core"].keys() == {distribution(module) for module in CORE}
    assert said["extras"].keys() == EXTRAS.keys()


def test_what_is_absent_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("palio.app.versions.EXTRAS", {"one": ("numpy", "no_such"), "two": ("nor",)})
    text = str(installed())
    assert re.search(r"^one       numpy [\d.]+\S*; without no_such$", text, re.MULTILINE)
    assert re.search(r"^two       not installed \(nor\)$", text, re.MULTILINE)


def test_nothing_is_loaded_for_it() -> None:
    code = (
        "import sys; from palio.app.cli import main; main(['--version']);"
        "sys.stderr.write(' '.join(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not {"numpy", "pandas", "scipy", "sklearn"} & set(done.stderr.split())


def test_the_core_is_what_the_package_depends_on() -> None:
    needed = tomllib.loads(PYPROJECT.read_text(encoding="utf-8"))["project"]["dependencies"]
    assert {distribution(module) for module in CORE} == {each.partition(">")[0] for each in needed}


def test_as_a_module() -> None:
    command = [sys.executable, "-m", "palio", "--version"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.startswith(f"palio {palio.__version__}\n")


@pytest.mark.parametrize("shell", mostly_slow(["bash", "zsh", "fish"], 1))
def test_every_shell_has_a_script(shell: Literal["bash", "zsh", "fish"]) -> None:
    script = completing().generate_completion(shell=shell)
    assert {verb for verb in VERBS if not re.search(rf"\b{verb}\b", script)} == set()
    assert re.search(r"-l train-time|-l cost\b|--cost\b", script)


@pytest.fixture(scope="module")
def bash(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Give what bash offers for a line, in a folder with one file."""
    if shutil.which("bash") is None:
        pytest.skip("there is no bash here")
    folder = tmp_path_factory.mktemp("completion")
    (folder / "results.csv").touch()
    script = folder / "script"
    script.write_text(completing().generate_completion(shell="bash"), encoding="utf-8")

    def offered(*words: str) -> list[str]:
        line = " ".join(f"'{word}'" for word in ("palio", *words))
        code = (
            f"source {script}; COMP_WORDS=({line}); COMP_CWORD={len(words)}; _palio;"
            'printf "%s\\n" "${COMPREPLY[@]}"; complete -p palio'
        )
        done = subprocess.run(
            ["bash", "--norc", "-c", code], cwd=folder, capture_output=True, text=True, check=True
        )
        return done.stdout.splitlines()

    return SimpleNamespace(offered=offered)


def test_bash_completes_verbs_options_and_files(bash: Any) -> None:
    assert bash.offered("ord")[0] == "order"
    assert bash.offered("order", "results.csv", "--cos")[:2] == ["--cost", "--costs"]
    # With nothing of its own to offer, the shell offers files.
    assert bash.offered("order", "res") == ["", "complete -o default -F _palio palio"]


def test_it_is_installed_where_it_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    assert main(["--install-completion", "--shell", "fish"]) == 0
    script = tmp_path / ".config" / "fish" / "completions" / "palio.fish"
    assert str(script) in capsys.readouterr().out
    assert "complete -c palio" in script.read_text(encoding="utf-8")
    told = tmp_path / "palio.fish"  # a name with a dot is no table here
    assert main(["--install-completion", "--shell", "fish", "--output", str(told)]) == 0
    assert told.read_bytes() == script.read_bytes()
