"""Predictions: truth, predicted classes and class probabilities on the same test instances."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from palio.errors import ParameterError
from palio.measures import measure_named
from palio.registry import unknown_name
from palio.scores.items import MODELS_STAY, ONE_DATASET
from palio.scores.rows import codes_of
from palio.words import count, listed, quoted

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import ArrayLike

    from palio.scores.items import ItemScores
    from palio.types import BoolArray, FloatArray, IntArray


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Predictions:
    """Predictions of several algorithms for the same test instances.

    Make one with `read_predictions` or `Predictions.from_arrays`; both validate. The arrays cannot
    be written to.

    Parameters
    ----------
    algorithms, classes : tuple of str
        The names of the K algorithms and C classes; classes sorted, as numbers where they are.
    truth : array (n,)
        The true class of each instance, as its place in ``classes``.
    predicted : array (n, K)
        The class that each algorithm predicts.
    probabilities : array (n, K, C), optional
        The probability that each algorithm gives each class; NaN for those that give none.
    keys : mapping of str to tuple of str
        What identifies the instances: ``instance`` and, where given, data set, repeat and fold.
    notes : tuple of str
        What was recognised on the way.

    Examples
    --------
    >>> predictions = Predictions.from_arrays(
    ...     ["no", "yes", "yes"], {"tree": ["no", "yes", "no"], "knn": ["no", "yes", "yes"]}
    ... )
    >>> predictions
    <Predictions: 2 algorithms on 3 instances, 2 classes, no probabilities>
    >>> predictions.correct.tolist()
    [[True, True], [True, True], [False, True]]
    """

    algorithms: tuple[str, ...]
    classes: tuple[str, ...]
    truth: IntArray
    predicted: IntArray
    probabilities: FloatArray | None = None
    keys: Mapping[str, tuple[str, ...]] | None = None
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for array in (self.truth, self.predicted, self.probabilities):
            if array is not None:
                array.flags.writeable = False

    @classmethod
    def from_arrays(
        cls,
        truth: ArrayLike,
        predictions: Mapping[str, ArrayLike],
        *,
        probabilities: Mapping[str, ArrayLike] | None = None,
        classes: Sequence[object] | None = None,
        notes: Sequence[str] = (),
    ) -> Predictions:
        """Make predictions of arrays.

        Parameters
        ----------
        truth : array-like (n,)
            The true class of each instance, as numbers or names.
        predictions : mapping of str to array-like (n,)
            What each algorithm predicts.
        probabilities : mapping of str to array-like (n, C), optional
            The class probabilities of some or all algorithms.
        classes : sequence, optional
            The classes that the columns of the probabilities are about; needed with these.
        notes : sequence of str, optional
            Notes to carry along.

        Examples
        --------
        >>> Predictions.from_arrays(
        ...     [0, 1], {"tree": [0, 1], "knn": [1, 1]}, classes=[0, 1],
        ...     probabilities={"tree": [[0.8, 0.2], [0.1, 0.9]], "knn": [[0.4, 0.6], [0.2, 0.8]]},
        ... ).probability_of_truth().tolist()
        [[0.8, 0.4], [0.9, 0.8]]
        """
        from palio.predictions.reading import predictions_from_arrays

        given = probabilities or {}
        return predictions_from_arrays(truth, predictions, given, list(classes or ()), notes)

    # --- what there is ---------------------------------------------------------------------

    @property
    def n(self) -> int:
        """The number of instances."""
        return len(self.truth)

    @property
    def correct(self) -> BoolArray:
        """Which instances each algorithm classifies correctly: (n, K)."""
        return np.asarray(self.predicted == self.truth[:, np.newaxis])

    @property
    def accuracies(self) -> dict[str, float]:
        """The share of the instances that each algorithm classifies correctly."""
        return dict(zip(self.algorithms, self.correct.mean(axis=0).tolist(), strict=True))

    @property
    def without_probabilities(self) -> tuple[str, ...]:
        """The algorithms that give no class probabilities."""
        if self.probabilities is None:
            return self.algorithms
        absent = np.flatnonzero(np.isnan(self.probabilities).all(axis=(0, 2)))
        return tuple(self.algorithms[j] for j in absent.tolist())

    def probability_of_truth(self) -> FloatArray:
        """Return the probability that each algorithm gives each instance's true class: (n, K).

        NaN for algorithms that give none.
        """
        if self.probabilities is None:
            return np.full(self.predicted.shape, np.nan)
        return np.asarray(self.probabilities[np.arange(self.n), :, self.truth])

    def scores_of(self, positive: str) -> FloatArray:
        """Return how much each algorithm takes each instance for this class: (n, K).

        The probability of the class; for algorithms that give none, 1 where they predict it.
        """
        if positive not in self.classes:
            raise unknown_name("positive", positive, self.classes)
        place = self.classes.index(positive)
        hard: FloatArray = (self.predicted == place).astype(np.float64)
        if self.probabilities is None:
            return hard
        soft = self.probabilities[:, :, place]
        return np.where(np.isnan(soft), hard, soft)

    def select(self, algorithms: Sequence[str]) -> Predictions:
        """Return the predictions of some of the algorithms, in the order given.

        Examples
        --------
        >>> table = Predictions.from_arrays([0, 1], {"a": [0, 1], "b": [1, 1], "c": [0, 0]})
        >>> table.select(["c", "a"]).accuracies
        {'c': 0.5, 'a': 1.0}
        """
        names = [algorithms] if isinstance(algorithms, str) else list(algorithms)
        if len(set(names)) < max(2, len(names)):
            raise ParameterError(
                "algorithms",
                "two or more different names are needed",
                remedy=f"got {quoted(names)}",
            )
        places = codes_of("algorithms", "algorithm", names, self.algorithms)
        return replace(
            self,
            algorithms=tuple(names),
            predicted=self.predicted[:, places],
            probabilities=None if self.probabilities is None else self.probabilities[:, places],
        )

    def on(self, dataset: str) -> Predictions:
        """Return the predictions on one of several data sets, with the classes it has.

        Examples
        --------
        >>> from palio import read_predictions
        >>> table = read_predictions({
        ...     "dataset": ["u", "u", "v"], "truth": ["a", "b", "c"], "tree": ["a", "a", "c"],
        ...     "knn": ["a", "b", "c"],
        ... })
        >>> table.on("u")
        <Predictions: 2 algorithms on 2 instances, 2 classes, no probabilities>
        """
        from palio.predictions.reading import pooled, read_predictions

        keys = self.keys or {}
        if "dataset" not in keys:
            raise ParameterError(
                "dataset",
                "the table has no data set column",
                f"{dataset!r} was asked for",
                "leave it out",
            )
        if dataset not in keys["dataset"]:
            raise unknown_name("dataset", dataset, dict.fromkeys(keys["dataset"]))
        frame = self.to_frame()
        frame = frame[frame["dataset"] == dataset]
        there = {*frame["truth"], *frame["prediction"]}
        chances = {f"p_{name}": name for name in self.classes if f"p_{name}" in frame}
        unused = [p for p, name in chances.items() if name not in there and not frame[p].any()]
        found = read_predictions(frame.drop(columns=unused))
        return replace(found, notes=tuple(note for note in self.notes if note not in pooled(keys)))

    def to_items(self) -> ItemScores:
        """Return the accuracy on each instance: 1 where an algorithm is right, else 0.

        An instance that comes again in other repeats is one item, and the repeats are its own.

        Examples
        --------
        >>> table = Predictions.from_arrays([0, 1], {"a": [0, 1], "b": [1, 1]})
        >>> table.to_items().values
        array([[1, 0],
               [1, 1]], dtype=uint8)
        """
        from palio.predictions.reading import pooled
        from palio.scores.item_cells import coded_names, from_rows_of_items

        keys = self.keys or {}
        apart = pooled(keys)  # items know their data sets and repeats
        datasets = keys.get("dataset", (ONE_DATASET,) * self.n)
        names = keys.get("instance", tuple(map(str, range(1, self.n + 1))))
        if "fold" in keys:
            runs = keys.get("repeat", ("",) * self.n)
            # Where each fold numbers its instances anew, the number alone names none.
            if len(set(zip(datasets, runs, names, strict=True))) < self.n:
                names = tuple(f"{a}/{b}" for a, b in zip(keys["fold"], names, strict=True))
        return from_rows_of_items(
            self.algorithms,
            measure_named("accuracy"),
            coded_names(datasets),
            coded_names(names),
            self.correct.astype(np.uint8),
            notes=(*(note for note in self.notes if note not in apart), MODELS_STAY),
        )

    # --- faces -----------------------------------------------------------------------------

    def to_frame(self) -> pd.DataFrame:
        """Return one row per instance and algorithm, as `read_predictions` reads them."""
        import pandas as pd

        k = len(self.algorithms)
        names = np.array(self.classes, dtype=object)
        columns: dict[str, Any] = {
            key: np.repeat(np.array(labels, dtype=object), k)
            for key, labels in (self.keys or {}).items()
        }
        columns["algorithm"] = np.tile(np.array(self.algorithms, dtype=object), self.n)
        columns["truth"] = np.repeat(names[self.truth], k)
        columns["prediction"] = names[self.predicted].reshape(-1)
        if self.probabilities is not None:
            for c, name in enumerate(self.classes):
                columns[f"p_{name}"] = self.probabilities[:, :, c].reshape(-1)
        return pd.DataFrame(columns)

    def __repr__(self) -> str:
        return f"<Predictions: {self._size}>"

    def __str__(self) -> str:
        lines = [
            self._size,
            f"classes: {listed(self.classes, limit=10)}",
            f"algorithms: {listed(self.algorithms, limit=10)}",
        ]
        return "\n".join([*lines, *(f"note: {note}" for note in self.notes)])

    @property
    def _size(self) -> str:
        without = len(self.without_probabilities)
        told = "class probabilities"
        if without:
            some = without < len(self.algorithms)
            told = f"{without} without probabilities" if some else "no probabilities"
        return (
            f"{count(len(self.algorithms), 'algorithm')} on {count(self.n, 'instance')}, "
            f"{count(len(self.classes), 'class', 'classes')}, {told}"
        )
