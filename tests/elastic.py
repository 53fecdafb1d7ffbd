"""Logistic regression with both penalties, in every version of scikit-learn."""

from typing import Any

from sklearn.linear_model import LogisticRegression  # type: ignore[import-untyped]

# Before version 1.8 a share of the one penalty counts only where the mixture is asked for by name.
_MIXTURE = {"penalty": "elasticnet"} if LogisticRegression().penalty == "l2" else {}


def elastic_net(**options: Any) -> Any:
    """Return a logistic regression whose ``l1_ratio`` counts."""
    return LogisticRegression(solver="saga", **_MIXTURE, **options)
