"""From a result to what a person reads: one view per kind of result."""

from __future__ import annotations

from collections.abc import Callable

from palio.registry import Later, Registry
from palio.report.blocks import Block
from palio.results import Result, answer_of

__all__ = ["VIEWS", "view"]


def _in(module: str, *kinds: str) -> dict[str, Callable[..., list[Block]]]:
    """Enter the views of a module here, functions named as the kinds; it is loaded when needed."""
    return {kind: Later(f"{__name__}.{module}:{kind.replace('-', '_')}") for kind in kinds}


VIEWS: Registry[Callable[..., list[Block]]] = Registry(
    "kind",
    {
        **_in("comparisons", "audit", "comparison", "fold-comparison", "power", "test"),
        **_in("comparisons", "prediction-comparison"),
        **_in("estimates", "aggregates", "variance"),
        **_in("experiments", "algorithms", "final", "merged", "plan", "status"),
        **_in("orderings", "best", "ordering", "rank-stability", "ranking", "ranking-evaluation"),
        **_in("posteriors", "posterior", "rope"),
        **_in("recommendations", "recommendation", "recommendation-evaluation", "trials"),
        **_in("reports", "concordance", "overview", "report", "reproduction", "reading"),
    },
)


def view(result: Result) -> list[Block]:
    """Lay a result out as blocks."""
    answer = answer_of(result)
    return VIEWS[answer.kind](answer)
