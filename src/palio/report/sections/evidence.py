"""What the answer rests on: ranks, graph, pairs, cost, posterior, audit, and how it was made."""

from __future__ import annotations

import heapq
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from palio.bayes.claims import posterior_claim
from palio.claims import Leader
from palio.comparison.audit import AUDIT_CHECKS
from palio.report.blocks import Block, Items, Paragraph, Table, Title
from palio.report.elements import Html, breakable, joined, tag
from palio.report.facts import finding
from palio.report.methods import methods as methods_of
from palio.report.sections.parts import Draft, blocks_html, facts_html, paragraph, scrolled
from palio.report.sections.pictures import MOST_STEPS, figure
from palio.report.views import view
from palio.report.views.common import capital
from palio.report.views.comparisons import audit_checks, audit_title, omnibus_lines
from palio.report.views.orderings import overrides, reasons
from palio.report.views.reports import not_done
from palio.words import count, some_of

if TYPE_CHECKING:
    from palio.bayes.answer import PosteriorAnswer
    from palio.comparison.audit import Audit, CheckReport
    from palio.comparison.pools import PoolStep, PoolVerdict
    from palio.comparison.results import Comparison
    from palio.experiment.status import RunFacts
    from palio.ordering.result import Ordering
    from palio.ordering.tradeoff import Front
    from palio.report.analysis import Report
    from palio.report.methods import Reference


# A matrix of more algorithms is no longer read, and weighs more than the rest of the page.
MOST_IN_MATRIX = 60

# With more pairs than this there is the matrix, and a list of neighbours alone.
MOST_PAIRS = 45


def ranks(draft: Draft, comparison: Comparison) -> Html:
    """Show the mean ranks, the groups, and how often each takes each rank."""
    if comparison.over != "datasets":
        return Html("")
    parts = [paragraph(finding(comparison, "critical-difference"))]
    parts.append(figure(draft, comparison, "critical-difference"))
    if _few(comparison) and comparison.n_complete:
        parts.append(figure(draft, comparison, "rank-distribution"))
    return joined([*parts, *_left_out(comparison, "how often each takes each rank")])


def grid(draft: Draft, comparison: Comparison) -> Html:
    """Show the place of each algorithm on each data set, and which cells have no score.

    Over items places are by mean scores, and the differences on each data set are shown.
    """
    from palio.report.figures import available

    if comparison.over == "items" and comparison.n_datasets > 1:
        return figure(draft, comparison, "forest", key="differences")
    if "scores-grid" not in available(comparison):
        return Html("")
    said = paragraph(finding(comparison, "scores-grid"))
    return joined([said, figure(draft, comparison, "scores-grid")])


def graph(draft: Draft, ordering: Ordering) -> Html:
    """Show where tests overrode the preference for the cheaper, and how places were decided."""
    if ordering.by_mean_rank_alone:
        return Html("")
    k = len(ordering.order)
    parts = [paragraph(overrides(ordering))]
    if ordering.overridden:
        parts.append(figure(draft, ordering, "multitest-graph"))
    steps = Items("Step by step", tuple(reasons(ordering.steps)), quiet=k > MOST_STEPS)
    return joined([*parts, _whole_list(steps)])


def _whole_list(items: Items) -> Html:
    """List every step: without the drawing it is all there is."""
    lines = (tag("li", f"{mark} {item}") for mark, item in items.items)
    made = tag("ul", *lines, class_="items")
    return tag("details", tag("summary", items.title), made, open=not items.quiet)


def comparison(draft: Draft, found: Comparison) -> Html:
    """Show who differs from whom by the score."""
    together = [paragraph(f"{capital(line)}.") for line in omnibus_lines(found)]
    parts = [paragraph(found.verdict.sure), *together]
    if _few(found):
        parts.append(figure(draft, found, "comparison-matrix"))
    parts += _left_out(found, "the matrix of all pairs")
    blocks = view(found)
    every = found.n_pairs <= MOST_PAIRS
    title = "All pairs" if every else f"Neighbours by {found.stands_by}"
    pairs = [
        replace(block, title=title)
        for block in blocks
        if isinstance(block, Table) and block.columns[0].name == "a"
    ]
    parts.append(tag("details", tag("summary", f"{title} in numbers"), blocks_html(pairs)))
    if not every:
        said = f"Of {found.n_pairs} pairs the others are not listed."
        parts.append(paragraph(said, class_="muted"))
    lists: list[Block] = [b for b in blocks if isinstance(b, Items) and not b.quiet]
    return joined([*parts, blocks_html(lists)])


def front(draft: Draft, found: Front) -> Html:
    """Show cost against score."""
    return joined([paragraph(found.claim.text), figure(draft, draft.report, "pareto")])


def posterior(draft: Draft, found: PosteriorAnswer) -> Html:
    """Show how probable it is that one is better, where a model was asked."""
    said = posterior_claim(found, draft.report.claims.of(Leader)).text
    return joined([paragraph(said), *_posterior_figures(draft, found), posterior_html(found)])


