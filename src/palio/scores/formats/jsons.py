"""JSON, as records or columns or as pandas writes frames, JSON Lines, and YAML."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from palio.measures import find_measures, is_known_cost
from palio.results import plain
from palio.scores import limits
from palio.scores.columns import INDEX
from palio.scores.formats import RECORDS
from palio.scores.frames import called_numbers, columns_of, flat, with_row_labels
from palio.scores.limits import MalformedError
from palio.scores.roles import plays_a_role
from palio.scores.vocabulary import has_role
from palio.words import one_line, quoted

if TYPE_CHECKING:
    import pandas as pd


def read_json(text: str, name: str) -> Mapping[str, Any]:
    """Read a list of records, or an object of columns."""
    return read_lines(text, name) if RECORDS.match(text) else table_in(_loaded(text))


def table_in(content: Any) -> Mapping[str, Any]:
    """Return the columns of what was read from JSON or YAML."""
    if isinstance(content, Mapping):
        content = _within(content)
    if isinstance(content, Mapping):
        return _columns_in(content)
    if _are_records(content):
        limits.check("rows", len(content))
        return columns_of(_unfolded(content))
    raise MalformedError(
        "must hold a list of records ([{column: value, …}, …]) or an object of columns "
        "({column: [values, …], …})",
        "it holds neither",
    )


def read_lines(text: str, _name: str) -> Mapping[str, Any]:
    """Read a record per line."""
    # As one list, whose errors tell the lines of the file.
    between = re.sub(r"(?<=\S)[ \t\r]{0,99}\n(?=\s{0,999}\S)", ",\n", text.rstrip())
    return table_in(_loaded(f"[{between}]"))


def parsed(text: str | bytes, **how: Any) -> Any:
    """Return what a text of JSON holds, or raise that it is none."""
    try:
        found = json.loads(text, **how)
    except (ValueError, RecursionError) as error:
        raise MalformedError(f"is not JSON: {one_line(error)}") from error
    limits.check_nested(found)
    return found


def _loaded(text: str) -> Any:
    # An empty object is a few letters in a file, and many times that in memory.
    limits.check("cells", text.count("{") + text.count("[") + text.count(","))
    found = parsed(text, object_pairs_hook=_unique_keys)
    # What is spelled by numbers may be no letter: NUL, or half of one.
    spelled = json.dumps(found, ensure_ascii=False) if "\\u" in text else ""
    if "\\u0000" in spelled or re.search("[\ud800-\udfff]", spelled):
        raise MalformedError("holds NUL or half a letter in a text", "Write it anew")
    return found


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    limits.check("columns", len(pairs))
    found = dict(pairs)
    if len(found) < len(pairs):
        twice = quoted(key for key, times in Counter(key for key, _ in pairs).items() if times > 1)
        raise MalformedError(f"has {twice} more than once in an object", "Give each its own name")
    return found


def _within(content: Mapping[str, Any]) -> Any:
    """Return the records in an object that has more to tell, or the object."""
    lists = {key: each for key, each in content.items() if isinstance(each, list) and each}
    records = {key: _unfolded(each) for key, each in lists.items() if _are_records(each)}
    if len(records) > 1 and len({frozenset(each) for of in records.values() for each in of}) == 1:
        return [{"section": key, **each} for key, of in records.items() for each in of]
    with_scores = [each for each in records.values() if _scores_in(each)]
    if able := with_scores or [*records.values()]:
        if len(able) == 1:
            return able[0]
        raise MalformedError(f"holds several lists of records: {quoted(records)}", "Save one alone")
    named = [key for key, each in content.items() if _shape(each) in ("records", "scores")]
    others = [key for key in content if key not in named]
    alone = len(named) == 1 and others and not any(map(plays_a_role, others))
    return content[named[0]] if alone else content


def _unfolded(records: Sequence[Mapping[str, Any]]) -> Sequence[Mapping[str, Any]]:
    """Return a row for each record in the lists that records without scores of their own hold.

    >>> _unfolded([{"data": "iris", "runs": [{"by": "knn", "acc": 0.9}, {"by": "svm", "acc": 1}]}])
    [{'data': 'iris', 'by': 'knn', 'acc': 0.9}, {'data': 'iris', 'by': 'svm', 'acc': 1}]
    """
    cells = (pair for record in records for pair in record.items())
    lists = {key for key, each in cells if each and _are_records(each)}
    if len(lists) != 1 or _scores_in(records):
        return records
    (of,) = lists
    limits.check("rows", sum(len(record.get(of) or ()) for record in records))
    rows = list[Mapping[str, Any]]()
    for record in records:
        beside = {key: each for key, each in record.items() if key != of}
        for row in record.get(of) or ():
            rows.append({**beside, **{f"{of}.{k}" if k in beside else k: row[k] for k in row}})
    return _unfolded(rows)


def _scores_in(records: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the names of numbers in records that are measures, and no costs."""
    names = called_numbers([flat(record) for record in records])
    return [
        each for each in names if find_measures(each) and not is_known_cost(each.rpartition(".")[2])
    ]


