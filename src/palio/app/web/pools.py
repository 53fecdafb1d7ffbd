"""Which mean-ranks verdicts hang on the pool, for the page."""

from __future__ import annotations

from palio.app.web.answers import encode
from palio.app.web.desk import table_of
from palio.app.web.sources import Asked
from palio.comparison.pools import pool_verdict

__all__ = ["pools"]


def pools(asked: Asked) -> bytes:
    """Return who differs by mean ranks in this pool, and what one algorithm changes."""
    question = asked.question
    table = table_of(asked.source)
    if question.score not in (None, table.measure.name):
        table = table.with_score(question.score, question.higher_is_better)
    if question.datasets is not None:
        table = table.select(question.datasets)
    return encode(pool_verdict(table, question.algorithms, alpha=question.alpha))
