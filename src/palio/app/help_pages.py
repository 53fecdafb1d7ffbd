"""``palio VERB --help``: the options that most people need, on one screen; ``--help-all``: all."""

from __future__ import annotations

from textwrap import fill, shorten
from typing import TYPE_CHECKING

from cyclopts.help import DefaultFormatter
from rich.text import Text

if TYPE_CHECKING:
    from cyclopts.help import HelpEntry, HelpPanel, InlineText
    from rich.console import Console, ConsoleOptions

# Options that the short help has, of whichever verb; groups of which it has none begin with "With".
COMMON = frozenset(
    (
        *("--a", "--again", "--algorithms", "--all", "--alpha", "--b", "--browser", "--budget"),
        *("--check", "--control", "--correction", "--cost", "--data", "--dataset", "--datasets"),
        *("--details", "--difference", "--engine", "--evaluate", "--figure", "--figures"),
        *("--folder", "--for", "--higher-is-better", "--host", "--json", "--keep-first", "--latex"),
        *("--method", "--model", "--n-jobs", "--normalise", "--only", "--output", "--over"),
        *("--paper", "--part", "--parts", "--port", "--probability", "--rope", "--run", "--runs"),
        *("--save-spec", "--score", "--stability", "--status", "--store", "--table"),
        *("--target", "--test", "--time-limit", "--to", "--token", "--where", "--why"),
    )
)
_EXAMPLE, _RARE = "Example:", "With "
_TEXT_WIDTH = 100  # two lines of a column beside the names


class LongHelp(DefaultFormatter):
    """A help page with all options, its texts as wide as the terminal."""

    def render_description(
        self, console: Console, _options: ConsoleOptions, description: InlineText
    ) -> None:
        """Write what the verb is for, and examples."""
        text = self.description(str(description.primary_renderable).strip())
        for part in text.split("\n\n"):
            said = part if part.startswith(_EXAMPLE) else fill(part, console.width)
            console.print(Text(f"{said}\n"))

    def __call__(self, console: Console, options: ConsoleOptions, panel: HelpPanel) -> None:
        """Write a group of options."""
        if panel.format == "parameter":
            panel = panel.copy(entries=[self.entry(each) for each in self.entries(panel)])
        super().__call__(console, options, panel)

    def description(self, text: str) -> str:
        """Return what is said of the verb."""
        return text

    def entries(self, panel: HelpPanel) -> list[HelpEntry]:
        """Return the options of a group."""
        return panel.entries

    def entry(self, entry: HelpEntry) -> HelpEntry:
        """Return an option with what is said of it."""
        return entry.copy(description=Text(_text(entry)))


class ShortHelp(LongHelp):
    """A help page of what most people need: one example, and two lines for each option."""

    def description(self, text: str) -> str:
        """Return the first sentence on the verb, and an example."""
        lines = text.splitlines()
        return "\n\n".join([lines[0], *[each for each in lines if each.startswith(_EXAMPLE)][:1]])

    def entries(self, panel: HelpPanel) -> list[HelpEntry]:
        """Return the options of a group that most people need; arguments are no options."""
        if str(panel.title).startswith(_RARE):
            return []
        common = (each for each in panel.entries if not COMMON.isdisjoint(each.names))
        return [*(each for each in panel.entries if each.positional_label), *common]

    def entry(self, entry: HelpEntry) -> HelpEntry:
        """Return an option with the first sentence on it, or how that begins."""
        first, dot, _ = _text(entry).partition(". ")
        text = shorten(first + dot, _TEXT_WIDTH, placeholder=" …", break_on_hyphens=False)
        return entry.copy(description=Text(text), choices=None)


def _text(entry: HelpEntry) -> str:
    return " ".join(str(entry.description.primary_renderable).split())
