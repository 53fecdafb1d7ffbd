"""What ``palio compare`` can stand on: pairs of scores, all on some folds at once, predictions.

A test belongs to the ground whose registry has it. A new ground is an entry in `GROUNDS`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any

from palio.app.options import Place, Reading
from palio.errors import InputError, ParameterError, UnreadableError
from palio.registry import Later, Registry, load, unknown_method

if TYPE_CHECKING:
    from palio.predictions import Predictions
    from palio.results import Result

Given = Mapping[str, Any]


@dataclass(frozen=True)
class Ground:
    """An entry of the registry.

    ``tests`` are the registries whose tests it has, ``takes`` the options that these have beside
    the level. ``read`` makes of a place, how to read it and a data set what ``run`` takes,
    ``holds`` says whether a file that is no table of scores is for it. ``figure`` is what is drawn
    unless another is named; ``ordered`` says whether what is read can be put in order.
    """

    name: str
    tests: tuple[str, ...]
    takes: frozenset[str]
    read: Callable[[Place, Reading, Given], Any]
    run: Callable[..., Result]
    holds: Callable[[Place, Reading], bool]
    figure: str
    ordered: bool = False

    def registries(self) -> list[Registry[Any]]:
        """Return the registries of its tests."""
        return [load(home) for home in self.tests]

    def check(self, given: Given) -> None:
        """Refuse what only another ground takes."""
        for name in given:
            if name not in self.takes:
                others = [other.name for other in GROUNDS.values() if name in other.takes]
                raise ParameterError(
                    name,
                    f"it is for comparing {' or '.join(others)}",
                    f"this is {self.name}",
                    "leave it out",
                )


def grounds_of(test: str) -> list[Ground]:
    """Return the grounds that a test belongs to, the one that asks for more of a file first.

    >>> [ground.name for ground in grounds_of("tukey")]
    ['all at once on folds']
    >>> [ground.name for ground in grounds_of("mcnemar")]
    ['predictions', 'pairs of scores']
    """
    known = {ground.name: ground.registries() for ground in GROUNDS.values()}
    found = [
        GROUNDS[name]
        for name, registries in known.items()
        if any(test in registry for registry in registries)
    ]
    if not found:
        raise unknown_method("test", test, *chain.from_iterable(known.values()))
    return found[::-1]


def read_ground(
    results: Place, test: str | None, reading: Reading, given: Given
) -> tuple[Ground, Any]:
    """Read a place for the test that is asked for; without one, as what it turns out to hold."""
    usual, *others = GROUNDS.values() if test is None else grounds_of(test)
    if "over" in given:
        usual, others = next((g for g in (usual, *others) if "over" in g.takes), usual), []
    try:
        return usual, usual.read(results, reading, given)
    except UnreadableError:  # nor can any other ground read it
        raise
    except InputError:
        held = next((ground for ground in others if ground.holds(results, reading)), None)
        if held is None:
            raise
        return held, held.read(results, reading, given)


def _table(results: Place, reading: Reading, given: Given) -> Any:
    over = given.get("over")
    # Predictions have tests of their own, which are for them unless another reading is asked for.
    return reading.read(results, costs=given.get("cost", ()), over=over, predicted=over is not None)


def _holds_items(results: Place, reading: Reading) -> bool:
    """Say whether there are scores on items."""
    try:
        return reading.read(results, predicted=False).items is not None
    except InputError:
        return False


def _never(_results: Place, _reading: Reading) -> bool:
    return False


# --- predictions ----------------------------------------------------------------------------------


def _predictions(results: Place, reading: Reading, given: Given) -> Predictions:
    return reading.predictions(results, dataset=given.get("dataset"))


def _compare_predictions(found: Predictions, **given: Any) -> Result:
    """Compare predictions; those of other data sets were left out when they were read."""
    from palio.comparison import compare_predictions

    return compare_predictions(found, **{k: v for k, v in given.items() if k != "dataset"})


_TEST_OPTIONS: Iterable[str] = (
    "test_fraction", "test_df", "rope", "zero_method", "ties", "n_resamples", "seed", "average",
    "unpaired",
)  # fmt: skip

GROUNDS: Registry[Ground] = Registry.of(
    "ground",
    Ground(
        "pairs of scores",
        (
            "palio.comparison.pair_tests:PAIR_TESTS",
            "palio.comparison.fold_tests:FOLD_TESTS",
            "palio.comparison.item_tests:ITEM_TESTS",
        ),
        frozenset({"dataset", "over", "correction", "control", "omnibus", "cost", *_TEST_OPTIONS}),
        _table,
        Later("palio.comparison:compare"),
        _holds_items,
        figure="critical-difference",
        ordered=True,
    ),
    Ground(
        "all at once on folds",
        ("palio.comparison.on_folds:GROUP_TESTS",),
        frozenset({"dataset"}),
        _table,
        Later("palio.comparison:compare_folds"),
        _never,
        figure="critical-difference",
        ordered=True,
    ),
    Ground(
        "predictions",
        ("palio.comparison.prediction_tests:PREDICTION_TESTS",),
        frozenset({"dataset", "correction", "positive"}),
        _predictions,
        _compare_predictions,
        lambda results, reading: reading.holds_predictions(results),
        figure="roc-hull",
    ),
)
