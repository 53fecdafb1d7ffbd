"""An audit as a grid: the pairs whose verdict hangs on something, by the checks that asked."""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np

from palio.comparison.audit.report import Audit, ByConvention, CheckReport, LeftOut

State = Literal["firm", "flips", "differs"]

Pair = frozenset[str]


@dataclass(frozen=True)
class Cell:
    """What one check says of one pair.

    ``differs`` is a check that says otherwise, and from which no doubt is counted. ``said`` is what
    would change the verdict, and ``ways`` are the data sets or conventions by which it would.
    """

    state: State
    said: str = ""
    ways: tuple[str, ...] = ()


@dataclass(frozen=True)
class GridRow:
    """A pair, the better placed first, whether it differs and who is ahead, by check."""

    a: str
    b: str
    significant: bool
    better: str | None
    cells: tuple[Cell, ...]


@dataclass(frozen=True)
class AuditGrid:
    """The pairs in doubt, the best placed first; ``unlisted`` counts those beyond ``most``.

    ``checks`` are the columns, ``others`` what else was asked, ``left`` what was not. ``firm`` has
    for each winner those that it beats whatever was asked; so many are ``level`` whatever was.
    """

    checks: tuple[CheckReport, ...]
    rows: tuple[GridRow, ...]
    unlisted: int
    firm: Mapping[str, tuple[str, ...]]
    level: int
    others: tuple[CheckReport, ...]
    left: tuple[CheckReport, ...]


def grid_of(audit: Audit, *, most: int) -> AuditGrid:
    """Lay an audit out as a grid of at most so many pairs."""
    asked = [check for check in audit.checks if not check.why_not]
    checks = tuple(sorted(filter(_about_pairs, asked), key=lambda check: check.apart))
    place = {name: i for i, name in enumerate(audit.comparison.by_standing)}
    doubted = heapq.nsmallest(most, (sorted(place[name] for name in p) for p in audit.doubted))
    columns = [_Column.of(check) for check in checks]
    judged = _Judged(audit)
    names = audit.comparison.by_standing
    rows = [_row(judged, columns, names[i], names[j]) for i, j in doubted]
    return AuditGrid(
        checks=checks,
        rows=tuple(rows),
        unlisted=len(audit.doubted) - len(rows),
        firm=_firm(audit, judged, place),
        level=audit.comparison.n_pairs - len(audit.doubted) - len(audit.sound),
        others=tuple(check for check in asked if not _about_pairs(check)),
        left=tuple(check for check in audit.checks if check.why_not),
    )


def _about_pairs(check: CheckReport) -> bool:
    """Say whether a check has asked about pairs: of some there was nothing to ask."""
    return bool(check.pairs or check.affected or check.bears or check.apart)


class _Judged:
    """Who is ahead of whom, and significantly or not."""

    def __init__(self, audit: Audit) -> None:
        self._names = audit.comparison.algorithms
        self._tested = audit.comparison.tested
        self._column = {name: i for i, name in enumerate(self._names)}

    @cached_property
    def _at(self) -> dict[tuple[int, int], int]:
        sides = zip(self._tested.first.tolist(), self._tested.second.tolist(), strict=True)
        return {pair: at for at, pair in enumerate(sides)}

    def of(self, a: str, b: str) -> tuple[bool, str | None]:
        i, j = self._column[a], self._column[b]
        turned = (i, j) not in self._at
        at = self._at[(j, i) if turned else (i, j)]
        lead = float(np.sign(self._tested.lead[at])) * (-1 if turned else 1)
        better = a if lead > 0 else b if lead < 0 else None
        return bool(self._tested.significant[at]), better


@dataclass(frozen=True)
class _Column:
    """A check, with what it has found by pair."""

    check: CheckReport
    found: Mapping[Pair, list[str]]
    rows: Mapping[Pair, LeftOut | ByConvention]

    @classmethod
    def of(cls, check: CheckReport) -> _Column:
        found: dict[Pair, list[str]] = {}
        for pair, said in zip(check.pairs, check.findings if check.pairs else (), strict=True):
            found.setdefault(frozenset(pair), []).append(said)
        rows = {
            frozenset((row.a, row.b)): row
            for row in check.rows
            if isinstance(row, LeftOut | ByConvention)
        }
        return cls(check, found, rows)

    def cell(self, a: str, b: str, *, significant: bool) -> Cell:
        pair, check = frozenset((a, b)), self.check
        doubted = pair in check.affected
        if not doubted and pair not in self.found:
            return Cell("firm")
        state: State = "flips" if doubted else "differs"
        if pair not in self.found:
            return Cell(state, "" if check.pairs else "; ".join(check.findings))
        row = self.rows.get(pair)
        if row is None:
            return Cell(state, "; ".join(self.found[pair]))
        return Cell(state, *_hangs_on(row, check, significant=significant))


def _hangs_on(
    row: LeftOut | ByConvention, check: CheckReport, *, significant: bool
) -> tuple[str, tuple[str, ...]]:
    """Say by which data sets or conventions a verdict would be another."""
    would = "would no longer be told apart" if significant else "would be told apart"
    if isinstance(row, LeftOut):
        return f"The two {would} without any one of:", row.flips_without
    ways = [check.ways.get(name, name) for name, hit in row.by.items() if hit != significant]
    n = row.conventions - row.significant if significant else row.significant
    how = "all" if n == row.conventions else str(n)
    return f"The two {would} by {how} of {row.conventions} choices:", tuple(dict.fromkeys(ways))


def _row(judged: _Judged, columns: list[_Column], a: str, b: str) -> GridRow:
    significant, better = judged.of(a, b)
    cells = tuple(column.cell(a, b, significant=significant) for column in columns)
    return GridRow(a, b, significant, better, cells)


def _firm(audit: Audit, judged: _Judged, place: Mapping[str, int]) -> Mapping[str, tuple[str, ...]]:
    """Return whom each beats whatever was asked, the best placed first."""
    beaten: dict[str, list[str]] = {}
    for winner, loser in _won(audit, judged):
        beaten.setdefault(winner, []).append(loser)
    return {
        winner: tuple(sorted(beaten[winner], key=place.__getitem__))
        for winner in sorted(beaten, key=place.__getitem__)
    }


def _won(audit: Audit, judged: _Judged) -> Iterator[tuple[str, str]]:
    for a, b in audit.sound:
        _, better = judged.of(a, b)
        yield (a, b) if better == a else (b, a)
