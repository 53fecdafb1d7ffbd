"""The verbs of the command line, a file each; heavy imports wait until a verb runs."""

from __future__ import annotations

__all__ = ["ALIASES", "GROUPS", "OVERVIEW", "VERBS"]

_HERE = "palio.app.verbs"

# What a person wants, and the modules whose verbs do it; in the order of the person's day. A
# verb's module is loaded when the verb is asked for; its docstring is its help, and tells an
# example.
GROUPS: dict[str, dict[str, tuple[str, ...]]] = {
    "ask who is best": {
        "order": ("order",),
        "compare": ("compare",),
        "bayes": ("bayes", "rope"),
        "rank": ("rank",),
        "aggregate": ("aggregate",),
        "recommend": ("recommend",),
        "best": ("best",),
    },
    "doubt the answer": {"audit": ("audit",), "power": ("power",), "variance": ("variance",)},
    "see what was read": {"read": ("read",)},
    "run experiments": {
        "demo": ("demo",),
        "experiments": ("algorithms", "plan", "run", "status", "retry", "export"),
        "submit": ("submit",),
        "merge": ("merge",),
        "final": ("final",),
    },
    "show it to others": {"report": ("report",), "serve": ("serve",)},
    "reproduce published studies": {"reproduce": ("reproduce",)},
}

# Names that scripts use for `compare` with a test on folds or predictions; and the test unless
# they name one.
ALIASES: dict[str, tuple[str, str]] = {
    "folds": ("compare", "newman-keuls"),
    "predictions": ("compare", "mcnemar"),
}

OVERVIEW = f"{_HERE}.overview:overview"
"""What answers where a table is named without a verb."""

VERBS: dict[str, str] = {
    name: f"{_HERE}.{module}:{name}"
    for modules in GROUPS.values()
    for module, names in modules.items()
    for name in names
}
