"""``palio --version``: what is installed here, as a report of a mistake should tell it."""

from __future__ import annotations

import json as writer
import platform
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version
from textwrap import fill
from typing import Annotated

from cyclopts import Parameter

from palio import __version__
from palio.extras import CORE, EXTRAS, distribution

Packages = Mapping[str, str | None]

_TIED = "\xa0"  # a space at which no line is broken


@dataclass(frozen=True)
class Versions:
    """The versions of Palio, of what it runs on, and of what each extra brings; None is absent."""

    palio: str
    python: str
    platform: str
    core: Packages
    extras: Mapping[str, Packages]

    def __str__(self) -> str:
        groups = {"core": self.core, **self.extras}
        lines = [
            f"palio {self.palio}",
            f"{'Python':<10}{self.python}",
            f"{'platform':<10}{self.platform}",
            *(f"{name:<10}{_told(packages)}" for name, packages in groups.items()),
        ]
        text = "\n".join(fill(line, 80, subsequent_indent=" " * 10) for line in lines)
        return text.replace(_TIED, " ")


def installed() -> Versions:
    """Look up what is installed; nothing is loaded for it.

    >>> installed().core.keys() >= {"numpy", "pandas"}
    True
    """
    return Versions(
        palio=__version__,
        python=f"{platform.python_version()} ({platform.python_implementation()})",
        platform=platform.platform(),
        core=_packages(CORE),
        extras={extra: _packages(modules) for extra, modules in EXTRAS.items()},
    )


def versions(*, json: Annotated[bool, Parameter(help="Print JSON.", negative="")] = False) -> None:
    """Show the versions of Palio and of what it uses, for a report of a mistake."""
    found = installed()
    text = writer.dumps(asdict(found), indent=2) if json else str(found)
    sys.stdout.write(f"{text}\n")


def _packages(modules: Sequence[str]) -> dict[str, str | None]:
    return {name: _version(name) for name in map(distribution, modules)}


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def _told(packages: Packages) -> str:
    """Name packages with their versions; what is absent stands at the end."""
    there = [f"{name}{_TIED}{version}" for name, version in packages.items() if version]
    absent = [name for name, version in packages.items() if not version]
    if not there:
        return f"not installed ({', '.join(absent)})"
    return ", ".join(there) + (f"; without {', '.join(absent)}" if absent else "")
