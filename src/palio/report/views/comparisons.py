"""Comparisons over many data sets, on the folds of one, single tests; audits and plans of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from palio.claims import generalises_to
from palio.numbers import number, p_said, rank, record, span
from palio.report.blocks import Block, Column, Items, Paragraph, Table, Title
from palio.report.views.boards import comparison_board, comparison_focus, steps_said
from palio.report.views.common import (
    mark_said,
    mean_said,
    notes,
    p_of,
    pairs_table,
    rows_shown,
    statistic_said,
    verdict,
)
from palio.words import Worded, count, joined, strung

if TYPE_CHECKING:
    from palio.comparison.audit.report import Audit, CheckReport
    from palio.comparison.fold_groups import FoldComparison
    from palio.comparison.pairs import ComparedPair, TestResult
    from palio.comparison.power import Power
    from palio.comparison.results import Comparison

# A person reads this many pairs; of more, those that stand next to each other.
_PAIRS_SHOWN = 45
# With more algorithms than this the table is a leaderboard.
_BOARD = 30
# So many findings of a check are shown.
_FINDINGS_SHOWN = 30
_NO_DIFFERENCE = "No difference found"
_DIFFERENCE: tuple[str, Callable[[ComparedPair], str]] = (
    "a − b",
    lambda pair: number(pair.difference),
)

_RATIO: tuple[str, Callable[[ComparedPair], str]] = ("a / b", lambda pair: number(pair.ratio))

_ERROR: tuple[str, Callable[[ComparedPair], str]] = (
    "s.e.",
    lambda pair: number(pair.standard_error),
)


def comparison(result: Comparison) -> list[Block]:
    """Lay out who differs from whom."""
    return [
        *verdict(result.claims),
        *(Paragraph(line) for line in omnibus_lines(result)),
        *comparison_focus(result),
        *_board(result),
        *_pairs(result),
        _groups(result),
        notes(result),
    ]


def _board(result: Comparison) -> list[Block]:
    """Show a leaderboard of many algorithms, or where more is to be told than of a few others."""
    more = result.costs or len(result.components) > 1
    if len(result.algorithms) <= _BOARD and not more:
        return [_algorithms_table(result), *_mark(result)]
    steps = [Paragraph(steps_said(result))] if result.control is None else []
    return [*comparison_board(result), *_mark(result), *steps]


def _mark(result: Comparison) -> list[Paragraph]:
    return [] if result.measure.is_ordinal else mark_said(result.imputed)


def _pairs(result: Comparison) -> list[Block]:
    """Show the pairs; of many those of the focus, or those next to each other on the board."""
    left_out = ""
    if result.n_pairs <= _PAIRS_SHOWN:
        pairs = result.pairs
    else:
        if result.focus is not None:
            pairs = result.pairs_of(result.focus.row.algorithm)
        elif result.control is None:
            pairs = result.neighbours
        else:
            pairs = result.pairs
        pairs = pairs[: min(_rows_shown(result), _PAIRS_SHOWN)]
        which = "of the focus" if result.focus is not None else "next to each other on the board"
        left_out = strung(
            [
                f"{len(pairs)} of {result.n_pairs} pairs, {which}",
                Worded(": --json, or .to_frame(), has all"),
                ".",
            ]
        )
    table = pairs_table(
        pairs,
        *(() if result.measure.is_ordinal else (_size(result),)),
        *((_ERROR,) if result.over == "items" else ()),
        ("won/tied/lost", lambda pair: record(pair.wins, pair.ties, pair.losses)),
    )
    return [table, *([Paragraph(left_out)] if left_out else [])]


def _size(result: Comparison) -> tuple[str, Callable[[ComparedPair], str]]:
    """Return the column of how much two differ: by how much, or how many times."""
    return _RATIO if result.tested.effects.ratios else _DIFFERENCE


def _rows_shown(result: Comparison) -> int:
    """Return how many rows of the board are shown."""
    return rows_shown(len(result.algorithms), result.shown)


def _groups(result: Comparison) -> Items:
    control = result.control
    nobody_could = result.least_p is not None
    if nobody_could or (control is None and len(result.algorithms) > _BOARD):
        return Items(_NO_DIFFERENCE, ())  # of many, letters and ranks say it
    if control is None:
        found = [", ".join(group) for group in result.groups if len(group) > 1]
        return Items(_NO_DIFFERENCE, tuple(("-", names) for names in found))
    names = [name for group in result.groups for name in group if name != control]
    return Items(f"{_NO_DIFFERENCE} from {control}", (("-", ", ".join(names)),) if names else ())


def comparison_title(result: Comparison) -> str:
    """Say how many pairs differ."""
    differ, pairs = result.n_different, result.n_pairs
    if result.least_p is not None:
        least = number(result.least_p)
        return (
            f"no verdict is possible on {result.n_datasets} data sets: adjusted p is {least} at "
            "least"
        )
    if result.control is not None:
        return f"{differ} of {pairs} algorithms differ from {result.control}"
    if differ == 0:
        return f"no two of {len(result.algorithms)} algorithms differ significantly"
    return f"{differ} of {pairs} pairs differ significantly"


def omnibus_lines(result: Comparison) -> Iterator[str]:
    """Say whether any differ, and how far the data sets agree; nothing on one data set."""
    omnibus, agreement = result.together, result.kendall_w
    if omnibus is None:
        return
    agree = (
        f"; agreement of the data sets, Kendall's W = {agreement:.2f}"
        if agreement is not None
        else ""
    )
    yield (
        f"all together, {omnibus.method} on {omnibus.n} data sets: {statistic_said(omnibus)}, "
        f"{p_of(omnibus)}{agree}"
    )


def _algorithms_table(result: Comparison) -> Table:
    """Show the algorithms by mean rank, with the letters of their groups."""
    told = result.control is None and result.groups and result.least_p is None
    letters = result.letters if told else {}
    sets = result.rank_sets or {}
    lacking = {} if result.missing is None else result.missing.lacking

    def lacks(name: str) -> str:
        return str(lacking.get(name, 0))

    columns: list[tuple[Column, Callable[[str], str]]] = [
        (Column("algorithm"), lambda name: name),
        *(() if result.over == "items" else (_mean_rank(result),)),
        *(((Column("ranks", numeric=True), lambda name: span(*sets[name])),) if sets else ()),
        *(() if result.measure.is_ordinal else (_mean_score(result),)),
        *(((Column("group"), lambda name: letters[name]),) if letters else ()),
        *(((Column("missing", numeric=True), lacks),) if lacking else ()),
    ]
    return Table(
        tuple(column for column, _ in columns),
        tuple(tuple(cell(name) for _, cell in columns) for name in result.by_standing),
    )


def _mean_rank(result: Comparison) -> tuple[Column, Callable[[str], str]]:
    return Column("mean rank", numeric=True), lambda name: rank(result.mean_ranks[name])


def _mean_score(result: Comparison) -> tuple[Column, Callable[[str], str]]:
    column = Column(f"mean {result.mean_of}", numeric=True)
    imputed = result.imputed or ()
    return column, lambda name: mean_said(result.mean_scores[name], imputed=name in imputed)


def fold_comparison(result: FoldComparison) -> list[Block]:
    """Lay out a test of several algorithms on one data set."""
    lines = result.underlines
    columns = [Column("algorithm"), Column(f"mean {result.measure.name}", numeric=True)]
    if lines is not None:
        columns.append(Column(_NO_DIFFERENCE.lower()))
    rows = [
        (name, number(mean)) if lines is None else (name, number(mean), _bars(name, lines))
        for name, mean in result.means.items()
    ]
    blocks: list[Block] = [Title(_fold_title(result)), Table(tuple(columns), tuple(rows))]
    if lines is None:
        df = ", ".join(f"{value:g}" for value in result.df)
        statistic = number(result.statistic)
        blocks.insert(1, Paragraph(f"statistic {statistic}, df {df}, α = {result.alpha:g}"))
    return [*blocks, notes(result)]


def _fold_title(result: FoldComparison) -> str:
    where = f"({result.method} on {result.dataset})"
    if result.underlines is None:
        some = "some differ" if result.significant else "no difference found"
        return f"{some}, {p_said(result.p_value)} {where}"
    if not result.underlines:
        return f"all differ {where}"
    return f"no difference was found between algorithms under one bar {where}"


def _bars(name: str, lines: Sequence[Sequence[str]]) -> str:
    """Draw a range test's underlines downwards, a column for each."""
    return " ".join("│" if name in line else " " for line in lines)


