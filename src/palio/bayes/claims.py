"""What a posterior says, as a claim."""

from __future__ import annotations

from typing import TYPE_CHECKING

from palio.bayes.models import MODELS
from palio.claims import Claim, Leader, MostProbable, PairByModel, generalises_first
from palio.numbers import probability

if TYPE_CHECKING:
    from palio.bayes.answer import PosteriorAnswer


def posterior_claim(posterior: PosteriorAnswer, leader: Leader | None = None) -> Claim:
    """Claim who is most probably best, or how the two that lead compare."""
    if posterior.best:
        first = posterior.best_first[0]
        return MostProbable(
            first.algorithm,
            first.p_best,
            first.p_as_good if posterior.rope else None,
            posterior.best_set,
            posterior.best_set_probability,
            posterior.title,
            None if leader is None else leader.algorithm,
            () if leader is None else leader.shares,
        )
    pair = posterior.detail  # the two that lead, of those that have met
    if pair is None:
        return PairByModel("", "", 0.0, 0.0, 0.0, f"{posterior.title}: no two can be compared")
    ahead, equal, behind = pair.shares
    return PairByModel(pair.a, pair.b, ahead, equal, behind, _of_pair(posterior))


def _of_pair(posterior: PosteriorAnswer) -> str:
    pair = posterior.detail
    if pair is None:
        return ""
    one, two, (ahead, equal, behind) = pair.a, pair.b, pair.shares
    where = MODELS[posterior.model].likeliest if posterior.model in MODELS else ""
    if where:  # the probability is not that of being better
        even = f", with {probability(equal)} that they are practically equal"
        return (
            f"with probability {probability(ahead)} the likeliest {where} is that {one} is better "
            f"than {two}{even if posterior.rope or equal else ''}, with {probability(behind)} that "
            "it is worse"
        )
    even = f", practically equal with {probability(equal)}"
    new = "on a new one " if posterior.over == "datasets" else ""
    return (
        f"{generalises_first(posterior.over, posterior.n_datasets)}{new}"
        f"{one} is better than {two} with probability {probability(ahead)}"
        f"{even if posterior.rope or equal else ''}, worse with {probability(behind)}"
    )
