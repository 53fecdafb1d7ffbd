"""How robust is a verdict? An audit asks the same question again, ten ways."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from palio.bars import Steps, steps
from palio.comparison.answer import CHECKS
from palio.comparison.audit import checks
from palio.comparison.audit.report import (
    Audit,
    CheckReport,
    Context,
    ItemContext,
    Otherwise,
    not_asked,
)
from palio.comparison.over_datasets import compare, usual_test
from palio.comparison.over_items import ItemComparison, by_items, read_over
from palio.comparison.pair_tests import pair_test_named
from palio.comparison.results import Comparison
from palio.errors import MissingCellsError, ParameterError
from palio.registry import Later, Registry
from palio.scores import Tabular, as_table, reading_in
from palio.scores.items import ReadOver

__all__ = ["AUDIT_CHECKS", "Audit", "AuditCheck", "CheckReport", "audit", "audit_of"]


# Fewer data sets tell nothing of how much depends on one of them.
_MIN_DATASETS = 3


_NO_RANKS = "no verdict is by mean ranks"


def _later(home: str) -> Later[[Context], CheckReport]:
    """Return a check that does not count for how sure a verdict is: it is loaded when asked for."""
    return Later(f"palio.comparison.audit.{home}")


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
    over_items: Callable[[ItemContext], CheckReport] | str = field(kw_only=True)


AUDIT_CHECKS: Registry[AuditCheck] = Registry.of(
    "check",
    AuditCheck("pools", "other pools", checks.pool_dependence, complete=True, over_items=_NO_RANKS),
    AuditCheck(
        "leave-one-out", "one data set less", checks.leave_one_out, over_items=checks.leave_one_out
    ),
    AuditCheck(
        "conventions", "other tests", checks.conventions, over_items=checks.conventions_over_items
    ),
    AuditCheck(
        "error-rate",
        "false findings",
        _later("assumptions:error_rate"),
        over_items="it simulates data sets",
    ),
    AuditCheck(
        "symmetry",
        "skewed differences",
        _later("assumptions:symmetry"),
        over_items="no test over items ranks differences",
    ),
    AuditCheck(
        "variants", "without near copies", checks.weak_variants, complete=True, over_items=_NO_RANKS
    ),
    AuditCheck(
        "in-use",
        "tests only in use",
        checks.in_use,
        over_items="these tests are over data sets",
    ),
    AuditCheck(
        "missing",
        "other rules for gaps",
        checks.missing_scores,
        over_items=checks.missing_over_items,
    ),
    AuditCheck(
        "luck", "luck of the first", _later("assumptions:luck"), over_items=checks.luck_over_items
    ),
    AuditCheck(
        "splits",
        "fewer splits",
        _later("assumptions:unequal_splits"),
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
    scale: str | None = None,
    in_detail: bool = False,
    progress: Steps = None,
    **options: Any,
) -> Audit:
    """Ask which verdicts of a comparison would change, and why.

    Ten checks: other algorithms in the pool (``pools``), one data set less (``leave-one-out``),
    other tests and corrections that we recommend (``conventions``), the chance of a false finding
    by simulation (``error-rate``), whether Wilcoxon's symmetry is tenable (``symmetry``),
    algorithms that stand beside another (``variants``), tests and corrections in use that we do
    not recommend (``in-use``), other rules for missing scores (``missing``), by how much the best
    mean of many will be worse on other data sets (``luck``), and whether all have as many splits
    (``splits``). From ``in-use``, ``luck`` and ``splits`` no doubt is counted, nor from what is
    about mean ranks unless these were audited.

    Over items it asks whether one data set less, another test or correction, or the items that all
    have would say the same, and by how much the best will be worse on other items; the other checks
    have no meaning there, and say so.

    Parameters
    ----------
    table, over, test, correction, alpha, scale, **options
        The comparison to be audited, as for :func:`palio.compare`.
    only
        Names of the checks to run; all of them unless given.
    focus
        An algorithm whose pairs are told one by one, however many algorithms there are. Of more
        than 30 it is otherwise those that matter: neighbours by mean rank, and the first ten.
    seed
        For what is sampled or simulated.
    in_detail
        Whether the text has what each check found, and not only what would change the answer.
    progress
        What is shown meanwhile: a bar in a notebook or on a terminal unless given, nothing with
        ``False``; a function is called with the name of each check before it runs.

    Returns
    -------
    Audit
        ``changes`` says what would change who is unbeaten, ``sound`` are the pairs that no check
        casts doubt on.

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
    table = as_table(table, reading_in(options), audit, over=over, scale=scale)
    for name in only or ():
        _ = AUDIT_CHECKS[name]  # an unknown name is better said before the work than after
    over = read_over(table, over, dataset=None, test=test)
    if over == "datasets":
        test = test or usual_test(table.measure)
        if not pair_test_named(test).audited:
            raise ParameterError(
                "test",
                f"an audit asks tests with p-values again, and '{test}' has none",
                remedy="audit 'wilcoxon'; other models of palio.bayes say how much hangs on the "
                "model",
            )
    comparison = compare(table, over=over, test=test, correction=correction, alpha=alpha, **options)
    if focus is not None:
        comparison = comparison.focused(focus)
    found = audit_of(comparison, only=only, seed=seed, progress=progress)
    return replace(found, in_detail=in_detail)


