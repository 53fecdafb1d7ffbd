"""The mathematics: arrays in, numbers out, batched over leading axes, no names.

::

    ranks, _outcome, _checks     what everything below shares
    folds        one data set, two algorithms: k-fold t, corrected t, calibrated t, 5×2 cv t and F
    several      one data set, many algorithms: ANOVA, Kruskal–Wallis
    ranges       one data set, many algorithms: Newman–Keuls, Tukey, Duncan
    across       many data sets: sign, Wilcoxon, Friedman
    posthoc      after Friedman: Nemenyi
    studentized  the studentized range with infinite degrees of freedom
    adjust       many p-values at once: Bonferroni, Holm
"""
