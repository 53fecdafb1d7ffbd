"""What can be taken away: figures, tables, and the whole report."""

from __future__ import annotations

import csv
import io
import pickle
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from palio.app.web.panels import PANELS
from palio.app.web.tables import Asked
from palio.app.web.worker import asked_table, full_report, quick_report
from palio.errors import ParameterError, UnknownNameError, require
from palio.ordering.result import Ordering
from palio.registry import Registry
from palio.results import plain, to_json
from palio.scores.formats.guarding import guarded

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from palio.comparison.results import Comparison
    from palio.results import Result

FIGURE_TYPES = {"svg": "image/svg+xml", "png": "image/png", "pdf": "application/pdf"}


# --- figures -------------------------------------------------------------------------------------


def figure(asked: Asked, name: str, format_: str, posterior: bytes | None = None) -> bytes:
    """Draw a panel's figure; one of a posterior from what the model has said."""
    import tempfile
    from pathlib import Path

    from palio.report.figures import save

    require(format_ in FIGURE_TYPES, "format", "it is svg, png or pdf", format_)
    with tempfile.TemporaryDirectory() as folder:
        return save(_drawn(asked, name, posterior), Path(folder) / f"figure.{format_}").read_bytes()


def _drawn(asked: Asked, name: str, posterior: bytes | None) -> Figure:
    from palio.report.figures import draw
    from palio.report.names import shown_in, with_names
    from palio.report.sections.evidence import MOST_STEPS

    part = PANELS[name].part
    if part is None:
        raise UnknownNameError("figure", f"{name!r} is a text, not a figure")
    found = _part(asked, part) if posterior is None else pickle.loads(posterior)
    if found is None:
        raise ParameterError(
            "figure", f"{name!r} cannot be drawn from this table with this question"
        )
    table = asked_table(asked)
    options = {}
    if isinstance(found, Ordering):  # the steps of the sort take a row for each algorithm
        options["steps"] = len(found.order) <= MOST_STEPS
    return draw(with_names(found, shown_in(table)), name, **options)


def _part(asked: Asked, part: str) -> Result | None:
    """Return what a figure is drawn from."""
    report = quick_report(asked)
    return {"comparison": report.comparison, "ordering": report.ordering}.get(part, report)


# --- tables --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class FileKind:
    """A file that can be downloaded: its name, its type, and what writes it."""

    name: str
    media_type: str
    write: Callable[[Asked], str]


def _order_csv(asked: Asked) -> str:
    rows = quick_report(asked).order.rows
    costs = rows[0].costs
    return _csv(
        ["place", "algorithm", "mean_score", "mean_rank", "cost", *costs, "reason"],
        (
            [
                *(row.place, row.algorithm, row.mean_score, row.mean_rank, row.cost),
                *row.costs.values(),
                row.reason,
            ]
            for row in rows
        ),
    )


def _pairs_csv(asked: Asked) -> str:
    pairs = plain(_comparison(asked).pairs)
    return _csv(list(pairs[0]), (list(pair.values()) for pair in pairs))


def _comparison(asked: Asked) -> Comparison:
    found = quick_report(asked).comparison
    if found is None:
        raise ParameterError(
            "datasets", "pairs are compared over data sets, or on the folds of one"
        )
    return found


def _latex(result: Result) -> str:
    from palio.report.latex import render_latex

    return render_latex(result)


_JSON, _TEX = "application/json", "application/x-tex"

FILES: Registry[FileKind] = Registry.of(
    "file",
    FileKind("order.csv", "text/csv", _order_csv),
    FileKind("order.json", _JSON, lambda asked: to_json(quick_report(asked).order)),
    FileKind("order.tex", _TEX, lambda asked: _latex(quick_report(asked))),
    FileKind("pairs.csv", "text/csv", _pairs_csv),
    FileKind("pairs.json", _JSON, lambda asked: to_json(_comparison(asked))),
    FileKind("pairs.tex", _TEX, lambda asked: _latex(_comparison(asked))),
    FileKind("report.json", _JSON, lambda asked: to_json(full_report(asked))),
    FileKind("report.html", "text/html", lambda asked: full_report(asked).to_html()),
)


def download(asked: Asked, name: str) -> bytes:
    """Write a file."""
    return FILES[name].write(asked).encode("utf-8", errors="replace")


def _csv(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(map(guarded, head))
    writer.writerows([guarded(plain(value)) for value in row] for row in rows)
    return buffer.getvalue()
