"""``palio reproduce``: published tables beside recomputed ones."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from palio.app.options import JsonFlag, show
from palio.errors import MissingExtraError, ParameterError

if TYPE_CHECKING:
    from palio.studies import Reproduction, Study


def reproduce(
    study: str | None = None,
    /,
    *,
    table: str | None = None,
    datasets: str | None = None,
    data: str | None = None,
    store: str | None = None,
    runs: int | None = None,
    max_rows: int | None = None,
    sample_rows: int | None = None,
    part: str | None = None,
    keep: Path | None = None,
    n_jobs: int = 2,
    time_limit: float | None = None,
    figures: Path | None = None,
    json: JsonFlag = False,
) -> None:
    """Recompute a published study and compare it with its tables, cell by cell.

    With --data its experiment is run again. Ctrl-C and run again: what is finished is kept.

    Example: palio reproduce ulas2008 --table A.12

    Example: palio reproduce yildiz2006 --data folder:data --runs 100

    Parameters
    ----------
    study
        Which study; without one, what there is of each table and figure of the five papers.
    table
        Show every cell of this table, published|recomputed.
    datasets
        wainer2016: first48 are those of up to 1000 rows, without it all.
    data
        folder:DIR: run the study's experiment again on the data sets there.
    store
        Where a rerun keeps its results; STUDY.db unless given.
    runs
        How often yildiz2006 draws 5×2 folds.
    max_rows
        wainer2016 leaves out larger data sets.
    sample_rows
        wainer2016 draws so many rows of larger data sets.
    part
        2/5: the second of five parts; palio merge puts their stores together.
    keep
        wainer2016: run nothing, add what the store has to this folder.
    n_jobs
        Worker processes of a rerun.
    time_limit
        Seconds a job may take.
    figures
        Write the study's figures into this folder, SVG and PNG.
    """
    from palio.studies import STUDIES
    from palio.studies.concordance import PAPERS, concordance

    options: dict[str, Any] = {"store": store, "part": part, "keep": keep, "runs": runs}
    options |= {"max_rows": max_rows, "sample_rows": sample_rows}
    given: dict[str, Any] = {key: each for key, each in options.items() if each is not None}
    if data is not None:
        given |= {"datasets": datasets, "n_jobs": n_jobs, "time_limit": time_limit}
        results = [_rerun(study, data, given)]
    elif given:
        name = next(iter(given)).replace("_", "-")
        remedy = "say where the data are, --data folder:DIR"
        raise ParameterError(name, "it concerns a rerun", remedy=remedy)
    elif study is None and (datasets or table):
        raise ParameterError("study", "say of which, such as wainer2016")
    else:
        names = PAPERS if study is None else [study]
        found = (_reproduced(STUDIES[name], study, datasets) for name in names)
        results = [each for each in found if each]
    if table is not None:
        results = [result.only(table) for result in results]
    if study is None:
        show(concordance({result.study: result for result in results}), json=json)
    else:
        show(results[0], json=json)
    if figures is not None:
        _draw(results, figures)


def _draw(results: Sequence[Reproduction], folder: Path) -> None:
    written = [path for result in results for path in result.draw(folder)]
    if not written:
        names = ", ".join(result.study for result in results)
        raise ParameterError(
            "figures", f"there is nothing to draw of {names}", remedy="leave it away"
        )
    for path in written:
        sys.stderr.write(f"wrote {path}\n")


def _rerun(study: str | None, data: str, options: Mapping[str, Any]) -> Reproduction:
    from palio.bars import job_bar
    from palio.studies import reproduce as reproduce_study

    if study is None:
        raise ParameterError("study", "say which is to be run again, such as yildiz2006")
    with job_bar(lines=True) as progress:
        return reproduce_study(study, data=data, progress=progress, **options)


def _reproduced(study: Study, wanted: str | None, datasets: str | None) -> Reproduction | None:
    """Recompute a study; of all of them, one whose extra is not installed is left out."""
    from palio.studies import reproduce as reproduce_study

    try:
        return reproduce_study(study.name, **({"datasets": datasets} if datasets else {}))
    except MissingExtraError as error:
        if wanted is not None:
            raise
        sys.stderr.write(f"{study.name} is left out: {error}\n")
        return None
