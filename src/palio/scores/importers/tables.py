"""Ordinary tables in several files: what a table does not say, the name of its file does."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Sequence
from dataclasses import replace
from pathlib import Path

from palio.errors import ColumnError
from palio.measures import is_known_cost, is_known_score
from palio.scores.alone import are_runs
from palio.scores.columns import Columns, Texts, squeezed
from palio.scores.formats.packing import plain_name
from palio.scores.importers.several import stacked
from palio.scores.roles import ROLES, plays_a_role, repeats_items
from palio.words import count, listed, quoted

_SEPARATORS = "_-. /"


def gathered(tables: Sequence[Columns], paths: Sequence[Path], name: str) -> Columns:
    """Put tables below each other, each with the algorithm, data set or run it is of.

    A file is of an algorithm if its columns name data sets and measures only, of a data set if
    they name algorithms and no data sets, and of a run if it has results that another has too.
    One that names items only is of an algorithm, or of a data set if it has a column for each.
    Items of one name in files of several algorithms are others. Files that name one algorithm each
    are one table, if no result is in two of them.
    """
    tables, left = _of_one_kind(tables, paths, name)
    if not any(_column(tables[0], role) for role in ("dataset", "algorithm", "item")):
        return _by_places(tables, paths, name, left)
    role = _role_of_files(tables)
    if role is None:
        own = [path.name for path in paths]
        shown = own if len(set(own)) == len(own) else names_of_files(paths)
        told = f"{count(len(paths), 'file')}, one table: {listed(shown)}."
        return _noted(stacked(tables, name), told, *left)
    names = names_of_files(paths)
    if role == "dataset":
        names = _without_algorithms(names, tables)
    parts = [
        replace(table, values={role: Texts([each] * len(table)), **table.values})
        for table, each in zip(tables, names, strict=True)
    ]
    told = f"{count(len(paths), 'file')}, each of one {_CALLED[role]}: {listed(names)}."
    return _noted(stacked(parts, name), told, *left)


_CALLED = {"algorithm": "algorithm", "dataset": "data set", "repeat": "repeat"}


def _of_one_kind(
    tables: Sequence[Columns], paths: Sequence[Path], name: str
) -> tuple[Sequence[Columns], tuple[str, ...]]:
    """Return the tables with the columns that all have; and what is left out.

    They must have the same roles, and a measure: costs in one are not results of another.
    """
    first, names = set(tables[0].names), names_of_files(paths)
    shared = first.intersection(*(table.names for table in tables))
    for table, other in zip(tables, names, strict=True):
        differing = sorted(first ^ set(table.names))
        if any(map(plays_a_role, differing)) or (
            differing and not (any(map(is_known_score, shared)) or _are_long(table, shared))
        ):
            raise ColumnError(
                "source",
                f"the files of {name} are not of one kind: of {names[0]!r} and {other!r} only one "
                f"has {quoted(differing)}",
                remedy="Give those that belong together, as a list or a pattern such as '*.csv'",
            )
    left = list(dict.fromkeys(n for table in tables for n in table.names if n not in shared))
    if not left:
        return tables, ()
    kept = [
        replace(table, values={n: v for n, v in table.values.items() if n in shared})
        for table in tables
    ]
    few = listed(left, limit=20 if len(left) <= 20 else 5)
    return kept, (f"Left out, because not all files have them: {few}.",)


def _are_long(table: Columns, shared: Collection[str]) -> bool:
    """Return whether a table has several rows of a name, with text and numbers in what is shared.

    Where a column is an algorithm or a data set, none may be left out.
    """
    names = [found for role in ("dataset", "algorithm") if (found := _column(table, role))]
    others = [each for each in shared if not (plays_a_role(each) or is_known_cost(each))]
    text = [each for each in others if table.numbers(each).is_text]
    numbers = [each for each in others if table.numbers(each).is_numeric]
    return bool(names and text and numbers) and table.have_twins(names)


def _noted(table: Columns, *notes: str) -> Columns:
    return replace(table, notes=(*notes, *table.notes))


def _by_places(
    tables: Sequence[Columns], paths: Sequence[Path], name: str, notes: Sequence[str]
) -> Columns:
    """Put tables that name nothing below each other, with columns of where they are."""
    places = places_of_files(paths)
    parts = [
        replace(
            table,
            values={
                **{each: Texts([cells[row]] * len(table)) for each, cells in places.items()},
                **table.values,
            },
        )
        for row, table in enumerate(tables)
    ]
    return replace(_noted(stacked(parts, name), *notes), whereabouts=tuple(places))


def _role_of_files(tables: Sequence[Columns]) -> str | None:
    """Return the role that the names of the files play, if any."""
    first = tables[0]  # all have the same columns
    dataset, algorithm = (_column(first, role) for role in ("dataset", "algorithm"))
    if dataset is None and algorithm is None:
        return "algorithm" if _has_measures(first) else "dataset"
    if algorithm is None and (_has_measures(first) or _has_runs(first, dataset)):
        return "algorithm"
    if dataset is None and _say_what_they_are(tables):
        return None
    if dataset is None:
        items = _column(first, "item") is not None
        return "dataset" if items or _has_measures(first) else None
    if algorithm is None and _are_named_within(tables):
        return None
    return "repeat" if _same_again(tables) else None


def _are_named_within(tables: Sequence[Columns]) -> bool:
    """Return whether a column of text has one name in each file, and another in each."""
    for name in tables[0].names:
        if plays_a_role(name) or not all(table.are_names(name) for table in tables):
            continue
        each = [set(table.labels_or_blank(name).names[:-1]) for table in tables]
        if len(set.union(*each)) == len(tables) == sum(map(len, each)):
            return True
    return False


def _column(table: Columns, role: str) -> str | None:
    """Return the column that plays a role, by its own name or by one that people use."""
    used = (name for name in table.names if squeezed(name) in ROLES[role])
    return table.find(role) or next((name for name in used if _may_name(table, name)), None)


def _may_name(table: Columns, name: str) -> bool:
    numbers = table.numbers(name)
    return not numbers.is_empty and not numbers.has_decimals


def _has_measures(table: Columns) -> bool:
    """Return whether columns hold measures, and not each an algorithm or a data set."""
    others = [name for name in table.names if not plays_a_role(name)]
    return len(others) == 1 or any(is_known_score(each) or is_known_cost(each) for each in others)


def _has_runs(table: Columns, dataset: str | None) -> bool:
    return are_runs([name for name in table.names if name != dataset])


def _say_what_they_are(tables: Sequence[Columns]) -> bool:
    """Return whether files name a run or judge each, or an algorithm and no result twice."""
    columns = [name for name in tables[0].names if _tells_runs(tables[0], name)]
    for name in columns:
        each = [set(table.labels_or_blank(name).names[:-1]) for table in tables]
        if all(len(own) == 1 for own in each) and len(set.union(*each)) > 1:
            return True
    algorithm, item = (_column(tables[0], role) for role in ("algorithm", "item"))
    if algorithm is None or _algorithm_of_each(tables) is None:
        return False
    keys = [algorithm, *([item] if item else []), *columns]
    return len(tables) > 1 and not _shared_results(tables, keys)


def _tells_runs(table: Columns, name: str) -> bool:
    runs = ROLES["repeat"] | ROLES["seed"]
    return (squeezed(name) in runs or repeats_items(name)) and name not in table.nested


def _algorithm_of_each(tables: Sequence[Columns]) -> list[str] | None:
    """Return the one algorithm that each file names, if all name one."""
    algorithm = _column(tables[0], "algorithm")
    if algorithm is None:
        return None
    named = [table.coded(algorithm).names for table in tables]
    return [each[0] for each in named] if all(len(each) == 1 for each in named) else None


def _without_algorithms(names: list[str], tables: Sequence[Columns]) -> list[str]:
    """Return what the names of files tell besides the one algorithm that each file names."""
    own = _algorithm_of_each(tables)
    if own is None:
        return names
    rest = [
        re.sub(re.escape(algorithm), "", name, count=1, flags=re.IGNORECASE).strip(_SEPARATORS)
        for name, algorithm in zip(names, own, strict=True)
    ]
    pairs = set(zip(own, rest, strict=True))
    return rest if all(rest) and len(pairs) == len(names) else names


def _same_again(tables: Sequence[Columns]) -> bool:
    """Return whether results of one file are in another too, in tables that number no runs."""
    if any(_column(tables[0], role) for role in ("repeat", "seed", "item")):
        return False
    roles = ("dataset", "algorithm", "fold")
    keys = [found for role in roles if (found := _column(tables[0], role))]
    return _shared_results(tables, keys)


def _shared_results(tables: Sequence[Columns], keys: Sequence[str]) -> bool:
    """Return whether files have the same in all of these columns."""
    seen: set[tuple[str, ...]] = set()
    for table in tables:
        coded = [table.labels_or_blank(key) for key in keys]
        own = {tuple(each.name(row) for each in coded) for row in range(len(table))}
        if seen & own:
            return True
        seen |= own
    return False


def names_of_files(paths: Sequence[Path]) -> list[str]:
    """Return what tells files apart: their names without endings and what all have in common.

    >>> names_of_files([Path("knn_results.csv"), Path("tree_results.csv.gz")])
    ['knn', 'tree']
    >>> names_of_files([Path("a/x.csv"), Path("b/x.csv")])
    ['a', 'b']
    """
    stems = _stems(paths)
    before = _shared_beginning(stems)
    stems = [stem[len(before) :] for stem in stems]
    after = _shared_beginning([stem[::-1] for stem in stems])
    cut = [stem[: len(stem) - len(after)] for stem in stems]
    return cut if all(cut) else stems


def places_of_files(paths: Sequence[Path]) -> dict[str, list[str]]:
    """Return what tells files apart: in which folder each is, level by level, and its name.

    >>> places_of_files([Path("runs/knn/iris.csv"), Path("runs/svm/iris.csv")])
    {'folder': ['knn', 'svm']}
    """
    stems = [stem.split("/") for stem in _stems(paths)]
    if len({len(parts) for parts in stems}) > 1:  # not as deep as each other
        return {"file": ["/".join(parts) for parts in stems]}
    *folders, files = [list(level) for level in zip(*stems, strict=True)]
    folders = [level for level in folders if len(set(level)) > 1]
    found = {f"folder{n}" if len(folders) > 1 else "folder": x for n, x in enumerate(folders, 1)}
    return found if found and len(set(files)) == 1 else {**found, "file": files}


def _stems(paths: Sequence[Path]) -> list[str]:
    """Return the paths without endings, below the folder that all are in."""
    whole = [path.absolute() for path in paths]
    try:
        base = os.path.commonpath([path.parent for path in whole])
    except ValueError:  # on several drives of Windows
        return [_stem(path) for path in whole]
    return [_stem(Path(os.path.relpath(path, base))) for path in whole]


def _stem(path: Path) -> str:
    return path.with_name(plain_name(path.name)).with_suffix("").as_posix()


def _shared_beginning(names: Sequence[str]) -> str:
    """Return how all names begin, up to a separator.

    >>> _shared_beginning(["run_1_knn", "run_1_kernel"])
    'run_1_'
    """
    letters = zip(*names, strict=False)
    size = next((n for n, each in enumerate(letters) if len(set(each)) > 1), min(map(len, names)))
    return re.sub(rf"[^{re.escape(_SEPARATORS)}]*\Z", "", names[0][:size])
