"""The last look: the chosen algorithm, on the rows that were kept aside, once; and its model."""

from __future__ import annotations

import importlib.util
import os
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from palio.bars import Steps, steps
from palio.errors import InputError, Option
from palio.experiment.data.preprocessing import describe_preparation
from palio.experiment.plan import Job, Plan
from palio.experiment.resampling import Split
from palio.experiment.store.store import Store
from palio.numbers import number
from palio.registry import unknown_name
from palio.results import Result
from palio.words import quoted

if TYPE_CHECKING:
    import pandas as pd

    from palio.experiment.outcome import FoldOutcome


@dataclass(frozen=True)
class Final(Result):
    """What the chosen algorithm does on rows that nobody had seen.

    Parameters
    ----------
    algorithm : str
        Which was chosen.
    aside : float
        The part of every data set that was kept aside.
    scores, costs : mapping of data set to mapping
        What was measured, by name.
    failed : mapping of data set to str
        Where it did not end well, and why.
    looks : int
        How many times these rows have been looked at, this time included.
    reason : str
        Why it was chosen.
    models : mapping of data set to str
        The line of Python that loads the model which was measured there; a model card in Markdown
        lies beside its file.
    """

    algorithm: str
    aside: float
    scores: Mapping[str, Mapping[str, float]]
    costs: Mapping[str, Mapping[str, float]]
    failed: Mapping[str, str]
    looks: int = 1
    reason: str = ""
    models: Mapping[str, str] = field(default_factory=dict)

    kind: ClassVar[str] = "final"
    parts: ClassVar[tuple[str, ...]] = (
        "algorithm",
        "reason",
        "aside",
        "scores",
        "costs",
        "failed",
        "looks",
        "models",
        "notes",
    )

    @property
    def notes(self) -> tuple[str, ...]:
        """What was done, and how often."""
        done = (
            f"fitted on all rows but the {self.aside:.3g} kept aside, and measured on these "
            "(ulas2008 §4.1.3)"
        )
        if self.looks == 1:
            return (done,)
        return (
            done,
            f"these rows have been looked at {self.looks} times: what is chosen by such looks "
            "is better here than it will be elsewhere",
        )

    def to_frame(self) -> pd.DataFrame:
        """Return one row per data set."""
        import pandas as pd

        return pd.DataFrame(
            [
                {"dataset": name, "algorithm": self.algorithm, **found, **self.costs[name]}
                for name, found in self.scores.items()
            ]
        )


def measure_final(
    plan: Plan,
    store: Store,
    algorithm: str,
    *,
    name: str = "experiment",
    reason: str = "",
    again: bool = False,
    models: str | os.PathLike[str] | None = None,
    progress: Steps = None,
) -> Final:
    """Fit the chosen algorithm on all training rows and measure it on those kept aside.

    Once: a second look, with whatever algorithm, makes the kept rows part of the choice. It is
    refused unless ``again`` says that this is understood, and is then counted in the result. A
    look that was interrupted goes on where it was.

    Parameters
    ----------
    plan : Plan
        Made with ``aside=``.
    store : Store
        Where the look is remembered.
    algorithm : str
        One of the plan's.
    name : str
        The name of the plan in the store.
    reason : str
        Why it was chosen, to be told with the result.
    again : bool
        Whether to look although it has been done.
    models : path, optional
        The folder that gets the models, each with a card: ``DATASET-ALGORITHM.joblib`` and ``.md``,
        and ``.skops`` where skops is installed. None are written without.
    progress : callable or bool, optional
        What is shown meanwhile: a bar in a notebook or on a terminal unless given, nothing with
        ``False``; a function is called with the name of each data set.
    """
    known = check_look(plan, store, algorithm, name=name, again=again)
    left = [job for job in _final_jobs(plan, algorithm) if job.dataset.name not in known]
    keeper = None if models is None else _Keeper(Path(models), reason)
    with steps("measuring", len(left), progress) as step:
        failed = _measure(left, store, name, step, keeper)
    found = {row["dataset"]: row for row in store.finals(name) if row["algorithm"] == algorithm}
    return Final(
        algorithm,
        plan.aside or 0.0,
        {dataset: row["scores"] for dataset, row in found.items()},
        {dataset: row["costs"] for dataset, row in found.items()},
        failed,
        max(1, len({row["algorithm"] for row in store.finals(name)})),
        reason,
        {} if keeper is None else keeper.loading([*found], algorithm),
    )


def check_look(
    plan: Plan, store: Store, algorithm: str, *, name: str = "experiment", again: bool = False
) -> frozenset[str]:
    """Refuse a second look, or one at nothing; return what an interrupted first has seen."""
    if algorithm not in plan.algorithms:
        raise unknown_name("algorithm", algorithm, plan.algorithms)
    plan.held_out(plan.datasets[0])
    seen = store.finals(name)
    known = frozenset(row["dataset"] for row in seen if row["algorithm"] == algorithm)
    # A look that was interrupted, or failed on some data set, is still the first.
    going_on = len(known) == len(seen) < len(plan.datasets)
    if seen and not again and not going_on:
        by = quoted(dict.fromkeys(row["algorithm"] for row in seen))
        again_is = f"Give {Option('again', 'True')} if that is what you want"
        raise InputError(
            "final",
            f"the rows kept aside have been looked at already, with {by}",
            remedy=f"a second look makes them part of the choice. {again_is}",
        )
    return known if going_on else frozenset()


