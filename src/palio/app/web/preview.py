"""How a table is read, as a piece of the page: its first rows, the role of each column, and menus.

What a menu changes stands in its options, as in a link (see `replies.as_choice`).
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

import numpy as np

from palio.app.web.answers import encode
from palio.app.web.gaps import choice_buttons
from palio.app.web.worker import table_of
from palio.errors import InputError
from palio.report.elements import Html, breakable, tag
from palio.scores.columns import INDEX
from palio.scores.documents import tidied
from palio.scores.doubts import DUPLICATES
from palio.scores.inference import OF_MEASURES, agreeing_readings, main_score
from palio.scores.limits import held
from palio.scores.metrics import metric_column
from palio.scores.profiles import RUNS
from palio.scores.reading import prepared
from palio.scores.readings import Reading, TableProfile, readings_of, run_role
from palio.scores.sources import read_columns
from palio.scores.spec import KEYS, OF_ITEMS, Layout, field_texts
from palio.words import count, joined

if TYPE_CHECKING:
    from palio.app.web.tables import TableSource
    from palio.scores import ScoreTable
    from palio.scores.columns import Columns
    from palio.scores.sources import TableSource as Source
    from palio.scores.spec import ReadSpec

    Change = Mapping[str, Any]

_MAX_ROWS = 12
_MAX_COLUMNS = 60  # of a table with a column per data set, say
_MAX_LETTERS = 60  # of a cell

# Roles that a menu calls otherwise, and those with a colour of their own: others are about runs.
_CALLED = {
    "dataset": "data set",
    "cluster": "cluster of items",
    "metric": "measure's name",
    "step": "step of training",
    "turn": "turn of a conversation",
    "part": "part of the data",
    "other": "another measure",
    "unused": "not used",
}
_COLOURED = ("algorithm", "dataset", "result", "cost", "other", "unused")
_LAYOUTS = {
    "long": "a row per result",
    "datasets-in-rows": "a row per data set, a column per algorithm",
    "algorithms-in-rows": "a row per algorithm, a column per data set",
    "board": "a row per algorithm, a column per measure",
    "one": "a row per data set, of one algorithm",
}
_WIDE = ("datasets-in-rows", "algorithms-in-rows")


# --- what is seen -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class PreviewColumn:
    """A column: its role, whether it holds numbers, and its first cells."""

    name: str
    role: str
    is_number: bool
    cells: tuple[str, ...]

    @property
    def called(self) -> str:
        """What an option calls it."""
        return self.name or INDEX


@dataclass(frozen=True, slots=True)
class Preview:
    """A table as far as it is understood.

    ``layouts`` are those that readings of it have, ``measures`` the columns or names of measures
    among which it is asked about ``score``.
    """

    columns: tuple[PreviewColumn, ...]
    n_rows: int
    reading: Reading
    layouts: tuple[Layout, ...]
    measures: tuple[str, ...]
    score: str | None


def preview(source: Source, spec: ReadSpec, table: ScoreTable | None = None) -> Preview:
    """Look at a table as a spec has it read; what is wrong with the spec is left to reading.

    ``table`` is what was read by it, where it could be: that says which columns are used.

    >>> from palio import ReadSpec
    >>> seen = preview({"model": ["knn", "svm"], "zeal": [1.5, 2.5]}, ReadSpec())
    >>> [(column.name, column.role) for column in seen.columns]
    [('model', 'algorithm'), ('zeal', 'result')]
    """
    with held(spec.limits):
        read = read_columns(source, parameter="source", asked=spec.format)
        columns = tidied(replace(read, decimal=spec.decimal))
        readings = _readings(columns, spec) or [Reading("long", (), (), ())]
    best = readings[0]
    measures = _measures(columns, best)
    score = spec.score or (main_score(measures) if measures else None)
    profiles = TableProfile(columns)
    roles = _roles(profiles, best, spec, score)
    keys = {role: (name,) for role, name in spec.keys.items() if name is not None}
    if table is not None:
        keys |= {role: (name,) for role, name in table.how_read.roles if role in RUNS}
        unused = set(best.results).difference(table.algorithms, table.datasets)
        if best.layout not in OF_MEASURES and unused < set(best.results):  # means and the like
            roles |= dict.fromkeys(unused, "unused")
    for role, names in {**keys, "algorithm": best.algorithm, "dataset": best.dataset}.items():
        roles |= dict.fromkeys(_parts_of(columns, names), role)
    first = columns.take(np.arange(min(_MAX_ROWS, len(columns))))
    seen = tuple(
        PreviewColumn(name, roles[name], profiles[name].is_number, _cells(first, name))
        for name in columns.names
    )
    layouts = tuple(dict.fromkeys(each.layout for each in readings))
    return Preview(seen, len(columns), best, layouts, measures, score)


def _readings(columns: Columns, spec: ReadSpec) -> list[Reading]:
    """Return the readings that the spec leaves, or all if it leaves none."""
    known = columns.known
    if known.source:  # an importer knows its columns
        keys = [columns.find(role, getattr(spec, role)) for role in ("algorithm", "dataset")]
        algorithm, dataset = [() if name is None else (name,) for name in keys]
        results = tuple(filter(None, [spec.score or known.score]))
        return [Reading("long", algorithm, dataset, results, known.costs)]
    found: list[Reading] = []
    with contextlib.suppress(InputError):
        used, given, _ = prepared(columns, spec)
        found = agreeing_readings(used, given)
    return found or readings_of(columns, {})


def _measures(columns: Columns, reading: Reading) -> tuple[str, ...]:
    """Return the measures that can be asked about, by their columns or by a column of names."""
    if reading.layout not in OF_MEASURES:
        return ()
    what = metric_column(columns, reading.keys)
    if what is None or len(reading.results) > 1:
        return reading.results
    return tuple(filter(None, columns.labels_or_blank(what).names))


def _roles(
    table: TableProfile, reading: Reading, spec: ReadSpec, score: str | None
) -> dict[str, str]:
    """Return the roles of columns but for the keys, by their headings, the reading, the spec."""
    roles = {name: run_role(each) or "unused" for name, each in table.profiles.items()}
    used, others = reading.results, "result"
    if reading.layout not in OF_MEASURES and spec.results:
        used, others = spec.results, "unused"
    elif reading.layout in OF_MEASURES and score in used:
        used, others = (score,), "other"
    roles |= {**dict.fromkeys(reading.results, others), **dict.fromkeys(used, "result")}
    return roles | dict.fromkeys((*reading.costs, *spec.cost_columns), "cost")


def _parts_of(columns: Columns, names: Sequence[str]) -> tuple[str, ...]:
    """Return the columns that names are made of."""
    there = columns.values
    parts = [each for name in names for each in ([name] if name in there else name.split("+"))]
    return tuple("" if part == INDEX and "" in there else part for part in parts)


def _cells(columns: Columns, name: str) -> tuple[str, ...]:
    """Return the cells of a column as text; those that are missing are empty."""
    codes, found = columns.distinct(name)
    return tuple("" if code < 0 else str(found[code]) for code in codes.tolist())


# --- the piece of the page ----------------------------------------------------------------------


def preview_piece(source: TableSource) -> bytes:
    """Return the first rows of a table, the roles of its columns, and what can be changed."""
    table = None
    with contextlib.suppress(InputError):  # the page was told when it asked for the table
        table = table_of(source)
    seen = preview(source.place, source.spec, table)
    return encode({"html": _piece(source, seen)})


def _piece(source: TableSource, seen: Preview) -> Html:
    given = source.spec.given()
    rows = f"{count(seen.n_rows, 'row')}: {_LAYOUTS[seen.reading.layout]}."
    shown = len(seen.columns[0].cells) if seen.columns else 0
    if shown < seen.n_rows:
        rows += f" The first {shown} are shown."
    if len(seen.columns) > _MAX_COLUMNS:
        rows += f" So are the first {_MAX_COLUMNS} of {len(seen.columns)} columns."
    return tag(
        "div",
        tag("h2", "How the table is read", id="preview-title"),
        tag("p", rows, class_="quiet"),
        tag("div", *_menus(seen, given), class_="menus"),
        _table(seen, given),
        _anew(source),
        class_="card preview",
    )


# --- what is said of the whole table -------------------------------------------------------------


def _menus(seen: Preview, given: Change) -> Iterator[Html]:
    """Yield what can be said of the table as a whole."""
    if len(seen.layouts) > 1:
        layouts = {_LAYOUTS[each]: {"layout": each, "transpose": None} for each in seen.layouts}
        yield _field("Layout", _select("layout", layouts, _LAYOUTS[seen.reading.layout]))
    if seen.measures:
        scores = {each: {"score": each, "higher_is_better": None} for each in seen.measures}
        yield _field("Measure", _select("score", scores, seen.score or ""))
    else:
        hint = "accuracy, error, auc …"
        score = {"type": "text", "value": given.get("score", ""), "placeholder": hint}
        yield _field("Measure", tag("input", **score, data_field="score", data_key="score"))
    ways = {None: "as its name says", True: "higher is better", False: "lower is better"}
    rules = {
        "error": "refuse them",
        **{each.name: each.description for each in DUPLICATES.values()},
    }
    for label, name, texts, usual in (
        ("Direction", "higher_is_better", ways, None),
        ("Rows that contradict", "duplicates", rules, "error"),
    ):
        options = {text: {name: value} for value, text in texts.items()}
        yield _field(label, _select(name, options, texts[given.get(name, usual)]))


def _field(label: str, control: Html) -> Html:
    return tag("label", tag("span", label), control, class_="field")


def _select(key: str, options: Mapping[str, Change], now: str, label: str | None = None) -> Html:
    """Return a menu of changes by their texts; that of what is so already is empty."""
    choices = (
        tag("option", text, value="" if text == now else _written(change), selected=text == now)
        for text, change in options.items()
    )
    return tag("select", *choices, data_menu=True, data_key=f"preview {key}", aria_label=label)


def _written(change: Change) -> str:
    """Write a change as in a link; what is to be left out is empty."""
    texts = {name: [] if each is None else field_texts(each) for name, each in change.items()}
    return urlencode({name: each or [""] for name, each in texts.items()}, doseq=True)


# --- columns -------------------------------------------------------------------------------------


def _table(seen: Preview, given: Change) -> Html:
    """Return the first rows, the name and the role of each column on top."""
    columns = seen.columns[:_MAX_COLUMNS]
    head = [_heading(seen, given, column) for column in columns]
    rows = zip(*(column.cells for column in columns), strict=True)
    body = [
        tag("tr", *(tag("td", _short(cell), class_=_look(column))
                    for cell, column in zip(row, columns, strict=True)))
        for row in rows
    ]  # fmt: skip
    table = tag("table", tag("thead", tag("tr", *head)), tag("tbody", *body), class_="raw")
    label = "First rows of the table"
    return tag("div", table, class_="scroll", tabindex="0", role="region", aria_label=label)


def _heading(seen: Preview, given: Change, column: PreviewColumn) -> Html:
    now = _CALLED.get(column.role, column.role)
    changes = {now: {}, **dict(_changes(seen, given, column))}
    called = _short(column.name) or "a column without a name"
    menu = _select(f"role {column.name}", changes, now, f"Role of {called}")
    name = breakable(called) if column.name else tag("i", "no name")
    return tag("th", name, menu, scope="col", class_=_look(column))


def _look(column: PreviewColumn) -> str:
    colour = column.role if column.role in _COLOURED else "run"
    return f"role-{colour}{' number' if column.is_number else ''}"


def _short(text: str) -> str:
    return text if len(text) <= _MAX_LETTERS else f"{text[: _MAX_LETTERS - 1]}…"


def _changes(seen: Preview, given: Change, column: PreviewColumn) -> Iterator[tuple[str, Change]]:
    """Yield the other roles of a column, and what each changes of how the table is read."""
    free = _without(given, column.called)
    yield from _as_key(seen, free, column)
    results = [each.called for each in seen.columns if each.role == "result"]
    is_wide = seen.reading.layout in _WIDE
    if column.is_number and column.role != "result":
        asked = {"score": column.called, "higher_is_better": None}
        yield "result", free | ({"results": [*results, column.called]} if is_wide else asked)
    # A link names at most as many columns as are shown.
    is_one_less = is_wide and column.role == "result" and len(results) <= _MAX_COLUMNS
    less = free | ({"results": [x for x in results if x != column.called]} if is_one_less else {})
    if column.is_number and column.role != "cost":
        yield "cost", less | {"costs": [*_several(given, "costs"), column.called]}
    for role in ("fold", "repeat", "item"):
        if column.role != role:
            yield role, free | {role: column.called}
    if column.role != "unused" and less:
        yield _CALLED["unused"], less


def _as_key(seen: Preview, free: Change, column: PreviewColumn) -> Iterator[tuple[str, Change]]:
    """Yield the changes that let a column name algorithms or data sets, alone or with others.

    What names the others stays, so that one change is one change, or the two are swapped.
    """
    naming = ("algorithm", "dataset")
    keys = {x: [each.called for each in seen.columns if each.role == x] for x in naming}
    for role, other in (naming, naming[::-1]):
        kept = [each for each in keys[other] if each != column.called]
        kept = kept or (keys[role] if keys[other] else [])
        whole = dict.fromkeys(("layout", "transpose", "results"))
        change = {**free, **whole, other: "+".join(kept) or None}
        if keys[role] != [column.called]:
            yield _CALLED.get(role, role), {**change, role: column.called}
        if keys[role] and column.called not in keys[role]:
            together = f"{_CALLED.get(role, role)}, with {joined(keys[role])}"
            yield together, {**change, role: "+".join([*keys[role], column.called])}


def _without(given: Change, name: str) -> dict[str, Any]:
    """Return what must change so that nothing given is said of a column any more."""
    free: dict[str, Any] = {}
    for field in (*KEYS, *OF_ITEMS, "score", "costs", "results"):
        value = given.get(field)
        parts = value.split("+") if isinstance(value, str) else _several(given, field)
        if name in (value, *parts):
            rest = [part for part in parts if part != name]
            free[field] = ("+".join(rest) if isinstance(value, str) else rest) or None
    return free | ({"score": None, "higher_is_better": None} if "score" in free else {})


def _several(given: Change, name: str) -> list[str]:
    found = given.get(name, ())
    return list(found) if isinstance(found, list | tuple) else []  # costs may be another table


def _anew(source: TableSource) -> Html:
    """Offer to begin anew."""
    given = source.spec.given()
    said = [name for name, _ in source.linked]
    said += [name for name in ("score", "higher_is_better") if name in given]
    choices = [(_written(dict.fromkeys(said)), "Forget these choices")] if said else []
    return choice_buttons("Other ways to read the table", choices)
