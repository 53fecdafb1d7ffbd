"""What each algorithm predicts for each test instance: reading, validating."""

from palio.predictions.reading import as_predictions, read_predictions
from palio.predictions.table import Predictions

__all__ = ["Predictions", "as_predictions", "read_predictions"]
