"""What a column of numbers measures: its name, which way is better, its scale, and if it is a cost.

Direction and scale are read from the name or given by the caller. Values never decide a direction;
they only rule a scale out (`palio.scores.scale`).
"""

from __future__ import annotations

import csv
import math
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from importlib import resources
from itertools import pairwise
from typing import TYPE_CHECKING, ClassVar, Literal, TypeAlias, TypeVar, get_args

from palio.errors import Option, ParameterError

if TYPE_CHECKING:
    from palio.types import FloatArray

    Numbers = TypeVar("Numbers", float, FloatArray)

Kind: TypeAlias = Literal["score", "cost"]

MeasureScale: TypeAlias = Literal["difference", "ratio", "order", "censored"]
"""What means the same on every data set: a difference (accuracy, AUC, BLEU), a ratio (what is
positive and has a unit of its own on each data set: RMSE, loss, seconds), or only who is better
(order), as where another thing is measured on other data sets. Run times are censored where some
runs did not end: ratios of those that did, and beyond them only who is better."""

SCALES: tuple[MeasureScale, ...] = ("difference", "ratio", "order")
"""The scales that may be asked for; censored is what the data are."""


@dataclass(frozen=True, slots=True)
class Measure:
    """A score or a cost.

    Parameters
    ----------
    name : str
        The name as the caller wrote it.
    higher_is_better : bool
        The direction. A cost is always lower-is-better.
    kind : {"score", "cost"}
        Whether it says how good an algorithm is or what it takes.
    unit : str, optional
        The unit, where it is known.
    lower, upper : float, optional
        The range, where it is known. Accuracy comes in fractions and percent: see `possible`.
    scale : {"difference", "ratio", "order"}, optional
        What means the same on every data set: a difference, a ratio, or only who is better. Read
        from well-known names unless given; of other names it is a difference.
    is_mixed : bool
        Whether another thing is measured on other data sets; its scale is "order".

    Examples
    --------
    >>> Measure("accuracy", higher_is_better=True).scale
    'difference'
    >>> Measure("seconds", higher_is_better=False, kind="cost").scale
    'ratio'
    >>> str(Measure("accuracy", higher_is_better=True))
    'accuracy (higher is better)'
    """

    # What a reader of numbers must know.
    parts: ClassVar[tuple[str, ...]] = ("name", "higher_is_better")

    name: str
    higher_is_better: bool
    kind: Kind = "score"
    unit: str = ""
    lower: float | None = None
    upper: float | None = None
    scale: MeasureScale = None  # type: ignore[assignment]  # read from the name below
    is_mixed: bool = False

    def __post_init__(self) -> None:
        given = f"for {self.name!r}"
        if not isinstance(self.name, str) or not self.name.strip():
            reason = "a measure needs a name that is text"
            raise ParameterError("name", reason, remedy=f"got {self.name!r}")
        if self.kind not in ("score", "cost"):
            reason = "a measure is a 'score' or a 'cost'"
            raise ParameterError("kind", reason, remedy=f"got {self.kind!r} {given}")
        if not isinstance(self.higher_is_better, bool):
            got = f"got {self.higher_is_better!r} {given}"
            raise ParameterError("higher_is_better", "must be True or False", remedy=got)
        if self.kind == "cost" and self.higher_is_better:
            raise ParameterError(
                "higher_is_better",
                f"{self.name!r} is a cost",
                "a cost is always better when lower",
                "got True. Leave higher_is_better out, or make it a score",
            )
        if self.scale not in (None, *get_args(MeasureScale)):
            raise unknown_scale(self.scale)
        if self.scale is None:
            known = _well_known(self.name) if self._has_usual_direction else None
            by_name = known.scale if known else "difference"
            found = "order" if self.is_mixed else "ratio" if self.kind == "cost" else by_name
            object.__setattr__(self, "scale", found)

    @property
    def _has_usual_direction(self) -> bool:
        """Whether it goes as its well-known name does; turned, a name means something else."""
        return _known_direction(self.name) == self.higher_is_better

    @property
    def is_ordinal(self) -> bool:
        """Whether only who is better counts: scores have ranks, and neither means nor sizes."""
        return self.scale in ("order", "censored")

    @property
    def is_censored(self) -> bool:
        """Whether some of the runs that it times did not end."""
        return self.scale == "censored"

    @property
    def has_ratios(self) -> bool:
        """Whether the scores that have a size are compared by ratios."""
        return self.scale in ("ratio", "censored")

    @property
    def has_means(self) -> bool:
        """Whether there is a number to show for all data sets, be it one that decides nothing."""
        return self.scale != "order"

    @property
    def mean_of(self) -> str:
        """What means over data sets are of.

        >>> measure_named("accuracy").mean_of, measure_named("rmse").mean_of
        ('accuracy', 'rmse ratio')
        """
        return {"ratio": f"{self.size_name} ratio", "censored": "PAR10"}.get(self.scale, self.name)

    @property
    def size_name(self) -> str:
        """What differences or ratios are of: on a ratio scale 1 − R², not R².

        >>> r2 = measure_named("r2")
        >>> r2.size_name, replace(r2, scale="ratio").size_name, measure_named("neg_rmse").size_name
        ('r2', '1 − r2', 'rmse')
        """
        if self.scale != "ratio":
            return self.name
        return f"1 − {self.name}" if self.is_explained_share else self.name.removeprefix("neg_")

    @property
    def why_ordinal(self) -> str:
        """Why only who is better counts, where that is so."""
        if self.is_mixed:
            return "the measure differs by data set"
        return "some runs did not end" if self.is_censored else "its scale is order"

    @property
    def is_bounded(self) -> bool:
        """Whether it is a share, a correlation or the like, between known ends.

        >>> measure_named("accuracy").is_bounded, measure_named("r2").is_bounded
        (True, False)
        """
        known = _well_known(self.name)
        return known is not None and self._has_usual_direction and known.is_bounded

    @property
    def is_explained_share(self) -> bool:
        """Whether it is 1 less a ratio of losses, as R² is: 1 − score may be compared by ratios."""
        return self._has_usual_direction and _is_flagged(self.name, "explained")

    def sizes(self, values: Numbers) -> Numbers:
        """Return what ratios are of: the values, or how far they are from the best there is.

        >>> import numpy as np
        >>> measure_named("neg_rmse").sizes(np.array([-2.0])).tolist()
        [2.0]
        """
        top = self._top
        return values if top is None else top - values

    @property
    def _top(self) -> float | None:
        return self.upper if self.higher_is_better else None

    @property
    def smaller_sizes_are_better(self) -> bool:
        """The direction of `sizes`."""
        return self._top is not None or not self.higher_is_better

    def turned(self, values: Numbers) -> Numbers:
        """Return values turned so that higher is better.

        >>> import numpy as np
        >>> measure_named("error").turned(np.array([0.1, 0.2])).tolist()
        [-0.1, -0.2]
        """
        return values if self.higher_is_better else -values

    @property
    def on_one_dataset(self) -> Measure:
        """The same measure within a data set, where differences have one unit."""
        return replace(self, scale="difference") if self.scale == "ratio" else self

    @property
    def goodness_sign(self) -> int:
        """What turns differences of goodness to those of the scores, or of the logs of sizes."""
        up = not self.smaller_sizes_are_better if self.scale == "ratio" else self.higher_is_better
        return 1 if up else -1

    @property
    def size_direction(self) -> str:
        """Whether it is better to have more, or less, of what `size_name` names."""
        return "higher is better" if self.goodness_sign > 0 else "lower is better"

    @property
    def possible(self) -> tuple[float, float]:
        """The least and the greatest value there can be, in fractions or in percent.

        >>> measure_named("accuracy").possible, measure_named("r2").possible
        ((0.0, 100.0), (-inf, 100.0))
        >>> measure_named("rmse").possible, measure_named("error").possible
        ((0.0, inf), (-inf, inf))
        """
        low = -math.inf if self.lower is None else self.lower
        high = math.inf if self.upper is None else self.upper
        if _is_flagged(self.name, "loose"):
            return -math.inf, math.inf
        if self.is_bounded:
            low, high = (-100 if high == 0 else low), min(high, 100)
        return (-100.0 if low == -1 else float(low)), (100.0 if high == 1 else float(high))

    def to_dict(self) -> dict[str, str | bool]:
        """Return what a reader of numbers must know: the name and the direction."""
        return {"name": self.name, "higher_is_better": self.higher_is_better}

    def __str__(self) -> str:
        return f"{self.name} ({self.direction})"

    @property
    def direction(self) -> str:
        """The direction in words.

        >>> measure_named("rmse").direction
        'lower is better'
        """
        if self.is_mixed:
            return "differs by data set"
        return "higher is better" if self.higher_is_better else "lower is better"


