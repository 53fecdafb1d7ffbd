"""Experiments: the learners there are, what would run, and how it went."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from palio.errors import Option
from palio.numbers import duration, limit, number, time_left
from palio.report.blocks import Block, Items, Paragraph, Table, Title
from palio.report.views.common import left_out, notes, rows_shown
from palio.words import Worded, count

if TYPE_CHECKING:
    from palio.experiment.estimators import Catalogue, CatalogueEntry
    from palio.experiment.final import Final
    from palio.experiment.merging import Merged
    from palio.experiment.parts import Outlook
    from palio.experiment.status import Machine, Status


def plan(result: Outlook) -> list[Block]:
    """Lay a plan out: how much there is, and how much is left."""
    seconds = result.seconds_left
    needs = f", about {duration(seconds)}" if seconds else ""
    seeds = "" if result.seeds == 1 else f" × {result.seeds} seeds"
    return [
        Title(f"{result.left} of {result.jobs} jobs left to run{needs}"),
        *(Paragraph(said) for said in (result.learnt, result.data_said) if said),
        Paragraph(
            f"{result.fits} fits: {len(result.datasets)} data sets × "
            f"{len(result.algorithms)} algorithms{seeds}, {result.resampling}"
        ),
        Items.dashed("Data sets", [", ".join(result.datasets)]),
        Items.dashed("Algorithms", [", ".join(result.algorithms)]),
        Items.dashed("Would fail", result.refused),
        *_parts(result),
    ]


def _parts(result: Outlook) -> list[Block]:
    parts = result.division
    if not parts:
        return []
    columns = {
        "part": [each.part for each in parts],
        "jobs": [str(each.jobs) for each in parts],
        "left": [str(each.left) for each in parts],
        "about": [
            "" if each.seconds_left is None else duration(each.seconds_left) for each in parts
        ],
    }
    return [Table.of(columns, "part")]


def merged(result: Merged) -> list[Block]:
    """Lay out what came from which store."""
    left = f"; {count(result.left, 'job')} of the plan not run" if result.left else ""
    columns = {"jobs": "new", "mended": "mended", "same": "there already", "differing": "differing"}
    shown = {
        heading: [str(vars(each)[name]) for each in result.sources]
        for name, heading in columns.items()
        if name == "jobs" or any(vars(each)[name] for each in result.sources)
    }
    return [
        Title(
            f"{result.store} has {result.jobs - result.left} of {count(result.jobs, 'job')}{left}"
        ),
        Table.of({"from": [each.store for each in result.sources], **shown}, "from"),
    ]


def status(result: Status) -> list[Block]:
    """Lay out how the jobs of a store ended."""
    counts = ", ".join(f"{count} {name}" for name, count in result.counts.items())
    rest = f", {time_left(result.seconds_left)}" if result.seconds_left else ""
    several = result.machines if len(result.machines) > 1 else ()
    of_plan = f"{result.plan}: " if len(result.plans) > 1 else ""
    jobs = f"{result.jobs} jobs"
    if result.part:
        noun = "parts" if "," in result.part else "part"
        jobs = f"{noun} {result.part}, {result.jobs} of the plan's {result.total} jobs"
    # Which repeat, and where there are several which seed, tells jobs apart.
    slow = result.slowest
    apart = ("repeat", "seed") if any(job.seed > 1 for job in slow) else ("repeat",)
    n_shown = rows_shown(len(result.algorithms), None)
    n_more = len(result.algorithms) - n_shown
    blocks: list[Block] = [
        Title(f"{of_plan}{jobs}: {counts or 'none planned'}{rest}"),
        *([Paragraph(result.data_said)] if result.data_said else []),
        *_checked(result),
        Items("Why", tuple((f"{row.jobs} ×", row.cause) for row in result.failures)),
        Items("Where", tuple((f"{each.jobs} ×", _where(each)) for each in several)),
        Table.of_rows(
            result.algorithms[:n_shown],
            {
                "algorithm": lambda row: row.algorithm,
                "jobs": lambda row: str(row.jobs),
                "seconds": lambda row: number(row.seconds),
                "per job": lambda row: number(row.per_job),
            },
            "algorithm",
        ),
        *map(Paragraph, left_out(n_more, Worded(": --json"), of="algorithms")),
        Table.of(
            {
                "slowest jobs": [row.algorithm for row in slow],
                "data set": [row.dataset for row in slow],
                **{each: [str(getattr(row, each)) for row in slow] for each in apart},
                "seconds": [number(row.seconds) for row in slow],
            },
            "slowest jobs",
            "data set",
        ),
    ]
    return [block for block in blocks if not isinstance(block, Table) or block.rows]


def _checked(result: Status) -> list[Block]:
    if result.checked is None:
        return []
    return [Paragraph(f"Checked: {count(result.checked.rows, 'row')}, all as they were written.")]


def _where(machine: Machine) -> str:
    alone = ", with nothing beside" if machine.exclusive else ""
    return f"{machine.host}, {machine.processor}{alone}"


def final(result: Final) -> list[Block]:
    """Lay out what the chosen algorithm does on the rows kept aside."""
    rows = result.scores.values()
    names = list(dict.fromkeys(name for row in rows for name in row))
    return [
        Title(f"{result.algorithm} on the rows kept aside"),
        *([Paragraph(f"chosen because {result.reason}")] if result.reason else []),
        Table.of(
            {
                "data set": list(result.scores),
                **{name: [number(row.get(name)) for row in rows] for name in names},
                "fit time": [number(result.costs[each].get("fit_time")) for each in result.scores],
            },
            "data set",
        ),
        Items.dashed("Failed", (f"{name}: {why}" for name, why in result.failed.items())),
        Items(
            "Load a model", tuple((">>>", line) for line in result.models.values()), verbatim=True
        ),
        notes(result),
    ]


# --- the catalogue of learners --------------------------------------------------------------------


def algorithms(result: Catalogue) -> list[Block]:
    """Lay learners out: one in full, several in a table."""
    entries = result.algorithms
    if len(entries) == 1:
        return _one(entries[0], result)
    depend = any(entry.depends_on_data for entry in entries)
    data = f"; some depend on the data, {_size(result)}" if depend else ""
    return [
        Title(f"{len(entries)} learners have short names"),
        Table.of(
            {
                "name": [entry.name for entry in entries],
                "what it is": [entry.title for entry in entries],
                "family": [entry.family for entry in entries],
                "paper": [entry.paper for entry in entries],
                "searched over": [", ".join(entry.grid) for entry in entries],
                "grid": [str(entry.grid_size) for entry in entries],
            },
            "name",
            words=["what it is", "family", "paper", "searched over"],
        ),
        Items.dashed(
            "Notes",
            [
                f"grid: how many combinations are trained{data}",
                "palio algorithms NAME lists the values",
                *_preparations(entries),
            ],
            quiet=True,
        ),
    ]


def _preparations(entries: Sequence[CatalogueEntry]) -> list[str]:
    ways = dict.fromkeys(entry.prepare for entry in entries)
    return [
        f"data are prepared as in their papers: {', '.join(ways)}; {Option('prepare', 'none')} in "
        "the experiment leaves them as they are"
    ]


def _size(result: Catalogue) -> str:
    return f"here {result.rows} rows and {result.features} columns"


def _one(entry: CatalogueEntry, result: Catalogue) -> list[Block]:
    trained = f", {entry.grid_size} combinations" if entry.grid_size > 1 else ""
    where = f", {_size(result)}" if entry.depends_on_data else ""
    return [
        Title(f"{entry.name}: {entry.title}"),
        Paragraph(f"{entry.family}, as in {entry.paper}; data are prepared: {entry.prepare}"),
        Items(
            f"Hyper-parameters searched{trained}{where}",
            tuple(
                (f"{name}:", ", ".join(map(_value, values)) + _free(name, entry))
                for name, values in entry.grid.items()
            ),
        ),
        Items.dashed("Notes", [entry.notes] if entry.notes else [], quiet=True),
    ]


def _free(name: str, entry: CatalogueEntry) -> str:
    return " (all from one training)" if name in entry.free else ""


def _value(value: object) -> str:
    return limit(value) if isinstance(value, float) else str(value)
