"""Published studies: their data, their tables, and what recomputation gives."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from palio.registry import Registry
from palio.scores import ScoreTable
from palio.studies import benavoli2016, ulas2008, wainer2016_bayes
from palio.studies.reproduction import Check, Difference, Reproduction

__all__ = ["STUDIES", "Check", "Difference", "Reproduction", "Study", "load_study", "reproduce"]


@dataclass(frozen=True)
class Study:
    """An entry of the registry: where the data are and how the tables are recomputed.

    ``steps`` is how many steps ``reproduce(progress=…)`` tells of; 0 where it takes no time.
    """

    name: str
    title: str
    reference: str
    load: Callable[[], ScoreTable]
    reproduce: Callable[..., Reproduction]
    steps: int = 0


STUDIES: Registry[Study] = Registry.of(
    "study",
    Study(
        "ulas2008",
        "eight learners on 38 data sets, ordered by error and cost",
        ulas2008.REFERENCE,
        ulas2008.load,
        ulas2008.reproduce,
    ),
    Study(
        "benavoli2016",
        "why mean-ranks tests mislead: three examples, seven classifiers on 54 data sets",
        benavoli2016.REFERENCE,
        benavoli2016.load,
        benavoli2016.reproduce,
    ),
    Study(
        "wainer2016-bayes",
        "which of 14 algorithms are practically equal: simulated tables, and published ones",
        wainer2016_bayes.REFERENCE,
        wainer2016_bayes.load,
        wainer2016_bayes.reproduce,
        wainer2016_bayes.STEPS,
    ),
)


def load_study(name: str) -> ScoreTable:
    """Return the scores of a published study, shipped with the package.

    >>> load_study("ulas2008").n_datasets
    38
    """
    return STUDIES[name].load()


def reproduce(name: str) -> Reproduction:
    """Recompute a published study's tables and compare them with the published ones.

    >>> reproduce("ulas2008").study
    'ulas2008'
    """
    return STUDIES[name].reproduce()
