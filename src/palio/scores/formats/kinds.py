"""What a format is, and the error of a file that is not of its format."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    import pandas as pd

    from palio.scores.columns import Columns

    Table: TypeAlias = Columns | Mapping[str, Any] | pd.DataFrame


class MalformedError(Exception):
    """A file is not of its format; ``reason`` goes on after the name of the file."""

    def __init__(self, reason: str, remedy: str = "") -> None:
        super().__init__(reason)
        self.reason, self.remedy = reason, remedy


@dataclass(frozen=True)
class Format:
    """A format of files.

    Parameters
    ----------
    name : str
        Its short name.
    suffixes : tuple of str
        The endings of its files.
    read : callable
        Takes the content, text or (``binary``) bytes, and the name of the file; returns columns, a
        dictionary of columns or a frame, or raises `MalformedError`.
    write : callable, optional
        Takes a frame and a path.
    magic : tuple of bytes
        How its files begin, where that tells; it is then no text.
    part : str
        What a file may have several of, such as sheets; ``read`` then takes the name of one.
    module, extra : str, optional
        What must be installed to read it, and the extra that brings it.
    """

    name: str
    suffixes: tuple[str, ...]
    read: Callable[..., Table]
    write: Callable[..., object] | None = None
    magic: tuple[bytes, ...] = ()
    part: str = ""
    module: str | None = None
    extra: str = ""

    @property
    def binary(self) -> bool:
        """Whether it is no text."""
        return bool(self.magic)

    def check_installed(self, parameter: str, file: str) -> None:
        """Raise if what the format needs is not installed."""
        if self.module is None:
            return
        from palio.extras import needing

        with needing(self.extra, parameter, f"{file} needs {self.module}"):
            importlib.import_module(self.module)
