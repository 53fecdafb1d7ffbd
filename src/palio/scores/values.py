"""Cells as people write them: numbers with percent signs, spreads and marks, and words for gaps.

What is not a plain number comes here, each different text once. `_NUMBER` says around what a number
may stand, `MISSING` and `REASONS` which words stand for no number.
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

from palio.errors import Option
from palio.types import BoolArray, FloatArray, IntArray
from palio.words import joined, listed

# --- words -----------------------------------------------------------------------------------

MISSING = frozenset({"", "na", "n/a", "nan", "null", "none", "<na>", "?"})
_ABSENT = re.compile(
    r"-{1,5}[†‡*]{0,2}|[—–−/…]|\.{1,3}|n(?:[./][ar]\.?)?|#n/?a|#(?:div/0|value|ref|num|null)!|#name\?|\\n|-nan"
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


# A mark that stands for no number where it is all that a column of numbers has besides them.
_MARK = re.compile(r"(?i)[xn*#+~=_|\\]")
_MIN_NUMBERS = 5  # that differ, beside such a mark
_LONGEST_WORD = 2 + max(map(len, REASONS))
_MAX_SHOWN = 3  # numbers as they are written, in a note


# --- numbers ---------------------------------------------------------------------------------

_SPACES = " \u00a0\u2009\u202f"
_DIGITS = rf"(?:\d[\d.,'’{_SPACES}]*)?\d|[.,]\d+"
_LATEX = r"\\(?:textbf|textit|emph|mathbf|mathit|mathrm|bm|boldsymbol|underline|uline|bf|it)\b"
_OPENING = rf"(?:[*_`${{~≈■●★\s]|<[a-z]+>|{_LATEX}|\\(?:cell)?color{{[^{{}}]*}})*"
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
    **{
        f"{letter}{end}": 1e3**power
        for letter, power in zip("kKMGT", (1, 1, 2, 3, 4), strict=True)
        for end in ("B", "Byte", "Bytes")
    },
    **{f"{letter}iB": 1024.0**power for power, letter in enumerate("KMGT", start=1)},
    **dict.fromkeys(("µs", "μs", "us"), 1e-6),
    "ns": 1e-9,
    **dict.fromkeys(("min", "mins", "minute", "minutes"), 60.0),
    **dict.fromkeys(("h", "hr", "hrs", "hour", "hours"), 3600.0),
}
_UNITS |= {u.capitalize(): size for u, size in _UNITS.items() if u.islower() and len(u) > 2}
_UNIT = "|".join(sorted(_UNITS, key=len, reverse=True))
# Another number, as in 86.7/85.9 or 27.3 ± 11.6 / 55.3 ± 9.2, and a key to sort by.
_SECOND = r"(?:\s?/\s?\d{1,9}[.,]\d| / [*_]{0,3}\d)[\d.,±%()*_\s]{0,40}"
# A number, and what may stand around it.
_NUMBER = re.compile(
    rf"{_OPENING}(?P<sign>[+−-]?)(?P<digits>{_DIGITS})"
    r"(?:[eE](?P<exponent>[+-]?\d+)|\s?(?:×|x|·|\\times|\\cdot)\s?10\^{?(?P<power>[+−-]?\d+)}?)?"
    rf"{_CLOSING}(?P<percent>\\?%)?{_CLOSING}"
    rf"(?P<unit>{_UNIT})?(?:(?:{_SPREAD})\s?){{0,3}}(?P<percent_behind>\s?\\?%)?"
    rf"{_CLOSING}(?:(?P<raised>{_RAISED}){_CLOSING})?(?P<second>{_SECOND})?(?:@@\S{{1,40}})?"
    r"(?:dB|WER|CER|DER|BLEU|mAP|AUC|F1)?"
)
_CLOCK = re.compile(r"(?:(\d{1,4}):)?([0-5]?\d):([0-5]\d(?:\.\d{1,6})?)")  # h:mm:ss
# Longer texts are sentences.
_LONGEST = 80
_SEPARATOR = re.compile(rf"[{_SPACES}'’]")
_GROUPS = re.compile(rf"\d{{1,3}}(?:[{_SPACES}'’]\d{{3}})+(?:[.,]\d+)?")


class _Form(NamedTuple):
    """A number as written: its digits with points and commas, its power, what is behind it."""

    digits: str
    power: str = ""
    is_percent: bool = False
    unit: str = ""


def _form(text: str) -> _Form | None:
    """Take a number out of what stands around it; nothing if something else does.

    >>> _form("**85.2%** ± 1.3")
    _Form(digits='85.2', power='', is_percent=True, unit='')
    >>> _form("0.91¹").digits, _form("0.91^a").digits, _form("10²")
    ('0.91', '0.91', None)
    >>> _form("5nn")
    """
    found = _NUMBER.fullmatch(text) if len(text) <= _LONGEST else None
    if found is None:
        if (clock := _CLOCK.fullmatch(text)) is None:
            return None
        seconds = 3600 * int(clock[1] or 0) + 60 * int(clock[2]) + float(clock[3])
        return _Form(f"{seconds:.12g}")
    digits = _SEPARATOR.sub("", found["digits"])
    if digits != found["digits"] and not _GROUPS.fullmatch(found["digits"]):
        return None
    # 1/2 is half, or something else.
    is_whole = not {".", ","} & set(digits) and " / " not in text
    if is_whole and (found["second"] or found["raised"]):
        return None
    sign = "-" if found["sign"] in ("-", "−") else ""
    power = (found["exponent"] or found["power"] or "").replace("−", "-")
    is_percent = bool(found["percent"] or found["percent_behind"])
    return _Form(sign + digits, power, is_percent, found["unit"] or "")


# --- points and commas -----------------------------------------------------------------------


def _plain(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return float("nan")


def _as_float(digits: str, decimal: str, power: str = "") -> float:
    """Read digits by their decimal mark; NaN if they are no number by it."""
    other = "," if decimal == "." else "."
    if other in digits:  # thousands are in threes, and do not begin with 0
        threes = rf"-?[1-9]\d{{0,2}}(?:{re.escape(other)}\d{{3}})+(?:{re.escape(decimal)}\d*)?"
        if not re.fullmatch(threes, digits):
            return float("nan")
        digits = digits.replace(other, "")
    return _plain(f"{digits.replace(decimal, '.')}e{power or 0}")


def _possible_marks(digits: str) -> str:
    """Return which marks may be the decimal one, of digits that have any.

    >>> [_possible_marks(each) for each in ("85,2", "1,234", "1,234.5", "1.234,5", "0,123", "85")]
    [',', '.,', '.', ',', ',', '']
    """
    if not {".", ","} & set(digits):
        return ""
    return "".join(mark for mark in ".," if not math.isnan(_as_float(digits, mark)))


def _common_mark(marks: Iterable[str]) -> str:
    """Return the marks that are possible for all numbers; nothing if they contradict."""
    found = set(marks)
    sure = found & {".", ","}
    return max(sure or found, default="") if len(sure) < 2 else ""


def _decimal_mark(digits: Mapping[str, str], file_shows: Callable[[], str]) -> tuple[str, str]:
    """Return the decimal mark of a column, and the text that leaves it in doubt if one does.

    ``digits`` are those of each of its texts that is a number.
    """
    marks = {text: _possible_marks(each) for text, each in digits.items()}
    shown = _common_mark(marks.values())
    shown = file_shows() if shown == ".," else shown
    doubtful = [text for text, mark in marks.items() if mark == ".,"]
    # Of 1.234 among decimal commas others must show that points separate thousands here.
    grouped = any(mark == "," and "." in digits[text] for text, mark in marks.items())
    if shown == ".":
        doubtful = []
    elif shown == ",":
        doubtful = [text for text in doubtful if "." in text and not grouped]
    return ("", doubtful[0]) if doubtful else (shown, "")


def file_mark(columns: Iterable[Iterable[str]]) -> str:
    """Return the decimal mark that the cells of a file show, where they show one only.

    >>> file_mark([["iris", "85,2"], ["1,234"]])
    ','
    """
    forms = (_form(text.strip()) for column in columns for text in column)
    return _common_mark(_possible_marks(form.digits) for form in forms if form is not None)


# --- a column --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class Written:
    """What a column holds besides plain numbers: numbers with something around, words, a doubt.

    ``n_odd`` cells are such numbers; ``odd`` has one of each kind, and the value it was read as.
    ``percent`` marks rows, ``status`` has a place in `STATUSES` for each row.
    """

    n_odd: int = 0
    odd: Mapping[str, tuple[str, float]] = field(default_factory=dict)
    words: Mapping[str, int] = field(default_factory=dict)
    percent: BoolArray | None = None
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
    # Most names are known at once: they begin with a letter and end in a digit.
    others = [n for n, x in enumerate(texts) if not (x[:1].isalpha() and x[-1:].isdigit())]
    plain, missing = np.full(len(texts), np.nan), np.zeros(len(texts), dtype=bool)
    plain[others] = [_plain(texts[n]) for n in others]
    missing[others] = [texts[n].lower() in MISSING for n in others]
    strange = [n for n in others if np.isnan(plain[n]) and not missing[n]]
    forms, decimal, doubt = _read_forms(texts, strange, decimal, file_shows)
    found = {n: _word(texts[n]) for n in strange if n not in forms}
    words = {n: STATUSES.index(word or "ok") for n, word in found.items() if word is not None}
    odd = np.flatnonzero(np.isnan(plain) & ~missing).tolist()
    odd = [n for n in odd if n not in forms and n not in words]
    if len(odd) == 1 and len(texts) > _MIN_NUMBERS and _MARK.fullmatch(texts[odd[0]]):
        words[odd[0]] = STATUSES.index("ok")  # as of a word without a reason
    missing[list(words)] = True
    if not forms and not words:
        return plain, missing, PLAIN
    values, mixed = plain.copy(), len({form.unit for form in forms.values()} - {""}) > 1
    for place, form in forms.items():
        # What is in doubt is no number yet.
        in_doubt = decimal == "" and "," in form.digits
        value = np.nan if in_doubt else _as_float(form.digits, decimal or ".", form.power)
        values[place] = value * (_UNITS.get(form.unit, 1.0) if mixed else 1.0)
    read = [n for n in forms if not np.isnan(values[n]) and plain[n] != values[n]]
    times = np.bincount(codes[codes >= 0], minlength=len(texts))
    written = Written(
        n_odd=int(times[read].sum()),
        odd=_one_of_each({texts[n]: float(values[n]) for n in read}),
        words={texts[place]: int(times[place]) for place in words},
        percent=_by_row(codes, {n: forms[n].is_percent for n in read}, len(texts)),
        status=_by_row(codes, words, len(texts)),
        doubt=doubt,
    )
    return values, missing, written


def _read_forms(
    texts: Sequence[str], strange: Sequence[int], decimal: str | None, file_shows: Callable[[], str]
) -> tuple[dict[int, _Form], str, str]:
    """Return the numbers among texts, their decimal mark, and a text that leaves it in doubt.

    Of texts that Python reads as numbers only if commas may tell that their points do not.
    """
    forms, doubt = _forms(texts, strange), ""
    if decimal != "," and not any("," in form.digits for form in forms.values()):
        return forms, decimal or ".", ""
    every = _forms(texts, range(len(texts)))
    if decimal is None:
        digits = {texts[place]: form.digits for place, form in every.items()}
        decimal, doubt = _decimal_mark(digits, file_shows)
    return every if decimal == "," else forms, decimal, doubt


def _forms(texts: Sequence[str], places: Iterable[int]) -> dict[int, _Form]:
    return {place: form for place in places if (form := _form(texts[place])) is not None}


def _one_of_each(read: Mapping[str, float]) -> dict[str, tuple[str, float]]:
    """Return the first of the texts that differ by their digits only."""
    found: dict[str, tuple[str, float]] = {}
    for text, value in read.items():
        found.setdefault(re.sub(r"[-+]?\d+", "0", text), (text, value))
    return found


def _by_row(codes: IntArray, found: Mapping[int, Any], n_texts: int) -> Any:
    """Return the value of each row's text; none where all are 0."""
    if not any(found.values()):
        return None
    # One more entry than texts, for the code -1 of a missing cell.
    values = np.zeros(n_texts + 1, dtype=type(next(iter(found.values()))))
    values[list(found)] = list(found.values())
    return values[codes]


