"""How well a ranking on other data sets foretells, and how often what it names is good enough."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from palio.measures import Measure
from palio.ordering.evaluation import loss_unit, mean_losses
from palio.recommending.counting import Reach, Share, Ways
from palio.results import Result
from palio.types import FloatArray

if TYPE_CHECKING:
    import pandas as pd

Count: TypeAlias = int | Literal["all"]


@dataclass(frozen=True)
class ChoiceEvaluation:
    """How well the ranking on so many nearest data sets foretells: means over the data sets.

    ``difference`` is that of the correlation from all data sets', with its standard error.
    """

    relevant: Count
    correlation: float
    regret: float
    difference: float
    difference_se: float
    random_correlation: float
    random_regret: float


@dataclass(frozen=True)
class Reached:
    """How often the first of a ranking on so many nearest data sets are good enough.

    ``firsts`` are the algorithms that come first, and on how many data sets left out.
    """

    relevant: Count
    firsts: dict[str, int]
    reach: Reach


@dataclass(frozen=True)
class Alone:
    """How often one algorithm that is taken for all data sets is good enough, and what it loses."""

    algorithm: str
    regret: float
    reach: Reach


@dataclass(frozen=True, repr=False, eq=False)
class RecommendationEvaluation(Result):
    """How well the ranking on the k nearest data sets foretells, beside that on all of them.

    ``relevant`` are the choices, all data sets first. ``by_dataset`` and ``regrets`` are
    (choices, data sets): Spearman's correlation of the ranking with the order on the data set left
    out, and what its first loses there against the best. ``random_correlations`` and
    ``random_regrets`` (choices,) are means for as many data sets drawn at random: what fewer data
    sets cost, whichever they are. ``losses`` (data sets, algorithms) is what each loses.

    ``reached`` says for each choice on how many data sets the first, the best of the first three
    and the first that fits into the ``budget`` are at most ``within`` worse than the best there;
    ``alone`` says it of each algorithm taken for all data sets, the one that is so most often
    first. ``experience`` is whose results these are, where no table was given.
    """

    kind = "recommendation-evaluation"
    parts = (
        "experience", "ranking", "measure", "algorithms", "n_datasets", "best", "helpful",
        "choices", "within", "budget", "costs", "folds", "reached", "alone", "features",
        "correlations", "notes",
    )  # fmt: skip

    ranking: str
    measure: Measure
    algorithms: tuple[str, ...]
    datasets: tuple[str, ...]
    relevant: tuple[Count, ...]
    by_dataset: FloatArray
    regrets: FloatArray
    losses: FloatArray
    random_correlations: FloatArray
    random_regrets: FloatArray
    features: tuple[str, ...]
    ways: Ways
    costs: tuple[str, ...] = ()
    experience: str | None = None
    notes: tuple[str, ...] = ()

    @property
    def lost_in(self) -> str:
        """What losses are counted in."""
        return loss_unit(self.measure)

    @property
    def within(self) -> float:
        """By how much one may be worse than the best to be good enough."""
        return self.ways.margin

    @property
    def budget(self) -> float | None:
        """What a trial may cost."""
        return self.ways.budget

    @property
    def folds(self) -> int:
        """The folds of a trial."""
        return self.ways.folds

    @property
    def best(self) -> Count:
        """The choice with the highest mean correlation; all data sets where they are as good."""
        return self.relevant[int(self.by_dataset.mean(axis=1).round(12).argmax())]

    @property
    def helpful(self) -> Count:
        """The choice that clearly foretells better than all data sets do; ``"all"`` if none does.

        Clearly: the correlation is higher by two standard errors, and the first of the ranking
        loses no more.
        """
        clear = [
            each
            for each in self.choices
            if each.difference > 2 * each.difference_se and each.regret <= self.choices[0].regret
        ]
        return max(clear, key=lambda each: each.difference).relevant if clear else "all"

    def __repr__(self) -> str:
        return (
            f"<RecommendationEvaluation by {self.ranking}: {len(self.datasets)} data sets, "
            f"best with {self.best}, clearly with {self.helpful}>"
        )

    @property
    def n_datasets(self) -> int:
        """The number of data sets, each left out once."""
        return len(self.datasets)

    @cached_property
    def choices(self) -> tuple[ChoiceEvaluation, ...]:
        """How well each choice foretells, all data sets first."""
        differences = self.by_dataset - self.by_dataset[0]
        spread = differences.std(axis=1, ddof=1) / np.sqrt(len(self.datasets))
        regrets = mean_losses(self.regrets, self.measure)
        return tuple(
            ChoiceEvaluation(
                relevant=count,
                correlation=float(self.by_dataset[i].mean()),
                regret=float(regrets[i]),
                difference=float(differences[i].mean()),
                difference_se=float(spread[i]),
                random_correlation=float(self.random_correlations[i]),
                random_regret=float(self.random_regrets[i]),
            )
            for i, count in enumerate(self.relevant)
        )

    @property
    def correlations(self) -> dict[str, dict[str, float]]:
        """The correlation of each choice on each data set."""
        return {
            str(count): dict(zip(self.datasets, row, strict=True))
            for count, row in zip(self.relevant, self.by_dataset.tolist(), strict=True)
        }

    @cached_property
    def reached(self) -> tuple[Reached, ...]:
        """How often what each choice names is good enough, all data sets first."""
        found = zip(self.relevant, self.ways.firsts, self.ways.by_choice, strict=True)
        return tuple(Reached(*each) for each in found)

    @cached_property
    def alone(self) -> tuple[Alone, ...]:
        """How often each algorithm is good enough for all data sets, the best first."""
        lost = mean_losses(self.losses.T, self.measure)
        found = [
            Alone(name, float(regret), reach)
            for (name, reach), regret in zip(self.ways.alone.items(), lost, strict=True)
        ]
        return tuple(
            sorted(found, key=lambda each: (-each.reach.first.count, each.regret, each.algorithm))
        )

    def to_frame(self) -> pd.DataFrame:
        """Return one row per way to choose: the choices, then each algorithm for all data sets."""
        import pandas as pd

        choices = [
            {"algorithm": None, **asdict(choice), **_counts(reached.reach)}
            for choice, reached in zip(self.choices, self.reached, strict=True)
        ]
        alone = [
            {
                "algorithm": each.algorithm,
                "relevant": None,
                "regret": each.regret,
                **_counts(each.reach),
            }
            for each in self.alone
        ]
        return pd.DataFrame([*choices, *alone])


def _counts(reach: Reach) -> dict[str, Any]:
    def counted(share: Share | None) -> int | None:
        return None if share is None else share.count

    return {
        "n_datasets": reach.first.n,
        "first_within": reach.first.count,
        "three_within": counted(reach.three),
        "fitting_within": counted(reach.fitting),
        "fitting": None if reach.over is None else reach.over.n,
        "over_budget": counted(reach.over),
    }
