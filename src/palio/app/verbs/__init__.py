"""The verbs of the command line, a file each; heavy imports wait until a verb runs."""

from __future__ import annotations

__all__ = ["GROUPS", "VERBS"]

_HERE = "palio.app.verbs"

# What a person wants, and the modules whose verbs do it; in the order of the person's day. A
# verb's module is loaded when the verb is asked for; its docstring is its help, and tells an
# example.
GROUPS: dict[str, dict[str, tuple[str, ...]]] = {
    "see what it looks like": {"demo": ("demo",)},
    "run experiments": {
        "experiments": ("run", "plan", "status", "retry", "export", "algorithms"),
        "final": ("final",),
    },
    "compare algorithms": {
        "compare": ("compare",),
        "audit": ("audit",),
        "power": ("power",),
        "folds": ("folds",),
        "predictions": ("predictions",),
    },
    "ask for probabilities": {"bayes": ("bayes", "rope")},
    "put algorithms in order": {"order": ("order",), "best": ("best",), "rank": ("rank",)},
    "choose for a new data set": {"recommend": ("recommend",)},
    "show it to others": {"report": ("report",), "serve": ("serve",)},
    "look at published studies": {"reproduce": ("reproduce",)},
}

VERBS: dict[str, str] = {
    name: f"{_HERE}.{module}:{name}"
    for modules in GROUPS.values()
    for module, names in modules.items()
    for name in names
}
