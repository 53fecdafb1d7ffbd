"""The Bayesian hierarchical model: two algorithms on the folds of many data sets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from palio.bars import Steps, steps
from palio.bayes.answer import Checks, NextDataset, Scale, Shrunken, ShrunkenDataset
from palio.bayes.draws import (
    Draws,
    check_chains,
    check_draws,
    check_mass,
    check_pair,
    check_pairs,
    few_datasets,
    highest_density,
    pairs_of_regions,
)
from palio.bayes.models.correlated_t import correlation_of
from palio.bayes.models.hierarchical_gibbs import sample
from palio.bayes.models.hierarchical_model import next_regions, sample_nu, scaled
from palio.bayes.posterior import Posterior
from palio.bayes.rope import Region, fold_values, with_own_scale
from palio.errors import MissingCellsError
from palio.scores import Tabular, as_table
from palio.scores.summary import missing_in
from palio.stats.ranks import paired_difference, rounding_noise

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from palio.bayes.draws import Pairs
    from palio.bayes.rope import Rope
    from palio.scores import ScoreTable
    from palio.types import FloatArray

_WARMUP = 200
# R-hat of a chain's halves needs two draws in each.
_LEAST_DRAWS = 4


def hierarchical(
    table: Tabular,
    *,
    rope: float | str | Rope = "auto",
    scale: str | None = None,
    pair: tuple[str, str] | None = None,
    test_fraction: float | None = None,
    draws: int = 20_000,
    chains: int = 32,
    seed: int = 0,
    mass: float = 0.95,
    progress: Steps = None,
    **reading: Any,
) -> Posterior:
    r"""Compare pairs of algorithms on the folds of many data sets by the hierarchical model.

    On the next data set, which is most probable: that the first algorithm is better by more than
    the region, that both are practically equal, or that the second is better? Data sets with much
    noise between their folds count less, and each data set's own difference is drawn towards the
    others'. Valid for repeated k-fold cross-validation, 5×2 cv and repeated random splits, on
    data sets that can be seen as a sample of those to come.

    Parameters
    ----------
    table : ScoreTable, path or frame
        Two algorithms or more, with folds; data sets may have different designs. A pair is
        compared on the data sets where both algorithms have every score.
    rope : float, Rope or "auto"
        Half the region of practical equivalence; "auto" is 0 where the table suggests none.
    scale : {"difference", "ratio", "auto"}, optional
        What means the same on every data set; as the table has it unless given, and "auto" goes by
        the measure. On a ratio scale a region of 0.01 is 1 %.
    pair : two names, optional
        The only pair to compare; all pairs unless given. A pair of 50 data sets with 100 folds
        takes about two seconds, and K algorithms have :math:`K (K - 1) / 2` pairs.
    test_fraction : float, optional
        ρ, the share of the data that each split tests on; 1 / k for k folds unless given.
    draws : int
        How many draws to keep of all chains together, rounded up to whole chains.
    chains : int
        How many chains; they start far apart and advance together.
    seed : int
        Of the random numbers. All pairs are drawn from it: a pair's answer is as it would be alone.
    mass : float
        Of the highest-density intervals.
    progress : callable or bool, optional
        What is shown meanwhile: a bar in a notebook or on a terminal unless given, nothing with
        ``False``; a function is called with the names of each pair before it is compared.
    **reading
        Options of :func:`palio.read_scores`, such as ``score``, where the table is yet to be read.

    Returns
    -------
    Posterior
        Its draws are ``difference``, ``tau0`` and ``nu`` (chains, draws, P) and ``regions``
        (chains, draws, P, 3). ``checks["next_dataset"]`` holds the expected probabilities of the
        regions on the next data set, ``checks["shrunken"]`` the differences of every data set as
        measured and as estimated together with the others.

    Notes
    -----
    On data set i the differences :math:`x_i` between the folds' scores, first minus second, are
    jointly normal with correlation :math:`\rho_i` between any two, because their training sets
    overlap (Nadeau and Bengio 2003); it is the share of the data in a test set, 1/k for k folds.
    The data sets are a sample of those one might meet:

    .. math::

        \begin{split}
        x_i &\sim N\left(\delta_i, \sigma_i^2 \left[(1 - \rho_i) I + \rho_i J\right]\right) \\
        (\delta_i - \delta_0) / \tau_0 &\sim t_\nu \\
        \sigma_i &\sim \mathrm{Uniform}(0, 1000\, \bar s), \quad
        \delta_0 \sim \mathrm{Uniform}(-m, m), \quad
        \tau_0 \sim \mathrm{Uniform}(0, 1000\, s_0) \\
        \nu - 1 &\sim \mathrm{Gamma}(\alpha, \beta), \quad
        \alpha \sim \mathrm{Uniform}(0.5, 5), \quad
        \beta \sim \mathrm{Uniform}(0.05, 0.15)
        \end{split}

    with I the identity and J all ones, :math:`\bar s` the mean over the data sets of the standard
    deviation of :math:`x_i`, m the largest absolute difference, and :math:`s_0` the standard
    deviation of the data sets' means (:math:`\bar s` for one data set); β is a rate. Standard
    deviations here have n in the denominator. The bounds follow the data's scale, so that the unit
    of the score does not matter; inside, differences are divided by :math:`\bar s`.

    For each draw of :math:`(\delta_0, \tau_0, \nu)` the difference on the next data set is above,
    in and below the region with some probability; that of a region is the share of draws in which
    it is the most probable of the three.

    Where this departs from the paper: :math:`\delta_0` is between -1 and 1 there, which fits
    accuracies only; the bound m is baycomp's. The paper writes
    :math:`\nu \sim \mathrm{Gamma}(\alpha, \beta)`, its authors' Stan code and baycomp's draw
    :math:`\nu - 1` from it: so here. baycomp's bounds of α and β are others, (1, 2) and
    (0.01, 0.1). Where nothing varies, baycomp replaces the folds by random values within the
    region; here a standard deviation below :math:`\bar s / 1000` is raised to it, and so is
    :math:`s_0` (with m in the place of :math:`\bar s` if that is 0). Two algorithms that never
    differ are equal: no sampling is done.

    A data set far from the others may be unlike them, or its few folds may be misleading. With
    hundreds of data sets of few and noisy folds both readings can be held by all of the posterior,
    and chains seldom change from one to the other; ``warnings()`` tells, and more draws help.

    References
    ----------
    Corani, Benavoli, Demšar, Mangili and Zaffalon (2017), Statistical comparison of classifiers
    through Bayesian hierarchical modelling. Machine Learning 106.
    Benavoli, Corani, Demšar and Zaffalon (2017), Time for a change: a tutorial for comparing
    multiple classifiers through Bayesian analysis. JMLR 18.

    Examples
    --------
    Better by about 0.1 on each of 20 data sets, 5×2 cv.

    >>> from palio.scores import ScoreTable
    >>> noise = np.random.default_rng(1).normal(scale=0.02, size=(20, 2, 5, 2))
    >>> table = ScoreTable.from_arrays(
    ...     noise + np.array([0.9, 0.8])[:, None, None],
    ...     datasets=[f"d{i}" for i in range(20)], algorithms=["rf", "knn"], measure="accuracy",
    ... )
    >>> posterior = hierarchical(table, rope=0.01)
    >>> posterior.probabilities()[["p_a_better", "p_rope", "difference"]].round(2)
       p_a_better  p_rope  difference
    0         1.0     0.0         0.1
    """
    table = as_table(table, reading, hierarchical, scale=scale)
    names = _pairs_asked(table, pair)
    table = with_own_scale(table, "hierarchical")
    region = Region.of(table, rope)
    chains, mass = check_chains(chains, least=2), check_mass(mass)
    per_chain = max(-(-check_draws(draws) // chains), _LEAST_DRAWS)
    compared = []
    every = [_Folds.of(table, each, test_fraction) for each in names]
    with steps("sampling", len(every), progress) as step:
        for folds in every:
            step(f"{folds.a} – {folds.b}")
            found = hierarchical_draws(
                folds.differences,
                folds.rho,
                noise=folds.noise,
                chains=chains,
                draws=per_chain,
                rng=np.random.default_rng(seed),
            )
            compared.append(_Compared.of(folds, found, region.scale, mass))
    algorithms = table.algorithms if pair is None else names[0]
    kept = Draws(
        {
            "difference": np.stack([each.delta0 for each in compared], axis=2),
            "tau0": np.stack([each.tau0 for each in compared], axis=2),
            "nu": np.stack([each.nu for each in compared], axis=2),
            "regions": np.stack([each.regions for each in compared], axis=2),
        },
        f"partially collapsed Gibbs, {chains} chains",
    )
    pairs = pairs_of_regions(
        kept,
        kept.values["regions"],
        difference=kept.values["difference"].mean(axis=(0, 1)),
        hdi=np.array([highest_density(each.delta0, mass) for each in compared]),
        first=np.array([algorithms.index(a) for a, _ in names]),
        second=np.array([algorithms.index(b) for _, b in names]),
    )
    return Posterior(
        model="hierarchical",
        title="Bayesian hierarchical model",
        reference="Corani and others 2017",
        algorithms=algorithms,
        measure=table.measure,
        n_datasets=table.n_datasets,
        rope=region.rope,
        draws=kept,
        missing=missing_in(table),
        table=table,
        pairs=pairs,
        scale=region.scale,
        mass=mass,
        checks=Checks(
            next_dataset=[each.next_dataset for each in compared],
            shrunken=[each.shrunken for each in compared],
            warnings=_warnings([each.folds for each in compared]),
        ),
        notes=(
            *region.notes,
            *_notes([each.folds for each in compared], table.n_datasets, kept.n_draws, pairs),
        ),
    )


# --- numbers ------------------------------------------------------------------------------------


def hierarchical_draws(
    differences: Sequence[FloatArray],
    rho: FloatArray,
    *,
    noise: ArrayLike = 0.0,
    chains: int,
    draws: int,
    warmup: int = _WARMUP,
    rng: np.random.Generator,
) -> Draws:
    """Draw from the posterior of one pair, with the priors of this module.

    Parameters
    ----------
    differences : sequence of q arrays (n,)
        The differences on the folds of each data set, two or more.
    rho : array (q,)
        Their correlations.
    noise : array (q,), default 0
        What counts as no spread, from the size of the scores.
    chains, draws, warmup : int
        So many chains, draws kept of each, sweeps before them.
    rng : numpy.random.Generator
        The source of randomness.

    Returns
    -------
    Draws
        ``delta0``, ``tau0``, ``nu`` (chains, draws), ``delta`` and ``sigma`` (chains, draws, q),
        in the unit of the differences.
    """
    data, priors, unit = scaled(differences, rho, noise=noise)
    if unit == 0:  # they never differ
        still = np.zeros((chains, draws))
        each = np.zeros((chains, draws, rho.size))
        nu = sample_nu(priors, (chains, draws), rng)
        values = {"delta0": still, "tau0": still, "nu": nu, "delta": each, "sigma": each}
        return Draws(values, "known without drawing: no difference on any fold")
    # The priors are symmetric: drawing for the pair that leads makes its mirror image exact.
    side = -1.0 if data.mean.sum() < 0 else 1.0
    data = replace(data, mean=side * data.mean)
    found = sample(data, priors, chains=chains, draws=draws, warmup=warmup, rng=rng)
    units = {"delta0": side * unit, "delta": side * unit, "tau0": unit, "sigma": unit, "nu": 1.0}
    return Draws({name: units[name] * found.values[name] for name in units}, found.method)


# --- names --------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Folds:
    """The folds of a pair: on q data sets, differences (n,), correlations and noise (q,)."""

    a: str
    b: str
    datasets: tuple[str, ...]
    differences: tuple[FloatArray, ...]
    rho: FloatArray
    noise: FloatArray

    @classmethod
    def of(cls, table: ScoreTable, pair: tuple[str, str], test_fraction: float | None) -> _Folds:
        """Read them, from the data sets on which both have every score, none at the floor."""
        a, b = pair
        two = table.select(algorithms=[a, b])
        whole = np.flatnonzero(~np.isnan(two.means()).any(axis=1)).tolist()
        every = {two.datasets[d]: fold_values(two, two.datasets[d]).reshape(2, -1) for d in whole}
        scores = {name: each for name, each in every.items() if not np.isnan(each).any()}
        if not scores:
            raise MissingCellsError(
                "missing",
                f"no data set has every score of both {a!r} and {b!r}",
                "a pair is compared where both have them",
                "leave one of them out",
            )
        rho = [correlation_of(two.design(d), test_fraction, model="hierarchical") for d in scores]
        return cls(
            a,
            b,
            tuple(scores),
            tuple(paired_difference(*each) for each in scores.values()),
            np.array(rho),
            np.array([rounding_noise(each, axis=(0, 1)) for each in scores.values()]),
        )

    @property
    def ever(self) -> bool:
        """Whether they differ on any fold."""
        return any(bool(x.any()) for x in self.differences)

    @property
    def still(self) -> bool:
        """Whether some data set has the same difference on every fold."""
        pairs = zip(self.differences, self.noise, strict=True)
        return any(bool(x.std() <= noise) for x, noise in pairs)


@dataclass(frozen=True, eq=False)
class _Compared:
    """What was drawn for a pair: arrays (chains, draws), regions (chains, draws, 3)."""

    folds: _Folds
    delta0: FloatArray
    tau0: FloatArray
    nu: FloatArray
    regions: FloatArray
    shrunken: Shrunken

    @classmethod
    def of(cls, folds: _Folds, draws: Draws, scale: Scale, mass: float) -> _Compared:
        """Ask the draws for the next data set, and for those at hand."""
        delta0, tau0, nu = (draws.values[name] for name in ("delta0", "tau0", "nu"))
        regions = next_regions(delta0, tau0, nu, scale.rope)
        regions = regions if scale.higher_is_better else regions[..., ::-1]
        rows = [
            ShrunkenDataset(
                dataset=name,
                measured=float(folds.differences[i].mean()),
                mean=float(draws.values["delta"][:, :, i].mean()),
                hdi=highest_density(draws.values["delta"][:, :, i], mass),
            )
            for i, name in enumerate(folds.datasets)
        ]
        return cls(folds, delta0, tau0, nu, regions, Shrunken(folds.a, folds.b, rows))

    @property
    def next_dataset(self) -> NextDataset:
        """The posterior mean of the regions' probabilities on the next data set."""
        better, equal, worse = self.regions.mean(axis=(0, 1)).tolist()
        return NextDataset(self.folds.a, self.folds.b, better, equal, worse)


