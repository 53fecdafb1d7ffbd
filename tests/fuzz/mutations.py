"""Ways to spoil a file, each a function of its bytes and a random source."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import random
import re
import zipfile
from collections.abc import Callable
from typing import Any

import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.parquet as pq  # type: ignore[import-untyped]

from tests.fuzz.corpus import FRAME, zipped

Mutation = Callable[[random.Random, bytes], bytes]

NUMBERS = (
    *("9" * 400, "9" * 5000, "-" + "9" * 320, "1e308", "-1e308", "1e400", "1e-320", "5e-324", "-0"),
    *("NaN", "Infinity", "-inf", "0x1F", "1_000", "1e", "٣٤", "１２", "1,234", "1.234,5", "--1"),
    *("true", "null", "", "0" * 300 + "1", "2147483648", "9223372036854775808", "0.1" + "0" * 400),
)
HOSTILE = (
    *("a\x1b[2J\x07", "=cmd|'/C calc'!A0", "\u202eabc", "'", '"', "\\", "|", ",", "\t", "\r", "\n"),
    *("x" * 20_000, "é" * 300, "🌲", "", " ", "../../etc/passwd", "%s%n{0.__class__}", "<script>"),
    *(
        "NA",
        "nan",
        "None",
        "__class__",
        "dataset",
        "algorithm",
        "accuracy",
        "fold",
        "\ufeff",
        "'-1",
    ),
)
RUNS = (
    "[",
    "]",
    "{",
    "}",
    " ",
    "\n",
    "\r",
    "*",
    "_",
    "`",
    "'",
    '"',
    "\\",
    "|",
    ",",
    "-",
    "9",
    "(",
    "#",
    "%",
    "[a](",
)


def _at(source: random.Random, content: bytes) -> int:
    return source.randrange(len(content) + 1)


def truncate(source: random.Random, content: bytes) -> bytes:
    return content[: _at(source, content)]


def flip(source: random.Random, content: bytes) -> bytes:
    made = bytearray(content or b"\0")
    for _ in range(source.choice((1, 1, 2, 8, 40))):
        made[source.randrange(len(made))] ^= 1 << source.randrange(8)
    return bytes(made)


def overwrite(source: random.Random, content: bytes) -> bytes:
    made = bytearray(content or b"\0")
    for _ in range(source.choice((1, 3, 10))):
        made[source.randrange(len(made))] = source.choice((0, 255, 127, source.randrange(256)))
    return bytes(made)


def remove(source: random.Random, content: bytes) -> bytes:
    begin = _at(source, content)
    return content[:begin] + content[begin + source.randrange(1, 60) :]


def double(source: random.Random, content: bytes) -> bytes:
    begin = _at(source, content)
    piece = content[begin : begin + source.randrange(1, 200)]
    return content[:begin] + piece * source.choice((2, 2, 50)) + content[begin:]


def put_nul(source: random.Random, content: bytes) -> bytes:
    place = _at(source, content)
    return content[:place] + bytes(source.choice((1, 1, 7, 500))) + content[place:]


def put_junk(source: random.Random, content: bytes) -> bytes:
    place = _at(source, content)
    return content[:place] + source.randbytes(source.randrange(1, 40)) + content[place:]


BYTES: tuple[Mutation, ...] = (truncate, flip, overwrite, remove, double, put_nul, put_junk)


# --- of text -------------------------------------------------------------------------------------


def _text(change: Callable[[random.Random, str], str]) -> Mutation:
    def mutate(source: random.Random, content: bytes) -> bytes:
        text = content.decode("utf-8", errors="surrogateescape")
        return change(source, text).encode("utf-8", errors="surrogateescape")

    mutate.__name__ = change.__name__
    return mutate


def _replaced(source: random.Random, text: str, pattern: str, by: str) -> str:
    places = [match.span() for match in re.finditer(pattern, text)]
    if not places:
        return text + by
    for begin, end in sorted(source.sample(places, min(len(places), source.choice((1, 1, 3)))))[
        ::-1
    ]:
        text = text[:begin] + by + text[end:]
    return text


@_text
def huge_number(source: random.Random, text: str) -> str:
    return _replaced(source, text, r"\d+(\.\d+)?", source.choice(NUMBERS))


@_text
def hostile_name(source: random.Random, text: str) -> str:
    return _replaced(source, text, r"[A-Za-z_]{2,}", source.choice(HOSTILE))


@_text
def nest(source: random.Random, text: str) -> str:
    depth = source.choice((3, 60, 99, 101, 900, 3000))
    begin, end = source.choice((("[", "]"), ('{"a":', "}"), ('[{"a":', "}]"), ("(", ")")))
    return _replaced(source, text, r"\d+(\.\d+)?", begin * depth + "1" + end * depth)


@_text
def twice_named(source: random.Random, text: str) -> str:
    names = re.findall(r"[A-Za-z_]{2,}", text.partition("\n")[0]) or ["a"]
    return _replaced(source, text, r"[A-Za-z_]{2,}", source.choice(names))


@_text
def ragged(source: random.Random, text: str) -> str:
    lines = text.split("\n")
    place = source.randrange(len(lines))
    mark = source.choice(",;\t|")
    line = lines[place]
    odd = (
        line + mark,
        line + mark * 30,
        line.replace(mark, "", 1),
        line.replace(mark, mark * 2),
        "",
        mark + line,
    )
    lines[place] = source.choice(odd)
    return "\n".join(lines)


@_text
def shuffle_lines(source: random.Random, text: str) -> str:
    lines = text.split("\n")
    how = source.choice(("swap", "drop", "again"))
    if how == "swap":
        source.shuffle(lines)
    elif how == "drop":
        del lines[source.randrange(len(lines))]
    else:
        lines += source.choices(lines, k=source.choice((1, 5, 100)))
    return "\n".join(lines)


@_text
def run_of(source: random.Random, text: str) -> str:
    place = source.randrange(len(text) + 1)
    return text[:place] + source.choice(RUNS) * source.choice((10, 40, 3000, 30_000)) + text[place:]


def reencode(source: random.Random, content: bytes) -> bytes:
    text = content.decode("utf-8", errors="replace")
    to = source.choice(
        ("utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-8-sig", "cp1252", "utf-7")
    )
    made = text.replace("i", source.choice("iéßж")).encode(to, errors="replace")
    return made[: len(made) - source.choice((0, 0, 1))]


TEXT: tuple[Mutation, ...] = (
    huge_number, hostile_name, nest, twice_named, ragged, shuffle_lines, run_of, reencode,
)  # fmt: skip


# --- of what is packed ---------------------------------------------------------------------------


def _repacked(name: str, source: random.Random, content: bytes) -> bytes:
    """Spoil what is within, so that it is found: a flipped bit outside only breaks the packing."""
    inside = source.choice((*BYTES, *TEXT))
    if name.endswith(".gz"):
        return gzip.compress(inside(source, gzip.decompress(content)))
    if name.endswith(".bz2"):
        return bz2.compress(inside(source, bz2.decompress(content)))
    if name.endswith(".xz"):
        return lzma.compress(inside(source, lzma.decompress(content)))
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        members = {each: archive.read(each) for each in archive.namelist()}
    chosen = source.choice(sorted(members))
    members[chosen] = inside(source, members[chosen])
    if source.random() < 0.1:
        del members[chosen]
    return zipped(**members)


ODD_COLUMNS: tuple[Callable[[int], Any], ...] = (
    lambda n: [b"\xff\xfe"] * n,
    lambda n: [b"a", b"b"] * (n // 2),
    lambda n: [[1.0], [], None] * (n // 3),
    lambda n: [{"a": 1}, None] * (n // 2),
    lambda n: [None] * n,
    lambda n: [True, False] * (n // 2),
    lambda n: pa.array([2**63 - 1] * n),
    lambda n: pa.array([10**17] * n, pa.decimal128(38, 3)),
    lambda n: pa.array(range(n), pa.timestamp("ns")),
    lambda n: pa.array(range(n), pa.duration("s")),
    lambda n: pa.array(range(n), pa.date32()),
    lambda n: pa.array([1.5] * n, pa.float16()),
    lambda n: pa.array(["a", None] * (n // 2)).dictionary_encode(),
    lambda n: pa.array([1, 2] * (n // 2)).dictionary_encode(),
    lambda n: ["a\x1b[0m"] * n,
    lambda n: ["x" * 20_000] * n,
    lambda n: [1e308, -1e308] * (n // 2),
    lambda n: [float("nan")] * n,
    lambda n: ["1", "x"] * (n // 2),
    lambda n: [1e-320] * n,
)


def odd_parquet(source: random.Random, _content: bytes) -> bytes:
    """Return Parquet with columns of types that a table of results seldom has."""
    table = pa.Table.from_pandas(FRAME, preserve_index=False)
    for _ in range(source.choice((1, 1, 2))):
        place = source.randrange(table.num_columns)
        name = source.choice((*table.column_names, *HOSTILE[:6], "new"))
        column = source.choice(ODD_COLUMNS)(len(FRAME))
        add = table.add_column if source.random() < 0.3 else table.set_column
        table = add(place, name, pa.array(column) if isinstance(column, list) else column)
    file = io.BytesIO()
    pq.write_table(table, file)
    return file.getvalue()


# --- all -----------------------------------------------------------------------------------------

_PACKED = (".gz", ".bz2", ".xz", ".zip", ".xlsx", ".eval")


def mutations_of(name: str) -> tuple[Mutation, ...]:
    """Return the ways to spoil a file of this name."""
    if name.endswith(_PACKED):

        def repack(source: random.Random, content: bytes) -> bytes:
            return _repacked(name, source, content)

        return (repack,) * 3 + BYTES
    if name.endswith(".parquet"):
        return (odd_parquet,) * 3 + BYTES
    return BYTES + TEXT * 2


def spoiled(source: random.Random, name: str, content: bytes, other: bytes) -> tuple[bytes, str]:
    """Return a spoiled file, and what was done to it; another is spliced in now and then."""
    if source.random() < 0.08:
        begin, end = _at(source, content), _at(source, other)
        return content[:begin] + other[end:], "splice"
    done = []
    for _ in range(source.choice((1, 1, 1, 2, 3))):
        change = source.choice(mutations_of(name))
        try:
            content = change(source, content)
        except Exception:  # what was spoiled before cannot be unpacked, by errors of any kind
            continue
        done.append(getattr(change, "__name__", "?"))
    return content, "+".join(done) or "nothing"
