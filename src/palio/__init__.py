"""Palio: which learning algorithm is best, in what order, at what cost, and how sure."""

__version__ = "0.1.0"
