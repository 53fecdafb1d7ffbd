"""What the figures of variance and of aggregates say of what they are drawn from."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.text import Text

import palio
from palio.report.figures import draw


def caption(figure: Figure) -> str:
    return " ".join(t.get_text() for t in figure.findobj(Text) if t.get_gid() == "caption")


def with_seeds(algorithms: str) -> palio.ScoreTable:
    rng = np.random.default_rng(0)
    rows = [*product([f"d{i}" for i in range(6)], algorithms, range(5))]
    return palio.read_scores(
        {
            "dataset": [row[0] for row in rows],
            "algorithm": [row[1] for row in rows],
            "seed": [row[2] for row in rows],
            "accuracy": rng.uniform(0.5, 0.9, len(rows)).tolist(),
        }
    )


def test_a_standard_error_is_of_so_many_seeds_as_there_are() -> None:
    found = draw(palio.variance(with_seeds("ab")), "standard-errors")
    assert "now 6 data sets, 5 seeds each." in caption(found)


@pytest.mark.parametrize(("algorithms", "bands"), [("abc", 3), ("abcd", 1)])
def test_among_many_profiles_the_first_alone_has_a_band(algorithms: str, bands: int) -> None:
    found = palio.aggregate(with_seeds(algorithms), n_resamples=50)
    figure = draw(found, "performance-profile")
    drawn = [c for c in figure.axes[0].collections if str(c.get_gid()).startswith("band:")]
    assert len(drawn) == bands
    assert ("Band of the first:" in caption(figure)) == (bands == 1)
    assert bands > 1 or drawn[0].get_gid() == f"band:{found.order[0]}"
