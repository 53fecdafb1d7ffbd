"""The single door for data: reading, validating, missing cells."""

from palio.scores.design import Design
from palio.scores.reading import read_scores
from palio.scores.table import DesignGroup, ScoreTable

__all__ = ["Design", "DesignGroup", "ScoreTable", "read_scores"]
