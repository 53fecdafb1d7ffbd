"""The command line: ``palio VERB …``.

Each verb is a file in ``verbs/``, and an entry in `GROUPS`; here errors become one line.
"""

from __future__ import annotations

import importlib.util
import os
import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any

import cyclopts

from palio.app.verbs import ALIASES, GROUPS, OVERVIEW, VERBS
from palio.errors import LeftOutWarning, Option, PalioError, TerminatedError
from palio.registry import load
from palio.words import harmless, one_line

_ABOUT = (
    "Which algorithm is best, in what order do the others follow, at what cost, and how sure can "
    "we be?\n\n"
    "palio results.csv answers at once, and says what to ask next.\n\n"
    "Example: palio results.csv --cost train_time"
)
_VERSIONS = "palio.app.versions"
_COMPLETION = "--install-completion"
_HELP_ALL = "--help-all"
_SHORT, _LONG = "ShortHelp", "LongHelp"  # of help_pages


class _Completing(cyclopts.App):
    """The command line for its completion, which offers files where it has nothing else to offer.

    Only for that: cyclopts suggests no verb in the place of a misspelt one where the class of the
    verbs is another.
    """

    def generate_completion(self, **options: Any) -> str:
        """Write the script that a shell reads."""
        script = super().generate_completion(**options)
        # Of the shells bash alone offers no files then, and tables are named as text.
        return script.replace("\ncomplete -F", "\ncomplete -o default -F")


def _empty(
    about: str | None = None, kind: type[cyclopts.App] = cyclopts.App, *, page: str = ""
) -> cyclopts.App:
    return kind(
        name="palio",
        help=about,
        version=lambda: str(load(f"{_VERSIONS}:installed")()),
        help_flags=("--help", "-h", _HELP_ALL),
        help_format="plaintext",
        help_formatter=load(f"palio.app.help_pages:{page}")() if page else None,
        help_epilogue=f"All options: {_HELP_ALL}." if page == _SHORT else None,
        group_commands=cyclopts.Group("Help", sort_key=len(GROUPS)),
        suppress_keyboard_interrupt=False,  # main says what happened
    )


def _application(
    *, listing: bool = False, kind: type[cyclopts.App] = cyclopts.App, page: str = ""
) -> cyclopts.App:
    """Return the command line; for a list of its verbs, with the first line of each."""
    made = _empty(_ABOUT, kind, page=page)
    if listing:
        made.register_install_completion_command(
            name=_COMPLETION,
            help="Have the shell complete verbs and options: bash, zsh, fish or PowerShell.",
        )
    places = {name: place for place, name in enumerate(VERBS)}
    for place, (want, modules) in enumerate(GROUPS.items()):
        group = cyclopts.Group(f"{want[0].upper()}{want[1:]}", sort_key=place)
        for name in (name for names in modules.values() for name in names):
            home = VERBS[name]
            about = {"help": load(home).__doc__.partition("\n")[0]} if listing else {}
            made.command(home, name=name, group=group, sort_key=places[name], **about)
    return made


def completing() -> cyclopts.App:
    """Return the command line for what shells are told of it."""
    return _application(listing=True, kind=_Completing)


def without_verb(answer: str = OVERVIEW, *, page: str = "") -> cyclopts.App:
    """Return the command line for a file that is named without a verb, or for another answer."""
    made = _empty(page=page)
    made.default(load(answer))
    return made