def unknown_scale(scale: object) -> ParameterError:
    """Return the error for what is no scale."""
    return ParameterError("scale", f"it is {', '.join(SCALES)}", f"{scale!r} was given")


def measure_named(name: str, *, higher_is_better: bool | None = None) -> Measure:
    """Return the measure called ``name``.

    The direction is read from well-known names, whatever their case and separators, also with
    ``test_``, ``val_``, ``cv_``, ``mean_`` … in front or ``_mean``, ``_score``, ``_macro`` …
    behind. Scikit-learn's ``neg_*`` names are higher-is-better.

    Parameters
    ----------
    name : str
        The name of a score or a cost.
    higher_is_better : bool, optional
        The direction. If given, it wins over the name.

    Returns
    -------
    Measure

    Raises
    ------
    ParameterError
        If the name is not well known and no direction is given.

    Examples
    --------
    >>> measure_named("Test Accuracy").higher_is_better
    True
    >>> measure_named("log-loss").higher_is_better
    False
    >>> measure_named("neg_log_loss").higher_is_better
    True
    >>> measure_named("quality", higher_is_better=True).scale
    'difference'
    >>> measure_named("quality")
    Traceback (most recent call last):
    ...
    palio.errors.ParameterError: higher_is_better: 'quality' is not a well-known measure, so its
    direction cannot be read from its name; give higher_is_better=True or higher_is_better=False.
    """
    if not isinstance(name, str) or not name.strip():
        raise ParameterError("score", "the name of a measure must be text", remedy=f"got {name!r}")
    name = name.strip()
    if higher_is_better is not None and not isinstance(higher_is_better, bool):
        reason = "must be True or False, or left out"
        raise ParameterError("higher_is_better", reason, remedy=f"got {higher_is_better!r}")
    if is_known_cost(name) and higher_is_better is not True:
        return cost_named(name)
    known = _well_known(name)
    if higher_is_better is None and known is not None:
        higher_is_better = known.higher_is_better
    if higher_is_better is None:
        reason = f"{name!r} is not a well-known measure"
        reason += ", so its direction cannot be read from its name"
        ways = " or ".join(str(Option("higher_is_better", way)) for way in ("True", "False"))
        raise ParameterError("higher_is_better", reason, remedy=f"give {ways}")
    if known is None or higher_is_better != known.higher_is_better:
        return Measure(name, higher_is_better=higher_is_better)
    return Measure(name, higher_is_better, lower=known.lower, upper=known.upper)


