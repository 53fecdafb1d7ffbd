"""What a figure is called, what it is drawn from, and what is said where it cannot be.

Nothing is drawn here, so that asking which figures there are does not load matplotlib.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar, cast

from palio.errors import ParameterError
from palio.registry import Later

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from palio.bayes.answer import PosteriorAnswer
    from palio.comparison.results import Comparison
    from palio.ordering.result import Ordering
    from palio.results import Result

Part = TypeVar("Part")


@dataclass(frozen=True)
class FigureKind:
    """A kind of figure; ``draw_…`` in the module of its name, or its ``home``, draws it.

    Parameters
    ----------
    name, title : str
        What it is called, and what it shows.
    kinds : tuple of str
        The kinds of results that it is drawn from.
    has : callable
        Whether a result of such a kind has what is drawn.
    needs : str
        What that is, in words: what is said where a result lacks it.
    options : tuple of str
        Its own options.
    titles : mapping
        What it shows of some kinds, where that is something else.
    tells : callable
        Whether the picture tells more than a sentence; where not, pages have the sentence alone.
    """

    name: str
    title: str
    kinds: tuple[str, ...]
    has: Callable[[Any], object]
    needs: str
    options: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    home: str = ""
    titles: Mapping[str, str] = field(default_factory=dict)
    tells: Callable[[Any], object] = lambda _: True

    def title_of(self, result: Result) -> str:
        """Say what it shows of a result."""
        return self.titles.get(result.kind, self.title)

    def complaint(self, result: Result) -> str | None:
        """Say why the figure cannot be drawn from a result, or nothing."""
        if result.kind not in self.kinds:
            wanted = " or ".join(self.kinds)
            article = "an" if wanted[0] in "aeiou" else "a"
            return f"{self.name!r} is drawn from {article} {wanted}, not from {result.kind!r}"
        return None if self.has(result) else f"{self.name!r} needs {self.needs}"

    def draw(self, result: Any, *, medium: str = "file", **options: Any) -> Figure:
        """Load what draws it, and draw for a medium, as `draw` has them."""
        for option in options:
            if option not in self.options:
                allowed = ", ".join(self.options) or "none"
                raise ParameterError(
                    option,
                    f"not an option of the figure {self.name!r}, whose options are: {allowed}",
                )
        from palio.report.figures import style

        name = self.name.replace("-", "_")
        drawn: Later[..., Figure] = Later(f"{__package__}.{self.home or name}:draw_{name}")
        with style.drawn_for(medium):
            return drawn(result, **options)


def compared(result: Comparison | Ordering) -> bool:
    """Whether there is a comparison over data sets."""
    comparison = comparison_of(result)
    return comparison is not None and comparison.over == "datasets"


def comparison_of(result: Comparison | Ordering) -> Comparison:
    """Return the comparison, be it the result itself or inside an ordering."""
    inner = result if result.kind == "comparison" else cast("Ordering", result).comparison
    return cast("Comparison", inner)


def present(part: Part | None) -> Part:
    """Return a part that ``has`` has seen to be there."""
    return cast("Part", part)


MOST_NODES = 30
"""On a line of more nodes than this arcs cannot be told apart: one and its neighbours are shown."""


def has_graph(ordering: Ordering) -> bool:
    """Whether there is a prior order, and of many algorithms something to show of it."""
    k = len(ordering.prior or ())
    return 0 < k <= MOST_NODES or bool(k and ordering.overridden)


def has_pairs(result: Comparison | Ordering) -> bool:
    """Whether there are pairs of algorithms."""
    comparison = comparison_of(result)
    return comparison is not None and comparison.n_pairs > 0


def has_wins(result: Comparison | Ordering) -> bool:
    """Whether there are pairs of algorithms over data sets, each of which one wins."""
    return compared(result) and has_pairs(result)


def has_scores(result: Comparison | Ordering) -> bool:
    """Whether there is a data set on which every algorithm has a score."""
    return compared(result) and bool(comparison_of(result).complete.datasets)


def has_any_score(result: Comparison | Ordering) -> bool:
    """Whether there are scores on data sets; where only p-values were published there are none."""
    return compared(result) and not comparison_of(result).compared.is_empty


def has_forest(result: PosteriorAnswer | Comparison | Ordering) -> bool:
    """Whether there are effects of all algorithms, or pairs whose differences have a unit."""
    if result.kind == "posterior":
        return bool(cast("PosteriorAnswer", result).effects)
    pairs = cast("Comparison | Ordering", result)
    if not has_pairs(pairs):
        return False
    found = comparison_of(pairs)
    if found.over == "folds" or found.compared.is_empty:
        return False
    return not found.measure.is_ordinal


def has_sizes(result: Comparison | Ordering) -> bool:
    """Whether there are scores that mean the same on every data set."""
    return has_scores(result) and not comparison_of(result).measure.is_ordinal
