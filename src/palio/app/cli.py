"""The command line: ``palio VERB …``.

Each verb is a file in ``verbs/``, and an entry in `VERBS`; here errors become one line.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Sequence

import cyclopts

from palio import __version__
from palio.app.verbs import VERBS
from palio.errors import PalioError
from palio.registry import load

__all__ = ["app", "as_typed", "main"]


def _application(*, listing: bool = False) -> cyclopts.App:
    """Return the command line; for a list of its verbs, with the first line of each."""
    made = cyclopts.App(
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
    for name, home in VERBS.items():
        about = {"help": load(home).__doc__.partition("\n")[0]} if listing else {}
        made.command(home, name=name, **about)
    return made


app = _application()


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit status: 2 for anything the user can mend."""
    typed = list(sys.argv[1:] if arguments is None else arguments)
    chosen = app if VERBS.keys() & typed else _application(listing=True)
    try:
        chosen(typed, exit_on_error=False, print_error=False, result_action="return_none")
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
