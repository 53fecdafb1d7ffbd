"""How long the rest of an experiment takes, by what its jobs have taken so far.

A job is expected to take what others of its learner took on its data set; where none has ended
there, what its learner takes times what that data set takes, compared with the others. A data set
of which nothing is known takes what those of its size do. How many jobs run beside one another is
seen from when they ended.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

# So many rounds of fitting are enough for a rough number.
_ROUNDS = 30

# Each learner must have been seen on this share of the data sets before anything is said.
ENOUGH = 0.25

# In longer pauses, of so many seconds, nobody worked: the run was broken off, and went on later.
_PAUSE = 10.0

# So many jobs of a run tell how fast it is; with fewer, those before count, too.
_TELLING = 10


class Spent(NamedTuple):
    """A job that has ended: whose, where, how long it took and when it was written down."""

    algorithm: str
    dataset: str
    seconds: float
    finished: float = 0.0

    @property
    def begun(self) -> float:
        """When it began."""
        return self.finished - self.seconds


Left = Iterable[tuple[str, str]]
"""The jobs that have not ended: algorithm and data set of each."""

Sizes = Mapping[str, float]
"""How large data sets are: rows times columns, where that is known."""


def seconds_left(
    left: Left, spent: Sequence[Spent], now: float, sizes: Sizes | None = None
) -> float | None:
    """Return how long the rest takes, or nothing while too little is known to say.

    >>> spent = [Spent("a", "x", 2.0, 102.0), Spent("b", "x", 4.0, 104.0)]
    >>> seconds_left([("a", "x"), ("b", "x")], spent, now=104.0)
    4.0
    >>> seconds_left([("a", "x"), ("new", "x")], spent, now=104.0) is None
    True
    """
    rest = list(left)
    if not rest:
        return 0.0
    if not _is_enough(rest, spent):
        return None
    expected = _expected(rest, spent, sizes or {})
    whole = max(float(expected.sum()) / _at_once(spent), float(expected.max()))
    # What has been done since the last job ended; it may take longer than was expected.
    since = max(now - max(each.finished for each in spent), 0.0)
    return max(whole - since, whole / 2)


def work_left(left: Left, spent: Sequence[Spent], sizes: Sizes | None = None) -> float | None:
    """Return the seconds that jobs take together, one after the other; nothing if none has ended.

    >>> spent = [Spent("a", "x", 2.0), Spent("a", "y", 6.0), Spent("b", "x", 4.0)]
    >>> round(work_left([("b", "y")], spent), 2)
    12.0
    >>> work_left([("b", "x")], spent)
    4.0
    >>> round(work_left([("a", "z")], spent, {"x": 100, "y": 300, "z": 1000}), 2)
    20.0
    """
    rest = list(left)
    if not spent:
        return None
    return float(_expected(rest, spent, sizes or {}).sum()) if rest else 0.0


def _is_enough(left: Sequence[tuple[str, str]], spent: Sequence[Spent]) -> bool:
    """Say whether each learner that is left has been seen on enough of the data sets."""
    datasets = {name for _, name in left} | {each.dataset for each in spent}
    seen: dict[str, set[str]] = {}
    for each in spent:
        seen.setdefault(each.algorithm, set()).add(each.dataset)
    return all(
        len(seen.get(name, ())) >= max(1.0, ENOUGH * len(datasets))
        for name in {algorithm for algorithm, _ in left}
    )


def _expected(left: Sequence[tuple[str, str]], spent: Sequence[Spent], sizes: Sizes) -> Floats:
    """Return how long each job is expected to take."""
    import numpy as np

    names = [(each.algorithm, each.dataset) for each in spent]
    algorithms = {name: i for i, name in enumerate(dict.fromkeys(a for a, _ in [*names, *left]))}
    datasets = {name: i for i, name in enumerate(dict.fromkeys(d for _, d in [*names, *left]))}
    total = np.zeros((len(algorithms), len(datasets)))
    jobs = np.zeros_like(total)
    for each in spent:
        total[algorithms[each.algorithm], datasets[each.dataset]] += each.seconds
        jobs[algorithms[each.algorithm], datasets[each.dataset]] += 1
    product = _product(total, jobs, np.array([sizes.get(name, np.nan) for name in datasets]))
    seen = np.divide(total, jobs, out=product, where=jobs > 0)
    rows, columns = zip(*((algorithms[a], datasets[d]) for a, d in left), strict=True)
    found: Floats = seen[list(rows), list(columns)]
    return found


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


def _at_once(spent: Sequence[Spent]) -> float:
    """Return how many jobs ran beside one another of late, by what they took."""
    runs = _runs(spent)
    told = runs[-1:] if len(runs[-1]) >= _TELLING else runs
    elapsed = sum(
        max(each.finished for each in run) - min(each.begun for each in run) for run in told
    )
    work = sum(each.seconds for run in told for each in run)
    return work / elapsed if work > 0 and elapsed > 0 else 1.0


def _runs(spent: Sequence[Spent]) -> list[list[Spent]]:
    """Divide jobs where nobody worked for a while."""
    runs: list[list[Spent]] = []
    end = 0.0
    for each in sorted(spent, key=lambda each: each.begun):
        if not runs or each.begun > end + _PAUSE:
            runs.append([])
        runs[-1].append(each)
        end = max(end, each.finished)
    return runs
