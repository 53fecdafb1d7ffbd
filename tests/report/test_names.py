"""Long names are replaced in typed results, whatever holds them."""

from __future__ import annotations

import numpy as np

import palio
from palio.report.names import shown_in, with_names

LONG = "a" * 30 + " of many letters " + "z" * 30
SHORT = "a" * 19 + "…" + "z" * 19


def table() -> palio.ScoreTable:
    scores = np.random.default_rng(2).uniform(0.5, 0.9, (6, 3, 5, 2))
    return palio.ScoreTable.from_arrays(
        scores,
        datasets=[f"d{i}" for i in range(6)],
        algorithms=["b", LONG, "c"],
        measure="accuracy",
        costs={"time": np.tile([1.0, 2.0, 3.0], (6, 1))},
    )


def test_no_long_name_is_left_in_a_report() -> None:
    report = palio.analyse(table(), model="sign", rope=0.1)
    shown = shown_in(report.table)
    assert shown == {LONG: SHORT}
    assert LONG in str(report.order)  # worked out before, as on the page
    assert LONG in str(report.verdict)
    renamed = with_names(report, shown)
    assert type(renamed) is palio.Report
    for found in (renamed.to_dict(), with_names(palio.analyse(table()), shown).to_dict()):
        assert LONG not in str(found)
        assert SHORT in str(found)
    assert LONG in str(report.to_dict())  # which stays as it was
    assert renamed.comparison is not None
    assert SHORT in renamed.comparison.standings
    assert renamed.comparison.default is renamed.comparison  # as it was
    assert renamed.table.algorithms == ("b", SHORT, "c")


def test_numbers_stay_and_what_is_worked_out_goes_along() -> None:
    comparison = palio.compare(table())
    effects = comparison.tested.effects.sizes
    renamed = with_names(comparison, shown_in(table()))
    assert renamed.tested.effects.sizes == effects
    assert renamed.mean_ranks[SHORT] == comparison.mean_ranks[LONG]
    assert np.array_equal(renamed.compared.values, comparison.compared.values)


def test_without_long_names_nothing_is_copied() -> None:
    comparison = palio.compare(palio.load_study("ulas2008"))
    assert with_names(comparison, {}) is comparison


def test_what_parts_share_is_renamed_once_and_stays_shared() -> None:
    """Thousands of pairs share their effects: one by one that would take minutes."""
    name = "long_name"
    shared = [name]
    found = with_names([(shared, 1), (shared, 2)], {name: "l…"})
    assert found == [(["l…"], 1), (["l…"], 2)]
    assert found[0][0] is found[1][0]
    assert found[0][0] is not shared
