"""What the workbench allows: sizes, numbers and names; and the errors of what it does not."""

from __future__ import annotations

import ipaddress
import secrets
from dataclasses import dataclass, field

from palio.errors import PalioError, ParameterError, require

MEGABYTE = 1_000_000
GIGABYTE = 1000 * MEGABYTE

SHORTEST_TOKEN = 12


class GoneError(PalioError):
    """A table that the server does not have, or has no more."""


class TooLargeError(PalioError):
    """A body beyond the limit."""


class OverloadError(PalioError):
    """Work that took too long, whose process died, or for which there is no room."""


@dataclass(frozen=True, kw_only=True)
class Patience:
    """How long a server waits for the other side.

    Parameters
    ----------
    head
        Seconds from the opening of a connection, or from the last answer, to the end of a head.
    body, rate
        Seconds for a body, and one more for every so many bytes that have come.
    reader
        Seconds for a reader to take what is ready.
    """

    head: float = 10.0
    body: float = 20.0
    rate: float = 10_000.0
    reader: float = 60.0


@dataclass(frozen=True, kw_only=True)
class Settings:
    """The limits of one server.

    Parameters
    ----------
    host, port
        Where it listens.
    token
        What whoever asks has to know. Where others than this machine can ask there always is
        one, drawn if none is given, unless ``no_token`` says otherwise.
    upload_bytes
        The largest file that may be uploaded.
    uploads
        So many uploaded files are kept; the one not used for longest is forgotten first.
    cache_bytes
        So much memory the answers may take that are kept, and what the processes share.
    workers
        Processes that answer, and as many that draw and audit; with 0 the server does it all.
    worker_bytes
        So much address space each of these processes may have, where the system can limit it.
    seconds
        So long an answer, a figure or an audit may take.
    patience
        So long it waits for who asks.
    """

    host: str = "127.0.0.1"
    port: int = 8000
    token: str | None = field(default=None, repr=False)
    no_token: bool = False
    upload_bytes: int = 50 * MEGABYTE
    uploads: int = 32
    cache_bytes: int = 200 * MEGABYTE
    workers: int = 2
    worker_bytes: int = 4 * GIGABYTE
    seconds: float = 120.0
    patience: Patience = Patience()

    def __post_init__(self) -> None:
        rule = "it lies between 0 (any that is free) and 65535"
        require(0 <= self.port <= 65535, "port", rule, self.port)
        for name in ("upload_bytes", "uploads", "cache_bytes", "worker_bytes", "seconds"):
            require(getattr(self, name) > 0, name, "it is positive", getattr(self, name))
        if self.token is None and not self.is_local and not self.no_token:
            object.__setattr__(self, "token", secrets.token_urlsafe(24))
        self._check_token()

    def _check_token(self) -> None:
        if self.token is None:
            return
        if self.no_token:
            raise ParameterError("token", "give one, or say that there is none, one of the two")
        if len(self.token) < SHORTEST_TOKEN:  # what was given is not for a log
            raise ParameterError(
                "token", f"it has at least {SHORTEST_TOKEN} characters, for it can be guessed"
            )

    @property
    def is_local(self) -> bool:
        """Whether only this machine can reach the server."""
        return is_loopback(self.host)

    @property
    def too_large(self) -> str:
        """What the limit of uploads is, and what to do about it."""
        return (
            f"file: at most {self.upload_bytes / MEGABYTE:g} MB may be uploaded, and this is more; "
            "start the workbench with the file instead."
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
