"""The check of an audit that asks again under other rules for scores that are missing."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from palio.comparison.audit.conventions import by_each
from palio.comparison.audit.report import CheckReport, Context
from palio.comparison.gaps import failures_as_worst
from palio.types import FloatArray

_AS_WORST = "failures as worst"
_QUESTION = "would another rule for missing scores say the same?"
# On fewer data sets that all have there is next to nothing left to ask.
_LEAST = 3


def missing_scores(context: Context) -> CheckReport:
    r"""Ask again with other rules for scores that are missing.

    Would the verdicts be the same on the data sets that all have, and if what failed counted as
    the worst score there? A failure is not missing at random: who fails where it would have been
    bad looks better than it is. What was never run is never counted as worst.

    Notes
    -----
    With p the rule that takes each pair where both have a score, a pair is in doubt where for
    another rule r

    .. math::

        \mathrm{verdict}(p) \ne \mathrm{verdict}(r)
    """
    if not np.isnan(context.goodness).any():
        return CheckReport("missing", _QUESTION, (), notes=("no score is missing",))
    rules = dict(_settled(context))
    if not rules:
        why = f"nothing failed, and fewer than {_LEAST} data sets have a score of every algorithm"
        return CheckReport("missing", _QUESTION, (), notes=(f"no other rule to ask by: {why}",))
    return by_each(
        context,
        "missing",
        _QUESTION,
        {name: _sided(context, values) for name, values in rules.items()},
        {name: f"with {name}" for name in rules},
        bears=True,
        changed_alone=True,
        counting={_AS_WORST},
    )


def _settled(context: Context) -> Iterator[tuple[str, FloatArray]]:
    """Give the rules that can be asked by, and the values that they leave."""
    goodness, failed = context.goodness, context.comparison.compared.failed
    if failed is not None and failed.any():
        yield _AS_WORST, failures_as_worst(goodness, failed)
    if len(context.complete) >= _LEAST:
        yield "the data sets that all have", context.complete


def _sided(context: Context, values: FloatArray) -> FloatArray:
    found = context.procedure.of_pairs(values, context.first, context.second)
    return context.procedure.judged(found, len(context.names), context.met)
