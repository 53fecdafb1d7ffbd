"""Comparisons over many data sets, on the folds of one, single tests; audits and plans of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from palio.claims import generalises_to, pairs_differ
from palio.numbers import number, p_said, record, share
from palio.report.blocks import Block, Items, Paragraph, Table, Title
from palio.report.views.boards import comparison_board, comparison_focus, short_board, steps_said
from palio.report.views.common import (
    capital,
    left_out,
    mark_said,
    notes,
    p_of,
    pairs_table,
    rows_shown,
    shortened,
    statistic_said,
    unbounded,
    verdict,
    whole,
)
from palio.results import EVERY_ROW
from palio.words import Worded, count, joined, strung

if TYPE_CHECKING:
    from palio.comparison.audit.report import Audit, CheckReport
    from palio.comparison.on_folds import FoldComparison
    from palio.comparison.pairs import ComparedPair, TestResult
    from palio.comparison.power import Power
    from palio.comparison.prediction_tests import HullCorner, PredictionComparison
    from palio.comparison.results import Comparison

# A person reads this many pairs, unless it is said; of more, those next to each other.
_PAIRS_SHOWN = 45
# With more algorithms than this the table is a leaderboard.
_BOARD = 30
# So many findings of a check are shown.
_FINDINGS_SHOWN = 30
_NO_DIFFERENCE = "No difference found"


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
        return [short_board(result), *_mark(result)]
    steps = [Paragraph(steps_said(result))] if result.control is None else []
    return [*comparison_board(result), *_mark(result), *steps]


def _mark(result: Comparison) -> list[Paragraph]:
    return [] if result.measure.is_ordinal else mark_said(result.imputed)


def _pairs(result: Comparison) -> list[Block]:
    """Show the pairs; of many those of the focus, or those next to each other on the board."""
    most = _PAIRS_SHOWN if result.shown is None else result.shown
    if result.n_pairs <= most:
        return [_pairs_table(result, result.pairs)]
    which = "next to each other on the board"
    if result.focus is not None:
        pairs, which = result.pairs_of(result.focus.row.algorithm), "of the focus"
    else:
        pairs = result.pairs if result.control is not None else result.neighbours
    pairs = pairs[: min(rows_shown(len(result.algorithms), result.shown), most)]
    of = f"{len(pairs)} of {result.n_pairs} pairs, {which}; "
    more = left_out(result.n_pairs - len(pairs), whole(result.shown))
    return [_pairs_table(result, pairs), Paragraph(strung([of, *more]))]


def _pairs_table(result: Comparison, pairs: Sequence[ComparedPair]) -> Table:
    between: list[tuple[str, Callable[[ComparedPair], str]]] = [
        ("won/tied/lost", lambda pair: record(pair.wins, pair.ties, pair.losses))
    ]
    if result.over == "items":
        between.insert(0, ("s.e.", lambda pair: number(pair.standard_error)))
    if result.tested.effects.ratios:
        between.insert(0, ("a / b", lambda pair: number(pair.ratio)))
    elif not result.measure.is_ordinal:
        between.insert(0, ("a − b", lambda pair: number(pair.difference)))
    return pairs_table(pairs, *between)


def _groups(result: Comparison) -> Items:
    control = result.control
    nobody_could = result.least_p is not None
    if nobody_could or (control is None and len(result.algorithms) > _BOARD):
        return Items(_NO_DIFFERENCE, ())  # of many, letters and ranks say it
    if control is None:
        found = [", ".join(group) for group in result.groups if len(group) > 1]
        return Items.dashed(_NO_DIFFERENCE, found)
    names = [name for group in result.groups for name in group if name != control]
    return Items.dashed(f"{_NO_DIFFERENCE} from {control}", [", ".join(names)] if names else [])


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


def fold_comparison(result: FoldComparison) -> list[Block]:
    """Lay out a test of several algorithms on one data set."""
    lines, means = result.underlines, result.means
    columns = {
        "algorithm": list(means),
        f"mean {result.measure.name}": list(map(number, means.values())),
    }
    if lines is not None:
        # A range test's underlines, drawn downwards, a column for each.
        bars = (" ".join("│" if name in line else " " for line in lines) for name in means)
        columns[_NO_DIFFERENCE.lower()] = list(bars)
    table = Table.of(columns, "algorithm", _NO_DIFFERENCE.lower())
    blocks = [Title(_fold_title(result)), *shortened(table, result.shown, rest=whole(result.shown))]
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
        more = Worded("--details (in_detail=True) has what each check found.")
        return [
            Title(result.claims.headline.removesuffix(".")),
            *_changes(result),
            Paragraph(strung([f"{capital(audit_title(result))}. ", more])),
        ]
    return [
        Title(audit_title(result)),
        Paragraph(result.claims.headline),
        *_changes(result),
        *([Paragraph(missing)] if (missing := result.comparison.verdict.missing) else []),
        Paragraph(
            f"audit of {result.test} with {result.correction}, α = {result.alpha:g}, "
            f"{len(result.algorithms)} algorithms on {result.comparison.rests_on}"
        ),
        *audit_checks(result),
        notes(result),
    ]


def audit_checks(result: Audit) -> list[Block]:
    """Lay out what each check found, what none casts doubt on, and what was not asked."""
    sound = ", ".join("–".join(pair) for pair in result.sound_that_matter)
    others = len(result.sound) - len(result.sound_that_matter)
    if sound and others:
        sound += f" and {count(others, 'other pair')}"
    asked = [check for check in result.checks if not check.why_not]
    apart = [check for check in asked if check.apart]
    left: dict[str, list[str]] = {}
    for check in result.checks:
        if check.why_not:
            left.setdefault(check.why_not, []).append(check.name)
    not_asked = [f"{joined(names)}: {why}" for why, names in left.items()]
    return [
        *(_check(check, result.shown) for check in asked if not check.apart),
        *([Paragraph(f"No check casts doubt on: {sound}.")] if sound else []),
        *([Paragraph(_APART)] if apart else []),
        *(_check(check, result.shown) for check in apart),
        *([Items.dashed("Not asked", not_asked)] if left else []),
    ]


def _changes(result: Audit) -> list[Block]:
    """List what would change who is unbeaten, the first few of many."""
    if not result.changes:
        return [Paragraph("Nothing that was asked would change who is unbeaten.")]
    lines = result.changes[: None if result.shown == EVERY_ROW else _MAX_CHANGES_SHOWN]
    more = left_out(len(result.changes) - len(lines), whole(result.shown))
    return [Items.dashed("What would change the answer", [*lines, *more])]


_APART = "In use, but not what we recommend; no doubt is counted from these:"


def audit_title(result: Audit) -> str:
    """Say how many of the differences stand."""
    significant = len(result.significant)
    doubted = significant - len(result.sound)
    if not significant:
        said = result.claims.how_many_differ
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


def _check(check: CheckReport, asked: int | None) -> Items:
    """List what was found; of more than a person reads, the first, and how many there are."""
    in_json = Worded(": --json has them")
    shown = check.findings[: asked or _FINDINGS_SHOWN]
    more = left_out(len(check.findings) - len(shown), whole(asked))
    if check.unlisted:
        pairs = count(check.unlisted, "pair")
        also = "also" if check.findings else "nothing on pairs that matter, but"
        more.append(strung([f"{also} on {pairs} of neither the first nor neighbours", in_json]))
    said = [*shown, *more] or ["nothing found"]
    sampled = [f"sampled: {check.sampling}"] if check.sampling else []
    return Items.dashed(f"{check.name}: {check.question}", [*said, *sampled])


def power(result: Power) -> list[Block]:
    """Lay out how the chance of a finding grows with the data sets, or with their items."""
    from palio.comparison.power import ItemPower

    what, of = "data sets", ""
    if isinstance(result, ItemPower):
        these = (
            "this data set" if result.n_datasets == 1 else f"these {result.n_datasets} data sets"
        )
        what, of = "items", f" of {these}"
    enough = (
        f"{result.needed} {what}{of} are enough"
        if result.needed is not None
        else f"{max(result.chances)} {what}{of} are not enough"
    )
    columns = {
        what: list(map(str, result.chances)),
        "power": [f"{chance:.3f}" for chance in result.chances.values()],
    }
    if not isinstance(result, ItemPower):
        columns["standard error"] = [f"{point.standard_error:.3f}" for point in result.curve]
    return [
        Title(f"{enough} to tell {result.a} and {result.b} apart"),
        Paragraph(
            f"{result.test} with {result.correction}, α = {result.alpha:g}, "
            f"target {result.target:g}; {result.better} is the better one"
        ),
        Table.of(columns),
        notes(result),
    ]


# A person reads this many rows, unless it is said; the rest are counted.
_PREDICTIONS_SHOWN = 45


def prediction_comparison(result: PredictionComparison) -> list[Block]:
    """Lay out a comparison on test instances."""
    blocks: list[Block] = [
        Title(_predictions_title(result)),
        Paragraph(_predictions_line(result)),
    ]
    if result.test is not None:
        blocks.append(Paragraph(statistic_said(result.test)))
    blocks += shortened(_algorithms_table(result), result.shown, rest=whole(result.shown))
    most = result.shown or _PREDICTIONS_SHOWN
    if result.pairs:
        blocks += [
            pairs_table(
                result.pairs[:most],
                ("only a right", lambda pair: str(pair.only_a)),
                ("only b right", lambda pair: str(pair.only_b)),
            ),
            *map(Paragraph, left_out(len(result.pairs) - most, whole(result.shown), "pairs")),
        ]
    if result.roc is not None:
        corners = result.roc.optimal_corners
        more = left_out(len(corners) - most, whole(result.shown), "corners")
        blocks += [_hull_table(corners[:most]), *map(Paragraph, more)]
    return [*blocks, notes(result)]


def _predictions_title(result: PredictionComparison) -> str:
    algorithms, test, roc = len(result.algorithms), result.test, result.roc
    if roc is not None:
        found = len(roc.on_hull)
        are = "is" if found == 1 else "are"
        return f"{found} of {algorithms} algorithms {are} on the ROC convex hull"
    said = "" if test is None else p_of(test)
    if result.selection:
        most = result.most_wins
        have = "has" if len(most) == 1 else "have"
        return f"{', '.join(most)} {have} the most wins; all equally many: {said}"
    if test is not None:
        some = "some differ" if test.p_value <= result.alpha else "no difference found"
        return f"{some}, {said}"
    return pairs_differ(result.n_different, len(result.pairs))


def _predictions_line(result: PredictionComparison) -> str:
    how = result.method
    if result.correction not in (None, "none"):
        how += f" with {result.correction}"
    instances = "1 test instance" if result.n == 1 else f"{result.n} test instances"
    level = "" if result.roc is not None else f", α = {result.alpha:g}"
    return f"{how}{level}, on {instances}"


def _algorithms_table(result: PredictionComparison) -> Table:
    """Show the algorithms, most accurate first; by wins or area where these are the answer."""
    names = result.best_first
    columns = {
        "algorithm": list(names),
        "accuracy": [number(result.accuracies[name]) for name in names],
    }
    if result.selection:
        selected = {row.algorithm: row for row in result.selection}
        columns["wins"] = [share(selected[name].wins) for name in names]
        columns["chance"] = [f"{selected[name].chance:.3f}" for name in names]
    if result.roc is not None:
        lines = [result.roc.curves[name] for name in names]
        columns["AUC"] = [number(line.auc) for line in lines]
        columns["optimal for slopes"] = ["; ".join(map(_range, line.ranges)) for line in lines]
    return Table.of(columns, "algorithm", words=["optimal for slopes"])


def _hull_table(corners: Sequence[HullCorner]) -> Table:
    """Show the corners of the hull from left to right: from dear false positives to cheap ones."""
    columns = {
        "false positives": [number(each.false_positive_rate) for each in corners],
        "true positives": [number(each.true_positive_rate) for each in corners],
        "slopes": [_range(each.slopes) for each in corners],
        "cost ratios": [_range(each.cost_ratios) for each in corners],
        "reached by": [", ".join(each.thresholds) or _trivial(each) for each in corners],
    }
    title = "Corners of the hull"
    return Table.of(columns, "slopes", "cost ratios", words=["reached by"], title=title)


def _trivial(corner: HullCorner) -> str:
    return "always positive" if corner.true_positive_rate else "always negative"


def _range(values: Sequence[float]) -> str:
    low, high = values
    return f"{unbounded(low)} to {unbounded(high)}"
