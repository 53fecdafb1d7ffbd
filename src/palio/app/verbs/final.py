"""``palio final``: the chosen algorithm on the rows kept aside, once."""

from __future__ import annotations

import sys
from pathlib import Path
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
    models: str | None = None,
    allow: AllowOption = None,
    json: JsonFlag = False,
) -> None:
    """Refit the winner on all training rows and measure it, once, on those kept aside.

    The experiment file says how much is kept aside: aside = "1/3". No run touches these rows.

    Who is looked at and why is said before the look. A winner with failed jobs is refused. The
    fitted model is written, with a card that says what it is and how to load it.

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
    models
        The folder that gets the model of each data set (joblib; skops too if installed); winner
        beside the store.
    """
    from palio.extras import need

    need("run", "final")
    from palio.experiment.config import stored_experiment
    from palio.experiment.final import check_look, measure_final
    from palio.experiment.store.store import Store
    from palio.recommending.winner import choose_winner
    from palio.words import is_server

    with Store(store, create=False) as opened:
        found, plan_name = stored_experiment(opened, name, allow=allow or ())
        plan = found.plan()
        winner = choose_winner(opened, plan=plan_name, algorithm=algorithm, cost=cost)
        chosen = winner.algorithm
        check_look(plan, opened, chosen, name=plan_name, again=again)
        said = f"looking at {chosen} on the rows kept aside: {winner.reason}"
        sys.stderr.write(f"{fill(said, 80, break_long_words=False, break_on_hyphens=False)}\n")
        result = measure_final(
            plan,
            opened,
            chosen,
            name=plan_name,
            reason=winner.reason,
            again=again,
            models=models or Path("" if is_server(store) else store).parent / "winner",
        )
    show(result, json=json)
