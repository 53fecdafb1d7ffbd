"""Significance levels, and corrections for testing many pairs at once, by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial, wraps
from typing import Literal

import numpy as np

from palio.errors import ParameterError, require
from palio.registry import Method, Registry
from palio.stats import adjust, posthoc, related
from palio.stats.studentized import studentized_range_sf_many
from palio.types import BoolArray, FloatArray


def check_alpha(alpha: float) -> None:
    """Refuse a significance level outside (0, 1)."""
    rule = "a significance level lies between 0 and 1"
    require(0 < alpha < 1, "alpha", rule, alpha, "0.05 is usual")


@dataclass(frozen=True, eq=False)
class Family:
    """The tests that are corrected together, along the last axis.

    ``k`` is the number of algorithms; ``statistic`` is there for corrections that start from it.
    ``met`` says which of the k(k − 1)/2 pairs were compared, where not all were: ``p_value`` has
    those alone.
    """

    p_value: FloatArray
    k: int
    statistic: FloatArray | None = None
    met: BoolArray | None = None


@dataclass(frozen=True)
class Correction(Method):
    """An entry of the registry.

    Its page is the docstring of ``adjust``, or of what that ``wraps``.
    ``family`` says for which comparisons it is defined: ``any``, all ``pairs``, or with a
    ``control``. ``test`` names the one test it belongs to, if it belongs to one. ``controls`` is
    what it promises to keep below α: the family-wise error (``fwer``), that error of transitive
    hypotheses alone (``transitive``: if a equals b and b equals c, then a equals c), that error
    only where no two algorithms differ (``weak``), the false discovery rate (``fdr``), or nothing.
    ``against`` says why we do not recommend it for all pairs; it is empty where we do.
    ``most_algorithms`` and ``most_tests`` are as many as it can be worked out for.
    """

    adjust: Callable[[Family], FloatArray]
    against: str = field(kw_only=True)
    family: Literal["any", "pairs", "control"] = "any"
    test: str | None = None
    controls: Literal["fwer", "transitive", "weak", "fdr", "nothing"] = "fwer"
    notes: tuple[str, ...] = ()
    most_algorithms: int | None = None
    most_tests: int | None = None

    def adjusted(self, family: Family) -> FloatArray:
        """Return the corrected p-values; refuse more than it can be worked out for."""
        for most, there, what in (
            (self.most_algorithms, family.k, "algorithms"),
            (self.most_tests, family.p_value.shape[-1], "pairs"),
        ):
            if most is not None and there > most:
                raise ParameterError(
                    "correction",
                    f"'{self.name}' can be worked out for at most {most} {what}",
                    f"there are {there}",
                    "use another, such as 'holm'",
                )
        return self.adjust(family)

    def holds_fwer(self, *, transitive: bool) -> bool:
        """Say whether it holds the family-wise error of hypotheses that are transitive or not."""
        return self.controls == "fwer" or (transitive and self.controls == "transitive")

    def is_recommended(self, *, transitive: bool) -> bool:
        """Say whether an audit counts doubt from it, with a test of such hypotheses."""
        return not self.against and self.holds_fwer(transitive=transitive)

    @property
    def warning(self) -> tuple[str, ...]:
        """What to bear in mind without one."""
        return (f"without a correction {self.against}",) if self.controls == "nothing" else ()

    @property
    def remark(self) -> str:
        """What it is for, where it is not for any comparison by any test."""
        return self.test or ("with a control" if self.family == "control" else "")

    def check(self, *, test: str, control: str | None) -> None:
        """Refuse a question that the correction has no answer to."""
        if self.test is not None and test != self.test:
            rule, what = f"belongs to test '{self.test}'", f"the test is '{test}'"
            remedy = "use another correction, such as 'holm'"
        elif self.family == "pairs" and control is not None:
            rule, what = "is for all pairs", "a control is given"
            remedy = "use another, such as 'holm', or leave the control out"
        elif self.family == "control" and control is None:
            rule, what = "is for comparisons with a control", "none is given"
            remedy = "name one, or use another correction, such as 'holm'"
        else:
            return
        raise ParameterError("correction", f"'{self.name}' {rule}", what, remedy)


def _p_only(function: Callable[[FloatArray], FloatArray]) -> Callable[[Family], FloatArray]:
    return wraps(function)(lambda family: function(family.p_value))


def _with_k(function: Callable[[FloatArray, int], FloatArray]) -> Callable[[Family], FloatArray]:
    """Make a correction of one that knows how hypotheses hang together, so needs all of them.

    A pair that was not compared is one that is not rejected, whatever the others: p = 1.
    """

    @wraps(function)
    def adjusted(family: Family) -> FloatArray:
        if family.met is None:
            return function(family.p_value, family.k)
        p_value = np.ones(family.met.size)
        p_value[family.met] = family.p_value
        return function(p_value, family.k)[family.met]

    return adjusted


@wraps(posthoc.nemenyi)
def _nemenyi(family: Family) -> FloatArray:
    if family.statistic is None:
        raise ParameterError("correction", "'nemenyi' starts from the statistics of 'mean-ranks'")
    # z is a difference of mean ranks over its standard deviation, the range over that of one rank.
    return studentized_range_sf_many(np.abs(family.statistic) * np.sqrt(2.0), family.k)


_DEPENDENCE = "holds its level if the tests are independent or positively dependent"
_SHARE = "holds the share of false findings, not the chance of any"
_UNPROVED = "it is not proved for all pairs, whose tests depend on each other in both directions"
_unproved = partial(Correction, against=_UNPROVED, notes=(_DEPENDENCE,))
_of_share = partial(Correction, against=f"it {_SHARE}", controls="fdr")

CORRECTIONS: Registry[Correction] = Registry.of(
    "correction",
    Correction(
        "none",
        "no correction",
        "",
        _p_only(adjust.none),
        against="the chance of any false finding grows with the pairs",
        controls="nothing",
        aliases=("uncorrected",),
    ),
    Correction(
        "bonferroni",
        "Bonferroni",
        "Dunn 1961",
        _p_only(adjust.bonferroni),
        against="Holm's correction finds at least as much, and holds as widely",
        aliases=("bonf",),
    ),
    _unproved("sidak", "Šidák", "Šidák 1967", _p_only(adjust.sidak), aliases=("dunn-sidak",)),
    Correction(
        "holm",
        "Holm",
        "Holm 1979",
        _p_only(adjust.holm),
        against="",
        aliases=("holm-bonferroni", "bonferroni-holm"),
    ),
    _unproved(
        "hochberg",
        "Hochberg",
        "Hochberg 1988",
        _p_only(adjust.hochberg),
        aliases=("simes-hochberg",),
    ),
    _unproved("hommel", "Hommel", "Hommel 1988", _p_only(adjust.hommel)),
    _unproved(
        "holland",
        "Holland",
        "Holland and Copenhaver 1987",
        _p_only(adjust.holland),
        aliases=("holm-sidak",),
    ),
    Correction(
        "finner",
        "Finner",
        "Finner 1993",
        _p_only(adjust.finner),
        against="it holds its level only where no two algorithms differ",
        controls="weak",
        notes=(
            "holds its level only where no two algorithms differ; beside true differences the "
            "chance of a false finding is larger ('holland' holds it)",
        ),
    ),
    _unproved("rom", "Rom", "Rom 1990", _p_only(adjust.rom), most_tests=adjust.ROM_LIMIT),
    Correction(
        "li",
        "Li",
        "Li 2008",
        _p_only(adjust.li),
        against="it is for comparisons with a control",
        family="control",
        notes=(_DEPENDENCE,),
    ),
    Correction(
        "shaffer",
        "Shaffer (static)",
        "Shaffer 1986",
        _with_k(related.shaffer),
        against="",
        family="pairs",
        controls="transitive",
        aliases=("shaffer-static",),
    ),
    Correction(
        "bergmann-hommel",
        "Bergmann–Hommel",
        "Bergmann and Hommel 1988",
        _with_k(related.bergmann_hommel),
        against="",
        family="pairs",
        controls="transitive",
        aliases=("bergmann",),
        most_algorithms=related.BERGMANN_HOMMEL_LIMIT,
    ),
    Correction(
        "nemenyi",
        "Nemenyi",
        "Nemenyi 1963; Demšar 2006",
        _nemenyi,
        against="it belongs to the mean-ranks test, whose verdicts depend on the pool",
        family="pairs",
        test="mean-ranks",
        notes=("critical values from the studentised range with infinite degrees of freedom",),
    ),
    _of_share(
        "bh",
        "Benjamini–Hochberg",
        "Benjamini and Hochberg 1995",
        _p_only(adjust.benjamini_hochberg),
        notes=(_SHARE, _DEPENDENCE),
        aliases=("benjamini-hochberg", "fdr-bh", "fdr"),
    ),
    _of_share(
        "by",
        "Benjamini–Yekutieli",
        "Benjamini and Yekutieli 2001",
        _p_only(adjust.benjamini_yekutieli),
        notes=(_SHARE,),
        aliases=("benjamini-yekutieli", "fdr-by"),
    ),
)


def fold_correction_named(name: str | None) -> Correction:
    """Look a correction up that MultiTest may use."""
    found = correction_named(name)
    if found.family != "any":  # it must ask for p-values alone, one-sided ones perhaps
        usable = ", ".join(entry.name for entry in CORRECTIONS.values() if entry.family == "any")
        raise ParameterError(
            "correction",
            f"'{found.name}' is for comparisons over many data sets; MultiTest takes {usable}",
        )
    return found


def correction_for(name: str | None, *, bayesian: bool) -> Correction:
    """Look a correction up; a probability of being wrong has none, and Holm's is left off.

    That one is what every question starts with; another was asked for, and is refused.

    >>> correction_for("holm", bayesian=True).name
    'none'
    """
    found = correction_named(name)
    if not bayesian or found.name == "none":
        return found
    if found.name != "holm":
        raise ParameterError(
            "correction",
            f"'{found.name}' is for p-values, and test 'bayes' has none",
            remedy="leave it out",
        )
    return CORRECTIONS["none"]


def correction_named(name: str | None) -> Correction:
    """Look a correction up; ``None`` is none.

    >>> correction_named(None).title
    'no correction'
    """
    return CORRECTIONS["none" if name is None else name]
