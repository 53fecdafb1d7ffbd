"""Ranking by ratios: of success rates, and of success rates adjusted for time."""

from __future__ import annotations

import functools

import numpy as np

from palio.errors import CellError, ParameterError
from palio.measures import Measure, is_error_rate
from palio.ordering import ranking_scores
from palio.ordering.prior import Cost
from palio.ordering.rankers import Ranker, RankingOptions, goodness_of
from palio.ordering.ranking_scores import weighted_mean
from palio.scores import ScoreTable
from palio.types import FloatArray


def success_rate_ratios_of(table: ScoreTable, _options: RankingOptions) -> Ranker:
    r"""Rank by the mean ratio of success rates to those of the others (brazdil2000 §2.2).

    By which factor is an algorithm's success rate above that of the others? Valid for shares of
    successes, or of errors, alone.

    Notes
    -----
    With the success rates of m algorithms on each of n data sets d:

    .. math::

        \mathrm{SRR}_j = \frac{1}{n} \sum_{d=1}^{n} \frac{1}{m - 1}
        \sum_{k \ne j} \frac{\mathrm{SR}_{dj}}{\mathrm{SR}_{dk}}
    """
    goodness_of(table)
    success, note = success_rates(table, method="success-rate-ratios")
    ratios = ranking_scores.success_rate_ratios(success)
    return Ranker(functools.partial(weighted_mean, ratios), higher_is_better=True, notes=(note,))


ACC_D = 0.01
"""A hundredth of success for a tenfold speed, the middle of the paper's three."""


def adjusted_ratios_of(table: ScoreTable, options: RankingOptions) -> Ranker:
    r"""Rank by accuracy and time together (Brazdil, Soares and da Costa 2003).

    Who is best, if a tenfold speed is worth a stated share of success (``acc_d``)? Valid for shares
    of successes or of errors, and one positive cost.

    Notes
    -----
    With success rates SR and times T on each data set, and AccD the share of success for a tenfold
    speed:

    .. math::

        \mathrm{ARR}_{jk} = \frac{\mathrm{SR}_j / \mathrm{SR}_k}
        {1 + \mathrm{AccD} \log_{10}(T_j / T_k)}

    of which the geometric mean over the data sets is taken, and then the mean over opponents k.
    """
    goodness_of(table)
    acc_d = ACC_D if options.acc_d is None else options.acc_d
    if not 0 <= acc_d < np.inf:
        raise ParameterError(
            "acc_d",
            "the share of success given for a tenfold speed is 0 or more",
            f"{acc_d!r} was given",
            "0.01 is a hundredth",
        )
    success, note = success_rates(table, method="adjusted-ratios")
    name, time = _time(table, options.cost)
    _check_penalty(table, time, acc_d)
    return Ranker(
        functools.partial(ranking_scores.adjusted_ratios, success, time, acc_d),
        higher_is_better=True,
        notes=(note, f"time: {name}; AccD = {acc_d:g} of success for a tenfold speed"),
    )


def _time(table: ScoreTable, cost: Cost | None) -> tuple[str, FloatArray]:
    """Return the one cost that is weighed against success, positive everywhere."""
    names = [cost] if isinstance(cost, str) else list(cost or ())
    if len(names) != 1:
        known = ", ".join(table.cost_names) or "none"
        raise ParameterError(
            "cost",
            "'adjusted-ratios' weighs success against one cost",
            f"{len(names)} are given",
            f"name one (the table has: {known})",
        )
    time = table.cost_matrix(names[0])
    zeros = np.argwhere(time <= 0)
    if zeros.size:
        row, column = zeros[0].tolist()
        raise CellError(
            "cost",
            f"'adjusted-ratios' takes ratios of {names[0]!r}",
            f"that of {table.algorithms[column]!r} on {table.datasets[row]!r} is "
            f"{time[row, column]:g}",
            "positive costs are needed",
        )
    return names[0], time


def _check_penalty(table: ScoreTable, time: FloatArray, acc_d: float) -> None:
    """Refuse costs so far apart that the adjustment changes its sign: ARR has no meaning there."""
    apart = np.log10(time.max(axis=1) / time.min(axis=1))
    worst = int(apart.argmax())
    if acc_d * apart[worst] >= 1:
        raise ParameterError(
            "acc_d",
            f"on {table.datasets[worst]!r} the slowest takes {10 ** apart[worst]:.3g} times as "
            f"long as the quickest, so AccD must stay below {1 / apart[worst]:.3g}",
            f"{acc_d:g} was given",
        )


# --- success rates ------------------------------------------------------------------------------


def success_rates(table: ScoreTable, *, method: str) -> tuple[FloatArray, str]:
    """Return the success rates (S, K) of a table, and in a note how they were read.

    Success is the score itself where it is a share, in [0, 1] or in per cent, and 1 − error where
    it is an error rate. Ratios of anything else have no meaning, and are refused.

    Examples
    --------
    >>> table = ScoreTable.from_arrays(
    ...     [[19.13, 14.06]], datasets=["australian"], algorithms=["timbl", "discrim"],
    ...     measure="error",
    ... )
    >>> rates, note = success_rates(table, method="success-rate-ratios")
    >>> rates.round(2), note
    (array([[80.87, 85.94]]), 'success: 100 − error, in per cent')
    """
    measure, means = table.measure, table.means()
    whole = _whole(measure, means)
    if whole is None:
        raise ParameterError(
            "method",
            f"'{method}' takes ratios of success rates",
            f"{measure.name!r} is none: a score from 0 to 1 or in per cent is needed, or an error "
            "rate",
            "'average-ranks' needs nothing but the order",
        )
    unit = "in per cent" if whole > 1 else "as a fraction"
    if measure.higher_is_better:
        success, note = means, f"success: {measure.name} as it is, {unit}"
    else:
        success, note = whole - means, f"success: {whole:g} − {measure.name}, {unit}"
    _refuse_zeros(table, success, method)
    return success, note


def _whole(measure: Measure, means: FloatArray) -> float | None:
    """Return what all successes together are, 1 or 100; nothing if the measure is no share."""
    if measure.is_ordinal:
        return None
    starts_at_zero = measure.lower == 0 or (measure.lower is None and measure.upper is None)
    is_share = starts_at_zero if measure.higher_is_better else is_error_rate(measure.name)
    if not is_share or means.min() < 0 or means.max() > 100:
        return None
    return 1.0 if means.max() <= 1 else 100.0


def _refuse_zeros(table: ScoreTable, success: FloatArray, method: str) -> None:
    zeros = np.argwhere(success <= 0)
    if zeros.size:
        row, column = zeros[0].tolist()
        raise CellError(
            "method",
            f"'{method}' divides by success rates",
            f"that of {table.algorithms[column]!r} on {table.datasets[row]!r} is 0",
            "leave one of them out, or use 'average-ranks'",
        )
