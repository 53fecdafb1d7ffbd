"""`LEARNERS`: the papers' learning algorithms by their short names.

Entries know where their estimators are, and import them when one is made, so that reading the
catalogue loads neither scikit-learn nor a compiler.
"""

from __future__ import annotations

from palio.algorithms.learner import Learner
from palio.algorithms.today import TODAY
from palio.algorithms.ulas2008 import TREES, ULAS2008
from palio.algorithms.wainer2016 import WAINER2016
from palio.algorithms.yildiz2006 import YILDIZ2006
from palio.registry import Registry

__all__ = ["LEARNERS", "Learner"]

LEARNERS: Registry[Learner] = Registry.of(
    "algorithm", *YILDIZ2006, *TREES, *ULAS2008, *WAINER2016, *TODAY
)
