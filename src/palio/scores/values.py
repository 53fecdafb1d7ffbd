"""Cells as people write them: numbers with percent signs, spreads and marks, and words for gaps.

What is not a plain number comes here, each different text once. `_NUMBER` says around what a number
may stand, `WAYS` what a note tells of it, `MISSING` and `REASONS` which words stand for no number.
A comma is read by what the column shows, and else by what the whole file shows; where that leaves
two readings there is a doubt, which is an error once the column is asked about.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from palio.errors import Option, ParameterError
from palio.types import BoolArray, FloatArray, IntArray
from palio.words import joined, listed

# --- words -----------------------------------------------------------------------------------

MISSING = frozenset({"", "na", "n/a", "nan", "null", "none", "<na>", "?"})
_ABSENT = re.compile(
    r"-{1,5}[†‡*]{0,2}|[—–−/…]|\.{1,3}|n[./][ar]\.?|#n/?a|#(?:div/0|value|ref|num|null)!|#name\?|\\n|-nan"
    r"|missing|not (?:available|applicable|reported|run)|unavailable|unknown|skipped|tbd|undefined"
    r"|(-?nan|[-–—]) ?(?:[±+/(]|\+/-) ?\1\)?[†‡*]?"  # of a mean and its spread
)
STATUSES = ("ok", "absent", "failed", "timeout", "memory", "killed")
"""What became of a cell of a table in which words say so; ``absent`` is one without a reason."""

_REASONS = {
    "failed": "failed|fail|failure|error|err|crash|crashed|diverged|dnf|did not finish|did not "
    "converge|exception|unsolved|#error!|×|✗|✘|❌",
    "timeout": "timeout|time out|timed out|to|t.o.|t/o|tle|timelimit|time limit|time "
    "limit exceeded",
    "memory": "oom|out of memory|mem|memory|mo|m.o.|m/o|memout|mle|memory out|memoryerror|memory "
    "error|memory limit|memory limit exceeded",
    "killed": "killed|aborted|terminated",
}
REASONS = {word: status for status, words in _REASONS.items() for word in words.split("|")}


def _word(text: str) -> str | None:
    """Return the status that a word stands for, nothing in it if that is not said.

    >>> _word("Time-Out"), _word("(OOM)"), _word("-"), _word("svm")
    ('timeout', 'memory', '', None)
    """
    word = text.lower()
    if len(word) <= _LONGEST and _ABSENT.fullmatch(word):
        return ""
    if len(word) > _LONGEST_WORD:
        return None
    return REASONS.get(word) or REASONS.get(re.sub(r"[\s_-]+", " ", word).strip(" ()[]"))


_LETTER = re.compile(r"[A-Z](?:/[A-Z])?")  # N or F/T, among numbers
_LONGEST_WORD = 2 + max(map(len, REASONS))


# --- numbers ---------------------------------------------------------------------------------

WAYS: dict[str, str] = {
    "percent": "with a percent sign",
    "spread": "without the spread or rank behind",
    "marks": "without bold, stars and other marks",
    "comma": "with a decimal comma",
    "thousands": "with separated thousands",
    "power": "with a power of ten",
    "unit": "without the unit behind",
    "second": "without a second number behind",
    "clock": "in seconds",
}
_SPACES = " \u00a0\u2009\u202f"
_DIGITS = rf"(?:\d[\d.,'’{_SPACES}]*)?\d|[.,]\d+"
_LATEX = r"\\(?:textbf|textit|emph|mathbf|mathit|mathrm|bm|boldsymbol|underline|uline|bf|it)\b"
_OPENING = rf"(?:[*_`${{~≈\s]|<[a-z]+>|{_LATEX}|\\(?:cell)?color{{[^{{}}]*}})*"
# Arrows, shapes, pictures: none stands for a number or says that one is missing, as ❌ does. Those
# in front are left alone, for 🔻 0.5 may be a decrease.
_SYMBOL = (
    r"[\u2190-\u21ff\u25a0-\u2716\u2719-\u274b\u274d-\u2775\u2b00-\u2bff\ufe0f\u200d🀀-\U0001faff]"
)
_CLOSING = (
    rf"(?:[*_`${{}}^†‡§¶•∘\s]|{_SYMBOL}|</[a-z]+>"
    r"|\\d?dagger|\\d?dag|\\ast|\\star|\\bullet|\\circ)*"
)
# A mark of a footnote, behind decimals only: 10² is a power.
_RAISED = r"[⁰¹²³⁴-⁹ᵃ-ᶻ]{1,3}|\^\{?[\da-z]{1,2}\}?\^?"
# ± 0.02, +/- 0.02, \pm 0.02; (0.02), (3), [0.82, 0.88]: no words, which would make it a name.
# 0.5564+0.0000 is a spread too, and so is a subscript.
_SPREAD = (
    rf"(?:±|\+\s?/\s?[-−]|\+[-−]|\\pm\$?)[{_SPACES}]*(?:{_DIGITS})(?:[eE][+-]?\d+)?"
    r"|[(\[][\d.,;:%±+−–/eE↑↓▲▼\s-]*\d[\d.,;:%±+−–/eE↑↓▲▼\s-]*[)\]]"
    r"|(?<=\d)\+\d{1,4}\.\d{1,9}|_{[\d.eE+-]{1,20}}"
)
# Units that cells of one column may mix, in seconds or bytes.
_UNITS: dict[str, float] = {
    **dict.fromkeys(("s", "sec", "secs", "second", "seconds"), 1.0),
    "ms": 1e-3,
    **{f"{letter}B": 1e3**power for letter, power in zip("kKMGT", (1, 1, 2, 3, 4), strict=True)},
    **{f"{letter}iB": 1024.0**power for power, letter in enumerate("KMGT", start=1)},
    **dict.fromkeys(("µs", "μs", "us"), 1e-6),
    "ns": 1e-9,
    **dict.fromkeys(("min", "mins", "minute", "minutes"), 60.0),
    **dict.fromkeys(("h", "hr", "hrs", "hour", "hours"), 3600.0),
}
_UNIT = "|".join(sorted(_UNITS, key=len, reverse=True))
# Another number, as in 86.7/85.9 or 27.3 ± 11.6 / 55.3 ± 9.2, and a key to sort by.
_SECOND = r"(?:\s?/\s?\d{1,9}[.,]\d| / [*_]{0,3}\d)[\d.,±%()*_\s]{0,40}"
# The groups are called as in `WAYS`, with a number behind where there are several.
_NUMBER = re.compile(
    rf"(?P<marks1>{_OPENING})(?P<sign>[+−-]?)(?P<digits>{_DIGITS})"
    r"(?:[eE](?P<exponent>[+-]?\d+)|\s?(?:×|x|·|\\times|\\cdot)\s?10\^{?(?P<power>[+−-]?\d+)}?)?"
    rf"(?P<marks2>{_CLOSING})(?P<percent1>\\?%)?(?P<marks3>{_CLOSING})"
    rf"(?P<unit>{_UNIT})?(?P<spread>(?:(?:{_SPREAD})\s?){{1,3}})?(?P<percent2>\s?\\?%)?"
    rf"(?P<marks4>{_CLOSING})(?:(?P<raised>{_RAISED}){_CLOSING})?(?P<second>{_SECOND})?(?:@@\S{{1,40}})?"
)
_CLOCK = re.compile(r"(?:(\d{1,4}):)?([0-5]?\d):([0-5]\d(?:\.\d{1,6})?)")  # h:mm:ss
# Longer texts are sentences.
_LONGEST = 80
_SEPARATOR = re.compile(rf"[{_SPACES}'’]")
_GROUPS = re.compile(rf"\d{{1,3}}(?:[{_SPACES}'’]\d{{3}})+(?:[.,]\d+)?")


class _Form(NamedTuple):
    """A number as written: its digits with points and commas, its power, what is around it."""

    digits: str
    power: str
    ways: tuple[str, ...]
    unit: str = ""


def _form(text: str) -> _Form | None:
    """Take a number out of what stands around it; nothing if something else does.

    >>> _form("**85.2%** ± 1.3")
    _Form(digits='85.2', power='', ways=('percent', 'spread', 'marks'), unit='')
    >>> _form("0.91¹").digits, _form("0.91^a").digits, _form("10²")
    ('0.91', '0.91', None)
    >>> _form("5nn")
    """
    found = _NUMBER.fullmatch(text) if len(text) <= _LONGEST else None
    if found is None:
        if (clock := _CLOCK.fullmatch(text)) is None:
            return None
        seconds = 3600 * int(clock[1] or 0) + 60 * int(clock[2]) + float(clock[3])
        return _Form(f"{seconds:.12g}", "", ("clock",))
    parts = {name: part for name, part in found.groupdict(default="").items() if part.strip()}
    digits, ways = parts["digits"], {name.rstrip("1234") for name in parts}
    if _SEPARATOR.search(digits):
        if not _GROUPS.fullmatch(digits):
            return None
        digits = _SEPARATOR.sub("", digits)
        ways.add("thousands")
    # 1/2 is half, or something else.
    is_plain = not {".", ","} & set(digits) and " / " not in text
    if {"second", "raised"} & ways and is_plain:
        return None
    if "raised" in ways:
        ways.add("marks")
    power = parts.get("exponent", parts.get("power", "")).replace("−", "-")
    sign = "-" if parts.get("sign") in ("-", "−") else ""
    shown = tuple(way for way in WAYS if way in ways)
    return _Form(sign + digits, power, shown, parts.get("unit", ""))


# --- points and commas -----------------------------------------------------------------------


def _as_float(digits: str, decimal: str, power: str = "") -> float:
    """Read digits by their decimal mark; NaN if they are no number by it."""
    other = "," if decimal == "." else "."
    if other in digits:  # thousands are in threes, and do not begin with 0
        threes = rf"-?[1-9]\d{{0,2}}(?:{re.escape(other)}\d{{3}})+(?:{re.escape(decimal)}\d*)?"
        if not re.fullmatch(threes, digits):
            return float("nan")
        digits = digits.replace(other, "")
    return _plain(f"{digits.replace(decimal, '.')}e{power or 0}")


def decimal_mark(digits: str) -> str:
    """Return which mark must be the decimal one: ``.``, ``,``, ``either``, or nothing.

    By the way digits are written, one of the two readings may be no number.

    >>> [decimal_mark(each) for each in ("85,2", "1,234", "1,234.5", "1.234,5", "0,123", "85")]
    [',', 'either', '.', ',', ',', '']
    """
    if not {".", ","} & set(digits):
        return ""
    marks = [mark for mark in (".", ",") if not math.isnan(_as_float(digits, mark))]
    return "either" if len(marks) == 2 else "".join(marks)


def _one_mark(marks: Iterable[str]) -> str:
    """Return the decimal mark that several numbers show: one, ``both``, ``either`` or nothing.

    ``either``: there are commas or points that can be read both ways, and nothing else.
    """
    found = set(marks) - {""}
    sure = found - {"either"}
    return "both" if len(sure) == 2 else sure.pop() if sure else "either" if found else ""


def check_decimal(decimal: str | None) -> None:
    """Raise unless it is a decimal mark, or left out."""
    if decimal not in (None, ".", ","):
        raise ParameterError("decimal", "it is . or ,", f"{decimal!r} was given")


# --- a column --------------------------------------------------------------------------------


class Way(NamedTuple):
    """How often cells were written in a way, and the first of them."""

    times: int
    text: str
    value: float


@dataclass(frozen=True, slots=True, eq=False)
class Written:
    """What a column holds besides plain numbers: ways of writing them, words, or a doubt.

    ``percent`` and ``word`` mark rows, ``status`` has a place in `STATUSES` for each row.
    """

    ways: Mapping[str, Way] = field(default_factory=dict)
    words: Mapping[str, int] = field(default_factory=dict)
    percent: BoolArray | None = None
    word: BoolArray | None = None
    status: IntArray | None = None
    doubt: str = ""


PLAIN = Written()


def read_texts(
    texts: Sequence[str],
    codes: IntArray,
    decimal: str | None,
    file_shows: Callable[[], str],
) -> tuple[FloatArray, BoolArray, Written]:
    """Read the different texts of a column: their numbers, which are missing, and how.

    ``codes`` say which text each row has; ``file_shows`` which decimal mark the whole file has.
    """
    values = np.array([_plain(text) for text in texts])
    missing = np.array([text.lower() in MISSING for text in texts], dtype=bool)
    is_odd = np.isnan(values) & ~missing
    odd = [place for place in np.flatnonzero(is_odd).tolist() if not _is_name(texts[place])]
    forms, decimal, doubt = _read_forms(texts, odd, decimal, file_shows)
    others = [place for place in odd if place not in forms]
    words = {n: status for n in others if (status := _word(texts[n])) is not None}
    letters = [place for place in others if _LETTER.fullmatch(texts[place])]
    if 2 * len(letters) < len(forms) + int(np.isfinite(values).sum()):  # as in names of a column
        words |= dict.fromkeys(letters, "")
    missing[list(words)] = True
    if not forms and not words:
        return values, missing, PLAIN
    mixed = len({form.unit for form in forms.values()} - {""}) > 1
    for place, form in forms.items():
        # What is in doubt is no number yet.
        in_doubt = decimal == "" and "," in form.digits
        value = np.nan if in_doubt else _as_float(form.digits, decimal or ".", form.power)
        values[place] = value * (_UNITS.get(form.unit, 1.0) if mixed else 1.0)
    times = np.bincount(codes[codes >= 0], minlength=len(texts)).tolist()
    read = {place: form for place, form in forms.items() if not np.isnan(values[place])}
    ways = [
        (each, Way(times[place], texts[place], float(values[place])))
        for place, form in read.items()
        for each in (*form.ways, *_separated(form.digits, decimal or "."))
    ]
    statuses = np.array([STATUSES.index(each or "ok") for each in words.values()], dtype=np.intp)

    def by_row(places: Iterable[int], value: Any) -> Any:
        # One more entry than texts, for the code -1 of a missing cell.
        found = np.zeros(len(texts) + 1, dtype=np.asarray(value).dtype)
        found[list(places)] = value
        return found[codes] if found.any() else None

    written = Written(
        ways=_added_up(ways),
        words={texts[place]: times[place] for place in words},
        percent=by_row((n for n, form in read.items() if "percent" in form.ways), True),
        word=by_row(words, True),
        status=by_row(words, statuses),
        doubt=doubt,
    )
    return values, missing, written


def _read_forms(
    texts: Sequence[str], odd: Sequence[int], decimal: str | None, file_shows: Callable[[], str]
) -> tuple[dict[int, _Form], str, str]:
    """Return the numbers among texts, their decimal mark, and a text that leaves it in doubt.

    Of texts that Python reads as numbers only if commas may tell that their points do not.
    """
    forms = _forms(texts, range(len(texts)) if decimal == "," else odd)
    if decimal is not None or not any("," in form.digits for form in forms.values()):
        return forms, decimal or ".", ""
    every = _forms(texts, range(len(texts)))
    digits = {texts[place]: form.digits for place, form in every.items()}
    decimal, doubt = _settled(digits, file_shows)
    return every if decimal == "," else forms, decimal, doubt


def _is_name(text: str) -> bool:
    """Say whether a text is neither a number nor a word, as most names are; it tells at once."""
    return text[0].isalpha() and text[-1].isdigit()


def _forms(texts: Sequence[str], places: Iterable[int]) -> dict[int, _Form]:
    return {place: form for place in places if (form := _form(texts[place])) is not None}


def _plain(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return float("nan")


def _settled(digits: Mapping[str, str], file_shows: Callable[[], str]) -> tuple[str, str]:
    """Return the decimal mark of a column, and the text that leaves it in doubt if one does.

    ``digits`` are those of each of its texts that is a number.
    """
    marks = {text: decimal_mark(each) for text, each in digits.items()}
    shown = _one_mark(marks.values())
    if shown == "either" and (of_file := file_shows()) in (".", ","):
        shown = of_file
    doubtful = [text for text, mark in marks.items() if mark == "either"]
    # 1.234 among decimal commas: nothing may show that points separate thousands here.
    grouped = any(mark == "," and "." in digits[text] for text, mark in marks.items())
    points = [text for text in doubtful if "." in text]
    if shown == "," and not grouped and points:
        return "", points[0]
    if shown in (".", ","):
        return shown, ""
    return "", "" if shown == "both" else next(iter(doubtful), "")


def _added_up(ways: Iterable[tuple[str, Way]]) -> dict[str, Way]:
    """Add up how often cells were written in each way, and keep the first."""
    found: dict[str, Way] = {}
    for name, way in ways:
        before = found.get(name, way._replace(times=0))
        found[name] = before._replace(times=before.times + way.times)
    return found


def _separated(digits: str, decimal: str) -> list[str]:
    other = "," if decimal == "." else "."
    found = ["thousands"] if other in digits else []
    return [*found, "comma"] if decimal == "," and "," in digits else found


def file_mark(columns: Iterable[Iterable[str]]) -> str:
    """Return the decimal mark that the cells of a file show, where they show one only.

    >>> file_mark([["iris", "85,2"], ["1,234"]])
    ','
    """
    forms = (_form(text.strip()) for column in columns for text in column)
    return _one_mark(decimal_mark(form.digits) for form in forms if form is not None)


# --- what is said of it ----------------------------------------------------------------------


def notes_on(written: Sequence[Written]) -> list[str]:
    """Say how the cells of the columns that are used were read, where they are no plain numbers."""
    notes = []
    words = sum((Counter(each.words) for each in written), Counter())
    if ways := _added_up(way for each in written for way in each.ways.items()):
        told = [f"{n} {WAYS[way]} ({text!r} as {x:.10g})" for way, (n, text, x) in ways.items()]
        notes.append(f"Cells read as numbers: {joined(told)}.")
    if words:
        reasons = {word: f"{reason}, " if (reason := _word(word)) else "" for word in words}
        shown = [f"{word!r} ({reasons[word]}{times})" for word, times in words.items()]
        notes.append(f"Cells read as missing: {listed(shown, limit=8)}.")
    return notes


def doubt_error(doubt: str) -> tuple[str, str]:
    """Return the rule and the remedy for a cell that can be read in two ways."""
    form = _form(doubt)
    assert form is not None
    ways = [
        f"{Option('decimal', mark, whole=True)} (it is {value:.10g})"
        for mark in (".", ",")
        if not np.isnan(value := _as_float(form.digits, mark, form.power))
    ]
    return f"{doubt!r} can be read in two ways", f"Say which: {joined(ways, 'or')}"


def statuses_of(status: IntArray | None, missing: BoolArray) -> IntArray | None:
    """Return what became of cells, where words say so; a gap without a word is ``absent``."""
    if status is None or not status.any():
        return None
    return np.where((status == 0) & missing, STATUSES.index("absent"), status)
