"""``palio reproduce``: published tables beside recomputed ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from palio.app.options import JsonFlag, show

if TYPE_CHECKING:
    from palio.studies import Reproduction, Study

__all__ = ["reproduce"]


def reproduce(
    study: str | None = None,
    /,
    *,
    table: Annotated[
        str | None, Parameter(help="Show every cell of this table, published|recomputed.")
    ] = None,
    json: JsonFlag = False,
) -> None:
    """Recompute a published study and compare it with its tables, cell by cell.

    Example: palio reproduce ulas2008 --table A.12

    Parameters
    ----------
    study
        Which study; without one, all of them.
    """
    from palio.studies import STUDIES

    names = [study] if study is not None else list(STUDIES)
    results = [_reproduced(STUDIES[name]) for name in names]
    if table is not None:
        results = [result.only(table) for result in results]
    for result in results:
        show(result, json=json)


def _reproduced(study: Study) -> Reproduction:
    if not study.steps:
        return study.reproduce()
    from palio.app.progress import steps

    with steps(study.name, study.steps) as step:
        return study.reproduce(progress=step)
