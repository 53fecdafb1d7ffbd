"""Whose code an experiment file may run: what it names is imported, and so executed.

Estimators of installed packages may be named unasked. Any other module must be allowed by whoever
runs the file, not by the file. One that lies beside the file is found there, and is treated as what
is defined in a script: it goes to workers by value, and its content is its name.
"""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import os
import site
import sys
import sysconfig
import tomllib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

from palio.errors import Option, ParameterError, UnreadableError
from palio.words import did_you_mean, one_line

_TAKE_PROGRAMS = frozenset({"pysr", "tabicl", "tabpfn", "tpot"})
"""Installed packages that must be allowed, too: a parameter may be a program, or a pickle."""


@dataclass(frozen=True)
class Trust:
    """Which other modules may be named, and the folder in which they may lie.

    No part of what an experiment is, so that it makes no two of them differ. ``whole`` trusts all
    that lies in the folder.
    """

    allow: tuple[str, ...] = field(default=(), compare=False)
    folder: Path | None = field(default=None, compare=False)
    whole: bool = field(default=False, compare=False)

    @classmethod
    def of(cls, allow: str | Iterable[str] = (), folder: Path | None = None) -> Trust:
        """Make it of one name or several; a folder may be trusted by the user's configuration."""
        names = (allow,) if isinstance(allow, str) else tuple(allow)
        return cls(names, folder, folder is not None and _is_trusted(folder))

    def find(self, text: str, *, part: bool = False) -> Callable[..., Any]:
        """Return the class that ``package.module:Class`` names, or a function that makes one.

        ``part`` is of a parameter. Nothing is called before it is known to make an estimator.

        >>> Trust().find("os:system")
        Traceback (most recent call last):
        ...
        palio.errors.ParameterError: estimator: 'os:system' is of no installed package, and its ...
        """
        module, _, attribute = text.partition(":")
        self._check(text, module)
        try:
            found = self._imported(module)
        except ParameterError:
            raise
        except Exception as error:  # a module of one's own can fail in any way
            rule = f"{text!r} cannot be imported: {type(error).__name__}: {one_line(error)}"
            raise ParameterError("estimator", rule) from error
        if not hasattr(found, attribute):
            rule = f"{text!r} cannot be found: {module} has no {attribute}."
            raise ParameterError("estimator", f"{rule}{did_you_mean(attribute, dir(found))}")
        made: Any = getattr(found, attribute)
        if inspect.isclass(made):
            self._check(text, made.__module__)  # what a module has from elsewhere is not its own
            _check_kind(text, made, part=part)
        else:
            self._check_factory(text, made)
        return made  # type: ignore[no-any-return]

    def _vouches_for(self, package: str) -> bool:
        """Whether a person has said that this code may be run."""
        beside = self.folder is not None and self.whole and _holds(self.folder, package)
        return package in self.allow or beside

    def _check(self, text: str, module: str) -> None:
        """Refuse a module that may not be imported, without importing it."""
        package = module.partition(".")[0]
        if package == "palio" or self._vouches_for(package):
            return
        remedy = f"If you trust {package}, allow it: {Option('allow', package)}"
        if package in _TAKE_PROGRAMS:
            what = "may be given programs to run by its parameters"
        elif _is_installed(package):
            if "__main__" not in module.split("."):
                return
            what = "is a program"
        elif self.folder is not None and _holds(self.folder, package):
            what = "lies beside the file, and its code would be run"
            remedy += f", or trust its folder in {configuration()}"
        else:
            what = "is of no installed package, and its code would be run"
        raise ParameterError("estimator", f"{text!r} {what}", remedy=remedy)

    def _check_factory(self, text: str, made: Any) -> None:
        """Refuse what is called unless it says that it makes an estimator, in allowed code."""
        module = text.partition(":")[0]
        if inspect.isfunction(made) and self._vouches_for(module.partition(".")[0]):
            try:
                said = inspect.signature(made, eval_str=True).return_annotation
            except (NameError, TypeError, ValueError):
                said = None
            if inspect.isclass(said) and _is_estimator(said):
                return
            rule = f"{text!r} is a function that does not say that it makes an estimator"
            remedy = "annotate what it returns, as -> MyClassifier"
        else:
            rule, remedy = f"{text!r} is no class of estimators but a {type(made).__name__}", ""
        raise ParameterError("estimator", rule, remedy=remedy)

    def _imported(self, module: str) -> ModuleType:
        package = module.partition(".")[0]
        beside = self.folder is not None and _holds(self.folder, package)
        if self.folder is None or not beside or not self._vouches_for(package):
            return importlib.import_module(module)
        return _import_beside(module, self.folder.resolve())

    def check_scheduler(self, address: str | None) -> None:
        """Refuse a scheduler on another machine that only the file names.

        Who answers there may send pickles, and so run anything here.
        """
        host = (address or "").partition("://")[2].rpartition(":")[0].strip("[]")
        if address is None or self.whole or host in ("localhost", "127.0.0.1", "::1"):
            return
        rule = f"the file sends jobs to {address!r}, which could run its own code here"
        remedy = f"If you trust it, give it yourself: {Option('scheduler', address)}"
        raise ParameterError("scheduler", rule, remedy=remedy)


