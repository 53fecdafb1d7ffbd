"""Published studies: their data, their tables, and what recomputation gives."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from palio.registry import Registry
from palio.scores import ScoreTable
from palio.studies import benavoli2016, ulas2008
from palio.studies.reproduction import Check, Difference, Reproduction

__all__ = ["STUDIES", "Check", "Difference", "Reproduction", "Study", "load_study", "reproduce"]


@dataclass(frozen=True)
class Study:
    """An entry of the registry: where the data are and how the tables are recomputed."""

    name: str
    title: str
    reference: str
    load: Callable[[], ScoreTable]
    reproduce: Callable[[], Reproduction]


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
