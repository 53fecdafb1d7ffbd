"""A progress bar on standard error, where a person is watching."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

__all__ = ["steps"]


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
def job_bar() -> Iterator[Callable[[Any], None]]:
    """Show how many jobs are done and how many failed: a bar, or a line now and then."""
    import sys
    import time

    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    console = Console(stderr=True)
    if not console.is_terminal:
        last = [0.0]

        def line(state: Any) -> None:
            if time.monotonic() - last[0] >= 10 or state.done == state.total:
                last[0] = time.monotonic()
                sys.stderr.write(f"{state.done}/{state.total} jobs, {state.failed} failed\n")

        yield line
        return
    columns = (
        TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(),
        TextColumn("{task.fields[failed]} failed"), TimeRemainingColumn(),
    )  # fmt: skip
    with Progress(*columns, console=console) as progress:
        task = progress.add_task("running", total=None, failed=0)

        def bar(state: Any) -> None:
            name = f"{state.job.algorithm} on {state.job.dataset.name}" if state.job else "running"
            progress.update(
                task, total=state.total, completed=state.done, failed=state.failed,
                description=name[:40],
            )  # fmt: skip

        yield bar
