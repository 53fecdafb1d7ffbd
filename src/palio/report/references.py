"""The literature behind the methods: what the registries cite in short, in full."""

from __future__ import annotations

import re
from collections.abc import Iterable

__all__ = ["REFERENCES", "cited"]

REFERENCES: dict[str, str] = {
    "Alpaydın 1999": (
        "E. Alpaydın (1999), Combined 5×2 cv F test for comparing supervised classification "
        "learning algorithms, Neural Computation 11(8), 1885–1892."
    ),
    "Benavoli and others 2014": (
        "A. Benavoli, F. Mangili, G. Corani, M. Zaffalon and F. Ruggeri (2014), A Bayesian "
        "Wilcoxon signed-rank test based on the Dirichlet process, ICML."
    ),
    "Benavoli and others 2017": (
        "A. Benavoli, G. Corani, J. Demšar and M. Zaffalon (2017), Time for a change: a tutorial "
        "for comparing multiple classifiers through Bayesian analysis, JMLR 18(77), 1–36."
    ),
    "benavoli2016": (
        "A. Benavoli, G. Corani and F. Mangili (2016), Should we really use post-hoc tests based "
        "on mean-ranks?, JMLR 17(5), 1–10."
    ),
    "Benjamini and Hochberg 1995": (
        "Y. Benjamini and Y. Hochberg (1995), Controlling the false discovery rate: a practical "
        "and powerful approach to multiple testing, Journal of the Royal Statistical Society B "
        "57, 289–300."
    ),
    "Benjamini and Yekutieli 2001": (
        "Y. Benjamini and D. Yekutieli (2001), The control of the false discovery rate in "
        "multiple testing under dependency, Annals of Statistics 29, 1165–1188."
    ),
    "Bergmann and Hommel 1988": (
        "B. Bergmann and G. Hommel (1988), Improvements of general multiple test procedures for "
        "redundant systems of hypotheses, in Multiple Hypotheses Testing, Springer, 100–115."
    ),
    "Bouckaert 2003": (
        "R. R. Bouckaert (2003), Choosing between two learning algorithms based on calibrated "
        "tests, ICML."
    ),
    "brazdil2000": (
        "P. B. Brazdil and C. Soares (2000), A comparison of ranking methods for classification "
        "algorithm selection, ECML."
    ),
    "Calvo, Ceberio and Lozano 2018": (
        "B. Calvo, J. Ceberio and J. A. Lozano (2018), Bayesian inference for algorithm ranking "
        "analysis, GECCO Companion."
    ),
    "Conover 1999": (
        "W. J. Conover (1999), Practical Nonparametric Statistics, third edition, Wiley."
    ),
    "Corani and Benavoli 2015": (
        "G. Corani and A. Benavoli (2015), A Bayesian approach for comparing cross-validated "
        "algorithms on multiple data sets, Machine Learning 100, 285–304."
    ),
    "Corani and others 2017": (
        "G. Corani, A. Benavoli, J. Demšar, F. Mangili and M. Zaffalon (2017), Statistical "
        "comparison of classifiers through Bayesian hierarchical modelling, Machine Learning 106, "
        "1817–1837."
    ),
    "Demšar 2006": (
        "J. Demšar (2006), Statistical comparisons of classifiers over multiple data sets, JMLR "
        "7, 1–30."
    ),
    "Dietterich 1998": (
        "T. G. Dietterich (1998), Approximate statistical tests for comparing supervised "
        "classification learning algorithms, Neural Computation 10(7), 1895–1923."
    ),
    "Dunn 1961": (
        "O. J. Dunn (1961), Multiple comparisons among means, Journal of the American "
        "Statistical Association 56, 52–64."
    ),
    "Finner 1993": (
        "H. Finner (1993), On a monotonicity problem in step-down multiple test procedures, "
        "Journal of the American Statistical Association 88, 920–923."
    ),
    "Fisher 1935": "R. A. Fisher (1935), The Design of Experiments, Oliver and Boyd.",
    "Friedman 1937": (
        "M. Friedman (1937), The use of ranks to avoid the assumption of normality implicit in "
        "the analysis of variance, Journal of the American Statistical Association 32, 675–701."
    ),
    "García and others 2010": (
        "S. García, A. Fernández, J. Luengo and F. Herrera (2010), Advanced nonparametric tests "
        "for multiple comparisons in the design of experiments in computational intelligence and "
        "data mining, Information Sciences 180, 2044–2064."
    ),
    "Hochberg 1988": (
        "Y. Hochberg (1988), A sharper Bonferroni procedure for multiple tests of significance, "
        "Biometrika 75, 800–802."
    ),
    "Hodges and Lehmann 1962": (
        "J. L. Hodges and E. L. Lehmann (1962), Rank methods for combination of independent "
        "experiments in analysis of variance, Annals of Mathematical Statistics 33, 482–497."
    ),
    "Holland and Copenhaver 1987": (
        "B. S. Holland and M. D. Copenhaver (1987), An improved sequentially rejective Bonferroni "
        "test procedure, Biometrics 43, 417–423."
    ),
    "Holm 1979": (
        "S. Holm (1979), A simple sequentially rejective multiple test procedure, Scandinavian "
        "Journal of Statistics 6, 65–70."
    ),
    "Hommel 1988": (
        "G. Hommel (1988), A stagewise rejective multiple test procedure based on a modified "
        "Bonferroni test, Biometrika 75, 383–386."
    ),
    "Iman and Davenport 1980": (
        "R. L. Iman and J. M. Davenport (1980), Approximations of the critical region of the "
        "Friedman statistic, Communications in Statistics 9, 571–595."
    ),
    "Kruschke 2014": (
        "J. K. Kruschke (2014), Doing Bayesian Data Analysis, second edition, Academic Press."
    ),
    "Li 2008": (
        "J. D. Li (2008), A two-step rejection procedure for testing multiple hypotheses, Journal "
        "of Statistical Planning and Inference 138, 1521–1527."
    ),
    "Nadeau and Bengio 2003": (
        "C. Nadeau and Y. Bengio (2003), Inference for the generalization error, Machine Learning "
        "52, 239–281."
    ),
    "Nemenyi 1963": (
        "P. B. Nemenyi (1963), Distribution-free multiple comparisons, PhD thesis, Princeton "
        "University."
    ),
    "Plackett 1975": (
        "R. L. Plackett (1975), The analysis of permutations, Applied Statistics 24, 193–202."
    ),
    "Quade 1979": (
        "D. Quade (1979), Using weighted rankings in the analysis of complete blocks with "
        "additive block effects, Journal of the American Statistical Association 74, 680–683."
    ),
    "Rom 1990": (
        "D. M. Rom (1990), A sequentially rejective test procedure based on a modified Bonferroni "
        "inequality, Biometrika 77, 663–665."
    ),
    "Shaffer 1986": (
        "J. P. Shaffer (1986), Modified sequentially rejective multiple test procedures, Journal "
        "of the American Statistical Association 81, 826–831."
    ),
    "Šidák 1967": (
        "Z. Šidák (1967), Rectangular confidence regions for the means of multivariate normal "
        "distributions, Journal of the American Statistical Association 62, 626–633."
    ),
    "Student 1908": "Student (1908), The probable error of a mean, Biometrika 6, 1–25.",
    "ulas2008": (
        "M. A. Ulaş, O. T. Yıldız and E. Alpaydın (2008), Cost-conscious comparison of supervised "
        "learning algorithms over multiple data sets, Boğaziçi University, FBE/CMPE-01/2008-04."
    ),
    "Wainer 2016": (
        "J. Wainer (2016), Comparison of 14 different families of classification algorithms on "
        "115 binary datasets, arXiv:1606.00930."
    ),
    "Wainer 2023": (
        "J. Wainer (2023), A Bayesian Bradley–Terry model to compare multiple ML algorithms on "
        "multiple data sets, JMLR 24."
    ),
    "Wilcoxon 1945": (
        "F. Wilcoxon (1945), Individual comparisons by ranking methods, Biometrics Bulletin 1, "
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
    said = " ; ".join(texts)
    return [short for short in REFERENCES if _is_in(short, said)]


def _is_in(short: str, said: str) -> bool:
    """Look for the authors and the year, which several works by the same authors share out."""
    authors, _, year = short.rpartition(" ")
    return any(
        all(re.search(rf"\b{re.escape(word)}\b", part) for word in (authors, year) if word)
        for part in said.split(";")
    )
