"""Requests that nobody means well with, the same for the same seed; asked as raw bytes."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, quote_from_bytes, unquote

from fastapi import FastAPI

from palio.app.web.downloads import FIGURE_TYPES, FILES
from palio.app.web.panels import PANELS
from palio.app.web.query import READING
from palio.bayes.models import MODELS
from palio.comparison.audit import AUDIT_CHECKS
from palio.comparison.corrections import CORRECTIONS
from palio.comparison.fold_tests import FOLD_TESTS
from palio.comparison.item_tests import ITEM_TESTS
from palio.comparison.pair_tests import PAIR_TESTS
from palio.comparison.rank_tests import POSTHOCS
from palio.ordering.methods import ORDERINGS
from palio.report.question import READERS

ALGORITHMS = ["tree", "knn", "naive bayes", "svm"]
DATASETS = [f"set {i}" for i in range(6)]
COSTS = ["train_time", "space"]
_COLUMNS = ["dataset", "algorithm", "algorithm+fold", "fold", "accuracy", "space", "repeat"]
FIELDS = [*READERS, *READERS, *READERS, *READING]  # questions more often than readings

# What takes seconds by itself, and is asked about elsewhere.
_SLOW = {"hierarchical", "error-rate", "robust"}

ROUTES = {
    "/api/start": 1, "/api/table": 4, "/api/preview": 4, "/api/answer": 8, "/api/focus": 6,
    "/api/facts": 6, "/api/pools": 8,
    "/api/audit": 2, "/api/posterior": 1, "/api/progress": 1, "/api/progress/events": 1,
    "/api/standing": 1, "/api/tables": 2,
    "/api/figures/{file}": 5, "/api/downloads/{file}": 4,
}  # fmt: skip

_NUMBERS = [
    "0.05", "0.01", "0.5", "0", "1", "2", "-1", "-0.0", "1e-320", "1e308", "1e400", "nan", "inf",
    "-inf", "", "0x10", "1_000", "٣", "²", "auto", "1e", "9" * 400, "9" * 5000, "true",
]  # fmt: skip

_TEXTS = [
    b"", b" ", b"\x00", b"\xff\xfe", b"\xed\xa0\x80", b"\xf0\x9f\x92\xa9", b"../../etc/passwd",
    b"'; DROP TABLE x", b"<script>alert(1)</script>", b"{{7*7}}", b"%s%n", b"=1+1", b"a" * 5000,
    b"None", b"null", b"[]", b"{}", b"__class__", b"0", b"-1", b"\n\r", "\u202e".encode(),
    "é".encode(), "e\u0301".encode(), b"=", b"==0.5", b",",
]  # fmt: skip


# Names of files that are uploaded; their content is always the same, and no table.
_NAMES = [
    b"a.csv",
    b"a.json",
    b"b.parquet",
    b"../c.csv",
    b".csv",
    b"a.csv.gz",
    b"a" * 990 + b".csv",
]


def tables() -> list[str]:
    """Write small tables: by folds with a hole, of errors, of items, of one data set, all equal."""
    drawn = random.Random(5)

    def written(head: str, rows: Iterable[Sequence[object]]) -> str:
        return "\n".join([head, *(",".join(map(str, row)) for row in rows)]) + "\n"

    def accuracy(place: int) -> str:
        return f"{0.9 - 0.03 * place + drawn.gauss(0, 0.02):.4f}"

    cells = [(d, a, p) for d in DATASETS for p, a in enumerate(ALGORITHMS)]
    folds = [(d, a, p, i // 2, i % 2) for d, a, p in cells for i in range(10)]
    costs = {p: (1 + p, 10 - p) for p in range(len(ALGORITHMS))}
    by_fold = "dataset,algorithm,repeat,fold,accuracy,train_time,space"
    return [
        written(
            by_fold,
            ((d, a, r, f, accuracy(p), *costs[p]) for d, a, p, r, f in folds
             if (d, a) != ("set 5", "svm")),
        ),
        written("dataset,algorithm,error,space", ((d, a, accuracy(p), p) for d, a, p in cells)),
        written(
            "dataset,algorithm,item,accuracy",
            ((d, a, i, int(drawn.random() < 0.9 - 0.1 * p)) for d, a, p in cells[:8]
             for i in range(30)),
        ),
        written(
            by_fold,
            ((d, a, r, f, accuracy(p), *costs[p]) for d, a, p, r, f in folds if d == "set 0"),
        ),
        written(by_fold, ((d, a, r, f, 0.5, 1, 1) for d, a, _, r, f in folds)),
    ]  # fmt: skip


def _known(name: str) -> list[str]:
    """Return good values of a parameter."""
    names: dict[str, list[str]] = {
        "score": ["accuracy", "accuracy", "space"], "higher_is_better": ["true", "false"],
        "cost": [*COSTS, "train_time=0.7", "space=2"], "prior": ALGORITHMS,
        "method": ["auto", *ORDERINGS], "fold_test": [*FOLD_TESTS], "posthoc": [*POSTHOCS],
        "fold_correction": [*CORRECTIONS], "test_fraction": ["0.5", "0.1"],
        "over": ["items", "datasets"], "item_test": [*ITEM_TESTS], "test": [*PAIR_TESTS],
        "correction": [*CORRECTIONS], "control": ALGORITHMS, "alpha": ["0.05", "0.01", "0.2"],
        "model": [*MODELS], "rope": ["auto", "0.01"], "checks": [*AUDIT_CHECKS],
        "algorithms": ALGORITHMS, "datasets": DATASETS, "focus": ALGORITHMS,
        "top": ["1", "3", "50"],
        "missing": [
            "error", "worst", "drop-datasets", "drop-algorithms", "value=0.5", "baseline=tree",
            "par10",
        ],
        **dict.fromkeys(("algorithm", "dataset", "fold", "costs", "results"), _COLUMNS),
        "transpose": ["true", "false"], "duplicates": ["mean", "first", "last"],
        "layout": ["long", "datasets-in-rows", "algorithms-in-rows", "board", "one"],
        "where": ["dataset=set 1", "algorithm=svm"], "decimal": [".", ","],
        "direction": ["accuracy=higher"], "scale": ["auto", "order"], "format": ["csv", "tsv"],
    }  # fmt: skip
    return [each for each in names.get(name, _NUMBERS) if each not in _SLOW]


@dataclass(frozen=True)
class Fuzzer:
    """Draws requests about some tables."""

    tables: Sequence[str]
    seed: int

    def requests(self, n: int) -> Iterator[tuple[str, str, bytes]]:
        """Return so many requests: method, path and query."""
        drawn = random.Random(self.seed)
        routes = [route for route, share in ROUTES.items() for _ in range(share)]
        for _ in range(n):
            route = drawn.choice(routes)
            path = route.replace("{file}", quote(_file(drawn, route), safe=""))
            method = "POST" if route == "/api/tables" and drawn.random() < 0.7 else "GET"
            yield method, path, self._query(drawn, route)

    def _query(self, drawn: random.Random, route: str) -> bytes:
        table = drawn.choice(self.tables).encode()
        pairs = [(b"table", table)] if drawn.random() < 0.97 else []
        if "focus" in route:
            pairs.append((b"focus", drawn.choice(ALGORITHMS).encode()))
        if "facts" in route:
            pairs.append((b"also", drawn.choice([*_TEXTS, b"tree"])))
        if "figures" in route:
            pairs.append((b"narrow", drawn.choice([*_TEXTS, b"1"])))
        if route == "/api/tables":
            pairs.append((b"name", drawn.choice([*_TEXTS, *_NAMES])))
        hostile = drawn.choice([0, 0, 0.05, 0.2, 0.5, 1])
        for _ in range(drawn.choice([0, 1, 1, 1, 2, 2, 3, 5, 12])):
            name = drawn.choice(FIELDS)
            times = drawn.choice([1, 1, 1, 2, 4])
            pairs += [(name.encode(), _value(drawn, name, hostile)) for _ in range(times)]
        if drawn.random() < 0.1 * hostile:
            pairs.append((drawn.choice(_TEXTS), drawn.choice(_TEXTS)))
        if drawn.random() < 0.05 * hostile:
            pairs.append((b"datasets", b"x" * 50_000))
        drawn.shuffle(pairs)
        text = "&".join(f"{quote_from_bytes(k)}={quote_from_bytes(v)}" for k, v in pairs)
        return _spoiled(drawn, text, hostile).encode("latin-1", errors="replace")


def _value(drawn: random.Random, name: str, hostile: float) -> bytes:
    good = drawn.choice(_known(name))
    if drawn.random() >= hostile:
        return good.encode()
    kind = drawn.randrange(4)
    if kind == 0:
        return drawn.choice(_TEXTS)
    if kind == 1:
        return drawn.choice(_NUMBERS).encode()
    if kind == 2:  # another parameter's value
        return drawn.choice(_known(drawn.choice(FIELDS))).encode()
    return _slip(drawn, good).encode()


def _slip(drawn: random.Random, text: str) -> str:
    """Return a text with one letter more, less or another."""
    place = drawn.randrange(len(text) + 1)
    return (
        text[:place] + drawn.choice(["", "x", "-", "é", " "]) + text[place + drawn.randrange(2) :]
    )


def _spoiled(drawn: random.Random, text: str, hostile: float) -> str:
    if drawn.random() >= 0.1 * hostile:
        return text
    return drawn.choice(
        [
            text + "%",
            text + "&&&=",
            text.replace("=", "", 1),
            text[::-1],
            "?" + text,
            text + "\xff;",
        ]
    )


def _file(drawn: random.Random, route: str) -> str:
    figures = "figures" in route
    good = [f"{n}.{f}" for n in PANELS for f in FIGURE_TYPES] if figures else [*FILES]
    if drawn.random() < 0.7:
        return drawn.choice(good)
    others = [
        "",
        ".",
        "..",
        "x",
        ".svg",
        "a.svg.svg",
        "\x00.png",
        "é.pdf",
        "pareto.exe",
        "a" * 300,
        "../x.csv",
    ]
    return drawn.choice([_slip(drawn, drawn.choice(good)), *others])


def ask(app: FastAPI, method: str, path: str, query: bytes, body: bytes = b"") -> tuple[int, bytes]:
    """Ask an application, as a server would; an error that it lets through is a 500."""
    return asyncio.run(asked(app, method, path, query, body))


async def asked(
    app: FastAPI, method: str, path: str, query: bytes, body: bytes = b""
) -> tuple[int, bytes]:
    """Ask an application, perhaps several things at once."""
    said: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(message: Any) -> None:
        said.append(message)

    scope = {
        "type": "http",
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": unquote(path, errors="replace"),
        "raw_path": path.encode(),
        "query_string": query,
        "root_path": "",
        "headers": [(b"host", b"127.0.0.1:8000")],
        "server": ("127.0.0.1", 8000),
        "client": ("127.0.0.1", 5),
    }
    try:
        await app(scope, receive, send)
    except Exception:
        if not said:
            return 500, b""
    return said[0]["status"], b"".join(each.get("body", b"") for each in said[1:])
