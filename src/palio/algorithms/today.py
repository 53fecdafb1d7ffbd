"""Learners that came after the papers, or that they did not try: boosted and random trees."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from palio.algorithms.learner import Learner, made
from palio.errors import MissingExtraError

_PAPER = "today"


def _boosting(module: str, name: str, **options: Any) -> Any:
    """Make an estimator of the extra ``boosting``; it is given its classes as 0, 1, and so on."""
    try:
        made = getattr(import_module(module), name)
    except ImportError as error:
        raise MissingExtraError(
            "estimator", f"{module} is not installed", extra="boosting"
        ) from error
    from palio.algorithms.encoding import EncodedLabelsClassifier

    return EncodedLabelsClassifier(made(**options))


TODAY: tuple[Learner, ...] = (
    Learner(
        "hgb",
        "histogram gradient boosting",
        "ensemble",
        _PAPER,
        made("sklearn.ensemble:HistGradientBoostingClassifier"),
    ),
    Learner(
        "et", "extra trees", "ensemble", _PAPER, made("sklearn.ensemble:ExtraTreesClassifier", 500)
    ),
    Learner(
        "lightgbm",
        "LightGBM",
        "ensemble",
        _PAPER,
        lambda: _boosting("lightgbm", "LGBMClassifier", n_jobs=1, verbosity=-1),
        notes="Extra: boosting.",
    ),
    Learner(
        "xgboost",
        "XGBoost",
        "ensemble",
        _PAPER,
        lambda: _boosting("xgboost", "XGBClassifier", n_jobs=1),
        notes="Extra: boosting.",
    ),
    Learner(
        "catboost",
        "CatBoost",
        "ensemble",
        _PAPER,
        lambda: _boosting(
            "catboost",
            "CatBoostClassifier",
            thread_count=1,
            verbose=False,
            allow_writing_files=False,
        ),
        notes="Extra: boosting.",
    ),
)
