"""How far long work is, shown where a person is watching: in a notebook, or on a terminal.

Functions that may take long have ``progress``: unless given, bars are shown where somebody can see
them, and nothing where neither a notebook nor a terminal is; ``False`` shows nothing; a function is
called instead. Work inside work that is shown already is not shown a second time.
"""

from __future__ import annotations

import contextvars
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from html import escape
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeAlias

from palio.errors import require
from palio.numbers import time_left
from palio.words import one_line

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

    from palio.experiment.runner import Progress

Clock = Callable[[], float]
Steps: TypeAlias = Callable[[str], object] | bool | None
Jobs: TypeAlias = "Callable[[Progress], object] | bool | None"

# So many data sets under way are shown, and so often a line is written.
_MOST_DATASETS = 6
_LINE_SECONDS = 10.0

# What is done in less time needs no bar; and so often a notebook is told.
_PATIENCE = 0.4
_NOTEBOOK_SECONDS = 0.2


class _Row(NamedTuple):
    """A bar, between what it is of and what is said of it."""

    name: str
    done: int
    total: int
    about: str = ""


class _Bars(NamedTuple):
    """What is shown: bars, and lines below them."""

    rows: tuple[_Row, ...] = ()
    below: tuple[str, ...] = ()


Look = Callable[[], _Bars]


class _Busy(threading.local):
    """Whether this thread does work that is shown, or that nobody wants to see."""

    now = False


_busy = _Busy()


# --- what library functions use -----------------------------------------------------------------


@contextmanager
def steps(title: str, total: int, progress: Steps = None) -> Iterator[Callable[[str], object]]:
    """Give what tells which of ``total`` named steps is under way.

    Parameters
    ----------
    title : str
        What is being done.
    total : int
        The number of steps.
    progress : callable or bool, optional
        As the user of a function has given it.

    Examples
    --------
    >>> with steps("counting", 2, print) as step:
    ...     for name in ("one", "two"):
    ...         _ = step(name)
    one
    two
    """
    given = _given(progress)
    if given is not None:
        with unwatched():
            yield given
        return
    state = _Row(title, 0, total)
    begun = False

    def step(name: str) -> None:
        nonlocal state, begun
        done = min(state.done + begun, total)
        state, begun = _Row(f"{title}: {one_line(name)}", done, total), True
        screen.refresh()

    screen = _screen(lambda: _Bars((state,)), stays=False)
    with unwatched(), _open(screen, _PATIENCE):
        yield step


@contextmanager
def job_bar(
    progress: Jobs = None,
    *,
    console: Console | None = None,
    lines: bool = False,
    clock: Clock = time.monotonic,
) -> Iterator[Callable[[Progress], object]]:
    """Give what tells how far a run is: a bar for all jobs, and one for each data set under way.

    Below them stands how many jobs did not end well, and why the last of them did not.

    Parameters
    ----------
    progress : callable or bool, optional
        As the user of a function has given it.
    console : rich.console.Console, optional
        Where to write, standard error unless given.
    lines : bool
        Whether a line is written every ten seconds where there is no terminal.
    clock : callable
        Tells the time.
    """
    given = _given(progress, seen=console is not None or lines)
    if given is not None:
        with unwatched():
            yield given
        return
    watch = _Watch(clock)
    screen = _screen(watch.bars, console, stays=True)
    if lines and isinstance(screen, _Nowhere):
        screen = _Lines(screen.console, watch, clock)

    def see(state: Progress) -> None:
        watch.see(state)
        screen.refresh()

    with unwatched(), _open(screen):
        yield see


def _given(progress: Any, *, seen: bool = False) -> Callable[[Any], object] | None:
    """Return what is to be told, or nothing where bars are to be shown."""
    if callable(progress):
        return progress  # type: ignore[no-any-return]
    require(
        progress is None or isinstance(progress, bool),
        "progress",
        "it is True, False or a function",
        progress,
    )
    if progress is False or (progress is None and not seen and _busy.now):
        return lambda _told: None
    return None


@contextmanager
def unwatched() -> Iterator[None]:
    """Show nothing of the work that is done meanwhile, unless it is asked for."""
    before, _busy.now = _busy.now, True
    try:
        yield
    finally:
        _busy.now = before


# --- where it is shown ----------------------------------------------------------------------------


class _Screen(Protocol):
    """Where bars are shown; opened and closed once, from any thread."""

    def open(self) -> None: ...
    def refresh(self) -> None: ...
    def close(self) -> None: ...


def _screen(look: Look, console: Console | None = None, *, stays: bool) -> _Screen:
    if console is None and _kernel():
        return _Notebook(look, stays=stays)
    from rich.console import Console

    console = console or Console(stderr=True)
    return _Terminal(console, look, stays=stays) if console.is_terminal else _Nowhere(console)


def _kernel() -> bool:
    """Whether this is the kernel of a notebook; IPython on a terminal is none."""
    loaded = sys.modules.get("IPython")
    return loaded is not None and hasattr(loaded.get_ipython(), "kernel")


@contextmanager
def _open(screen: _Screen, patience: float = 0.0) -> Iterator[None]:
    """Show a screen, after a while."""
    # A thread of ours stands for the cell that started it.
    timer = threading.Timer(patience, contextvars.copy_context().run, [screen.open])
    timer.daemon = True
    if isinstance(screen, _Nowhere):
        patience = 0.0
    if patience:
        timer.start()
    else:
        screen.open()
    try:
        yield
    finally:
        timer.cancel()
        screen.close()


class _Nowhere:
    """Where nobody looks."""

    def __init__(self, console: Console) -> None:
        self.console = console

    def open(self) -> None:
        pass

    def refresh(self) -> None:
        pass

    def close(self) -> None:
        pass