app = _application()  # without a page of its own, which takes time to load


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit status.

    2 for anything the user can mend, 1 for a mistake in Palio, 130 for an interruption, 143 for
    SIGTERM in a run. With ``--traceback`` anywhere what went wrong is raised, to be reported.
    """
    _make_readable()
    typed = _in_full(sys.argv[1:] if arguments is None else arguments)
    raising = _TRACEBACK in typed
    typed = [word for word in typed if word != _TRACEBACK]
    if typed.count(_JSON) > 1:  # a copied command may have it already
        typed = [*(word for word in typed if word != _JSON), _JSON]
    verb = _has_verb(typed)
    if typed[:1] == ["--version"]:
        chosen, typed = without_verb(f"{_VERSIONS}:versions"), typed[1:]
    elif typed[:1] == [_COMPLETION]:
        chosen = completing()
    elif verb or _names_a_table(typed):
        page = _help_page(typed)
        chosen = _application(page=page) if verb else without_verb(page=page)
        _leave_for_later("numpy.f2py")
        _leave_for_later("numpy.testing")
    else:
        chosen = _application(listing=True)
    try:
        with _not_from_here(), _warnings_as_lines():
            chosen(typed, exit_on_error=False, print_error=False, result_action="return_none")
            sys.stdout.flush()  # what is short is written here, where a reader that left is known
    except KeyboardInterrupt as error:
        terminated = isinstance(error, TerminatedError)
        sys.stderr.write(f"error: {'terminated' if terminated else 'interrupted'}.\n")
        return 143 if terminated else 130
    except BrokenPipeError:
        # The reader (head, less) has gone: leave quietly, without a traceback at shutdown either.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except Exception as error:
        if raising:
            raise
        told, status = _told(error, typed)
        sys.stderr.write(f"error: {told}\n")
        return status
    return 0


@contextmanager
def _not_from_here() -> Iterator[None]:
    """Keep the processes that are started from importing what lies in the present folder.

    A folder of data may hold a multiprocessing.py; Python would run it in every worker.
    """
    before = os.environ.get(_SAFE_PATH)
    os.environ[_SAFE_PATH] = "1"
    try:
        yield
    finally:
        os.environ.pop(_SAFE_PATH)
        if before is not None:
            os.environ[_SAFE_PATH] = before


@contextmanager
def _warnings_as_lines() -> Iterator[None]:
    """Say in a line what Python is warned of: who is not in a table, and why."""

    def show(message: Warning | str, category: type[Warning], *where: Any, **more: Any) -> None:
        if issubclass(category, LeftOutWarning):
            sys.stderr.write(f"note: {one_line(harmless(str(message)))}\n")
        else:
            usual(message, category, *where, **more)

    with warnings.catch_warnings():
        usual = warnings.showwarning
        warnings.simplefilter("always", LeftOutWarning)
        warnings.showwarning = show
        yield


_SAFE_PATH = "PYTHONSAFEPATH"
_JSON = "--json"
_TRACEBACK = "--traceback"


def _told(error: Exception, typed: Sequence[str]) -> tuple[str, int]:
    """Return what is said of an error in one line, and the exit status."""
    if isinstance(error, ModuleNotFoundError):
        from palio.extras import missing_extra

        verb = next((word for word in typed if word in VERBS), "palio")
        error = missing_extra(error, verb) or error
    if isinstance(error, PalioError | cyclopts.CycloptsError):
        return _one_line(error, typed), 2
    said = one_line(harmless(str(error)))
    if isinstance(error, MemoryError):
        return f"there is not enough memory for this ({said or 'none is left'}).", 2
    if isinstance(error, OSError) and error.strerror:
        place = f" ({error.filename})" if error.filename is not None else ""
        return f"{one_line(harmless(f'{error.strerror}{place}'))}.", 2
    return (
        f"this is a mistake in Palio, {type(error).__name__}: {said or 'nothing is said'}. Please "
        f"report it with what this shows: {one_line(harmless(_typed(['palio', *typed])))} "
        f"{_TRACEBACK}",
        1,
    )


def _make_readable() -> None:
    streams = (sys.stdout, sys.stderr)
    if not all(str(getattr(each, "encoding", "utf")).lower().startswith("utf") for each in streams):
        from palio.app.console import make_readable

        make_readable()


def _typed(words: Sequence[str]) -> str:
    from palio.systems import system

    return system().typed(words)


def _in_full(typed: Sequence[str]) -> list[str]:
    """Return what was typed, a verb's other name replaced by the verb and its test.

    A hyphen alone is standard input, by its other name, for it looks like an option.

    >>> _in_full(["folds", "results.csv"])
    ['compare', '--test', 'newman-keuls', 'results.csv']
    >>> _in_full(["folds", "results.csv", "--test=tukey"])
    ['compare', 'results.csv', '--test=tukey']
    >>> _in_full(["read", "-"])
    ['read', '/dev/stdin']
    """
    typed = ["/dev/stdin" if word == "-" else word for word in typed]
    if not typed or typed[0] not in ALIASES:
        return typed
    verb, test = ALIASES[typed[0]]
    named = any(word.partition("=")[0] == "--test" for word in typed)
    return [verb, *([] if named else ["--test", test]), *typed[1:]]


def _help_page(typed: Sequence[str]) -> str:
    """Return which help is asked for, if any: nothing is loaded for it otherwise."""
    if _HELP_ALL in typed:
        return _LONG
    return "" if {"--help", "-h"}.isdisjoint(typed) else _SHORT


def _has_verb(typed: Sequence[str]) -> bool:
    """Say whether a verb is there; behind a table and an option it is a value of that.

    >>> _has_verb(["t.csv", "--score", "rank"]), _has_verb(["t.csv", "rank"])
    (False, True)
    """
    if not typed or typed[0].startswith("-"):
        return bool(VERBS.keys() & typed)
    return typed[0] in VERBS or any(
        word in VERBS and not before.startswith("-") for before, word in pairwise(typed)
    )


def _names_a_table(typed: Sequence[str]) -> bool:
    """Say whether a table is named where a verb would stand, or behind options without one.

    No verb has a dot, a slash or a colon, so that what has is a file, a store or study:NAME, be it
    there or not; a file without any of these must be there.

    >>> _names_a_table(["study:ulas2008"]), _names_a_table(["odrer", "results.csv"])
    (True, False)
    """
    if not typed:
        return False
    words = typed if typed[0].startswith("-") else typed[:1]
    return any(
        not word.startswith("-") and (set(word) & set("./:\\") or Path(word).exists())
        for word in words
    )


def _leave_for_later(name: str) -> None:
    """Have a module of NumPy loaded when it is used, which here is never.

    SciPy touches every public name of NumPy when it is loaded; the Fortran compiler and the tools
    for tests among them take a tenth of the time of a short command.
    """
    spec = None if name in sys.modules else importlib.util.find_spec(name)
    if spec is None or spec.loader is None:
        return
    spec.loader = importlib.util.LazyLoader(spec.loader)
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    parent, _, own = name.rpartition(".")
    setattr(sys.modules[parent], own, module)


# Options that errors of several verbs name, and one takes.
_ONLY_OF = {"unpaired": "compare"}


def as_typed(option: Option) -> str:
    """Write an option that an error names as it is typed on the command line.

    >>> as_typed(Option("missing", "worst")), as_typed(Option("algorithm", "Learner"))
    ('--missing worst', '--column algorithm=Learner')
    >>> as_typed(Option("higher_is_better", "False")), as_typed(Option("test_fraction"))
    ('--lower-is-better', '--test-fraction')
    """
    from palio.app.options import typed_as

    return _typed([w for each in option.all for w in typed_as(each.parameter, each.python_value)])


def _without(option: Option, words: Sequence[str]) -> list[str]:
    """Return what was typed without another value of an option that is given once.

    >>> _without(Option("model", "sign"), ["bayes", "--model", "anova", "x.csv"])
    ['bayes', 'x.csv']
    """
    name = as_typed(option).split()[0]
    if name not in words or name in ("--column", "--where"):
        return list(words)
    place = list(words).index(name)
    return [*words[:place], *words[place + (1 if option.value in (None, "True") else 2) :]]


def _one_line(error: Exception, typed: Sequence[str]) -> str:
    """Write an error; whatever it holds, it is one line: scripts and people both count on it.

    What makes a reading of its own is written as the whole command, to copy.
    """

    def spell(option: Option) -> str:
        verb = _ONLY_OF.get(option.parameter)
        words = list(typed)
        if verb is not None and verb not in typed:
            words = [verb, *(word for word in typed if word not in VERBS)]
        elif not option.whole:
            return as_typed(option)
        for each in option.all:
            words = _without(each, words)
        flags = [word for word in words if word == "--json"]  # last, where no value can follow it
        words = [word for word in words if word not in flags]
        return " ".join([_typed(["palio", *words]), as_typed(option), *flags[:1]])

    text = error.spelled(spell) if isinstance(error, PalioError) else harmless(str(error))
    return " ".join(text.split())


if __name__ == "__main__":
    sys.exit(main())
