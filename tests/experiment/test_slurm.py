"""Parts of an experiment on a real Slurm, started here: submitted, requeued, merged, followed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

import palio
from palio.app.cli import main
from palio.experiment.store.store import Store
from tests.experiment.slurm import cluster, slurm, wait_until

pytestmark = [pytest.mark.slow, pytest.mark.posix("Slurm is for Linux")]

EXPERIMENT = """
datasets = ["sklearn:iris", "sklearn:wine"]
resampling = "4x2"
store = "{store}"

[algorithms]
nb.estimator = "sklearn.naive_bayes:GaussianNB"

[algorithms.forest]
estimator = "sklearn.ensemble:RandomForestClassifier"
params = {{ n_estimators = {trees} }}
"""


@pytest.fixture(scope="module", autouse=True)
def running() -> Iterator[Path]:
    with cluster() as folder:
        yield folder


def written(folder: Path, store: str = "e.db", trees: int = 5) -> Path:
    toml = folder / "e.toml"
    toml.write_text(EXPERIMENT.format(store=store, trees=trees), encoding="utf-8")
    return toml


def wait_for_all() -> None:
    wait_until(lambda: not slurm("squeue", "-h").strip(), seconds=240)


def test_parts_are_run_and_merged_and_followed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    toml, parts = written(tmp_path), tmp_path / "e-parts"
    assert main(["submit", str(toml), "--slurm", "--array", "3", "--cpus", "2"]) == 0
    said = capsys.readouterr().out
    assert f"follow it: palio status {parts}" in said
    wait_until(lambda: list(parts.glob("*.db")))
    assert main(["status", str(parts)]) == 0
    assert "Slurm: " in capsys.readouterr().err
    wait_for_all()
    assert main(["status", str(parts), "--json"]) == 0
    state = json.loads(capsys.readouterr().out)
    assert (state["jobs"], state["counts"], state["part"]) == (16, {"ok": 16}, "")
    with Store(parts / "part-2.db") as store:
        assert store.job_columns().plan.part == "2/3"
    here = palio.run(toml_datasets(), toml_algorithms(), resampling="4x2", store=tmp_path / "h.db")
    there = palio.read_scores(tmp_path / "e.db")
    assert there.select(here.datasets, here.algorithms).means().tolist() == here.means().tolist()
    # Submitted again there is nothing left to do.
    before = finished(parts)
    assert main(["submit", str(toml), "--slurm", "--array", "3"]) == 0
    wait_for_all()
    assert finished(parts) == before


def toml_datasets() -> list[str]:
    return ["sklearn:iris", "sklearn:wine"]


def toml_algorithms() -> dict[str, object]:
    from sklearn.ensemble import RandomForestClassifier  # type: ignore[import-untyped]
    from sklearn.naive_bayes import GaussianNB  # type: ignore[import-untyped]

    return {"nb": GaussianNB(), "forest": RandomForestClassifier(n_estimators=5)}


def finished(parts: Path) -> dict[str, float]:
    found: dict[str, float] = {}
    for place in parts.glob("*.db"):
        with Store(place) as store:
            found |= {key: mark.finished for key, mark in store.marks().items()}
    return found


def test_a_requeued_part_goes_on_where_it_was(tmp_path: Path) -> None:
    toml, parts = written(tmp_path, trees=400), tmp_path / "e-parts"
    assert main(["submit", str(toml), "--slurm", "--array", "1"]) == 0
    wait_until(lambda: len(finished(parts)) >= 3, seconds=120)
    number = (parts / "submitted").read_text().split()[0]
    slurm("scontrol", "requeue", f"{number}_1")
    before = finished(parts)
    wait_for_all()
    after = finished(parts)
    assert len(after) == 16
    assert {key: after[key] for key in before} == before  # nothing is run twice
    with Store(tmp_path / "e.db") as store:
        assert set(store.statuses().values()) == {"ok"}
        store.check()


def test_a_store_on_a_server_is_shared(tmp_path: Path, postgres: str) -> None:
    toml = written(tmp_path, store=postgres)
    assert main(["submit", str(toml), "--slurm", "--array", "3"]) == 0
    wait_for_all()
    with Store(postgres) as store:
        assert len(store.statuses()) == 16
        assert store.job_columns().plan.part == ""
    assert not (tmp_path / "e-parts" / "merge.sh").exists()
