"""
A verdict from a table
======================

x
"""

import palio

table = palio.load_study("ulas2008")
comparison = palio.compare(table)
figure = comparison.plot("critical-difference")
comparison.verdict.best
