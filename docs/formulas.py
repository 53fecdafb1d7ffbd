"""Formulas as MathML, which a browser sets by itself: a page needs no script for them."""

from __future__ import annotations

import re
from html import unescape
from xml.etree import ElementTree as ET

from docutils.utils.math.latex2mathml import tex2mathml

__all__ = ["mathml"]

_SPACE = "http://www.w3.org/1998/Math/MathML"
_SAME = {"{split}": "{aligned}", r"\dots": r"\ldots"}

_NAMED = re.compile(r"&(?!(?:lt|gt|amp);)\w+;")


def mathml(latex: str, *, block: bool = False) -> str:
    r"""Return a formula that is LaTeX as MathML; what is not known is an error.

    >>> mathml(r"\bar x_i").replace("\n", "").replace(" ", "").partition(">")[2]
    '<msub><mover><mi>x</mi><mostretchy="false">ˉ</mo></mover><mi>i</mi></msub></math>'
    """
    for here, there in _SAME.items():
        latex = latex.replace(here, there)
    if block and r"\\" in latex and r"\begin" not in latex:
        latex = rf"\begin{{aligned}}{latex}\end{{aligned}}"
    formula = ET.fromstring(_NAMED.sub(_sign, tex2mathml(latex.strip(), as_block=block)))
    for element in formula.iter():
        _index_beside_accent(element)
        _sign_between(element)
    ET.register_namespace("", _SPACE)
    return ET.tostring(formula, encoding="unicode")


def _sign(entity: re.Match[str]) -> str:
    """Return a sign that HTML has a name for, and XML has not."""
    return unescape(entity[0])


def _index_beside_accent(element: ET.Element) -> None:
    """Put an index beside a letter that has an accent; docutils puts it below."""
    if element.tag == f"{{{_SPACE}}}munderover":
        base, index, accent = element
        if accent.tag.endswith("}mo") and not base.tag.endswith("}mo"):
            element.tag = f"{{{_SPACE}}}msub"
            accented = ET.Element(f"{{{_SPACE}}}mover")
            accented[:] = [base, accent]
            element[:] = [accented, index]


def _sign_between(element: ET.Element) -> None:
    """Give a sign that begins a cell the room of one between two things."""
    if element.tag.endswith("}mtd") and len(element) and element[0].tag.endswith("}mo"):
        element.insert(0, ET.Element(f"{{{_SPACE}}}mi"))
