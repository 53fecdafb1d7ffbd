"""Files asked for on the command line."""

from __future__ import annotations

import sys
from pathlib import Path

from palio.errors import UnreadableError
from palio.report.files import replace_file

__all__ = ["write_text"]


def write_text(path: Path, text: str) -> None:
    """Write a file and say so; a path that cannot be written is one clear line."""
    try:
        replace_file(path, text.encode())
    except OSError as error:
        raise UnreadableError(f"'{path}' cannot be written: {error.strerror}.") from error
    sys.stderr.write(f"wrote {path}\n")
