"""Terminals, files and pipes that have fewer letters than Unicode: what stands for the others."""

from __future__ import annotations

import codecs
import json
import re
import sys

# As they are written where there are no others.
_PLAIN = {
    **dict.fromkeys("−–—─‐‑", "-"),
    **dict.fromkeys("│‖", "|"),
    **dict.fromkeys("‘’′", "'"),
    **dict.fromkeys("“”", '"'),
    **dict.fromkeys("├└", "+"),
    "…": "...",
    "×": "x",
    "·": "*",
    "•": "*",
    "✓": "yes",
    "✗": "no",
    "±": "+-",
    "≤": "<=",
    "≥": ">=",
    "≠": "!=",
    "≈": "~",
    "→": "->",
    "←": "<-",
    "∞": "inf",
    "√": "sqrt",
}
_HANDLER = "palio.plain"


def make_readable() -> None:
    """Have letters that standard output or error lacks written with those it has.

    On Windows a pipe or a file has those of one region; elsewhere one may have said so.
    """
    codecs.register_error(_HANDLER, _in_plain_letters)
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None and not _has_all(stream) and stream.errors in _USUAL:
            reconfigure(errors=_HANDLER)


# What Python does unless someone has said otherwise.
_USUAL = ("strict", "backslashreplace", "surrogateescape")


def write_json(text: str) -> None:
    """Write JSON to standard output; letters that it lacks as JSON spells them."""
    if not _has_all(sys.stdout):
        text = re.sub("[^\x00-\x7f]", lambda letter: json.dumps(letter[0])[1:-1], text)
    sys.stdout.write(f"{text}\n")


def _has_all(stream: object) -> bool:
    return (getattr(stream, "encoding", None) or "utf-8").lower().startswith("utf")


def _in_plain_letters(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return "".join(map(plain, error.object[error.start : error.end])), error.end


def plain(letter: str) -> str:
    """Return what stands for a letter: Greek by its name, others without their accents.

    >>> [plain(letter) for letter in "α²š≥算"]
    ['alpha', '2', 's', '>=', '?']
    """
    import unicodedata

    if letter in _PLAIN:
        return _PLAIN[letter]
    name = unicodedata.name(letter, "")
    if re.fullmatch(r"GREEK (SMALL|CAPITAL) LETTER \w+", name):
        word = name.rpartition(" ")[2].lower()
        return word.title() if letter.isupper() else word
    found = unicodedata.normalize("NFKD", letter).encode("ascii", "ignore").decode()
    return found or ("" if unicodedata.combining(letter) else "?")
