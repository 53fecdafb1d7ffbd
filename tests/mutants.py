"""Faults put in on purpose: how many do the tests notice? Run with ``make mutants``.

mutmut changes one thing in one function (a sign, a comparison, a number, an argument) and runs the
tests that call the function. There are some 25,000 such mutants of the folders that compute, so a
sample is drawn, the same number from each folder: those whose names have the lowest hashes, so that
a change elsewhere changes the sample little, and what the tests do not notice can be mended. Not
drawn are changes that are no faults: of words (texts are for people), of ``strict=`` and ``dtype=``
(they guard, and change no number), and of what ``reshape`` takes for "the rest". Those that the
tests did not notice are shown, and those that made them run out of time.
"""

from __future__ import annotations

import argparse
import ast
import hashlib
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOMS = ("stats", "comparison", "ordering", "scores", "experiment")
MUTANTS = Path("mutants/src/palio")
STATS = Path("mutants/mutmut-stats.json")  # which test calls what
_GUARDS = {"strict", "dtype", "stacklevel"}
_OUT_OF_TIME = (-24, 24, 152, 255)  # as mutmut has it


def main() -> int:
    """Draw mutants, try them, and say which the tests did not notice."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--each", type=int, default=80, help="how many of each folder")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--rooms", nargs="+", default=ROOMS, choices=ROOMS)
    given = parser.parse_args()
    # No such mutant: mutmut makes all of them, finds out which test calls what, and stops.
    prepared = _mutmut("run", "palio.prepare", quiet=True)
    if not STATS.exists():
        print(f"{prepared[-2000:]}\nmutmut could not prepare: see above.")  # noqa: T201
        return 1
    drawn: dict[str, str] = {}
    for room in given.rooms:
        there = {name: change for path in _files(room) for name, change in _mutants(path)}
        for name in sorted(there, key=lambda name: _hash(name, given.seed))[: given.each]:
            drawn[name] = there[name]
    _mutmut("run", *drawn)
    return _tell(drawn)


def _hash(name: str, seed: int) -> str:
    return hashlib.sha256(f"{seed} {name}".encode()).hexdigest()


def _mutmut(*arguments: str, quiet: bool = False) -> str:
    """Run mutmut; if it is to be quiet, return what it said."""
    command = [sys.executable, "-m", "mutmut", *arguments]
    said = subprocess.run(command, check=False, capture_output=quiet, text=True)
    return f"{said.stdout}{said.stderr}"


def _files(room: str) -> list[Path]:
    return sorted((MUTANTS / room).rglob("*.py"))


def _mutants(path: Path) -> Iterator[tuple[str, str]]:
    """Yield the mutants of a file that could matter, and what each changes."""
    module = ".".join(path.relative_to("mutants/src").with_suffix("").parts)
    functions = {
        node.name: node
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef) and "__mutmut_" in node.name
    }
    for name, node in functions.items():
        stem, _, which = name.rpartition("__mutmut_")
        if which == "orig":
            continue
        change = _difference(functions[f"{stem}__mutmut_orig"].body, node.body)
        if change is not None:
            yield f"{module.removesuffix('.__init__')}.{name}", change


def _difference(before: object, after: object) -> str | None:
    """Return the smallest piece of code that differs, as text; none if it cannot matter."""
    if isinstance(before, list) and isinstance(after, list):
        if len(before) != len(after):
            return "removed"
        pairs = zip(before, after, strict=True)
    elif isinstance(before, ast.AST) and isinstance(after, type(before)):
        if isinstance(before, ast.Constant):
            return _constants(before.value, getattr(after, "value", None))
        if (
            isinstance(before, ast.Call)
            and isinstance(after, ast.Call)
            and _is_guard(before, after)
        ):
            return None
        pairs = zip(vars_of(before), vars_of(after), strict=True)
    else:
        return None if before == after else f"{_code(before)} → {_code(after)}"
    for one, other in pairs:
        if _dump(one) != _dump(other):
            return _difference(one, other)
    return None


def vars_of(node: ast.AST) -> list[object]:
    """Return the children of a node, in their order."""
    return [getattr(node, name) for name in node._fields]


def _constants(before: object, after: object) -> str | None:
    words = isinstance(before, str) and (after is None or isinstance(after, str))
    return None if words or before == after else f"{before!r} → {after!r}"


def _is_guard(before: ast.Call, after: ast.Call) -> bool:
    """Say whether only an argument that guards was changed."""
    if _dump(before.func) != _dump(after.func):
        return False
    if isinstance(before.func, ast.Attribute) and before.func.attr == "reshape":
        return True

    def kept(call: ast.Call) -> list[str]:
        return [
            *map(_dump, call.args),
            *(_dump(each) for each in call.keywords if each.arg not in _GUARDS),
        ]

    return kept(before) == kept(after)


def _dump(value: object) -> str:
    if isinstance(value, list):
        return "[" + ", ".join(map(_dump, value)) + "]"
    return ast.dump(value) if isinstance(value, ast.AST) else repr(value)


def _code(value: object) -> str:
    return ast.unparse(value) if isinstance(value, ast.AST) else repr(value)


def _tell(drawn: dict[str, str]) -> int:
    """Write how many were noticed in each room, and which were not."""
    codes: dict[str, int | None] = {}
    for meta in MUTANTS.rglob("*.meta"):
        codes |= json.loads(meta.read_text(encoding="utf-8"))["exit_code_by_key"]
    lived = {name: change for name, change in drawn.items() if codes.get(name) in (0, 33, None)}
    for name, change in lived.items():
        print(f"not noticed: {name}: {change}")  # noqa: T201
    for name, change in drawn.items():
        if codes.get(name) in _OUT_OF_TIME:
            print(f"out of time: {name}: {change}")  # noqa: T201
    for room in ROOMS:
        of = [name for name in drawn if name.startswith(f"palio.{room}.")]
        dead = sum(name not in lived for name in of)
        if of:
            print(f"{room}: {dead} of {len(of)} noticed")  # noqa: T201
    dead = len(drawn) - len(lived)
    print(f"all: {dead} of {len(drawn)} noticed, {dead / max(len(drawn), 1):.1%}")  # noqa: T201
    return int(dead < 0.95 * len(drawn))


if __name__ == "__main__":
    sys.exit(main())
