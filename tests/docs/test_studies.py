"""What the README and the list of studies say of recomputing is what it gives."""

from collections.abc import Callable

import pytest

import palio
from docs.pages.replication import check, found
from palio.studies.wainer2016_tables import NEITHER
from tests.docs.written import DOCS, ROOT, numbers_said

INDEX, README = (
    " ".join(path.read_text(encoding="utf-8").split())
    for path in (DOCS / "studies" / "index.md", ROOT / "README.md")
)


def cells(study: str) -> list[int]:
    reproduction = found(study)
    return [reproduction.agree, reproduction.cells]


def size() -> list[int]:
    table = palio.load_study("replication2026")
    return [table.n_algorithms, table.n_datasets]


def told_apart() -> list[int]:
    verdicts = check("2")
    by_paper, here = (
        {pair for pair, better in of.items() if better != NEITHER}
        for of in (verdicts.published, verdicts.recomputed)
    )
    return [len(by_paper & here), len(by_paper ^ here)]


# The text it is in, a piece of it with {} for each number, and what computes these.
CLAIMS: dict[tuple[str, str], Callable[[], list[int]]] = {
    (README, "published folds: {} of {} cells agree"): lambda: cells("ulas2008"),
    (README, "{} tuned learners on {} data sets"): size,
    (INDEX, "{} of {}, recomputed from its printed folds"): lambda: cells("ulas2008"),
    (INDEX, "the pool | {} of {}, recomputed |"): lambda: cells("benavoli2016"),
    (INDEX, "{} of {}, recomputed from what is printed"): lambda: cells("brazdil2000"),
    (INDEX, "{} of {}, against a replication"): lambda: cells("wainer2016"),
    (INDEX, "against a replication on {} data sets"): lambda: size()[1:],
    (INDEX, "{} are so in both and {} in one"): told_apart,
}


@pytest.mark.parametrize(("text", "claim"), CLAIMS, ids=[claim for _, claim in CLAIMS])
def test_its_numbers_are_computed(text: str, claim: str) -> None:
    assert numbers_said(claim, text) == CLAIMS[text, claim]()
