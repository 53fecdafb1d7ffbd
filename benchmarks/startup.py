"""How long `palio order results.csv` takes, beside importing NumPy and pandas alone.

Both are started again and again, in turn, so that a busy machine slows both; the least of each
counts. What is compared is the processor's time, which others on the machine hardly change.

    python benchmarks/startup.py
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import palio

ROUNDS = 15
LIMIT = 1.5

_BARE = "import numpy, pandas"
_ORDER = "import sys; from palio.app.cli import main; sys.exit(main(sys.argv[1:]))"
_COUNT = (
    "import sys; from palio.app.cli import main; main(sys.argv[1:]);"
    "sys.stderr.write(str(sum(name.split('.')[0] == 'palio' for name in sys.modules)))"
)


def spent(*command: str) -> tuple[float, float]:
    """Run Python; return seconds of the processor, and of the clock on the wall."""
    before, started = os.times(), time.perf_counter()
    subprocess.run([sys.executable, *command], check=True, stdout=subprocess.DEVNULL)
    after = os.times()
    processor = after.children_user + after.children_system
    return (
        processor - before.children_user - before.children_system,
        time.perf_counter() - started,
    )


def main() -> None:
    """Print both times, their ratio, and how many modules of Palio were loaded."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "results.csv"
        table = palio.load_study("ulas2008").select(algorithms=["c45", "mdt", "svr", "5nn"])
        table.to_frame().to_csv(path, index=False)
        asked = ("order", str(path), "--cost", "train_time")
        pairs = [(spent("-c", _BARE), spent("-c", _ORDER, *asked)) for _ in range(ROUNDS)]
        counted = subprocess.run(
            [sys.executable, "-c", _COUNT, *asked],
            check=True,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
    for kind, name in enumerate(("processor", "wall")):
        bare, order = (min(pair[which][kind] for pair in pairs) for which in (0, 1))
        print(
            f"{name:>9}: numpy and pandas {bare:.2f} s, palio order {order:.2f} s, "
            f"ratio {order / bare:.2f} (at most {LIMIT})"
        )
    print(f"modules of palio loaded: {counted.stderr} (at most 120)")


if __name__ == "__main__":
    main()
