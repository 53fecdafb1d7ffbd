"""``palio algorithms``: the learners that have short names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from palio.app.options import JsonFlag, show
from palio.errors import ParameterError

if TYPE_CHECKING:
    from palio.algorithms import Learner


def algorithms(
    name: str | None = None,
    /,
    *,
    paper: Annotated[str | None, Parameter(help="Only those of this paper.")] = None,
    rows: Annotated[int, Parameter(help="Grids that depend on the data: how many rows.")] = 1000,
    features: Annotated[int, Parameter(help="Likewise, how many columns.")] = 20,
    json: JsonFlag = False,
) -> None:
    """List the learners that experiment files may call by a short name.

    With each the paper whose settings it has, the hyper-parameters that the paper searches over,
    and how many combinations that makes.

    Example: palio algorithms --paper ulas2008

    Parameters
    ----------
    name
        Only this one, with the values of its hyper-parameters.
    """
    from palio.algorithms import LEARNERS
    from palio.experiment.estimators import catalogue

    if min(rows, features) < 1:
        raise ParameterError(
            "rows, features", "at least 1 of each", f"{rows} and {features} were given"
        )
    chosen = list(LEARNERS.values()) if name is None else [LEARNERS[name]]
    if paper is not None:
        chosen = _of_paper(chosen, paper)
    show(catalogue(chosen, rows=rows, features=features), json=json)


def _of_paper(learners: list[Learner], paper: str) -> list[Learner]:
    from palio.registry import unknown_name

    papers = sorted({each for learner in learners for each in learner.paper.split(", ")})
    if paper not in papers:
        raise unknown_name("paper", paper, papers)
    return [learner for learner in learners if paper in learner.paper.split(", ")]
