"""Small data sets for tests: a file, a frame, and how one is read."""

from pathlib import Path
from typing import Any

import pandas as pd

from palio.experiment.data.datasets import Dataset, load_datasets

__all__ = ["TOY", "load", "table_of", "write"]

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
