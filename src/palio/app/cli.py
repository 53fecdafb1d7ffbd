"""The command line: ``palio VERB …``.

Each verb is a file in ``verbs/``; this one finds them and turns errors into one line.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Sequence

import cyclopts

from palio import __version__
from palio.app.verbs import (
    algorithms,
    audit,
    bayes,
    best,
    compare,
    demo,
    experiments,
    final,
    folds,
    order,
    power,
    predictions,
    rank,
    recommend,
    report,
    reproduce,
    serve,
)
from palio.errors import PalioError

__all__ = ["app", "as_typed", "main"]

app = cyclopts.App(
    name="palio",
    help=(
        "Which algorithm is best, in what order do the others follow, at what cost, and how "
        "sure can we be?\n\n"
        "Example: palio order results.csv --cost train_time"
    ),
    version=__version__,
    help_format="plaintext",
    suppress_keyboard_interrupt=False,  # main says what happened
)
for _verb in (
    demo.demo,
    experiments.run,
    experiments.plan,
    experiments.status,
    experiments.retry,
    experiments.export,
    algorithms.algorithms,
    final.final,
    compare.compare,
    audit.audit,
    power.power,
    bayes.bayes,
    bayes.rope,
    order.order,
    rank.rank,
    recommend.recommend,
    best.best,
    folds.folds,
    predictions.predictions,
    report.report,
    serve.serve,
    reproduce.reproduce,
):
    app.command(_verb)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit status: 2 for anything the user can mend."""
    try:
        app(arguments, exit_on_error=False, print_error=False, result_action="return_none")
    except (PalioError, cyclopts.CycloptsError) as error:
        # Whatever a message holds, it is one line: scripts and people both count on it.
        sys.stderr.write(f"error: {as_typed(' '.join(str(error).split()))}\n")
        return 2
    except KeyboardInterrupt:
        sys.stderr.write("error: interrupted.\n")
        return 130
    except BrokenPipeError:
        # The reader (head, less) has gone: leave quietly, without a traceback at shutdown either.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    return 0


# How the options that messages name in Python are written here.
_SPELLINGS = (
    (
        r"higher_is_better=True (?:or|and) (?:higher_is_better=)?False",
        "--higher-is-better or --lower-is-better",
    ),
    (r"(?<!-)\bhigher_is_better=", "--higher-is-better or --lower-is-better"),
    (r"(?<![-\w])(score|costs|missing)=(?=['\w])", r"--\1 "),
    (r"(?<![-\w])(score|costs|missing)=", r"--\1"),
    (
        r"(?<![-\w])(dataset|algorithm|repeat|fold|instance|truth|prediction)=",
        r"--column \1=",
    ),
)


def as_typed(message: str) -> str:
    """Name options as they are typed on the command line.

    >>> as_typed("Say which with algorithm=, or give missing='worst'.")
    "Say which with --column algorithm=, or give --missing 'worst'."
    """
    for pattern, spelling in _SPELLINGS:
        message = re.sub(pattern, spelling, message)
    return message


if __name__ == "__main__":
    sys.exit(main())
