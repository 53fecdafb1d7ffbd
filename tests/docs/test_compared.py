"""What the page that compares Palio with other tools says of Palio is counted, not remembered."""

from palio import comparison
from palio.bayes.models import MODELS
from palio.scores.importers import IMPORTERS
from tests.docs.written import DOCS

_WORDS = [
    "no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
    "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
]  # fmt: skip
"""Numbers as the page spells them."""


def test_counts_are_those_of_the_registries() -> None:
    page = " ".join((DOCS / "compared.md").read_text(encoding="utf-8").split())
    on_folds = len(comparison.FOLD_TESTS) + len(comparison.GROUP_TESTS)
    corrections = len([name for name in comparison.CORRECTIONS if name != "none"])
    said = (
        f"{_WORDS[len(comparison.PAIR_TESTS)]} tests over data sets, {_WORDS[on_folds]} on folds, "
        f"{_WORDS[len(comparison.PREDICTION_TESTS)]} on predictions, "
        f"{_WORDS[len(comparison.ITEM_TESTS)]} on items; {_WORDS[corrections]} corrections",
        f"{_WORDS[len(MODELS)]}, on folds, data sets, items and wins",
        f"files of {_WORDS[len(IMPORTERS)]} benchmarks and tools",
    )
    wrong = [each for each in said if each not in page]
    assert not wrong, f"docs/compared.md counts otherwise; it should say: {wrong}"