def checks_that_count(comparison: Comparison) -> tuple[list[Otherwise], bool]:
    """Return the other ways to ask that count for how sure a verdict is, and who is beaten then.

    And whether without one data set no pair could differ. Of large tables as much is asked as a
    person waits for: data sets to leave out are drawn, and other conventions are not tried.
    """
    names = [name for name in CHECKS if name != "conventions" or _is_quick(comparison)]
    context = _context(comparison, seed=0, work=_QUICK_WORK)
    found = [_asked(AUDIT_CHECKS[name], context) for name in names]
    too_few = comparison.over == "datasets" and context.least_without_one > comparison.alpha
    return [way for check in found for way in check.otherwise if way.counts], too_few


# Pairs × data sets that all conventions are tried on in about two seconds; of items, × items.
_QUICK_CONVENTIONS = 500_000
# As `Context.work`: leaving data sets out takes about two seconds.
_QUICK_WORK = 40_000_000


def _is_quick(comparison: Comparison) -> bool:
    n = len(comparison.compared.values)
    if isinstance(comparison, ItemComparison):
        n = comparison.items.n_items
    return n * comparison.n_pairs <= _QUICK_CONVENTIONS


def audit_of(
    comparison: Comparison,
    *,
    only: Sequence[str] | None = None,
    seed: int = 0,
    progress: Steps = False,
    work: int | None = None,
) -> Audit:
    """Audit a comparison of all pairs, over data sets or over items."""
    chosen = [AUDIT_CHECKS[name] for name in (AUDIT_CHECKS if only is None else only)]
    if len(comparison.algorithms) < 2:
        raise ParameterError("table", "an audit needs two algorithms or more")
    context = _context(comparison, seed, work)
    reports = []
    with steps("auditing", len(chosen), progress) as step:
        for check in chosen:
            step(check.name)
            reports.append(_asked(check, context))
    return Audit(comparison, tuple(reports), notes=comparison.notes)


def _asked(check: AuditCheck, context: Context) -> CheckReport:
    """Make a check, or say why it has no meaning here."""
    if isinstance(context, ItemContext):
        found = check.over_items
        return not_asked(check.name, found) if isinstance(found, str) else found(context)
    if check.complete and (n := len(context.complete)) < _MIN_DATASETS:
        why = f"it looks at data sets with a score of every algorithm, and there are {n}"
        return not_asked(check.name, why)
    return check.run(context)


def _context(comparison: Comparison, seed: int, work: int | None) -> Context:
    if isinstance(comparison, ItemComparison):
        return ItemContext(comparison, seed)
    if (n := len(comparison.compared.goodness)) < _MIN_DATASETS:
        raise MissingCellsError(
            "table",
            "an audit needs three data sets",
            f"there are {n}",
            by_items(comparison.compared.table),
        )
    return Context(comparison, seed, **({} if work is None else {"work": work}))
