"""``experiment.toml``: an experiment in a file."""

from __future__ import annotations

import importlib
import os
import tomllib
from pathlib import Path
from typing import Any

from palio.errors import MissingExtraError, ParameterError, UnreadableError
from palio.registry import nearest

__all__ = ["Experiment", "load_estimator", "load_experiment"]

try:
    from pydantic import BaseModel, ConfigDict, Field, PositiveFloat, PositiveInt, ValidationError
except ImportError as error:  # pragma: no cover - the extra is in the test environment
    raise MissingExtraError(
        "experiment: experiment files need pydantic; install it with: pip install 'palio[run]'"
    ) from error


class Algorithm(BaseModel):
    """A learner: where it is, and its parameters."""

    model_config = ConfigDict(extra="forbid")

    estimator: str
    params: dict[str, Any] = Field(default_factory=dict)


class Experiment(BaseModel):
    """The whole file; every field is also a parameter of :func:`palio.run`."""

    model_config = ConfigDict(extra="forbid")

    datasets: list[str] = Field(min_length=1)
    algorithms: dict[str, Algorithm] = Field(min_length=1)
    resampling: str = "5x2"
    scoring: str | list[str] | None = None
    store: str = "experiment.db"
    engine: str = "local"
    n_jobs: PositiveInt = 2
    time_limit: PositiveFloat | None = None
    memory_limit: PositiveInt | None = None
    seed: int = 0
    scheduler: str | None = None

    def estimators(self) -> dict[str, Any]:
        """Make the estimators."""
        return {
            name: load_estimator(name, entry.estimator, entry.params)
            for name, entry in self.algorithms.items()
        }


def load_experiment(path: str | os.PathLike[str]) -> Experiment:
    """Read and validate an experiment file; errors name the key and what is allowed."""
    place = Path(path)
    try:
        text = place.read_text(encoding="utf-8")
    except OSError as error:
        raise UnreadableError(f"experiment: '{place}' cannot be read: {error.strerror}.") from error
    try:
        content = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise UnreadableError(f"experiment: '{place}' is not TOML: {error}.") from error
    try:
        found = Experiment.model_validate(content)
    except ValidationError as error:
        raise ParameterError(f"experiment: {place}: {_complaint(error, text)}") from None
    # Paths in the file are seen from the file.
    if not found.store.startswith("postgresql"):
        found = found.model_copy(update={"store": str(place.parent / found.store)})
    return found


def _complaint(error: ValidationError, text: str) -> str:
    first = error.errors()[0]
    key = ".".join(str(part) for part in first["loc"])
    more = f" (and {error.error_count() - 1} more)" if error.error_count() > 1 else ""
    line = _line_of(str(first["loc"][-1]) if first["loc"] else "", text)
    where = f"line {line}, " if line else ""
    if first["type"] == "extra_forbidden":
        close = nearest(key, Experiment.model_fields)
        hint = f" Did you mean {close[0]!r}?" if close else ""
        known = ", ".join(Experiment.model_fields)
        return f"{where}{key!r} is not a key.{hint} There are: {known}.{more}"
    received = "" if first["type"] == "missing" else f", and {first['input']!r} was given"
    return f"{where}{key}: {first['msg'][0].lower()}{first['msg'][1:]}{received}.{more}"


def _line_of(key: str, text: str) -> int | None:
    """Find the line that begins with a key, for the error message."""
    for number, line in enumerate(text.splitlines(), start=1):
        begun = line.strip().lstrip("[")
        if key and (begun.startswith((key, f"algorithms.{key}"))):
            return number
    return None


def load_estimator(name: str, path: str, params: dict[str, Any]) -> Any:
    """Make an estimator from ``package.module:Class`` and its parameters.

    >>> load_estimator("knn", "sklearn.neighbors:KNeighborsClassifier", {"n_neighbors": 3})
    KNeighborsClassifier(n_neighbors=3)
    """
    module, colon, attribute = path.partition(":")
    if not (module and colon and attribute):
        raise ParameterError(
            f"algorithms.{name}: an estimator is written package.module:Class, and {path!r} "
            "was given."
        )
    try:
        made = getattr(importlib.import_module(module), attribute)
    except (ImportError, AttributeError) as error:
        raise ParameterError(f"algorithms.{name}: {path!r} cannot be found: {error}.") from error
    try:
        return made(**params)
    except TypeError as error:
        raise ParameterError(f"algorithms.{name}: {error}.") from error
