"""The array types that every room speaks, for the annotations of those who call Palio too.

>>> from palio.types import FloatArray
>>> def spread(scores: FloatArray) -> float:
...     return float(scores.max() - scores.min())
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

FloatArray: TypeAlias = NDArray[np.float64]
BoolArray: TypeAlias = NDArray[np.bool_]
IntArray: TypeAlias = NDArray[np.intp]

Options: TypeAlias = Mapping[str, Any]
"""What a method takes besides, by name."""

Alternative: TypeAlias = Literal["two-sided", "greater", "less"]
"""``greater``: the first of the pair has the higher values."""
