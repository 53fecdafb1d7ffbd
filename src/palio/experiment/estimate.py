"""How long the rest of an experiment takes, by what its jobs have taken so far.

A job is expected to take what others of its learner took on its data set; where none has ended
there, what its learner takes times what that data set takes, compared with the others. A data set
of which nothing is known takes what those of its size do. How many jobs run beside one another is
seen from when they ended.
"""

from __future__ import annotations

from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from palio.experiment.store.store import JobColumns

    Floats = NDArray[np.float64]

# So many rounds of fitting are enough for a rough number.
_ROUNDS = 30

# Each learner must have been seen on this share of the data sets before anything is said.
ENOUGH = 0.25

# In longer pauses, of so many seconds, nobody worked: the run was broken off, and went on later.
_PAUSE = 10.0

# Minimum number of jobs of a run that tell how fast it is; with fewer, those before count, too.
_MIN_JOBS = 10

# The jobs that ended last tell how many run at once.
_MAX_JOBS = 10_000

Pair: TypeAlias = tuple[str, str]
"""An algorithm and a data set."""

Sizes = Mapping[str, float]
"""How large data sets are: rows times columns, where that is known."""


class Pace:
    """What jobs have taken that have ended, and what others will take by that.

    >>> pace = Pace()
    >>> pace.add(("a", "x"), seconds=2.0, finished=102.0)
    >>> pace.add(("b", "x"), seconds=4.0, finished=104.0)
    >>> pace.seconds_left([("a", "x"), ("b", "x")], now=104.0)
    4.0
    >>> pace.seconds_left([("a", "x"), ("new", "x")], now=104.0) is None
    True
    """

    def __init__(self, sizes: Sizes | None = None) -> None:
        self._sizes = sizes or {}
        self._seconds: defaultdict[Pair, float] = defaultdict(float)
        self.jobs: Counter[Pair] = Counter()  # that have ended
        self._each = array("d")
        self._finished = array("d")

    def add(self, pair: Pair, seconds: float, finished: float = 0.0) -> None:
        """Take note of a job that has ended, in the order in which they did."""
        self._seconds[pair] += seconds
        self.jobs[pair] += 1
        self._each.append(seconds)
        self._finished.append(finished)

    @classmethod
    def of(cls, jobs: JobColumns, sizes: Sizes) -> tuple[Pace, list[Pair]]:
        """Return the pace of the jobs of a store that have ended, and those that have not."""
        import numpy as np

        pace, pairs = cls(sizes), list(zip(jobs.algorithm, jobs.dataset, strict=True))
        ended = [pair for pair, took in zip(pairs, jobs.seconds, strict=True) if took is not None]
        seconds = [took for took in jobs.seconds if took is not None]
        finished = np.array([moment for moment in jobs.finished if moment is not None])
        for pair, took in zip(ended, seconds, strict=True):
            pace._seconds[pair] += took
        pace.jobs.update(ended)
        last = np.argsort(finished, kind="stable")[-_MAX_JOBS:]
        pace._finished.extend(finished[last])
        pace._each.extend(np.array(seconds)[last])
        return pace, [pair for pair, end in zip(pairs, jobs.status, strict=True) if end is None]

    def seconds_left(self, left: Iterable[Pair], now: float) -> float | None:
        """Return how long the rest takes, or nothing while too little is known to say."""
        rest = Counter(left)
        if not rest.total():
            return 0.0
        if not self._is_enough(rest):
            return None
        expected = self._expected(rest)
        work = sum(expected[pair] * n for pair, n in rest.items())
        whole = max(work / self._at_once(), *(expected[pair] for pair, n in rest.items() if n))
        # What has been done since the last job ended; it may take longer than was expected.
        since = max(now - max(self._finished), 0.0)
        return max(whole - since, whole / 2)

    def work_left(self, left: Iterable[Pair]) -> float | None:
        """Return the seconds that jobs take one after the other; nothing if none has ended.

        >>> pace = Pace({"x": 100, "y": 300, "z": 1000})
        >>> for pair, seconds in {("a", "x"): 2.0, ("a", "y"): 6.0, ("b", "x"): 4.0}.items():
        ...     pace.add(pair, seconds)
        >>> [round(pace.work_left([pair]), 2) for pair in (("b", "y"), ("b", "x"), ("a", "z"))]
        [12.0, 4.0, 20.0]
        """
        if not self.jobs:
            return None
        rest = Counter(left)
        expected = self._expected(rest)
        return float(sum(expected[pair] * n for pair, n in rest.items()))

    def _is_enough(self, left: Counter[Pair]) -> bool:
        """Say whether each learner that is left has been seen on enough of the data sets."""
        rest = [pair for pair, n in left.items() if n]
        datasets = {name for _, name in (*rest, *self.jobs)}
        seen = Counter(algorithm for algorithm, _ in self.jobs)
        return all(seen[name] >= max(1.0, ENOUGH * len(datasets)) for name, _ in rest)

    def _expected(self, left: Iterable[Pair]) -> dict[Pair, float]:
        """Return how long a job of each pair is expected to take."""
        import numpy as np

        pairs = dict.fromkeys((*self.jobs, *left))
        algorithms = {name: i for i, name in enumerate(dict.fromkeys(a for a, _ in pairs))}
        datasets = {name: i for i, name in enumerate(dict.fromkeys(d for _, d in pairs))}
        total = np.zeros((len(algorithms), len(datasets)))
        jobs = np.zeros_like(total)
        for (algorithm, dataset), n in self.jobs.items():
            place = algorithms[algorithm], datasets[dataset]
            total[place], jobs[place] = self._seconds[algorithm, dataset], n
        sizes = np.array([self._sizes.get(name, np.nan) for name in datasets])
        seen = np.divide(total, jobs, out=_product(total, jobs, sizes), where=jobs > 0)
        return {(a, d): float(seen[algorithms[a], datasets[d]]) for a, d in pairs}

    def _at_once(self) -> float:
        """Return how many jobs ran beside one another of late, by what they took."""
        import numpy as np

        finished = np.array(self._finished[-_MAX_JOBS:])
        seconds = np.array(self._each[-_MAX_JOBS:])
        order = np.argsort(finished - seconds, kind="stable")
        finished, seconds = finished[order], seconds[order]
        begun, ends = finished - seconds, np.maximum.accumulate(finished)
        # Runs begin where nobody had worked for a while.
        starts = np.flatnonzero(np.concatenate([[True], begun[1:] > ends[:-1] + _PAUSE]))
        if finished.size - starts[-1] >= _MIN_JOBS:
            starts = starts[-1:]
        lasts = np.append(starts[1:], finished.size) - 1
        elapsed = float((ends[lasts] - begun[starts]).sum())
        work = float(seconds[starts[0] :].sum())
        return work / elapsed if work > 0 and elapsed > 0 else 1.0


