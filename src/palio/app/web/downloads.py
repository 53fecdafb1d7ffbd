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
from palio.app.web.worker import full_report, quick_report
from palio.errors import ParameterError, UnknownNameError, require
from palio.registry import Registry
from palio.results import plain, to_json
from palio.scores.formats.text import guarded

if TYPE_CHECKING:
    from palio.comparison.results import Comparison
    from palio.report.sections import Draft
    from palio.results import Result

FIGURE_TYPES = {"svg": "image/svg+xml", "png": "image/png", "pdf": "application/pdf"}


# --- figures -------------------------------------------------------------------------------------


def figure(asked: Asked, name: str, format_: str, posterior: bytes | None = None) -> bytes:
    """Draw a panel's figure as a file; one of a posterior from what the model has said."""
    import tempfile
    from pathlib import Path

    from palio.report.figures import save
    from palio.report.sections.pictures import drawn

    require(format_ in FIGURE_TYPES, "format", "it is svg, png or pdf", format_)
    draft, part = _drawable(asked, name, posterior)
    with tempfile.TemporaryDirectory() as folder:
        return save(drawn(draft, part, name), Path(folder) / f"figure.{format_}").read_bytes()


def fragment(
    asked: Asked, name: str, posterior: bytes | None = None, narrow: bool = False
) -> bytes:
    """Draw a panel's figure as a piece of the page."""
    from palio.report.sections import pictures

    draft, part = _drawable(asked, name, posterior)
    made = pictures.figure(draft, part, name, medium="narrow" if narrow else "panel")
    return made.encode("utf-8", errors="replace")


def _drawable(asked: Asked, name: str, posterior: bytes | None) -> tuple[Draft, Result]:
    """Return the report, and the part of it that a figure is drawn from."""
    from palio.report.names import shown_in, with_names
    from palio.report.sections import prepare

    part = PANELS[name].part
    if part is None:
        raise UnknownNameError("figure", f"{name!r} is a text, not a figure")
    report = quick_report(asked)
    draft = prepare(report)
    parts: dict[str, Result | None] = {
        "report": draft.report,
        "comparison": draft.report.comparison,
        "ordering": draft.report.ordering,
    }
    if posterior is not None:
        parts["posterior"] = with_names(pickle.loads(posterior), shown_in(report.table))
    found = parts.get(part)
    if found is None:
        raise ParameterError(
            "figure", f"{name!r} cannot be drawn from this table with this question"
        )
    return draft, found


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


def _order_tex(asked: Asked) -> str:
    from palio.report.article import table_piece

    return table_piece(quick_report(asked), "order")


def _pairs_tex(asked: Asked) -> str:
    from palio.report.article import table_piece

    _comparison(asked)
    return table_piece(quick_report(asked), "pairs")


_JSON, _TEX = "application/json", "application/x-tex"

FILES: Registry[FileKind] = Registry.of(
    "file",
    FileKind("order.csv", "text/csv", _order_csv),
    FileKind("order.json", _JSON, lambda asked: to_json(quick_report(asked).order)),
    FileKind("order.tex", _TEX, _order_tex),
    FileKind("pairs.csv", "text/csv", _pairs_csv),
    FileKind("pairs.json", _JSON, lambda asked: to_json(_comparison(asked))),
    FileKind("pairs.tex", _TEX, _pairs_tex),
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
