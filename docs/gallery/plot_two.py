"""
Two algorithms, three probabilities
===================================

How probable is it that the first is better, that the two are practically equal, that the second
is better?
"""

import palio

table = palio.load_study("ulas2008")
pair = table.select(algorithms=["svr", "svl"])
posterior = palio.bayes.signed_rank(pair, rope=1.0)
print(posterior.probabilities())

# %%
# Draws of the three probabilities, in a triangle.

triangle = posterior.plot("simplex")

# %%
# On one data set, by its folds.

on_one = palio.bayes.correlated_t(pair, dataset="optdigits", rope=0.3)
difference = on_one.plot("posterior")
