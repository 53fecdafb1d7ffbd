"""Small data sets for tests: a file, a frame, and how one is read."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pandas as pd

from palio.experiment.data.datasets import Dataset, from_table, load_datasets
from palio.experiment.data.origins import Table

__all__ = ["TOY", "load", "make_dataset", "table_of", "write"]

TOY = "size,hue,label\n1,red,a\n2.5,?,b\n,blue,a\nNA,red,b\n"


def write(folder: Path, name: str, text: str) -> str:
    """Write a file, and return where."""
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return str(path)


def load(spec: str, **options: Any) -> Dataset:
    """Read the one data set that a text names."""
    (data,) = load_datasets(spec, **options)
    return data


def table_of(**columns: Any) -> pd.DataFrame:
    """Make a frame of columns."""
    return pd.DataFrame(columns)


def make_dataset(
    name: str,
    frame: pd.DataFrame,
    *,
    target: str | None = None,
    task: str | None = None,
    categorical: Iterable[str] = (),
    source: str = "a frame",
) -> Dataset:
    """Make a data set of a frame, by the rules that hold for files."""
    return from_table(Table(name, frame, source, target, tuple(categorical)), task)
