"""Parquet of more rows than are held at once: streamed to means, by pyarrow, batch by batch.

How the table is read is found out from rows of all its parts. Then the rows of each data set,
algorithm, repeat and fold become one, the mean of its scores: those of seeds and items among them.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from palio.scores import limits
from palio.scores.documents import tidied
from palio.scores.frames import from_pandas
from palio.scores.inference import infer
from palio.scores.layout import arrange
from palio.words import count

if TYPE_CHECKING:
    from palio.scores.columns import Columns
    from palio.scores.spec import ReadSpec

_GROUPED = ("dataset", "algorithm", "repeat", "fold")
_N_SLICES, _SLICE = 20, 10_000  # parts of the files that are looked at, and rows of each
_LITTLE = {"batch_size": 1_000_000, "batch_readahead": 1, "fragment_readahead": 1}  # rows at once


def _sample(dataset: Any) -> Any:
    """Return rows of all parts, as a frame."""
    import pyarrow as pa  # type: ignore[import-untyped]

    groups = [group for file in dataset.get_fragments() for group in file.split_by_row_group()]
    some = groups[:: max(1, len(groups) // _N_SLICES)]
    return pa.concat_tables([each.head(_SLICE) for each in some]).to_pandas()


def _means(dataset: Any, keys: Sequence[str], score: str) -> tuple[Any, int]:
    """Return the mean score of the rows with the same keys, as a frame; and the most rows."""
    import pyarrow as pa
    import pyarrow.compute as pc  # type: ignore[import-untyped]
    from pyarrow import acero

    names = [*keys, score]
    kinds = [dataset.schema.field(name).type for name in names]
    # Dictionaries differ from part to part; texts do not.
    cells = [
        pc.field(name).cast(kind.value_type) if pa.types.is_dictionary(kind) else pc.field(name)
        for name, kind in zip(names, kinds, strict=True)
    ]
    each = [(score, "hash_mean", None, score), (score, "hash_count", None, "n rows")]
    steps = {
        "scan": acero.ScanNodeOptions(dataset, columns=names, **_LITTLE),
        "project": acero.ProjectNodeOptions(cells, names),
        "aggregate": acero.AggregateNodeOptions(each, list(keys)),
    }
    plan = acero.Declaration.from_sequence([acero.Declaration(*step) for step in steps.items()])
    found = plan.to_table(use_threads=False)
    return found.select(names).to_pandas(), int(pc.max(found.column("n rows")).as_py() or 0)


def streamed(source: object, spec: ReadSpec) -> Columns | None:
    """Return the means of a table that is too large to be held; nothing of any other.

    Choices of rows are for tables that are held.
    """
    paths = _parquet_files(source)
    if not paths or spec.where or spec.format not in (None, "parquet"):
        return None
    size = sum(path.stat().st_size for path in paths)
    if size < _MIN_SIZE or find_spec("pyarrow") is None:
        return None
    import pyarrow.dataset as ds  # type: ignore[import-untyped]

    dataset = ds.dataset([str(path) for path in paths], format="parquet")
    n_rows = int(dataset.count_rows())
    if n_rows <= limits.now().rows and size <= limits.now().size:
        return None
    name = Path(str(source)).name
    columns = tidied(replace(from_pandas(_sample(dataset), name), decimal=spec.decimal))
    found = infer(columns, spec)
    if found.spec.layout != "long":
        return None
    roles = dict(arrange(found.columns, found.spec).how.roles)
    keys = [roles[role] for role in _GROUPED if role in roles]
    frame, most = _means(dataset, keys, roles["score"])
    over = [roles[role] for role in ("seed", "item") if role in roles]
    by = f" ({', '.join(over)})" if over else ""
    means = f"each score is the mean over up to {count(most, 'row')}{by}"
    return from_pandas(frame, name).noted(f"{count(n_rows, 'row')}, read as a stream: {means}.")


_MIN_SIZE = 1_000_000  # bytes, below which no file is asked how many rows it has


def _parquet_files(source: object) -> list[Path]:
    """Return the files of a path, if they are all Parquet and that can be read."""
    if not isinstance(source, str | os.PathLike):
        return []
    path = Path(source).expanduser()
    paths = [path]
    if os.path.isdir(path):  # noqa: PTH112  # which never raises, whatever the name is
        paths = sorted(each for each in path.iterdir() if not each.name.startswith((".", "_")))
    is_parquet = all(each.suffix == ".parquet" and each.is_file() for each in paths)
    return paths if paths and is_parquet else []
