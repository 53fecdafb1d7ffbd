"""A progress bar on standard error, where a person is watching."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

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