def _columns_in(content: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the columns of an object: of columns, of items, of records by name, or of one record.

    >>> _columns_in({"q1": True, "q2": False})
    {'item': ['q1', 'q2'], 'correct': [True, False]}
    >>> _columns_in({"model": "knn", "config": {"seed": 1}, "test": {"acc": 0.9}})
    {'model': ['knn'], 'seed': [1], 'test.acc': [0.9]}
    >>> _columns_in({"knn": {"by": "me", "acc": {"iris": 1}}, "svm": {"by": "us", "acc": 2}})
    {'': ['knn', 'svm'], 'by': ['me', 'us'], 'acc.iris': [1, None], 'acc': [None, 2]}
    >>> _columns_in({"knn": {"iris": 0.9, "wine": 0.8}, "svm": {"iris": 0.7}})
    {'': ['iris', 'wine'], 'knn': [0.9, 0.8], 'svm': [0.7, None]}
    >>> _columns_in({"knn": {"acc": {"iris": 1, "wine": 2}}, "svm": {"acc": {"iris": 3}}})
    {'': ['knn', 'svm'], 'acc.iris': [1, 3], 'acc.wine': [2, None]}
    """
    if parts := _crossed_keys(content):
        rows = zip(*parts.values(), content.values(), strict=True)
        return columns_of(
            [{**dict(zip(parts, key, strict=True)), **flat(each)} for *key, each in rows]
        )
    shape = _shape(content)
    if shape == "truths":
        return {"item": list(content), "correct": list(content.values())}
    if shape == "records":
        records = _unfolded([{"": key, **flat(each)} for key, each in content.items()])
        limits.check("rows", len(records))
        return columns_of(records)
    if shape == "record":
        return columns_of([_with_plain_roles(flat(content))])
    found = with_row_labels(content)
    if shape != "scores" or INDEX in content:
        return found
    return {"" if k == INDEX else k: each for k, each in found.items()}


def _crossed_keys(content: Mapping[str, Any]) -> dict[str, Sequence[str]]:
    """Return a column for each part of the keys of records, where the parts cross each other.

    >>> _crossed_keys({f"{model}/{data}": {"mae": 1.0} for model in "ab" for data in ("x", "y")})
    {'key 1': ('a', 'a', 'b', 'b'), 'key 2': ('x', 'y', 'x', 'y')}
    """
    split = [key.split("/") for key in content]
    is_named = len({*map(len, split)}) == 1 and all(
        isinstance(x, Mapping) for x in content.values()
    )
    parts = list(zip(*split, strict=True)) if is_named else []
    sizes = [len(set(part)) for part in parts]
    if len(sizes) < 2 or min(sizes) < 2 or math.prod(sizes) != len(split):
        return {}
    return {f"key {number}": part for number, part in enumerate(parts, start=1)}


def _shape(content: object) -> str:
    """Return what an object holds, if that is plain.

    ``truths`` about items, a ``record``, ``records`` by their names, also of scores by two names
    each (``{model: {metric: {…}}}``), or ``scores`` by two names (``{model: {dataset: score}}``).
    """
    if not isinstance(content, Mapping) or not content:
        return ""
    cells, kinds = list(content.values()), _kinds(content)
    if kinds == {"truth"} and None not in cells:
        return "truths"
    # Tags and lists of lists are of a record; lists of numbers of one length may be columns.
    lists = [each for each in cells if isinstance(each, list)]
    lengths = [len(each) for each in lists if "number" in map(_kind, each)]
    if kinds & {"text", "truth", "number"} and (len(lengths) < 2 or len(set(lengths)) > 1):
        return "record"
    is_named = len(content) > 1 and not all(has_role(str(each), "part") for each in content)
    if not (is_named and all(isinstance(each, Mapping) and each for each in cells)):
        return ""
    # In an object of columns by the names of rows, the cells of a column are of one kind.
    below = [_kinds(each) for each in cells]
    names = [name for each in cells for name in each]
    if 2 * sum(map(_is_measure, names)) > len(names) and not any(map(_is_measure, content)):
        return "records"
    deep = [cell for each in cells for cell in each.values()]
    if all(len(each) > 1 for each in below) or all(
        isinstance(cell, Mapping) and _kinds(cell) <= {"number", "record"} for cell in deep
    ):
        return "records"
    are_scores = set().union(*below) <= {"number", "list"}
    return "scores" if are_scores and all(cells[0].keys() & each for each in cells) else ""


def _is_measure(name: object) -> bool:
    return bool(find_measures(str(name)))


def _kinds(record: Mapping[str, Any]) -> set[str | None]:
    """Return of what kinds the cells of a record are that are there."""
    return set(map(_kind, record.values())) - {None}


def _kind(cell: object) -> str | None:
    """Return what kind of cell this is, if it is none that is missing."""
    kinds = {Mapping: "record", list: "list", str: "text", bool: "truth", type(None): None}
    return next((kind for each, kind in kinds.items() if isinstance(cell, each)), "number")


def _with_plain_roles(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return a record in which config.seed is the seed, if nothing else is."""
    plain_names = [key.rpartition(".")[2] for key in record]
    return {
        name if plays_a_role(name) and plain_names.count(name) == 1 else key: value
        for (key, value), name in zip(record.items(), plain_names, strict=True)
    }


def _are_records(found: object) -> bool:
    return isinstance(found, list) and all(isinstance(each, Mapping) for each in found)


# --- YAML ------------------------------------------------------------------------------------


def read_yaml(text: str, _name: str) -> Mapping[str, Any]:
    """Read a list of records, or an object of columns."""
    import yaml  # type: ignore[import-untyped]

    limits.check("rows", text.count("\n"))
    limits.check("cells", text.count(":") + text.count(",") + text.count("\n-"))
    under_way: list[list[Any]] = [[]]  # what is being read, from the outside in
    for event in yaml.parse(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
        if isinstance(event, yaml.AliasEvent):  # a few stand for more than any memory holds
            raise MalformedError("refers to parts of itself (*name)", "Write them out")
        if isinstance(event, yaml.CollectionStartEvent):
            under_way.append([])
            limits.check_nesting(len(under_way) - 1)
        elif isinstance(event, yaml.ScalarEvent):
            under_way[-1].append(_scalar(event.value) if event.implicit[0] else event.value)
        elif isinstance(event, yaml.CollectionEndEvent):
            found: Any = under_way.pop()
            if isinstance(event, yaml.MappingEndEvent):
                found = _unique_keys([*zip(map(str, found[::2]), found[1::2], strict=True)])
            under_way[-1].append(found)
    (documents,) = under_way
    limits.check_nested(documents)
    if len(documents) > 1:
        raise MalformedError("holds several documents of YAML", "Save one alone")
    return table_in(documents[0] if documents else None)


def _scalar(text: str) -> Any:
    """Return the value that a word without quotation marks is for, as JSON writes them.

    YAML 1.1 takes 1:30 for 90, 010 for 8 and no for false.

    >>> [_scalar(text) for text in ("no", "1:30", "007", "null", "7", "-5e-1", "~")]
    ['no', '1:30', '007', None, 7, -0.5, None]
    """
    with suppress(ValueError):
        return json.loads(text) if text not in ("", "~") else None
    return text


# --- writing ---------------------------------------------------------------------------------


def write_json(frame: pd.DataFrame, path: Path) -> None:
    """Write a list of records."""
    path.write_bytes(f"[{', '.join(_records(frame))}]".encode())


def write_lines(frame: pd.DataFrame, path: Path) -> None:
    """Write a record per line."""
    path.write_bytes("".join(f"{record}\n" for record in _records(frame)).encode())


def _records(frame: pd.DataFrame) -> Iterator[str]:
    # By hand, because pandas writes numbers with fewer digits than they have.
    return (json.dumps(each, ensure_ascii=False) for each in plain(frame.to_dict(orient="records")))