def cost_named(name: str) -> Measure:
    """Return the cost called ``name``: any name will do, and lower is better.

    The unit is what the name ends with or has in brackets, or that of a name by which
    scikit-learn and Palio's own runs mean it.

    >>> cost_named("watts").direction, cost_named("watts").scale, cost_named("watts").unit
    ('lower is better', 'ratio', '')
    >>> [cost_named(name).unit for name in ("fit_time", "latency [ms]", "model_bytes", "tokens/s")]
    ['seconds', 'milliseconds', 'bytes', '']
    """
    return Measure(name, higher_is_better=False, kind="cost", unit=_unit_of(name), lower=0.0)


def _unit_of(name: str) -> str:
    *before, last = re.findall(r"[a-z]+|/", name.lower()) or [""]
    for unit in _words("units"):
        if last in _words(unit) and before[-1:] not in (["per"], ["/"]):  # not tokens per second
            return unit
    costs = _known("cost")
    forms = _forms(name, _words("cost prefix"), ())
    return next((costs[form].unit for form in forms if form in costs), "")


def is_time(name: str) -> bool:
    """Return whether a cost is a time, whatever its unit.

    >>> is_time("train_time"), is_time("latency [ms]"), is_time("model_bytes")
    (True, True, False)
    """
    timed = _unit_of(name).endswith(("seconds", "minutes", "hours"))
    return timed or _OF_TIME.search(name.lower()) is not None


def is_known_cost(name: str) -> bool:
    """Return whether ``name`` is a well-known cost.

    >>> is_known_cost("train_time"), is_known_cost("Peak memory"), is_known_cost("accuracy")
    (True, True, False)
    >>> is_known_cost("tokens"), is_known_cost("tokens/s"), is_known_cost("Infer (ms)")
    (True, False, True)
    >>> is_known_cost("score_us"), is_known_cost("ops/s"), is_known_cost("ms/op")
    (True, False, True)
    """
    forms = _forms(name, _words("cost prefix"), _words("cost suffix"))
    if forms[0] in _known("score"):
        return False
    return any(form in _known("cost") for form in forms) or _counts_units(name)


