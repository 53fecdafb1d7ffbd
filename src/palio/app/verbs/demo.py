"""``palio demo``: a real experiment, run here and now, ordered by error and cost."""

from __future__ import annotations

import sys
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from palio.app.options import JsonFlag, show

if TYPE_CHECKING:
    from palio.ordering import Ordering
    from palio.scores import ScoreTable


def demo(
    *,
    folder: Annotated[Path, Parameter(help="Where the results and figures go.")] = Path(
        "palio-demo"
    ),
    n_jobs: Annotated[int, Parameter(help="Worker processes.")] = 2,
    json: JsonFlag = False,
) -> None:
    """Run 8 learners on 16 data sets by 5×2 cv; order them by error and training time.

    Takes about a minute, needs no download; run it again and it goes on from where it was.
    Prints the order and why, and writes figures and the store of the experiment.

    Example: palio demo
    """
    from palio.app.writing import check_figures, write_figures
    from palio.errors import UnreadableError
    from palio.extras import need
    from palio.ordering import order

    need("run", "demo")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UnreadableError(
            "folder",
            f"'{folder}' cannot be made ({error.strerror})",
            remedy="give another with --folder",
        ) from error
    table = _experiment(folder / "experiment.db", n_jobs=n_jobs)
    ordering = order(table, cost="fit_time")
    show(ordering, json=json)
    if not json:
        sys.stdout.write(f"\n{_puzzle(ordering)}\n\n{_NEXT.format(store=folder / 'experiment.db')}")
    figures = ["order.svg", "critical-difference=critical-difference.svg"]
    write_figures(check_figures([_inside(folder, text) for text in figures]), ordering)


_NEXT = """What to try next:
  palio order results.csv --cost train_time    # the same of your own results
  palio audit {store}    # what would change the verdict?
  palio report {store} -o report.html    # the whole answer on one page
"""


def _puzzle(ordering: Ordering) -> str:
    """Say why the one that stands furthest behind its mean rank does so."""
    by_score = sorted(ordering.order, key=ordering.mean_ranks.__getitem__)
    name = max(ordering.order, key=lambda each: ordering.ranks[each] - by_score.index(each))
    place, own = ordering.ranks[name], by_score.index(name) + 1
    before, cheaper = ordering.order[max(place - 2, 0)], sorted(ordering.costs.values())
    is_dear = ordering.costs[name] > cheaper[len(cheaper) // 2]
    text = (
        f"{name} is number {own} by accuracy alone, and number {place} here. Who cannot be told "
        f"apart by the tests stands in order of cost{f', and {name} is costly' * is_dear}. "
        f"{ordering.why(before, name)}"
    )
    return fill(text, 80, break_long_words=False)


def _experiment(store: Path, *, n_jobs: int) -> ScoreTable:
    from palio.bars import job_bar
    from palio.experiment.data.datasets import DEFAULT_DATASETS
    from palio.experiment.runner import run

    with job_bar(lines=True) as tell:
        return run(
            DEFAULT_DATASETS,
            _learners(),
            prepare="standard",
            store=store,
            n_jobs=n_jobs,
            progress=tell,
        )


def _learners() -> dict[str, Any]:
    """Return eight well-known learners, as scikit-learn sets them up."""
    from sklearn.discriminant_analysis import (  # type: ignore[import-untyped]
        LinearDiscriminantAnalysis,
    )
    from sklearn.ensemble import (  # type: ignore[import-untyped]
        HistGradientBoostingClassifier,
        RandomForestClassifier,
    )
    from sklearn.linear_model import LogisticRegression  # type: ignore[import-untyped]
    from sklearn.naive_bayes import GaussianNB  # type: ignore[import-untyped]
    from sklearn.neighbors import KNeighborsClassifier  # type: ignore[import-untyped]
    from sklearn.svm import SVC  # type: ignore[import-untyped]
    from sklearn.tree import DecisionTreeClassifier  # type: ignore[import-untyped]

    return {
        "naive-bayes": GaussianNB(),
        "lda": LinearDiscriminantAnalysis(),
        "logistic": LogisticRegression(max_iter=1000),
        "5-nn": KNeighborsClassifier(),
        "tree": DecisionTreeClassifier(),
        "forest": RandomForestClassifier(),
        "svm": SVC(),
        "boosting": HistGradientBoostingClassifier(max_iter=50),
    }


def _inside(folder: Path, text: str) -> str:
    name, equals, path = text.rpartition("=")
    return f"{name}{equals}{folder / path}"
