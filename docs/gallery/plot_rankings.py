"""
What to try first on a new data set
===================================

A ranking says in which order to try algorithms. Which ranking method predicts best on data sets
that it has not seen, and how firm is each place?
"""

import palio

table = palio.load_study("ulas2008")
evaluation = palio.evaluate_rankings(table)
print(evaluation)

# %%
# What is lost by trying algorithms in the order that each ranking recommends.

losses = evaluation.plot("loss-curves")

# %%
# How probable each place is, had other data sets been drawn.

stability = palio.rank_stability(table, ["average-ranks"])
places = stability.plot("rank-stability")
