"""
Better, worse, or practically equal
===================================

A p-value cannot say that two algorithms are equal. A Bayesian model with a region of practical
equivalence can: differences of less than one percent of accuracy shall not matter.
"""

import palio

table = palio.load_study("ulas2008")
posterior = palio.bayes.anova(table, rope=1.0)
print(posterior.best())

# %%
# Of each pair: how probable it is that one is better, or both practically equal.

matrix = posterior.plot("posterior-matrix")

# %%
# Effects of all algorithms with intervals.

forest = posterior.plot("forest")

# %%
# Would the model expect such scores? And are they anything like normal?

check = posterior.plot("predictive-check")
normal = posterior.plot("normality")
