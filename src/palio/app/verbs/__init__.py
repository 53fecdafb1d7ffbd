"""The verbs of the command line, a file each; heavy imports wait until a verb runs."""

from __future__ import annotations

__all__ = ["VERBS"]

_HERE = "palio.app.verbs"

# In the order of a person's day: run, look, compare, order, show. A verb's module is loaded when
# the verb is asked for; its docstring is its help, and tells an example.
VERBS: dict[str, str] = {
    name: f"{_HERE}.{module}:{name}"
    for module, names in {
        "demo": ("demo",),
        "experiments": ("run", "plan", "status", "retry", "export"),
        "algorithms": ("algorithms",),
        "final": ("final",),
        "compare": ("compare",),
        "audit": ("audit",),
        "power": ("power",),
        "bayes": ("bayes", "rope"),
        "order": ("order",),
        "rank": ("rank",),
        "recommend": ("recommend",),
        "best": ("best",),
        "folds": ("folds",),
        "predictions": ("predictions",),
        "report": ("report",),
        "serve": ("serve",),
        "reproduce": ("reproduce",),
    }.items()
    for name in names
}
