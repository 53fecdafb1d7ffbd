"""``palio final``: the chosen algorithm on the rows kept aside, once."""

from __future__ import annotations

import sys
from textwrap import fill
from typing import Annotated

from palio.app.options import AllowOption, JsonFlag, flag, show


def final(
    store: str,
    /,
    *,
    algorithm: str | None = None,
    cost: str | None = None,
    name: str | None = None,
    again: Annotated[bool, flag("Look a second time.")] = False,
    allow: AllowOption = None,
    json: JsonFlag = False,
) -> None:
    """Refit the winner on all training rows and measure it, once, on those kept aside.

    The experiment file says how much is kept aside: aside = "1/3". No run touches these rows.

    Who is looked at and why is said before the look. A winner with failed jobs is refused.

    Example: palio final experiment.db

    Parameters
    ----------
    store
        A store that `palio run` has written, of an experiment with rows kept aside.
    algorithm
        Which was chosen; without it, the first of `palio order`.
    cost
        To choose by: the cost preferred low among equals.
    name
        Which plan of the store; the newest.
    """
    from palio.extras import need

    need("run", "final")
    from palio.experiment.config import stored_experiment
    from palio.experiment.final import check_look, measure_final
    from palio.experiment.store.store import Store
    from palio.recommending.winner import choose_winner

    with Store(store, create=False) as opened:
        found, plan_name = stored_experiment(opened, name, allow=allow or ())
        plan = found.plan()
        winner = choose_winner(opened, plan=plan_name, algorithm=algorithm, cost=cost)
        chosen = winner.algorithm
        check_look(plan, opened, chosen, name=plan_name, again=again)
        said = f"looking at {chosen} on the rows kept aside: {winner.reason}"
        sys.stderr.write(f"{fill(said, 80, break_long_words=False, break_on_hyphens=False)}\n")
        result = measure_final(
            plan, opened, chosen, name=plan_name, reason=winner.reason, again=again
        )
    show(result, json=json)
