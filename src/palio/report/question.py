"""What is asked of a table: one value, with a text form that goes into a link."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any
from urllib.parse import parse_qs, urlencode

from palio.errors import ParameterError, require
from palio.registry import Registry, unknown_name
from palio.results import plain
from palio.scores.spec import read_field

Cost = str | Sequence[str] | Mapping[str, float]
Weights = tuple[tuple[str, float], ...]


@dataclass(frozen=True, kw_only=True)
class Question:
    """Everything a report depends on besides the table.

    What is left out is chosen by the table: the test on folds fits its design. A cost counts only
    where it is named. The report says what was chosen.

    Parameters
    ----------
    score : str, optional
        Which of the table's scores.
    higher_is_better : bool, optional
        Its direction, where the name does not tell.
    cost : str, sequence of str, or mapping of str to float, optional
        What is preferred low among equals, with weights.
    prior : sequence of str
        Instead of a cost: algorithms, the most preferred first.
    method : str
        How the order is made, as for `order`: ``"auto"`` by the pairs of the comparison,
        ``"multitest"`` and ``"multi2test"`` as the papers have it.
    fold_test, fold_correction, posthoc
        How MultiTest and Multi²Test decide, as for `multi2test`; ``fold_test`` is also the test of
        the pairs on one data set.
    test_fraction : float, optional
        For tests and models on hold-outs: the share of the data used for testing.
    over : "items" or "datasets", optional
        What would be drawn anew, as for `compare`; data sets where a test over these is named.
    item_test : str, optional
        Who differs from whom over items, as for `compare`.
    test, correction, control
        Who differs from whom over the data sets, as for `compare`.
    alpha : float
        The significance level of all tests.
    model : str, optional
        A Bayesian model to ask as well; ``"anova"`` if only a region is given. ``"correlated-t"``
        is about one data set; ``"hierarchical"`` takes about two seconds for each pair.
    rope : float or "auto", optional
        Differences within ± this are practically none.
    checks : sequence of str, optional
        The checks of the audit; all but the simulation, ``"error-rate"``, unless given.
    algorithms, datasets : sequence of str, optional
        Some of them; all unless given.
    focus : str, optional
        An algorithm to be looked at against the rest.
    top : int, optional
        How many of a long list are shown.

    Examples
    --------
    >>> question = Question(cost={"train_time": 0.7, "space": 0.3}, alpha=0.01)
    >>> question.to_query()
    'cost=train_time%3D0.7&cost=space%3D0.3&alpha=0.01'
    >>> Question.from_query(question.to_query()) == question
    True
    """

    score: str | None = None
    higher_is_better: bool | None = None
    cost: Cost | None = None
    prior: Sequence[str] = ()
    method: str = "auto"
    fold_test: str | None = None
    fold_correction: str = "none"
    posthoc: str | None = None
    test_fraction: float | None = None
    over: str | None = None
    item_test: str | None = None
    test: str = "wilcoxon"
    correction: str = "holm"
    control: str | None = None
    alpha: float = 0.05
    model: str | None = None
    rope: float | str | None = None
    checks: Sequence[str] | None = None
    algorithms: Sequence[str] | None = None
    datasets: Sequence[str] | None = None
    focus: str | None = None
    top: int | None = None

    def __post_init__(self) -> None:
        # Whatever was given, what is kept can be compared and hashed.
        if self.cost is not None:
            object.__setattr__(self, "cost", _weights(self.cost))
        for name in ("prior", "checks", "algorithms", "datasets"):
            object.__setattr__(self, name, _names(getattr(self, name)))
        for name, value in _as_named(self).items():
            object.__setattr__(self, name, value)
        _check(self)

    @property
    def weights(self) -> dict[str, float] | None:
        """The costs and their weights, where any were named."""
        return None if self.cost is None else dict(self.cost)  # type: ignore[arg-type]

    @property
    def asked_model(self) -> str | None:
        """The Bayesian model, if one is asked for; a region alone asks for the usual one."""
        return self.model or ("anova" if self.rope is not None else None)

    def to_dict(self) -> dict[str, Any]:
        """Return the question as plain data."""
        return {name: plain(getattr(self, name)) for name in READERS} | {"cost": self.weights}

    def to_query(self) -> str:
        """Write what differs from the defaults as a query string; the same for equal questions."""
        pairs = [
            (field.name, text)
            for field in fields(self)
            if (value := getattr(self, field.name)) != field.default
            for text in _written(value)
        ]
        return urlencode(pairs)

    @classmethod
    def from_query(cls, query: str) -> Question:
        """Read a query string; a key that is not known is an error that names the near ones."""
        given = parse_qs(query.removeprefix("?"), keep_blank_values=True)
        for name in given:
            if name not in READERS:
                raise unknown_name("question", name, READERS)
        return cls(**{name: READERS[name](name, texts) for name, texts in given.items()})


def split_weight(text: str) -> tuple[str, float]:
    """Split a cost and its weight, 1 if there is none.

    >>> split_weight("train_time=0.7"), split_weight("space")
    (('train_time', 0.7), ('space', 1.0))
    """
    name, equals, weight = text.rpartition("=")
    if not equals:
        return text, 1.0
    try:
        return name, float(weight)
    except ValueError:
        raise ParameterError(
            "cost", "a weight is a number, as in train_time=0.7", f"{text!r} was given"
        ) from None


# --- checks --------------------------------------------------------------------------------------


def _weights(cost: Cost | Weights) -> Weights:
    from palio.ordering.prior import cost_weights

    if not isinstance(cost, (str, Mapping)):
        # Kept weights are pairs; bare names have a weight of 1.
        cost = dict(each if isinstance(each, tuple) else (each, 1.0) for each in cost)
    return tuple((name, float(w)) for name, w in cost_weights(cost).items()) if cost else ()


def _names(names: Sequence[str] | None) -> tuple[str, ...] | None:
    return names if names is None else (names,) if isinstance(names, str) else tuple(names)


def _as_named(question: Question) -> dict[str, Any]:
    """Return the names of methods as their registries have them; refuse those that are in none."""
    from palio.bayes.models import MODELS
    from palio.comparison.audit import AUDIT_CHECKS
    from palio.comparison.corrections import correction_named, fold_correction_named
    from palio.comparison.fold_tests import FOLD_TESTS
    from palio.comparison.item_tests import ITEM_TESTS
    from palio.comparison.pair_tests import pair_test_named
    from palio.comparison.rank_tests import POSTHOCS
    from palio.ordering.methods import ORDERINGS

    test = pair_test_named(question.test).name
    correction = correction_named(question.correction)
    correction.check(test=test, control=question.control)
    optional: dict[str, Registry[Any]] = {
        "fold_test": FOLD_TESTS, "item_test": ITEM_TESTS, "posthoc": POSTHOCS, "model": MODELS,
    }  # fmt: skip
    return {
        "test": test,
        "correction": correction.name,
        "fold_correction": fold_correction_named(question.fold_correction).name,
        "method": "auto" if question.method == "auto" else ORDERINGS.name_of(question.method),
        "checks": question.checks and tuple(map(AUDIT_CHECKS.name_of, question.checks)),
        **{
            field: known.name_of(name)
            for field, known in optional.items()
            if (name := getattr(question, field)) is not None
        },
    }


def _check(question: Question) -> None:
    """Refuse numbers that no table could make sense of."""
    from palio.bayes.rope import check_rope
    from palio.comparison.corrections import check_alpha
    from palio.scores.items import check_over

    check_alpha(question.alpha)
    check_over(question.over)
    if question.rope not in (None, "auto"):
        check_rope(question.rope)  # type: ignore[arg-type]  # it says what it is not
    if question.top is not None:
        require(question.top >= 1, "top", "it is 1 or more", question.top)
    if question.cost and question.prior:
        raise ParameterError("prior", "give a cost or a prior order, one of the two")


# --- query strings -------------------------------------------------------------------------------


def _written(value: Any) -> list[str]:
    """Write the value of a field, each of several by itself; none of them is an empty text."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, tuple):
        return [each if isinstance(each, str) else _weighted(*each) for each in value] or [""]
    return [str(value).lower() if isinstance(value, bool) else repr(value)]


