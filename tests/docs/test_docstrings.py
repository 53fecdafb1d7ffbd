"""What docstrings hold: every formula typeset, and an example for every public name."""

import ast
import inspect
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import palio
from docs.pages import api
from docs.pages.families import FAMILIES
from tests.docs.written import ROOT

_BLOCK = re.compile(r"^( *)\.\. math::\n\n((?:\1    .*\n?|[ ]*\n)+)", re.MULTILINE)
_INLINE = re.compile(r":math:`([^`]*)`")
_CODE = re.compile(r"``[^`]*``|^ *(>>>|\.\.\.).*$", re.MULTILINE)
# What only formulas have: roots, sums, indices below and above, bars and hats; and an equation
# whose right side is computed. χ² and Multi²Test are names.
_SIGNS = re.compile(
    r"[√ΣΠ∫∈∝∞‖⌊⌋′]|[\u0300-\u036f]|[⁰-ⁿ₀-ₜᵢ-ᵪⱼ²³]|\w\^[\w({]|\w_\{"
    r"|\b[A-Za-zα-ω]\w? [=<>≤≥~] [^ ,;]+ [-+·/−] [^ ]|\b[A-Za-zα-ω] ?\(\w [-+−] \w\)"
)
_NAMES = re.compile(r"χ²|Multi²Test|[Rr]²")


def _docstrings() -> Iterator[tuple[str, str]]:
    """Give the docstrings of all modules that have formulas, with where they stand."""
    texts = {path: path.read_text(encoding="utf-8") for path in (ROOT / "src").rglob("*.py")}
    for path, text in texts.items():
        for node in ast.walk(ast.parse(text)) if "math:" in text else ():
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
                doc = ast.get_docstring(node)
                if doc:
                    yield f"{path.relative_to(ROOT)}:{getattr(node, 'name', 'module')}", doc


def _formulas(doc: str) -> list[str]:
    return [inspect.cleandoc(body) for _, body in _BLOCK.findall(doc)] + _INLINE.findall(doc)


def _thing(name: str) -> Any:
    thing: Any = palio
    for part in name.split(".")[1:]:
        thing = getattr(thing, part)
    return thing


PUBLIC = {name: _thing(name) for group in api.names().values() for name in group}
METHODS = {f"{each.slug}/{name}": each.function(name) for each in FAMILIES for name in each}


def _members(kind: type) -> Iterator[tuple[str, Callable[..., object]]]:
    """Give the public methods and properties of a class that are written in Palio."""
    for name, member in inspect.getmembers(kind):
        function = getattr(member, "fget", None) or getattr(member, "func", None) or member
        if not name.startswith("_") and str(getattr(function, "__module__", "")).startswith(
            "palio"
        ):
            yield name, function


def _pages() -> Iterator[tuple[str, str]]:
    """Give every docstring that a page shows."""
    for name, thing in {**PUBLIC, **METHODS}.items():
        yield name, inspect.getdoc(thing) or ""
        if isinstance(thing, type):
            for member, function in _members(thing):
                yield f"{name}.{member}", inspect.getdoc(function) or ""


def untypeset(doc: str) -> list[str]:
    """Return the lines that hold a formula as plain text."""
    rest = doc
    for pattern in (_BLOCK, _INLINE, _CODE, _NAMES):
        rest = pattern.sub(" ", rest)
    return [line.strip() for line in rest.partition("\nReferences\n---")[0].splitlines()
            if _SIGNS.search(line)]  # fmt: skip


@pytest.mark.parametrize(
    "text",
    ["p′ = min(1, m p)", "t = √n d̄ / S", "Rⱼ = Σ_d r_dj / n", "x^2", "F = 2 / (6 - 3)", "k(k - 1)"],
)
def test_a_formula_in_plain_text_is_found(text: str) -> None:
    assert untypeset(f"With something:\n\n    {text}\n") == [text]
    assert not untypeset(f"With :math:`{text}`, and\n\n.. math::\n\n    {text}\n\n>>> {text}")


def test_words_are_no_formulas() -> None:
    assert not untypeset("As χ² in Multi²Test, p = 1 if all are zero; α = 5 %, from −1 to 1.")


def test_no_page_has_a_formula_that_is_not_typeset() -> None:
    found = {name: lines for name, doc in _pages() if (lines := untypeset(doc))}
    assert not found, "write it as :math:`…` or in a block `.. math::`, in a raw docstring"


def test_every_formula_can_be_set() -> None:
    """As MathML, which any browser shows; what the converter does not know is an error."""
    pytest.importorskip("docutils")
    from docs.formulas import mathml

    places = {each: place for place, doc in _docstrings() for each in _formulas(doc)}
    assert len(places) > 200
    for formula, place in places.items():
        assert "\\" not in mathml(formula), place
    with pytest.raises(ValueError, match="nosuch"):
        mathml(r"\nosuch x")


@pytest.mark.parametrize("name", METHODS)
def test_every_method_has_its_formula(name: str) -> None:
    doc = inspect.getdoc(METHODS[name]) or ""
    assert ".. math::" in doc, "its docstring needs Notes with its formula in a block `.. math::`"


@pytest.mark.parametrize("name", PUBLIC)
def test_every_public_name_is_told_and_shown(name: str) -> None:
    thing = PUBLIC[name]
    doc = inspect.getdoc(thing) or ""
    assert ">>>" in doc, "its docstring needs Examples"
    if isinstance(thing, type):
        assert not [member for member, each in _members(thing) if not inspect.getdoc(each)]


@pytest.mark.parametrize("name", sorted({name.rpartition(".")[0] for name in PUBLIC}))
def test_every_public_module_is_told_and_shown(name: str) -> None:
    assert ">>>" in (inspect.getdoc(_thing(name)) or "")
