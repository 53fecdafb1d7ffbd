"""The Bayesian ANOVA on tables of wainer2016's size, whose truth is known."""

import numpy as np
import pytest

from tests.calibration import wainer2016_simulation
from tests.calibration.wainer2016_simulation import (
    Seen,
    check_calibration,
    check_coverage,
    check_threshold,
)


def test_simulated_tables_have_the_size_and_the_spreads_of_the_study() -> None:
    rng = np.random.default_rng(0)
    gaps, residuals = [], []
    for _ in range(20):
        table, effects = wainer2016_simulation.simulate(rng)
        assert (table.n_datasets, table.n_algorithms) == (115, 14)
        assert (table.design().repeats, table.design().folds) == (1, 2)
        means = table.means()
        rest = means - means.mean(axis=0) - means.mean(axis=1, keepdims=True) + means.mean()
        residuals.append(np.sum(rest**2) / (114 * 13))
        halves = np.concatenate([table.fold_scores(name)[:, 0] for name in table.datasets])
        gaps.append(np.median(np.abs(halves[:, 0] - halves[:, 1])))
        # The columns differ as the true effects do, up to errors of 0.06/√115.
        noise = (means.mean(axis=0) - effects) * np.sqrt(115) / 0.06
        assert np.abs(noise - noise.mean()).max() < 4.5
    assert np.sqrt(np.mean(residuals)) == pytest.approx(0.06, rel=0.02)
    assert np.mean(gaps) == pytest.approx(0.0112, rel=0.02)


def test_shares_are_judged_by_three_binomial_errors() -> None:
    """Of 100 pairs 95 ± 3·2.18 may be inside: 89 agree, 88 do not."""
    for count, agree in ((89, 1), (88, 0), (100, 1)):
        inside = np.arange(100) < count
        seen = Seen(inside, np.full(100, 0.5), inside, np.array([0.01]))
        check = check_coverage({"normal": seen})
        assert check.agree == agree
        assert check.recomputed[("normal",)] == count / 100
    assert check.words == ("expected", "observed")


def test_stated_probabilities_are_judged_bin_by_bin() -> None:
    """Overconfident in the upper bin: said 0.9, true for half of 60; the lower is right."""
    stated = np.repeat([0.1, 0.9], [60, 60])
    equal = np.concatenate([np.arange(60) < 6, np.arange(60) < 30])
    check = check_calibration({"normal": Seen(equal, stated, equal, np.array([0.01]))})
    assert check.published == {
        ("normal, said 0 to 0.2",): 0.1,
        ("normal, said 0.8 to 1",): 0.9,
    }
    assert [d.key for d in check.differences] == [("normal, said 0.8 to 1",)]
    assert check.differences[0].reason == "60 pairs; more than 3 binomial standard errors away"


@pytest.mark.slow
def test_coverage_and_calibration() -> None:
    seen = {
        "normal": wainer2016_simulation.watch(400, robust=False, draws=10_000, seed=1),
        "robust": wainer2016_simulation.watch(12, robust=True, draws=4_000, seed=1),
    }
    for check in (
        check_coverage(seen),
        check_calibration(seen),
        check_threshold(list(seen.values())),
    ):
        assert not check.differences, check.differences
