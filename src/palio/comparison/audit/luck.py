"""The checks of an audit that ask how much of a place is luck."""

from __future__ import annotations

import numpy as np

from palio.comparison.audit.report import CheckReport, Context, FewerSplits, WinnersLuck, not_asked
from palio.comparison.sample import largest_part
from palio.numbers import number, percent, relative
from palio.scores.scale import scores_of
from palio.stats.luck import winners_luck
from palio.stats.ranks import average_ranks
from palio.types import IntArray
from palio.words import count

# Enough for the Monte-Carlo error to be small beside what is estimated.
DRAWS = 2000
# Fewer data sets tell nothing of what others would say.
_LEAST = 3
# An expected drop within so many Monte-Carlo errors of nothing, or below this share of the lead, is
# no finding.
_ERRORS, _OF_LEAD = 2.0, 0.1

QUESTION = "how much of the first place is luck?"


def luck(context: Context) -> CheckReport:
    r"""Say by how much the best mean will be worse on other data sets.

    How much of the first place is luck? Who is best of many has been lucky too. The best is chosen
    in bootstrap samples of the data sets and measured on those outside them. It is about the mean
    score, in ratios where these are what the measure is compared by, and about the mean rank where
    the measure differs by data set; no verdict on a pair is in doubt for it.

    Notes
    -----
    With z a score less the mean of all on its data set, and the best, b, chosen in each sample:

    .. math::

        D = \mathrm{E}\left(\bar z_b^{\,\mathrm{in}} - \bar z_b^{\,\mathrm{out}}\right), \qquad
        \mathrm{drop} = \frac{D}{2} \sqrt{1 + \frac{v}{s^2}}

    v is the variance of a mean's noise and :math:`s^2 \ge v` that of the means: the best of a
    bootstrap sample is luckier than that of the table, for its noise has twice the variance.

    References
    ----------
    B. Efron (1983), Estimating the error rate of a prediction rule: improvement on
    cross-validation, Journal of the American Statistical Association 78.
    """
    rows, columns = _part(context)
    if rows.size < _LEAST or columns.size < 2:
        return not_asked("luck", f"no two algorithms share {_LEAST} data sets")
    names = [context.names[j] for j in columns.tolist()]
    scores = context.comparison.compared
    values, unit = scores.scaled.for_means[np.ix_(rows, columns)], scores.measure.name
    if scores.measure.is_ordinal:
        values, unit = -average_ranks(-values), _RANK
    elif scores.measure.scale == "ratio":
        unit = _RATIO
    means = values.mean(axis=0)
    first, second = np.argsort(-means, kind="stable")[:2].tolist()
    found = winners_luck(values, draws=DRAWS, rng=np.random.default_rng(context.seed))
    row = WinnersLuck(
        names[first],
        unit,
        _shown(means[first], unit, context),
        float(means[first] - means[second]),
        found.drop,
        found.standard_error,
        float(found.chosen[first]),
        len(names),
    )
    on = count(len(values), "data set")
    return reported(row, context, on=on, drawn="data sets", elsewhere="data sets like these")


def reported(
    row: WinnersLuck, context: Context, *, on: str, drawn: str, elsewhere: str
) -> CheckReport:
    """Say what was found, if anything was, on what, and where else the best will be worse."""
    lucky = row.drop > max(_ERRORS * row.standard_error, _OF_LEAD * row.lead)
    return CheckReport(
        "luck",
        QUESTION,
        (_sentence(row, context, elsewhere),) if lucky else (),
        (row,),
        notes=(
            f"by mean {row.unit}; {row.among} algorithms on the {on} that all of "
            "these have; chosen in a bootstrap sample, measured outside it",
        ),
        sampling=f"{DRAWS} bootstrap samples of the {drawn}; the Monte-Carlo standard error of "
        f"the drop is {_size(row.standard_error, row.unit)}",
    )


_RANK, _RATIO = "rank", "ratio"


def _part(context: Context) -> tuple[IntArray, IntArray]:
    """Return the data sets that all have; if these are few, the largest part without a gap."""
    present = ~np.isnan(context.comparison.compared.scaled.for_means)
    rows = np.flatnonzero(present.all(axis=1))
    if rows.size >= _LEAST:
        return rows, np.arange(len(context.names))
    return largest_part(present, _LEAST)


def _shown(mean: float, unit: str, context: Context) -> float:
    """Return a mean as it is shown: ranks from 1; a geometric mean is in the data sets' units."""
    if unit == _RANK:
        return -mean
    return float(scores_of(np.array(mean), context.comparison.compared.measure))


def _size(difference: float, unit: str) -> str:
    """Write a difference in its unit; of logarithms in per cent."""
    return relative(float(np.expm1(difference))) if unit == _RATIO else number(difference)


def _sentence(row: WinnersLuck, context: Context, elsewhere: str) -> str:
    name = context.comparison.compared.measure.name
    by = "mean rank" if row.unit == _RANK else f"mean {name}"
    if row.unit == _RATIO:
        by = f"geometric mean of {name} in units of the data sets' medians"
    more = "more than" if row.drop > row.lead else "beside"
    return (
        f"{row.best} has the best {by} of {row.among}, {number(row.mean)}; on other "
        f"{elsewhere} it is to be expected about {_size(row.drop, row.unit)} worse, {more} a "
        f"lead of {_size(row.lead, row.unit)}; in {percent(row.chosen, 1)} of the samples it is "
        "first"
    )


def unequal_splits(context: Context) -> CheckReport:
    r"""Find who has fewer splits or seeds than others on the same data set.

    Is everybody's mean over as many splits? The mean of few scatters more, so who has few is
    sooner first, or last, by luck. It says nothing of who is better, and no verdict is in doubt
    for it alone.

    Notes
    -----
    With :math:`\sigma^2` the variance of a score between splits, as if they were independent, the
    mean of m splits has

    .. math::

        \mathrm{Var}(\bar x) = \frac{\sigma^2}{m}
    """
    question = "has everybody as many splits on each data set?"
    splits = context.comparison.compared.splits
    if splits is None:
        return CheckReport("splits", question, (), notes=("the splits are not known",))
    most = splits.max(axis=1, keepdims=True)
    fewer = (splits < most) & (splits > 0)
    rows = [
        _fewer(context.names[j], splits[:, j], most[:, 0], np.flatnonzero(fewer[:, j]))
        for j in np.argsort(-fewer.sum(axis=0), kind="stable").tolist()
        if fewer[:, j].any()
    ]
    return CheckReport(
        "splits",
        question,
        tuple(_splits_sentence(row, len(splits)) for row in rows),
        tuple(rows),
        notes=("seeds count as splits",),
    )


def _fewer(name: str, own: IntArray, most: IntArray, datasets: IntArray) -> FewerSplits:
    worst = int(datasets[np.argmin(own[datasets] / most[datasets])])
    return FewerSplits(name, int(datasets.size), int(own[worst]), int(most[worst]))


def _splits_sentence(row: FewerSplits, n: int) -> str:
    return (
        f"{row.algorithm} has fewer than others on {row.datasets} of {count(n, 'data set')}, down "
        f"to {row.splits} of {row.most}: its means scatter more there, and owe more to luck"
    )