_OF_TIME = re.compile(
    r"tim(?:e|ing)|latenc|durat|dauer|elapsed|clock|zeit|temps|durée|tiempo|tempo|durac|duraç|durata"
    r"|время|времени|[时時][间間]|延迟|耗时|시간"
)
_WHEN = re.compile(
    r"(?i)(?:^|[\W_])(?:date|start|begin|end|finish|created|updated|stamp)(?:[\W_]|$)"
)


def names_cost(name: str) -> bool:
    """Return whether ``name`` is a known cost, or the time of some part: all it names is a time.

    In a wide table it may be that of an algorithm, beside the measure.

    >>> names_cost("warm-up time"), is_known_cost("warm-up time"), names_cost("Date_time")
    (True, False, False)
    """
    times = [is_known_cost(each.name) and is_time(each.name) for each in find_measures(name)]
    return is_known_cost(name) or (bool(times) and all(times) and not _WHEN.search(name))


def _counts_units(name: str) -> bool:
    """Return whether a unit of time or size stands behind what is no score.

    In brackets it may be a letter: Infer (s), fit_seconds; not images per second, or size S.
    """
    of, _, per = name.strip().partition("/")
    is_rate = per.strip().lower() in ("", *_words("seconds"), *_words("minutes"), *_words("hours"))
    if not is_rate and (_is_unit(of) or _squeezed(of) in _known("cost")):  # ms/op, cycles/map
        return True
    *_, last = _UNIT.findall(re.sub(r"(?<=\w)\(s\)$", "", name.strip())) or [""]  # model(s)
    has_unit = _is_unit(last[1:-1])
    *before, end = _plain(name).split() or [""]
    if before and len(end) > 1 and before[-1] != "per" and "/" not in name:
        has_unit |= _is_unit(end)
    known = filter(None, map(_known("score").get, _plain(name).split()))
    # Of a score or an error in microseconds the unit tells what is measured; of an accuracy not.
    return has_unit and not any(each.flags.isdisjoint({"general", "loose"}) for each in known)


def _is_unit(text: str) -> bool:
    return any(text.strip().lower() in _words(unit) for unit in _words("units"))


def is_known_score(name: str) -> bool:
    """Return whether ``name`` is a well-known score, so that its direction is known.

    >>> is_known_score("cv_f1_macro"), is_known_score("quality"), is_known_score("train_time")
    (True, False, False)
    """
    return not is_known_cost(name) and _known_direction(name) is not None


def is_general_score(name: str) -> bool:
    """Return whether ``name`` tells the direction of a score, and not what is measured.

    >>> is_general_score("main_score"), is_general_score("f1_score")
    (True, False)
    """
    return is_known_score(name) and _is_flagged(name, "general")


def is_speed(name: str) -> bool:
    """Return whether ``name`` is a rate of work: higher is better, but it is no quality.

    >>> is_speed("Throughput (images/s)"), is_speed("C MB/s"), is_speed("RTF"), is_speed("accuracy")
    (True, True, False, False)
    """
    names = [name, *(each.name for each in find_measures(name) if "/" in each.name)]
    return any(is_known_score(each) and _is_flagged(each, "speed") for each in names)


def is_spread(name: str) -> bool:
    """Return whether ``name`` tells how far numbers scatter, or where an interval ends.

    >>> is_spread("accuracy_std"), is_spread("95% CI"), is_spread("rating_q025"), is_spread("STS12")
    (True, True, True, False)
    """
    return _SPREAD.search(" ".join(re.findall(r"[a-z]+\d*|\d+", name.lower()))) is not None


def is_error_rate(name: str) -> bool:
    """Return whether ``name`` is a share of errors, so that 1 minus it is a share of successes.

    >>> is_error_rate("test_error"), is_error_rate("rmse"), is_error_rate("accuracy")
    (True, False, False)
    """
    known = (_known("score").get(form) for form in _score_forms(name))
    return any(each is not None and "error_rate" in each.flags for each in known)


