"""What stands in the rows of a store, and the checksum of each: a change is found in reading.

Checksums find accidents, not malice: who can write to a store can write the checksum, too.
"""

from __future__ import annotations

import json
import time
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import blake2b, sha256
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple
from zlib import crc32

import numpy as np

from palio.errors import UnreadableError
from palio.experiment.outcome import DoneFold, FoldOutcome, FoldPredictions, JobOutcome
from palio.words import count

if TYPE_CHECKING:
    import sqlalchemy as sa

    from palio.types import FloatArray, IntArray

CHECKSUM = "checksum"

MAX_DAMAGED_NAMED = 5

Row = dict[str, Any]


# --- checksums -----------------------------------------------------------------------------------


def checksum(values: Iterable[object]) -> int:
    """Return the CRC-32 of the values of a row, of which a changed digit always makes another.

    >>> checksum(["iris", 1, 0.5]) == checksum(["iris", 1, 0.6])
    False
    """
    texts = [
        value if type(value) is str else str(crc32(value) if type(value) is bytes else value)
        for value in values
    ]
    return crc32("\x1f".join(texts).encode(errors="surrogatepass"))


def spoiled(table: sa.Table, rows: Iterable[Sequence[Any]]) -> list[Any]:
    """Return the first columns of rows without bytes whose checksum, the next one, is another.

    >>> from palio.experiment.store.database import tables
    >>> machines = tables().machines
    >>> row = (1, "x")
    >>> spoiled(machines, [(*row, checksum(row)), (2, "y", checksum(row))])
    [2]
    """
    n = len(columns_of(table))
    texts = "\x1f".join(["%s"] * n)  # one call for a row, of which a store may have a million
    return [
        row[0] for row in rows if crc32((texts % row[:n]).encode(errors="surrogatepass")) != row[n]
    ]


@cache
def columns_of(table: sa.Table) -> tuple[str, ...]:
    """Return the columns of a table that its checksums are of; a block of folds has its own."""
    return tuple(c.name for c in table.columns if c.name not in (CHECKSUM, "folds"))


def signed(table: sa.Table, row: Mapping[str, Any]) -> Row:
    """Return a row with its checksum."""
    return {**row, CHECKSUM: checksum([row[name] for name in columns_of(table)])}


def digest_of(rows: Sequence[tuple[object, ...]]) -> str:
    """Return a digest of rows, taken column by column, which is fast for a million of them."""
    found = blake2b(str(len(rows)).encode(), digest_size=16)
    for column in zip(*rows, strict=True):
        found.update("\x1f".join(map(str, column)).encode(errors="surrogatepass"))
    return found.hexdigest()


class Place(NamedTuple):
    """Which job or fold a row is of."""

    dataset: str
    algorithm: str
    repeat: int
    fold: int | None = None

    def __str__(self) -> str:
        fold = "" if self.fold is None else f", fold {self.fold}"
        return f"{self.dataset}, {self.algorithm}, repeat {self.repeat}{fold}"


def refuse_damaged(
    shown: str, damaged: Collection[object], rows: int, *, what: str = "row", remedy: str = ""
) -> None:
    """Name the rows that are not as they were written, if there are any."""
    if not damaged:
        return
    good = rows - len(damaged)
    named = "; ".join([str(each) for each in islice(damaged, MAX_DAMAGED_NAMED)])
    more = len(damaged) - MAX_DAMAGED_NAMED
    raise UnreadableError(
        "store",
        f"'{shown}' is damaged: {len(damaged)} of {count(rows, what)} "
        f"{'is' if len(damaged) == 1 else 'are'} not as written "
        f"({named}{f' … and {more} more' if more > 0 else ''})"
        f"{f', the other {good} good' if good else ''}",
        remedy=remedy or "run the experiment again: only the damaged jobs are run anew",
    )


# --- outcomes as rows ----------------------------------------------------------------------------


def result_row(outcome: JobOutcome) -> Row:
    """Write down how a job ended, now."""
    return {
        "key": outcome.key,
        "status": outcome.status,
        "stage": _storable(outcome.stage),
        "error": _storable(outcome.error),
        "traceback": _storable(outcome.traceback),
        "seconds": float(outcome.seconds),
        "finished": time.time(),
        "machine": machine_row(outcome.machine)["digest"],
        "folds": pack_folds(outcome.key, outcome.folds),
    }


def _storable(text: str) -> str:
    """Spell out what databases do not take in a text: null characters and half characters."""
    return text.encode(errors="backslashreplace").decode().replace("\0", "\\0")


def machine_text(machine: Mapping[str, str]) -> str:
    """Write a machine so that the same is the same text."""
    return json.dumps(dict(machine), sort_keys=True)


def machine_row(machine: Mapping[str, str]) -> Row:
    """Write down a machine, by its digest."""
    content = machine_text(machine)
    return {"digest": sha256(content.encode()).hexdigest()[:16], "content": content}


