"""What a table holds, in short, for whoever looks at it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from palio.words import count

if TYPE_CHECKING:
    from palio.scores.table import ScoreTable
    from palio.types import FloatArray

__all__ = ["table_summary"]


def table_summary(table: ScoreTable) -> dict[str, Any]:
    """Return the size, the design and the mean of each algorithm as plain data."""
    scores, costs = table.means(), _costs(table)
    sets = count(table.n_datasets, "data set")
    return {
        "kind": "score-table",
        "size": f"{sets} × {count(table.n_algorithms, 'algorithm')}",
        "design": str(table.design()),
        "measure": table.measure.to_dict(),
        "costs": list(costs),
        "datasets": list(table.datasets),
        "algorithms": [
            {
                "algorithm": name,
                "mean_score": _mean(scores[:, j]),
                "costs": {cost: _mean(matrix[:, j]) for cost, matrix in costs.items()},
                "missing": int(np.isnan(scores[:, j]).sum()),
            }
            for j, name in enumerate(table.algorithms)
        ],
        "notes": list(table.notes),
    }


def _costs(table: ScoreTable) -> dict[str, FloatArray]:
    """Return the costs by data set and algorithm, also those that some algorithms lack."""
    rows = table.rows
    means = {name: rows.cell_means(values) for name, values in rows.costs.items()}
    return {**means, **rows.pair_costs}


def _mean(values: FloatArray) -> float | None:
    present = values[~np.isnan(values)]
    return float(present.mean()) if present.size else None
