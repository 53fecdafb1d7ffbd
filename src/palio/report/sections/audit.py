"""What verdicts depend on, as pieces of a page: the audit's table of pairs and checks; pools."""

from __future__ import annotations

import heapq
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from palio.comparison.audit import AUDIT_CHECKS
from palio.report.elements import Html, joined, tag
from palio.report.sections.parts import blocks_html, paragraph, scrolled
from palio.report.views.common import capital
from palio.report.views.comparisons import audit_checks, audit_title
from palio.words import count

if TYPE_CHECKING:
    from palio.comparison.audit import Audit, CheckReport
    from palio.comparison.pools import PoolStep, PoolVerdict

MAX_ROWS = 400  # of the audit's table
_MAX_FLIPS_SHOWN = 6  # of more pairs the first are named, and the rest counted

# A shape and a word, and what they mean.
_MARKS = {
    "✓": ("same", "the same verdict"),
    "◆": ("flips", "another verdict"),
    "◇": ("differs", "another, but no doubt is counted from it"),
}


def audit_html(audit: Audit, numbers: Mapping[str, int]) -> Html:
    """Show which verdicts some check changes.

    Parameters
    ----------
    audit : Audit
        With names as they are shown.
    numbers : mapping
        The number of each algorithm in the table, which marks everything that stands for it.
    """
    said = f"{capital(audit_title(audit))}. {_counted(audit)}"
    every = tag("details", tag("summary", "Check by check"), blocks_html(audit_checks(audit)))
    table = _table(audit, numbers) if audit.doubted else []
    return tag("div", paragraph(said), *table, *_same(audit), every, class_="audit")


def _counted(audit: Audit) -> str:
    """Say how many verdicts some check changes."""
    n_pairs, doubted = audit.comparison.n_pairs, len(audit.doubted)
    pairs = "the one pair" if n_pairs == 1 else f"the {n_pairs} pairs"
    if not any(check.about_pairs for check in audit.checks):
        return f"No check asked about {pairs}."
    if not doubted:
        return f"No check changes the verdict on {'' if n_pairs == 1 else 'any of '}{pairs}."
    if n_pairs == 1:
        return f"Some check changes the verdict on {pairs}."
    some = f"; the {MAX_ROWS} of the best placed are listed" if doubted > MAX_ROWS else ""
    return f"Some check changes the verdict on {doubted} of {pairs}{some}."


def _table(audit: Audit, numbers: Mapping[str, int]) -> list[Html]:
    """Show the pairs in doubt, the best placed first, and what each check says of them."""
    names, title = audit.comparison.by_standing, "Verdicts that some check changes"
    place = {name: i for i, name in enumerate(names)}
    doubted = (sorted(place[name] for name in pair) for pair in audit.doubted)
    pairs = [(names[i], names[j]) for i, j in heapq.nsmallest(MAX_ROWS, doubted)]
    checks = [check for check in audit.checks if check.about_pairs]
    checks.sort(key=lambda check: check.apart)
    findings: dict[frozenset[str], list[str]] = {}
    for check in checks:
        for pair, finding in zip(check.pairs, check.findings, strict=False):
            findings.setdefault(frozenset(pair), []).append(finding)
    marks = [_marks(check, list(map(frozenset, pairs))) for check in checks]

    def row(i: int) -> Html:
        pair = audit.comparison.pair(*pairs[i])
        differ = f"{pair.better} better than {pair.worse}"
        verdict = differ if pair.significant else " not told from ".join(pairs[i])
        why = [paragraph(f"{finding}.") for finding in findings.get(frozenset(pairs[i]), ())]
        said = tag("details", tag("summary", verdict), *why, class_="more") if why else verdict
        cells = [tag("td", _mark(column[i])) for column in marks]
        a, b = (numbers[name] for name in pairs[i])
        return tag("tr", tag("th", said, scope="row"), *cells, data_a=a, data_b=b)

    head = ["pair", *(AUDIT_CHECKS[check.name].title for check in checks)]
    table = tag(
        "table",
        tag("caption", title),
        tag("thead", tag("tr", *(tag("th", each, scope="col") for each in head))),
        tag("tbody", *map(row, range(len(pairs)))),
        class_="audit-grid",
    )
    used = {mark for column in marks for mark in column}
    legend = "; ".join(f"{each} {_MARKS[each][1]}" for each in _MARKS if each in used)
    return [paragraph(legend, class_="audit-legend"), scrolled(table, title)]


def _marks(check: CheckReport, pairs: Sequence[frozenset[str]]) -> list[str]:
    found = set(map(frozenset, check.pairs))
    return ["◆" if each in check.affected else "◇" if each in found else "✓" for each in pairs]


def _mark(shape: str) -> Html:
    word = tag("span", _MARKS[shape][0], class_="word")
    return tag("span", tag("span", shape, aria_hidden="true"), word, class_="mark")


def _same(audit: Audit) -> list[Html]:
    """Count the pairs that no check changes."""
    differ = len(audit.sound)
    level = audit.comparison.n_pairs - len(audit.doubted) - differ
    parts = [
        *([count(differ, "difference")] if differ else []),
        *([f"{count(level, 'pair')} in which no difference was found"] if level else []),
    ]
    return [paragraph(f"✓ the same in every check: {' and '.join(parts)}.")] if parts else []


def pools_html(found: PoolVerdict, numbers: Mapping[str, int]) -> Html:
    """Say what one algorithm more or less changes; names in ``numbers`` are marks of the page."""
    steps = [tag("li", *_step(step, numbers)) for step in found.steps]
    label = "Algorithms and the verdicts that hang on them"
    listed = [scrolled(tag("ul", *steps), label, kind="scroll tall")] if steps else []
    return joined([paragraph(found.sentence), *listed, paragraph(found.note, class_="quiet")])


def _step(step: PoolStep, numbers: Mapping[str, int]) -> list[object]:
    def name(algorithm: str) -> Html:
        return tag("span", algorithm, class_="name", data_a=numbers.get(algorithm))

    said = [
        joined([name(a), " – ", name(b), " would differ" if differ else " would no longer differ"])
        for a, b, differ in step.flips[:_MAX_FLIPS_SHOWN]
    ]
    more = len(step.flips) - _MAX_FLIPS_SHOWN
    return [
        tag("strong", "Without " if step.inside else "With ", name(step.algorithm)),
        ": ",
        joined(said, "; "),
        f" and {more} more pairs" if more > 0 else "",
    ]