def _measure(
    jobs: Iterable[Job],
    store: Store,
    name: str,
    tell: Callable[[str], object],
    keeper: _Keeper | None,
) -> dict[str, str]:
    """Measure on each data set, and keep score and model at once; return what failed."""
    from palio.experiment.work import execute

    failed = {}
    for job in jobs:
        dataset = job.dataset.name
        tell(dataset)
        fitted: list[Any] = []
        outcome = execute(job, keep=fitted)
        if outcome.status != "ok":
            failed[dataset] = f"{outcome.status} while {outcome.stage}: {outcome.error}"
            continue
        fold = outcome.folds[0]
        if keeper is not None:  # before the score: a look that is interrupted here is done again
            keeper.write(job, fitted[0], fold, outcome.machine)
        store.save_final(
            name,
            dataset,
            job.algorithm,
            scores=fold.scores,
            costs=fold.costs,
            machine=outcome.machine,
        )
    return failed


def _final_jobs(plan: Plan, algorithm: str) -> list[Job]:
    """Make one job per data set: all training rows, tested on those kept aside."""
    first = {job.dataset.name: job for job in reversed(plan.jobs) if job.algorithm == algorithm}
    jobs = []
    for dataset in plan.datasets:
        job = first[dataset]
        training, kept = plan.held_out(dataset)
        split = Split(repeat=1, fold=1, train=training, test=kept)
        jobs.append(replace(job, splits=(split,), predictions=False, begun=(), draw=1))
    return jobs


# --- the model -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Keeper:
    """Writes the models that were measured, each with a card that says what it is."""

    folder: Path
    reason: str

    def __post_init__(self) -> None:
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            rule = f"'{self.folder}' cannot be written: {error.strerror}"
            remedy = "name another folder; the rows kept aside have not been looked at"
            raise InputError("models", rule, remedy=remedy) from error

    def path(self, dataset: str, algorithm: str) -> Path:
        # Other signs by their numbers: two names must not become one file.
        name = re.sub(r"[^\w.-]", lambda sign: f"%{ord(sign[0]):X}", f"{dataset}-{algorithm}")
        return self.folder / f"{name}.joblib"

    def loading(self, datasets: Iterable[str], algorithm: str) -> dict[str, str]:
        """Return the lines that load the models which are there."""
        paths = {name: self.path(name, algorithm) for name in datasets}
        return {
            name: f"import joblib; model = joblib.load({path.resolve().as_posix()!r})"
            for name, path in paths.items()
            if path.is_file()
        }

    def write(self, job: Job, model: Any, found: FoldOutcome, machine: Mapping[str, str]) -> None:
        import joblib  # type: ignore[import-untyped]

        path = self.path(job.dataset.name, job.algorithm)
        joblib.dump(model, path)
        if importlib.util.find_spec("skops"):
            from skops import io  # type: ignore[import-not-found]

            io.dump(model, path.with_suffix(".skops"))
        path.with_suffix(".md").write_text(self._card(job, model, found, machine), "utf-8")

    def _card(self, job: Job, model: Any, found: FoldOutcome, machine: Mapping[str, str]) -> str:
        data, (split,) = job.dataset, job.splits
        (line,) = self.loading([data.name], job.algorithm).values()
        versions = {name: machine[name] for name in _VERSIONS if name in machine}
        library = type(job.estimator).__module__.partition(".")[0]
        if library not in versions and library != "sklearn":
            versions[library] = getattr(importlib.import_module(library), "__version__", "unknown")
        scores = [f"{name} {number(value)}" for name, value in found.scores.items()]
        return f"""# {job.algorithm} on {data.name}

```python
{line}
```

`model.predict(X)` takes data with the columns below. Loading a joblib file runs code: load
only files that you trust, with the versions below.

- **Score on {len(split.test)} rows kept aside**: {", ".join(scores)}
- **Chosen**: {self.reason or "by who called it"}
- **Fitted on**: {len(split.train)} rows of {data.name} ({data.source}), {data.task}
- **Target**: {data.target or "y"}
- **Data fingerprint**: {data.fingerprint}
- **Random state**: {job.random_state}
- **Versions**: {", ".join(f"{name} {version}" for name, version in versions.items())}
- **Prepared**: {describe_preparation(job.prepare)}
- **Columns**: {", ".join(map(str, getattr(data.X, "columns", [data.n_features])))}

```text
{model}
```
"""


_VERSIONS = ("python", "scikit-learn", "numpy", "scipy", "palio")
