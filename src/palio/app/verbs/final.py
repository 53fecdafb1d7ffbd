"""``palio final``: the chosen algorithm on the rows kept aside, once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from palio.app.options import JsonFlag, flag, show
from palio.errors import DesignError

if TYPE_CHECKING:
    from palio.scores import ScoreTable


def final(
    store: str,
    /,
    *,
    algorithm: Annotated[
        str | None,
        Parameter(help="Which was chosen; without it, the first of the order by --cost."),
    ] = None,
    cost: Annotated[str, Parameter(help="To choose by: the cost preferred low.")] = "fit_time",
    name: Annotated[str | None, Parameter(help="Which plan of the store; the newest.")] = None,
    again: Annotated[bool, flag("Look a second time.")] = False,
    json: JsonFlag = False,
) -> None:
    """Refit the winner on all training rows and measure it, once, on those kept aside.

    The experiment file says how much is kept aside: aside = "1/3". No run touches these rows.

    Example: palio final experiment.db

    Parameters
    ----------
    store
        A store that `palio run` has written, of an experiment with rows kept aside.
    """
    from palio.app.progress import steps
    from palio.experiment.config import stored_experiment
    from palio.experiment.final import measure_final
    from palio.experiment.runner import read_store
    from palio.experiment.store.store import Store

    with Store(store, create=False) as opened:
        found, plan_name = stored_experiment(opened, name)
        chosen = algorithm or _winner(read_store(opened, plan=plan_name), cost)
        plan = found.plan()
        with steps("measuring", len(plan.datasets)) as tell:
            result = measure_final(plan, opened, chosen, name=plan_name, again=again, progress=tell)
    show(result, json=json)


def _winner(table: ScoreTable, cost: str) -> str:
    """Return who comes first: by MultiTest on one data set, by Multi²Test over several."""
    from palio.comparison.fold_tests import usual_test
    from palio.ordering import multi2test, multitest

    test = usual_test(table.design(dataset) for dataset in table.datasets)
    if test is None:
        raise DesignError(
            "algorithm",
            f"who comes first cannot be found out on {table.design()}, which no test on folds fits",
            remedy="name one with --algorithm",
        )
    order = multitest if table.n_datasets == 1 else multi2test
    return order(table, cost=cost, test=test).order[0]
