"""
An order that counts the cost
=============================

Among algorithms that no test tells apart the cheaper comes first. MultiTest does that on one data
set, by its folds; :func:`palio.order` over all data sets.
"""

import palio

table = palio.load_study("ulas2008")
ordering = palio.multitest(table, dataset="optdigits", cost="train_time")
print(ordering.order)

# %%
# An arrow leads from a cheaper algorithm to a costlier one that is significantly better. Without
# arrows the order would be that of the cost.

graph = ordering.plot("multitest-graph")

# %%
# Over all data sets, with the reason why one stands before another.

overall = palio.order(table, cost="train_time")
print(overall.order)
print(overall.why("svr", "5nn"))
