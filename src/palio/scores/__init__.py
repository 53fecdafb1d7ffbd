"""The single door for data: reading, validating, missing cells."""

from palio.scores.design import Design, DesignGroup
from palio.scores.items import ItemScores, Repeats
from palio.scores.reading import Tabular, as_table, read_items, read_scores, reading_in
from palio.scores.spec import ReadSpec
from palio.scores.table import ScoreTable

__all__ = [
    "Design",
    "DesignGroup",
    "ItemScores",
    "ReadSpec",
    "Repeats",
    "ScoreTable",
    "Tabular",
    "as_table",
    "read_items",
    "read_scores",
    "reading_in",
]
