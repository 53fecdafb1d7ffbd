"""Names for methods: one entry in a registry, never another ``if``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Generic, Protocol, TypeVar

from palio.errors import UnknownNameError
from palio.words import did_you_mean

__all__ = ["Registry", "unknown_name"]

Entry = TypeVar("Entry")


class HasName(Protocol):
    """What an entry must have to be registered under its own name."""

    @property
    def name(self) -> str: ...


Named = TypeVar("Named", bound=HasName)


def unknown_name(kind: str, name: object, known: Iterable[str]) -> UnknownNameError:
    """Build the error for a name nobody knows: what is near, and what there is."""
    names = list(known)
    hint = did_you_mean(str(name), names)
    shown = ", ".join(names[:20]) + (", …" if len(names) > 20 else "")
    return UnknownNameError(kind, f"{name!r} is not known.{hint} There are: {shown}")


class Registry(Mapping[str, Entry], Generic[Entry]):
    """A read-only mapping from short names to methods, whose misses are helpful.

    >>> tests = Registry("test", {"sign": "the sign test"})
    >>> tests["sing"]
    Traceback (most recent call last):
    ...
    palio.errors.UnknownNameError: test: 'sing' is not known. Did you mean 'sign'? There are: sign.
    """

    def __init__(self, kind: str, entries: Mapping[str, Entry]) -> None:
        self.kind = kind
        self._entries = dict(entries)

    @classmethod
    def of(cls, kind: str, *entries: Named) -> Registry[Named]:
        """Make a registry of entries that know their own name."""
        return Registry(kind, {entry.name: entry for entry in entries})

    def __getitem__(self, name: str) -> Entry:
        try:
            return self._entries[name]
        except (KeyError, TypeError):
            raise unknown_name(self.kind, name, self._entries) from None

    def __contains__(self, name: object) -> bool:
        return name in self._entries

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)

    def __repr__(self) -> str:
        return f"<{self.kind} registry: {', '.join(self._entries)}>"
