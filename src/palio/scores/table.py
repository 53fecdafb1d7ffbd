"""ScoreTable: the data that every test, ordering and report starts from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from palio.errors import MissingCellsError, Option, UnknownNameError, require
from palio.measures import Measure, measure_named
from palio.registry import unknown_name
from palio.results import Shown
from palio.scores.design import Design, DesignGroup, recognise, unpaired, unpaired_datasets
from palio.scores.doubts import check_costs, check_rows
from palio.scores.items import items_left
from palio.scores.metrics import alike, note_on, renamed
from palio.scores.missing import USUAL, LeftOut, censor, failed_cells, reasons, settle_missing
from palio.scores.rows import Rows, codes_of, known_measure, rows_from_arrays
from palio.scores.scale import Goodness, goodness_of, mean_scores_of, settle_scale, units_of
from palio.scores.summary import UNREAD, Gaps, HowRead, Understood, size_of
from palio.stats.additive import adjusted_mean_ranks, adjusted_means, typical_costs
from palio.stats.ranks import ranks_of_present
from palio.words import count, listed, quoted

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import ArrayLike

    from palio.measures import MeasureScale
    from palio.scores.columns import Origin
    from palio.scores.items import ItemScores
    from palio.scores.spec import Names
    from palio.types import BoolArray, FloatArray, IntArray


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ScoreTable(Shown):
    """Scores of algorithms on data sets, with their folds and costs.

    One row per (data set, algorithm, repeat, fold). Make one with `read_scores` or
    `ScoreTable.from_arrays`; both validate. The arrays cannot be written to, and every method
    that changes something returns a new table.

    Parameters
    ----------
    rows : Rows
        The validated rows, sorted.
    measure : Measure
        The score asked about.
    notes : tuple of str
        What was recognised, left out or filled in on the way.
    missing : str
        What was done about missing scores, by a rule of `MISSING`.
    left_out : tuple of LeftOut
        Algorithms that were left out because they failed on most data sets, and why.
    how_read : HowRead
        By which importer or layout it was read, and which column was what.
    measures : mapping of str to Measure
        What was measured on each data set, where that differs; where the directions do, the
        scores are turned so that higher is better.
    items : ItemScores, optional
        The scores of the items that the means are over, where there are such.
    units : mapping of str to float
        On a ratio scale the unit of each data set, fixed when the table was read.
    intervals : mapping of str to (float, float)
        Of a leaderboard with one value per algorithm, the intervals that it publishes.

    Examples
    --------
    >>> table = ScoreTable.from_arrays(
    ...     [[0.9, 0.8], [0.7, 0.6]],
    ...     datasets=["iris", "wine"], algorithms=["tree", "knn"], measure="accuracy",
    ... )
    >>> table
    <ScoreTable: 2 data sets × 2 algorithms, one value per data set, accuracy (higher is better)>
    >>> table.means()
    array([[0.9, 0.8],
           [0.7, 0.6]])
    """

    rows: Rows
    measure: Measure
    notes: tuple[str, ...] = ()
    missing: str = USUAL
    left_out: tuple[LeftOut, ...] = ()
    how_read: HowRead = UNREAD
    measures: Mapping[str, Measure] = field(default_factory=dict)
    items: ItemScores | None = None
    units: Mapping[str, float] = field(default_factory=dict)
    intervals: Mapping[str, tuple[float, float]] = field(default_factory=dict)

    @classmethod
    def from_rows(
        cls,
        rows: Rows,
        measure: Measure,
        *,
        missing: str = USUAL,
        keep_failing: bool = False,
        notes: Sequence[str] = (),
        origin: Origin | None = None,
        how_read: HowRead = UNREAD,
        measures: Mapping[str, Measure] | None = None,
        alone: bool = False,
        items: ItemScores | None = None,
        scale: MeasureScale | None = None,
    ) -> ScoreTable:
        """Validate rows and make a table of them; the door behind `read_scores`."""
        rows = censor(rows, measure, missing)
        check_rows(rows, measure, origin, alone=alone)
        rows, filled, left_out = settle_missing(rows, measure, missing, keep_failing=keep_failing)
        costs = check_costs(rows, measure)
        rows = replace(rows, source=None).frozen()
        items, lost = items_left(items, rows)
        notes = (*notes, *filled, *costs, *_notes_on_folds(rows), *lost)
        measures = {name: each for name, each in (measures or {}).items() if name in rows.datasets}
        table = cls(rows, measure, notes, missing, left_out, how_read, measures, items)
        return table._on_scale(measure, notes, scale)

    def _on_scale(
        self,
        measure: Measure,
        notes: Sequence[str],
        scale: MeasureScale | None = None,
        **changes: Any,
    ) -> ScoreTable:
        """Return the table with a measure on the scale that is asked for, or else its own."""
        table = replace(self, **changes)
        measure, more = settle_scale(measure, table.rows, scale)
        notes, units = tuple(dict.fromkeys((*notes, *more))), units_of(measure, table.rows)
        return replace(table, measure=measure, notes=notes, units=units)

    @classmethod
    def from_arrays(
        cls,
        scores: ArrayLike,
        *,
        datasets: Sequence[str],
        algorithms: Sequence[str],
        measure: Measure | str,
        costs: Mapping[str, ArrayLike] | None = None,
        missing: str = USUAL,
        keep_failing: bool = False,
        notes: Sequence[str] = (),
    ) -> ScoreTable:
        """Make a table of arrays.

        Parameters
        ----------
        scores : array-like, (S, K) or (S, K, R, F)
            One value per data set and algorithm, or one per repeat and fold.
        datasets, algorithms : sequence of str
            The S and K names.
        measure : Measure or str
            The measure, or a well-known name.
        costs : mapping of str to array-like (S, K), optional
            Costs by name.
        missing : str, default "pairwise"
            What to do about NaN, as in `read_scores`.
        keep_failing : bool, default False
            Whether to keep algorithms without any score.
        notes : sequence of str, optional
            Notes to carry along.

        Returns
        -------
        ScoreTable

        Examples
        --------
        >>> ScoreTable.from_arrays(
        ...     [[0.1, 0.2]], datasets=["iris"], algorithms=["tree", "knn"], measure="error",
        ...     costs={"train_time": [[3.0, 0.5]]},
        ... ).cost_matrix("train_time")
        array([[3. , 0.5]])
        """
        measure = known_measure(measure)
        rows = rows_from_arrays(scores, tuple(datasets), tuple(algorithms), measure, costs or {})
        return cls.from_rows(rows, measure, missing=missing, keep_failing=keep_failing, notes=notes)

    # --- what there is ---------------------------------------------------------------------

    @property
    def datasets(self) -> tuple[str, ...]:
        """The names of the data sets, in order of first appearance."""
        return self.rows.datasets

    @property
    def algorithms(self) -> tuple[str, ...]:
        """The names of the algorithms, in order of first appearance."""
        return self.rows.algorithms

    @property
    def n_datasets(self) -> int:
        """The number of data sets."""
        return len(self.rows.datasets)

    @property
    def n_algorithms(self) -> int:
        """The number of algorithms."""
        return len(self.rows.algorithms)

    @property
    def score_names(self) -> tuple[str, ...]:
        """The names of the score columns; `with_score` chooses among them."""
        return tuple(self.rows.scores)

    @property
    def cost_names(self) -> tuple[str, ...]:
        """The names of the costs."""
        return tuple(self.rows.costs)

    @property
    def is_complete(self) -> bool:
        """Whether every algorithm has every score."""
        return not bool(np.isnan(self._scores).any())

    @property
    def _scores(self) -> FloatArray:
        return self.rows.scores[self.measure.name]

    # --- numbers ---------------------------------------------------------------------------

    def design(self, dataset: str | None = None) -> Design:
        """Return the resampling design of a data set, or the one that all share.

        Examples
        --------
        >>> table = ScoreTable.from_arrays(
        ...     np.zeros((1, 2, 5, 2)), datasets=["iris"], algorithms=["a", "b"], measure="error"
        ... )
        >>> print(table.design())
        5×2 cv
        """
        chosen = None if dataset is None else [dataset]
        codes = codes_of("dataset", "dataset", chosen, self.datasets)
        design, *others = {recognise(self.rows, code) for code in codes}
        most = [max(getattr(x, of) for x in (design, *others)) for of in ("repeats", "folds")]
        return Design("mixed", *most) if others else design

    def fold_scores(self, dataset: str) -> FloatArray:
        """Return the scores on a data set by algorithm, repeat and fold: (K, repeats, folds).

        Repeats and folds are sorted by their labels, as numbers where they are numbers.

        Raises
        ------
        UnpairedFoldsError
            If the algorithms do not share the folds, or these are not a full grid.
        MissingCellsError
            If a score is missing.
        """
        (code,) = codes_of("dataset", "dataset", [dataset], self.datasets)
        part, design = self.rows.slice_of(code), self._regular_design(code)
        scores = self._scores[part]
        if self.rows.censored is not None:  # a run that did not end has no number
            scores = np.where(self.rows.censored[part] > 0, np.nan, scores)
        gaps = np.flatnonzero(np.isnan(scores))
        if gaps.size:
            rule = f"tests by folds need every score on {dataset!r}, but of {scores.size} these "
            rule += f"are missing: {self.rows.describe_some(part.start + gaps)}"
            remedy = "Leave out the data set or the algorithms concerned"
            raise MissingCellsError("dataset", rule, remedy=remedy)
        return scores.reshape(self.n_algorithms, design.repeats, design.folds)

    def _regular_design(self, code: int) -> Design:
        """Return the design of a data set, for those who need its folds."""
        design = recognise(self.rows, code)
        if design.kind == "irregular":
            raise unpaired(self.rows, code)
        return design

    def by_design(self) -> list[DesignGroup]:
        """Return the data sets grouped by their design, in order of first appearance.

        Raises
        ------
        UnpairedFoldsError
            If the folds of a data set are irregular; the message says which.

        Examples
        --------
        >>> table = ScoreTable.from_arrays(
        ...     [[[[0.1, 0.3]], [[0.2, 0.2]]]], datasets=["iris"], algorithms=["a", "b"],
        ...     measure="error",
        ... )
        >>> [(str(group.design), group.goodness().shape) for group in table.by_design()]
        [('2-fold cv', (1, 2, 1, 2))]
        """
        groups: dict[Design, list[int]] = {}
        for code in range(self.n_datasets):
            groups.setdefault(self._regular_design(code), []).append(code)
        return [DesignGroup(self, design, rows) for design, rows in groups.items()]

    @property
    def n_seeds(self) -> int:
        """With how many random states each algorithm was trained on each split."""
        return max(1, len(self.rows.seeds))

    def seed_scores(self) -> FloatArray:
        """Return the score of each row and seed: (rows, seeds), NaN where there is none.

        Examples
        --------
        >>> import palio
        >>> scores = {"dataset": ["x"] * 4, "algorithm": ["a", "a", "b", "b"], "seed": [1, 2, 1, 2]}
        >>> table = palio.read_scores({**scores, "accuracy": [0.6, 0.8, 0.5, 0.5]})
        >>> table.means(), table.seed_scores().tolist()
        (array([[0.7, 0.5]]), [[0.6, 0.8], [0.5, 0.5]])
        """
        if not self.rows.by_seed:
            return self._scores[:, np.newaxis]
        return self.rows.by_seed[self.measure.name]

    def means(self) -> FloatArray:
        """Return each data set's mean over its folds: (S, K), NaN where a score is missing.

        A run that did not end counts ten times its cut-off.

        Examples
        --------
        >>> folds = [[[[0.8, 0.9]], [[0.6, 0.7]]]]
        >>> ScoreTable.from_arrays(
        ...     folds, datasets=["iris"], algorithms=["tree", "knn"], measure="accuracy"
        ... ).means()
        array([[0.85, 0.65]])
        """
        return self.rows.cell_means(self._scores)

    def goodness(self) -> FloatArray:
        """Return each data set's mean on the scale of the measure, higher is better: (S, K).

        On a ratio scale these are logarithms, of which only the differences mean something.

        Examples
        --------
        >>> ScoreTable.from_arrays(
        ...     [[0.1, 0.2]], datasets=["iris"], algorithms=["tree", "knn"], measure="error"
        ... ).goodness()
        array([[-0.1, -0.2]])
        """
        return self.scaled().values

    def scaled(self) -> Goodness:
        """Return `goodness`, and which of it is at the floor of a ratio scale."""
        return goodness_of(self.rows, self.measure, self.units)

    def mean_scores(self) -> dict[str, float]:
        """Return the mean score of each algorithm, allowing for the data sets that each lacks.

        On a ratio scale it is the geometric mean, in the units of the data sets, and on one data
        set the mean itself; PAR10 of run times of which some did not end; NaN on an order scale,
        which has no means.

        Examples
        --------
        >>> ScoreTable.from_arrays(
        ...     [[1, 2], [3, np.nan]], datasets=["iris", "wine"], algorithms=["tree", "knn"],
        ...     measure="error", missing="pairwise",
        ... ).mean_scores()
        {'tree': 2.0, 'knn': 3.0}
        """
        means = self.means()
        if len(means) == 1 and self.measure.has_ratios and not self.measure.is_explained_share:
            return self._named(means[0])
        return self._named(mean_scores_of(self.scaled(), self.measure, means))

    def overall(self) -> FloatArray:
        """Return one number per algorithm, higher is better: its mean on the scale.

        On an order scale it is minus the mean rank. Both allow for the data sets that each lacks.
        """
        scaled = self.scaled()
        if self.measure.is_ordinal:
            return -adjusted_mean_ranks(*ranks_of_present(-scaled.values))
        return adjusted_means(scaled.for_means)

    def by_mean_score(self) -> tuple[str, ...]:
        """Return the algorithms by mean score, best first; equal ones by name.

        By mean rank on an order scale.

        Examples
        --------
        >>> ScoreTable.from_arrays(
        ...     [[0.2, 0.1]], datasets=["iris"], algorithms=["tree", "knn"], measure="error"
        ... ).by_mean_score()
        ('knn', 'tree')
        """
        turned = self._named(np.nan_to_num(self.overall(), nan=-np.inf))
        return tuple(sorted(turned, key=lambda name: (-turned[name], name)))

    def mean_costs(self, *, of_all: bool = False) -> dict[str, dict[str, float]]:
        """Return the geometric mean of each cost and algorithm, in the cost's own unit.

        It allows for the data sets that an algorithm lacks. NaN for algorithms that lack a cost;
        with ``of_all`` such costs are left out.
        """
        rows = self.rows
        found = {x: typical_costs(rows.cell_means(each)) for x, each in rows.costs.items()}
        if of_all:
            found = {name: costs for name, costs in found.items() if not np.isnan(costs).any()}
        return {name: self._named(costs) for name, costs in found.items()}

    def failed(self) -> BoolArray:
        """Mark the (data set, algorithm) that lack a score because something failed: (S, K)."""
        return failed_cells(self.rows, self.measure)

    def splits(self) -> IntArray:
        """Count what each mean is over, splits and seeds: (S, K); 0 where there is none.

        Examples
        --------
        >>> import palio
        >>> scores = {"dataset": ["x"] * 3, "algorithm": ["a", "a", "b"], "fold": [1, 2, 1]}
        >>> palio.read_scores({**scores, "accuracy": [0.6, 0.8, 0.5]}).splits()
        array([[2, 1]])
        """
        counts = self.rows.count_cells(np.isfinite(self.seed_scores()).sum(axis=1))
        return np.where(np.isnan(self.means()), 0, counts).astype(np.intp)

    def unended_runs(self) -> dict[str, int]:
        """Count the runs that did not end, where run times are asked about, by their status.

        Examples
        --------
        >>> import palio
        >>> times = {"instance": ["x", "y"], "glucose": [3.1, 20.0], "kissat": [2.5, "timeout"]}
        >>> palio.read_scores(times, score="runtime").unended_runs()
        {'timeout': 1}
        """
        rows = self.rows
        if rows.censored is None or rows.status is None:
            return {}
        numbers = np.rint(np.bincount(rows.status, weights=rows.censored * rows.runs))
        found = Counter(dict(zip(rows.statuses, numbers.astype(int).tolist(), strict=False)))
        return {status: n for status, n in found.most_common() if n}

    def imputed_cells(self) -> BoolArray:
        """Mark the (data set, algorithm) with a score that a rule made up: (S, K)."""
        if self.rows.imputed is None:
            return np.zeros(self.rows.shape, dtype=np.bool_)
        return np.asarray(self.rows.count_cells(self.rows.imputed) > 0)

    @property
    def with_imputed(self) -> frozenset[str]:
        """The algorithms of which a rule made up a score."""
        some = np.flatnonzero(self.imputed_cells().any(axis=0))
        return frozenset(self.algorithms[column] for column in some.tolist())

    def reasons(self, cells: BoolArray) -> list[str]:
        """Return the status of each of some cells that failed, where one is known."""
        return reasons(self.rows, cells)

    def gaps(self) -> Gaps:
        """Return how many cells of the table lack a score."""
        empty = np.isnan(self.means())
        return Gaps(self.missing, int(empty.sum()), empty.size)

    def _named(self, values: FloatArray) -> dict[str, float]:
        return dict(zip(self.algorithms, values.tolist(), strict=True))

    def cost_matrix(self, name: str) -> FloatArray:
        """Return a cost by data set and algorithm: (S, K), the mean over folds.

        Raises
        ------
        UnknownNameError
            If the table has no such cost.
        MissingCellsError
            If some algorithms lack it.

        Examples
        --------
        >>> import palio
        >>> palio.load_study("ulas2008").cost_matrix("train_time").shape
        (38, 8)
        """
        rows = self.rows
        if self.cost_names and name not in rows.costs:
            raise unknown_name("cost", name, self.cost_names)
        if name not in rows.costs:
            rule = f"{name!r} is not known, because the table has no costs"
            remedy = f"Give a second table with {Option('costs')}: dataset, algorithm, one column "
            raise UnknownNameError("cost", rule, remedy=f"{remedy}per cost")
        values = rows.costs[name]
        # What was filled in with a score that is made up was not measured.
        measured = values if rows.imputed is None else np.where(rows.imputed, np.nan, values)
        none = np.isnan(rows.cell_means(measured)).all(axis=0)
        lacking = np.flatnonzero(none & ~np.isnan(self.means()).all(axis=0))
        if lacking.size:
            remedy = "Name a cost that all have, or leave those algorithms out"
            rule = f"{name!r} was not measured for {quoted(self.algorithms[i] for i in lacking)}"
            raise MissingCellsError("cost", rule, "is needed for every algorithm", remedy)
        return rows.cell_means(values)

    # --- other tables ----------------------------------------------------------------------

    def select(self, datasets: Names | None = None, algorithms: Names | None = None) -> ScoreTable:
        """Return a table with some of the data sets and algorithms, in the order given.

        Parameters
        ----------
        datasets, algorithms : sequence of str, optional
            The names to keep; all of them unless given.

        Returns
        -------
        ScoreTable

        Examples
        --------
        >>> table = ScoreTable.from_arrays(
        ...     [[1, 2, 3]], datasets=["iris"], algorithms=["a", "b", "c"], measure="error"
        ... )
        >>> table.select(algorithms=["c", "a"]).means()
        array([[3., 1.]])
        """
        chosen = self.rows.select(
            codes_of("datasets", "dataset", datasets, self.datasets),
            codes_of("algorithms", "algorithm", algorithms, self.algorithms),
        )
        items, _ = items_left(self.items, chosen)
        return replace(self, rows=chosen.frozen(), items=items)._of_its_measures()

    def _of_its_measures(self) -> ScoreTable:
        """Return the table without the measures of data sets that are gone.

        If one measure is left it is the table's, and the scores are as they were.
        """
        left = {name: self.measures[name] for name in self.datasets if name in self.measures}
        if len(left) == len(self.measures):
            return self
        own, *others = dict.fromkeys(left.values())
        before = note_on(self.measures)
        now = note_on(left) if others else f"{self.measure.name} measures {own}."
        notes = tuple(now if note == before else note for note in self.notes)
        if others:
            return replace(self, measures=left, notes=notes)
        rows = renamed(alike(self.rows, self.measure, left), self.measure.name, own.name).frozen()
        table = self._on_scale(own, notes, rows=rows, measures={})
        items = None if self.items is None else replace(self.items, measure=table.measure)
        return replace(table, items=items)

    def with_score(self, name: str, higher_is_better: bool | None = None) -> ScoreTable:
        """Return the table with another of its scores as the one asked about.

        Parameters
        ----------
        name : str
            One of ``score_names``.
        higher_is_better : bool, optional
            Its direction, if its name does not tell.

        Returns
        -------
        ScoreTable

        Examples
        --------
        >>> import palio
        >>> two = {"dataset": ["iris"] * 2, "algorithm": ["tree", "knn"]}
        >>> table = palio.read_scores(
        ...     {**two, "accuracy": [0.9, 0.8], "auc": [0.8, 0.9]}, score="accuracy"
        ... )
        >>> table.with_score("auc").means()
        array([[0.8, 0.9]])
        """
        if name not in self.rows.scores:
            raise unknown_name("score", name, self.score_names)
        if name == self.measure.name and self.measures:
            rule = "the measure differs by data set, and each has its own direction"
            remedy = f"read the table with {Option('direction')} for those that are otherwise"
            given = higher_is_better
            require(given is not False, "higher_is_better", rule, given, remedy)
            return self
        measure = measure_named(name, higher_is_better=higher_is_better)
        return ScoreTable.from_rows(
            self.rows,
            measure,
            missing=self.missing,
            notes=self._notes_but_scale,
            how_read=self.how_read,
            items=self.items if name == self.measure.name else None,
        )

    def with_scale(self, scale: str | None) -> ScoreTable:
        """Return the table with its scores compared on another scale; "auto" is the measure's.

        Parameters
        ----------
        scale : {"difference", "ratio", "order", "auto"}, optional
            What means the same on every data set; as it is unless given.

        Examples
        --------
        >>> table = ScoreTable.from_arrays(
        ...     [[1.0, 2.0], [10.0, 30.0]], datasets=["a", "b"], algorithms=["x", "y"],
        ...     measure="rmse",
        ... )
        >>> table.measure.scale, table.with_scale("difference").measure.scale
        ('ratio', 'difference')
        """
        if scale is None or scale == self.measure.scale:
            return self
        own = replace(self.measure, scale=None)  # type: ignore[arg-type]  # as the name has it
        asked = None if scale == "auto" else scale
        return self._on_scale(own, self._notes_but_scale, asked)  # type: ignore[arg-type]

    @property
    def _notes_but_scale(self) -> tuple[str, ...]:
        """The notes without those on the scale, which another scale or score has in its own way."""
        own = replace(self.measure, scale=None)  # type: ignore[arg-type]
        scale_notes = settle_scale(own, self.rows)[1]
        return tuple(note for note in self.notes if note not in scale_notes)

    # --- faces -----------------------------------------------------------------------------

    def to_frame(self) -> pd.DataFrame:
        """Return one row per data set, algorithm, repeat and fold, as a pandas frame.

        Examples
        --------
        >>> ScoreTable.from_arrays(
        ...     [[0.9, 0.8]], datasets=["iris"], algorithms=["tree", "knn"], measure="accuracy"
        ... ).to_frame()[["dataset", "algorithm", "accuracy"]]
          dataset algorithm  accuracy
        0    iris      tree       0.9
        1    iris       knn       0.8
        """
        import pandas as pd

        if not self.measures:
            return pd.DataFrame(self.rows.spelled_out())
        raw = alike(self.rows, self.measure, self.measures)
        what = [self.measures[name].name for name in self.datasets]
        return pd.DataFrame({**raw.spelled_out(), "measure": np.array(what)[raw.dataset]})

    def __repr__(self) -> str:
        costs = f", costs: {', '.join(self.cost_names)}" if self.cost_names else ""
        gaps = "" if self.is_complete else ", scores missing"
        size = size_of(*self.rows.shape)
        return f"<ScoreTable: {size}, {self.design()}, {self.measure}{costs}{gaps}>"

    def __str__(self) -> str:
        return str(self.understood())

    def understood(self) -> Understood:
        """Return what was understood when the table was read.

        Examples
        --------
        >>> table = ScoreTable.from_arrays(
        ...     [[0.9, 0.8]], datasets=["iris"], algorithms=["tree", "knn"], measure="accuracy"
        ... )
        >>> table.understood().n_cells
        2
        """
        return Understood.of(self)

    def to_dict(self) -> dict[str, Any]:
        """Return what was understood as plain data, as ``palio read --json`` prints it."""
        return self.understood().to_dict()

    def _answer(self) -> Understood:
        return self.understood()


def _notes_on_folds(rows: Rows) -> list[str]:
    if not (unpaired := unpaired_datasets(rows)):
        return []
    where = f"{count(len(unpaired), 'data set')} ({listed(unpaired)})"
    follows = "each mean there is over the algorithm's own folds, and tests by folds are refused"
    return [f"The algorithms do not share the folds of {where}: {follows}."]
