"""
A verdict from a table
======================

Eight learners on 38 data sets: who is the best, who cannot be told from it, and how sure is that?
"""

import palio

table = palio.load_study("ulas2008")  # or palio.read_scores("results.csv")
comparison = palio.compare(table)
print(comparison.verdict.best)
print(comparison.verdict.sure)

# %%
# Mean ranks, best on the left. A bar joins algorithms that the test does not tell apart.

ranks = comparison.plot("critical-difference")

# %%
# Who is significantly better than whom, and by how much.

matrix = comparison.plot("comparison-matrix")
