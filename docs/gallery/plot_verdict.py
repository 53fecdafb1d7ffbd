"""
A verdict from a table
======================

Eight learners on 38 data sets: who leads, who may be as good, and how sure is that?
"""

import palio

table = palio.load_study("ulas2008")  # or palio.read_scores("results.csv")
comparison = palio.compare(table)
print(comparison.summary())

# %%
# Mean ranks, best on the left. A bar joins algorithms between which no difference was found.

ranks = comparison.plot("critical-difference")

# %%
# Who is significantly better than whom, and by how much.

matrix = comparison.plot("comparison-matrix")
