"""
Which verdicts are fragile
==========================

An audit asks the question of a comparison again, in other ways: without each data set, within
other pools of algorithms, by other tests that are recommended. A pair that no check casts doubt
on is *sound*. What would change who is unbeaten is said first.
"""

import palio

table = palio.load_study("ulas2008")
audit = palio.audit(table, only=["leave-one-out", "pools", "conventions"], in_detail=True)
print(audit)

# %%
# The pairs that were asked about.

p_values = palio.compare(table).plot("p-values")