def _weighted(name: str, weight: float) -> str:
    return name if weight == 1 and "=" not in name else f"{name}={weight!r}"


def _number(name: str, texts: list[str]) -> float:
    try:
        return float(texts[-1])
    except ValueError:
        raise ParameterError(name, "it is a number", f"{texts[-1]!r} was given") from None


def _whole(name: str, texts: list[str]) -> int:
    given = texts[-1]
    # Python itself refuses to read thousands of digits.
    require(given.isdecimal() and len(given) < 10, name, "it is a whole number", given)
    return int(given)


def _region(name: str, texts: list[str]) -> float | str:
    return "auto" if texts[-1] == "auto" else _number(name, texts)


def _several(_name: str, texts: list[str]) -> tuple[str, ...]:
    return tuple(text for text in texts if text)


Reader = Callable[[str, list[str]], Any]

# From the name of a field and all the texts that a query has for it to its value.
READERS: dict[str, Reader] = {
    **{field.name: lambda _name, texts: texts[-1] for field in fields(Question)},
    **dict.fromkeys(("prior", "checks", "algorithms", "datasets"), _several),
    **dict.fromkeys(("test_fraction", "alpha"), _number),
    "higher_is_better": read_field,
    "cost": lambda _name, texts: tuple(split_weight(text) for text in texts if text),
    "rope": _region,
    "top": _whole,
}
