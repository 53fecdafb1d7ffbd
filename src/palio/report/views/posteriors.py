"""Posteriors, and the region of practical equivalence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from palio.bayes.claims import posterior_claim
from palio.bayes.models import MODELS
from palio.claims import MostProbable, generalises_first
from palio.numbers import (
    differences,
    hundredths,
    limit,
    number,
    probability,
    ratio,
    region,
    relative,
    signed_alike,
    span,
)
from palio.report.blocks import Block, Items, Paragraph, Table, Title
from palio.report.views.common import left_out, notes, rows_shown, shortened, squares, whole
from palio.words import Worded, joined

if TYPE_CHECKING:
    from palio.bayes.answer import Cheapest, NextDataset, PosteriorAnswer, PosteriorPair, Shrunken
    from palio.bayes.rope import SuggestedRope

# A person reads this many pairs one by one; more stand in a square.
_PAIRS_SHOWN = 45
# And so many data sets of a pair.
_DATASETS_SHOWN = 30


def posterior(result: PosteriorAnswer) -> list[Block]:
    """Lay a posterior out: who is best, every pair, and whether to trust it."""
    blocks: list[Block] = [Title(_headline(result)), Paragraph(_method_line(result))]
    if result.missing is not None:
        across = "across them a probability rests on the prior alone"
        blocks.append(Paragraph(result.missing.describe(across)))
    if where := _likeliest(result):
        said = f"A probability is that of an outcome to be the likeliest of the three {where}."
        blocks.append(Paragraph(said))
    if result.best:
        blocks += [
            *shortened(_best_table(result), result.shown, rest=whole(result.shown)),
            Paragraph(_best_set(result)),
            Paragraph(_about_ranks(result)),
        ]
    if result.cheapest:
        blocks.append(Paragraph(_cheapest(result.cheapest)))
    blocks += [*_pairs(result), Paragraph(_decided(result)), *_each_dataset(result)]
    blocks.append(Paragraph(_trust(result)))
    if result.diagnostics.warnings:
        warnings = tuple(("!", text) for text in result.diagnostics.warnings)
        blocks.append(Items("Warnings", warnings))
    return [*blocks, notes(result)]


def _headline(result: PosteriorAnswer) -> str:
    new = "on a new one " if result.over == "datasets" else ""
    return f"{generalises_first(result.over, result.n_datasets)}{new}{_found(result)}"


def _found(result: PosteriorAnswer) -> str:
    every = "" if result.rope else "; every difference counts"
    if result.best:
        found = result.claims.of(MostProbable) or posterior_claim(result)
        return f"{found.clause}{every}"
    if len(result.pairs) == 1:
        return _one_pair(result, result.pairs[0]) + every
    return f"{len(result.pairs)} pairs of {len(result.algorithms)} algorithms{every}"


def _one_pair(result: PosteriorAnswer, pair: PosteriorPair) -> str:
    """Say what is most probable of a pair, and what it is the probability of."""
    outcome, p = pair.likeliest
    beyond = "" if result.scale.ratios or not result.rope else f" by more than {limit(result.rope)}"
    said = {
        "a": f"{pair.a} is better than {pair.b}{beyond}",
        "equal": f"{pair.a} and {pair.b} are practically equal",
        "b": f"{pair.b} is better than {pair.a}{beyond}",
    }[outcome]
    where = _likeliest(result)
    if where:
        return f"With probability {probability(p)} the likeliest {where} is that {said}"
    return f"{said} with probability {probability(p)}"


def _likeliest(result: PosteriorAnswer) -> str:
    """Say where an outcome is the likeliest, for models whose probabilities are of that."""
    return MODELS[result.model].likeliest if result.model in MODELS else ""


def _method_line(result: PosteriorAnswer) -> str:
    within = region(result.rope, ratios=result.scale.ratios)
    return f"{result.title} by {result.measure}; {within} ({result.rope_source})"


def _best_table(result: PosteriorAnswer) -> Table:
    effects = {row.algorithm: row.mean for row in result.effects}
    rows = result.best_first
    ordered = [effects[row.algorithm] for row in rows]
    losses = [row.expected_loss for row in rows]
    ratios = result.scale.ratios
    columns = {
        "algorithm": [row.algorithm for row in rows],
        "P(best)": [probability(row.p_best) for row in rows],
        "P(as good)": [probability(row.p_as_good) for row in rows],
        "expected loss": differences(losses, ratios=True) if ratios else list(map(number, losses)),
        "effect": differences(ordered, ratios=ratios),
        "ranks": [span(*(result.rank_sets or {})[row.algorithm]) for row in rows],
    }
    if not result.rope:  # only the best is as good as the best
        del columns["P(as good)"]
    return Table.of(columns, "algorithm", title="Who is best")


def _best_set(result: PosteriorAnswer) -> str:
    names = result.best_set
    if len(names) == len(result.algorithms):
        return "Each of them may be the best: no smaller set holds it with probability 0.95."
    sure = probability(result.best_set_probability or 0.0)
    return f"With probability {sure} the best is {'among ' * (len(names) > 1)}{joined(names)}."


def _about_ranks(result: PosteriorAnswer) -> str:
    counted = "those better beyond the region" if result.rope else "those better"
    return f"With {100 * result.mass:g} % all ranks hold at once; a rank counts {counted}."


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
    if len(result.pairs) <= (result.shown or _PAIRS_SHOWN):
        return [_one_by_one(result)]
    k = len(result.order)
    rows = rows_shown(k, result.shown)
    more = Worded("Differences and intervals of the pairs: --all, or .probabilities(), has them.")
    said = [*left_out(k - rows, whole(result.shown)), more]
    return [*_against_each_other(result, rows), *map(Paragraph, said)]


def _written(values: Sequence[float], *, ratios: bool) -> list[str]:
    return list(map(ratio, values)) if ratios else signed_alike(values)


def _interval(result: PosteriorAnswer) -> str:
    return f"{100 * result.mass:g} % interval"


def _one_by_one(result: PosteriorAnswer) -> Table:
    pairs, ratios = result.pairs, result.scale.ratios
    bounds = [bound for pair in pairs for bound in (pair.difference, *pair.hdi)]
    written = _written(bounds, ratios=ratios)
    columns = {
        "a": [pair.a for pair in pairs],
        "b": [pair.b for pair in pairs],
        "a better": [probability(pair.p_a_better) for pair in pairs],
        "equal": [probability(pair.p_rope) for pair in pairs],
        "b better": [probability(pair.p_b_better) for pair in pairs],
        "a / b" if ratios else "a − b": written[::3],
        _interval(result): list(map(" … ".join, zip(written[1::3], written[2::3], strict=True))),
    }
    if not result.rope and not any(pair.p_rope for pair in pairs):
        del columns["equal"]
    title = f"Every pair: probabilities and the {'ratio' if ratios else 'difference'}"
    return Table.of(columns, "a", "b", title=title)


def _against_each_other(result: PosteriorAnswer, rows: int) -> list[Table]:
    """Lay the pairs of the first out below the diagonal of a square."""
    shares = {(pair.a, pair.b): pair.shares for pair in result.pairs}
    shares |= {(pair.b, pair.a): pair.shares[::-1] for pair in result.pairs}
    numbered = list(enumerate(result.order[:rows], start=1))
    cells = {
        (f"{i} {name}", str(j)): "/".join(map(hundredths, shares[name, other])) if j < i else "–"
        for i, name in numbered
        for j, other in numbered[:-1][:i]  # nobody is below the last
    }
    return squares(cells, "In %: row better/equal/column better")


def _each_dataset(result: PosteriorAnswer) -> list[Block]:
    """Lay out the leading pair on every data set, and say what the other reading has of it."""
    checks, pair = result.checks, result.detail
    if pair is None:
        return []
    two = {pair.a, pair.b}
    blocks: list[Block] = [
        _shrunken(result, each)
        for each in checks.shrunken or ()
        if {each.a, each.b} == two and 1 < len(each.datasets) <= (result.shown or _DATASETS_SHOWN)
    ]
    others = checks.these_datasets if result.over == "datasets" else checks.next_dataset
    if result.over is None:
        return blocks
    return [*blocks, *(Paragraph(_otherwise(result, o)) for o in others or () if {o.a, o.b} == two)]


def _shrunken(result: PosteriorAnswer, found: Shrunken) -> Table:
    rows, ratios = found.datasets, result.scale.ratios
    bounds = [bound for row in rows for bound in (row.measured, row.mean, *row.hdi)]
    written = _written(bounds, ratios=ratios)
    columns = {
        "data set": [row.dataset for row in rows],
        "measured": written[::4],
        "estimate": written[1::4],
        _interval(result): list(map(" … ".join, zip(written[2::4], written[3::4], strict=True))),
    }
    two = f"{found.a} {'/' if ratios else '−'} {found.b}"
    return Table.of(columns, "data set", title=f"{two}, each data set in view of the others")


def _otherwise(result: PosteriorAnswer, other: NextDataset) -> str:
    where = (
        "On average over these data sets"
        if result.over == "datasets"
        else "On a new data set like these"
    )
    equal = f", practically equal {probability(other.p_rope)}" if result.rope else ""
    return (
        f"{where}: {other.a} better with probability {probability(other.p_a_better)}{equal}, "
        f"{other.b} better {probability(other.p_b_better)}."
    )


def _decided(result: PosteriorAnswer) -> str:
    counts = result.decided
    equal = f", practically equal in {counts.equal}" if result.rope or counts.equal else ""
    likeliest = "the likeliest is that " if _likeliest(result) else ""
    warned = " But see the warnings." if result.diagnostics.warnings else ""
    return (
        f"With more than 95 %: {likeliest}one is better in {counts.better} of {len(result.pairs)} "
        f"pairs{equal}, undecided in {counts.undecided}.{warned}"
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
    name = result.measure.size_name
    written = relative if result.ratios else number
    low, high = result.quartiles
    lines = [
        f"A good algorithm's {name} changes by {written(result.delta)} (δ, the median of "
        f"{result.n_changes} changes; half of them lie between {written(low)} and "
        f"{written(high)}) when the two halves of the data change places."
    ]
    if result.delta_cv is not None:
        lines.append(
            f"It changes by {written(result.delta_cv)} (δ^cv, the median of "
            f"{result.n_changes_cv}) between the inner cross-validation and the test."
        )
    return [
        Title(f"differences in {name} within ±{written(result.value)} are irrelevant here"),
        Paragraph(f"{result.design}; wainer2016 §3.3"),
        *(Paragraph(line) for line in lines),
        notes(result),
    ]
