"""
Who differs from whom
=====================

All pairs of a comparison: their p-values, who wins how often, and by how much.
"""

import palio

table = palio.load_study("ulas2008")
comparison = palio.compare(table)

# %%
# Differences on each data set and over all, with intervals: how large, and not only whether.

forest = comparison.plot("forest")

# %%
# Adjusted p-values of all pairs, by Wilcoxon's test and Holm's correction.

p_values = comparison.plot("p-values")

# %%
# On how many data sets each algorithm beats each other.

wins = comparison.plot("win-matrix")

# %%
# The same numbers as a frame.

comparison.to_frame().head()
