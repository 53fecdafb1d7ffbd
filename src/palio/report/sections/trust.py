"""Whether to trust the answer: the audit, what failed, how it was made, and from what."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from palio.report.blocks import Column, Items, Paragraph, Table
from palio.report.elements import Html, breakable, joined, tag
from palio.report.methods import methods as methods_of
from palio.report.sections.parts import Draft, blocks_html, facts_html, paragraph
from palio.report.views.reports import not_done
from palio.words import some_of

if TYPE_CHECKING:
    from palio.experiment.status import RunFacts
    from palio.report.analysis import Report
    from palio.report.methods import Reference


def experiment(_draft: Draft, found: RunFacts) -> Html:
    """Show how the run went: what failed and why, and where it ran."""
    counts = ", ".join(f"{count} {name}" for name, count in found.counts.items())
    state = "finished" if found.finished else "not finished"
    failed = Table(
        (Column("cause"), Column("jobs", True), Column("algorithms"), Column("data sets")),
        tuple(
            (each.cause, str(each.jobs), some_of(each.algorithms), some_of(each.datasets))
            for each in found.failures
        ),
        title="Jobs that did not end well",
    )
    machines = Table(
        (Column("host"), Column("processor"), Column("jobs", True), Column("nothing beside")),
        tuple(
            (each.host, each.processor, str(each.jobs), "yes" if each.exclusive else "no")
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
