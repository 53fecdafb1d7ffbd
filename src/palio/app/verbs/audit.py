"""``palio audit``: which verdicts would change, and why."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

from cyclopts import Parameter

from palio.app.options import (
    All,
    Alpha,
    JsonFlag,
    MoreFiles,
    Over,
    Reading,
    choices,
    flag,
    show,
    together,
)


def audit(
    results: str,
    /,
    *more: MoreFiles,
    over: Over = None,
    test: Annotated[
        str | None,
        Parameter(
            help=choices("palio.comparison.pair_tests:PAIR_TESTS", "As for compare", only="audited")
        ),
    ] = None,
    correction: Annotated[
        str, Parameter(help=choices("palio.comparison.corrections:CORRECTIONS"))
    ] = "holm",
    alpha: Alpha = 0.05,
    only: Annotated[
        str | None,
        Parameter(help=choices("palio.comparison.audit:AUDIT_CHECKS", "Some checks, with commas")),
    ] = None,
    focus: str | None = None,
    seed: int = 0,
    details: Annotated[bool, flag("Print what each check found.")] = False,
    whole: All = False,
    reading: Reading | None = None,
    json: JsonFlag = False,
) -> None:
    """Audit a comparison: say what would change the answer: a choice, a data set or the pool.

    Example: palio audit results.csv --only pools,leave-one-out

    Parameters
    ----------
    results
        Scores: columns dataset, algorithm, a score, or one column per algorithm.
    focus
        Name the pairs of this algorithm, however many there are.
    seed
        For what is simulated or sampled.
    """
    from palio.comparison.audit import audit as audit_table

    table = (reading or Reading()).read(together(results, more), over=over)
    names = None if only is None else [name.strip() for name in only.split(",")]
    result = audit_table(
        table,
        over=over,
        test=test,
        correction=correction,
        alpha=alpha,
        only=names,
        focus=focus,
        seed=seed,
    )
    show(replace(result, in_detail=details), json=json, whole=whole)
