"""Whether two answers are the same."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from palio.results import plain

# So many differences are told.
_MOST = 5


def assert_same_answer(
    a: Any, b: Any, *, rtol: float = 1e-9, atol: float = 1e-12, ignore: Collection[str] = ()
) -> None:
    """Check that two results say the same, but for rounding.

    Parameters
    ----------
    a, b : Result or dict
        What `palio.compare` and the others return, or its ``to_dict()``.
    rtol, atol : float
        How far numbers may be apart, relative and absolute.
    ignore : collection of str
        Keys that are not looked at, such as ``"notes"``, wherever they stand.

    Raises
    ------
    AssertionError
        With the first differences, and where they stand.

    Examples
    --------
    The order in which data sets stand in a table does not matter:

    >>> import palio
    >>> table = palio.load_study("ulas2008")
    >>> turned = table.select(datasets=table.datasets[::-1])
    >>> assert_same_answer(palio.rank(table), palio.rank(turned))
    >>> assert_same_answer(palio.rank(table), palio.rank(table, method="mean-score"))
    Traceback (most recent call last):
    ...
    AssertionError: claims[0].method: 'average ranks' and 'mean score'
    ...
    """
    found = _differences(plain(a), plain(b), "", rtol, atol, frozenset(ignore))
    told = [each for each, _ in zip(found, range(_MOST), strict=False)]
    if told:
        raise AssertionError("\n".join(told))


def _differences(
    a: Any, b: Any, where: str, rtol: float, atol: float, ignore: frozenset[str]
) -> Iterator[str]:
    how = (rtol, atol, ignore)
    if isinstance(a, Mapping) and isinstance(b, Mapping):
        for key in dict.fromkeys([*a, *b]):
            at = f"{where}.{key}".lstrip(".")
            if key in ignore:
                continue
            if (key in a) != (key in b):
                yield f"{at}: only in the {'first' if key in a else 'second'}"
            else:
                yield from _differences(a[key], b[key], at, *how)
    elif isinstance(a, list) and isinstance(b, list):
        if len(a) != len(b):
            yield f"{where}: {len(a)} and {len(b)} long"
        for i, (one, other) in enumerate(zip(a, b, strict=False)):
            yield from _differences(one, other, f"{where}[{i}]", *how)
    elif _number(a) and _number(b):
        if not math.isclose(a, b, rel_tol=rtol, abs_tol=atol):
            yield f"{where}: {a!r} and {b!r}"
    elif a != b:
        yield f"{where}: {a!r} and {b!r}"


def _number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
