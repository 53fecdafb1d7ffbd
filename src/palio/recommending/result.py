"""`Recommendation`: algorithms in the order to try them on a new data set."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, NamedTuple

from palio.measures import Measure
from palio.ordering.stability import RankStability
from palio.results import Result

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Neighbour", "Recommendation", "Suggestion"]


@dataclass(frozen=True)
class Suggestion:
    """One algorithm, in its place.

    Parameters
    ----------
    place, rank
        Which one to try, and its rank by the method, ties sharing the mean.
    score, low, high
        The mean score on the relevant data sets, and the middle 80 % of them.
    p_first, p_place
        How probable the first place and this place are, had other data sets been drawn.
    cost, power
        What a trial will cost, and the power of the rows with which that grows; 0 if it does not.
    spent, fits
        What is spent after it, and whether it fits into the budget.
    """

    algorithm: str
    place: int
    rank: float
    score: float
    low: float
    high: float
    p_first: float | None = None
    p_place: float | None = None
    cost: float | None = None
    power: float = 0.0
    spent: float | None = None
    fits: bool | None = None


class Neighbour(NamedTuple):
    """A relevant data set, and how far it is; not measured where all are taken as they are."""

    dataset: str
    distance: float | None


@dataclass(frozen=True, repr=False, eq=False)
class Recommendation(Result):
    """Algorithms in the order to try them on a new data set.

    ``relevant`` are the data sets it goes by, nearest first. ``stability`` has the probability of
    every place; there is none of one data set.
    """

    kind = "recommendation"
    parts = (
        "new", "ranking", "measure", "order", "within", "budget", "costs", "folds", "suggestions",
        "relevant", "n_known", "notes",
    )  # fmt: skip

    new: str | None
    ranking: str
    measure: Measure
    suggestions: tuple[Suggestion, ...]
    relevant: tuple[Neighbour, ...]
    n_known: int
    costs: tuple[str, ...]
    folds: int
    budget: float | None
    stability: RankStability | None
    notes: tuple[str, ...] = ()

    @property
    def order(self) -> tuple[str, ...]:
        """The algorithms in the order to try them."""
        return tuple(each.algorithm for each in self.suggestions)

    @property
    def neighbours(self) -> dict[str, float | None]:
        """The relevant data sets with their distances, nearest first."""
        return dict(self.relevant)

    @property
    def within(self) -> tuple[str, ...]:
        """Those that fit into the budget; all of them without one."""
        return tuple(each.algorithm for each in self.suggestions if each.fits is not False)

    def __repr__(self) -> str:
        new = "" if self.new is None else f" for {self.new}"
        return (
            f"<Recommendation{new} by {self.ranking} on {len(self.relevant)} of "
            f"{self.n_known} data sets: {' > '.join(self.order)}>"
        )

    def to_frame(self) -> pd.DataFrame:
        """Return one row per algorithm, in the order to try them."""
        import pandas as pd

        return pd.DataFrame([asdict(each) for each in self.suggestions])
