"""Figures asked for on the command line."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from palio.results import Result

__all__ = ["check_figures", "write_figures"]


def check_figures(texts: Sequence[str], default: str = "multitest-graph") -> list[tuple[str, Path]]:
    """Read ``--figure`` values, ``path`` or ``name=path``, before any work is done."""
    from palio.report.figures import FIGURES, check_path

    wanted = []
    for text in texts:
        name, equals, path = text.partition("=")
        figure = name if equals else default
        wanted.append((FIGURES[figure].name, check_path(path if equals else text)))
    return wanted


def write_figures(wanted: Sequence[tuple[str, Path]], result: Result) -> None:
    """Draw and save; where each went is said on standard error, so that output stays data."""
    if not wanted:
        return
    from palio.report.figures import draw, save

    for name, path in wanted:
        save(draw(result, figure=name), path)
        sys.stderr.write(f"wrote {path}\n")
