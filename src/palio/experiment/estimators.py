"""Estimators by name: of a class anywhere, or a learner of the catalogue, tuned or as it is."""

from __future__ import annotations

import inspect
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from palio.algorithms.catalogue import LEARNERS, Learner
from palio.errors import ParameterError, require
from palio.experiment.trust import Trust
from palio.results import Result
from palio.words import asked_after

if TYPE_CHECKING:
    import pandas as pd


def estimator_named(
    text: str, *, trust: Trust | None = None, part: bool = False
) -> Callable[..., Any]:
    """Return the class, or whatever makes an estimator, that a text names.

    A text is ``package.module:Class`` of an installed package or one that is trusted, or a
    short name of the catalogue, such as ``c45``. ``part`` is of an estimator: kernels will do.

    >>> estimator_named("sklearn.naive_bayes:GaussianNB").__name__
    'GaussianNB'
    >>> estimator_named("nn")()
    KNeighborsClassifier(n_neighbors=1)
    """
    if text in LEARNERS:
        return LEARNERS[text].estimator
    module, _, attribute = text.partition(":")
    if not (module and attribute):
        rule = "it is written package.module:Class, or is a short name that palio algorithms lists"
        given = f"{text!r} was given.{asked_after(LEARNERS.close_to(text))}"
        raise ParameterError("estimator", rule, given)
    return (trust or Trust()).find(text, part=part)


def parameters_of(make: Callable[..., Any]) -> tuple[str, list[str] | None]:
    """Return what is made and which parameters it takes; ``None`` if any, or if it does not tell.

    >>> parameters_of(estimator_named("lgc"))
    ('lgc', ['max_iter', 'tol'])
    """
    learner = getattr(make, "__self__", None)
    if isinstance(learner, Learner):
        return learner.name, list(learner.make().get_params())
    name = getattr(make, "__name__", repr(make))
    try:
        known = inspect.signature(make).parameters
    except (TypeError, ValueError):  # some classes written in C do not tell
        return name, None
    if any(each.kind is each.VAR_KEYWORD for each in known.values()):
        return name, None
    return name, list(known)


def named_by_class(texts: Sequence[str]) -> dict[str, str]:
    """Call estimators by their classes, or by their short names.

    >>> named_by_class(["sklearn.naive_bayes:GaussianNB", "c45"])
    {'GaussianNB': 'sklearn.naive_bayes:GaussianNB', 'c45': 'c45'}
    """
    names = [text.rpartition(":")[2] for text in texts]
    twice = [name for name, n in Counter(names).items() if n > 1]
    if twice:
        raise ValueError(f"names must differ, and {twice[0]} comes twice; give them names")
    return dict(zip(names, texts, strict=True))


def make_estimators(
    algorithms: Mapping[str, Any] | Sequence[str],
    *,
    tune: bool = False,
    allow: str | Sequence[str] = (),
) -> dict[str, Any]:
    """Make the estimators that are given by name; others are taken as they are.

    Parameters
    ----------
    algorithms
        Estimators by name, some of which may be texts as `estimator_named` takes them; or such
        texts alone.
    tune
        Whether the learners of the catalogue that have a grid are searched over it.
    allow
        Packages whose classes may be named, besides the well-known ones.

    Examples
    --------
    >>> found = make_estimators(["nn", "svr"], tune=True)
    >>> {name: type(each).__name__ for name, each in found.items()}
    {'nn': 'KNeighborsClassifier', 'svr': 'FreeSearchCV'}
    """
    if not isinstance(algorithms, Mapping):
        texts = not isinstance(algorithms, str) and all(isinstance(e, str) for e in algorithms)
        rule = "estimators by name, as {'name': estimator}, or a list of short names"
        require(texts, "algorithms", rule, algorithms)
        try:
            algorithms = named_by_class(algorithms)
        except ValueError as error:
            raise ParameterError("algorithms", f"{error}, as {{'name': estimator}}") from error
    trust = Trust.of(allow)
    return {
        name: _tuned_or_not(each, tune, trust) if isinstance(each, str) else each
        for name, each in algorithms.items()
    }


def prescribed(algorithms: Mapping[str, Any] | Sequence[str], prepare: Any) -> Any:
    """Return what is done to the data before each algorithm, where that is not one thing for all.

    Learners of the catalogue that are given by their short names have what their papers do, unless
    the experiment says otherwise.

    >>> prescribed({"mine": object(), "tree": "c45"}, None), prescribed(["c45"], "none")
    ({'tree': 'standard'}, 'none')
    """
    if prepare is not None and not isinstance(prepare, Mapping):
        return prepare
    if not isinstance(algorithms, Mapping):
        algorithms = named_by_class(algorithms)
    own = {
        name: LEARNERS[text].prepare
        for name, text in algorithms.items()
        if isinstance(text, str) and text in LEARNERS
    }
    return {**own, **(prepare or {})}


def _tuned_or_not(text: str, tune: bool, trust: Trust) -> Any:
    made = estimator_named(text, trust=trust)()
    return search_over(text, made) if tune and has_grid(text) else made


def has_grid(text: str) -> bool:
    """Whether a text names a learner of the catalogue whose paper searches over something."""
    return text in LEARNERS and bool(LEARNERS[text].grid)


def search_over(text: str, estimator: Any, fixed: Iterable[str] = ()) -> Any:
    """Search over the grid of a learner's paper; ``fixed`` parameters cannot be of it."""
    from palio.experiment.tuning import tuned

    if not has_grid(text):
        which = "palio algorithms shows which learners have"
        rule = f"{text!r} has no grid of a paper's to search over ({which})"
        remedy = "write a search of your own, as palio:FreeSearchCV"
        raise ParameterError("tune", rule, remedy=remedy)
    searched = LEARNERS[text].grid_for(1000, 20)
    for name in fixed:
        if name in searched:
            rule = f"{name} of {text!r} is searched over, so it cannot be given, too"
            raise ParameterError("tune", rule, remedy="leave it out, or do not tune")
    return tuned(text).set_params(estimator=estimator)


# --- what there is --------------------------------------------------------------------------------


@dataclass(frozen=True)
class CatalogueEntry:
    """A learner, and what its paper searches over on data of some size."""

    name: str
    title: str
    family: str
    paper: str
    grid: Mapping[str, tuple[Any, ...]]
    depends_on_data: bool
    free: tuple[str, ...]
    grid_size: int
    notes: str
    prepare: str


@dataclass(frozen=True)
class Catalogue(Result):
    """Learners that have short names; their grids on data of so many rows and features."""

    rows: int
    features: int
    algorithms: tuple[CatalogueEntry, ...]

    kind: ClassVar[str] = "algorithms"

    def to_frame(self) -> pd.DataFrame:
        """Return one row per learner."""
        import pandas as pd

        return pd.DataFrame(self.algorithms)


def catalogue(learners: Iterable[Learner], *, rows: int, features: int) -> Catalogue:
    """Describe learners, with their grids on data of so many rows and features."""
    return Catalogue(
        rows,
        features,
        tuple(
            CatalogueEntry(
                name=learner.name,
                title=learner.title,
                family=learner.family,
                paper=learner.paper,
                grid={
                    key: tuple(values) for key, values in learner.grid_for(rows, features).items()
                },
                depends_on_data=callable(learner.grid),
                free=tuple(learner.free),
                grid_size=learner.grid_size(rows, features),
                notes=learner.notes,
                prepare=learner.prepare,
            )
            for learner in learners
        ),
    )
