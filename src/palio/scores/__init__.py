"""The single door for data: reading, validating, missing cells."""

from palio.scores.design import Design, DesignGroup
from palio.scores.reading import Tabular, as_table, read_scores
from palio.scores.table import ScoreTable

__all__ = ["Design", "DesignGroup", "ScoreTable", "Tabular", "as_table", "read_scores"]
