"""The models by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from palio.errors import DesignError, Option, ParameterError
from palio.registry import Later, Registry

if TYPE_CHECKING:
    from palio.bayes.posterior import Posterior
    from palio.scores import ScoreTable, Tabular

__all__ = ["MODELS", "Model", "Need", "default_model", "run_model"]

Need: TypeAlias = Literal["common", "region", "one", "none"]
"""What of a measure must mean the same on every data set: sizes, which are averaged (common); the
region, against which each difference is held (region); nothing, as there is one data set (one) or
only ranks count (none)."""


@dataclass(frozen=True)
class Model:
    """An entry of the registry.

    ``scale`` is what it needs of the measure; ``options`` are what it takes besides ``draws``,
    ``seed`` and ``mass``. ``on_folds`` needs the scores of the folds, ``one_dataset`` is about a
    single data set, ``on_items`` needs scores of 0 or 1 on items, and ``pair_by_pair`` samples
    every pair anew, which takes long.
    ``likeliest``: a pair's probabilities are the shares of draws in which better, equal or worse
    is the likeliest of the three, and this says where: "on a new data set".
    """

    name: str
    title: str
    run: Callable[..., Posterior]
    scale: Need
    options: tuple[str, ...] = ()
    on_folds: bool = False
    one_dataset: bool = False
    pair_by_pair: bool = False
    on_items: bool = False
    likeliest: str = ""
    aliases: tuple[str, ...] = ()


def _from(module: str) -> Callable[..., Posterior]:
    """Return the function of a module here, which is loaded when it is first asked."""
    return Later(f"palio.bayes.models.{module}:{module}")


MODELS: Registry[Model] = Registry.of(
    "model",
    Model(
        "anova",
        "Bayesian analysis of variance",
        _from("anova"),
        scale="common",
        options=("robust", "scale"),
        aliases=("bayesian-anova",),
    ),
    Model(
        "sign",
        "Bayesian sign test",
        _from("sign"),
        scale="region",
        options=("prior_strength", "prior_place", "scale"),
        likeliest="on a new data set",
        aliases=("sign-test", "bayesian-sign"),
    ),
    Model(
        "signed-rank",
        "Bayesian signed-rank test",
        _from("signed_rank"),
        scale="common",
        options=("prior_strength", "prior_place", "scale"),
        likeliest="on average over two new data sets",
        aliases=("signed-rank-test", "bayesian-signed-rank"),
    ),
    Model(
        "correlated-t",
        "Bayesian correlated t test",
        _from("correlated_t"),
        scale="one",
        options=("dataset", "test_fraction", "scale"),
        on_folds=True,
        one_dataset=True,
        aliases=("correlated-t-test", "bayesian-correlated-t"),
    ),
    Model(
        "hierarchical",
        "Bayesian hierarchical model",
        _from("hierarchical"),
        scale="common",
        options=("pair", "test_fraction", "scale"),
        on_folds=True,
        pair_by_pair=True,
        likeliest="on a new data set",
    ),
    Model(
        "outcomes",
        "Dirichlet model of right and wrong answers",
        _from("outcomes"),
        scale="one",
        options=("dataset", "prior_strength"),
        on_items=True,
        aliases=("bayesian-mcnemar",),
    ),
    Model(
        "bradley-terry",
        "Bradley–Terry",
        _from("bradley_terry"),
        scale="none",
        options=("ties",),
    ),
    Model(
        "plackett-luce",
        "Plackett–Luce",
        _from("plackett_luce"),
        scale="none",
        options=("ties",),
    ),
)


def default_model(
    table: ScoreTable,
    *,
    rope: float | str | None = None,
    dataset: str | None = None,
    scale: str = "auto",
) -> str:
    """Return the model to ask of a table when none is named.

    On one data set its folds decide: ``correlated-t``; where it has none, but answers on items that
    are right or wrong, these: ``outcomes``. Over several data sets ``anova``, where the
    scores have a scale in common. Otherwise only who is better counts: ``plackett-luce``, or
    ``bradley-terry`` where more than half of the scores are missing, and ``sign`` where a region
    was given in the unit of the score.

    >>> from palio.scores import ScoreTable
    >>> two = {"datasets": ["a", "b"], "algorithms": ["rf", "knn"]}
    >>> [
    ...     default_model(ScoreTable.from_arrays([[0.1, 0.2], [0.3, 0.1]], **two, measure=name))
    ...     for name in ("error", "rmse", "r2")
    ... ]
    ['anova', 'anova', 'plackett-luce']
    """
    from palio.bayes.scale import has_common_scale
    from palio.stats.incomplete import is_sparse

    if dataset is not None or table.n_datasets == 1:
        return "outcomes" if _of_answers(table) else "correlated-t"
    if scale != "auto" or has_common_scale(table):
        return "anova"
    if rope not in (None, "auto"):
        return "sign"
    return "bradley-terry" if is_sparse(table.means()) else "plackett-luce"


def _of_answers(table: ScoreTable) -> bool:
    """Whether there are no folds to go by, but items that each is right or wrong on."""
    items = table.items
    grouped = items is not None and (items.cluster_of is not None or items.weights is not None)
    return items is not None and items.is_binary and not grouped and not _has_folds(table)


def _check_folds(table: ScoreTable) -> None:
    """Refuse items on one data set that no model is for, rather than ask for their folds."""
    items = table.items
    if items is None or (items.repeats is None and _has_folds(table)):
        return
    raise DesignError(
        "model",
        "on the items of one data set there is a model of right and wrong answers, one by one",
        "these are graded, repeated, in clusters or weighted",
        f"palio compare {Option('over', 'items')} tests them",
    )


def _has_folds(table: ScoreTable) -> bool:
    designs = [table.design(name) for name in table.datasets]
    return any(design.repeats * design.folds > 1 for design in designs)


def run_model(
    model: str | None, table: Tabular, *, rope: float | str | None = None, **options: Any
) -> Posterior:
    """Ask a model by its name, or the `default_model`; options that it does not take are refused.

    Without ``rope`` it is "auto": what the table suggests, or the model's own.
    """
    from palio.scores import as_table

    table = as_table(table)
    asked = {name: options[name] for name in ("dataset", "scale") if name in options}
    entry = MODELS[default_model(table, rope=rope, **asked) if model is None else model]
    if model is None and entry.name == "correlated-t":
        _check_folds(table)
    for name in options:
        if name not in (*entry.options, "draws", "seed", "mass"):
            takes = ", ".join((*entry.options, "draws", "seed", "mass"))
            raise ParameterError(name, f"model '{entry.name}' does not take it (it takes {takes})")
    found = entry.run(table, rope="auto" if rope is None else rope, **options)
    if model is None and entry.scale in ("region", "none"):
        why = f"{entry.name} because {table.measure.name} has no scale that all data sets share"
        return replace(found, notes=(why, *found.notes))
    return found