def _product(total: Floats, jobs: Floats, sizes: Floats) -> Floats:
    """Return what a job takes by its learner times its data set, fitted to the totals of each.

    Iterative proportional fitting (Deming and Stephan 1940): the learners' totals and the data
    sets' come out as they are. A learner of which nothing is known is like the mean of the others,
    and a data set like those of its size.
    """
    import numpy as np

    learner = np.ones(total.shape[0])
    dataset = np.ones(total.shape[1])
    for _ in range(_ROUNDS):
        learner = _ratio(total.sum(1), jobs @ dataset)
        dataset = _ratio(total.sum(0), learner @ jobs)
    known = (jobs.sum(0) > 0) & (dataset > 0) & (sizes > 0)
    new = (jobs.sum(0) == 0) & (sizes > 0)
    if known.any():
        dataset[new] = _by_size(sizes[known], dataset[known], sizes[new])
    return np.outer(learner, dataset)


def _by_size(sizes: Floats, times: Floats, asked: Floats) -> Floats:
    """Return what data sets of other sizes take: a power of the size, by least squares of logs.

    >>> import numpy as np
    >>> _by_size(np.array([1.0, 10.0]), np.array([2.0, 200.0]), np.array([5.0]))
    array([50.])
    """
    import numpy as np

    x, y = np.log(sizes), np.log(times)
    spread = float(((x - x.mean()) ** 2).sum())
    slope = float(((x - x.mean()) * (y - y.mean())).sum()) / spread if spread > 0 else 0.0
    # Nothing takes less as it grows, and little more than the cube.
    found: Floats = np.exp(y.mean() + np.clip(slope, 0.0, 3.0) * (np.log(asked) - x.mean()))
    return found


def _ratio(took: Floats, expected: Floats) -> Floats:
    import numpy as np

    known = expected > 0
    found = np.divide(took, expected, out=np.ones_like(took), where=known)
    found[~known] = found[known].mean() if known.any() else 1.0
    return found
