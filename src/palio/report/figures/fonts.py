"""The fonts of a text: DejaVu Sans, which comes with matplotlib, and others for what it lacks."""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path

from matplotlib import font_manager

# What is measured in it is what is drawn anywhere.
FAMILY = "DejaVu Sans"

# Families that may be there and have Chinese, Japanese and Korean letters, or all of them.
OTHERS = (
    "Noto Sans CJK SC", "Noto Sans CJK JP", "Noto Sans CJK KR", "Noto Sans SC",
    "Source Han Sans SC", "WenQuanYi Zen Hei", "WenQuanYi Micro Hei", "PingFang SC",
    "Hiragino Sans GB", "Microsoft YaHei", "SimHei", "Malgun Gothic", "Arial Unicode MS",
)  # fmt: skip
_FILES = re.compile(r"NotoSansCJK|NotoSansSC|SourceHanSans|wqy-|msyh|simhei|malgun|Unicode", re.I)


def families(text: str) -> list[str]:
    """Return the families that a text is drawn in, the usual one first.

    Examples
    --------
    >>> families("Ulaş, α ≤ 0.05")
    ['DejaVu Sans']
    >>> families("随机森林")[0]
    'DejaVu Sans'
    """
    known = text.isascii() or all(ord(letter) in _letters() for letter in text)
    return [FAMILY] if known else [FAMILY, *_others()]


@lru_cache(maxsize=1)
def _letters() -> frozenset[int]:
    path = font_manager.findfont(FAMILY)
    return frozenset(font_manager.get_font(path).get_charmap())


@lru_cache(maxsize=1)
def _others() -> tuple[str, ...]:
    """Return which of the others are there; matplotlib's list may be older than a font."""
    found = _listed()
    if not found:
        for path in font_manager.findSystemFonts():
            if _FILES.search(Path(path).name):
                font_manager.fontManager.addfont(path)
        found = _listed()
    return found


def _listed() -> tuple[str, ...]:
    names = {entry.name for entry in font_manager.fontManager.ttflist}
    # One is enough: these have the letters of one another.
    return tuple(name for name in OTHERS if name in names)[:1]
