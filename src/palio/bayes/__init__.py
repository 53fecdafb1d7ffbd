"""How sure, and does it matter? Bayesian comparison with a region of practical equivalence.

Each function asks one model and returns a `Posterior`: `anova`, `sign`, `signed_rank`,
`correlated_t`, `hierarchical`, `outcomes`, `hierarchical_items`, `bradley_terry`, `plackett_luce`.
A model is loaded when it is first asked for.

Examples
--------
>>> import palio
>>> table = palio.load_study("ulas2008").select(algorithms=["svr", "c45"])
>>> posterior = palio.bayes.sign(table, rope=1.0)
>>> posterior.probabilities()[["a", "b", "p_a_better", "p_rope", "p_b_better"]].round(2)
     a    b  p_a_better  p_rope  p_b_better
0  svr  c45         1.0     0.0         0.0
"""

from typing import TYPE_CHECKING

from palio.registry import exported

if TYPE_CHECKING:
    from palio.bayes.models import MODELS as MODELS
    from palio.bayes.models import run_model as run_model
    from palio.bayes.models.anova import anova as anova
    from palio.bayes.models.bradley_terry import bradley_terry as bradley_terry
    from palio.bayes.models.correlated_t import correlated_t as correlated_t
    from palio.bayes.models.hierarchical import hierarchical as hierarchical
    from palio.bayes.models.hierarchical_items import hierarchical_items as hierarchical_items
    from palio.bayes.models.outcomes import outcomes as outcomes
    from palio.bayes.models.plackett_luce import plackett_luce as plackett_luce
    from palio.bayes.models.sign import sign as sign
    from palio.bayes.models.signed_rank import signed_rank as signed_rank
    from palio.bayes.posterior import Posterior as Posterior
    from palio.bayes.rope import Rope as Rope
    from palio.bayes.rope import SuggestedRope as SuggestedRope
    from palio.bayes.rope import suggest_rope as suggest_rope

_HOMES = {
    "MODELS": "palio.bayes.models",
    "Posterior": "palio.bayes.posterior",
    "Rope": "palio.bayes.rope",
    "SuggestedRope": "palio.bayes.rope",
    "anova": "palio.bayes.models.anova",
    "bradley_terry": "palio.bayes.models.bradley_terry",
    "correlated_t": "palio.bayes.models.correlated_t",
    "hierarchical": "palio.bayes.models.hierarchical",
    "hierarchical_items": "palio.bayes.models.hierarchical_items",
    "outcomes": "palio.bayes.models.outcomes",
    "plackett_luce": "palio.bayes.models.plackett_luce",
    "run_model": "palio.bayes.models",
    "sign": "palio.bayes.models.sign",
    "signed_rank": "palio.bayes.models.signed_rank",
    "suggest_rope": "palio.bayes.rope",
}

__all__ = [*_HOMES]

__getattr__ = exported(__name__, _HOMES)
