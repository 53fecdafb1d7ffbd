"""What ArviZ itself makes of a posterior's draws."""

import numpy as np
import pytest

from palio.bayes.models.bradley_terry import bradley_terry
from tests.oracle.engine import MARKS
from tests.oracle.tables import table_of

pytestmark = MARKS


def test_arviz_reads_all_draws() -> None:
    pytest.importorskip("arviz", reason="ArviZ is not installed; make test-slow brings it")
    posterior = bradley_terry(table_of("ordinary"), draws=500)
    read = posterior.to_arviz().posterior
    for name, values in posterior.draws.values.items():
        np.testing.assert_array_equal(read[name].values, values)
