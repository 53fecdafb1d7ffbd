"""Bytes become text: UTF-8, UTF-16 as Excel writes it, or else Windows-1252, and that is said."""

from __future__ import annotations

import codecs
import re
import unicodedata

from palio.scores.formats.kinds import MalformedError

_MARKS = {  # the longer ones first, for that of UTF-32 begins as that of UTF-16 does
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
_LOOKED_AT = 1 << 16
_CONTROL = re.compile(r"[\x01-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f]")
_NOT_IN_TEXT = re.compile(rb"[\x01-\x08\x0e-\x1a\x1c-\x1f\x7f]")


def decoded(content: bytes) -> tuple[str, tuple[str, ...]]:
    """Return the text, and what is to be said of it after the name of the file.

    >>> decoded("naïve".encode("utf-16"))
    ('naïve', ())
    >>> decoded("naïve".encode("latin-1"))
    ('naïve', ('is not UTF-8, and was read as Windows-1252.',))
    """
    marked = next((name for mark, name in _MARKS.items() if content.startswith(mark)), None)
    encoding = marked or _without_mark(content) or "utf-8"
    try:
        text = content.decode(encoding)
    except UnicodeDecodeError as error:
        if marked is not None or not _is_western(content):
            line = content.count(b"\n", 0, error.start) + 1
            called = "UTF-16" if encoding.startswith("utf-16") else "UTF-8"
            raise MalformedError(
                f"is not {called} text (see line {line})", "Save it as UTF-8"
            ) from (error)
        return content.decode("cp1252"), ("is not UTF-8, and was read as Windows-1252.",)
    place = text.find("\0")
    if place >= 0:
        line = text.count("\n", 0, place) + 1
        raise MalformedError(f"is not text: line {line} holds a NUL byte", "Save it as UTF-8")
    # Letters with accents can be written in two ways that look the same.
    text = text if text.isascii() else unicodedata.normalize("NFC", text)
    if _CONTROL.search(text):  # a terminal would obey them
        return _CONTROL.sub("", text), ("holds control characters, which were left out.",)
    return text, ()


def _without_mark(content: bytes) -> str | None:
    """Return which UTF-16 it is: of plain letters every second byte is then NUL."""
    some = content[:_LOOKED_AT]
    even, odd = some[::2].count(0), some[1::2].count(0)
    if len(content) % 2 or 4 * max(even, odd) < len(some) or min(even, odd) > len(some) // 100:
        return None
    return "utf-16-le" if odd > even else "utf-16-be"


def _is_western(content: bytes) -> bool:
    """Return whether text that is not UTF-8 may be Windows-1252.

    It is not where some of its letters are UTF-8, for that is UTF-8 with a fault.
    """
    if b"\0" in content or _NOT_IN_TEXT.search(content):
        return False
    letters = content.decode("utf-8", errors="ignore")
    if not letters.isascii():
        return False
    try:
        content.decode("cp1252")
    except UnicodeDecodeError:
        return False
    # The first byte of a letter at the very end: the file was cut.
    return not 0xC3 <= content[-1] <= 0xF4
