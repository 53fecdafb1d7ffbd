"""``palio demo``: a real study ordered by error and cost, in a few seconds."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from palio.app.options import JsonFlag, show

__all__ = ["demo"]


def demo(
    *,
    folder: Annotated[Path, Parameter(help="Where the figures go.")] = Path("palio-demo"),
    json: JsonFlag = False,
) -> None:
    """Order 8 published learners on 38 data sets by error and training time.

    Prints the order and why, and writes figures.

    Example: palio demo
    """
    from palio.app.figures import check_figures, write_figures
    from palio.errors import UnreadableError
    from palio.ordering import multi2test, multitest
    from palio.studies import load_study

    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UnreadableError(
            f"folder: '{folder}' cannot be made ({error.strerror}); give another with --folder."
        ) from error
    table = load_study("ulas2008")
    over_all = multi2test(table, cost="train_time")
    on_one = multitest(table, dataset="optdigits", cost="train_time")
    show(over_all, json=json)
    if not json:
        sys.stdout.write("\nThe same on one data set, where tests override cost:\n\n")
        show(on_one, json=False)
    for ordering, figures in (
        (over_all, ["order.svg", "critical-difference=critical-difference.svg"]),
        (on_one, ["optdigits.svg"]),
    ):
        paths = [_inside(folder, text) for text in figures]
        write_figures(check_figures(paths), ordering)


def _inside(folder: Path, text: str) -> str:
    name, equals, path = text.rpartition("=")
    return f"{name}{equals}{folder / path}"
