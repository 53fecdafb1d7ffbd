"""How fragile is a verdict? An audit asks the same question again, eleven ways."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from palio.bars import Steps, steps
from palio.comparison.audit import assumptions, checks, conventions, gaps, items, luck
from palio.comparison.audit.items import ItemContext
from palio.comparison.audit.report import Audit, CheckReport, Context, not_asked
from palio.comparison.over_datasets import compare, usual_test
from palio.comparison.over_items import (
    ItemQuestion,
    by_items,
    compare_over_items,
    read_over,
)
from palio.comparison.pair_tests import PairVerdicts, pair_test_named
from palio.comparison.procedure import Procedure
from palio.comparison.results import Comparison
from palio.errors import MissingCellsError, ParameterError
from palio.registry import Registry
from palio.scores import ScoreTable, Tabular, as_table
from palio.scores.over import ReadOver

__all__ = ["AUDIT_CHECKS", "Audit", "AuditCheck", "CheckReport", "audit", "audit_of"]


# Fewer data sets tell nothing of how much hangs on one of them.
_LEAST = 3


_NO_RANKS = "no verdict is by mean ranks"


@dataclass(frozen=True)
class AuditCheck:
    """An entry of the registry; ``complete`` ones look at data sets that all algorithms have.

    ``title`` heads a column of the page's grid.
    ``over_items`` is the check of a comparison over items, or why it has no meaning there.
    """

    name: str
    title: str
    run: Callable[[Context], CheckReport]
    complete: bool = False
    over_items: Callable[[ItemContext], CheckReport] | str = "it is about data sets"


AUDIT_CHECKS: Registry[AuditCheck] = Registry.of(
    "check",
    AuditCheck("pools", "other pools", checks.pool_dependence, complete=True, over_items=_NO_RANKS),
    AuditCheck(
        "leave-one-out", "one data set less", checks.leave_one_out, over_items=items.leave_one_out
    ),
    AuditCheck("conventions", "other tests", conventions.conventions, over_items=items.conventions),
    AuditCheck(
        "error-rate", "false findings", assumptions.error_rate, over_items="it simulates data sets"
    ),
    AuditCheck(
        "symmetry",
        "skewed differences",
        assumptions.symmetry,
        over_items="no test over items ranks differences",
    ),
    AuditCheck(
        "variants", "without near copies", checks.weak_variants, complete=True, over_items=_NO_RANKS
    ),
    AuditCheck(
        "in-use",
        "tests only in use",
        conventions.in_use,
        over_items="these tests are over data sets",
    ),
    AuditCheck(
        "places",
        "places by strength",
        checks.places,
        over_items="places are by means, not by strength",
    ),
    AuditCheck(
        "missing", "other rules for gaps", gaps.missing_scores, over_items=items.missing_scores
    ),
    AuditCheck("luck", "luck of the first", luck.luck, over_items=items.luck),
    AuditCheck(
        "splits",
        "fewer splits",
        luck.unequal_splits,
        over_items="items are what is drawn, not splits",
    ),
)


def audit(
    table: Tabular,
    *,
    over: ReadOver | None = None,
    test: str | None = None,
    correction: str | None = "holm",
    alpha: float = 0.05,
    only: Sequence[str] | None = None,
    focus: str | None = None,
    seed: int = 0,
    progress: Steps = None,
    **options: Any,
) -> Audit:
    """Ask which verdicts of a comparison would change, and why.

    Eleven checks: other algorithms in the pool (``pools``), one data set less (``leave-one-out``),
    other tests and corrections that we recommend (``conventions``), the chance of a false finding
    by simulation (``error-rate``), whether Wilcoxon's symmetry is tenable (``symmetry``),
    algorithms that stand beside another (``variants``), tests and corrections in use that we do
    not recommend (``in-use``), which places by strength hang on the pool (``places``), other
    rules for missing scores (``missing``), by how much the best mean of many will be worse on
    other data sets (``luck``), and whether all have as many splits (``splits``). From ``in-use``,
    ``places``, ``luck`` and ``splits`` no doubt is counted, nor from what is about mean ranks
    unless these were audited.

    Over items it asks whether one data set less, another test or correction, or the items that all
    have would say the same, and by how much the best will be worse on other items; the other checks
    have no meaning there, and say so.

    Parameters
    ----------
    table, over, test, correction, alpha, **options
        The comparison to be audited, as for :func:`palio.compare`.
    only
        Names of the checks to run; all of them unless given.
    focus
        An algorithm whose pairs are told one by one, however many algorithms there are. Of more
        than 30 it is otherwise those that matter: neighbours by mean rank, and the first ten.
    seed
        For what is sampled or simulated.
    progress
        What is shown meanwhile: a bar in a notebook or on a terminal unless given, nothing with
        ``False``; a function is called with the name of each check before it runs.

    Returns
    -------
    Audit
        ``sentence`` says what the best hang on, ``sound`` are the pairs that no check casts doubt
        on.

    See Also
    --------
    palio.compare : what is audited.

    References
    ----------
    A. Benavoli, G. Corani and F. Mangili (2016), Should we really use post-hoc tests based on
    mean-ranks?, JMLR 17.

    Examples
    --------
    >>> import palio
    >>> table = palio.load_study("ulas2008")
    >>> result = palio.audit(table, only=["leave-one-out"])
    >>> result["leave-one-out"].findings[0]
    'c45 and svl differ, but not without balance, horse, optdigits, tictactoe or 2 others'
    """
    table = as_table(table, over=over)
    for name in only or ():
        _ = AUDIT_CHECKS[name]  # an unknown name is better said before the work than after
    if read_over(table, over, dataset=None, test=test) == "items":
        return _over_items(table, test, correction, alpha, only, focus, seed, progress, options)
    test = test or usual_test(table.measure)
    if not pair_test_named(test).audited:
        raise ParameterError(
            "test",
            f"an audit asks tests with p-values again, and '{test}' has none",
            remedy="audit 'wilcoxon'; other models of palio.bayes say how much hangs on the model",
        )
    comparison = compare(
        table, over="datasets", test=test, correction=correction, alpha=alpha, **options
    )
    procedure = Procedure.asked(test, correction, alpha, options=options)
    if focus is not None:
        comparison = comparison.focused(focus)
    return audit_of(comparison, procedure, only=only, seed=seed, progress=progress)


def _over_items(
    table: ScoreTable,
    test: str | None,
    correction: str | None,
    alpha: float,
    only: Sequence[str] | None,
    focus: str | None,
    seed: int,
    progress: Steps,
    options: Mapping[str, Any],
) -> Audit:
    """Audit a comparison of all pairs over items."""
    comparison: Comparison = compare_over_items(
        table,
        dataset=None,
        test=test,
        correction=correction,
        alpha=alpha,
        control=None,
        options=options,
    )
    if focus is not None:
        comparison = comparison.focused(focus)
    if table.items is None:
        raise ValueError("a table without item scores is not audited over items.")
    question = ItemQuestion.asked(table.items, test, correction, alpha, None, options)
    context = ItemContext(
        comparison,
        question.procedure,
        comparison.compared.goodness,
        comparison.datasets,
        seed,
        question=question,
    )
    reports = []
    asked = list(AUDIT_CHECKS if only is None else only)
    with steps("auditing", len(asked), progress) as step:
        for name in asked:
            step(name)
            found = AUDIT_CHECKS[name].over_items
            if isinstance(found, str):
                reports.append(not_asked(name, found))
            else:
                reports.append(found(context))
    return Audit(comparison, tuple(reports), notes=comparison.notes)


def audit_of(
    comparison: Comparison,
    procedure: Procedure,
    *,
    only: Sequence[str] | None = None,
    seed: int = 0,
    progress: Steps = None,
) -> Audit:
    """Audit a comparison of all pairs over data sets that was made by this procedure."""
    chosen = [AUDIT_CHECKS[name] for name in (AUDIT_CHECKS if only is None else only)]
    if len(comparison.algorithms) < 2:
        raise ParameterError("table", "an audit needs two algorithms or more")
    context = _context(comparison, procedure, seed)
    reports = []
    with steps("auditing", len(chosen), progress) as step:
        for check in chosen:
            step(check.name)
            if check.complete and len(context.complete) < _LEAST:
                n = len(context.complete)
                why = f"it looks at data sets with a score of every algorithm, and there are {n}"
                reports.append(not_asked(check.name, why))
            else:
                reports.append(check.run(context))
    return Audit(comparison, tuple(reports), notes=comparison.notes)


def _context(comparison: Comparison, procedure: Procedure, seed: int) -> Context:
    goodness, datasets = comparison.compared.goodness, comparison.datasets
    asked = {procedure.test_key: _verdicts(comparison)}
    if len(goodness) < _LEAST:
        raise MissingCellsError(
            "table",
            "an audit needs three data sets",
            f"there are {len(goodness)}",
            by_items(comparison.compared.table),
        )
    return Context(comparison, procedure, goodness, datasets, seed, asked)


def _verdicts(comparison: Comparison) -> PairVerdicts:
    """Return what the test has said of the pairs, so that it is not asked again."""
    tested = comparison.tested
    return PairVerdicts(tested.statistic, tested.p_value, np.sign(tested.lead))
