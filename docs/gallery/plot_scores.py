"""
What the scores look like
=========================

Before any test: the scores and places of each algorithm, data set by data set.
"""

import palio

table = palio.load_study("ulas2008")
comparison = palio.compare(table)

# %%
# The place of each algorithm on each data set.

grid = comparison.plot("scores-grid")

# %%
# How often each algorithm takes each rank.

ranks = comparison.plot("rank-distribution")

# %%
# The scores over the data sets.

scores = comparison.plot("scores")
