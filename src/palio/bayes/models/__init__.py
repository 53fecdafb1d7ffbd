"""The models by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from palio.errors import ParameterError
from palio.registry import Later, Registry

if TYPE_CHECKING:
    from palio.bayes.posterior import Posterior
    from palio.scores import ScoreTable

__all__ = ["MODELS", "Model", "run_model"]


@dataclass(frozen=True)
class Model:
    """An entry of the registry.

    ``rope`` is the region it takes when none is given; ``options`` are what it takes besides
    ``draws``, ``seed`` and ``mass``. ``on_folds`` needs the scores of the folds, ``one_dataset``
    is about a single data set, and ``pair_by_pair`` samples every pair anew, which takes long.
    """

    name: str
    title: str
    run: Callable[..., Posterior]
    rope: float | str = "auto"
    options: tuple[str, ...] = ()
    on_folds: bool = False
    one_dataset: bool = False
    pair_by_pair: bool = False


def _from(module: str) -> Callable[..., Posterior]:
    """Return the function of a module here, which is loaded when it is first asked."""
    return Later(f"palio.bayes.models.{module}:{module}")


MODELS: Registry[Model] = Registry.of(
    "model",
    Model("anova", "Bayesian analysis of variance", _from("anova"), options=("robust",)),
    Model("sign", "Bayesian sign test", _from("sign"), options=("prior_strength", "prior_place")),
    Model(
        "signed-rank",
        "Bayesian signed-rank test",
        _from("signed_rank"),
        options=("prior_strength", "prior_place"),
    ),
    Model(
        "correlated-t",
        "Bayesian correlated t test",
        _from("correlated_t"),
        options=("dataset", "test_fraction"),
        on_folds=True,
        one_dataset=True,
    ),
    Model(
        "hierarchical",
        "Bayesian hierarchical model",
        _from("hierarchical"),
        options=("pair", "test_fraction"),
        on_folds=True,
        pair_by_pair=True,
    ),
    Model("bradley-terry", "Bradley–Terry", _from("bradley_terry"), rope=0.05, options=("ties",)),
    Model("plackett-luce", "Plackett–Luce", _from("plackett_luce"), rope=0.05, options=("ties",)),
)


def run_model(
    model: str, table: ScoreTable, *, rope: float | str | None = None, **options: Any
) -> Posterior:
    """Ask a model by its name; options that it does not take are refused."""
    entry = MODELS[model]
    for name in options:
        if name not in (*entry.options, "draws", "seed", "mass"):
            takes = ", ".join((*entry.options, "draws", "seed", "mass"))
            raise ParameterError(name, f"model '{model}' does not take it (it takes {takes})")
    return entry.run(table, rope=entry.rope if rope is None else rope, **options)
