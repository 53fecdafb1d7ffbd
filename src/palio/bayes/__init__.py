"""How sure, and does it matter? Bayesian comparison with a region of practical equivalence.

Each function asks one model and returns a `Posterior`: `anova`, `sign`, `signed_rank`,
`correlated_t`, `hierarchical`, `bradley_terry`, `plackett_luce`.
"""

from palio.bayes.anova import anova
from palio.bayes.bradley_terry import bradley_terry
from palio.bayes.correlated_t import correlated_t
from palio.bayes.hierarchical import hierarchical
from palio.bayes.models import MODELS, run_model
from palio.bayes.plackett_luce import plackett_luce
from palio.bayes.posterior import Posterior
from palio.bayes.regions import Rope
from palio.bayes.rope import SuggestedRope, suggest_rope
from palio.bayes.sign import sign
from palio.bayes.signed_rank import signed_rank

__all__ = [
    "MODELS",
    "Posterior",
    "Rope",
    "SuggestedRope",
    "anova",
    "bradley_terry",
    "correlated_t",
    "hierarchical",
    "plackett_luce",
    "run_model",
    "sign",
    "signed_rank",
    "suggest_rope",
]
