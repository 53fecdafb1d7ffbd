"""The few phrases that error messages, notes and sentences share, each on one line."""

from __future__ import annotations

import difflib
import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Sequence
from urllib.parse import unquote


class Worded(str):
    """A text that a page has in other words, for it has neither a command line nor Python.

    Wherever it is not a page's it is its text; `on_page` gives the page's. What is made of it by
    formatting is a text like any other: `strung` keeps both.

    >>> said = Worded("Left out: a. --keep-failing keeps it.", page="Left out: a.")
    >>> said, on_page(said), on_page("as it is")
    ('Left out: a. --keep-failing keeps it.', 'Left out: a.', 'as it is')
    """

    page: str

    def __new__(cls, text: str, page: str = "") -> Worded:
        """Make a text, and what stands in its place on a page."""
        made = super().__new__(cls, text)
        made.page = page
        return made

    def changed(self, change: Callable[[str], str]) -> Worded:
        """Return both texts changed in the same way."""
        return Worded(change(str(self)), change(self.page))


def on_page(text: str) -> str:
    """Return what a page says for a text."""
    return text.page if isinstance(text, Worded) else text


def strung(parts: Iterable[str], between: str = "") -> str:
    """Join texts of which some may have other words on a page; there, empty ones are left out.

    >>> told = strung(["Some failed.", Worded("See --json.")], " ")
    >>> told, on_page(told)
    ('Some failed. See --json.', 'Some failed.')
    """
    texts = list(parts)
    whole = between.join(texts)
    if not any(isinstance(each, Worded) for each in texts):
        return whole
    return Worded(whole, between.join(filter(None, map(on_page, texts))))


def joined(names: Sequence[str], word: str = "and") -> str:
    """Join names as one would say them.

    >>> joined(["a"]), joined(["a", "b", "c"]), joined(["a", "b"], "or")
    ('a', 'a, b and c', 'a or b')
    """
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} {word} {names[-1]}"


MAX_NAMES_SHOWN = 5
"""A sentence names this many; the rest are counted."""


def some_of(names: Sequence[str], most: int = MAX_NAMES_SHOWN) -> str:
    """Join names as in a sentence, the first few of many.

    >>> some_of(["a", "b"]), some_of(list("abcdefg")), some_of(list("abcd"), 2)
    ('a and b', 'a, b, c, d, e and 2 others', 'a, b and 2 others')
    """
    if not names:
        return ""
    if len(names) <= most + 1:
        return joined(names)
    return f"{', '.join(names[:most])} and {len(names) - most} others"


def listed(items: Iterable[object], *, limit: int = 5, total: int | None = None) -> str:
    """Join items with commas, and say how many are not shown.

    ``total`` is for callers that hold only the first few items of a longer list.

    >>> listed("abcdefg", limit=3)
    'a, b, c … and 4 more'
    """
    shown = [str(item) for item in items]
    rest = (len(shown) if total is None else total) - min(len(shown), limit)
    return ", ".join(shown[:limit]) + (f" … and {rest} more" if rest > 0 else "")


def quoted(names: Iterable[object], *, limit: int = 5, total: int | None = None) -> str:
    """Join names in quotes, so that spaces and empty names can be seen.

    >>> quoted(["a", "b "])
    "'a', 'b '"
    """
    return listed((repr(str(name)) for name in names), limit=limit, total=total)


def count(number: int, singular: str, plural: str | None = None) -> str:
    """Return the number with its noun.

    >>> count(1, "row"), count(2, "row")
    ('1 row', '2 rows')
    """
    return f"{number} {singular if number == 1 else plural or singular + 's'}"


