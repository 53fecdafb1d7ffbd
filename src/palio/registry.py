"""Names for methods: one entry in a registry, never another ``if``.

What an entry needs may be loaded when it is first used: `Later`.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, ParamSpec, Protocol, TypeVar

from palio.errors import ParameterError, UnknownNameError
from palio.words import did_you_mean, quoted

Entry = TypeVar("Entry")
Given = ParamSpec("Given")
Answer = TypeVar("Answer")


def load(home: str) -> Any:
    """Return what a module holds under a name.

    >>> load("palio.registry:load") is load
    True
    """
    module, _, name = home.partition(":")
    return getattr(importlib.import_module(module), name)


@dataclass(frozen=True)
class Later(Generic[Given, Answer]):
    """A function whose module is loaded when it is first called: ``Later("package.module:name")``.

    So that a registry can name everything there is, and who uses one entry loads that one.

    >>> Later("palio.words:quoted")(["a", "b"])
    "'a', 'b'"
    """

    home: str

    def load(self) -> Callable[Given, Answer]:
        """Return the function itself."""
        function: Callable[Given, Answer] = load(self.home)
        return function

    def __call__(self, *args: Given.args, **kwargs: Given.kwargs) -> Answer:
        """Load it, and call it."""
        return self.load()(*args, **kwargs)


def exported(package: str, homes: Mapping[str, str]) -> Callable[[str], Any]:
    """Return a package's ``__getattr__``: each name is loaded from its module when asked for.

    No name may be that of a module of the package, which would take its place once loaded.

    Parameters
    ----------
    package : str
        The package, ``__name__``.
    homes : mapping
        From names to modules.
    """

    def get(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return load(f"{homes[name]}:{name}")

    return get


class _HasName(Protocol):
    """What an entry must have to be registered under its own name."""

    @property
    def name(self) -> str: ...


Named = TypeVar("Named", bound=_HasName)


def unknown_name(kind: str, name: object, known: Iterable[str]) -> UnknownNameError:
    """Build the error for a name nobody knows: what is near, and what there is."""
    names = list(known)
    hint = did_you_mean(str(name), names)
    shown = ", ".join(names[:20]) + (", …" if len(names) > 20 else "")
    return UnknownNameError(kind, f"{name!r} is not known.{hint} There are: {shown}")


def one_dataset(known: Sequence[str], dataset: str | None, *, instead: str = "") -> str:
    """Return the data set asked for, or the only one; ``instead`` says what to do for all.

    >>> one_dataset(["iris"], None)
    'iris'
    """
    if dataset is None and len(known) == 1:
        return known[0]
    if dataset is None:
        raise ParameterError(
            "dataset",
            "this is about one data set",
            f"there are {len(known)}: {quoted(known, limit=20)}",
            f"Name one{f', or {instead}' if instead else ''}",
        )
    if dataset not in known:
        raise unknown_name("dataset", dataset, known)
    return dataset


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