def inner_cv_name(name: str) -> str:
    """Return what the score ``name`` is called when an inner cross-validation gave it.

    Such a score chose the hyper-parameters: it has the direction and range of the score itself,
    but is no estimate of how good the algorithm is.

    >>> inner_cv_name("log_loss"), measure_named(inner_cv_name("log_loss")).direction
    ('inner_cv_log_loss', 'lower is better')
    """
    return f"inner_cv_{name}"


def is_inner_cv(name: str) -> bool:
    """Return whether ``name`` is a score of an inner cross-validation.

    >>> is_inner_cv("inner_cv_accuracy"), is_inner_cv("cv_accuracy")
    (True, False)
    """
    return _squeezed(name).startswith("innercv")


@dataclass(frozen=True, slots=True)
class MeasureInText:
    """A well-known measure that a text names.

    Parameters
    ----------
    name : str
        As it stands in the text; `measure_named` knows it.
    higher_is_better : bool
        The direction by the name; what the text itself says is `direction_in`.
    where : str
        The text it was found in, for a message.
    """

    name: str
    higher_is_better: bool
    where: str


def find_measures(text: str, *, prose: bool = False) -> list[MeasureInText]:
    """Find the well-known scores and costs that a text names, in its order.

    The longest name wins, and of two in a row the last, as in English ("AMI WER" is a WER), unless
    that is only "score". A score of training data is none, as in `measure_named`; nor is what only
    has a measure's name in it: its rank, its spread, a data set, a network.

    Parameters
    ----------
    text : str
        The name of a column, file or table, a heading or a caption.
    prose : bool
        Whether it is running text, in which only unmistakable names count: no ordinary words
        (time, cost, recall), and short ones in capitals (MSE).

    Examples
    --------
    >>> [(each.name, each.higher_is_better) for each in find_measures("win_rate_scene, Time (s)")]
    [('win_rate', True), ('Time', False)]
    >>> [each.name for each in find_measures("Mean and standard deviation of the IGD+ indicator")]
    ['IGD+']
    >>> find_measures("We recall that MAP-Elites took the time.", prose=True)
    []
    """
    found: dict[str, MeasureInText] = {}
    for part in _PARTS.findall(unicodedata.normalize("NFC", text)):
        for span in _heads([*_spans(part, "score", "cost", prose=prose)]):
            one = MeasureInText(span.name, span.known.higher_is_better, part.strip())
            found.setdefault(span.name.lower(), one)
    return list(found.values())


def performance_word(text: str) -> str | None:
    """Return the word that says that higher is better, and not what is measured.

    >>> performance_word("Average perf. on 38 datasets"), performance_word("data points")
    ('perf', None)
    """
    parts = _PARTS.findall(unicodedata.normalize("NFC", text))
    kinds = ("score", "cost", "performance")
    spans = (span for part in parts for span in _heads([*_spans(part, *kinds)]))
    general = (each for each in spans if each.is_general and each.known.higher_is_better)
    return next((each.name for each in general), None)


def direction_in(text: str) -> bool | None:
    """Return whether a text says that higher is better; None where it says neither or both.

    >>> direction_in("NLL (↓)"), direction_in("the higher, the better"), direction_in("accuracy")
    (False, True, None)
    """
    plain = _plain(re.sub(r"[.;!?\n]", " | ", re.sub(r"[=:]", " is ", text)))
    matches = (match for each in _direction_patterns() for match in each.finditer(plain))
    said = {_says_up(match) for match in matches if _is_of_measure(match["of"] or "")}
    for up, role in ((True, "up"), (False, "down")):
        is_marked = any(mark in text for mark in _words(f"marks {role}"))
        if is_marked or not {*plain.split()}.isdisjoint(_words(f"verbs {role}")):
            said.add(up)
    return said.pop() if len(said) == 1 else None


def _says_up(match: re.Match[str]) -> bool:
    """Return what a match says: "higher is worse" and "higher is better: no" say that lower is."""
    return (bool(match["high"]) == bool(match["good"])) != bool(match["no"])


def _is_of_measure(words: str) -> bool:
    """Return whether better is what has been measured: RMSE, scores; not learning rates."""
    name = " ".join(word for word in words.split() if word not in _words("between"))
    return not name or is_known_measure(name)


