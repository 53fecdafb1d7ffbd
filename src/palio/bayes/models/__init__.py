"""The models by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from palio.errors import ParameterError
from palio.registry import Later, Registry
from palio.words import joined

if TYPE_CHECKING:
    from palio.bayes.posterior import Posterior
    from palio.scores import ScoreTable, Tabular
    from palio.scores.items import ReadOver

__all__ = ["MODELS", "Model", "default_model", "run_model"]


@dataclass(frozen=True)
class Model:
    """An entry of the registry.

    ``options`` are what it takes besides ``draws``, ``seed`` and ``mass``. ``weighs_sizes``: it
    counts by how much algorithms differ, which an order scale does not tell. ``on_folds`` needs the
    scores of the folds, ``one_dataset`` is about a single data set, ``on_items`` needs scores on
    items (``binary``: of 0 or 1), and ``pair_by_pair`` samples every pair anew, which takes long.
    ``readings`` are what it can take for drawn anew: other data sets, or other items of these.
    ``likeliest``: a pair's probabilities are the shares of draws in which better, equal or worse
    is the likeliest of the three, and this says where: "on a new data set".
    """

    name: str
    title: str
    run: Callable[..., Posterior]
    options: tuple[str, ...] = ()
    weighs_sizes: bool = True
    on_folds: bool = False
    one_dataset: bool = False
    pair_by_pair: bool = False
    on_items: bool = False
    binary: bool = False
    readings: tuple[ReadOver, ...] = ("datasets",)
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
        options=("robust",),
        aliases=("bayesian-anova",),
    ),
    Model(
        "sign",
        "Bayesian sign test",
        _from("sign"),
        weighs_sizes=False,
        options=("prior_strength", "prior_place"),
        likeliest="on a new data set",
        aliases=("sign-test", "bayesian-sign"),
    ),
    Model(
        "signed-rank",
        "Bayesian signed-rank test",
        _from("signed_rank"),
        options=("prior_strength", "prior_place"),
        likeliest="on average over two new data sets",
        aliases=("signed-rank-test", "bayesian-signed-rank"),
    ),
    Model(
        "correlated-t",
        "Bayesian correlated t test",
        _from("correlated_t"),
        options=("dataset", "test_fraction"),
        on_folds=True,
        one_dataset=True,
        readings=(),
        aliases=("correlated-t-test", "bayesian-correlated-t"),
    ),
    Model(
        "hierarchical",
        "Bayesian hierarchical model",
        _from("hierarchical"),
        options=("pair", "test_fraction"),
        on_folds=True,
        pair_by_pair=True,
        likeliest="on a new data set",
    ),
    Model(
        "outcomes",
        "Dirichlet model of right and wrong answers",
        _from("outcomes"),
        options=("dataset", "prior_strength"),
        on_items=True,
        binary=True,
        readings=("items",),
        aliases=("bayesian-mcnemar",),
    ),
    Model(
        "hierarchical-items",
        "Hierarchical model of differences over items",
        _from("hierarchical_items"),
        options=("over", "dataset", "pair", "prior_spread"),
        on_items=True,
        readings=("items", "datasets"),
        aliases=("hierarchical-tasks",),
    ),
    Model(
        "bradley-terry",
        "Bradley–Terry",
        _from("bradley_terry"),
        weighs_sizes=False,
        options=("ties",),
    ),
    Model(
        "plackett-luce",
        "Plackett–Luce",
        _from("plackett_luce"),
        weighs_sizes=False,
        options=("ties",),
    ),
)


def default_model(
    table: ScoreTable,
    *,
    rope: float | str | None = None,
    dataset: str | None = None,
    over: str | None = None,
) -> str:
    """Return the model to ask of a table when none is named.

    On one data set its folds decide: ``correlated-t``; where it has none, but items, these:
    ``outcomes`` where each is right or wrong, else ``hierarchical-items``. That is for the items
    of several data sets, too, if these are what would be drawn anew: where ``over`` says so, or
    on fewer than six. Over several data sets ``anova``; on an order scale ``plackett-luce``, and
    ``sign`` where a region is given, which says that there is none.

    >>> from palio.scores import ScoreTable
    >>> two = {"datasets": ["a", "b"], "algorithms": ["rf", "knn"]}
    >>> [
    ...     default_model(ScoreTable.from_arrays([[0.1, 0.2], [0.3, low]], **two, measure=name))
    ...     for name, low in (("error", 0.1), ("rmse", 0.1), ("rmse", -0.1))
    ... ]
    ['anova', 'anova', 'plackett-luce']
    """
    from palio.scores.items import items_of, usual_over

    if over == "items":
        items_of(table)
    if dataset is not None or table.n_datasets == 1:
        return _on_one(table, over)
    if over == "items" or (over is None and usual_over(table) == "items"):
        return "hierarchical-items"
    if not table.measure.is_ordinal:
        return "anova"
    return "plackett-luce" if rope in (None, "auto") else "sign"


def _on_one(table: ScoreTable, over: str | None) -> str:
    """Return the model of the folds of a data set, or of its items: right or wrong, or others."""
    items = table.items
    if items is None or over == "datasets":
        return "correlated-t"
    if over is None and items.repeats is None and _has_folds(table):
        return "correlated-t"
    one_by_one = items.cluster_of is None
    return "outcomes" if items.is_binary and one_by_one else "hierarchical-items"


def _has_folds(table: ScoreTable) -> bool:
    designs = [table.design(name) for name in table.datasets]
    return any(design.repeats * design.folds > 1 for design in designs)


def _check_reading(entry: Model, over: str | None) -> None:
    """Refuse what a model cannot take for drawn anew."""
    from palio.scores.items import check_over

    check_over(over)
    if over is not None and over not in entry.readings:
        where = {("items",): "over items", ("datasets",): "over data sets", (): "on folds"}
        fitting = joined([name for name, each in MODELS.items() if over in each.readings], "or")
        raise ParameterError(
            "over",
            f"model '{entry.name}' compares {where[entry.readings]}",
            f"{over!r} was given",
            f"ask {fitting}",
        )


def run_model(
    model: str | None,
    table: Tabular,
    *,
    rope: float | str | None = None,
    scale: str | None = None,
    **options: Any,
) -> Posterior:
    """Ask a model by its name, or the `default_model`; options that it does not take are refused.

    How probable is it that one of two algorithms is better, practically equal, or worse? Valid
    where the model is; each has a function of its own in `palio.bayes`.

    Parameters
    ----------
    model
        A name in `MODELS`, or None for the one that the table allows.
    table
        What :func:`palio.read_scores` takes.
    rope
        Half the region of practical equivalence; "auto" is what the table suggests, or the model's
        own, and what is taken unless given.
    scale
        What means the same on every data set: "difference", "ratio" or "order"; as the table has
        it unless given.
    **options
        Of the model, and ``draws``, ``seed`` and ``mass``; and options of
        :func:`palio.read_scores`, such as ``score``, where the table is yet to be read.

    Returns
    -------
    Posterior

    Examples
    --------
    >>> import palio
    >>> table = palio.load_study("ulas2008").select(algorithms=["svr", "c45"])
    >>> run_model("sign", table, rope=1.0, draws=2000)
    <Posterior: Bayesian sign test, 2 algorithms, 2000 draws, region ±1>
    """
    from palio.scores import as_table, reading_in

    table = as_table(table, reading_in(options, "dataset"), run_model, scale=scale)
    asked = {name: options[name] for name in ("dataset", "over") if name in options}
    entry = MODELS[default_model(table, rope=rope, **asked) if model is None else model]
    _check_reading(entry, options.get("over"))
    if "over" not in entry.options:
        options.pop("over", None)
    for name in options:
        if name not in (*entry.options, "draws", "seed", "mass"):
            takes = ", ".join((*entry.options, "scale", "draws", "seed", "mass"))
            raise ParameterError(name, f"model '{entry.name}' does not take it (it takes {takes})")
    found = entry.run(table, rope="auto" if rope is None else rope, **options)
    if model is None and not entry.weighs_sizes:
        why = f"{entry.name}, as for {table.measure.name} only who is better counts"
        return replace(found, notes=(why, *found.notes))
    return found
