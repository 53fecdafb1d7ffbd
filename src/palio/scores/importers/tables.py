"""Tables in several files, and the tables that benchmarks publish."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from palio.errors import ColumnError, UnreadableError
from palio.measures import is_known_cost, is_known_score, measure_named
from palio.scores import limits
from palio.scores.columns import CodedTexts, Columns, Known, Origin, Texts
from palio.scores.formats import opened, plain_name, read_file, text_of
from palio.scores.formats.text import read_quoted
from palio.scores.frames import from_pandas
from palio.scores.profiles import profile_of
from palio.scores.roles import are_runs, plays_a_role, repeats_items
from palio.scores.selection import with_joined
from palio.scores.vocabulary import algorithm_share, has_role
from palio.words import count, listed, quoted

if TYPE_CHECKING:
    from palio.scores.columns import Column
    from palio.types import FloatArray


_SEPARATORS = "_-. /"
_FILE = "\tfile"  # the number of the file of each row; no column of a file has such a name


def gathered(tables: Sequence[Columns], paths: Sequence[Path], name: str) -> Columns:
    """Put tables below each other, each with the algorithm, data set or run it is of.

    A file is of an algorithm if its columns name data sets and measures only, of a data set if
    they name algorithms and no data sets, and of a run if it has results that another has too.
    One that names items only is of an algorithm, or of a data set if it has a column for each.
    Items of one name in files of several algorithms are others. Files that name one algorithm each
    are one table, if no result is in two of them.
    """
    shared = _of_one_kind(tables, paths, name)
    numbers = [str(number) for number in range(len(tables))]
    file = np.repeat(np.arange(len(tables)), [len(table) for table in tables])
    whole = stacked(tables, name)
    names_nothing = not any(_column(whole, each) for each in ("dataset", "algorithm", "item"))
    names, own = names_of_files(paths), [path.name for path in paths]
    labels, told = dict[str, list[str]](), list[str]()
    if names_nothing:
        labels = places_of_files(paths)
    else:
        of_files = {**whole.values, _FILE: CodedTexts(file, numbers)}
        role = _role_of_files(replace(whole, values=of_files), names)
        kind = f"one table: {listed(own if len(set(own)) == len(own) else names)}"
        if role is not None:
            labels[role] = _without_algorithms(names, tables) if role == "dataset" else names
            before = set(whole.names)
            whole = _as_datasets(whole) if role == "algorithm" else whole
            shared |= set(whole.names) - before
            what = "data set" if role == "dataset" else role
            kind = f"each of one {what}: {listed(labels[role])}"
        told.append(f"{count(len(paths), 'file')}, {kind}.")
    given = {role: Texts([cells[at] for at in file.tolist()]) for role, cells in labels.items()}
    found, spread = _with_tasks(replace(whole, values={**given, **whole.values}))
    lacking = [each for each in found.names if each in whole.names and each not in shared]
    if lacking:
        few = listed(lacking, limit=20 if len(lacking) <= 20 else 5)
        told.append(f"Not in all files, and missing where they lack it: {few}.")
    places = tuple(labels) if names_nothing else ()
    return replace(found, notes=(*told, *spread, *whole.notes), whereabouts=places)


def _of_one_kind(tables: Sequence[Columns], paths: Sequence[Path], name: str) -> set[str]:
    """Return the columns that all tables have; refuse tables that do not belong together.

    They must have the same roles, and results in common: costs of one are not results of another.
    """
    first, names = set(tables[0].names), names_of_files(paths)
    shared = first.intersection(*(table.names for table in tables))
    others = [each for each in shared if not (plays_a_role(each) or is_known_cost(each))]
    have_results = any(map(is_known_score, others)) or any(
        table.numbers(each).with_truths().is_numeric or each in table.nested
        for each in others
        for table in tables
    )
    for table, other in zip(tables, names, strict=True):
        differing = sorted(first ^ set(table.names))
        if any(map(plays_a_role, differing)) or (differing and not have_results):
            rule = f"the files of {name} are not of one kind: of {names[0]!r} and {other!r} only "
            remedy = "Give those that belong together, as a list or a pattern such as '*.csv'"
            raise ColumnError("source", f"{rule}one has {quoted(differing)}", remedy=remedy)
    return shared


def _with_tasks(table: Columns) -> tuple[Columns, list[str]]:
    """Give lists of numbers that are as long in every row a column for each place: a task.

    Lists within it are repeats, a row each.
    """
    import pandas as pd

    found = {each: _as_tasks(list(cast("Any", table.values[each]))) for each in table.nested}
    lists = {each: array for each, array in found.items() if array is not None}
    sizes = {array.shape[2] for array in lists.values()}
    n_repeats = max(sizes, default=1)
    if not lists or sizes - {1, n_repeats} or "repeat" in table.names:
        return table, []
    left = [
        name
        for name in table.names
        if table.numbers(name).is_numeric and not (is_known_cost(name) or plays_a_role(name))
    ]
    rows = table.take(np.repeat(np.arange(len(table)), n_repeats)).without([*lists, *left])
    values = dict(rows.values)
    if n_repeats > 1:
        values["repeat"] = Texts([str(n + 1) for n in range(n_repeats)] * len(table))
    for name, array in lists.items():
        spread = np.broadcast_to(array, (*array.shape[:2], n_repeats))
        for place in range(array.shape[1]):
            values[f"{name}.{place}"] = pd.Series(spread[:, place].ravel())
    told = [f"{each} (from {each}.0 to {each}.{lists[each].shape[1] - 1})" for each in lists]
    within = f"; the {n_repeats} numbers in each place are repeats" if n_repeats > 1 else ""
    notes = [f"Lists of numbers, of which each place is taken as a task: {listed(told)}{within}."]
    notes += note_on("Left out, as numbers of a file as a whole and not of its tasks", left)
    return replace(rows, values=values), notes


def _as_tasks(cells: Sequence[Any]) -> FloatArray | None:
    """Return the numbers in lists of one length, by row, place and repeat; null is missing."""
    places = [value for cell in cells if isinstance(cell, list) for value in cell]
    n_repeats = max((len(value) for value in places if isinstance(value, list)), default=1)
    try:
        found = np.array(
            [[x if isinstance(x, list) else [x] * n_repeats for x in cell] for cell in cells],
            dtype=float,
        )
    except (TypeError, ValueError):  # not lists of numbers, or not as long as each other
        return None
    are_lists = len(places) == found[..., 0].size and not any(isinstance(x, str) for x in places)
    return found if are_lists and found.shape[1] > 1 else None


def _role_of_files(whole: Columns, names_of: Sequence[str]) -> str | None:
    """Return the role that the names of the files play, if any."""
    n_files = len(names_of)

    def ways(*names: str | None) -> int:
        return whole.n_distinct([name for name in names if name is not None])

    def one_each(name: str | None) -> bool:
        return ways(name, _FILE) == n_files

    dataset, algorithm, item = (_column(whole, each) for each in ("dataset", "algorithm", "item"))
    names = [name for name in whole.names if name != _FILE]
    # Columns hold measures, and not each an algorithm or a data set.
    others = [name for name in names if not plays_a_role(name)]
    of_measures = len(others) == 1 or any(is_known_score(n) or is_known_cost(n) for n in others)
    if algorithm is None:
        if of_measures or (dataset and are_runs([name for name in names if name != dataset])):
            return "algorithm"
        if dataset is None:
            return "dataset"
    if dataset is None:
        runs = [n for n in names if has_role(n, "seed") or repeats_items(n)]
        runs = [name for name in runs if name not in whole.nested]
        keys = [algorithm, item, *runs]
        are_apart = one_each(algorithm) and ways(*keys, _FILE) == ways(*keys)
        of_runs = any(one_each(name) and ways(name) > 1 for name in runs)
        return None if of_runs or are_apart or not (item or of_measures) else "dataset"
    kinds = {name: profile_of(whole, name).kind for name in others if algorithm is None}
    of_text = [name for name, kind in kinds.items() if kind == "name"]
    if any(one_each(name) and ways(name) == n_files for name in of_text):
        return None
    if any(_column(whole, each) for each in ("repeat", "seed", "item")):
        return None
    keys = [dataset, algorithm, _column(whole, "fold")]
    if ways(*keys, _FILE) == ways(*keys):
        return None
    # A column called "system" may hold what was measured, in a file of each learner.
    cells = whole.coded(str(algorithm)).names if algorithm else ()
    by_files = algorithm_share(names_of) >= 0.5 > 2 * algorithm_share(cells)
    return "algorithm" if by_files else "repeat"


def _as_datasets(whole: Columns) -> Columns:
    """Return a table whose files name algorithms, and its columns together the data sets."""
    algorithm, dataset = (_column(whole, role) for role in ("algorithm", "dataset"))
    if algorithm is None or dataset is None:
        return whole
    joined = f"{algorithm}+{dataset}"
    made = with_joined(whole, [joined]).values
    return replace(whole, values={"dataset" if n == joined else n: x for n, x in made.items()})


def _column(table: Columns, role: str) -> str | None:
    """Return the column that plays a role, by its own name or by one that people use."""
    used = [table.numbers(name) for name in table.names if has_role(name, role)]
    may_name = (each.name for each in used if not (each.is_empty or each.has_decimals))
    return table.find(role) or next(may_name, None)


def _without_algorithms(names: list[str], tables: Sequence[Columns]) -> list[str]:
    """Return what the names of files tell besides the one algorithm that each file names."""
    algorithm = _column(tables[0], "algorithm")
    named = [table.coded(algorithm).names if algorithm else () for table in tables]
    if any(len(each) != 1 for each in named):
        return names
    rest = [
        re.sub(re.escape(algorithm), "", name, count=1, flags=re.IGNORECASE).strip(_SEPARATORS)
        for name, (algorithm,) in zip(names, named, strict=True)
    ]
    is_enough = all(rest) and len(set(zip(named, rest, strict=True))) == len(names)
    return rest if is_enough else names


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
    shared = os.path.commonprefix(list(names))  # noqa: RUF071 (letter by letter)
    return re.sub(rf"[^{re.escape(_SEPARATORS)}]*\Z", "", shared)


def cells_of(table: Columns, name: str) -> list[str]:
    """Return the text of each row; what is missing has an empty one."""
    codes, names = table.labels_or_blank(name)
    return [names[code] for code in codes.tolist()]


def note_on(told: str, names: Collection[str]) -> list[str]:
    """Return a note that names those of which there is something to tell, if there are any."""
    return [f"{told}: {listed(dict.fromkeys(names))}."] if names else []


# --- several tables become one ----------------------------------------------------------------


def stacked(tables: Sequence[Columns], name: str) -> Columns:
    """Put tables below each other; where one lacks a column, its cells are missing."""
    if len(tables) == 1:
        return tables[0]
    names = list(dict.fromkeys(each for table in tables for each in table.names))
    notes = tuple(dict.fromkeys(note for table in tables for note in table.notes))
    size = sum(map(len, tables))
    filled = size * len(names) - sum(len(table) * len(table.names) for table in tables)
    if filled > (most := limits.now().cells):
        rule = f"{filled} cells of {name} would be missing, and the limit is {most}"
        remedy = "Give files that have more columns in common"
        raise UnreadableError("source", rule, remedy=remedy)
    return Columns(
        {each: _joined(each, tables) for each in names},
        Origin.of_rows(name, size),
        notes,
        tables[0].known if len({t.known.source for t in tables}) == 1 else Known(),
    )


def _joined(name: str, tables: Sequence[Columns]) -> Column:
    columns = [(table.values.get(name), len(table)) for table in tables]
    if all(column is None or isinstance(column, Texts) for column, _ in columns):
        texts = (c.cells if isinstance(c, Texts) else [""] * size for c, size in columns)
        return Texts([cell for each in texts for cell in each])
    import pandas as pd

    parts: list[pd.Series[Any]] = []
    for column, size in columns:
        cells = np.full(size, np.nan) if column is None else column
        parts.append(pd.Series(list(cells.cells) if isinstance(cells, Texts) else cells))
    return pd.concat(parts, ignore_index=True)


def _known(table: Columns, roles: Mapping[str, str], known: Known) -> Columns:
    """Return a table with roles for the names of columns, and what is known of those there are."""
    values = {roles.get(name.lower(), name): column for name, column in table.values.items()}
    costs = tuple(name for name in known.costs if name in values)
    return replace(table, values=values, known=replace(known, costs=costs))


def _only(measures: Iterable[str], place: Path) -> str:
    """Return the measure that all files are of, or refuse those of several."""
    first, *others = dict.fromkeys(measures)
    if others:
        rule = f"{place.name!r} holds files of several measures: {listed([first, *others])}"
        remedy = f"Give those of one in quotation marks: '{place}/*{first}*'"
        raise UnreadableError("source", rule, remedy=remedy)
    return first


# --- TabArena: the error of each data set is of its own metric -------------------------------


def read_tabarena(files: list[Path], place: Path) -> Columns:
    """Read results; those that were imputed, because the method failed, are missing."""
    table = stacked([read_file(path, "source") for path in files], place.name)
    if "imputed" in table.names and "status" not in table.names:
        failed = [cell.lower() in ("true", "1", "1.0") for cell in cells_of(table, "imputed")]
        status = Texts(["failed" if each else "ok" for each in failed])
        told = f"{count(sum(failed), 'result')} imputed by TabArena, and missing here."
        values = {**table.values, "status": status}
        table = table.noted(*([told] if any(failed) else []), values=values)
    costs = ("time_train_s", "time_infer_s")
    known = Known("tabarena", "metric_error", {"metric_error": False}, costs)
    return _known(table.without(["imputed"]), {"method": "algorithm"}, known)


# --- ASlib: a row per instance, repetition and algorithm, with its status --------------------

_ASLIB = {"instance_id": "dataset", "repetition": "repeat", "runstatus": "status"}


def read_aslib(files: list[Path], place: Path) -> Columns:
    """Read runs: each instance is a data set, and a run that is not ok has no value.

    The first measure is the one that the description beside the runs calls the main one, and the
    description says which way measures go.
    """
    tables = [read_file(path, "source", "arff") for path in files]
    keys = (*_ASLIB, "algorithm")
    score = _only((next(n for n in t.names if n.lower() not in keys) for t in tables), place)
    directions = {"runtime": False}
    for path in {path.with_name("description.txt") for path in files}:
        text = path.read_text(encoding="utf-8", errors="replace") if path.is_file() else ""
        names, ups = (_listed_under(key, text) for key in ("performance_measures", "maximize"))
        directions |= {name: up.lower() == "true" for name, up in zip(names, ups, strict=False)}
    told = f"{count(len(files), 'file')}: each instance is a data set, the score is {score}."
    table = stacked(tables, place.name).noted(f"ASlib, {told}")
    return _known(table, _ASLIB, Known("aslib", score, directions))


def _listed_under(key: str, text: str) -> list[str]:
    r"""Return the entries of a list in YAML, in a line or below each other.

    >>> _listed_under("maximize", "maximize:\n- false\n- true\nx: 1")
    ['false', 'true']
    >>> _listed_under("maximize", "x: 1\nmaximize: [false]")
    ['false']
    """
    found = re.search(rf"^{key}:([^\n]*(?:\n\s*-[^\n]*)*)", text, re.MULTILINE)
    return re.findall(r"[^\s\[\],'\"-]+", found[1]) if found else []


# --- WEKA's Experimenter: a row per data set, run, fold and scheme, as CSV or ARFF -----------

_WEKA = {"key_dataset": "dataset", "key_run": "repeat", "key_fold": "fold"}


def read_weka(files: list[Path], place: Path) -> Columns:
    """Read experiments; a scheme is named by its class, with its options where it has several."""
    table = stacked(list(map(_weka_table, files)), place.name)
    schemes = [name.rpartition(".")[2] for name in cells_of(table, "Key_Scheme")]
    if "Key_Scheme_options" in table.names:
        named = list(zip(schemes, cells_of(table, "Key_Scheme_options"), strict=True))
        kinds = Counter(name for name, _ in set(named))
        schemes = [" ".join(filter(None, x)) if kinds[x[0]] > 1 else x[0] for x in named]
    rest = [name for name in table.names if name.startswith("Key_") and name.lower() not in _WEKA]
    table = replace(table, values={**table.values, "algorithm": Texts(schemes)}).without(rest)
    scores = ("Percent_correct", "Root_mean_squared_error")  # of classes, of numbers
    score = next((name for name in scores if name in table.names), None)
    costs = ("Elapsed_Time_training", "Elapsed_Time_testing")
    return _known(table, _WEKA, Known("weka", score, costs=costs))


def _weka_table(path: Path) -> Columns:
    if ".arff" in path.name:
        return read_file(path, "source", "arff")
    with opened(path, "source"):
        return read_quoted(text_of(path), path.name)


# --- tsml and aeon: a file per estimator and measure, a column per resample ------------------


def read_tsml(files: list[Path], place: Path) -> Columns:
    """Read files named ``ESTIMATOR_MEASURE.csv``; resamples are hold-outs, so repeats."""
    import pandas as pd

    names = [plain_name(path.name).removesuffix(".csv").rpartition("_") for path in files]
    measure = _only((last if name else "accuracy" for name, _, last in names), place)
    frames = []
    for path, (name, _, last) in zip(files, names, strict=True):
        table = read_file(path, "source")
        datasets, *resamples = table.names
        wide = pd.DataFrame({each: table.numbers(each).checked() for each in resamples})
        wide.insert(0, "dataset", cells_of(table, datasets))
        long = wide.melt("dataset", var_name="repeat", value_name=measure)
        frames.append(long.assign(algorithm=name or last))
    note = f"{count(len(files), 'file')} of tsml or aeon: an estimator each, resamples as repeats."
    table = from_pandas(pd.concat(frames, ignore_index=True), place.name)
    return table.noted(note, known=Known("tsml", measure))


# --- the AutoML benchmark --------------------------------------------------------------------
#
# A row per framework, task and fold, or a summary with a column per framework. Its ``result`` goes
# up on some tasks (AUC) and down on others (log-loss, RMSE); what is asked about is ``score``,
# which is the same turned so that higher is better.

_APART = ("constraint", "version", "mode", "tag")  # what tells several runs of a framework apart
_COSTS = ("duration", "training_duration", "predict_duration")
_OTHERS = ("acc", "auc", "logloss", "balacc", "rmse", "mae", "r2")
_BY_TYPE = {"binary": "auc", "multiclass": "logloss", "regression": "rmse"}
_REASONS = {
    r"time ?out|requested time|time limit|timelimit": "timeout",
    r"memory|oom\b": "memory",
    r".": "failed",
    r"": "missing",
}


def read_amlb(files: list[Path], place: Path) -> Columns:
    """Read results, long or in summary; a failed fold is missing, its reason is the status."""
    tables = [read_file(path, "source") for path in files]
    table = stacked([_folds(t) if "fold" in t.names else _summary(t) for t in tables], place.name)
    roles = {"task": "dataset", "framework": "algorithm"}
    return _known(table, roles, Known("amlb", "score", {"score": True}, _COSTS))


def _folds(table: Columns) -> Columns:
    """Give a row per fold its score, what that measures and why it is missing."""
    import pandas as pd

    algorithms, notes = _named_apart(table)
    metrics = _metrics(table)
    known = [each for each in {*metrics} if is_known_score(each)]
    down = [each for each in known if not measure_named(each).higher_is_better]
    if "score" in table.names:
        scores = table.numbers("score").values
        told = "The score is the benchmark's own: its result turned so that higher is better."
    else:
        signs = [-1 if each in down else 1 for each in metrics]
        scores = np.multiply(signs, table.numbers("result").values)
        kinds = [f"minus {each}" if each in down else each for each in sorted({*metrics} - {""})]
        told = f"The score is the result, turned so that higher is better: {listed(kinds)}."
    info = cells_of(table, "info") if "info" in table.names else [""] * len(table)
    pairs = zip(np.isnan(scores).tolist(), info, strict=True)
    others = [name for name in table.names if name in (*_APART, "type", *_COSTS, *_OTHERS)]
    values: dict[str, Column] = {
        "task": Texts(cells_of(table, "task")),
        "framework": Texts(algorithms),
        "fold": table.values["fold"],
        "status": Texts([_status(why) if failed else "ok" for failed, why in pairs]),
        "score": pd.Series(scores),
        "metric": Texts(metrics),
        **{n: table.values[n] for n in others if len(table.distinct(n)[1]) > 1},
    }
    return table.noted(*notes, told, values=values)


def _named_apart(table: Columns) -> tuple[list[str], list[str]]:
    """Return the names of the frameworks, with what tells runs apart where there are several."""
    frameworks, keys = cells_of(table, "framework"), ("task", "framework", "fold")
    for name in _APART if table.have_twins(keys) else ():
        if name in table.names and not table.have_twins((*keys, name)):
            pairs = zip(frameworks, cells_of(table, name), strict=True)
            note = f"A framework was run more than once, so its {name} is in its name."
            return [f"{each} ({what})" for each, what in pairs], [note]
    return frameworks, []  # where rows repeat others, validation says which


def _metrics(table: Columns) -> list[str]:
    """Return what each result measures: by its column, the type of its task, or its value."""
    if "metric" in table.names:
        return cells_of(table, "metric")
    if "score" in table.names:
        types = cells_of(table, "type") if "type" in table.names else [""] * len(table)
        return [_BY_TYPE.get(each, "") for each in types]
    results, found = table.numbers("result").values, np.full(len(table), "", dtype=object)
    for name in {"auc", "logloss", "rmse"}.intersection(table.names):
        found[(results == table.numbers(name).values) & (found == "")] = name
    if (unknown := np.flatnonzero((found == "") & ~np.isnan(results))).size:
        where = table.origin.at(unknown[:1])
        rule = f"{table.origin.name} does not tell what its result measures in {where}"
        raise UnreadableError("source", rule, remedy="Give a table with a column metric or score")
    return found.tolist()


def _status(info: str) -> str:
    return next(status for sign, status in _REASONS.items() if re.search(sign, info, re.IGNORECASE))


def _summary(table: Columns) -> Columns:
    """Read a row per task and a column per framework.

    ``(2)`` behind a number: two folds failed, and the benchmark imputed them.
    """
    import pandas as pd

    wide = pd.DataFrame({name: cells_of(table, name) for name in table.names})
    frame = wide.melt(["type", "task"], var_name="framework")
    found = frame.pop("value").str.extract(r"^([-+.\deE]+)\s*(\(\d+\))?$")
    frame["score"] = found[0].astype(float) * np.where(frame["type"] == "binary", 1, -1)
    frame["status"] = np.where(found[0].isna(), "missing", "ok")
    frame["metric"] = frame["type"].map(_BY_TYPE).fillna("")
    imputed = frame[found[1].notna()]
    notes = note_on(
        f"The benchmark imputed failed folds in {count(len(imputed), 'score')}",
        list(imputed["framework"] + " on " + imputed["task"]),
    )
    told = "The score is AUC on binary tasks and minus log-loss on the others."
    return from_pandas(frame, table.origin.name).noted(*table.notes, told, *notes)
