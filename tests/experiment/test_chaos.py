"""Kills at random moments over each engine, ending in the table of an undisturbed run."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.experiment import chaos
from tests.slow import mostly_slow

pytestmark = pytest.mark.posix("kills, stops or interrupts processes by signals")


@pytest.mark.parametrize("engine", mostly_slow(["inline", "local"], 1))
def test_a_few_faults(engine: str, tmp_path: Path) -> None:
    (count,) = chaos.counts([engine], tmp_path, faults=3, jobs=60, seed=19)
    assert count.is_sound, chaos.table([count])


@pytest.mark.slow
def test_fifty_faults_over_a_thousand_jobs_on_each_engine(
    tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    pytest.importorskip("distributed")
    counts = list(chaos.counts(list(chaos.OVER), tmp_path, faults=50, jobs=1000, seed=19))
    record_property("table", chaos.table(counts))
    assert all(count.faults == 50 and count.is_sound for count in counts), chaos.table(counts)
