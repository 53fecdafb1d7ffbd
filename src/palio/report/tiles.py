"""The answer at a glance: who is best, what is the best value, how sure is that; a few words each.

The sentences of the verdict say the same at length, and stand behind "how".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal, NamedTuple

from palio.comparison.verdict import leader_of, some_of
from palio.numbers import limit, number
from palio.words import count, joined

if TYPE_CHECKING:
    from palio.comparison.audit import Audit
    from palio.comparison.results import Comparison
    from palio.report.analysis import Report


# So many names are said again; more are counted.
_FEW = 3


class Tile(NamedTuple):
    """One of the three answers."""

    about: Literal["best", "value", "sure"]
    title: str
    answer: Annotated[str, "In a few words, or the name of an algorithm."]
    algorithm: Annotated[str | None, "The algorithm that is the answer, if one is."]
    said: Annotated[str, "What belongs to it, in a sentence or two."]
    level: Annotated[tuple[str, ...], "Those that cannot be told from the best."] = ()
    how: Annotated[tuple[str, ...], "The test, what it rests on, and what else was found."] = ()
    offers: Annotated[tuple[str, ...], "The costs that could be chosen, where none was."] = ()
    is_open: Annotated[bool, "Whether there is no answer, or not yet."] = False


def tiles(report: Report) -> tuple[Tile, Tile, Tile]:
    """Return the three answers of a report.

    >>> import palio
    >>> report = palio.analyse(palio.load_study("ulas2008"), cost="train_time", checks=[])
    >>> [(tile.title, tile.answer) for tile in tiles(report)]
    [('Best', 'svr'), ('Best value by train_time', 'svl'), ('How sure', '95 % confidence')]
    """
    return _best(report), _value(report), sureness(report)


# --- the best -------------------------------------------------------------------------------------


def _best(report: Report) -> Tile:
    found = report.comparison if report.question.control is not None else report.ordering.judged
    how = (report.verdict.best,)
    if found is None:
        best, measure = report.verdict.best_by_score, report.table.measure.name
        score = number(report.table.mean_scores()[best])
        said = f"Best {measure}, {score}; no test can tell whether others are as good."
        return Tile("best", "Ahead", best, best, said, how=how)
    if found.control is not None:
        return _against_control(found, how)
    if not found.unbeaten:
        said = "Everyone is significantly beaten by another."
        return Tile("best", "Best", "Nobody is unbeaten", None, said, how=how, is_open=True)
    if found.n_different == 0:
        return _open(found, how)
    return _of_best(found, how)


def _open(found: Comparison, how: tuple[str, ...]) -> Tile:
    """Say who is ahead where nobody is significantly better than another."""
    level, by = leader_of(found)
    few = found.least_p is not None
    why = "so few data sets cannot tell any two apart" if few else "any of them may be the best"
    answer = "Too few data sets to tell" if few else "Nobody stands out"
    if len(level) == len(found.algorithms):
        said = f"All have the same {by}."
    else:
        said = f"{some_of(level)} {'is' if len(level) == 1 else 'are'} ahead by {by}, but {why}."
    return Tile("best", "Best", answer, None, said, how=how, is_open=True)


def _of_best(found: Comparison, how: tuple[str, ...]) -> Tile:
    best = str(found.best)
    level = tuple(name for name in found.unbeaten or () if name not in (best, *found.hardly))
    rest = len(found.algorithms) - 1 - len(level) - len(found.hardly)
    if len(found.standings[best].beats) == len(found.algorithms) - 1:
        said = "Significantly better than every other."
    elif not level:
        said = "Nobody is significantly better, and each of the others is beaten by somebody."
    elif rest:
        others = "1 other is" if rest == 1 else f"{rest} others are"
        said = f"{others} significantly beaten by one of these."
    else:
        said = "Nobody is beaten by all of these."
    if found.hardly:
        verb = "shares" if len(found.hardly) == 1 else "share"
        said += f" {len(found.hardly)} {verb} too few data sets with it to tell."
    return Tile("best", "Best", best, best, said, level, how)


def _against_control(found: Comparison, how: tuple[str, ...]) -> Tile:
    control = str(found.control)
    standing = found.standings[control]
    said = (
        f"Significantly better than {len(standing.beats)}, worse than {len(standing.beaten_by)} "
        f"of {count(len(found.algorithms) - 1, 'other')}; the rest cannot be told from it."
    )
    return Tile("best", "Against the control", control, control, said, how=how)


# --- the best value -------------------------------------------------------------------------------


def _value(report: Report) -> Tile:
    ordering, claim = report.ordering, report.ordering.verdict.value
    if claim is None:
        costs = report.table.cost_names
        if not costs:
            said = "No column is known as a cost; one such as train_time would tell."
            return Tile("value", "Best value", "No costs given", None, said, is_open=True)
        said = "Among those that cannot be told apart, the cheapest is the best value."
        return Tile(
            "value", "Best value", "No cost chosen", None, said, offers=costs, is_open=True
        )  # fmt: skip
    by = "the order of preference" if ordering.cost is None else joined([*ordering.cost])
    # The claim names what is weighed and who is first, as the title and the answer do.
    said = claim.partition(f": {ordering.best}")[2].lstrip(",; ").removeprefix("too; ")
    told = [each for each in report.verdict.statements if each.about in ("value", "front")]
    judged = ordering.judged
    untold = judged is not None and judged.least_p is not None
    return Tile(
        "value",
        f"Best value by {by}",
        "Cannot be told" if untold else ordering.best,
        None if untold else ordering.best,
        f"{ordering.best}: {said}" if untold else f"{said[:1].upper()}{said[1:]}",
        how=tuple(part for each in told for part in (each.claim, each.certainty)),
        is_open=untold,
    )


# --- how sure -------------------------------------------------------------------------------------


def sureness(report: Report) -> Tile:
    """Say how sure the first answer is: by the pairs alone, or with what the audit has found."""
    found, audit = report.ordering.judged, report.audit
    statement = next(each for each in report.verdict.statements if each.about == "sure")
    how = tuple(filter(None, (statement.claim, statement.certainty)))
    if found is None:
        said = "One value for each is no sample: nothing tells luck from skill."
        return Tile("sure", "How sure", "No test is possible", None, said, how=how, is_open=True)
    if found.least_p is not None:
        said = "No result on so few data sets could be significant."
        return Tile("sure", "How sure", "No verdict possible", None, said, how=how, is_open=True)
    answer, said = _confident(report, found)
    if audit is not None and report.question.control is None:
        asked = [check.whatever for check in audit.checks if check.whatever]
        if asked:
            answer, more = _audited(audit, found, joined(asked))
            said = f"{said} {more}"
    return Tile("sure", "How sure", answer, None, said, how=how)


def _confident(report: Report, found: Comparison) -> tuple[str, str]:
    """Say of whom one can be confident that the best is among them.

    The ranks left open hold all at once, so that whoever is truly the best is among the unbeaten.
    """
    n, unbeaten = found.n_different, found.unbeaten or ()
    pairs = f"{n:,} of {found.n_pairs:,} pair{'' if found.n_pairs == 1 else 's'}"
    differ = f"{pairs} differ{'s' if 1 in (n, found.n_pairs) else ''}"
    if n == 0 or not unbeaten or found.rank_sets is None or report.question.control is not None:
        return differ, f"Significantly, at the level {found.alpha:g}, on {found.rests_on}."
    level = f"{limit(100 * (1 - found.alpha))} % confidence"
    few = len(unbeaten) <= _FEW
    who = joined(unbeaten, "or") if few else f"among these {len(unbeaten)}"
    return level, f"With {level} the best is {who}."


def _audited(audit: Audit, found: Comparison, asked: str) -> tuple[str, str]:
    """Say what the audit means for the best, and for who is as good; ``asked`` is how else."""
    hangs, best = audit.hangs, found.best
    if found.n_different == 0:
        said = (
            f"{some_of([*hangs], 3)} would be beaten if asked otherwise"
            if hangs
            else f"Nor {asked}"
        )
        return "No difference shown", f"{said}."
    if not hangs:
        return "Firm", f"The same are unbeaten {asked}."
    if best in hangs:
        return "Fragile", f"{best} would be beaten {joined(list(hangs[best]))}."
    out = [name for name in hangs if name in (found.unbeaten or ())]
    into = [name for name in hangs if name not in out]
    parts = [
        *([f"{some_of(into, 3)} may be as good too"] if into else []),
        *([f"{some_of(out, 3)} may not be as good"] if out else []),
    ]
    return "The best is firm", f"{best} stays unbeaten in every check; {', '.join(parts)}."
