"""What Wainer (2016) asks of errors and costs of two halves: of a table, or of a part of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from palio.bayes.models.anova import anova
from palio.bayes.posterior import Posterior
from palio.bayes.rope import SuggestedRope, suggest_rope
from palio.comparison.results import Comparison
from palio.scores import ScoreTable, read_scores
from palio.studies.reproduction import Cell, Check, check_cells, yes
from palio.studies.wainer2016_bayes import DELTA, Progress, equalities, nobody, papers_pairs
from palio.studies.wainer2016_tables import (
    SIX_BEST,
    TIMES,
    WORDS,
    Pairs,
    Times,
    Verdicts,
    correlation,
    error_ends,
    mean_ranks,
    nemenyi,
    papers_ranks,
)

_DRAWS, _ROBUST_DRAWS = 10_000, 4_000
_SURE = 0.95  # an equality, or with what is left a difference, is sure from here on


def worst_there(table: ScoreTable) -> ScoreTable:
    """Let a learner that did not end count as the worst of its data set, and as the slowest.

    The paper does not say how it ranks such learners; that they "did not run at all for 20
    subsets … may explain partially their poor performance" (§4.1) says that they did not gain by
    it.
    """
    if table.is_complete:
        return table
    return read_scores(
        table.to_frame(), score=table.measure.name, costs=list(table.cost_names), missing="worst"
    )


def _measured(table: ScoreTable) -> ScoreTable:
    """Leave out data sets on which a score was made up: it says nothing of how scores vary."""
    made_up = table.imputed_cells().any(axis=1)
    return table.select(datasets=[table.datasets[i] for i in np.flatnonzero(~made_up).tolist()])


@dataclass(frozen=True)
class Findings:
    """Errors, equality and times of a table without gaps, by the procedures of §3."""

    table: ScoreTable
    errors: Comparison
    suggested: SuggestedRope
    posterior: Posterior
    normal: Pairs
    robust: Pairs
    whole: Mapping[str, Comparison]
    halves: Mapping[str, Comparison]

    @classmethod
    def of(cls, table: ScoreTable, tell: Progress = nobody) -> Findings:
        """Ask everything; ``tell`` is told of four steps."""
        tell("errors")
        errors = nemenyi(table.means(), table.datasets, table.algorithms, "error")
        suggested = suggest_rope(_measured(table))
        tell("the normal model")
        posterior = anova(table, rope=DELTA, draws=_DRAWS)
        tell("the robust model")
        robust = equalities(anova(table, rope=DELTA, robust=True, draws=_ROBUST_DRAWS))
        tell("times")
        times = Times.of(table)
        return cls(
            table,
            errors,
            suggested,
            posterior,
            equalities(posterior),
            robust,
            {time: times.by_datasets(time) for time in times.seconds},
            {time: times.by_halves(time) for time in times.seconds},
        )

    @cached_property
    def verdicts(self) -> dict[str, Verdicts]:
        """Who of each pair is better, by the number of the paper's table."""
        found = {"2": Verdicts("2", self.errors, papers_ranks("1", "mean_rank"))}
        for number, time in zip(("10", "11"), self.whole, strict=True):
            ranks = papers_ranks("4", time)
            found[number] = Verdicts(number, self.whole[time], ranks)
            found[f"{number}, by halves"] = Verdicts(number, self.halves[time], ranks)
        return found

    @cached_property
    def checks(self) -> tuple[Check, ...]:
        """The paper's verdicts beside those here."""
        return (
            error_ends(self.table),
            self.verdicts["2"].check("error", number="2"),
            _thresholds(self.suggested),
            _equality("3", "normal", self.normal),
            _equality("8", "robust", self.robust),
            _stronger(self.normal, self.robust),
            self.verdicts["10"].check("1-train-test time", number="5", among=SIX_BEST),
            self.verdicts["11"].check("time per hyper-parameter", number="6", among=SIX_BEST),
        )

    @cached_property
    def agreement(self) -> dict[str, tuple[float, int]]:
        """How far numbers that are not expected to agree go together: Spearman's ρ, of how many."""
        both: dict[str, tuple[Mapping[Any, float], Mapping[Any, float]]] = {
            "Table 1, mean ranks": (mean_ranks(self.table), papers_ranks("1", "mean_rank")),
            "Table 3, P(equal)": (self.normal, _unordered("3")),
            "Table 12, P(equal)": (self.robust, _unordered("12")),
            **{
                f"Table 4, mean ranks, {TIMES[time]}": (each.mean_ranks, papers_ranks("4", time))
                for time, each in self.whole.items()
            },
        }
        return {name: correlation(*pair) for name, pair in both.items()}


def _unordered(table: str) -> Pairs:
    return {frozenset(cell): p for cell, p in papers_pairs(table).items()}


def _thresholds(suggested: SuggestedRope) -> Check:
    cell: Cell = ("δ is below δ^cv",)
    below = suggested.delta_cv is not None and suggested.delta < suggested.delta_cv
    return check_cells(
        "§4.3",
        "which threshold of irrelevance is the smaller",
        {cell: "yes"},
        {cell: yes(below)},
        explain=lambda _: f"δ = {suggested.delta:.4f}, δ^cv = {suggested.delta_cv or np.nan:.4f}",
        words=WORDS,
    )


def _equality(number: str, which: str, found: Pairs) -> Check:
    """Compare which pairs of the six best are surely equal, or surely not, in the paper's region.

    Table 8 has them; Table 3 has all.
    """
    printed = {
        cell: p for cell, p in papers_pairs(number).items()
        if set(cell) <= set(SIX_BEST) and frozenset(cell) in found
    }  # fmt: skip
    return check_cells(
        number,
        f"six best, {which}: P(equal) ≥ {_SURE}, ≤ {1 - _SURE:.2f}, or between",
        {cell: _verdict(p) for cell, p in printed.items()},
        {cell: _verdict(found[frozenset(cell)]) for cell in printed},
        explain=lambda cell: f"P = {printed[cell]:.2f} and {found[frozenset(cell)]:.2f}",
        words=WORDS,
    )


def _verdict(p: float) -> str:
    if p >= _SURE:
        return "equal"
    return "different" if p <= 1 - _SURE + 1e-9 else "open"


def _stronger(normal: Pairs, robust: Pairs) -> Check:
    cell: Cell = ("mean P(equal) is larger",)
    larger = np.mean(list(robust.values())) > np.mean(list(normal.values()))
    return check_cells(
        "§5",
        "the robust model claims equality more strongly",
        {cell: "yes"},
        {cell: yes(larger)},
        words=WORDS,
    )
