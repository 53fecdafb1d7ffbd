"""The k-th smallest of many, which random k-nn asks for once for every vote."""

import numpy as np
import pytest

from palio.algorithms._rknn_loops import _compiled_kth_by_samples, _kth_by_samples

# Every 31st of 2000 is looked at first: here these are all that is small.
MISLEADING = np.where(np.arange(2000) % 31 == 0, 1.0, 1000.0 + np.arange(2000))

VALUES = {
    "few": np.arange(7.0)[::-1].copy(),
    "many": np.random.default_rng(0).exponential(size=2000),
    "with ties": np.random.default_rng(1).integers(0, 5, 1999).astype(float),
    "all the same": np.ones(1000),
    "in order": np.arange(3000.0),
    "infinite ones": np.where(np.arange(800) % 2 == 0, np.inf, np.arange(800.0)),
    "a sample that misleads": MISLEADING,
}


@pytest.mark.parametrize("which", VALUES)
@pytest.mark.parametrize("share", [0.0, 0.03, 0.25, 0.5, 0.97, 1.0])
def test_it_is_what_sorting_gives(which: str, share: float) -> None:
    values = VALUES[which]
    before = values.copy()
    k = round(share * (values.size - 1))
    for found in (_compiled_kth_by_samples, _kth_by_samples):
        assert found(values, k, np.empty(values.size)) == np.sort(values)[k]
    assert np.array_equal(values, before)