def _is_estimator(made: type) -> bool:
    return all(hasattr(made, name) for name in ("fit", "predict", "get_params"))


def _check_kind(text: str, made: type, *, part: bool) -> None:
    """Refuse classes that are no estimators; parameters may be kernels and splitters, too."""
    has = {name for name in ("fit", "get_params", "get_n_splits") if hasattr(made, name)}
    if _is_estimator(made) or (
        part and ({"fit", "get_params"} <= has or has & {"get_params", "get_n_splits"})
    ):
        return
    needs = "fit and get_params" if part else "fit, predict and get_params"
    raise ParameterError("estimator", f"{text!r} is no scikit-learn estimator: it needs {needs}")


# --- what is installed ---------------------------------------------------------------------------


@cache
def _site_folders() -> tuple[Path, ...]:
    """Return where packages are installed: not the standard library, nor the present folder."""
    places = [sysconfig.get_path(name) for name in ("purelib", "platlib")]
    places += [*site.getsitepackages(), site.getusersitepackages()]
    return tuple({Path(place).resolve() for place in places})


def _is_installed(package: str) -> bool:
    """Whether a package would be imported from where packages are installed.

    >>> _is_installed("sklearn"), _is_installed("os"), _is_installed("nosuch")
    (True, False, False)
    """
    try:
        found = importlib.util.find_spec(package)
    except (ImportError, ValueError):
        return False
    if found is None:
        return False
    places = [found.origin] if found.has_location else found.submodule_search_locations
    files = [Path(place).resolve() for place in places or () if place]
    return bool(files) and all(
        any(file.is_relative_to(each) for each in _site_folders()) for file in files
    )


# --- what a user trusts, whatever a file says ----------------------------------------------------


def configuration() -> Path:
    """Return the user's own file of settings: ``trusted = ["~/experiments"]``."""
    home = os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config"
    return Path(home) / "palio" / "config.toml"


def _is_trusted(folder: Path) -> bool:
    """Whether the user's configuration names a folder, or one that it lies in."""
    place = configuration()
    try:
        named = tomllib.loads(place.read_text(encoding="utf-8")).get("trusted", [])
    except FileNotFoundError:
        return False
    except (OSError, ValueError) as error:
        raise UnreadableError("trusted", f"'{place}' cannot be read: {one_line(error)}") from error
    if not (isinstance(named, list) and all(isinstance(each, str) for each in named)):
        raise ParameterError("trusted", f"in '{place}' it is a list of folders")
    inside = folder.resolve()
    return any(inside.is_relative_to(Path(each).expanduser().resolve()) for each in named)


# --- modules beside a file -----------------------------------------------------------------------

# The modules imported from beside a file, and from which folder.
_beside: dict[str, Path] = {}


def _import_beside(module: str, folder: Path) -> ModuleType:
    """Import a module from a folder, which is on the path only meanwhile.

    Modules of the same names from beside another file make way.
    """
    import cloudpickle  # type: ignore[import-untyped]

    for name in [name for name, place in _beside.items() if place != folder]:
        if (old := sys.modules.pop(name, None)) is not None:
            cloudpickle.unregister_pickle_by_value(old)
        del _beside[name]
    _refuse_namesake(module.partition(".")[0], folder)
    with _on_path(folder):
        found = importlib.import_module(module)
    for name, each in list(sys.modules.items()):
        if name not in _beside and _is_within(each, folder):
            # As for what is defined in a script: no worker has the file.
            cloudpickle.register_pickle_by_value(each)
            _beside[name] = folder
    return found


def _holds(folder: Path, package: str) -> bool:
    places = (folder / f"{package}.py", folder / package / "__init__.py")
    # A name that no file can have is an error to Path.is_file.
    return package.isidentifier() and any(map(os.path.isfile, places))


@contextmanager
def _on_path(folder: Path) -> Iterator[None]:
    sys.path.insert(0, str(folder))
    importlib.invalidate_caches()
    try:
        yield
    finally:
        sys.path.remove(str(folder))


def _refuse_namesake(package: str, folder: Path) -> None:
    """Refuse one whose name another has, that is loaded or installed: it may be the one meant."""
    loaded = sys.modules.get(package)
    elsewhere = loaded is not None and not _is_within(loaded, folder)
    if elsewhere or (loaded is None and _is_installed(package)):
        rule = f"{package} lies beside the file, but there is another module of that name"
        raise ParameterError("estimator", rule, remedy="call yours otherwise")


def _is_within(module: Any, folder: Path) -> bool:
    file = getattr(module, "__file__", None)
    return isinstance(file, str) and Path(file).resolve().is_relative_to(folder)
