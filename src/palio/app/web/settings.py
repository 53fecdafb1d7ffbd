"""What the workbench allows: sizes, numbers and names; and the errors of what it does not."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass

from palio.errors import PalioError, require

MEGABYTE = 1_000_000
GIGABYTE = 1000 * MEGABYTE


class GoneError(PalioError):
    """A table that the server does not have, or has no more."""


class TooLargeError(PalioError):
    """A body beyond the limit."""


class OverloadError(PalioError):
    """Work that took too long, or whose process died."""


@dataclass(frozen=True, kw_only=True)
class Settings:
    """The limits of one server.

    Parameters
    ----------
    host, port
        Where it listens.
    upload_bytes
        The largest file that may be uploaded.
    uploads
        So many uploaded files are kept; the one not used for longest is forgotten first.
    cache_bytes
        So much memory the answers may take that are kept.
    workers
        Processes that answer, and as many that draw and audit; with 0 the server does it all.
    worker_bytes
        So much address space each of these processes may have, where the system can limit it.
    seconds
        So long an answer, a figure or an audit may take.
    """

    host: str = "127.0.0.1"
    port: int = 8000
    upload_bytes: int = 50 * MEGABYTE
    uploads: int = 32
    cache_bytes: int = 200 * MEGABYTE
    workers: int = 2
    worker_bytes: int = 4 * GIGABYTE
    seconds: float = 120.0

    def __post_init__(self) -> None:
        rule = "it lies between 0 (any that is free) and 65535"
        require(0 <= self.port <= 65535, "port", rule, self.port)
        for name in ("upload_bytes", "uploads", "cache_bytes", "worker_bytes", "seconds"):
            require(getattr(self, name) > 0, name, "it is positive", getattr(self, name))

    @property
    def is_local(self) -> bool:
        """Whether only this machine can reach the server."""
        return is_loopback(self.host)

    @property
    def too_large(self) -> str:
        """What the limit of uploads is, and what to do about it."""
        return (
            f"file: at most {self.upload_bytes / MEGABYTE:g} MB may be uploaded, and this is more; "
            "open it from the command line instead: palio serve FILE."
        )

    @property
    def address(self) -> str:
        """The host as a browser can open it."""
        if self.host in {"0.0.0.0", "::"}:  # everywhere, so also here
            return "127.0.0.1"
        return f"[{self.host}]" if ":" in self.host else self.host


def is_loopback(host: str) -> bool:
    """Say whether a host name or address means this machine and no other.

    >>> is_loopback("localhost"), is_loopback("127.0.0.1"), is_loopback("::1")
    (True, True, True)
    >>> is_loopback("0.0.0.0"), is_loopback("example.org")
    (False, False)
    """
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
