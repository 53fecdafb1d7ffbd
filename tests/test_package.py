"""The package as a whole: its public names, and what importing it costs."""

import subprocess
import sys
from pathlib import Path

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


def test_ordering_a_file_loads_what_it_needs(tmp_path: Path) -> None:
    """Of the audit what says how sure it is; neither models nor what draws.

    The time it takes is in benchmarks/.
    """
    path = tmp_path / "results.csv"
    palio.load_study("ulas2008").select(algorithms=["c45", "mdt", "svr"]).to_frame().to_csv(path)
    code = (
        "import sys; from palio.app.cli import main;"
        f"main(['order', {str(path)!r}, '--cost', 'train_time']);"
        "sys.stderr.write(' '.join(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(done.stderr.split())
    ours = {name for name in loaded if name.split(".")[0] == "palio"}
    assert "palio.ordering.methods" in ours
    assert len(ours) <= 132, "a verb loads what it needs: import within a function, or by `Later`"
    assert not loaded & {"numpy.f2py.crackfortran", "numpy.testing._private.utils"}
    assert not loaded & {"matplotlib", "pandas", "scipy.stats", "sklearn", "sqlalchemy", "pydantic"}
    unneeded = ("palio.bayes.models.", "palio.report.sections")
    assert [name for name in ours if name.startswith(unneeded)] == []
    audit = {name for name in ours if name.startswith("palio.comparison.audit.")}
    assert audit <= {
        f"palio.comparison.audit.{name}" for name in ("checks", "conventions", "items", "report")
    }
    drawing = {name for name in ours if name.startswith("palio.report.figures.")}
    assert drawing <= {"palio.report.figures.kinds"}


def test_every_public_name_is_there() -> None:
    for name in palio.__all__:
        assert getattr(palio, name) is not None
    assert set(dir(palio)) >= {"read_scores", "load_study", "multitest", "multi2test", "reproduce"}
    with pytest.raises(AttributeError, match="multitset"):
        _ = palio.multitset
