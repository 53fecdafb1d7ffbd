"""The single door for data: reading, validating, missing cells."""

from palio.scores.design import Design, DesignGroup
from palio.scores.item_reading import Tabular, as_table, read_items, reading_in
from palio.scores.items import ItemScores, Repeats
from palio.scores.reading import read_scores
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
