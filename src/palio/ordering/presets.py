"""The procedures of the five papers, each under its short name: what ``--as`` sets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from palio.errors import DesignError, ParameterError
from palio.registry import Registry
from palio.scores import Design, ScoreTable


@dataclass(frozen=True)
class Preset:
    """A paper's procedure: the verb it belongs to, its options, and the folds it demands.

    ``design`` is repeats × folds on each data set, where the paper's test or ranking needs them.
    """

    name: str
    verb: str
    options: Mapping[str, Any]
    note: str
    design: tuple[int, int] | None = None

    def options_for(
        self, verb: str, table: ScoreTable, given: Mapping[str, Any]
    ) -> Mapping[str, Any]:
        """Return the paper's options with those given; refuse what is not as in the paper."""
        if verb != self.verb:
            raise ParameterError("as", f"{self.name!r} is a procedure of palio {self.verb}")
        for name, value in given.items():
            if self.options.get(name, value) != value:
                has = f"{self.name!r} has {self.options[name]!r}"
                raise ParameterError(name, has, f"{value!r} was given", "leave one of them out")
        if self.design is not None:
            wanted, found = Design.of_grid(*self.design), table.design(given.get("dataset"))
            if (found.repeats, found.folds) != self.design:
                needs = f"{self.name!r} needs {wanted} of every algorithm"
                raise DesignError("as", needs, f"the table has {found}")
        return {**given, **self.options}


PRESETS: Registry[Preset] = Registry.of(
    "paper",
    Preset(
        "yildiz2006",
        "order",
        {"method": "multitest", "test": "5x2cv-t", "correction": "bonferroni"},
        "as yildiz2006 §4: MultiTest by the one-sided 5×2 cv t test, Bonferroni over all pairs",
        (5, 2),
    ),
    Preset(
        "ulas2008",
        "order",
        {"method": "multi2test", "test": "5x2cv-f", "correction": "none", "posthoc": "nemenyi"},
        "as ulas2008 §3.2: MultiTest by the 5×2 cv F test on each data set, uncorrected, Nemenyi's "
        "test on the places, and MultiTest again",
        (5, 2),
    ),
    Preset(
        "benavoli2016",
        "order",
        {"method": "pairwise", "test": "wilcoxon", "correction": "holm"},
        "as benavoli2016 §5: Wilcoxon's test on each pair, whoever else is there, with a "
        "correction for their number",
    ),
    Preset(
        "wainer2016",
        "order",
        {"method": "pairwise", "test": "mean-ranks", "correction": "nemenyi"},
        "as wainer2016 §3.1: Friedman's and Nemenyi's tests on the means of two halves",
        (1, 2),
    ),
    Preset(
        "brazdil2000",
        "rank",
        {
            "methods": ["average-ranks", "success-rate-ratios", "significant-wins"],
            "points": "folds",
            "overall_alpha": 0.25,
        },
        "as brazdil2000 §3 and §4: each data set left out, rankings held against its ten folds, "
        "Friedman's and Dunn's tests with all folds as points",
        (1, 10),
    ),
)
