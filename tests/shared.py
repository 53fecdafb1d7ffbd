"""Material that lies beside the repository and not in it."""

from pathlib import Path

import pytest

SHARED = Path(__file__).resolve().parents[2] / "shared"


def shared_file(relative: str) -> Path:
    """Return the path, or skip the test where the folder is absent."""
    path = SHARED / relative
    if not path.exists():
        pytest.skip(f"{path} is not there: the published tables are not part of the repository")
    return path
