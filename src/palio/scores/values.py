"""Which columns of a long table are scores, which are costs, and which are left out."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from palio.errors import ColumnError, ParameterError
from palio.measures import is_inner_cv, is_known_cost, is_known_score
from palio.scores.cells import Numbers, numbers_of
from palio.words import listed, quoted

if TYPE_CHECKING:
    from palio.scores.columns import Columns
    from palio.types import FloatArray

__all__ = ["Values", "choose_values"]


@dataclass(frozen=True, slots=True, eq=False)
class Values:
    """The columns of numbers, sorted out; ``score`` is the one asked about."""

    score: str
    scores: Mapping[str, FloatArray]
    costs: Mapping[str, FloatArray]
    notes: tuple[str, ...]


def choose_values(
    columns: Columns, keys: Collection[str], score: str | None, costs: tuple[str, ...]
) -> Values:
    """Sort out the columns that are not keys; the names given exist and are not keys."""
    score = None if score is None else score.strip()
    asked = tuple(name.strip() for name in costs)
    if score in asked:
        raise ParameterError(
            "costs", f"{score!r} is the score already", remedy="it cannot also be a cost"
        )
    numbers = {
        name: numbers_of(column) for name, column in columns.values.items() if name not in keys
    }
    known = [
        name
        for name, column in numbers.items()
        if is_known_cost(name)
        and name not in (score, *asked)
        and (column.is_numeric or column.is_meant_numeric)
    ]
    others = {
        name: column for name, column in numbers.items() if name not in (*asked, *known) and name
    }
    candidates = [name for name, column in others.items() if _may_be_score(name, column)]
    chosen = score if score is not None else _pick(candidates, [*asked, *known], columns)
    origin = columns.origin
    scores = {
        name: others[name].checked(name, origin)
        for name in others
        if name == chosen or others[name].is_numeric
    }
    return Values(
        score=chosen,
        scores=scores,
        costs={name: numbers[name].checked(name, origin) for name in (*asked, *known)},
        notes=(
            *_notes_on_costs(known),
            *_notes_on_scores(chosen, scores, given=score is not None),
            *_notes_on_unused(
                [name for name in numbers if name not in scores], numbers, asked, known
            ),
        ),
    )


def _may_be_score(name: str, column: Numbers) -> bool:
    if column.is_empty or not name:
        return False
    return column.is_numeric or column.is_meant_numeric or is_known_score(name)


def _pick(candidates: list[str], costs: list[str], columns: Columns) -> str:
    """Return the one column that can only be the score."""
    if len(candidates) == 1:
        return candidates[0]
    # What chose the hyper-parameters stands beside the score, never for it.
    well_known = [name for name in candidates if is_known_score(name) and not is_inner_cv(name)]
    if len(well_known) == 1:
        return well_known[0]
    origin = columns.origin.name
    if candidates:
        raise ColumnError(
            "score",
            f"several columns of {origin} could be the score: {quoted(candidates, limit=20)}",
            remedy="Say which with score=",
        )
    but = f" ({quoted(costs)} {'is a cost' if len(costs) == 1 else 'are costs'})" if costs else ""
    raise ColumnError(
        "score",
        f"{origin} has no column of numbers for the score{but}",
        remedy=(
            f"Its columns are {quoted(columns.names, limit=20)}. Add one, or say which with score="
        ),
    )


def _notes_on_costs(known: list[str]) -> list[str]:
    return [f"Recognised as costs by name: {listed(known, limit=20)}."] if known else []


def _notes_on_scores(chosen: str, scores: Collection[str], *, given: bool) -> list[str]:
    rest = [name for name in scores if name != chosen]
    if not rest:
        return []
    why = "" if given else ", the only column with a well-known name"
    return [f"The score is {chosen}{why}; the table also has {listed(rest, limit=20)}."]


def _notes_on_unused(
    names: list[str], numbers: Mapping[str, Numbers], asked: Collection[str], known: list[str]
) -> list[str]:
    left = [name for name in names if name not in asked and name not in known]
    empty = [name for name in left if name and numbers[name].is_empty]
    text = [name for name in left if name and not numbers[name].is_empty]
    notes = []
    if text:
        notes.append(f"Columns not used because they hold text: {listed(text, limit=20)}.")
    if empty:
        notes.append(f"Columns not used because they are empty: {listed(empty, limit=20)}.")
    if "" in left:
        notes.append("A column without a name is not used.")
    return notes
