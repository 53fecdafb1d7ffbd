"""Examples of docstrings, as a page shows them: nobody sees there in which module they stand."""

from __future__ import annotations

import inspect
import re
from collections.abc import Sequence
from types import ModuleType

from docs.pages.api import homes

__all__ = ["with_imports"]


def with_imports(lines: Sequence[str], module: ModuleType | None) -> list[str]:
    """Put what an example takes for granted, being in its module, before its first line.

    >>> from palio.stats import adjust
    >>> with_imports([">>> holm([0.1])"], adjust)
    ['>>> from palio.stats.adjust import holm', '>>> holm([0.1])']
    """
    first = next((i for i, line in enumerate(lines) if line.lstrip().startswith(">>>")), None)
    if first is None or module is None:
        return list(lines)
    indent = lines[first][: lines[first].index(">>>")]
    missing = [f"{indent}>>> {line}" for line in _missing("\n".join(lines[first:]), module)]
    return [*lines[:first], *missing, *lines[first:]]


def _missing(text: str, module: ModuleType) -> list[str]:
    code = "\n".join(line for line in text.splitlines() if line.lstrip().startswith((">>>", "...")))
    own = [name for name, _ in inspect.getmembers(module, callable) if name[0] != "_"]
    used = [
        name
        for name in own
        if re.search(rf"(?<![.\w]){name}[(.]", code)
        and not re.search(rf"import .*\b{name}\b", code)
    ]
    return [
        *(["import numpy as np"] if "np." in code and "import numpy" not in code else []),
        *(_imported(f"{module.__name__}.{name}") for name in used),
    ]


def _imported(home: str) -> str:
    """Return how a name is imported: from where it is public, if it is."""
    place, _, name = homes().get(home, home).rpartition(".")
    return f"from {place} import {name}"
