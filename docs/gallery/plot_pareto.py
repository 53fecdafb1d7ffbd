"""
What a better score costs
=========================

The algorithms that no other one beats in both score and cost, each two compared on the data sets
that both have. Means alone, no test; the verdict says which of the differences are more than
chance.
"""

import palio

table = palio.load_study("ulas2008")
report = palio.analyse(table, cost="train_time", checks=[])
front = report.plot("pareto")

# %%
# The best value at this cost, in a sentence.

print(report.verdict.value)
