"""Wainer (2016) run again: which data sets, which learners, and in which order."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from palio.errors import ParameterError
from palio.studies.rerunning import Setting, data_set, data_sets
from palio.studies.wainer2016_pmlb import pmlb_there, read_pmlb

if TYPE_CHECKING:
    from palio.experiment.data.datasets import Dataset
    from palio.experiment.plan import Plan

SEED = 2016
FEWEST_ROWS = 100  # §2.2: smaller sets were removed

# Files with the same instances, or most of them: the first that is there stands for its source.
FAMILIES: tuple[tuple[str, ...], ...] = (
    ("flare", "flare_cclass", "flare2", "flare2_cclass"),
    ("horse", "horse_outcome"),
    ("monks1", "monks1_train"),
    ("monks2", "monks2_train"),
    ("monks3", "monks3_train"),
    ("wave", "wave21"),
    ("hypothyroid", "hypothyroid_3163", "sick"),
    ("cardiotocography", "cardiotocography_10"),
    ("credit", "australian"),  # the same applicants, coded otherwise
    ("heart_c", "heart"),  # Statlog's heart is a part of Cleveland's
)


def one_per_source(names: Iterable[str]) -> list[str]:
    """Leave out the data sets whose instances another one has.

    >>> one_per_source(["heart", "heart_c", "iris"])
    ['heart_c', 'iris']
    """
    there = list(names)
    repeated = {
        name for family in FAMILIES for name in [each for each in family if each in there][1:]
    }
    return [name for name in there if name not in repeated]


def learners() -> dict[str, Any]:
    """Return the fourteen searches of §2.4.

    Free is what is free in the paper and nothing else, so that the time per combination divides by
    the same numbers.
    """
    from palio.algorithms.wainer2016 import WAINER2016
    from palio.experiment.tuning import tuned

    return {entry.name: tuned(entry, free=entry.free) for entry in WAINER2016}


def lay_out(setting: Setting, algorithms: Mapping[str, Any] | None = None) -> Plan:
    """Lay out the experiment of §2.1 on a folder's data sets, the smallest first.

    Two halves of each data set, each learnt from once; classes made two (§2.2). Of each source one
    data set, from a ``NAME.csv`` or a file of PMLB, with `FEWEST_ROWS` rows at least and
    ``setting.max_rows`` at most; of those that have more than ``setting.sample_rows`` so many are
    drawn, when the classes are two.
    """
    from palio.experiment.plan import make_plan

    there = sorted(path.stem for path in setting.folder.glob("*.csv"))
    further = [name for name in pmlb_there(setting.folder) if name not in there]
    found = [_binary(setting, name) for name in further]
    if there or not further:
        found += data_sets(setting, one_per_source(there), _binary)[0]
    most = setting.max_rows or max(each.n_rows for each in found)
    taken = [each for each in found if FEWEST_ROWS <= each.n_rows <= most]
    if not taken:
        raise ParameterError(
            "data",
            f"none of the {len(found)} data sets of '{setting.folder}' has from {FEWEST_ROWS} to "
            f"{most} rows",
            remedy="give another folder, or a larger max_rows",
        )
    taken.sort(key=lambda each: (each.n_rows, each.name))
    return make_plan(
        taken,
        algorithms or learners(),
        prepare="standard",
        resampling="half",
        scoring="accuracy",
        seed=SEED,
        max_rows=setting.sample_rows,
    )


def as_filed(setting: Setting, name: str) -> Dataset:
    """Read a data set as its file has it: ``NAME.csv``, or where there is none PMLB's own."""
    if (setting.folder / f"{name}.csv").is_file():
        return data_set(setting, name)
    return read_pmlb(setting, name)


def _binary(setting: Setting, name: str) -> Dataset:
    from palio.experiment.data.datasets import to_binary

    return to_binary(as_filed(setting, name))