def nearest(name: str, known: Iterable[str]) -> list[str]:
    """Return the known names that resemble ``name``, best first.

    >>> nearest("5x2-f", ["5x2cv-f", "5x2cv-t", "kfold-t"])
    ['5x2cv-f', '5x2cv-t']
    """
    return difflib.get_close_matches(str(name), list(known), n=3, cutoff=0.6)


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return `` Did you mean …?`` with a space in front, or nothing.

    >>> did_you_mean("acuracy", ["accuracy", "error"])
    " Did you mean 'accuracy'?"
    """
    return asked_after(nearest(name, known))


def asked_after(names: Collection[str]) -> str:
    """Return `` Did you mean …?`` for names that may be meant, or nothing.

    >>> asked_after(["a", "b"]), asked_after([])
    (" Did you mean 'a' or 'b'?", '')
    """
    return f" Did you mean {' or '.join(map(repr, names))}?" if names else ""


def loosely(name: object) -> str:
    """Return what counts of a name: not its case, accents, hyphens, underscores or spaces.

    >>> loosely("Bergmann–Hommel") == loosely("bergmann_hommel"), loosely("Multi²Test")
    (True, 'multi2test')
    """
    plain = unicodedata.normalize("NFKD", str(name).replace("×", "x")).casefold()
    return "".join(letter for letter in plain if letter.isalnum() or letter in ".:/+")


def misspelt(name: str, known: Iterable[str], *, begun: bool = False) -> list[str]:
    """Return the known names that differ by slips of the pen, never those of other things.

    Names are compared word by word. In a word of four letters or more one slip is allowed (a
    letter left out, put in, mistaken, or two swapped), and doubling a letter is none; shorter
    words and digits must be the same, for they tell methods apart. ``begun`` asks for names
    whose first words these are.

    >>> methods = ["hochberg", "holm", "bonferroni", "5x2cv-f", "fdr-bh", "corrected-t"]
    >>> [misspelt(name, methods) for name in ("hochbreg", "bonferonni", "Holmm", "corected-t")]
    [['hochberg'], ['bonferroni'], ['holm'], ['corrected-t']]
    >>> [misspelt(name, methods) for name in ("hommel", "fdr-by", "5x2cv-t", "uncorrected-t")]
    [[], [], [], []]
    """
    words = _words(name)
    most = len(words) if begun else None
    return [each for each in known if _alike(words, _words(each)[:most])]


def _words(name: str) -> list[str]:
    return [loosely(word) for word in re.split(r"[-_–\s]+", name)]


def _alike(words: list[str], others: list[str]) -> bool:
    return len(words) == len(others) and all(map(_slip, words, others))


def _slip(word: str, other: str) -> bool:
    """Whether two words are the same but for one slip."""
    if min(len(word), len(other)) < 4 or re.sub(r"\D", "", word) != re.sub(r"\D", "", other):
        return word == other
    word, other = (re.sub(r"(.)\1", r"\1", each) for each in (word, other))
    start = next((i for i, (a, b) in enumerate(zip(word, other, strict=False)) if a != b), None)
    if start is None:
        return abs(len(word) - len(other)) <= 1
    rest, end = word[start:], other[start:]
    swapped = rest[:2] == end[1::-1] and rest[2:] == end[2:]
    return swapped or rest[1:] == end[1:] or rest[1:] == end or rest == end[1:]


def one_line(text: object, *, limit: int = 200) -> str:
    r"""Return the text on one line, cut if it is long.

    >>> one_line("a\n b")
    'a b'
    """
    flat = " ".join(str(text).split())
    return flat if len(flat) <= limit else flat[: limit - 1] + "…"


_UNSEEN = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
)
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")


def visible(text: str) -> str:
    r"""Return a text whose control characters are spelled out: a terminal would obey them.

    So are those that turn the direction of writing round, and halves of letters.

    >>> print(visible("a\x1b[31m"), visible("naïve"))
    a\x1b[31m naïve
    """
    return _UNSEEN.sub(_spelled, text) if _UNSEEN.search(text) else text


def without_control(name: str) -> str:
    r"""Return a name whose control characters are spelled out.

    >>> print(without_control("knn\x07"))
    knn\x07
    """
    return _CONTROL.sub(_spelled, name) if _CONTROL.search(name) else name


def _spelled(letter: re.Match[str]) -> str:
    return letter[0].encode("unicode_escape").decode()


LONGEST = 2000
"""Letters in a text that is told of an error; the rest is cut off."""


def cut(text: str, limit: int = LONGEST) -> str:
    """Return a text, cut in the middle if it is long, for its end may say what to do.

    >>> cut("abcdefghijklmnopqrstuvwxyz", 12)
    'abcdefghi…xyz'
    """
    if len(text) <= limit:
        return text
    end = limit // 4
    return f"{text[: limit - end]}…{text[len(text) - end :] if end else ''}"


_USER = re.compile(r"(:/{1,2}[^/:\s]*):\S*@")  # a path has one of the slashes
_USER_OF_ALL = re.compile(r"(://[^/:]*):.*@", re.DOTALL)  # a password may have spaces
_PAIR = re.compile(r"""(?<![\w%.+-])([\w%.+-]+)(\s*=\s*)('[^']*'|"[^"]*"|[^&;\s'"]+)""")
_SECRET = ("password", "passwd", "pwd", "secret")


def is_server(place: object) -> bool:
    """Say whether a store is on a PostgreSQL server, where several may write at once.

    >>> is_server("postgresql://host/db"), is_server("postgresql.db")
    (True, False)
    """
    return re.match(r"postgres(ql)?(\+\w+)?:", str(place), re.IGNORECASE) is not None


def masked(text: str) -> str:
    """Return a text, or a URL by itself, as it may be shown: without passwords.

    Rather too much is masked than too little, as where a password has an @ that is not %40.

    >>> masked("cannot reach postgres://me:secret@host/db?sslpassword=more&x=1 now")
    'cannot reach postgres://me:***@host/db?sslpassword=***&x=1 now'
    """

    def hide(found: re.Match[str]) -> str:
        key = unquote(found[1]).lower()
        hidden = key.endswith(_SECRET) or key.startswith("scram_")
        return f"{found[1]}{found[2]}***" if hidden else found[0]

    alone = re.match(r"[a-z][a-z\d+.-]*://", text, re.IGNORECASE)
    return _PAIR.sub(hide, (_USER_OF_ALL if alone else _USER).sub(r"\1:***@", text))


def harmless(text: str, limit: int = LONGEST) -> str:
    """Return a text of anyone's that can be shown: not too long, no password, nothing obeyed."""
    # A URL that is cut could not be told for one; a text of megabytes need not be looked through.
    return cut(visible(cut(masked(cut(text, 10 * limit)), limit)), limit)


def names_in(texts: Iterable[str], known: Collection[str]) -> list[str]:
    """Read names that are joined by commas, and may have commas in them where they are known.

    >>> names_in(["svm, C=1,knn", "nb"], ["knn", "nb", "svm, C=1"])
    ['svm, C=1', 'knn', 'nb']
    """
    found = []
    for text in texts:
        pieces = text.split(",")
        while pieces:
            ends = range(len(pieces), 0, -1)  # the longest that is known; else up to the comma
            end = next((n for n in ends if ",".join(pieces[:n]).strip() in known), 1)
            found.append(",".join(pieces[:end]).strip())
            pieces = pieces[end:]
    return found
