"""Files that appear whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path


def replace_file(target: Path, content: bytes) -> None:
    """Write beside the target, then rename: whoever reads the target never sees half a file."""
    if target.exists() and not target.is_file():  # a pipe, a terminal: nothing to rename
        target.write_bytes(content)
        return
    target = Path(os.path.realpath(target))
    part = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        part.write_bytes(content)
        part.replace(target)
    except OSError:
        part.unlink(missing_ok=True)
        raise
