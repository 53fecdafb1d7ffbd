"""Published studies: their data, their tables, and what recomputation gives."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from palio.bars import steps
from palio.errors import ParameterError
from palio.extras import need
from palio.registry import Later, Registry, load
from palio.scores import ScoreTable
from palio.studies.reproduction import Check, Difference, Reproduction
from palio.studies.rerunning import Setting

__all__ = ["STUDIES", "Check", "Difference", "Reproduction", "Study", "load_study", "reproduce"]


@dataclass(frozen=True)
class Study:
    """An entry of the registry: where the data are and how the tables are recomputed.

    ``home`` is its module, loaded when it is first used. ``steps`` is how many steps
    ``reproduce(progress=…)`` tells of; 0 where it takes no time. ``rerun`` does the study's
    experiment again, on data that are not shipped, and compares; ``takes`` says which of ``runs``,
    ``max_rows``, ``sample_rows`` and ``keep`` it heeds, and whether ``datasets`` of what is shipped
    can be asked about alone.
    """

    name: str
    title: str
    home: str
    load: Callable[[], ScoreTable]
    reproduce: Callable[..., Reproduction]
    steps: int = 0
    rerun: Callable[[Setting], Reproduction] | None = None
    takes: tuple[str, ...] = ()

    @property
    def reference(self) -> str:
        """Where it was published."""
        return str(load(f"{self.home}:REFERENCE"))


def _study(
    name: str,
    title: str,
    *,
    module: str = "",
    rerun: str = "",
    steps: int = 0,
    takes: tuple[str, ...] = (),
) -> Study:
    """Make the entry of a module here, which has ``REFERENCE``, ``load`` and ``reproduce``.

    ``module`` is called as the study unless given; ``rerun`` is the one that runs it again, if any.
    """
    home = f"palio.studies.{module or name}"
    again: Later[[Setting], Reproduction] = Later(f"palio.studies.{rerun}:rerun")
    return Study(
        name,
        title,
        home,
        Later(f"{home}:load"),
        Later(f"{home}:reproduce"),
        steps,
        again if rerun else None,
        takes,
    )


STUDIES: Registry[Study] = Registry.of(
    "study",
    _study(
        "ulas2008",
        "eight learners on 38 data sets, ordered by error and cost",
        rerun="ulas2008_rerun",
    ),
    _study(
        "ulas2008-rerun",
        "the same eight learners run again on these data sets, beside the paper's tables",
        module="ulas2008_rerun",
    ),
    _study(
        "yildiz2006",
        "five learners on 30 data sets in many runs of 5×2 folds: the best by MultiTest and rivals",
        rerun="yildiz2006",
        takes=("runs",),
    ),
    _study(
        "benavoli2016",
        "why mean-ranks tests mislead: three examples, seven classifiers on 54 data sets",
    ),
    _study(
        "brazdil2000",
        "three ranking methods, and which foretells best: six learners on 16 data sets",
        rerun="brazdil2000",
    ),
    _study(
        "wainer2016",
        "14 tuned learners on 115 data sets, by error and by time: compared with a replication",
        rerun="wainer2016_rerun",
        steps=5,
        takes=("max_rows", "sample_rows", "keep", "datasets"),
    ),
    _study(
        "replication2026",
        "that replication: the same 14 learners on public data sets of 100 rows or more",
    ),
    _study(
        "classification2026",
        "these and HistGradientBoosting, tuned on the same halves",
        rerun="classification2026",
        takes=("sample_rows", "keep"),
    ),
    _study(
        "regression2026",
        "eight learners of scikit-learn on 28 public regression data sets",
        rerun="regression2026",
        takes=("sample_rows", "keep"),
    ),
    _study(
        "wainer2016-bayes",
        "which of 14 algorithms are practically equal: the published tables by each other",
        module="wainer2016_bayes",
    ),
    of_things=True,
)


_OWN = ("runs", "max_rows", "sample_rows", "keep", "datasets")  # not every study has these


def load_study(name: str) -> ScoreTable:
    """Return the scores of a published study, shipped with the package.

    Parameters
    ----------
    name : str
        A study of the registry, such as ``"ulas2008"``.

    Returns
    -------
    ScoreTable

    See Also
    --------
    palio.reproduce : the study's tables, recomputed.

    Examples
    --------
    >>> load_study("ulas2008")
    <ScoreTable: 38 data sets × 8 algorithms, 5×2 cv, accuracy (higher is better), costs:
    train_time, space>
    """
    return STUDIES[name].load()


def reproduce(name: str, *, data: str | None = None, **options: Any) -> Reproduction:
    """Recompute a published study's tables and compare them with the published ones.

    Parameters
    ----------
    name : str
        A study of the registry.
    data : str, optional
        ``"folder:DIR"``: run the experiment again on these data, and compare what comes out.
    **options
        Of such a run, as `Setting` has them: ``store`` (``NAME.db`` unless given), ``runs``,
        ``max_rows``, ``sample_rows``, ``part``, ``keep``, ``n_jobs``, ``time_limit``; without one,
        ``datasets="first48"`` of wainer2016; and ``progress``, as `palio.run` has it.

    Returns
    -------
    Reproduction

    See Also
    --------
    palio.load_study : the scores alone.

    Examples
    --------
    >>> reproduce("ulas2008").study
    'ulas2008'
    """
    study = STUDIES[name]
    for option in _OWN:
        if options.get(option) is not None and option not in study.takes:
            raise ParameterError(option, f"{name!r} has no such choice", remedy="leave it away")
    if data is None:
        if not study.steps:
            return study.reproduce(**options)
        with steps(name, study.steps, options.pop("progress", None)) as step:
            return study.reproduce(progress=step, **options)
    if study.rerun is None:
        able = ", ".join(other.name for other in STUDIES.values() if other.rerun)
        raise ParameterError(
            "data", f"{name!r} is not run again", remedy=f"of these studies are: {able}"
        )
    if options.pop("datasets", None) is not None:
        raise ParameterError(
            "datasets", "it is about what is shipped, not about a rerun", remedy="leave it away"
        )
    for extra in ("learners", "run"):  # the first brings the second
        need(extra, "data")
    return study.rerun(Setting(data, **{"store": f"{name}.db", **options}))
