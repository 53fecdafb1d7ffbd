"""The mathematics: arrays in, numbers out, batched over leading axes, no names.

::

    ranks, outcome               what everything below shares
    folds        one data set, two algorithms: k-fold t, corrected t, calibrated t, 5×2 cv t and F
    several      one data set, many algorithms: ANOVA, Kruskal–Wallis, Newman–Keuls, Tukey, Duncan
    predictions  one data set, by instances: McNemar, Cochran, Looney
    selection    one data set, by instances: the multinomial selection procedure
    roc          one binary data set, by instances: ROC curves and their convex hull
    across       many data sets, the names of all that follows:
      paired       two algorithms: sign, t, permutation
      wilcoxon     two algorithms: signed ranks, exact with ties, all pairs at once
      omnibus      many algorithms: Friedman, Iman–Davenport, aligned ranks, Quade
    exact        Friedman's and Cochran's exact distributions for small tables
    posthoc      pairs after these: mean ranks, Nemenyi, Conover, Quade, aligned ranks
    studentized  the studentized range with infinite degrees of freedom
    adjust       many p-values at once: Bonferroni, Holm, Hommel, Rom, …
    related      many p-values of all pairs: Shaffer, Bergmann–Hommel
    effects      how much two algorithms differ, with intervals
"""
