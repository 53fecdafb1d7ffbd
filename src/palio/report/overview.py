"""What a table says at first sight: the verdict, the order, and what to ask next."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import numpy as np

from palio.comparison.audit import audit
from palio.comparison.item_results import ItemComparison
from palio.comparison.results import Comparison
from palio.comparison.verdict import Verdict
from palio.errors import InputError
from palio.ordering.methods import order
from palio.ordering.result import Ordering
from palio.results import Result
from palio.scores import Tabular, as_table
from palio.scores.over import ReadOver

if TYPE_CHECKING:
    import pandas as pd


# What two seconds allow. Leaving out each of n data sets tests all pairs on n − 1 again, and with
# gaps one pair after the other; the other checks test all pairs on all data sets a few times.
_LEFT_OUT = 15_000_000
_LEFT_OUT_WITH_GAPS = 300_000
_TESTED_AGAIN = 500_000
_FLIPPED = 200_000


class NextQuestion(NamedTuple):
    """What may be asked next."""

    question: Annotated[str, "In a few words."]
    command: Annotated[str, "As it is typed."]


@dataclass(frozen=True, repr=False, eq=False)
class Overview(Result):
    """The first answer about a table: an order by the pairs of a comparison, and how sure it is.

    ``audited`` is what an audit says of who is unbeaten, where it takes no longer than a person
    waits; ``next`` are the questions that the table can answer besides.
    """

    kind = "overview"
    parts = ("verdict", "ordering", "next", "notes")

    ordering: Ordering
    audited: str | None = None
    next: tuple[NextQuestion, ...] = ()

    @property
    def verdict(self) -> Verdict:
        """The answer in sentences: who is best, what is the best value, how sure that is."""
        found = self.ordering.verdict
        sure = found.sure if self.audited is None else f"{found.sure} {self.audited}"
        return found._replace(sure=sure)

    @property
    def notes(self) -> tuple[str, ...]:
        """The conventions that were used."""
        return self.ordering.notes

    def __repr__(self) -> str:
        return f"<Overview: {self.verdict.best}>"

    def to_frame(self) -> pd.DataFrame:
        """Return one row per algorithm, best first."""
        return self.ordering.to_frame()


def overview(table: Tabular, **asked: Any) -> Overview:
    """Order the algorithms of a table as `order` does, and audit the verdict if that is quick."""
    table = as_table(table)
    ordering = order(table, **asked)
    return Overview(ordering, _audited(ordering))


def _audited(ordering: Ordering) -> str | None:
    """Return how sure the verdicts on the best are; nothing on one data set, or on too few."""
    judged = ordering.judged
    if judged is None or judged.over == "folds":
        return None
    over: ReadOver = "datasets"
    if isinstance(judged, ItemComparison):
        over, checks = "items", _quick_over_items(judged)
    else:
        checks = _quick_checks(judged)
    if not checks:
        return None
    try:
        return audit(ordering.table, over=over, alpha=ordering.alpha, only=checks).sentence
    except InputError:  # too few data sets for any check
        return None


def _quick_over_items(judged: ItemComparison) -> list[str]:
    n, work = judged.n_datasets, judged.items.n_items * judged.n_pairs
    quick = {"leave-one-out": n > 1 and n * work <= _LEFT_OUT, "conventions": work <= _FLIPPED}
    return [name for name, done in quick.items() if done]


def _quick_checks(judged: Comparison) -> list[str]:
    values = judged.compared.values
    n, pairs = len(values), judged.n_pairs
    limit = _LEFT_OUT_WITH_GAPS if np.isnan(values).any() else _LEFT_OUT
    sizes = {
        "leave-one-out": n * n * pairs / limit,
        "conventions": n * pairs / _TESTED_AGAIN,
        "symmetry": n * pairs / _TESTED_AGAIN,
    }
    return [name for name, size in sizes.items() if size <= 1]
