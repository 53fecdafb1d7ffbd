"""What each algorithm predicts for each test instance: reading, validating."""

from palio.predictions.reading import read_predictions
from palio.predictions.table import Predictions

__all__ = ["Predictions", "read_predictions"]