def test(result: TestResult) -> list[Block]:
    """Lay out one test."""
    return [
        Title(f"{result.method}: {p_of(result)}"),
        Paragraph(f"hypothesis: {result.hypothesis}; {statistic_said(result)}, n = {result.n}"),
        notes(result),
    ]


# --- audits, and plans ----------------------------------------------------------------------------


# More changes of who is unbeaten are counted.
_MAX_CHANGES_SHOWN = 5


def audit(result: Audit) -> list[Block]:
    """Lay an audit out: what would change the answer, and on demand what each check found."""
    if not result.in_detail:
        return _in_short(result)
    sound = ", ".join("–".join(pair) for pair in result.sound_that_matter)
    others = len(result.sound) - len(result.sound_that_matter)
    if sound and others:
        sound += f" and {count(others, 'other pair')}"
    asked = [check for check in result.checks if not check.why_not]
    left = [check for check in result.checks if check.why_not]
    apart = [check for check in asked if check.apart]
    return [
        Title(audit_title(result)),
        Paragraph(result.claims.headline),
        *_changes(result),
        *([Paragraph(missing)] if (missing := result.comparison.verdict.missing) else []),
        Paragraph(
            f"audit of {result.test} with {result.correction}, α = {result.alpha:g}, "
            f"{len(result.algorithms)} algorithms on {result.comparison.rests_on}"
        ),
        *(_check(check) for check in asked if not check.apart),
        *([Paragraph(f"No check casts doubt on: {sound}.")] if sound else []),
        *([Paragraph(_APART)] if apart else []),
        *map(_check, apart),
        *([Items("Not asked", tuple(("-", line) for line in _left(left)))] if left else []),
        notes(result),
    ]


