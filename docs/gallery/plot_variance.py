"""
What more data would buy
========================

How much of the variance of a score is of data sets, and how much of folds? That says whether more
data sets or more splits would help.
"""

import palio

table = palio.load_study("ulas2008")
variance = palio.variance(table)
print(variance)

# %%

shares = variance.plot("variance-shares")
errors = variance.plot("standard-errors")