def _pairs_asked(table: ScoreTable, pair: tuple[str, str] | None) -> list[tuple[str, str]]:
    if pair is None:
        check_pairs(table)
        return list(combinations(table.algorithms, 2))
    return [check_pair(pair, table.algorithms)]


def _warnings(compared: list[_Folds]) -> list[str]:
    """Say where the data cannot carry the answer."""
    few = few_datasets(min(len(each.datasets) for each in compared))
    return [
        *few,
        *(
            f"{each.a} – {each.b}: one data set says nothing of how data sets differ, so that the "
            "answer for the next one is the prior's; use 'correlated-t' for this data set alone"
            for each in compared
            if len(each.datasets) == 1
        ),
    ]


def _notes(compared: list[_Folds], n_datasets: int, draws: int, pairs: Pairs) -> tuple[str, ...]:
    rho = np.unique(np.concatenate([each.rho for each in compared]))
    span = f"{rho[0]:.3g}" if rho.size == 1 else f"{rho[0]:.3g} to {rho[-1]:.3g}"
    notes = [
        "P of a region: the share of draws in which it is the most probable of the three on the "
        "next data set; Monte-Carlo standard error at most "
        f"{pairs.mc_error.max():.2g} ({draws} draws)",
        "difference: δ₀, around which the data sets' differences lie, first minus second",
        f"folds of a data set are correlated by ρ = {span}, the share of the data tested on",
        "prior: σᵢ and τ₀ uniform up to 1000 standard deviations, δ₀ uniform up to the largest "
        "difference, ν - 1 ~ Gamma(α, β) with α ~ U(0.5, 5) and β ~ U(0.05, 0.15)",
    ]
    met = [len(each.datasets) for each in compared]
    if min(met) < n_datasets:
        notes.append(
            "each pair on the data sets where both have every score: "
            f"{min(met)} to {max(met)} of {n_datasets}"
        )
    never = sum(not each.ever for each in compared)
    if never:
        notes.append(f"pairs that never differ: {never}; they are equal, without sampling")
    still = sum(each.ever and each.still for each in compared)
    if still:
        notes.append(
            "the same difference on every fold of a data set: its standard deviation is taken as "
            f"a thousandth of the average one; pairs concerned: {still}"
        )
    return tuple(notes)