def _in_short(result: Audit) -> list[Block]:
    more = Worded("--details (in_detail=True) has what each check found.")
    return [
        Title(result.claims.headline.removesuffix(".")),
        *_changes(result),
        Paragraph(strung([f"{_capital(audit_title(result))}. ", more])),
    ]


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _changes(result: Audit) -> list[Block]:
    """List what would change who is unbeaten, the first few of many."""
    lines = list(result.changes[:_MAX_CHANGES_SHOWN])
    if len(result.changes) > len(lines):
        lines.append(f"and {len(result.changes) - len(lines)} more")
    if not lines:
        return [Paragraph("Nothing that was asked would change who is unbeaten.")]
    return [Items.dashed("What would change the answer", lines)]


_APART = "In use, but not what we recommend; no doubt is counted from these:"


def audit_title(result: Audit) -> str:
    """Say how many of the differences stand."""
    significant = len(result.significant)
    doubted = significant - len(result.sound)
    if not significant:
        said = comparison_title(result.comparison)
    elif significant == 1:
        said = f"the one significant pair is {'' if doubted else 'not '}in doubt"
    else:
        of = f"{doubted or 'none'} of {significant} significant pairs"
        said = f"{of} {'are' if doubted > 1 else 'is'} in doubt"
    judged = result.comparison
    if judged.over != "items" and judged.reading is None:
        return said
    drawn = generalises_to(judged.over, judged.n_datasets)
    return f"{drawn[0].upper()}{drawn[1:]}: {said}"


def _left(checks: Sequence[CheckReport]) -> Iterator[str]:
    """Say why checks were not made, those with the same reason together."""
    names: dict[str, list[str]] = {}
    for check in checks:
        names.setdefault(check.why_not, []).append(check.name)
    yield from (f"{joined(those)}: {why}" for why, those in names.items())


def _check(check: CheckReport) -> Items:
    return Items(f"{check.name}: {check.question}", tuple(("-", line) for line in _found(check)))


def _found(check: CheckReport) -> Sequence[str]:
    """Return what was found; of more than a person reads, the first, and how many there are."""
    shown, others = check.findings[:_FINDINGS_SHOWN], check.findings[_FINDINGS_SHOWN:]
    if len(others) == 1:
        shown, others = check.findings, ()
    more = [f"and {len(others)} more of these: --json has them"] if others else []
    if check.unlisted:
        pairs = count(check.unlisted, "pair")
        also = "also" if check.findings else "nothing on pairs that matter, but"
        more.append(f"{also} on {pairs} of neither the first nor neighbours: --json has them")
    said = [*shown, *more] or ["nothing found"]
    return [*said, f"sampled: {check.sampling}"] if check.sampling else said


def power(result: Power) -> list[Block]:
    """Lay out how the chance of a finding grows with the data sets, or with their items."""
    from palio.comparison.item_power import ItemPower

    what = "items" if isinstance(result, ItemPower) else "data sets"
    enough = (
        f"{result.needed} {what} are enough"
        if result.needed is not None
        else f"{max(result.chances)} {what} are not enough"
    )
    if isinstance(result, ItemPower):
        of = "this data set" if result.n_datasets == 1 else f"these {result.n_datasets} data sets"
        enough = enough.replace(" are", f" of {of} are")
    return [
        Title(f"{enough} to tell {result.a} and {result.b} apart"),
        Paragraph(
            f"{result.test} with {result.correction}, α = {result.alpha:g}, "
            f"target {result.target:g}; {result.better} is the better one"
        ),
        _chances(result),
        notes(result),
    ]


def _chances(result: Power) -> Table:
    from palio.comparison.item_power import ItemPower

    if isinstance(result, ItemPower):
        return Table(
            Column.numbers("items", "power"),
            tuple((str(row.n_items), f"{row.power:.3f}") for row in result.curve),
        )
    return Table(
        Column.numbers("data sets", "power", "standard error"),
        tuple(
            (str(row.n_datasets), f"{row.power:.3f}", f"{row.standard_error:.3f}")
            for row in result.curve
        ),
    )
