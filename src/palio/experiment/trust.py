"""Whose code an experiment file may run: what it names is imported, and so executed.

Estimators of well-known packages may be named unasked. Any other module must be allowed by whoever
runs the file, not by the file. One that lies beside the file is found there, and is treated as what
is defined in a script: it goes to workers by value, and its content is its name.
"""

from __future__ import annotations

import importlib
import inspect
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

from palio.errors import Option, ParameterError
from palio.words import did_you_mean, one_line

PACKAGES = frozenset(
    {
        "aeon", "autogluon", "autosklearn", "catboost", "cuml", "daal4py", "flaml", "gplearn",
        "imblearn", "interpret", "lightgbm", "lineartree", "mlxtend", "ngboost", "palio", "pygam",
        "pysr", "skl2onnx", "sklearn", "sklearnex", "skorch", "sktime", "tabicl", "tabm", "tabpfn",
        "thundersvm", "tpot", "xgboost",
    }
)  # fmt: skip
"""Packages of estimators after scikit-learn's fashion, which may be named without being allowed."""


@dataclass(frozen=True)
class Trust:
    """Which other modules may be named, and the folder in which they may lie.

    No part of what an experiment is, so that it makes no two of them differ.
    """

    allow: tuple[str, ...] = field(default=(), compare=False)
    folder: Path | None = field(default=None, compare=False)

    @classmethod
    def of(cls, allow: str | Iterable[str] = (), folder: Path | None = None) -> Trust:
        """Make it of one name or several."""
        return cls((allow,) if isinstance(allow, str) else tuple(allow), folder)

    def allows(self, module: str) -> bool:
        """Whether a module, or the package it is of, may be imported.

        >>> Trust(("mylib",)).allows("mylib.trees"), Trust().allows("os"), Trust().allows("sklearn")
        (True, False, True)
        """
        package = module.partition(".")[0]
        return package in PACKAGES or package in self.allow

    def find(self, text: str, *, part: bool = False) -> type:
        """Return the class that ``package.module:Class`` names; ``part``: of a parameter.

        >>> Trust().find("os:system")
        Traceback (most recent call last):
        ...
        palio.errors.ParameterError: estimator: 'os:system' is of no package that may be named ...
        """
        module, _, attribute = text.partition(":")
        self._check(text, module)
        try:
            found = self._imported(module)
        except ParameterError:
            raise
        except Exception as error:  # a module of one's own can fail in any way
            raise ParameterError(
                "estimator",
                f"{text!r} cannot be imported: {type(error).__name__}: {one_line(error)}",
            ) from error
        if not hasattr(found, attribute):
            raise ParameterError(
                "estimator",
                f"{text!r} cannot be found: {module} has no {attribute}."
                f"{did_you_mean(attribute, dir(found))}",
            )
        made = getattr(found, attribute)
        if not inspect.isclass(made):
            raise ParameterError("estimator", f"{text!r} is no class but {made!r}")
        self._check(text, made.__module__)  # what a module has from elsewhere is not its own
        _check_kind(text, made, part=part)
        return made

    def _check(self, text: str, module: str) -> None:
        if not self.allows(module):
            package = module.partition(".")[0]
            raise ParameterError(
                "estimator",
                f"{text!r} is of no package that may be named unasked, as its code would be run",
                remedy=f"If you trust {package}, allow it: {Option('allow', package)}",
            )

    def _imported(self, module: str) -> ModuleType:
        package = module.partition(".")[0]
        if self.folder is None or package in PACKAGES or not _holds(self.folder, package):
            return importlib.import_module(module)
        return _import_beside(module, self.folder.resolve())


def _check_kind(text: str, made: type, *, part: bool) -> None:
    """Refuse classes that are no estimators; parameters may be kernels and splitters, too."""
    has = {name for name in ("fit", "get_params", "get_n_splits") if hasattr(made, name)}
    if {"fit", "get_params"} <= has or (part and has & {"get_params", "get_n_splits"}):
        return
    raise ParameterError(
        "estimator", f"{text!r} is no scikit-learn estimator: it needs fit and get_params"
    )


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
    return any(
        (folder / each).is_file() for each in (f"{package}.py", Path(package) / "__init__.py")
    )


@contextmanager
def _on_path(folder: Path) -> Iterator[None]:
    sys.path.insert(0, str(folder))
    importlib.invalidate_caches()
    try:
        yield
    finally:
        sys.path.remove(str(folder))


def _refuse_namesake(package: str, folder: Path) -> None:
    loaded = sys.modules.get(package)
    if loaded is not None and not _is_within(loaded, folder):
        raise ParameterError(
            "estimator",
            f"{package} lies beside the file, but a module of that name is loaded from elsewhere",
            remedy="call yours otherwise",
        )


def _is_within(module: Any, folder: Path) -> bool:
    file = getattr(module, "__file__", None)
    return isinstance(file, str) and Path(file).resolve().is_relative_to(folder)
