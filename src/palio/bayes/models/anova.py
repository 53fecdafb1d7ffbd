"""Bayesian analysis of variance: algorithms and data sets as two factors without interaction.

What the samplers share is in `palio.bayes.models.anova_model`. A complete table with normal errors
is drawn from without a chain (`palio.bayes.models.anova_normal`), everything else by Gibbs sampling
(`palio.bayes.models.anova_robust`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from palio.bayes.answer import Checks
from palio.bayes.draws import (
    Draws,
    check_chains,
    check_draws,
    check_mass,
    check_pairs,
    few_datasets,
    pairs_of_effects,
)
from palio.bayes.models.anova_checks import check_fit
from palio.bayes.models.anova_model import Fits, Unit
from palio.bayes.models.anova_normal import Sums, draw_normal, exact_pairs
from palio.bayes.models.anova_robust import draw_gibbs
from palio.bayes.posterior import Posterior
from palio.bayes.rope import Region, with_own_scale
from palio.errors import MissingCellsError
from palio.scores import Tabular, as_table
from palio.scores.summary import missing_in
from palio.stats.additive import adjusted_means
from palio.stats.ranks import rounding_noise

if TYPE_CHECKING:
    from palio.bayes.rope import Rope
    from palio.scores import ScoreTable
    from palio.types import FloatArray

# Independent draws cost next to nothing; so many numbers are kept of the effects.
_MOST_NUMBERS = 2_000_000
_FEWEST, _MOST = 10_000, 100_000
_BY_GIBBS = 10_000


def anova(
    table: Tabular,
    *,
    rope: float | str | Rope = "auto",
    scale: str | None = None,
    robust: bool = False,
    draws: int | None = None,
    chains: int = 4,
    seed: int = 0,
    mass: float = 0.95,
    **reading: Any,
) -> Posterior:
    r"""Ask how much better one algorithm is than another over data sets like these.

    How probable is it that their mean scores differ by more than the region, and which way? The
    score on a data set is a grand mean, plus an effect of the algorithm, plus an effect of the
    data set, plus an error. The errors are about normal and equally wide everywhere; with
    ``robust=True`` outliers are allowed for. A difference or a ratio of scores must mean the same
    on every data set; use `plackett_luce` or `sign` where neither does.

    Parameters
    ----------
    table : ScoreTable, path or frame
        Two algorithms or more; each data set counts with the mean over its folds. Missing scores
        (``missing="pairwise"``) are allowed.
    rope : float, Rope or "auto"
        Half the region of practical equivalence, in the unit of the score; "auto" takes it from
        the table's own folds, as wainer2016 §3.3 does, or none where they suggest none.
    scale : {"difference", "ratio", "auto"}, optional
        What means the same on every data set; as the table has it unless given, and "auto" goes by
        the measure. On a ratio scale a region of 0.01 is 1 %.
    robust : bool
        Student t errors, whose degrees of freedom are learnt from the scores.
    draws : int, optional
        Draws of all chains together. By default 100,000 for a complete table with normal errors
        (fewer beyond 20 algorithms), otherwise 10,000.
    chains : int
        Independent chains.
    seed : int
        The same seed gives the same draws.
    mass : float
        Of the highest-density intervals.
    **reading
        Options of :func:`palio.read_scores`, such as ``score``, where the table is yet to be read.

    Returns
    -------
    Posterior
        Its draws are ``algorithm`` (effects that sum to zero), ``grand_mean``, ``sd_error``,
        ``sd_algorithm``, ``sd_dataset`` and, if robust, ``df``.

    Notes
    -----
    The model is that of wainer2016, eq. 2, after Kruschke. With m the mean and s the standard
    deviation of all scores, the score of algorithm a on data set d is

    .. math::

        \begin{split}
        y_{ad} &= \beta + \alpha_a + \delta_d + e_{ad} \\
        \beta &\sim N(m, (5 s)^2), \quad
        \alpha_a \sim N(0, \sigma_a^2), \quad
        \delta_d \sim N(0, \sigma_d^2) \\
        \sigma_a, \sigma_d &\sim \mathrm{Gamma} \text{ with mode } s/2
        \text{ and standard deviation } 2 s \\
        e_{ad} &\sim N(0, \sigma_0^2), \quad
        \text{or, robust,} \quad e_{ad} / \sigma_0 \sim t_\nu \\
        \sigma_0 &\sim \mathrm{Uniform}(s/100, 10 s), \quad
        \nu \sim \mathrm{Exponential} \text{ with mean } 30
        \end{split}

    What is reported are effects that sum to zero, :math:`\alpha_a - \bar\alpha`, and the grand mean
    :math:`\mu = \beta + \bar\alpha + \bar\delta`.

    For a complete table with normal errors the probabilities of the pairs come from quadrature
    and have no Monte-Carlo error. If all scores are the same, the posterior is a point: all
    algorithms are equal.

    References
    ----------
    Wainer (2016), Comparison of 14 different families of classification algorithms on 115 binary
    datasets, eq. 2 and App. C–E. Kruschke (2014), Doing Bayesian Data Analysis, ch. 20.

    Examples
    --------
    >>> import palio
    >>> posterior = anova(palio.load_study("ulas2008"), rope=1.0)  # accuracies in percent
    >>> posterior.best().sort_values("p_best").algorithm.iloc[-1]
    'svr'
    >>> posterior.warnings()
    ('the largest residual is larger than the model can explain (posterior predictive p = 0.000);
    robust=True allows for outliers',)
    """
    table = as_table(table, reading, anova, scale=scale)
    check_pairs(table)
    table = with_own_scale(table, "anova")
    chains, mass = check_chains(chains), check_mass(mass)
    count = None if draws is None else check_draws(draws)
    region = Region.of(table, rope)
    width, up = region.scale.rope, region.scale.higher_is_better
    datasets, scores, noise = _modelled(table)
    rng = np.random.default_rng(seed)
    if np.nanmax(scores) - np.nanmin(scores) <= noise:
        fitted = _point(scores, chains)
    else:
        fitted = _fitted(scores, noise, robust, width, count, chains, rng)
    exact = fitted.exact if fitted.exact is None or up else fitted.exact[:, ::-1]
    return Posterior(
        model="anova",
        title="Bayesian ANOVA, robust" if robust else "Bayesian ANOVA",
        reference="Wainer 2016, after Kruschke 2014",
        algorithms=table.algorithms,
        measure=table.measure,
        n_datasets=len(scores),
        missing=missing_in(table),
        table=table,
        rope=region.rope,
        draws=fitted.draws,
        pairs=pairs_of_effects(
            fitted.draws,
            fitted.draws.values["algorithm"],
            rope=width,
            higher_is_better=up,
            mass=mass,
            exact=exact,
        ),
        scale=region.scale,
        effects="algorithm",
        mass=mass,
        checks=_checked(table, datasets, scores, fitted, rng),
        notes=tuple(dict.fromkeys((*table.notes, *region.notes, *fitted.notes))),
    )


def _modelled(table: ScoreTable) -> tuple[list[str], FloatArray, float]:
    """Return the data sets with scores, these on their scale (S, K), and their rounding noise.

    On a ratio scale each data set has a unit of its own, which must not set the prior: its effect
    in the additive model, which allows for who is missing, is taken off. One score alone on a data
    set then says nothing.
    """
    ratios = table.measure.scale == "ratio"
    scores = table.measure.goodness_sign * table.scaled().for_means
    kept = np.flatnonzero((~np.isnan(scores)).sum(axis=1) > ratios)
    scores = scores[kept]
    for name, own in zip(table.algorithms, scores.T, strict=True):
        if np.isnan(own).all():
            with_others = " that another has, too, and that a ratio can be taken of" * ratios
            raise MissingCellsError(
                "algorithms",
                f"{name!r} has no score on any data set{with_others}",
                remedy="leave it out",
            )
    noise = float(rounding_noise(scores[~np.isnan(scores)], axis=-1))
    if ratios:
        effects = adjusted_means(scores)
        scores = scores - np.nanmean(scores - effects + effects.mean(), axis=1, keepdims=True)
    return [table.datasets[row] for row in kept], scores, noise


@dataclass(frozen=True, eq=False)
class _Fitted:
    """What was drawn; ``fits`` is ``None`` where there was nothing to draw."""

    draws: Draws
    fits: Fits | None
    exact: FloatArray | None
    notes: tuple[str, ...]


def _fitted(
    scores: FloatArray,
    noise: float,
    robust: bool,
    rope: float,
    count: int | None,
    chains: int,
    rng: np.random.Generator,
) -> _Fitted:
    """Draw by the engine that fits the table."""
    unit = Unit.of(scores)
    notes = [
        f"prior of wainer2016 eq. 2, with the mean {round(unit.mean, 12):.6g} and the standard "
        f"deviation {unit.sd:.6g} of all scores",
        "the effects of the algorithms sum to zero; a probability is that of the difference of two "
        "algorithms' means over data sets like these",
    ]
    gaps = int(np.isnan(scores).sum())
    if gaps:
        notes.append(f"{gaps} of {scores.size} scores are missing and left out of the likelihood")
    if len(scores) == 1:
        notes.append("one data set: its effect cannot be told from the grand mean")
    exact = None
    if robust or gaps:
        drawn, fits = draw_gibbs(
            scores,
            unit=unit,
            robust=robust,
            draws=-(-(count or _BY_GIBBS) // chains),
            chains=chains,
            rng=rng,
        )
    else:
        count = count or min(max(_MOST_NUMBERS // scores.shape[1], _FEWEST), _MOST)
        drawn, fits = draw_normal(
            scores, unit=unit, draws=-(-count // chains), chains=chains, rng=rng
        )
        exact = exact_pairs(scores, unit=unit, rope=rope)
        if len(scores) > 1 and Sums.of(scores, unit).residual <= scores.size * (
            (noise / unit.sd) ** 2
        ):
            notes.append(
                "every difference is the same on all data sets; the prior keeps the errors at a "
                "hundredth of the standard deviation of all scores or more, so that the "
                "probabilities stay below 1"
            )
        notes.append("probabilities of pairs by quadrature, without Monte-Carlo error")
    return _Fitted(drawn, fits, exact, tuple(notes))


def _point(scores: FloatArray, chains: int) -> _Fitted:
    """Return the answer for scores that are all the same: there is nothing to draw."""
    draws = Draws(
        {"algorithm": np.zeros((chains, 1, scores.shape[1]))},
        "none: all scores are the same",
        independent=True,
    )
    note = "all scores are the same, so the prior has no width: every difference is 0"
    return _Fitted(draws, None, None, (note,))


def _checked(
    table: ScoreTable,
    datasets: list[str],
    scores: FloatArray,
    fitted: _Fitted,
    rng: np.random.Generator,
) -> Checks:
    """Return the posterior predictive checks, of the data sets that have a score."""
    if fitted.fits is None:
        return Checks(warnings=fitted.notes)
    measure = table.measure
    ends = (None, None) if measure.scale == "ratio" else (measure.lower, measure.upper)
    found = check_fit(
        scores,
        fitted.fits,
        algorithms=table.algorithms,
        datasets=datasets,
        lower=ends[0],
        upper=ends[1],
        rng=rng,
    )
    return replace(found, warnings=[*few_datasets(len(scores)), *(found.warnings or ())])
