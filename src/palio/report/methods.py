"""How a report was made, in the sentences of a paper's methods section, with what they cite."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from palio.comparison.corrections import CORRECTIONS
from palio.comparison.fold_tests import FOLD_TESTS
from palio.comparison.omnibus import OMNIBUS_TESTS
from palio.comparison.pair_tests import PAIR_TESTS
from palio.comparison.rank_tests import POSTHOCS
from palio.ordering.methods import ORDERINGS
from palio.report.numbers import limit
from palio.report.references import cited
from palio.report.views.common import Summary, measure_in_words

__all__ = ["Sentence", "methods"]


class Sentence(NamedTuple):
    """A sentence and the references it cites, in short."""

    text: str
    cites: list[str]


def methods(summary: Summary) -> list[Sentence]:
    """Say how the answer was found, sentence by sentence.

    Parameters
    ----------
    summary : mapping
        A report's ``to_dict()``.

    Returns
    -------
    list of Sentence

    Examples
    --------
    >>> import palio
    >>> report = palio.analyse(palio.load_study("ulas2008"), cost="train_time", checks=[])
    >>> methods(report.to_dict())[0].text
    '8 algorithms were compared on 38 data sets by accuracy (higher is better); design: 5×2 cv.'
    """
    return [
        Sentence(text, cited(short for short in cites if short))
        for text, *cites in (
            *_table(summary),
            *_ordering(summary),
            *_comparison(summary),
            *_posterior(summary),
            *_audit(summary),
            *_software(summary),
        )
    ]


Said = Iterator[tuple[str, ...]]


def _table(summary: Summary) -> Said:
    table = summary["table"]
    sets = "1 data set" if table["n_datasets"] == 1 else f"{table['n_datasets']} data sets"
    yield (
        f"{table['n_algorithms']} algorithms were compared on {sets} by "
        f"{measure_in_words(table)}; design: {table['design']}.",
    )


def _ordering(summary: Summary) -> Said:
    ordering = summary["ordering"]
    if ordering is None:
        by = "mean rank" if summary["order"]["method"] == "mean-ranks" else "mean score"
        yield (f"The order is that of the {by}s.",)
        return
    method, test = ORDERINGS[ordering["method"]], FOLD_TESTS[ordering["test"]]
    correction = CORRECTIONS[ordering["correction"]]
    work = {"multitest": "yildiz2006", "multi2test": "ulas2008"}[ordering["method"]]
    yield f"The order is by {method.title}, which prefers {_preferred(ordering)}.", work
    level = f"at α = {limit(ordering['alpha'])}, {correction.title}"
    yield f"On each data set pairs were tested by the {test.title}, {level}.", test.reference
    if ordering["posthoc"] is not None:
        posthoc = POSTHOCS[ordering["posthoc"]]
        yield (
            f"Over the data sets pairs were told apart by: {posthoc.title}.",
            posthoc.reference,
        )


def _preferred(ordering: Summary) -> str:
    cost = ordering["cost"]
    if cost is None:
        return "the earlier of a given order unless the later is significantly better"
    named = " + ".join(
        name if len(cost) == 1 else f"{limit(weight)} × {name}" for name, weight in cost.items()
    )
    return f"the cheaper ({named}) of two algorithms unless the costlier is significantly better"


def _comparison(summary: Summary) -> Said:
    comparison = summary["comparison"]
    if comparison is None:
        return
    test, correction = PAIR_TESTS[comparison["method"]], CORRECTIONS[comparison["correction"]]
    omnibus = OMNIBUS_TESTS[comparison["omnibus"]["method"]]
    whom = "All pairs" if comparison["control"] is None else f"All with {comparison['control']}"
    yield (
        f"{whom} were compared by the {test.title} on the means over folds, two-sided at "
        f"α = {limit(comparison['alpha'])}, {correction.title}.",
        test.reference,
        correction.reference,
    )
    yield f"All algorithms together were compared by the {omnibus.title}.", omnibus.reference


def _posterior(summary: Summary) -> Said:
    posterior = summary["posterior"]
    if posterior is None:
        return
    yield (
        f"Probabilities are by: {posterior['title']}, differences within "
        f"±{limit(posterior['rope'])} taken as practically none ({posterior['rope_source']}).",
        posterior["reference"],
    )


def _audit(summary: Summary) -> Said:
    audit = summary["audit"]
    if audit is None:
        return
    checks = ", ".join(check["name"] for check in audit["checks"])
    yield f"The verdicts on the pairs were audited ({checks}).", "benavoli2016"


def _software(summary: Summary) -> Said:
    versions = summary["versions"]
    used = ", ".join(
        f"{name.capitalize() if name in ('palio', 'python') else name} {version}"
        for name, version in versions.items()
    )
    yield (f"The report was made with {used}.",)
