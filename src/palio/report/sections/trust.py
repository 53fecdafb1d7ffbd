"""Whether to trust the answer: the audit, what failed, how it was made, and from what."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from palio.report.blocks import Column, Items, Paragraph, Table
from palio.report.elements import Html, breakable, joined, tag
from palio.report.methods import methods as methods_of
from palio.report.sections.audit_grid import audit_html
from palio.report.sections.parts import Draft, blocks_html, paragraph
from palio.report.views.reports import not_done
from palio.words import some_of

if TYPE_CHECKING:
    from palio.report.analysis import Report


def audit(draft: Draft) -> Html:
    """Show which verdicts hang on a choice, a data set or the pool."""
    found = draft.report.audit
    if found is None:
        return Html("")
    return audit_html(found, {name: i for i, name in enumerate(draft.report.table.algorithms)})


def experiment(draft: Draft) -> Html:
    """Show how the run went: what failed and why, and where it ran."""
    found = draft.report.experiment
    if found is None:
        return Html("")
    counts = ", ".join(f"{count} {name}" for name, count in found.counts.items())
    state = "finished" if found.finished else "not finished"
    failed = Table(
        (Column("cause"), Column("jobs", True), Column("algorithms"), Column("data sets")),
        tuple(
            (
                each.cause,
                str(each.jobs),
                some_of(each.algorithms),
                some_of(each.datasets),
            )
            for each in found.failures
        ),
        title="Jobs that did not end well",
    )
    machines = Table(
        (Column("host"), Column("processor"), Column("jobs", True), Column("nothing beside")),
        tuple(
            (
                each.host,
                each.processor,
                str(each.jobs),
                "yes" if each.exclusive else "no",
            )
            for each in found.machines
        ),
        title="Where it ran",
    )
    return blocks_html(
        [
            Paragraph(f"{found.jobs} jobs: {counts}; the run is {state}."),
            *(table for table in (failed, machines) if table.rows),
            *([] if failed.rows else [Paragraph("No job failed.")]),
        ]
    )


def methods(draft: Draft) -> Html:
    """Say how the answer was found: enough to do it again, and to write a methods section."""
    report = draft.report
    sentences = [
        f"{said.text[:-1]} ({'; '.join(said.cites)})." if said.cites else said.text
        for said in methods_of(report)
    ]
    chosen = Items("Chosen where the question left it open", _dashes(report.choices))
    return joined(
        [
            paragraph(" ".join(sentences)),
            blocks_html([chosen, not_done(report)]),
            _facts(report),
            blocks_html([Items("Conventions", _dashes(report.notes), quiet=True)]),
        ]
    )


def _dashes(texts: Iterable[str]) -> tuple[tuple[str, str], ...]:
    return tuple(("-", each) for each in texts)


def _facts(report: Report) -> Html:
    table, missing = report.facts, report.facts.missing
    facts = [
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
    said = [part for term, value in facts for part in (tag("dt", term), tag("dd", value))]
    return tag("dl", *said, class_="facts")


def references(draft: Draft) -> Html:
    """List what the methods cite."""
    works = draft.report.references
    if not works:
        return Html("")
    lines = [
        tag("li", each.full, " ", tag("span", f"[{', '.join(each.methods)}]", class_="muted"))
        for each in works
    ]
    return tag("ul", *lines, class_="items")
