"""TabArena: a row per method, data set and fold, whose error is of each data set's own metric."""

from __future__ import annotations

from pathlib import Path

from palio.scores.columns import Columns, Known, Texts
from palio.scores.formats import read_file
from palio.scores.importers.several import stacked
from palio.words import count

_COSTS = ("time_train_s", "time_infer_s")


def read(files: list[Path], place: Path) -> Columns:
    """Read results; those that were imputed, because the method failed, are missing."""
    tables = [read_file(path, "source") for path in files]
    table = stacked(tables, place.name)
    values = {("algorithm" if name == "method" else name): v for name, v in table.values.items()}
    notes = list(table.notes)
    imputed = values.pop("imputed", None)
    if isinstance(imputed, Texts) and "status" not in values:
        failed = [cell.strip().lower() in ("true", "1", "1.0") for cell in imputed.cells]
        values["status"] = Texts(["failed" if each else "ok" for each in failed])
        if any(failed):
            how_many = count(sum(failed), "result was", "results were")
            are = "is" if sum(failed) == 1 else "are"
            notes.append(f"{how_many} imputed by TabArena and {are} missing here.")
    known = Known(
        source="tabarena",
        score="metric_error",
        directions={"metric_error": False},
        costs=tuple(name for name in _COSTS if name in values),
    )
    return Columns(values, table.origin, tuple(notes), known)
