"""How far things are, on standard error: bars where a person is watching, lines where not."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from palio.numbers import time_left
from palio.words import one_line

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

    from palio.experiment.runner import Progress

Clock = Callable[[], float]

# So many data sets under way are shown, and so often a line is written.
_MOST_DATASETS = 6
_LINE_SECONDS = 10.0


@contextmanager
def steps(title: str, total: int) -> Iterator[Callable[[str], None]]:
    """Show which of ``total`` named steps is under way; nothing where no terminal is."""
    from rich.console import Console
    from rich.progress import Progress

    console = Console(stderr=True)
    if not console.is_terminal:
        yield lambda _name: None
        return
    with Progress(console=console, transient=True) as progress:
        task = progress.add_task(title, total=total)
        begun = False

        def step(name: str) -> None:
            nonlocal begun
            progress.update(task, description=f"{title}: {name}", advance=1 if begun else 0)
            begun = True

        yield step


@contextmanager
def job_bar(
    console: Console | None = None, *, clock: Clock = time.monotonic
) -> Iterator[Callable[[Progress], None]]:
    """Show how far a run is: bars on a terminal, and elsewhere a line every ten seconds.

    The bars are one for all jobs, and one for each data set of which some jobs are done, but not
    all. Below them stands how many jobs did not end well, and why the last of them did not.
    """
    from rich.console import Console

    console = console or Console(stderr=True)
    watch = _Watch(clock)
    if console.is_terminal:
        from rich.live import Live

        with Live(console=console, get_renderable=watch.bars, refresh_per_second=4):
            yield watch.see
        return
    written = clock()

    def see(state: Progress) -> None:
        nonlocal written
        watch.see(state)
        if clock() - written >= _LINE_SECONDS and state.done < state.total:
            written = clock()
            console.out(watch.line(), highlight=False)

    try:
        yield see
    finally:
        # Also where it was interrupted; nothing where it could not begin.
        if watch.state is not None:
            console.out(watch.line(), highlight=False)


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

    def bars(self) -> RenderableType:
        """Return a bar for all, one for each data set under way, and what failed."""
        from rich.console import Group
        from rich.progress_bar import ProgressBar
        from rich.table import Table
        from rich.text import Text

        state = self.state
        if state is None:
            return Group()
        rows = Table.grid(padding=(0, 1))
        rows.add_column(no_wrap=True, overflow="ellipsis", max_width=30)
        for _ in range(3):
            rows.add_column(no_wrap=True)

        def add(name: str, done: int, total: int, about: str = "") -> None:
            bar = ProgressBar(total, done, width=30)
            rows.add_row(Text(name), bar, f"{done}/{total}", about)

        add("jobs", state.done, state.total, self._about(state))
        under_way = [(name, *n) for name, n in state.datasets.items() if 0 < n[0] < n[1]]
        for each in under_way[:_MOST_DATASETS]:
            add(*each)
        below = []
        if len(under_way) > _MOST_DATASETS:
            below.append(Text(f"and {len(under_way) - _MOST_DATASETS} more data sets"))
        if self._cause:
            below.append(Text(f"last failure: {self._cause}", no_wrap=True, overflow="ellipsis"))
        return Group(rows, *below)

    def _about(self, state: Progress) -> str:
        """Return how many failed, and how long the rest takes, as far as that can be told."""
        failed = f"{state.failed} failed"
        if state.seconds_left is None or state.done == state.total:
            return failed
        return f"{failed}, {time_left(state.seconds_left - (self._clock() - self._seen))}"