@cache
def _direction_patterns() -> tuple[re.Pattern[str], ...]:
    """Return "lower (values of RMSE are) better (is false)", and "better when lower"."""
    roles = ("low", "high", "good", "bad", "copula", "between")
    low, high, good, bad, copula, between = ("|".join(map(_plain, _words(role))) for role in roles)
    way, value = f"(?:(?P<low>{low})|(?P<high>{high}))", f"(?:(?P<good>{good})|(?P<bad>{bad}))"
    of = rf"(?:(?P<of>(?: \w{{1,30}}){{0,4}}?) (?:{copula}))?(?: (?:{between})){{0,4}}"
    return (
        re.compile(rf"\b{way}{of} {value}\b(?P<no> is (?:false|no|0)\b)?"),
        re.compile(rf"\b{value}(?P<of>) (?:if|when|{copula})(?: the)? {way}\b(?P<no>(?!))?"),
    )


@dataclass(frozen=True, slots=True)
class _Known:
    """A row of measures.csv: names, which may be in any language, and what they have in common.

    A measure with an upper end is bounded, unless it is "explained": 1 less a ratio of losses.
    Accuracy and its like come in fractions and percent: only the lower end is the same for both.
    The other flags: "general" names a direction and no measure, "loose" is also used for what has
    no such ends, "error_rate" is 1 less a share of successes, "speed" is no quality. And for names
    found in a text: a "word" may be an ordinary one, "alone" counts only as a whole label, and
    "capitals" only in capitals.
    """

    kind: str
    higher_is_better: bool
    scale: MeasureScale
    lower: float | None
    upper: float | None
    is_bounded: bool
    unit: str
    flags: frozenset[str]

    def negated(self) -> _Known:
        """Return what is known of the negative values of a loss."""
        lower, upper = (None if end is None else 0.0 - end for end in (self.upper, self.lower))
        return replace(self, higher_is_better=True, lower=lower, upper=upper)


def _known_of(row: dict[str, str]) -> _Known:
    low, high = (float(row[end]) if row[end] else None for end in ("low", "high"))
    flags = frozenset(row["flags"].split())
    scale: MeasureScale = "ratio" if row["scale"] == "ratio" else "difference"
    up, upper = row["direction"] == "up", None if low == 0 else high
    is_bounded = high is not None and "explained" not in flags
    return _Known(row["kind"], up, scale, low, upper, is_bounded, row["unit"], flags)


@cache
def _rows(name: str) -> list[dict[str, str]]:
    text = (resources.files("palio") / name).read_text(encoding="utf-8")
    return list(csv.DictReader(text.splitlines()))


@cache
def _known(*kinds: str) -> dict[str, _Known]:
    """Return what is known of the measures of these kinds, by their names without separators."""
    rows = [(row["names"].split(), _known_of(row)) for row in _rows("measures.csv")]
    return {_squeezed(name): one for names, one in rows if one.kind in kinds for name in names}


@cache
def _words(role: str) -> tuple[str, ...]:
    rows = {row["role"]: row["words"] for row in _rows("measure_words.csv")}
    return tuple(rows[role].split())


def _known_direction(name: str) -> bool | None:
    known = _well_known(name)
    return None if known is None else known.higher_is_better


def is_known_measure(name: str) -> bool:
    """Return whether ``name`` is a well-known score or cost, so that its direction is known."""
    return is_known_cost(name) or is_known_score(name)


def _is_flagged(name: str, flag: str) -> bool:
    known = _well_known(name)
    return known is not None and flag in known.flags


def _well_known(name: str) -> _Known | None:
    """Return what is known of a score, if anything is."""
    found = (_exactly(form, _known("score")) for form in _score_forms(name))
    known = filter(None, found)
    return next((x for x in known if "capitals" not in x.flags or _is_in_capitals(name)), None)


def _exactly(form: str, known: dict[str, _Known]) -> _Known | None:
    """Look up a form, also as scikit-learn turns losses into scores by their sign: neg_log_loss."""
    if one := known.get(form) or known.get(form.removesuffix("s")):
        return one
    rest = _score_forms(form.removeprefix("neg")) if form.startswith("neg") else []
    losses = [known[each] for each in rest if each in known and not known[each].higher_is_better]
    return losses[0].negated() if losses else None


def _is_in_capitals(name: str) -> bool:
    return sum(map(str.isupper, name)) > 1


def _plain(text: str) -> str:
    """Return words in lower case, without accents and separators other than a space."""
    letters = unicodedata.normalize("NFKD", text.lower())
    letters = "".join(each for each in letters if not unicodedata.combining(each))
    return re.sub(r"[^\w|]+|_+", " ", letters).strip()