def posterior_html(found: PosteriorAnswer) -> Html:
    """Show what a model says, in tables and lists; of many pairs there is the matrix."""
    few = len(found.pairs) <= MOST_PAIRS
    return blocks_html(
        [
            block
            for block in view(found)
            if not isinstance(block, Title)
            and (few or not isinstance(block, Table) or block.title == "Who is best")
        ]
    )


def _posterior_figures(draft: Draft, found: PosteriorAnswer) -> list[Html]:
    from palio.report.figures import available

    wanted = ["forest", "posterior-matrix", "posterior", "simplex", "predictive-check"]
    names = [name for name in wanted if name in available(found)]
    if not _few(found):
        names = [name for name in names if name != "posterior-matrix"]
    left_out = _left_out(found, "the matrix of probabilities")
    return [*(figure(draft, found, name) for name in names), *left_out]


def _few(part: Comparison | PosteriorAnswer) -> bool:
    return len(part.algorithms) <= MOST_IN_MATRIX


def _left_out(part: Comparison | PosteriorAnswer, what: str) -> list[Html]:
    if _few(part):
        return []
    said = (
        f"With {len(part.algorithms)} algorithms {what} is left out here, for it could not be read."
    )
    return [paragraph(said, class_="muted")]


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
        for pair, told in zip(check.pairs, check.findings, strict=False):
            findings.setdefault(frozenset(pair), []).append(told)
    marks = [_marks(check, list(map(frozenset, pairs))) for check in checks]

    def row(i: int) -> Html:
        pair = audit.comparison.pair(*pairs[i])
        differ = f"{pair.better} better than {pair.worse}"
        verdict = differ if pair.significant else " not told from ".join(pairs[i])
        why = [paragraph(f"{told}.") for told in findings.get(frozenset(pairs[i]), ())]
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


def experiment(_draft: Draft, found: RunFacts) -> Html:
    """Show how the run went: what failed and why, and where it ran."""
    counts = ", ".join(f"{count} {name}" for name, count in found.counts.items())
    state = "finished" if found.finished else "not finished"
    failed = Table.of_rows(
        found.failures,
        {
            "cause": lambda each: each.cause,
            "jobs": lambda each: str(each.jobs),
            "algorithms": lambda each: some_of(each.algorithms),
            "data sets": lambda each: some_of(each.datasets),
        },
        "cause", "algorithms", "data sets",
        title="Jobs that did not end well",
    )  # fmt: skip
    machines = Table.of_rows(
        found.machines,
        {
            "host": lambda each: each.host,
            "processor": lambda each: each.processor,
            "jobs": lambda each: str(each.jobs),
            "nothing beside": lambda each: "yes" if each.exclusive else "no",
        },
        "host", "processor", "nothing beside",
        title="Where it ran",
    )  # fmt: skip
    return blocks_html(
        [
            Paragraph(f"{found.jobs} jobs: {counts}; the run is {state}."),
            *(table for table in (failed, machines) if table.rows),
            *([] if failed.rows else [Paragraph("No job failed.")]),
        ]
    )


def methods(report: Report) -> Html:
    """Say how the answer was found: enough to do it again, and to write a methods section."""
    sentences = [
        f"{said.text[:-1]} ({'; '.join(said.cites)})." if said.cites else said.text
        for said in methods_of(report)
    ]
    chosen = Items.dashed("Chosen where the question left it open", report.choices)
    return joined(
        [
            paragraph(" ".join(sentences)),
            blocks_html([chosen, not_done(report)]),
            _facts(report),
            blocks_html([Items.dashed("Conventions", report.notes, quiet=True)]),
        ]
    )


def _facts(report: Report) -> Html:
    table, missing = report.facts, report.facts.missing
    facts: list[tuple[str, object]] = [
        ("source", table.source or "a table in memory"),
        ("score", str(table.measure)),
        ("design", table.design),
        ("data sets", str(table.n_datasets)),
        ("algorithms", str(table.n_algorithms)),
        ("costs", breakable(", ".join(table.costs) or "none")),
        ("missing cells", f"{missing.cells} of {missing.of} ({missing.choice})"),
        ("question", tag("code", report.query) if report.query else "as by default"),
        ("versions", ", ".join(f"{name} {v}" for name, v in report.versions.items())),
    ]
    if report.experiment is not None:
        ran = report.experiment.versions
        facts.append(("run with", ", ".join(f"{n} {' and '.join(v)}" for n, v in ran.items())))
    return facts_html(facts)


def references(_draft: Draft, works: Sequence[Reference]) -> Html:
    """List what the methods cite."""
    lines = [
        tag("li", each.full, " ", tag("span", f"[{', '.join(each.methods)}]", class_="muted"))
        for each in works
    ]
    return tag("ul", *lines, class_="items")
