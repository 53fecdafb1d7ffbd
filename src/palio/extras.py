"""What the extras bring, and what is said where one of them is not installed.

``pip install palio`` brings what reads, compares, orders and draws. What else is asked for needs
an extra, and an error names the one command that gets it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec

from palio.errors import MissingExtraError
from palio.words import joined, one_line

CORE = ("numpy", "scipy", "pandas", "narwhals", "matplotlib", "rich", "cyclopts")
"""The modules that are always there."""

EXTRAS: dict[str, tuple[str, ...]] = {
    "bayes": ("arviz_stats",),
    "boosting": ("catboost", "lightgbm", "xgboost"),
    "dask": ("distributed",),
    "excel": ("openpyxl",),
    "yaml": ("yaml",),
    "learners": ("numba",),
    "parquet": ("pyarrow",),
    "big": ("pyarrow",),
    "postgres": ("psycopg",),
    "remote": ("fsspec", "aiohttp"),
    "run": (
        *("sklearn", "sqlalchemy", "pydantic", "cloudpickle", "threadpoolctl"),
        *("filelock", "psutil"),
    ),
    "web": ("fastapi", "uvicorn", "pydantic", "filelock", "psutil"),
}
"""The modules that each extra is there for; what several bring is told by the first, `run`."""

# What people call a module, where it is not its name.
_CALLED = {
    "arviz_stats": "arviz-stats",
    "fastapi": "FastAPI",
    "sklearn": "scikit-learn",
    "sqlalchemy": "SQLAlchemy",
    "yaml": "PyYAML",
}


def distribution(module: str) -> str:
    """Return what a module is installed as.

    >>> distribution("sklearn"), distribution("arviz_stats")
    ('scikit-learn', 'arviz-stats')
    """
    return _CALLED.get(module, module).lower()


def absent(extra: str) -> list[str]:
    """Return which modules of an extra are not installed; none is loaded.

    >>> absent("run")
    []
    """
    return [module for module in EXTRAS[extra] if not _is_there(module)]


def need(extra: str, parameter: str, rule: str = "") -> None:
    """Refuse to begin unless an extra is installed.

    Parameters
    ----------
    extra : str
        Its name, as in ``pip install 'palio[run]'``.
    parameter, rule : str
        What asks for it, and what that needs; unless it is said, the modules that are absent.
    """
    if modules := absent(extra):
        raise _refusal(extra, parameter, rule, modules)


@contextmanager
def needing(extra: str, parameter: str, rule: str) -> Iterator[None]:
    """Have what cannot be imported told as the extra that brings it.

    A module that is there and does not load is an error of another kind, and told with its words.
    """
    try:
        yield
    except MissingExtraError:
        raise
    except ImportError as error:
        raise _refusal(extra, parameter, rule, absent(extra), error) from error


def missing_extra(error: BaseException, parameter: str) -> MissingExtraError | None:
    """Return what is said of an import that failed where nothing was asked for beforehand.

    >>> missing_extra(ModuleNotFoundError(name="mylib"), "run") is None  # nothing of ours
    True
    """
    if not isinstance(error, ModuleNotFoundError) or isinstance(error, MissingExtraError):
        return None
    for extra, modules in EXTRAS.items():
        if error.name in modules and not _is_there(error.name):
            return _refusal(extra, parameter, "", [error.name])
    return None


def _is_there(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ValueError:  # a module of a person's own in its place
        return True


def _refusal(
    extra: str,
    parameter: str,
    rule: str,
    modules: list[str],
    error: ImportError | None = None,
) -> MissingExtraError:
    rule = rule or f"it needs {joined([_CALLED.get(module, module) for module in modules])}"
    received = "" if modules or error is None else f"it cannot be loaded: {one_line(error)}"
    return MissingExtraError(parameter, rule, received, extra=extra)