class _Lines(_Nowhere):
    """A file or a pipe: a line once in a while, and the last one."""

    def __init__(self, console: Console, watch: _Watch, clock: Clock) -> None:
        super().__init__(console)
        self._watch, self._clock, self._written = watch, clock, clock()

    def refresh(self) -> None:
        state = self._watch.state
        if state is None or state.done == state.total:
            return
        if self._clock() - self._written >= _LINE_SECONDS:
            self._written = self._clock()
            self.console.out(self._watch.line(), highlight=False)

    def close(self) -> None:
        # Also where it was interrupted; nothing where it could not begin.
        if self._watch.state is not None:
            self.console.out(self._watch.line(), highlight=False)


class _Terminal:
    def __init__(self, console: Console, look: Look, *, stays: bool) -> None:
        from rich.live import Live

        self._live = Live(
            console=console,
            get_renderable=lambda: _rendered(look()),
            refresh_per_second=4,
            transient=not stays,
        )
        self._lock, self._closed = threading.Lock(), False

    def open(self) -> None:
        with self._lock:
            if not self._closed:
                self._live.start()

    def refresh(self) -> None:
        pass  # it looks by itself

    def close(self) -> None:
        with self._lock:
            self._closed = True
            self._live.stop()


class _Notebook:
    """A piece of a cell's output, which IPython can write anew; it needs no widgets."""

    def __init__(self, look: Look, *, stays: bool) -> None:
        self._look, self._stays = look, stays
        self._lock, self._closed = threading.Lock(), False
        self._handle: Any = None
        self._told = 0.0

    def open(self) -> None:
        with self._lock:
            if self._closed:
                return
            display = sys.modules["IPython"].display.display
            self._handle = display(_bundle(self._look()), raw=True, display_id=True)

    def refresh(self) -> None:
        now = time.monotonic()
        with self._lock:
            if self._handle is not None and now - self._told >= _NOTEBOOK_SECONDS:
                self._told = now
                self._handle.update(_bundle(self._look()), raw=True)

    def close(self) -> None:
        with self._lock:
            self._closed = True
            if self._handle is not None:
                last = self._look() if self._stays else _Bars()
                self._handle.update(_bundle(last), raw=True)


def _rendered(bars: _Bars) -> RenderableType:
    """Return bars for a terminal."""
    from rich.console import Group
    from rich.progress_bar import ProgressBar
    from rich.table import Table
    from rich.text import Text

    grid = Table.grid(padding=(0, 1))
    grid.add_column(no_wrap=True, overflow="ellipsis", max_width=30)
    for _ in range(3):
        grid.add_column(no_wrap=True)
    for row in bars.rows:
        bar = ProgressBar(row.total, row.done, width=30)
        grid.add_row(Text(row.name), bar, f"{row.done}/{row.total}", row.about)
    below = [Text(line, no_wrap=True, overflow="ellipsis") for line in bars.below]
    return Group(grid, *below) if bars.rows else Group()


def _bundle(bars: _Bars) -> dict[str, str]:
    """Return bars for a notebook, as HTML and as text.

    >>> _bundle(_Bars((_Row("a<b", 1, 2, "0 failed"),)))["text/plain"]
    'a<b 1/2 0 failed'
    """
    text = [f"{row.name} {row.done}/{row.total} {row.about}".rstrip() for row in bars.rows]
    cell = "<td style='text-align:left;padding:0 .5em 0 0;border:0'>"
    rows = "".join(
        f"<tr style='background:none'>{cell}{escape(row.name)}</td>"
        f"{cell}<progress value='{row.done}' max='{max(row.total, 1)}' "
        f"aria-label='{escape(row.name)}'></progress></td>"
        f"{cell}{row.done}/{row.total}</td>{cell}{escape(row.about)}</td></tr>"
        for row in bars.rows
    )
    below = "".join(f"<div>{escape(line)}</div>" for line in bars.below)
    table = f"<table role='presentation' style='margin:0;border:0'>{rows}</table>" if rows else ""
    return {"text/html": table + below, "text/plain": "\n".join([*text, *bars.below])}


# --- a run ----------------------------------------------------------------------------------------


class _Watch:
    """The last that was told of a run, and when."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._seen = 0.0
        self._cause = ""
        self.state: Progress | None = None

    def see(self, state: Progress) -> None:
        """Take in how far the run is."""
        self._seen = self._clock()
        if state.last is not None and state.last.status != "ok" and state.job is not None:
            where = f"{state.job.algorithm} on {state.job.dataset.name}"
            self._cause = one_line(f"{where}: {state.last.status}: {state.last.error}")
        self.state = state

    def line(self) -> str:
        """Return it all in one line."""
        if self.state is None:
            return ""
        return f"{self.state.done}/{self.state.total} jobs, {self._about(self.state)}"

    def bars(self) -> _Bars:
        """Return a bar for all, one for each data set under way, and what failed."""
        state = self.state
        if state is None:
            return _Bars()
        under_way = [_Row(name, *n) for name, n in state.datasets.items() if 0 < n[0] < n[1]]
        jobs = _Row("jobs", state.done, state.total, self._about(state))
        more = len(under_way) - _MOST_DATASETS
        below = [
            *([f"and {more} more data sets"] if more > 0 else []),
            *([f"last failure: {self._cause}"] if self._cause else []),
        ]
        return _Bars((jobs, *under_way[:_MOST_DATASETS]), tuple(below))

    def _about(self, state: Progress) -> str:
        """Return how many failed, and how long the rest takes, as far as that can be told."""
        failed = f"{state.failed} failed"
        if state.seconds_left is None or state.done == state.total:
            return failed
        return f"{failed}, {time_left(state.seconds_left - (self._clock() - self._seen))}"
