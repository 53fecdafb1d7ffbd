"""The ordering methods, by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from palio.ordering.multi2test import multi2test
from palio.ordering.multitest import multitest
from palio.ordering.result import Ordering
from palio.registry import Registry

__all__ = ["ORDERINGS", "OrderingMethod"]


@dataclass(frozen=True)
class OrderingMethod:
    """An entry of the registry.

    ``properties`` are promises that the property tests verify for every entry: ``rename`` and
    ``reorder`` (the names of algorithms and the order of data sets and algorithms do not matter),
    ``negation`` (negating the scores with the direction flipped changes nothing), ``scale`` (nor
    does multiplying them), ``identical`` (of identical algorithms the cheaper is first),
    ``dominated`` (worse on every fold and costlier is never before), ``pool-free-edges`` (the
    verdict on a pair does not depend on the other algorithms).
    """

    name: str
    title: str
    run: Callable[..., Ordering]
    many_datasets: bool
    properties: frozenset[str]


_COMMON = frozenset({"rename", "reorder", "negation", "scale", "identical"})

ORDERINGS: Registry[OrderingMethod] = Registry.of(
    "method",
    OrderingMethod(
        "multitest",
        "MultiTest",
        multitest,
        many_datasets=False,
        properties=_COMMON | {"pool-free-edges"},
    ),
    OrderingMethod("multi2test", "Multi²Test", multi2test, many_datasets=True, properties=_COMMON),
)
