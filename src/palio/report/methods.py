"""How a report was made, in the sentences of a paper's methods section, with what they cite."""

from __future__ import annotations

import platform
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Annotated, NamedTuple

from palio.comparison.corrections import CORRECTIONS
from palio.comparison.fold_tests import FOLD_TESTS, FoldTest
from palio.comparison.item_tests import ITEM_TESTS, ItemTest
from palio.comparison.omnibus import OMNIBUS_TESTS
from palio.comparison.pair_tests import PAIR_TESTS, PairTest
from palio.comparison.rank_tests import POSTHOCS
from palio.numbers import limit, region, weighed
from palio.ordering.methods import ORDERINGS
from palio.ordering.result import Ordering
from palio.report.references import REFERENCES, cited

if TYPE_CHECKING:
    from palio.comparison.results import Comparison
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

_ORDERINGS_CITE = {
    "pairwise": "yildiz2006; benavoli2016", "multitest": "yildiz2006", "multi2test": "ulas2008",
}  # fmt: skip


def references(report: Report | Ordering) -> tuple[Reference, ...]:
    """Return the works that the methods of a report come from."""
    used = {method: short for _, cites in _said(report) for method, short in cites.items()}
    return tuple(
        Reference(
            short,
            REFERENCES[short],
            tuple(method for method, said in used.items() if short in cited([said])),
        )
        for short in cited(used.values())
    )


def _tests(comparison: Comparison) -> Mapping[str, PairTest | FoldTest | ItemTest]:
    if comparison.over == "items":
        return ITEM_TESTS
    return PAIR_TESTS if comparison.dataset is None else FOLD_TESTS


# --- how it was made -----------------------------------------------------------------------------


def methods(report: Report | Ordering) -> list[Sentence]:
    """Say how the answer was found, sentence by sentence.

    Examples
    --------
    >>> import palio
    >>> report = palio.analyse(palio.load_study("ulas2008"), cost="train_time", checks=[])
    >>> methods(report)[0].text
    '8 algorithms were compared on 38 data sets by accuracy (higher is better); design: 5×2 cv.'
    """
    return [Sentence(text, cited(cites.values())) for text, cites in _said(report)]


# Sentences, and the methods that they name with what each cites in short.
Said = Iterable[tuple[str, Mapping[str, str]]]


def _said(report: Report | Ordering) -> Said:
    if isinstance(report, Ordering):
        tested = () if report.posthoc else _comparison(report)
        return (*_table(report), *_ordering(report), *tested)
    parts = (_comparison, _rank_sets, _posterior, _audit, _software)
    others = (each for part in parts for each in part(report))
    return (*_table(report), *_ordering(report.ordering), *others)


def _table(report: Report | Ordering) -> Said:
    table, found = report.table, report.comparison
    sets = "1 data set" if table.n_datasets == 1 else f"{table.n_datasets} data sets"
    if found is not None and found.over == "items":
        k = len(found.algorithms)
        yield f"{k} algorithms were compared on {found.rests_on} by {table.measure}.", {}
        return
    yield (
        f"{table.n_algorithms} algorithms were compared on {sets} by {table.measure}; "
        f"design: {table.design()}.",
        {},
    )
    experiment = None if isinstance(report, Ordering) else report.experiment
    said = "" if experiment is None else experiment.data_said
    if said:
        yield f"{said[0].upper()}{said[1:]}.", {}


def _ordering(ordering: Ordering) -> Said:
    method = ORDERINGS[ordering.method].title
    preferred, other, *_ = ordering.wording
    weights = "" if ordering.cost is None else f" ({weighed(ordering.cost)})"
    preferred = f"{preferred}{weights} of two algorithms"
    if ordering.preferred_by == "mean-rank":
        by = "mean rank" if ordering.judged is None else ordering.judged.stands_by
        preferred, other = f"better {by}", "other"
    yield (
        f"The order is by {method}, which prefers the {preferred} unless the {other} is "
        "significantly better.",
        {method: _ORDERINGS_CITE[ordering.method]},
    )
    first_pass = ordering.on_each
    if first_pass is not None:
        level = f"at α = {limit(ordering.alpha)}, {first_pass.correction.title}"
        used = (first_pass.test, first_pass.correction)
        yield (
            f"On each data set pairs were tested by the {first_pass.test.title}, {level}.",
            {entry.title: entry.reference for entry in used},
        )
    if ordering.posthoc is not None:
        posthoc = POSTHOCS[ordering.posthoc]
        yield (
            f"Over the data sets pairs were told apart by: {posthoc.title}.",
            {posthoc.title: posthoc.reference},
        )


def _comparison(report: Report | Ordering) -> Said:
    comparison = report.comparison
    if comparison is None:
        return
    test = _tests(comparison)[comparison.method]
    correction = CORRECTIONS[comparison.correction]
    on = {
        "datasets": "the means over folds", "folds": "the folds", "items": "the items both have"
    }[comparison.over]  # fmt: skip
    whom = "All pairs" if comparison.control is None else f"All with {comparison.control}"
    at = f"α = {limit(comparison.alpha)}"
    how = (
        f"a pair differs where the probability of being wrong about it is {at} at most"
        if test.bayesian
        else f"two-sided at {at}, {correction.title}"
    )
    yield (
        f"{whom} were compared by the {test.title} on {on}, {how}.",
        {test.title: test.reference, correction.title: correction.reference},
    )
    if (omnibus := comparison.together) is not None:
        entry = OMNIBUS_TESTS[omnibus.method]
        exactly = ", by its exact distribution" if omnibus.exact else ""
        yield (
            f"All algorithms together were compared by the {entry.title}{exactly}.",
            {entry.title: entry.reference},
        )


def _rank_sets(report: Report) -> Said:
    judged = report.ordering.judged
    if judged is None or judged.rank_sets is None:
        return
    if not _tests(judged)[judged.method].bayesian:  # else they are by draws
        yield (
            "The ranks given for each algorithm are those that its significant pairs leave open, "
            f"all at once with confidence {limit(1 - report.ordering.alpha)}.",
            {"rank sets": "Mogstad and others 2024"},
        )


def _posterior(report: Report) -> Said:
    posterior = report.posterior
    if posterior is None:
        return
    yield (
        f"Probabilities are by: {posterior.title}, with "
        f"{region(posterior.rope.value, ratios=posterior.answer().scale.ratios)} "
        f"({posterior.rope.source}).",
        {posterior.title: posterior.reference},
    )


def _audit(report: Report) -> Said:
    audit = report.audit
    if audit is None:
        return
    checks = ", ".join(check.name for check in audit.checks)
    yield f"The verdicts on the pairs were audited ({checks}).", {"audit": "benavoli2016"}


def _software(report: Report) -> Said:
    used = ", ".join(
        f"{name.capitalize() if name in ('palio', 'python') else name} {version}"
        for name, version in report.versions.items()
    )
    yield f"The report was made with {used}.", {}
