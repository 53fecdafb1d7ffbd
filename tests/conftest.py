"""Settings for the whole suite."""

from hypothesis import settings

# The same examples everywhere, and no deadline: machines are noisy, and a slow one is no bug.
settings.register_profile("palio", deadline=None, derandomize=True)
settings.load_profile("palio")
