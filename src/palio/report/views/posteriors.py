"""Posteriors, and the region of practical equivalence."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from palio.report.blocks import Block, Column, Items, Paragraph, Table, Title
from palio.report.numbers import hundredths, limit, number, probability, signed_alike
from palio.report.views.common import Summary, measure_in_words, notes
from palio.words import joined

__all__ = ["posterior", "rope"]

# A statement is made when it is more probable than this.
_SURE = 0.95

# A person reads this many pairs one by one; more stand in tables of so many columns.
_PAIRS_SHOWN = 45
_COLUMNS = 5

_OUTCOMES = ("p_a_better", "p_rope", "p_b_better")


def posterior(summary: Summary) -> list[Block]:
    """Lay a posterior out: who is best, every pair, and whether to trust it."""
    blocks: list[Block] = [Title(_headline(summary)), Paragraph(_method_line(summary))]
    if summary["best"]:
        blocks += [_best_table(summary), Paragraph(_best_set(summary))]
    if summary.get("cheapest"):
        blocks.append(Paragraph(_cheapest(summary["cheapest"])))
    blocks += [*_pairs(summary), Paragraph(_decided(summary)), Paragraph(_trust(summary))]
    if summary["diagnostics"]["warnings"]:
        warnings = tuple(("!", text) for text in summary["diagnostics"]["warnings"])
        blocks.append(Items("Warnings", warnings))
    return [*blocks, notes(summary)]


def _headline(summary: Summary) -> str:
    if summary["best"]:
        first = _best_first(summary)[0]
        return f"{first['algorithm']} is the best with probability {probability(first['p_best'])}"
    if len(summary["pairs"]) == 1:
        pair = summary["pairs"][0]
        likeliest = max(
            (pair["p_a_better"], f"{pair['a']} is better than {pair['b']}"),
            (pair["p_rope"], f"{pair['a']} and {pair['b']} are practically equal"),
            (pair["p_b_better"], f"{pair['b']} is better than {pair['a']}"),
        )
        return f"{likeliest[1]} with probability {probability(likeliest[0])}"
    return f"{len(summary['pairs'])} pairs of {len(summary['algorithms'])} algorithms"


def _method_line(summary: Summary) -> str:
    return (
        f"{summary['title']} by {measure_in_words(summary)}; practically equal within "
        f"±{limit(summary['rope'])} ({summary['rope_source']})"
    )


def _best_table(summary: Summary) -> Table:
    effects = {row["algorithm"]: row for row in summary["effects"]}
    rows = _best_first(summary)
    return Table(
        (
            Column("algorithm"),
            Column("P(best)", numeric=True),
            Column("P(as good)", numeric=True),
            Column("expected loss", numeric=True),
            Column("effect", numeric=True),
        ),
        tuple(
            (
                row["algorithm"],
                probability(row["p_best"]),
                probability(row["p_as_good"]),
                number(row["expected_loss"]),
                effect,
            )
            for row, effect in zip(
                rows,
                signed_alike(effects[row["algorithm"]]["mean"] for row in rows),
                strict=True,
            )
        ),
        title="Who is best",
    )


def _best_first(summary: Summary) -> list[Summary]:
    return sorted(summary["best"], key=lambda row: (-row["p_best"], row["expected_loss"]))


def _best_set(summary: Summary) -> str:
    names = [row["algorithm"] for row in _best_first(summary) if row["in_set"]]
    return f"With 95 % the best is {'' if len(names) == 1 else 'one of '}{joined(names)}."


def _cheapest(found: Summary) -> str:
    if found["probability"] >= found["wanted"]:
        return (
            f"The cheapest that is practically as good as the best with {found['wanted']:.0%}: "
            f"{found['algorithm']} ({probability(found['probability'])})."
        )
    return (
        f"None is practically as good as the best with {found['wanted']:.0%}; the likeliest is "
        f"{found['algorithm']} ({probability(found['probability'])})."
    )


def _pairs(summary: Summary) -> list[Block]:
    if len(summary["pairs"]) <= _PAIRS_SHOWN:
        return [_one_by_one(summary)]
    whole = "Differences and intervals of the pairs: --json, or .probabilities(), has them."
    return [*_against_each_other(summary), Paragraph(whole)]


def _one_by_one(summary: Summary) -> Table:
    pairs = summary["pairs"]
    bounds = [bound for pair in pairs for bound in (pair["difference"], *pair["hdi"])]
    written = signed_alike(bounds)
    return Table(
        (
            Column("a"),
            Column("b"),
            *(Column(heading, numeric=True) for heading in ("a better", "equal", "b better")),
            Column("a − b", numeric=True),
            Column(f"{100 * summary['mass']:g} % interval", numeric=True),
        ),
        tuple(
            (
                pair["a"],
                pair["b"],
                *(probability(pair[key]) for key in _OUTCOMES),
                written[3 * i],
                f"{written[3 * i + 1]} … {written[3 * i + 2]}",
            )
            for i, pair in enumerate(pairs)
        ),
        title="Every pair: probabilities and the difference",
    )


def _against_each_other(summary: Summary) -> list[Table]:
    """Lay the pairs out below the diagonal of a square, some columns at a time."""
    names = summary["order"]
    cells: dict[tuple[str, str], str] = {}
    for pair in summary["pairs"]:
        shares = [hundredths(pair[key]) for key in _OUTCOMES]
        cells[pair["a"], pair["b"]] = "/".join(shares)
        cells[pair["b"], pair["a"]] = "/".join(reversed(shares))
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
            Column("", numeric=True),
            Column("algorithm"),
            *(Column(str(j), numeric=True) for j, _ in columns),
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


def _decided(summary: Summary) -> str:
    counts = {"better": 0, "equal": 0}
    for pair in summary["pairs"]:
        counts["better"] += max(pair["p_a_better"], pair["p_b_better"]) > _SURE
        counts["equal"] += pair["p_rope"] > _SURE
    left = len(summary["pairs"]) - sum(counts.values())
    return (
        f"With more than 95 %: one is better in {counts['better']} of {len(summary['pairs'])} "
        f"pairs, practically equal in {counts['equal']}, undecided in {left}."
    )


def _trust(summary: Summary) -> str:
    found = summary["diagnostics"]
    parts = [f"{found['n_draws']} draws, {found['method']}"]
    if not found["independent"]:
        parts.append(f"R-hat at most {found['r_hat']:.3f}")
        parts.append(f"at least {found['ess_bulk'] or 0:.0f} effective draws")
    parts.append(
        f"Monte-Carlo error of a probability at most {number(found['mc_error'])}"
        if found["mc_error"]
        else "the probabilities of pairs have no Monte-Carlo error"
    )
    return "; ".join(parts) + "."


def rope(summary: Summary) -> list[Block]:
    """Say which differences the table itself calls irrelevant, and why."""
    name = summary["measure"]["name"]
    low, high = summary["quartiles"]
    lines = [
        f"A good algorithm's {name} changes by {number(summary['delta'])} (δ, the median of "
        f"{summary['n_changes']} changes; half of them lie between {number(low)} and "
        f"{number(high)}) when the two halves of the data change places."
    ]
    if summary["delta_cv"] is not None:
        lines.append(
            f"It changes by {number(summary['delta_cv'])} (δ^cv, the median of "
            f"{summary['n_changes_cv']}) between the inner cross-validation and the test."
        )
    return [
        Title(f"differences in {name} within ±{number(summary['rope'])} are irrelevant here"),
        Paragraph(f"{summary['design']}; wainer2016 §3.3"),
        *(Paragraph(line) for line in lines),
        notes(summary),
    ]
