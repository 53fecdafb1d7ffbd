"""How sure it is who leads: one of four levels, from one function that every face shares.

Decided in this order.

- **open**: no pair differs, or none could.
- **firm**: one algorithm is unbeaten, and the same one alone in every check.
- **shared**: several are unbeaten; in every check the leader stays unbeaten and somebody is beaten.
- **fragile**: everything else, also where there are too few data sets to check, and where
  everybody is beaten.

The checks that count are those of an audit that ask the same question again: without any one data
set, by the other conventions that we recommend, and with failures as worst. *Firm* is about a
name, never about a set: at the edge of the unbeaten some change comes with nearly every check.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from palio.claims import Sureness
from palio.numbers import number
from palio.words import count

if TYPE_CHECKING:
    from palio.comparison.audit.report import Otherwise
    from palio.comparison.results import Comparison

CHECKS = ("leave-one-out", "conventions", "missing")
"""The checks of an audit that count."""


def sureness_of(comparison: Comparison) -> Sureness:
    """Return how sure it is who leads by a comparison of all pairs."""
    if comparison.least_p is not None:
        least = f"an adjusted p of {number(comparison.least_p)}"
        return Sureness("open", f"even one better on all of them would have {least}")
    if comparison.n_different == 0:
        return Sureness("open", "no difference was found between any two")
    if not comparison.unbeaten:
        return Sureness("fragile", "everybody is beaten by somebody")
    if comparison.over == "folds":
        return Sureness("fragile", "one data set cannot be checked against others")
    from palio.comparison.audit import checks_that_count

    return _judged(comparison, *checks_that_count(comparison))


def _judged(comparison: Comparison, ways: Sequence[Otherwise], too_few: bool) -> Sureness:
    """Compare who is unbeaten, asked in other ways, with who is.

    ``too_few`` says that without one data set no pair could differ, whatever the scores.
    """
    unbeaten, leader = frozenset(comparison.unbeaten or ()), comparison.leading
    n, everyone = len(ways), frozenset(comparison.algorithms)
    idle = [way for way in ways if not way.beaten]
    if not ways or (idle and too_few):
        what = count(comparison.n_datasets, "data set")
        return Sureness("fragile", f"{what} are too few to check", n)
    lost = [way for way in ways if leader in way.beaten]
    changed = [way for way in ways if everyone - way.beaten != unbeaten]
    if lost or idle:
        who = f"{leader} would be beaten" if lost else "nobody would be beaten"
        return Sureness("fragile", f"{_named(lost or idle)} {who}", n)
    if len(unbeaten) > 1:
        return Sureness("shared", _stays(leader, n, len(changed)), n)
    if changed:
        return Sureness("fragile", f"{_named(changed)} {leader} would not be alone", n)
    return Sureness("firm", f"{leader} stays alone in {_all(n)}", n)


def _stays(leader: str | None, n: int, changed: int) -> str:
    edge = f", but who else is unbeaten changes in {changed}" if changed else ""
    return f"{leader} stays unbeaten in {_all(n)}{edge}"


def _all(n: int) -> str:
    return {1: "the one check", 2: "both checks"}.get(n, f"all {n} checks")


def _named(ways: Sequence[Otherwise]) -> str:
    """Name the first way to ask in which it is otherwise, and count the others."""
    more = f", as in {count(len(ways) - 1, 'other check')}," if len(ways) > 1 else ""
    return f"{ways[0].how}{more}"
