"""Posteriors, and the region of practical equivalence."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from palio.report.blocks import Block, Column, Items, Paragraph, Table, Title
from palio.report.numbers import hundredths, limit, number, probability, signed_alike
from palio.report.views.common import notes
from palio.words import joined

if TYPE_CHECKING:
    from palio.bayes.answer import Cheapest, PosteriorAnswer
    from palio.bayes.rope import SuggestedRope

# A person reads this many pairs one by one; more stand in tables of so many columns.
_PAIRS_SHOWN = 45
_COLUMNS = 5


def posterior(result: PosteriorAnswer) -> list[Block]:
    """Lay a posterior out: who is best, every pair, and whether to trust it."""
    blocks: list[Block] = [Title(_headline(result)), Paragraph(_method_line(result))]
    if result.best:
        blocks += [_best_table(result), Paragraph(_best_set(result.best_set))]
    if result.cheapest:
        blocks.append(Paragraph(_cheapest(result.cheapest)))
    blocks += [*_pairs(result), Paragraph(_decided(result)), Paragraph(_trust(result))]
    if result.diagnostics.warnings:
        warnings = tuple(("!", text) for text in result.diagnostics.warnings)
        blocks.append(Items("Warnings", warnings))
    return [*blocks, notes(result)]


def _headline(result: PosteriorAnswer) -> str:
    if result.best:
        first = result.best_first[0]
        return f"{first.algorithm} is the best with probability {probability(first.p_best)}"
    if len(result.pairs) == 1:
        pair = result.pairs[0]
        outcome, p = pair.likeliest
        said = {
            "a": f"{pair.a} is better than {pair.b}",
            "equal": f"{pair.a} and {pair.b} are practically equal",
            "b": f"{pair.b} is better than {pair.a}",
        }[outcome]
        return f"{said} with probability {probability(p)}"
    return f"{len(result.pairs)} pairs of {len(result.algorithms)} algorithms"


def _method_line(result: PosteriorAnswer) -> str:
    return (
        f"{result.title} by {result.measure}; practically equal within "
        f"±{limit(result.rope)} ({result.rope_source})"
    )


def _best_table(result: PosteriorAnswer) -> Table:
    effects = {row.algorithm: row.mean for row in result.effects}
    rows = result.best_first
    written = signed_alike(effects[row.algorithm] for row in rows)
    return Table(
        (
            *Column.texts("algorithm"),
            *Column.numbers("P(best)", "P(as good)", "expected loss", "effect"),
        ),
        tuple(
            (
                row.algorithm,
                probability(row.p_best),
                probability(row.p_as_good),
                number(row.expected_loss),
                effect,
            )
            for row, effect in zip(rows, written, strict=True)
        ),
        title="Who is best",
    )


def _best_set(names: Sequence[str]) -> str:
    return f"With 95 % the best is {'' if len(names) == 1 else 'one of '}{joined(names)}."


def _cheapest(found: Cheapest) -> str:
    if found.probability >= found.wanted:
        return (
            f"The cheapest that is practically as good as the best with {found.wanted:.0%}: "
            f"{found.algorithm} ({probability(found.probability)})."
        )
    return (
        f"None is practically as good as the best with {found.wanted:.0%}; the likeliest is "
        f"{found.algorithm} ({probability(found.probability)})."
    )


def _pairs(result: PosteriorAnswer) -> list[Block]:
    if len(result.pairs) <= _PAIRS_SHOWN:
        return [_one_by_one(result)]
    whole = "Differences and intervals of the pairs: --json, or .probabilities(), has them."
    return [*_against_each_other(result), Paragraph(whole)]


def _one_by_one(result: PosteriorAnswer) -> Table:
    pairs = result.pairs
    bounds = [bound for pair in pairs for bound in (pair.difference, *pair.hdi)]
    written = signed_alike(bounds)
    return Table(
        (
            *Column.texts("a", "b"),
            *Column.numbers("a better", "equal", "b better"),
            *Column.numbers("a − b", f"{100 * result.mass:g} % interval"),
        ),
        tuple(
            (
                pair.a,
                pair.b,
                *map(probability, pair.shares),
                written[3 * i],
                f"{written[3 * i + 1]} … {written[3 * i + 2]}",
            )
            for i, pair in enumerate(pairs)
        ),
        title="Every pair: probabilities and the difference",
    )


def _against_each_other(result: PosteriorAnswer) -> list[Table]:
    """Lay the pairs out below the diagonal of a square, some columns at a time."""
    names = result.order
    cells: dict[tuple[str, str], str] = {}
    for pair in result.pairs:
        shares = [hundredths(share) for share in pair.shares]
        cells[pair.a, pair.b] = "/".join(shares)
        cells[pair.b, pair.a] = "/".join(reversed(shares))
    # As few tables as there must be, about equally broad; nobody is below the last.
    wide = math.ceil((len(names) - 1) / math.ceil((len(names) - 1) / _COLUMNS))
    return [_square(names, cells, start, wide) for start in range(0, len(names) - 1, wide)]


def _square(
    names: Sequence[str], cells: Mapping[tuple[str, str], str], start: int, wide: int
) -> Table:
    columns = list(enumerate(names, start=1))[start:-1][:wide]
    rows = list(enumerate(names, start=1))[start:]
    return Table(
        (
            *Column.numbers(""),
            *Column.texts("algorithm"),
            *Column.numbers(*(str(j) for j, _ in columns)),
        ),
        tuple(
            (
                str(i),
                name,
                *(cells.get((name, other), "") if j < i else "" for j, other in columns),
            )
            for i, name in rows
        ),
        title="In %: row better/equal/column better",
    )


def _decided(result: PosteriorAnswer) -> str:
    counts = result.decided
    return (
        f"With more than 95 %: one is better in {counts.better} of {len(result.pairs)} "
        f"pairs, practically equal in {counts.equal}, undecided in {counts.undecided}."
    )


def _trust(result: PosteriorAnswer) -> str:
    found = result.diagnostics
    parts = [f"{found.n_draws} draws, {found.method}"]
    if not found.independent:
        parts.append(f"R-hat at most {found.r_hat:.3f}")
        parts.append(f"at least {found.ess_bulk or 0:.0f} effective draws")
    parts.append(
        f"Monte-Carlo error of a probability at most {number(found.mc_error)}"
        if found.mc_error
        else "the probabilities of pairs have no Monte-Carlo error"
    )
    return "; ".join(parts) + "."


def rope(result: SuggestedRope) -> list[Block]:
    """Say which differences the table itself calls irrelevant, and why."""
    name = result.measure.name
    low, high = result.quartiles
    lines = [
        f"A good algorithm's {name} changes by {number(result.delta)} (δ, the median of "
        f"{result.n_changes} changes; half of them lie between {number(low)} and "
        f"{number(high)}) when the two halves of the data change places."
    ]
    if result.delta_cv is not None:
        lines.append(
            f"It changes by {number(result.delta_cv)} (δ^cv, the median of "
            f"{result.n_changes_cv}) between the inner cross-validation and the test."
        )
    return [
        Title(f"differences in {name} within ±{number(result.value)} are irrelevant here"),
        Paragraph(f"{result.design}; wainer2016 §3.3"),
        *(Paragraph(line) for line in lines),
        notes(result),
    ]
