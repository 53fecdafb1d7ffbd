"""Names for methods: one entry in a registry, never another ``if``.

What an entry needs may be loaded when it is first used: `Later`.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, ParamSpec, Protocol, TypeVar

from palio.errors import ParameterError, UnknownNameError
from palio.words import asked_after, did_you_mean, loosely, misspelt, nearest, quoted

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
    return UnknownNameError(kind, f"{name!r} is not known.{hint} There are: {_shown(names)}")


def unknown_method(kind: str, name: object, *registries: Registry[Any]) -> UnknownNameError:
    """Build the error for a name that no registry has: what may be meant, and what there is."""
    close = dict.fromkeys(each for registry in registries for each in registry.close_to(str(name)))
    names = dict.fromkeys(each for registry in registries for each in registry)
    there = f"There are: {_shown(names)}"
    return UnknownNameError(kind, f"{name!r} is not known.{asked_after(close)} {there}")


_OTHERS = frozenset({"ancova", "manova"})  # a letter away from a method, and not it


def _shown(names: Iterable[str]) -> str:
    known = list(names)
    return ", ".join(known[:20]) + (", …" if len(known) > 20 else "")


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


@dataclass(frozen=True)
class Method:
    """The base of entries: a method, whence it is, and what people call it elsewhere."""

    name: str
    title: str
    reference: str
    aliases: tuple[str, ...] = field(default=(), kw_only=True)


class Registry(Mapping[str, Entry], Generic[Entry]):
    """A read-only mapping from short names to methods, whose misses are helpful.

    Case, hyphens and underscores of a name do not matter, and an entry may have ``aliases``: what
    people call it elsewhere. `name_of` is the one that stands in results.

    >>> tests = Registry("test", {"sign": "the sign test", "paired-t": "the t test"})
    >>> tests["Paired_T"], tests.name_of("Paired_T")
    ('the t test', 'paired-t')
    >>> tests["sing"]
    Traceback (most recent call last):
    ...
    palio.errors.UnknownNameError: test: 'sing' is not known. Did you mean 'sign'? There are: \
    sign, paired-t.
    """

    def __init__(self, kind: str, entries: Mapping[str, Entry], *, of_things: bool = False) -> None:
        self.kind, self._of_things = kind, of_things
        self._entries = dict(entries)
        self._names = {loosely(each): name for each, name in self.spellings().items()}

    @classmethod
    def of(cls, kind: str, *entries: Named, of_things: bool = False) -> Registry[Named]:
        """Make a registry of entries that know their own name."""
        return Registry(kind, {entry.name: entry for entry in entries}, of_things=of_things)

    def spellings(self) -> dict[str, str]:
        """Return the names and aliases, each with the name that it is for."""
        aliases = {
            alias: name
            for name, entry in self._entries.items()
            for alias in getattr(entry, "aliases", ())
        }
        return {**aliases, **{name: name for name in self._entries}}

    def name_of(self, name: str) -> str:
        """Return a name as the registry has it, however it was written."""
        if name not in self:
            raise unknown_method(self.kind, name, self)
        return name if name in self._entries else self._names[loosely(name)]

    def close_to(self, name: str) -> list[str]:
        """Return what a name that is not known may be meant for.

        Of methods that is a slip of the pen, or a name cut short: one that only resembles it is
        another method, and no help to who means that. Things (``of_things``) may resemble.
        """
        if self._of_things:
            return nearest(name, self)
        if loosely(name) in _OTHERS:
            return []
        known = self.spellings()
        found = misspelt(name, known)
        # Of an entry that is near by several of its names, its own.
        found = list(dict.fromkeys(n if (n := known[a]) in found else a for a in found))
        return found or misspelt(name, self, begun=True) or [n for n in self if n[:-2] == name]

    def __getitem__(self, name: str) -> Entry:
        return self._entries[self.name_of(name)]

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and (name in self._entries or loosely(name) in self._names)

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)

    def __repr__(self) -> str:
        return f"<{self.kind} registry: {', '.join(self._entries)}>"
