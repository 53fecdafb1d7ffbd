"""What differs between operating systems, and nothing else: one file for each of them.

The rest of the package asks `system` and does not look which one it is.
"""

from __future__ import annotations

import sys
from functools import cache

from palio.systems.base import Gauge, Peak, System

__all__ = ["Gauge", "Peak", "System", "system"]


@cache
def system() -> System:
    """Return the system that this process runs on.

    >>> system().typed(["palio", "my results.csv"]).startswith("palio ")
    True
    """
    if sys.platform == "win32":
        from palio.systems.windows import Windows as Here
    elif sys.platform == "linux":
        from palio.systems.linux import Linux as Here
    elif sys.platform == "darwin":
        from palio.systems.posix import MacOS as Here
    else:
        from palio.systems.posix import Posix as Here
    return Here()
