"""The literature behind the methods: what the registries cite in short, in full."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache

__all__ = ["REFERENCES", "cited"]

REFERENCES: dict[str, str] = {
    "Alpaydın 1999": (
        "E. Alpaydın (1999), Combined 5×2 cv F test for comparing supervised classification "
        "learning algorithms, Neural Computation 11(8), 1885–1892."
    ),
    "Alsing, Bauer and Miller 2002": (
        "S. G. Alsing, K. W. Bauer and J. O. Miller (2002), A multinomial selection procedure for "
        "evaluating pattern recognition algorithms, Pattern Recognition 35, 2397–2412."
    ),
    "Benavoli and others 2014": (
        "A. Benavoli, F. Mangili, G. Corani, M. Zaffalon and F. Ruggeri (2014), A Bayesian "
        "Wilcoxon signed-rank test based on the Dirichlet process, Proceedings of the 31st "
        "International Conference on Machine Learning, PMLR 32(2), 1026–1034."
    ),
    "Benavoli and others 2017": (
        "A. Benavoli, G. Corani, J. Demšar and M. Zaffalon (2017), Time for a change: a tutorial "
        "for comparing multiple classifiers through Bayesian analysis, Journal of Machine Learning "
        "Research 18(77), 1–36."
    ),
    "benavoli2016": (
        "A. Benavoli, G. Corani and F. Mangili (2016), Should we really use post-hoc tests based "
        "on mean-ranks?, Journal of Machine Learning Research 17(5), 1–10."
    ),
    "Benjamini and Hochberg 1995": (
        "Y. Benjamini and Y. Hochberg (1995), Controlling the false discovery rate: a practical "
        "and powerful approach to multiple testing, Journal of the Royal Statistical Society: "
        "Series B 57(1), 289–300."
    ),
    "Benjamini and Yekutieli 2001": (
        "Y. Benjamini and D. Yekutieli (2001), The control of the false discovery rate in multiple "
        "testing under dependency, Annals of Statistics 29(4), 1165–1188."
    ),
    "Bergmann and Hommel 1988": (
        "B. Bergmann and G. Hommel (1988), Improvements of general multiple test procedures for "
        "redundant systems of hypotheses, in P. Bauer, G. Hommel and E. Sonnemann (editors), "
        "Multiple Hypotheses Testing, Springer, 100–115."
    ),
    "Bouckaert 2003": (
        "R. R. Bouckaert (2003), Choosing between two learning algorithms based on calibrated "
        "tests, Proceedings of the 20th International Conference on Machine Learning, 51–58."
    ),
    "Bradley and Terry 1952": (
        "R. A. Bradley and M. E. Terry (1952), Rank analysis of incomplete block designs: I. The "
        "method of paired comparisons, Biometrika 39(3/4), 324–345."
    ),
    "Brazdil, Soares and da Costa 2003": (
        "P. B. Brazdil, C. Soares and J. P. da Costa (2003), Ranking learning algorithms: using "
        "IBL and meta-learning on accuracy and time results, Machine Learning 50(3), 251–277."
    ),
    "brazdil2000": (
        "P. B. Brazdil and C. Soares (2000), A comparison of ranking methods for classification "
        "algorithm selection, Machine Learning: ECML 2000, LNAI 1810, Springer, 63–75."
    ),
    "Calvo, Ceberio and Lozano 2018": (
        "B. Calvo, J. Ceberio and J. A. Lozano (2018), Bayesian inference for algorithm ranking "
        "analysis, Proceedings of the Genetic and Evolutionary Computation Conference Companion, "
        "324–325."
    ),
    "Cochran 1950": (
        "W. G. Cochran (1950), The comparison of percentages in matched samples, Biometrika "
        "37(3/4), 256–266."
    ),
    "Conover 1999": (
        "W. J. Conover (1999), Practical Nonparametric Statistics, third edition, Wiley."
    ),
    "Copeland 1951": (
        "A. H. Copeland (1951), A reasonable social welfare function, Seminar on Applications of "
        "Mathematics to the Social Sciences, University of Michigan."
    ),
    "Corani and Benavoli 2015": (
        "G. Corani and A. Benavoli (2015), A Bayesian approach for comparing cross-validated "
        "algorithms on multiple data sets, Machine Learning 100(2–3), 285–304."
    ),
    "Corani and others 2017": (
        "G. Corani, A. Benavoli, J. Demšar, F. Mangili and M. Zaffalon (2017), Statistical "
        "comparison of classifiers through Bayesian hierarchical modelling, Machine Learning "
        "106(11), 1817–1837."
    ),
    "Demšar 2006": (
        "J. Demšar (2006), Statistical comparisons of classifiers over multiple data sets, Journal "
        "of Machine Learning Research 7, 1–30."
    ),
    "Dietterich 1998": (
        "T. G. Dietterich (1998), Approximate statistical tests for comparing supervised "
        "classification learning algorithms, Neural Computation 10(7), 1895–1923."
    ),
    "Duncan 1955": (
        "D. B. Duncan (1955), Multiple range and multiple F tests, Biometrics 11(1), 1–42."
    ),
    "Dunn 1961": (
        "O. J. Dunn (1961), Multiple comparisons among means, Journal of the American Statistical "
        "Association 56(293), 52–64."
    ),
    "Elo 1978": "A. E. Elo (1978), The Rating of Chessplayers, Past and Present, Arco.",
    "Finner 1993": (
        "H. Finner (1993), On a monotonicity problem in step-down multiple test procedures, "
        "Journal of the American Statistical Association 88, 920–923."
    ),
    "Fisher 1935": "R. A. Fisher (1935), The Design of Experiments, Oliver and Boyd.",
    "Friedman 1937": (
        "M. Friedman (1937), The use of ranks to avoid the assumption of normality implicit in the "
        "analysis of variance, Journal of the American Statistical Association 32(200), 675–701."
    ),
    "García and others 2010": (
        "S. García, A. Fernández, J. Luengo and F. Herrera (2010), Advanced nonparametric tests "
        "for multiple comparisons in the design of experiments in computational intelligence and "
        "data mining: experimental analysis of power, Information Sciences 180(10), 2044–2064."
    ),
    "Hochberg 1988": (
        "Y. Hochberg (1988), A sharper Bonferroni procedure for multiple tests of significance, "
        "Biometrika 75(4), 800–802."
    ),
    "Hodges and Lehmann 1962": (
        "J. L. Hodges and E. L. Lehmann (1962), Rank methods for combination of independent "
        "experiments in analysis of variance, Annals of Mathematical Statistics 33, 482–497."
    ),
    "Holland and Copenhaver 1987": (
        "B. S. Holland and M. D. Copenhaver (1987), An improved sequentially rejective Bonferroni "
        "test procedure, Biometrics 43(2), 417–423."
    ),
    "Holm 1979": (
        "S. Holm (1979), A simple sequentially rejective multiple test procedure, Scandinavian "
        "Journal of Statistics 6(2), 65–70."
    ),
    "Hommel 1988": (
        "G. Hommel (1988), A stagewise rejective multiple test procedure based on a modified "
        "Bonferroni test, Biometrika 75(2), 383–386."
    ),
    "Iman and Davenport 1980": (
        "R. L. Iman and J. M. Davenport (1980), Approximations of the critical region of the "
        "Friedman statistic, Communications in Statistics – Theory and Methods 9(6), 571–595."
    ),
    "Kruschke 2014": (
        "J. K. Kruschke (2014), Doing Bayesian Data Analysis: A Tutorial with R, JAGS, and Stan, "
        "second edition, Academic Press."
    ),
    "Kruskal and Wallis 1952": (
        "W. H. Kruskal and W. A. Wallis (1952), Use of ranks in one-criterion variance analysis, "
        "Journal of the American Statistical Association 47(260), 583–621."
    ),
    "Li 2008": (
        "J. Li (2008), A two-step rejection procedure for testing multiple hypotheses, Journal of "
        "Statistical Planning and Inference 138, 1521–1527."
    ),
    "Looney 1988": (
        "S. W. Looney (1988), A statistical technique for comparing the accuracies of several "
        "classifiers, Pattern Recognition Letters 8, 5–9."
    ),
    "McNemar 1947": (
        "Q. McNemar (1947), Note on the sampling error of the difference between correlated "
        "proportions or percentages, Psychometrika 12(2), 153–157."
    ),
    "Nadeau and Bengio 2003": (
        "C. Nadeau and Y. Bengio (2003), Inference for the generalization error, Machine Learning "
        "52(3), 239–281."
    ),
    "Nemenyi 1963": (
        "P. B. Nemenyi (1963), Distribution-free multiple comparisons, PhD thesis, Princeton "
        "University."
    ),
    "Plackett 1975": (
        "R. L. Plackett (1975), The analysis of permutations, Journal of the Royal Statistical "
        "Society: Series C (Applied Statistics) 24(2), 193–202."
    ),
    "Provost and Fawcett 2001": (
        "F. Provost and T. Fawcett (2001), Robust classification for imprecise environments, "
        "Machine Learning 42, 203–231."
    ),
    "Quade 1979": (
        "D. Quade (1979), Using weighted rankings in the analysis of complete blocks with additive "
        "block effects, Journal of the American Statistical Association 74(367), 680–683."
    ),
    "Rom 1990": (
        "D. M. Rom (1990), A sequentially rejective test procedure based on a modified Bonferroni "
        "inequality, Biometrika 77(3), 663–665."
    ),
    "Shaffer 1986": (
        "J. P. Shaffer (1986), Modified sequentially rejective multiple test procedures, Journal "
        "of the American Statistical Association 81(395), 826–831."
    ),
    "Šidák 1967": (
        "Z. Šidák (1967), Rectangular confidence regions for the means of multivariate normal "
        "distributions, Journal of the American Statistical Association 62(318), 626–633."
    ),
    "Student 1908": "Student (1908), The probable error of a mean, Biometrika 6(1), 1–25.",
    "Tukey 1953": (
        "J. W. Tukey (1953), The problem of multiple comparisons, unpublished manuscript, "
        "Princeton University."
    ),
    "ulas2008": (
        "M. A. Ulaş, O. T. Yıldız and E. Alpaydın (2008), Cost-conscious comparison of supervised "
        "learning algorithms over multiple data sets, Boğaziçi University, Technical Report "
        "FBE/CMPE-01/2008-04."
    ),
    "Wainer 2016": (
        "J. Wainer (2016), Comparison of 14 different families of classification algorithms on 115 "
        "binary datasets, arXiv:1606.00930."
    ),
    "Wainer 2023": (
        "J. Wainer (2023), A Bayesian Bradley–Terry model to compare multiple ML algorithms on "
        "multiple data sets, Journal of Machine Learning Research 24, 1–34."
    ),
    "Wilcoxon 1945": (
        "F. Wilcoxon (1945), Individual comparisons by ranking methods, Biometrics Bulletin 1(6), "
        "80–83."
    ),
    "yildiz2006": (
        "O. T. Yıldız and E. Alpaydın (2006), Ordering and finding the best of K > 2 supervised "
        "learning algorithms, IEEE Transactions on Pattern Analysis and Machine Intelligence "
        "28(3), 392–402."
    ),
}


def cited(texts: Iterable[str]) -> list[str]:
    """Return the references that short citations name, in the order of `REFERENCES`.

    >>> cited(["Alpaydın 1999; ulas2008 A.1", "Benavoli and others 2014, 2017"])
    ['Alpaydın 1999', 'Benavoli and others 2014', 'Benavoli and others 2017', 'ulas2008']
    """
    named = {short for text in texts for short in _named_in(text)}
    return [short for short in REFERENCES if short in named]


@cache  # every answer asks about the same few texts
def _named_in(text: str) -> tuple[str, ...]:
    return tuple(short for short in REFERENCES if _is_in(short, text))


def _is_in(short: str, said: str) -> bool:
    """Look for the authors and the year, which several works by the same authors share out."""
    authors, _, year = short.rpartition(" ")
    return any(
        all(re.search(rf"\b{re.escape(word)}\b", part) for word in (authors, year) if word)
        for part in said.split(";")
    )
