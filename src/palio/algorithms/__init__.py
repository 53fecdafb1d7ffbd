"""The papers' learners as scikit-learn estimators, and the catalogue that names them.

One file for each learner that scikit-learn lacks, and one entry for each that it has.
"""

from palio.algorithms.catalogue import LEARNERS
from palio.algorithms.learner import Learner

__all__ = ["LEARNERS", "Learner"]
