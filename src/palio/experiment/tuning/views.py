"""A fitted model as it would be with another value of a free hyper-parameter."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

# From rows to the fitted models that shall tell of them, one for each value, in order.
Models = Callable[[Any], Iterable[Any]]

# From an unfitted model, rows, targets, the values, and what ``fit`` is given besides.
Train = Callable[[Any, Any, Any, Sequence[Any], Mapping[str, Any]], Models]

Fit = Callable[[Any, Any, Any, Mapping[str, Any]], None]


def fit(model: Any, X: Any, y: Any, fit_params: Mapping[str, Any]) -> None:
    """Fit a model; one that learns without targets is given none."""
    if y is None:
        model.fit(X, **fit_params)
    else:
        model.fit(X, y, **fit_params)


def each_fitted(
    model: Any,
    parameter: str,
    X: Any,
    y: Any,
    values: Sequence[Any],
    fit_params: Mapping[str, Any],
) -> Models:
    """Fit a model for every value by itself: where a short cut is not provided for."""
    found = [copy.copy(model).set_params(**{parameter: value}) for value in values]
    for each in found:
        fit(each, X, y, fit_params)
    return lambda _rows: found


def shown(
    model: Any, X: Any, answers: Mapping[str, Callable[..., Any]], changes: Mapping[str, Any]
) -> Any:
    """Return a copy of a fitted model with some attributes changed and some answers known.

    A method named in ``answers`` is answered from there if it is asked about ``X``, the very
    object. About other rows it is asked of the copy itself, so that the changes must make the copy
    the model that it stands for.

    Examples
    --------
    >>> from sklearn.dummy import DummyClassifier
    >>> X = [[0], [1]]
    >>> view = shown(DummyClassifier().fit(X, [0, 0]), X, {"predict": lambda: [7, 7]}, {})
    >>> view.predict(X), view.predict([[1]])
    ([7, 7], array([0]))
    """
    view = copy.copy(model)
    vars(view).update(changes)
    vars(view).update({method: _answer(view, method, X, tell) for method, tell in answers.items()})
    return view


def _answer(view: Any, method: str, X: Any, tell: Callable[..., Any]) -> Callable[..., Any]:
    def answer(rows: Any, *others: Any, **named: Any) -> Any:
        if rows is X:
            return tell(*others, **named)
        return getattr(type(view), method)(view, rows, *others, **named)

    answer.__name__ = method  # scorers look at it
    return answer
