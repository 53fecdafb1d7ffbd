"""What a job is, as text: the same content has the same key, whatever it is called."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from palio.errors import ParameterError

__all__ = ["describe", "digest", "seed_from"]


def digest(*parts: object) -> str:
    """Hash described parts into a key.

    >>> digest("a", 1) == digest("a", 1), digest("a", 1) == digest("a", 2)
    (True, False)
    """
    text = "\x1f".join(describe(part) for part in parts)
    return hashlib.sha256(text.encode()).hexdigest()


def seed_from(*parts: object) -> int:
    """Draw a seed from what the job is, so that it does not depend on when or where it runs.

    >>> 0 <= seed_from(0, "wine") < 2**31
    True
    """
    return int(digest(*parts)[:8], 16) & 0x7FFFFFFF


def describe(value: object) -> str:
    """Write a value as text that depends on its content alone.

    Estimators are their class and parameters, arrays their bytes, functions their names; anything
    else is pickled. Memory addresses never enter.

    >>> describe({"b": 1.0, "a": [True, None]})
    "{'a': [True, None], 'b': 1.0}"
    """
    if isinstance(value, float):
        # 1.0 and numpy's 1.0 are one; NaN is equal to itself here.
        return "nan" if math.isnan(value) else repr(float(value))
    if value is None or isinstance(value, bool | int | str | bytes):
        return repr(value)
    if isinstance(value, np.generic):
        return describe(value.item())
    if isinstance(value, Mapping):
        items = sorted((describe(key), describe(item)) for key, item in value.items())
        return "{" + ", ".join(f"{key}: {item}" for key, item in items) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(describe(item) for item in value) + "]"
    if isinstance(value, np.ndarray):
        content = hashlib.sha256(np.ascontiguousarray(value).tobytes()).hexdigest()
        return f"array({value.dtype.str}, {value.shape}, {content})"
    if hasattr(value, "get_params") and not isinstance(value, type):
        parameters = value.get_params(deep=False)
        return f"{_path(type(value))}({describe(parameters)})"
    if isinstance(value, type) or (callable(value) and hasattr(value, "__qualname__")):
        return _path(value)
    return _pickled(value)


def _path(thing: Any) -> str:
    name = f"{thing.__module__}.{thing.__qualname__}"
    # What is defined in a script or inside a function has no lasting name: its code is its name.
    return _pickled(thing) if "<" in name or thing.__module__ == "__main__" else name


def _pickled(value: object) -> str:
    import cloudpickle  # type: ignore[import-untyped]

    try:
        content = cloudpickle.dumps(value)
    except Exception as error:
        raise ParameterError(
            f"algorithms: {type(value).__name__} cannot be pickled ({error}), so it can be "
            "neither kept apart from others nor sent to a worker; define it without open files, "
            "locks or connections."
        ) from error
    return f"{type(value).__name__}:{hashlib.sha256(content).hexdigest()}"
