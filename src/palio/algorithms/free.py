"""Free hyper-parameters: one training, and the model for every smaller value (wainer2016 §2.4)."""

from __future__ import annotations

import copy
from typing import Any

from palio.errors import ParameterError

__all__ = ["at"]


def at(model: Any, **values: Any) -> Any:
    """Return a fitted model as it would be with other values of its free hyper-parameters.

    What would a forest, or a boosted or penalised model, say if it had been trained with fewer
    members, fewer steps or another penalty? No training is needed: the members and steps are those
    it would have had.

    Parameters
    ----------
    model : fitted estimator
        Trained with the largest value; it is not changed.
    **values
        Free hyper-parameters, such as ``n_estimators=500``. The catalogue's own estimators look at
        theirs when they predict; of scikit-learn's ensembles the first members are kept.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> forest = RandomForestClassifier(50, random_state=0).fit(X, y)
    >>> few = RandomForestClassifier(10, random_state=0).fit(X, y)
    >>> bool((at(forest, n_estimators=10).predict_proba(X) == few.predict_proba(X)).all())
    True
    """
    found = copy.copy(model).set_params(**values)
    if "n_estimators" in values and hasattr(model, "estimators_"):
        wanted, there = values["n_estimators"], len(model.estimators_)
        if wanted > there:
            raise ParameterError(
                f"n_estimators: the model was fitted with {there}, and {wanted} was asked for; "
                "fit it again."
            )
        found.estimators_ = model.estimators_[:wanted]
    return found
