"""Settings for the whole suite."""

import gc
import os
import signal
import sys
from typing import Any

import pytest
from hypothesis import settings

# As many tests run at once as there are cores: threads of the linear algebra would wait for one
# another, busily. NumPy looks at this when it is loaded, and has not been.
for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_name, "1")

# The same examples everywhere, and no deadline: machines are noisy, and a slow one is no bug.
# Most properties are asked of every entry of a registry, so that a few tables each are many;
# `make test-slow` asks more with `--hypothesis-profile thorough`.
settings.register_profile("palio", deadline=None, derandomize=True, max_examples=20)
settings.register_profile("thorough", deadline=None, derandomize=True, max_examples=200)
settings.load_profile("palio")

# Where the suite runs in the background Ctrl-C is ignored, and tests of it would wait for it.
signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add what tests can be asked for."""
    about = "photograph the pages into this folder, for a person to look at"
    parser.addoption("--screenshots", metavar="FOLDER", help=about)


def pytest_collection_finish() -> None:
    """Leave out of every later search for garbage what has been collected: it all stays."""
    gc.freeze()


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip what asks for another system, with the reason that its mark gives."""
    for name, here in (("posix", os.name == "posix"), ("linux", sys.platform == "linux")):
        for mark in item.iter_markers(name):
            if not here:
                pytest.skip(f"only on {name}: {mark.args[0]}")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print the tables that tests have recorded as ``table``."""
    reports: list[Any] = [each for kind in terminalreporter.stats.values() for each in kind]
    for report in reports:
        for name, text in getattr(report, "user_properties", ()):
            if name == "table" and report.when == "call":
                terminalreporter.section(report.nodeid)
                terminalreporter.write_line(text)
