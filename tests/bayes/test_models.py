"""The registry of models, and that a model loads only what it needs."""

import subprocess
import sys

import palio
from palio.bayes import MODELS
from palio.bayes.models import anova, signed_rank
from palio.registry import Later

LOADED = """
import sys
from palio.bayes import {name}
print(*sorted(m.removeprefix("palio.bayes.models.") for m in sys.modules if "bayes.models." in m))
"""


def _loaded_by(name: str) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-c", LOADED.format(name=name)], capture_output=True, text=True, check=True
    )
    return done.stdout.split()


def test_an_analysis_of_variance_loads_no_other_model() -> None:
    assert all(module.startswith("anova") for module in _loaded_by("anova"))
    assert "anova" in _loaded_by("anova")
    assert not _loaded_by("MODELS")


def test_the_package_gives_the_functions_of_the_models() -> None:
    assert palio.bayes.anova is anova.anova
    assert palio.bayes.signed_rank is signed_rank.signed_rank
    for name, entry in MODELS.items():
        assert isinstance(entry.run, Later)
        assert entry.run.load() is getattr(palio.bayes, name.replace("-", "_"))
