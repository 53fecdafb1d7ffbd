"""The single door for data: reading, validating, missing cells."""

from palio.scores.design import Design
from palio.scores.reading import read_scores
from palio.scores.table import ScoreTable

__all__ = ["Design", "ScoreTable", "read_scores"]
