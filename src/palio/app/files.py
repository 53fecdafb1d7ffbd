"""Files asked for on the command line."""

from __future__ import annotations

import sys
from pathlib import Path

from palio.errors import UnreadableError

__all__ = ["write_text"]


def write_text(path: Path, text: str) -> None:
    """Write a file and say so; a path that cannot be written is one clear line."""
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise UnreadableError(f"'{path}' cannot be written: {error.strerror}.") from error
    sys.stderr.write(f"wrote {path}\n")
