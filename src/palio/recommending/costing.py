"""What a trial on a data set costs, carried over from others by the rows it is trained on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from palio.errors import Option, ParameterError, require
from palio.recommending.budget import (
    fill_costs,
    growth,
    read_budget,
    total_costs,
    training_share,
)
from palio.recommending.relevance import Described
from palio.scores import ScoreTable
from palio.types import BoolArray, FloatArray


@dataclass(frozen=True, eq=False)
class FoldCosts:
    """What a fold costs by data set and algorithm, and the rows that it is trained on.

    ``rows`` (S,) are NaN where they are not known. ``searching`` is the part of ``total`` (S, K)
    that goes to a search, which looks at ``search_rows`` rows at most, however many there are.
    """

    total: FloatArray
    rows: FloatArray
    searching: FloatArray | None = None
    search_rows: float = np.inf

    @cached_property
    def without(self) -> tuple[FoldCosts, ...]:
        """The costs without those of each data set in turn; how they grow is asked once."""
        part = self.searching
        return tuple(
            replace(
                self,
                total=np.delete(self.total, i, axis=0),
                rows=np.delete(self.rows, i),
                searching=None if part is None else np.delete(part, i, axis=0),
            )
            for i in range(len(self.rows))
        )

    @cached_property
    def larger(self) -> BoolArray:
        """The larger half of the data sets, where fixed costs count little."""
        return self.rows >= np.nanmedian(self.rows) if np.isfinite(self.rows).any() else self._sized

    @cached_property
    def powers(self) -> FloatArray:
        """The power of the rows with which each algorithm's costs grow, (K,)."""
        return np.array([self._growth(own, self._sized) for own in self.total.T])

    @cached_property
    def powers_of_larger(self) -> FloatArray:
        """The same in the larger half, where it can be seen there."""
        found = np.array([self._growth(own, self.larger) for own in self.total.T])
        return np.where(found > 0, found, self.powers)

    @property
    def _sized(self) -> BoolArray:
        return np.isfinite(self.rows)

    def _growth(self, own: FloatArray, among: BoolArray) -> float:
        seen = among & np.isfinite(own)
        return growth(own[seen], self.rows[seen])

    def expected(self, relevant: Sequence[int], new_rows: float) -> tuple[FloatArray, FloatArray]:
        r"""Return what a fold is expected to cost (K,), and the powers of the rows that are used.

        ``relevant`` are the data sets whose costs are carried over, ``new_rows`` the rows n that a
        fold of the new one is trained on.

        Notes
        -----
        Of costs :math:`c_d` with :math:`n_d` rows, N at most, of which :math:`s_d` go to a search
        that looks at m rows at most, the cost to expect is

        .. math::

            \mathrm{median}_d\left[ s_d\, g_d(\min(n, m)) + (c_d - s_d)\, g_d(n) \right], \qquad
            g_d(n) = \left(\frac{\min(n, N)}{n_d}\right)^b
            \left(\frac{\max(n, N)}{N}\right)^{\max(b, 1)}

        so that beyond the rows of the table no cost is taken to grow more slowly than they do. As
        far as there are any, d are those of the relevant data sets that are in the larger half of
        the table, where n is.

        Examples
        --------
        A search that costs a second per 100 rows, and then the fit of what it chose, as much
        again: of 8000 rows the search looks at 1000.

        >>> rows = np.array([100.0, 200.0, 400.0, 800.0, 1600.0])
        >>> search = rows[:, np.newaxis] / 100
        >>> costs = FoldCosts(2 * search, rows, search, search_rows=1000)
        >>> [float(costs.expected(range(5), n)[0][0].round(6)) for n in (800, 8000)]
        [16.0, 90.0]
        """
        chosen, sized = np.zeros(len(self.rows), dtype=np.bool_), self._sized
        chosen[list(relevant)] = True
        scales = bool(np.isfinite(new_rows) and (chosen & sized).any())
        powers = self.powers if scales else np.zeros(self.total.shape[1])
        if scales and new_rows >= np.nanmedian(self.rows):
            powers = self.powers_of_larger
            chosen = chosen & self.larger if (chosen & self.larger).any() else chosen
        part = np.zeros_like(self.total) if self.searching is None else self.searching
        found = np.full(len(powers), np.nan)
        for k, power in enumerate(powers.tolist()):
            use = chosen & np.isfinite(self.total[:, k]) & (sized | (power == 0))
            if not use.any():
                continue
            search, rest = part[use, k], (self.total - part)[use, k]
            if scales:
                search = search * self._scale(use, min(new_rows, self.search_rows), power)
                rest = rest * self._scale(use, new_rows, power)
            found[k] = np.median(search + rest)
        return found, powers

    def _scale(self, use: BoolArray, n: float, power: float) -> FloatArray:
        """Return what costs are multiplied by for n rows."""
        most = float(np.nanmax(self.rows))
        within = (min(n, most) / self.rows[use]) ** power if power else np.ones(use.sum())
        return np.asarray(within * (max(n, most) / most) ** max(power, 1.0))


@dataclass(frozen=True)
class Search:
    """The part of a cost that goes to a search, and the rows that it looks at at most."""

    within: str
    costs: tuple[str, ...]
    rows: int


def check_folds(folds: int) -> None:
    """Refuse a trial of one fold."""
    require(folds >= 2, "folds", "a trial is a cross-validation of two folds or more", folds)


def checked_budget(
    budget: str | float | None, table: ScoreTable, costs: Sequence[str]
) -> float | None:
    """Return a budget in seconds, if there is one, and costs to hold against it."""
    seconds = None if budget is None else read_budget(budget)
    if seconds is not None and not costs:
        raise ParameterError(
            "budget",
            "the table has no time to hold against it",
            remedy=(
                f"name a cost with {Option('cost')}, or leave the budget out (costs there: "
                f"{', '.join(table.cost_names) or 'none'})"
            ),
        )
    return seconds


def fold_costs(
    table: ScoreTable,
    names: Sequence[str],
    described: Mapping[str, Described],
    search: Search | None = None,
) -> FoldCosts | None:
    """Return what a fold costs on each data set of a table; nothing without names of costs."""
    total = total_costs(table, names)
    if total is None:
        return None
    rows = np.array(
        [
            training_share(table.design(name)) * described[name].rows
            if name in described
            else np.nan
            for name in table.datasets
        ]
    )
    if search is None or search.within not in names:
        return FoldCosts(total, rows)
    part = fill_costs(np.sum([table.cost_matrix(name) for name in search.costs], axis=0))
    return FoldCosts(total, rows, np.minimum(part, total), float(search.rows))
