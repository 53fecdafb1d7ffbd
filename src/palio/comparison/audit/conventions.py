"""The checks of an audit that ask again by other tests and corrections.

Those that we recommend, and those that are in use although we do not: the registries say which.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import product
from typing import NamedTuple

import numpy as np

from palio.comparison.audit.report import ByConvention, CheckReport, Context, Otherwise
from palio.comparison.corrections import CORRECTIONS, Correction
from palio.comparison.pair_tests import PAIR_TESTS, Options, PairTest
from palio.comparison.procedure import Procedure
from palio.types import BoolArray, FloatArray
from palio.words import count

# With more algorithms than this a correction takes longer than all the rest: Bergmann and Hommel's
# grows faster than any power of them, Rom's with the fourth.
_UP_TO = {"bergmann-hommel": 9, "rom": 30}

# A sentence names this many; the rest are counted.
_NAMED = 4


class Choice(NamedTuple):
    """A test with its options, and a correction."""

    test: PairTest
    options: Options
    correction: Correction

    @property
    def name(self) -> str:
        """What it is called in a list."""
        return " ".join([self.test.name, *self.options.values(), self.correction.name])

    def otherwise_than(self, test: str) -> str:
        """Say in words what differs from the choice audited: zeros only where the test does not."""
        same = self.test.name == test
        zeros = f", zeros by {', '.join(self.options.values())}" if same and self.options else ""
        return f"by the {self.test.title} with {self.correction.title}{zeros}"


def conventions(context: Context) -> CheckReport:
    r"""Ask again under every choice of test, correction, zeros and ties that we recommend.

    Would another test or correction that we recommend say the same? Wilcoxon's test and the sign
    test with their ways to treat zeros and ties, each with Holm's correction: it holds whatever
    the hypotheses and however the tests depend on each other. Shaffer's and Bergmann and Hommel's
    need transitive hypotheses, which these tests do not have; Hochberg's, Hommel's and Rom's need
    p-values that are independent or positively dependent, which is not proved for all pairs. Valid
    for any verdict; all of them hold the same α.

    Notes
    -----
    With a the convention that is audited, a pair is in doubt where for some c that we recommend

    .. math::

        \mathrm{verdict}(a) \ne \mathrm{verdict}(c)
    """
    found = _asked_again(
        context,
        recommended(len(context.names)),
        "conventions",
        "would another test or correction that we recommend say the same?",
    )
    return replace(found, bears=True)


def in_use(context: Context) -> CheckReport:
    r"""Ask again under choices that are in use, but that we do not recommend.

    Would tests and corrections say the same that are in use, but that we do not recommend for all
    pairs over data sets? Their pages say why. It casts no doubt on a verdict, whatever it finds;
    it says what readers who are used to them would see.

    Notes
    -----
    Each test that we do not recommend with its own correction, or with Holm's; and each test that
    we do with the corrections that we do not recommend with it, where these are meant to hold the
    same family-wise error.
    Tests that draw at random are left out, as they may say another thing by chance. With a the
    convention that is audited, a pair is listed where for some such c

    .. math::

        \mathrm{verdict}(a) \ne \mathrm{verdict}(c)
    """
    found = _asked_again(
        context,
        only_in_use(len(context.names)),
        "in-use",
        "would tests and corrections in use that we do not recommend say the same?",
    )
    return replace(found, affected=frozenset(), otherwise=(), apart=True)


def recommended(k: int) -> Iterator[Choice]:
    """Return every choice that we recommend for all pairs of k algorithms."""
    for test in PAIR_TESTS.values():
        if test.recommended:
            corrections = recommended_corrections(k, transitive=test.transitive)
            yield from (Choice(test, *each) for each in product(_options(test), corrections))


def only_in_use(k: int) -> Iterator[Choice]:
    """Return the choices in use that promise as much, but of which we do not recommend a part."""
    held = list(_held_corrections(k))
    own = {each.test: each for each in held if each.test is not None}
    for test in PAIR_TESTS.values():
        if "seed" in test.options:
            continue
        if not test.recommended:
            yield Choice(test, {}, own.get(test.name, CORRECTIONS["holm"]))
        else:
            usual = recommended_corrections(k, transitive=test.transitive)
            others = (each for each in held if each.test is None and each not in usual)
            yield from (Choice(test, {}, each) for each in others)


def recommended_corrections(k: int, *, transitive: bool) -> list[Correction]:
    """Return those that we recommend for all pairs of k, by the hypotheses of the test."""
    return [each for each in _held_corrections(k) if each.is_recommended(transitive=transitive)]


def _held_corrections(k: int) -> Iterator[Correction]:
    """Return those meant to hold the family-wise error of all pairs; of one pair, all are equal."""
    for each in CORRECTIONS.values():
        fits = each.family != "control" and k <= _UP_TO.get(each.name, k)
        holds = each.holds_fwer(transitive=True)
        if holds and fits and (k > 2 or each.name == "holm" or each.test):
            yield each


def _options(test: PairTest) -> Iterator[Options]:
    """Return every way to treat what a test leaves open."""
    open_ = {name: values for name, values in test.options.items() if isinstance(values, tuple)}
    for values in product(*open_.values()):
        yield dict(zip(open_, values, strict=True))


def _asked_again(
    context: Context, choices: Iterable[Choice], name: str, question: str
) -> CheckReport:
    mixed = context.comparison.measure.is_ordinal
    enough = len(context.complete) >= 2
    chosen = [
        each
        for each in choices
        if (not mixed or "monotone" in each.test.properties)
        and (enough or not each.test.on_ranks)  # these look at data sets that all have
    ]
    sided = {
        choice.name: context.sided_by(
            Procedure(choice.test.name, choice.correction, context.alpha, options=choice.options)
        )
        for choice in chosen
    }
    how = {choice.name: choice.otherwise_than(context.comparison.method) for choice in chosen}
    return by_each(context, name, question, sided, how)


def by_each(
    context: Context,
    name: str,
    question: str,
    sided: Mapping[str, FloatArray],
    how: Mapping[str, str],
    *,
    bears: bool = False,
    notes: tuple[str, ...] = (),
    changed_alone: bool = False,
    counting: Collection[str] | None = None,
) -> CheckReport:
    """Report what was said when the same was asked by each of several choices.

    ``sided`` has the verdicts by choice, ``how`` the words for it. Rows are of the pairs that are
    listed, or of those alone of which another thing was said. ``counting`` are the choices that
    count for how sure the verdict is; all unless given.
    """
    names = list(sided)
    table = np.stack(list(sided.values())) != 0
    changed = np.flatnonzero((table != context.different()).any(axis=0))
    told, unlisted = context.told(changed)
    return CheckReport(
        name,
        question,
        tuple(sentence(context.pair(i), table[:, i], names) for i in told),
        tuple(
            _row(context.pair(i), table[:, i], names)
            for i in (told if changed_alone else _rows(context))
        ),
        context.named(changed.tolist()),
        notes=notes or (f"choices: {'; '.join(names)}",),
        bears=bears,
        otherwise=tuple(
            Otherwise(how[each], context.beaten(sided[each]), counting is None or each in counting)
            for each in names
        ),
        unlisted=unlisted,
        pairs=tuple(map(context.pair, told)),
        ways=how,
    )


def _rows(context: Context) -> list[int]:
    return np.flatnonzero(context.listed).tolist()


def _row(pair: tuple[str, str], hits: BoolArray, names: list[str]) -> ByConvention:
    by = dict(zip(names, hits.tolist(), strict=True))
    return ByConvention(*pair, int(hits.sum()), len(names), by)


def sentence(pair: tuple[str, str], hits: BoolArray, names: list[str]) -> str:
    """Say by how many choices two differ, and name whichever side is the smaller.

    >>> sentence(("a", "b"), np.array([True, False, False]), ["x", "y", "z"])
    'a and b differ by 1 of 3 choices (only by x)'
    """
    found = int(hits.sum())
    differ = f"{pair[0]} and {pair[1]} differ by"
    if found in (0, hits.size):
        return f"{differ} {'all' if found else 'none'} of {count(hits.size, 'choice')}"
    few = hits if found <= hits.size / 2 else ~hits
    some = [name for name, hit in zip(names, few, strict=True) if hit]
    more = len(some) - _NAMED
    shown = ", ".join(some[:_NAMED]) + (f" and {more} more" if more > 0 else "")
    side = "only by" if found <= hits.size / 2 else "not by"
    return f"{differ} {found} of {count(hits.size, 'choice')} ({side} {shown})"
