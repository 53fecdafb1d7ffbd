"""Posterior: draws, and the questions that can be put to them."""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from palio.bayes.answer import (
    BestRow,
    Cheapest,
    Checks,
    EffectRow,
    PosteriorAnswer,
    PosteriorPair,
    Scale,
    Trust,
    pairs_frame,
)
from palio.bayes.claims import posterior_claim
from palio.bayes.detail import detail_of, win_shares
from palio.bayes.draws import Diagnostics, Draws, Pairs, check_mass, diagnose, highest_density
from palio.bayes.rope import Rope
from palio.claims import Answer, Leader
from palio.errors import MissingExtraError, ParameterError
from palio.measures import Measure
from palio.registry import Later, unknown_name
from palio.results import Result
from palio.scores.items import ReadOver
from palio.scores.summary import MissingSummary
from palio.stats.rank_sets import drawn_ranks, joint_rank_sets

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

    from palio.scores import ScoreTable
    from palio.types import FloatArray

# The default comparison stands above the models, and is loaded where it is asked for.
_DEFAULT_CLAIMS: Later[..., Answer] = Later("palio.comparison.answer:default_claims")

Loss = Mapping[str, Sequence[float]]


@dataclass(frozen=True, eq=False, repr=False)
class Posterior(Result):
    """What is believed of the algorithms after seeing the scores.

    Made by the functions of `palio.bayes`. ``probabilities()`` answers for pairs; models that
    draw all algorithms jointly (``effects`` is not ``None``) also answer who is best
    (``best()``), which ranks each may have (``rank_sets()``) and which is the cheapest that will
    do (``cheapest``). ``answer()`` is all of it without the draws, as the faces and JSON have it.

    Attributes
    ----------
    model, title, reference : str
        Its name in the registry, in words, and where it comes from.
    algorithms : tuple of str
        The K algorithms, as the table has them.
    measure : Measure
        The score asked about.
    n_datasets : int
        On how many data sets.
    rope : Rope
        The region of practical equivalence.
    draws : Draws
        The draws.
    pairs : Pairs
        Every pair.
    scale : Scale
        What differences and effects are counted in, and the region on that scale.
    effects : str, optional
        The parameter of the joint draws of all algorithms, (chains, draws, K).
    mass : float
        Of the highest-density intervals.
    checks : Checks
        Posterior predictive checks and other facts about the fit.
    notes : tuple of str
        Conventions and warnings.
    missing : MissingSummary, optional
        The scores that the table lacks.
    over : {"items", "datasets"}, optional
        What would be drawn anew, of models that are asked about items.
    table : ScoreTable, optional
        The scores, by whose default comparison the leader is named.

    Examples
    --------
    >>> import palio
    >>> table = palio.load_study("ulas2008").select(algorithms=["svr", "svl", "c45"])
    >>> posterior = palio.bayes.plackett_luce(table, draws=4000)
    >>> posterior.probabilities()[["a", "b", "p_a_better", "p_b_better"]].round(1)
         a    b  p_a_better  p_b_better
    0  svr  svl         0.8         0.0
    1  svr  c45         1.0         0.0
    2  svl  c45         1.0         0.0
    >>> posterior.best().sort_values("p_best").algorithm.iloc[-1]
    'svr'
    """

    kind = PosteriorAnswer.kind
    parts = PosteriorAnswer.parts

    model: str
    title: str
    reference: str
    algorithms: tuple[str, ...]
    measure: Measure
    n_datasets: int
    rope: Rope
    draws: Draws
    pairs: Pairs
    scale: Scale
    effects: str | None = None
    mass: float = 0.95
    checks: Checks = field(default_factory=Checks)
    notes: tuple[str, ...] = ()
    missing: MissingSummary | None = None
    over: ReadOver | None = None
    table: ScoreTable | None = field(default=None, repr=False)

    def __repr__(self) -> str:
        return (
            f"<Posterior: {self.title}, {len(self.algorithms)} algorithms, "
            f"{self.draws.n_draws} draws, region ±{self.rope.value:g}>"
        )

    # --- pairs -----------------------------------------------------------------------------

    def probabilities(self) -> pd.DataFrame:
        """Return a row per pair: better, practically equal, worse, and the difference."""
        return pairs_frame(self._pair_rows)

    @cached_property
    def _pair_rows(self) -> tuple[PosteriorPair, ...]:
        names, pairs = self.algorithms, self.pairs
        columns = zip(
            pairs.first.tolist(),
            pairs.second.tolist(),
            pairs.probabilities.tolist(),
            pairs.difference.tolist(),
            pairs.hdi.tolist(),
            pairs.mc_error.tolist(),
            strict=True,
        )
        return tuple(
            PosteriorPair(names[i], names[j], better, equal, worse, gap, (low, high), error)
            for i, j, (better, equal, worse), gap, (low, high), error in columns
        )

    def decide(self, loss: Loss | None = None, *, threshold: float = 0.95) -> pd.DataFrame:
        """Decide every pair.

        Parameters
        ----------
        loss : mapping of str to three numbers, optional
            What each decision costs if a is truly better, if they are practically equal, if b is
            better; the decision with the least expected loss is taken.
        threshold : float
            Without a loss: a statement is made if its probability exceeds this, otherwise
            "undecided".

        Returns
        -------
        DataFrame
            Columns a, b, decision and, with a loss, expected_loss.

        Examples
        --------
        >>> import palio
        >>> table = palio.load_study("ulas2008").select(algorithms=["svr", "c45"])
        >>> palio.bayes.sign(table, rope=1.0, draws=2000).decide()
             a    b decision
        0  svr  c45        a
        """
        import pandas as pd

        shares = self.pairs.probabilities
        if loss is None:
            if not 0.5 <= threshold < 1:
                raise ParameterError("threshold", "it lies in [0.5, 1)", f"{threshold!r} was given")
            most = shares.argmax(axis=1)
            words = np.array(["a", "equal", "b"])[most]
            decision = np.where(shares.max(axis=1) > threshold, words, "undecided")
            columns: dict[str, Any] = {"decision": decision}
        elif not loss:
            raise ParameterError("loss", "at least one decision is needed", "none was given")
        else:
            expected = np.column_stack([shares @ _three(name, loss) for name in loss])
            least = expected.argmin(axis=1)
            columns = {
                "decision": np.array(list(loss))[least],
                "expected_loss": expected[np.arange(least.size), least],
            }
        names = np.array(self.algorithms, dtype=object)
        pair = {"a": names[self.pairs.first], "b": names[self.pairs.second]}
        return pd.DataFrame({**pair, **columns})

    # --- all algorithms together -------------------------------------------------------------

    def best(self) -> pd.DataFrame:
        """Return who is best: probability, expected loss of choosing it, a row per algorithm.

        ``p_best`` that it is the best, ``p_as_good`` that it is practically as good as the best
        (within the region), ``expected_loss`` how much worse than the best on average,
        ``in_set`` whether it is in the smallest set that holds the best with 95 %.
        """
        import pandas as pd

        return pd.DataFrame(self._best_rows)

    @cached_property
    def _behind(self) -> FloatArray:
        """By how much each algorithm is behind the best, in every draw: (draws, K)."""
        if self.effects is None:
            raise ParameterError(
                "model",
                f"'{self.model}' compares pair by pair and knows no joint answer",
                remedy="use anova, bradley-terry or plackett-luce for it",
            )
        values = self.draws.values[self.effects].reshape(-1, len(self.algorithms))
        values = values if self.scale.higher_is_better else -values
        behind: FloatArray = values.max(axis=1, keepdims=True) - values
        return behind

    @cached_property
    def _best_rows(self) -> tuple[BestRow, ...]:
        behind = self._behind
        leads = behind == 0
        p_best = (leads / leads.sum(axis=1, keepdims=True)).mean(axis=0)
        as_good = (behind <= self.scale.rope).mean(axis=0)
        loss = behind.mean(axis=0)
        chosen = _smallest_set(p_best, 0.95)
        return tuple(
            BestRow(name, float(p_best[k]), float(as_good[k]), float(loss[k]), k in chosen)
            for k, name in enumerate(self.algorithms)
        )

    def rank_sets(self, mass: float | None = None) -> dict[str, tuple[int, int]]:
        """Return the first and the last rank of each algorithm, all of which hold at once.

        Parameters
        ----------
        mass : float, optional
            The probability that all hold; that of the intervals unless given.

        Notes
        -----
        The rank of an algorithm is 1 + the number better than it by more than the region. In every
        draw it is known for all; the sets start from all ranks and give up, one by one, the ends
        that the fewest draws hang on, as long as in ``mass`` of the draws all still hold.
        """
        ranks = drawn_ranks(-self._behind, self.scale.rope)
        sets = joint_rank_sets(ranks, check_mass(self.mass if mass is None else mass))
        return {
            name: (low, high)
            for name, (low, high) in zip(self.algorithms, sets.tolist(), strict=True)
        }

    def cheapest(self, prior: Sequence[str], *, probability: float = 0.95) -> str:
        """Return the cheapest algorithm that is practically as good as the best.

        Parameters
        ----------
        prior : sequence of str
            The algorithms, cheapest first.
        probability : float
            How sure to be that it is within the region of the best.
        """
        if not 0 < probability < 1:
            raise ParameterError(
                "probability", "it lies between 0 and 1", f"{probability!r} was given"
            )
        if not prior:
            raise ParameterError("prior", "at least one algorithm is needed", "none was given")
        for name in prior:
            if name not in self.algorithms:
                raise unknown_name("prior", name, self.algorithms)
        good = {row.algorithm: row.p_as_good for row in self._best_rows}
        enough = [name for name in prior if good[name] >= probability]
        # Nobody may be sure enough; then the likeliest is what can be said.
        return enough[0] if enough else max(prior, key=lambda name: good[name])

    # --- can it be trusted? ------------------------------------------------------------------

    @cached_property
    def _diagnosed(self) -> dict[str, Diagnostics]:
        return diagnose(self.draws)

    def diagnostics(self) -> pd.DataFrame:
        """Return split R-hat and effective sample sizes, a row per parameter (its worst entry)."""
        import pandas as pd

        rows = [
            {"parameter": d.worst, "r_hat": d.r_hat, "ess_bulk": d.ess_bulk, "ess_tail": d.ess_tail}
            for d in self._diagnosed.values()
        ]
        return pd.DataFrame(rows, columns=["parameter", "r_hat", "ess_bulk", "ess_tail"])

    def warnings(self) -> tuple[str, ...]:
        """Say what is off, in plain words."""
        found = [w for d in self._diagnosed.values() for w in d.warnings()]
        k = self.draws.facts.get("pareto_k")
        if k is not None and k > 0.7:
            found.append(f"the importance weights are unreliable (Pareto k {k:.2f}, above 0.7)")
        return (*found, *(self.checks.warnings or ()))

    # --- faces -------------------------------------------------------------------------------

    def answer(
        self,
        pair: tuple[str, str] | None = None,
        *,
        prior: Sequence[str] | None = None,
        probability: float = 0.95,
        with_claims: bool = False,
    ) -> PosteriorAnswer:
        """Return everything the posterior says, typed and without the draws.

        Text, figures, the page and JSON are made from it; every key of ``to_dict()`` is one of its
        attributes. It is small and can be pickled.

        Parameters
        ----------
        pair : two of str, optional
            The one told in ``detail``, a histogram of its difference and points for the figures;
            the two that lead by default.
        prior, probability
            Of `cheapest`, for an answer that tells it.
        with_claims
            Whether to name the leader by the default comparison beside it, which takes a while.
        """
        best = self._best_rows if self.effects else ()
        found = PosteriorAnswer(
            model=self.model,
            title=self.title,
            reference=self.reference,
            algorithms=self.algorithms,
            n_datasets=self.n_datasets,
            measure=self.measure,
            rope=self.rope.value,
            rope_source=self.rope.source,
            mass=self.mass,
            scale=self.scale,
            order=self._best_first,
            pairs=self._pair_rows,
            effects=self._effect_rows,
            best=best,
            rank_sets=self.rank_sets() if self.effects else None,
            detail=detail_of(self, pair, best),
            diagnostics=self._trust,
            checks=self.checks,
            notes=self.notes,
            missing=self.missing,
            over=self.over,
            cheapest=None if prior is None else self._cheapest(prior, probability),
        )
        if not with_claims or self.table is None:
            return found
        compared = _DEFAULT_CLAIMS(self.table, self.over)
        claimed = posterior_claim(found, compared.of(Leader))
        return replace(found, claims=Answer((claimed, *compared)))

    def to_dict(self, pair: tuple[str, str] | None = None) -> dict[str, Any]:
        """Return the `answer` as plain data; ``pair`` is the one told in ``detail``."""
        return self.answer(pair, with_claims=True).to_dict()

    def __str__(self) -> str:
        return str(self.answer(with_claims=True))

    def _cheapest(self, prior: Sequence[str], probability: float) -> Cheapest:
        name = self.cheapest(prior, probability=probability)
        as_good = next(row.p_as_good for row in self._best_rows if row.algorithm == name)
        return Cheapest(name, as_good, probability, tuple(prior))

    @property
    def _best_first(self) -> tuple[str, ...]:
        """The algorithms by their mean effects, or by the pairs they are expected to win."""
        k = len(self.algorithms)
        worse = self._behind.mean(axis=0) if self.effects else -win_shares(self.pairs, k)
        return tuple(self.algorithms[i] for i in np.argsort(worse, kind="stable").tolist())

    @cached_property
    def _effect_rows(self) -> tuple[EffectRow, ...]:
        if self.effects is None:
            return ()
        values = self.draws.values[self.effects]
        return tuple(
            EffectRow(name, float(each.mean()), highest_density(each, self.mass))
            for name, each in zip(self.algorithms, np.moveaxis(values, 2, 0), strict=True)
        )

    @property
    def _trust(self) -> Trust:
        found = self._diagnosed.values()
        return Trust(
            method=self.draws.method,
            independent=self.draws.independent,
            n_chains=self.draws.n_chains,
            n_draws=self.draws.n_draws,
            r_hat=max((d.r_hat for d in found), default=1.0),
            ess_bulk=min((d.ess_bulk for d in found), default=None),
            ess_tail=min((d.ess_tail for d in found), default=None),
            mc_error=float(self.pairs.mc_error.max(initial=0.0)),
            warnings=self.warnings(),
            **self.draws.facts,
        )

    def to_frame(self) -> pd.DataFrame:
        """Return the pairs as a frame."""
        return self.probabilities()

    def plot(
        self, kind: str | None = None, *, pair: tuple[str, str] | None = None, **options: Any
    ) -> Figure:
        """Draw the posterior.

        Parameters
        ----------
        kind : str, optional
            The name of a figure: the matrix of all pairs, or the difference of ``pair``, by
            default.
        pair : two of str, optional
            Which pair "posterior" and "simplex" show; the two that lead by default.
        **options
            The figure's own.
        """
        shown = self.answer(pair)
        return shown.plot("posterior" if kind is None and pair else kind, **options)

    def to_arviz(self) -> Any:
        """Return the draws as ArviZ's inference data, for its many figures; needs ArviZ."""
        try:  # by its name: type checkers need not have it
            arviz = importlib.import_module("arviz")
        except ImportError as error:
            raise MissingExtraError(
                "to_arviz", "ArviZ is not installed", remedy="install it with: pip install arviz"
            ) from error
        groups = {"posterior": {name: np.array(v) for name, v in self.draws.values.items()}}
        try:
            return arviz.from_dict(**groups)
        except TypeError:  # since 1.0 ArviZ takes the groups together
            return arviz.from_dict(groups)


def _three(name: str, loss: Loss) -> FloatArray:
    values = np.asarray(loss[name], dtype=float)
    if values.shape != (3,) or not np.isfinite(values).all():
        raise ParameterError(
            "loss",
            "a decision has three losses (a better, equal, b better)",
            f"{name!r} has {loss[name]!r}",
        )
    return values


def _smallest_set(p_best: FloatArray, mass: float) -> set[int]:
    order = np.argsort(-p_best, kind="stable")
    needed = int(np.searchsorted(np.cumsum(p_best[order]), mass - 1e-12)) + 1
    return set(order[:needed].tolist())