@lru_cache(maxsize=10_000)
def _squeezed(name: str) -> str:
    plain = unicodedata.normalize("NFKD", name.lower())  # R² is R2, and accents are marks behind
    # pass@1 and pass@10 are pass@k; recall@5 and ndcg_at_10 are recall and NDCG of the first ones.
    plain = re.sub(r"(?<![a-z])(pass|maj|cons)[@^_ ]?(?:at[_ ])?(?:\d+|k)$", r"\1k", plain)
    plain = re.sub(r"(?<![a-z])(hr|hit|p|r)(?:@|[_ ]at[_ ])(?:\d+|k)$", r"\1atk", plain)
    plain = re.sub(r"(?<=[a-z])(?:@|[_ ]at[_ ])(?:\d+|k)$", "", plain)
    plain = re.sub(r"(?<![a-z])(ndcg|mrr|recall)\d+$", r"\1", plain)
    return re.sub(r"[\W_]+", "", plain)


def _written(name: str) -> list[str]:
    """Return a name as it is, and without what stands before a slash or in brackets behind it.

    ``eval/MASE[0.5]`` is MASE; ``train/accuracy`` is not accuracy, which is of unseen data.

    >>> _written("eval/MASE[0.5]"), _written("train/accuracy")
    (['eval/MASE[0.5]', 'MASE'], ['train/accuracy'])
    """
    before, _, last = _UNIT.sub("", name.strip()).rstrip().rpartition("/")
    is_rate = _squeezed(before) in _known("cost")  # cycles/map is no MAP
    plain = name if "train" in before.lower() or is_rate or not last else last
    return list(dict.fromkeys([name, plain]))


def _forms(name: str, prefixes: tuple[str, ...], suffixes: tuple[str, ...]) -> list[str]:
    """Return the name without separators, and what is left of it after each stripping.

    The longest form comes first, so that ``mean_absolute_error`` is known before its ``mean`` goes.
    """
    forms = [_squeezed(each) for each in _written(name)]
    for form in forms:
        cut = [form.removeprefix(prefix) for prefix in prefixes]
        cut += [form.removesuffix(suffix) for suffix in suffixes]
        forms += [shorter for shorter in cut if shorter and shorter not in forms]
    return forms


def _score_forms(name: str) -> list[str]:
    return _forms(name, _words("prefix"), _words("suffix"))


@dataclass(frozen=True, slots=True)
class _Span:
    """A known name in a text."""

    text: str
    start: int
    end: int
    known: _Known

    @property
    def name(self) -> str:
        return self.text[self.start : self.end]

    @property
    def is_general(self) -> bool:
        return "general" in self.known.flags

    def counts(self, *, prose: bool) -> bool:
        """Return whether the name means the measure here."""
        flags, name = self.known.flags, self.name
        if prose and flags & {"word", "alone", "capitals"} and "@" not in name:
            return False
        if "alone" in flags and not is_known_measure(self.text.strip(" ↑↓")):
            return False
        # In prose a short name in small letters may be a word of some language: wer, rouge.
        may_be_word = prose and self._is_short(6) and not self._is_bracketed
        if ("capitals" in flags or may_be_word) and not _is_in_capitals(name):
            return False
        return not (self._is_changed_before or self._is_changed_after)

    def _is_short(self, max_length: int) -> bool:
        name = self.name
        return name.isascii() and name.isalpha() and len(name) <= max_length

    @property
    def _is_bracketed(self) -> bool:
        return self.text[: self.start].endswith("(") and self.text.startswith(")", self.end)

    @property
    def _is_strict(self) -> bool:
        return not self.known.flags.isdisjoint({"word", "capitals"})

    @property
    def _is_changed_before(self) -> bool:
        before = self.text[max(0, self.start - 60) : self.start]
        match = _WORD_BEFORE.search(before)
        word = _plain(match[1]) if match else ""
        return (
            _TURNED.search(before) is not None
            or word in _words("changed by before")
            or (self.known.kind != "cost" and word in _words("training"))
            or (self._is_strict and word in _words("word changed by before"))
        )

    @property
    def _is_changed_after(self) -> bool:
        match = _WORD_AFTER.match(self.text, self.end)
        if match is None:
            return self.text.startswith("+", self.end)  # PPV+LSPV and DER++ are algorithms
        gap, word = match[1], _plain(match[2])
        # What follows an ordinary word, or a short name that may be one, changes its meaning:
        # recall task, Genauigkeit der Modelle, MAE-ViT.
        is_strict = self._is_strict or (
            self._is_short(4)
            and (not _is_in_capitals(self.name) or (gap == "-" and match[2][0].isupper()))
        )
        is_version = gap == "-" and word.isdigit()  # precision-2
        is_other = gap != "_" and not word.isdigit() and word not in _words("link")
        return (is_strict and (is_other or is_version)) or word in _words("changed by after")


