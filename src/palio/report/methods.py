"""How a report was made, in the sentences of a paper's methods section, with what they cite."""

from __future__ import annotations

import platform
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, NamedTuple

from palio.comparison.corrections import CORRECTIONS
from palio.comparison.fold_tests import FOLD_TESTS
from palio.comparison.omnibus import OMNIBUS_TESTS
from palio.comparison.pair_tests import PAIR_TESTS
from palio.comparison.rank_tests import POSTHOCS
from palio.ordering.methods import ORDERINGS
from palio.report.numbers import limit
from palio.report.references import REFERENCES, cited

if TYPE_CHECKING:
    from palio.ordering.result import Ordering
    from palio.report.analysis import Report


class Sentence(NamedTuple):
    """A sentence and the references it cites, in short."""

    text: str
    cites: list[str]


class Reference(NamedTuple):
    """A work that a method comes from."""

    short: str
    full: str
    methods: Annotated[tuple[str, ...], "What it is cited for."]


def versions() -> dict[str, str]:
    """Return the versions of what makes a report."""
    from importlib.metadata import version

    import numpy as np
    import scipy

    return {
        "palio": version("palio"),
        "python": platform.python_version(),
        "numpy": np.__version__,
        "scipy": scipy.__version__,
    }


# --- what is cited -------------------------------------------------------------------------------

_ORDERINGS_CITE = {"multitest": "yildiz2006", "multi2test": "ulas2008"}
_AUDIT_CITES = "benavoli2016"


def references(report: Report) -> tuple[Reference, ...]:
    """Return the works that the methods of a report come from."""
    used = _cited(report)
    return tuple(
        Reference(
            short,
            REFERENCES[short],
            tuple(method for method, said in used.items() if short in cited([said])),
        )
        for short in cited(used.values())
    )


def _cited(report: Report) -> dict[str, str]:
    """Return the methods that were used, and what each cites in short."""
    used: dict[str, str] = {}
    ordering, comparison, posterior = report.ordering, report.comparison, report.posterior
    if ordering is not None:
        used |= _cited_by(ordering)
    if comparison is not None:
        test, correction = PAIR_TESTS[comparison.method], CORRECTIONS[comparison.correction]
        omnibus = OMNIBUS_TESTS[comparison.omnibus.method]
        used |= {entry.title: entry.reference for entry in (test, correction, omnibus)}
    if posterior is not None:
        used[posterior.title] = posterior.reference
    if report.audit is not None:
        used["audit"] = _AUDIT_CITES
    return used


def _cited_by(ordering: Ordering) -> dict[str, str]:
    test, correction = FOLD_TESTS[ordering.test], CORRECTIONS[ordering.correction]
    used = {
        ORDERINGS[ordering.method].title: _ORDERINGS_CITE[ordering.method],
        test.title: test.reference,
        correction.title: correction.reference,
    }
    if ordering.posthoc is not None:
        used[POSTHOCS[ordering.posthoc].title] = POSTHOCS[ordering.posthoc].reference
    return used


# --- how it was made -----------------------------------------------------------------------------


def methods(report: Report) -> list[Sentence]:
    """Say how the answer was found, sentence by sentence.

    Examples
    --------
    >>> import palio
    >>> report = palio.analyse(palio.load_study("ulas2008"), cost="train_time", checks=[])
    >>> methods(report)[0].text
    '8 algorithms were compared on 38 data sets by accuracy (higher is better); design: 5×2 cv.'
    """
    return [
        Sentence(text, cited(short for short in cites if short))
        for text, *cites in (
            *_table(report),
            *_ordering(report),
            *_comparison(report),
            *_posterior(report),
            *_audit(report),
            *_software(report),
        )
    ]


Said = Iterator[tuple[str, ...]]


def _table(report: Report) -> Said:
    table = report.table
    sets = "1 data set" if table.n_datasets == 1 else f"{table.n_datasets} data sets"
    yield (
        f"{table.n_algorithms} algorithms were compared on {sets} by {table.measure}; "
        f"design: {table.design()}.",
    )


def _ordering(report: Report) -> Said:
    ordering = report.ordering
    if ordering is None:
        by = "mean rank" if report.order.method == "mean-ranks" else "mean score"
        yield (f"The order is that of the {by}s.",)
        return
    method, test = ORDERINGS[ordering.method], FOLD_TESTS[ordering.test]
    correction = CORRECTIONS[ordering.correction]
    yield (
        f"The order is by {method.title}, which prefers {_preferred(ordering)}.",
        _ORDERINGS_CITE[ordering.method],
    )
    level = f"at α = {limit(ordering.alpha)}, {correction.title}"
    yield f"On each data set pairs were tested by the {test.title}, {level}.", test.reference
    if ordering.posthoc is not None:
        posthoc = POSTHOCS[ordering.posthoc]
        yield (
            f"Over the data sets pairs were told apart by: {posthoc.title}.",
            posthoc.reference,
        )


def _preferred(ordering: Ordering) -> str:
    cost = ordering.cost
    if cost is None:
        return "the earlier of a given order unless the later is significantly better"
    named = " + ".join(
        name if len(cost) == 1 else f"{limit(weight)} × {name}" for name, weight in cost.items()
    )
    return f"the cheaper ({named}) of two algorithms unless the costlier is significantly better"


def _comparison(report: Report) -> Said:
    comparison = report.comparison
    if comparison is None:
        return
    test, correction = PAIR_TESTS[comparison.method], CORRECTIONS[comparison.correction]
    omnibus = OMNIBUS_TESTS[comparison.omnibus.method]
    whom = "All pairs" if comparison.control is None else f"All with {comparison.control}"
    yield (
        f"{whom} were compared by the {test.title} on the means over folds, two-sided at "
        f"α = {limit(comparison.alpha)}, {correction.title}.",
        test.reference,
        correction.reference,
    )
    exactly = ", by its exact distribution" if comparison.omnibus.exact else ""
    yield (
        f"All algorithms together were compared by the {omnibus.title}{exactly}.",
        omnibus.reference,
    )


def _posterior(report: Report) -> Said:
    posterior = report.posterior
    if posterior is None:
        return
    yield (
        f"Probabilities are by: {posterior.title}, differences within "
        f"±{limit(posterior.rope.value)} taken as practically none ({posterior.rope.source}).",
        posterior.reference,
    )


def _audit(report: Report) -> Said:
    audit = report.audit
    if audit is None:
        return
    checks = ", ".join(check.name for check in audit.checks)
    yield f"The verdicts on the pairs were audited ({checks}).", _AUDIT_CITES


def _software(report: Report) -> Said:
    used = ", ".join(
        f"{name.capitalize() if name in ('palio', 'python') else name} {version}"
        for name, version in report.versions.items()
    )
    yield (f"The report was made with {used}.",)
