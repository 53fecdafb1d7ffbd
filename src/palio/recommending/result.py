"""Algorithms in the order to try them on a new data set, and what trying them found."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, ClassVar, Literal, NamedTuple, TypeAlias

from palio.measures import Measure
from palio.ordering.evaluation import RankStability
from palio.results import Result

if TYPE_CHECKING:
    import pandas as pd

Ending: TypeAlias = Literal[
    "ok", "failed", "timeout", "memory", "killed", "not made", "too dear", "left"
]


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

    It is what :func:`palio.recommend` returns.

    Attributes
    ----------
    new, experience
        The name of the new data set, if it was given; whose results these are, if no table was.
    ranking, measure
        The ranking method, and what it ranks by.
    suggestions
        One for each algorithm, in the order to try them: score and cost to expect, and whether it
        fits into the budget.
    relevant, n_known
        The data sets it goes by, nearest first, of how many in the table.
    costs, folds, budget
        The costs that add up to a trial's, its folds, and what may be spent.
    stability
        The probability of every place; there is none of one data set.
    notes
        The conventions that were used.

    Examples
    --------
    >>> import palio
    >>> table = palio.load_study("ulas2008")
    >>> found = palio.recommend(table, budget=600, cost="train_time", n_resamples=100)
    >>> found.order[:4]
    ('svr', 'svl', 'mlp', 'lnp')
    >>> found.within  # what is dearer than what is left is passed over
    ('svr', 'mlp', 'lnp', '5nn')
    >>> first = found.suggestions[0]
    >>> first.algorithm, round(first.score, 1), round(first.cost)
    ('svr', 85.1, 501)
    """

    kind = "recommendation"
    parts = (
        "new", "experience", "ranking", "measure", "order", "within", "budget", "costs", "folds",
        "suggestions", "relevant", "n_known", "notes",
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
    experience: str | None = None
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


@dataclass(frozen=True)
class Chance:
    r"""How plausible it is that one of the rest is better than the best so far.

    On ``n`` of the relevant data sets the best so far leads those tried, as it does here; on
    ``beaten`` of these one of the rest is better by more than the margin. With b for these,
    ``probability`` is the mean of the posterior of a share under Jeffreys' prior:

    .. math::

        \frac{b + \frac{1}{2}}{n + 1}
    """

    parts: ClassVar[tuple[str, ...]] = ("beaten", "n", "probability")

    beaten: int
    n: int

    @property
    def probability(self) -> float:
        """The posterior mean of the share."""
        return (self.beaten + 0.5) / (self.n + 1)


@dataclass(frozen=True)
class Trial:
    """One algorithm on the new data: what was found, or why it was not tried."""

    algorithm: str
    ending: Ending
    score: float | None = None
    seconds: float | None = None
    expected_score: float | None = None
    expected_cost: float | None = None
    why: str = ""


@dataclass(frozen=True, repr=False, eq=False)
class Trials(Result):
    """What was tried in the order recommended, what was found, and why it stopped.

    ``chance`` is that of the rest when it stopped, where there was a rest to speak of.
    """

    kind = "trials"
    parts = (
        "dataset", "scoring", "folds", "best", "trials", "stopped", "chance", "budget", "spent",
        "store", "recommendation", "notes",
    )  # fmt: skip

    recommendation: Recommendation
    dataset: str
    scoring: str
    trials: tuple[Trial, ...]
    stopped: str
    chance: Chance | None
    budget: float | None
    store: str
    notes: tuple[str, ...] = ()

    @property
    def folds(self) -> int:
        """The folds of each trial."""
        return self.recommendation.folds

    @property
    def tried(self) -> tuple[Trial, ...]:
        """Those that have a score."""
        return tuple(each for each in self.trials if each.score is not None)

    @property
    def best_trial(self) -> Trial | None:
        """The trial with the best score, the earlier one of equals; ``None`` if nothing was."""
        return max(self.tried, key=lambda each: each.score or 0.0, default=None)

    @property
    def best(self) -> str | None:
        """The best that was found, the earlier one of equals; ``None`` if nothing was."""
        return None if self.best_trial is None else self.best_trial.algorithm

    @property
    def spent(self) -> float:
        """What the trials took, in seconds."""
        return float(sum(each.seconds or 0.0 for each in self.trials))

    def __repr__(self) -> str:
        tried = f"{len(self.tried)} of {len(self.trials)} tried"
        return f"<Trials on {self.dataset}: {tried}, best {self.best}>"

    def to_frame(self) -> pd.DataFrame:
        """Return one row per algorithm, in the order recommended."""
        import pandas as pd

        return pd.DataFrame([asdict(each) for each in self.trials])
