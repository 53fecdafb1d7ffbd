"""What importing the mathematics must not drag in."""

import subprocess
import sys


def test_scipy_stats_is_not_imported() -> None:
    code = (
        "import sys; import palio.stats.across, palio.stats.adjust, palio.stats.folds, "
        "palio.stats.posthoc, palio.stats.predictions, palio.stats.several, palio.stats.roc, "
        "palio.stats.selection, palio.stats.several; "
        "sys.exit('scipy.stats' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
