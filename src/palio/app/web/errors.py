"""What can go wrong with a server, besides what can go wrong with a question."""

from __future__ import annotations

from palio.errors import PalioError

__all__ = ["GoneError", "OverloadError", "TooLargeError"]


class GoneError(PalioError):
    """A table that the server does not have, or has no more."""


class TooLargeError(PalioError):
    """A body beyond the limit."""


class OverloadError(PalioError):
    """Work that took too long, or whose process died."""
