"""Figures and files asked for on the command line; where each went is said on standard error."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from palio.errors import UnreadableError

if TYPE_CHECKING:
    from palio.results import Result


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
    """Draw and save the figures of a result."""
    if not wanted:
        return
    from palio.report.figures import draw, save

    for name, path in wanted:
        save(draw(result, figure=name), path)
        sys.stderr.write(f"wrote {path}\n")


def write_text(path: Path, text: str) -> None:
    """Write a file; a path that cannot be written is one clear line."""
    from palio.report.files import replace_file

    try:
        replace_file(path, text.encode())
    except OSError as error:
        raise UnreadableError("file", f"'{path}' cannot be written: {error.strerror}") from error
    sys.stderr.write(f"wrote {path}\n")