# --- what is said of it ----------------------------------------------------------------------


def notes_on(written: Sequence[Written]) -> list[str]:
    """Say how the cells of the columns that are used were read, where they are no plain numbers."""
    notes = []
    words = sum((Counter(each.words) for each in written), Counter())
    odd = _one_of_each({text: value for each in written for text, value in each.odd.values()})
    if odd:
        shown = [f"{text!r} as {value:.10g}" for text, value in odd.values()]
        n_odd = sum(each.n_odd for each in written)
        notes.append(f"Cells read as numbers: {n_odd}, such as {joined(shown[:_MAX_SHOWN])}.")
    if words:
        reasons = {word: f"{reason}, " if (reason := _word(word)) else "" for word in words}
        shown = [f"{word!r} ({reasons[word]}{times})" for word, times in words.items()]
        notes.append(f"Cells read as missing: {listed(shown, limit=8)}.")
    return notes


def doubt_error(doubt: str) -> tuple[str, str]:
    """Return the rule and the remedy for a cell that can be read in two ways."""
    form = _form(doubt)
    assert form is not None
    numbers = {mark: _as_float(form.digits, mark, form.power) for mark in ".,"}
    ways = [f"{Option('decimal', x, whole=True)} (it is {y:.10g})" for x, y in numbers.items()]
    return f"{doubt!r} can be read in two ways", f"Say which: {joined(ways, 'or')}"


def statuses_of(status: IntArray | None, missing: BoolArray) -> IntArray | None:
    """Return what became of cells, where words say so; a gap without a word is ``absent``."""
    if status is None or not status.any():
        return None
    return np.where((status == 0) & missing, STATUSES.index("absent"), status)
