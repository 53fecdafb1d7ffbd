"""How predictions are scored: scorers by name, as objects, as functions, and what they say."""

from __future__ import annotations

import inspect
import math
from collections.abc import Mapping
from typing import Any

from palio.errors import ParameterError, require
from palio.extras import needing
from palio.measures import is_known_measure, measure_named
from palio.registry import unknown_name
from palio.words import one_line

with needing("run", "scoring", "scorers are scikit-learn's"):
    from sklearn.metrics import get_scorer, get_scorer_names  # type: ignore[import-untyped]


def make_scorers(scoring: Any) -> dict[str, Any]:
    """Return scorers by name, ``None`` for what `sklearn.metrics.get_scorer` knows by that name.

    Parameters
    ----------
    scoring
        A name; a scorer, such as ``make_scorer`` makes; a function of a fitted estimator, features
        and target; a scorer with settings, as ``{"scorer": "f1", "average": "macro"}``; a list of
        these; or these by name.

    Examples
    --------
    >>> sorted(make_scorers(["accuracy", {"scorer": "f1", "average": "macro"}]))
    ['accuracy', 'f1_macro']
    >>> from sklearn.metrics import make_scorer, recall_score
    >>> list(make_scorers({"found": make_scorer(recall_score, pos_label="yes")}))
    ['found']
    >>> list(make_scorers(make_scorer(recall_score, pos_label="yes")))
    ['recall_yes']
    """
    if isinstance(scoring, Mapping) and "scorer" not in scoring:
        named = [(str(name), each) for name, each in scoring.items()]
    else:
        several = isinstance(scoring, list | tuple | set | frozenset)
        named = [(_usual_name(each), each) for each in (scoring if several else [scoring])]
    if not named:
        raise ParameterError("scoring", "at least one scorer is needed, such as 'accuracy'")
    found: dict[str, Any] = {}
    for name, each in named:
        if name in found:
            rule = f"names must differ, and {name!r} comes twice"
            raise ParameterError("scoring", rule, remedy="give them names, as {'name': scorer}")
        made = _made(each)
        found[name] = None if each == name else made
        loss = is_known_measure(name) and not measure_named(name).higher_is_better
        rule = "scores are better the higher, and less of this measure is better"
        require(not loss, "scoring", rule, name, f"Call it 'neg_{name}', and give its negative")
    return found


def _made(scorer: Any) -> Any:
    """Return what is called with a fitted estimator, features and target."""
    settings: dict[str, Any] = {}
    if isinstance(scorer, Mapping):
        settings = {name: value for name, value in scorer.items() if name != "scorer"}
        scorer = scorer.get("scorer")
    if isinstance(scorer, str):
        if scorer not in get_scorer_names():
            raise unknown_name("scoring", scorer, get_scorer_names())
        scorer = get_scorer(scorer)
    if settings:
        if not hasattr(scorer, "_kwargs"):
            raise ParameterError("scoring", "settings are for a scorer that has a name")
        # An average over classes has no positive one; scikit-learn would look for 1 among them.
        averages = "average" in settings and settings["average"] != "binary"
        scorer._kwargs = {**scorer._kwargs, **({"pos_label": None} if averages else {}), **settings}
    module = getattr(scorer, "__module__", "") or ""
    metric = inspect.isfunction(scorer) and module.startswith("sklearn.metrics.")
    if not callable(scorer) or isinstance(scorer, type) or metric:
        rule = "a scorer is a name, or is called with a fitted estimator, features and target"
        remedy = "write make_scorer(f1_score, average='macro'), for example"
        given = f"{one_line(repr(scorer), limit=60)} was given"
        raise ParameterError("scoring", rule, given, remedy)
    return scorer


def _usual_name(scorer: Any) -> str:
    """Name a scorer: by what it measures and what was set."""
    if isinstance(scorer, str):
        return scorer
    if isinstance(scorer, Mapping):
        settings = {name: value for name, value in scorer.items() if name != "scorer"}
        return "_".join(map(str, [_usual_name(scorer.get("scorer")), *settings.values()]))
    measured = getattr(scorer, "_score_func", scorer)
    name = getattr(measured, "__name__", type(measured).__name__).removesuffix("_score")
    settings = getattr(scorer, "_kwargs", {})
    name = f"neg_{name}" if getattr(scorer, "_sign", 1) < 0 else name
    return "_".join([name, *(str(settings[key]) for key in ("average", "pos_label", "beta")
                             if key in settings)])  # fmt: skip


def scores_of(
    scorers: Mapping[str, Any], model: Any, X: Any, y: Any, weights: Any = None
) -> tuple[dict[str, float], dict[str, str]]:
    """Return the scores of a fitted model on test rows; and of those that failed, why.

    A function may return several scores by name.
    """
    scores: dict[str, float] = {}
    failed: dict[str, str] = {}
    for name, scorer in scorers.items():
        try:
            weighed = weights is not None and _takes_weights(scorer)
            found = scorer(model, X, y, **({"sample_weight": weights} if weighed else {}))
            for each, value in (found if isinstance(found, Mapping) else {name: found}).items():
                if math.isfinite(value):
                    scores[str(each)] = float(value)
                else:
                    failed[str(each)] = "it is not a finite number on this fold"
        except MemoryError:
            raise
        except Exception as error:  # whatever a scorer of one's own raises
            failed[name] = one_line(f"{type(error).__name__}: {error}")
    return scores, failed


def _takes_weights(scorer: Any) -> bool:
    """Whether a scorer is one of scikit-learn's, or a function that says so."""
    if hasattr(scorer, "_score_func"):
        return True
    return "sample_weight" in inspect.signature(scorer).parameters
