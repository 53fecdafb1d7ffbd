"""
Scores on many scales
=====================

Scores made comparable, then the interquartile mean, which leaves out extremes on both sides, with
intervals.
"""

import palio

table = palio.load_study("ulas2008")
aggregates = palio.aggregate(table, normalise="min-max")
means = aggregates.plot("aggregates")

# %%
# On what share of the data sets each algorithm reaches each score.

profile = aggregates.plot("performance-profile")
