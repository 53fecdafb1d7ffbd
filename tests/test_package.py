"""The package as a whole: its public names, and what importing it costs."""

import subprocess
import sys

import pytest

import palio


def loaded_by(statement: str) -> set[str]:
    code = f"{statement}; import sys; sys.stdout.write(' '.join(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return {name.split(".")[0] for name in done.stdout.split()}


HEAVY = {"numpy", "scipy", "pandas", "narwhals", "matplotlib", "rich"}


def test_import_palio_is_lazy() -> None:
    assert not loaded_by("import palio") & HEAVY


def test_help_loads_nothing_heavy() -> None:
    assert not loaded_by("import palio.app.cli") & (HEAVY - {"rich"})


def test_ordering_loads_neither_pandas_nor_matplotlib() -> None:
    assert not loaded_by("from palio.ordering import multitest") & {"pandas", "matplotlib"}


def test_every_public_name_is_there() -> None:
    for name in palio.__all__:
        assert getattr(palio, name) is not None
    assert set(dir(palio)) >= {"read_scores", "load_study", "multitest", "multi2test", "reproduce"}
    with pytest.raises(AttributeError, match="multitset"):
        _ = palio.multitset