def _spans(text: str, *kinds: str, prose: bool = False) -> Iterator[_Span]:
    """Find the known names in a text, the longest first, that mean the measure there."""
    words = [match.span() for match in _word_pattern().finditer(text)]
    position = 0
    while position < len(words):
        span, n_words = _longest(text, words[position : position + _MAX_WORDS], *kinds)
        if span is not None and span.counts(prose=prose):
            yield span
        position += n_words


def _longest(text: str, words: list[tuple[int, int]], *kinds: str) -> tuple[_Span | None, int]:
    """Return the longest known name that the words begin with, and its number of words."""
    found, n_found, start = None, 1, words[0][0]
    for n_words, (left, end) in enumerate(words, 1):
        if n_words > 1 and not _BETWEEN.fullmatch(text, words[n_words - 2][1], left):
            break
        form = _squeezed(text[start:end])
        known = _exactly(form, _known(*kinds))
        if known is not None:
            plus = _PLUS.match(text, end)
            found = _Span(text, start, plus.end() if plus else end, known)
            n_found = n_words
        if _beginnings(*kinds).isdisjoint({form, form.removeprefix("neg")}):
            break
    return found, n_found


@cache
def _beginnings(*kinds: str) -> frozenset[str]:
    """Return all that names begin with: a text that is none of it is not looked at further."""
    return frozenset(name[:end] for name in _known(*kinds) for end in range(len(name) + 1))


def _heads(spans: list[_Span]) -> list[_Span]:
    """Leave out which of two names in a row describes the other: AMI WER, percentage score error.

    "Score" adds nothing to the name of a score before it.
    """
    dropped = set()
    for left, right in pairwise(spans):
        if _ADJACENT.fullmatch(left.text, left.end, right.start):
            is_score = left.known.kind == "score" and not left.is_general
            dropped.add(right if right.is_general and is_score else left)
    return [each for each in spans if each not in dropped]


@cache
def _word_pattern() -> re.Pattern[str]:
    """Return words; of Chinese, which has none, known names; of camelCase, the parts."""
    names = " ".join(row["names"] for row in _rows("measures.csv")).split()
    chinese = sorted((each for each in names if "一" <= each[-1] <= "鿿"), key=len, reverse=True)
    return re.compile(
        rf"{'|'.join(chinese)}|\b(?:[a-z]{{2,}}|Test|Train|Val|Mean)(?=[A-Z][a-z])|[^\W_一-鿿]+"
    )


_MAX_WORDS = 8  # of a name
# Sentences of a long text; a heading or a label is one part.
_PARTS = re.compile(r".{1,400}(?:[.;!?]\s|$)|.{1,400}", re.DOTALL)
_BETWEEN = re.compile(r"[\s_\-–'’@^/]{0,3}|\.")
_ADJACENT = re.compile(r"[\s_\-–]{1,2}")
_PLUS = re.compile(r"(?:(?<=gd)\+|(?<=chrf)\+{1,2})(?!\w)", re.IGNORECASE)  # IGD+ and chrF++
_WORD_BEFORE = re.compile(
    r"([^\W_]{1,30})[\s_.\-–(\[/]{1,3}(?:(?:in|by|test|val|cv|mean)[ _]){0,2}$"
)
_WORD_AFTER = re.compile(r"([\s_\-–]{1,2}|(?=[A-Z]))([^\W_]{1,30})")
# 1 - accuracy and -RMSE.
_TURNED = re.compile(r"(?:^|[(=:|])\s?1\s?[-−–]\s?$|(?:^|[\s(])[-−]$")
# What stands in brackets behind a name; of any length, a name of brackets would take ages.
_UNIT = re.compile(r"(?:\[[^\]]{0,60}\]|\([^)]{0,60}\))$")
_SPREAD = re.compile(
    r"(^| )(std( ?dev| ?err)?|stdev|stddev|stderr|standard (deviation|error)|sem|ci(95)?|q\d{3}|"
    r"confidence interval)( |$)"
)
