"""The answer at a glance: who leads, what is the best value, how sure that is; from the claims."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal, NamedTuple

from palio.claims import (
    Against,
    Evidence,
    First,
    Leader,
    NotComparable,
    Sureness,
    TooFew,
    Unbeaten,
    Value,
    sentence,
)
from palio.comparison.omnibus import OMNIBUS_TESTS
from palio.numbers import p_said

if TYPE_CHECKING:
    from palio.claims import Answer
    from palio.report.analysis import Report


class Tile(NamedTuple):
    """One of the three answers."""

    about: Literal["best", "value", "sure"]
    title: str
    answer: Annotated[str, "In a few words, or the name of an algorithm."]
    algorithm: Annotated[str | None, "The algorithm that is the answer, if one is."]
    text: Annotated[str, "What belongs to it, in a sentence or two."]
    level: Annotated[tuple[str, ...], "Those that may be as good as the leader."] = ()
    how: Annotated[tuple[str, ...], "The test, what it rests on, and what else was found."] = ()
    offers: Annotated[tuple[str, ...], "The costs that could be chosen, where none was."] = ()
    is_open: Annotated[bool, "Whether there is no answer, or not yet."] = False


def tiles(report: Report) -> tuple[Tile, Tile, Tile]:
    """Return the three answers of a report.

    >>> import palio
    >>> report = palio.analyse(palio.load_study("ulas2008"), cost="train_time", checks=[])
    >>> [(tile.title, tile.answer) for tile in tiles(report)]
    [('Leader', 'svr'), ('Best value by train_time', 'svl'), ('How sure', 'Shared')]
    """
    return _best(report), _value(report), sureness(report)


def _best(report: Report) -> Tile:
    claims = report.claims
    leader, unbeaten, how = claims.of(Leader), claims.of(Unbeaten), (report.verdict.best,)
    if (against := claims.of(Against)) is not None:
        name, text = against.control, against.text
        return Tile("best", "Against the control", name, name, text, how=how)
    if leader is None or leader.algorithm is None:
        text = "Everybody is significantly beaten by somebody."
        return Tile("best", "Leader", "Nobody leads", None, text, how=how, is_open=True)
    if not leader.any_differ or unbeaten is None:
        text = leader.text
        return Tile("best", "Leader", _why_open(claims), None, text, how=how, is_open=True)
    if (first := claims.of(First)) is not None:  # who may be as good is by another test
        text = sentence("; ".join(filter(None, (first.clause, unbeaten.clause))))
        return Tile("best", "Leader", leader.algorithm, leader.algorithm, text, how=how)
    seen = leader.n_datasets < leader.of_datasets
    parts = [
        f"Seen on {leader.n_datasets} of {leader.of_datasets} data sets." if seen else "",
        "" if unbeaten.others else unbeaten.text,
        each.text if (each := claims.of(NotComparable)) else "",
    ]
    name = leader.algorithm
    text = " ".join(filter(None, parts))
    return Tile("best", "Leader", name, name, text, unbeaten.others, how)


def _why_open(claims: Answer) -> str:
    """Say in a few words why nobody is named."""
    if claims.of(TooFew) is not None:
        return "Too few data sets to tell"
    return "No test is possible" if claims.of(Evidence) is None else "No difference found"


def _value(report: Report) -> Tile:
    found = report.claims.of(Value)
    if found is None:
        costs = report.table.cost_names
        if not costs:
            text = "No column is known as a cost; one such as train_time would tell."
            return Tile("value", "Best value", "No costs given", None, text, is_open=True)
        text = "Among those that cannot be told apart, the cheapest is the best value."
        return Tile(
            "value", "Best value", "No cost chosen", None, text, offers=costs, is_open=True
        )  # fmt: skip
    front = () if report.front is None else (report.front.claim.text,)
    return Tile(
        "value",
        f"Best value by {found.cost}",
        found.algorithm,
        found.algorithm,
        found.short,
        how=(found.text, *front),
        is_open=bool(found.unclear),
    )


def sureness(report: Report) -> Tile:
    """Say how sure it is who leads, and on what that rests."""
    claims, judged = report.claims, report.ordering.judged
    found, how = claims.of(Sureness), claims.texts(Evidence)
    if judged is not None and judged.together is not None:
        omnibus = judged.together
        title = OMNIBUS_TESTS[omnibus.method].title
        how.append(f"All together, {title}, {p_said(omnibus.p_value)}.")
    level = "open" if found is None else found.level
    text = "" if found is None else sentence(found.reason, [claims.leader or ""])
    return Tile(
        "sure", "How sure", level.capitalize(), None, text, how=tuple(how), is_open=level == "open"
    )