def begun_row(key: str, done: DoneFold) -> Row:
    """Write down a fold of a job that is not at its end."""
    fold, said = done.outcome, done.outcome.predictions
    return {
        "key": key,
        "fold": fold.fold,
        "scores": json.dumps(dict(fold.scores)),
        "costs": json.dumps(dict(fold.costs)),
        "machine": machine_text(done.machine),
        "predictions": None if said is None else said.to_bytes(),
    }


def done_fold(row: Mapping[str, Any]) -> DoneFold:
    """Read what `begun_row` wrote."""
    said = row["predictions"]
    fold = FoldOutcome(
        row["fold"],
        json.loads(row["scores"]),
        json.loads(row["costs"]),
        None if said is None else FoldPredictions.from_bytes(said),
    )
    return DoneFold(fold, json.loads(row["machine"]))


# --- the folds of jobs as blocks, and blocks as columns ------------------------------------------

# A block is a checksum, the length of its header, the header (JSON, the names of the scores and
# costs), and the numbers: a row of fold numbers, then one for each name, NaN where a fold has none.
_START = 8  # bytes before the header: two numbers of four bytes, the low byte first


def pack_folds(key: str, folds: Sequence[FoldOutcome]) -> bytes:
    """Return the block of a job's folds; nothing for a job without any.

    >>> block = pack_folds("k", [FoldOutcome(1, {"f1": 0.5}, {}), FoldOutcome(2, {"f1": 0.25}, {})])
    >>> is_whole("k", block), is_whole("another", block), fold_columns([block]).scores
    (True, False, {'f1': array([0.5 , 0.25])})
    """
    if not folds:
        return b""
    kinds = [[fold.scores for fold in folds], [fold.costs for fold in folds]]
    names = [list(dict.fromkeys(name for each in kind for name in each)) for kind in kinds]
    rows = [[float(fold.fold) for fold in folds]] + [
        [float(each.get(name, np.nan)) for each in kind]
        for kind, of_kind in zip(kinds, names, strict=True)
        for name in of_kind
    ]
    header = json.dumps(names).encode()
    content = len(header).to_bytes(4, "little") + header + np.array(rows, dtype="<f8").tobytes()
    return crc32(content, crc32(key.encode())).to_bytes(4, "little") + content


def is_whole(key: str, block: bytes) -> bool:
    """Whether a block is as it was written, and of this job."""
    return crc32(memoryview(block)[4:], crc32(key.encode())).to_bytes(4, "little") == block[:4]


@dataclass(frozen=True)
class FoldColumns:
    """The folds of several jobs, one after the other; ``job`` is the place of each fold's block."""

    job: IntArray
    fold: IntArray
    scores: Mapping[str, FloatArray]
    costs: Mapping[str, FloatArray]


def unpack_folds(block: bytes) -> list[FoldOutcome]:
    """Return the folds of a block, each with the scores and costs that it has."""
    columns = fold_columns([block])

    def values(of: Mapping[str, FloatArray], row: int) -> dict[str, float]:
        return {name: float(each[row]) for name, each in of.items() if not np.isnan(each[row])}

    return [
        FoldOutcome(fold, values(columns.scores, row), values(columns.costs, row))
        for row, fold in enumerate(columns.fold.tolist())
    ]


def fold_columns(blocks: Sequence[bytes]) -> FoldColumns:
    """Read blocks, those of the same names and as many folds at once."""
    alike: dict[tuple[bytes, int], list[int]] = {}
    for place, block in enumerate(blocks):
        if block:
            end = _START + int.from_bytes(block[4:_START], "little")
            alike.setdefault((block[_START:end], len(block) - end), []).append(place)
    jobs, columns = [], []
    for (header, _), places in alike.items():
        start = _START + len(header)
        numbers = np.frombuffer(b"".join([blocks[place][start:] for place in places]), dtype="<f8")
        kinds = json.loads(header)
        by_job = numbers.reshape(len(places), 1 + sum(map(len, kinds)), -1)
        names = [("", ""), *((kind, name) for kind, some in enumerate(kinds) for name in some)]
        columns.append({name: by_job[:, i].ravel() for i, name in enumerate(names)})
        jobs.append(np.repeat(places, by_job.shape[2]))
    job = np.concatenate([np.empty(0, dtype=np.intp), *jobs])
    order = np.argsort(job, kind="stable") if len(jobs) > 1 else slice(None)

    def joined(name: tuple[object, str]) -> FloatArray:
        parts = [c.get(name, np.full(j.size, np.nan)) for c, j in zip(columns, jobs, strict=True)]
        return np.concatenate([np.empty(0), *parts])[order]

    found = list(dict.fromkeys(name for each in columns for name in each))
    return FoldColumns(
        job[order],
        joined(("", "")).astype(np.intp),
        *({name: joined((of, name)) for of, name in found if of == kind} for kind in (0, 1)),
    )
