"""A page for every public name, which Sphinx fills from its docstring."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from functools import cache

import palio
from palio import errors

__all__ = ["FOLDER", "GROUPS", "homes", "names", "pages"]

FOLDER = "reference/api"

GROUPS: dict[str, tuple[str, ...]] = {
    "Tables": (
        "read_scores", "ReadSpec", "read_items", "read_predictions",
        "read_stored_predictions", "load_study", "ScoreTable", "ItemScores", "Predictions",
        "Measure",
    ),
    "Who differs, and how sure": (
        "compare", "compare_folds", "compare_predictions", "audit", "variance", "power",
        "aggregate", "Comparison", "Audit", "Variance", "Aggregates", "Posterior",
    ),
    "In what order, at what cost": (
        "order", "multitest", "multi2test", "multitest_batch", "find_best", "Ordering",
    ),
    "What to try first": (
        "rank", "evaluate_rankings", "rank_stability", "recommend", "evaluate_recommendation",
        "try_in_order", "Recommendation",
    ),
    "Experiments": ("run", "Dataset", "merge_stores", "tuned", "FreeSearchCV"),
    "To show others": ("analyse", "draw", "report_schema", "Question", "Report"),
    "Published studies": ("reproduce", "Reproduction"),
}  # fmt: skip
"""The names of `palio` itself, as people look for them; those of its modules follow."""


def names() -> dict[str, list[str]]:
    """Return every public name with its module, by group."""
    grouped = {title: [f"palio.{name}" for name in group] for title, group in GROUPS.items()}
    for name in sorted(palio.__all__):
        module = getattr(palio, name)
        if inspect.ismodule(module):
            grouped[f"palio.{name}"] = [
                f"palio.{name}.{each}" for each in _exported(module) if each not in palio.__all__
            ]
    return grouped


@cache
def homes() -> dict[str, str]:
    """Return under which public name each object is documented, by where it is written."""
    return {
        f"{thing.__module__}.{thing.__qualname__}": name
        for group in names().values()
        for name in group
        if hasattr(thing := _thing(name), "__qualname__")
    }


def pages() -> Iterator[tuple[str, str]]:
    """Yield the list of all names, and a page for each."""
    grouped = names()
    yield f"{FOLDER}/index.rst", _index(grouped)
    for group in grouped.values():
        for name in group:
            yield f"{FOLDER}/{name}.rst", _page(name)


def _exported(module: object) -> list[str]:
    if module is errors:
        return [
            name
            for name, thing in vars(errors).items()
            if isinstance(thing, type) and issubclass(thing, Exception)
        ]
    return sorted(module.__all__)  # type: ignore[attr-defined]


def _thing(name: str) -> object:
    thing: object = palio
    for part in name.split(".")[1:]:
        thing = getattr(thing, part)
    return thing


def _index(grouped: dict[str, list[str]]) -> str:
    sections = []
    for title, group in grouped.items():
        module = getattr(palio, title.removeprefix("palio."), None)
        said = (
            (inspect.getdoc(module) or "").split("\n\n", 1)[0] if inspect.ismodule(module) else ""
        )
        listed = "\n   ".join(group)
        sections.append(
            f"{title}\n{'-' * len(title)}\n\n{said}\n\n"
            f".. autosummary::\n   :toctree: .\n\n   {listed}\n"
        )
    return "\n".join(
        [
            "Python",
            "======",
            "",
            "Every public name, with its parameters and an example. Whatever takes a table takes "
            "what :func:`palio.read_scores` takes.",
            "",
            *sections,
        ]
    )


def _page(name: str) -> str:
    thing, (module, _, short) = _thing(name), name.rpartition(".")
    head = f"{name}\n{'=' * len(name)}\n\n.. currentmodule:: {module}\n\n"
    if not isinstance(thing, type):
        return head + f".. auto{'function' if inspect.isroutine(thing) else 'data'}:: {short}\n"
    foreign = [each.__name__ for each in thing.__mro__ if not each.__module__.startswith("palio")]
    kind = "exception" if issubclass(thing, Exception) else "class"
    return head + (
        f".. auto{kind}:: {short}\n   :members:\n   :inherited-members: {', '.join(foreign)}\n"
    )
