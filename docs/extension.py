"""What Sphinx asks us for: pages written from the code, links to names, formulas, figures."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from functools import cache
from html import escape
from pathlib import Path
from typing import Any

from docutils.nodes import SkipNode
from docutils.utils.math import MathError
from matplotlib.figure import Figure
from pybtex.plugin import register_plugin
from pygments.lexers.special import TextLexer
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx_gallery.scrapers import figure_rst

from docs.formulas import mathml
from docs.pages import api, bibliography, methods
from docs.pages.docstrings import with_imports
from docs.pages.families import FAMILIES
from docs.pages.tables import captioned, fill
from docs.style import Papers
from palio.report.files import save
from palio.results import Result

__all__ = ["BIBLIOGRAPHY", "figures_of", "setup", "write"]

BIBLIOGRAPHY = "papers.bib"


def setup(app: Sphinx) -> dict[str, bool]:
    """Be asked by Sphinx."""
    app.setup_extension("sphinx.ext.autodoc")
    app.connect("source-read", _filled)
    app.connect("autodoc-process-docstring", _with_imports, priority=100)  # before numpydoc
    app.connect("autodoc-process-signature", _without_constructor)
    app.connect("missing-reference", _by_its_name)
    app.connect("build-finished", _heard)
    register_plugin("pybtex.style.formatting", "palio", Papers)
    app.add_lexer("csv", TextLexer)
    app.add_html_math_renderer("mathml", (_inline, None), (_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def write(docs: Path) -> None:
    """Write the pages that come from the code; those of yesterday go, those that stay are kept."""
    pages = {docs / path: text for path, text in (*methods.pages(), *api.pages())}
    pages[docs / BIBLIOGRAPHY] = bibliography.bibtex()
    for folder in (methods.FOLDER, api.FOLDER):
        for path in (docs / folder).rglob("*.*"):
            if path not in pages:
                path.unlink()
    for path, text in pages.items():
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")


def _filled(_app: Sphinx, _page: str, source: list[str]) -> None:
    source[0] = captioned(fill(source[0]))


def _with_imports(
    _app: Sphinx, _what: str, _name: str, thing: object, _options: object, lines: list[str]
) -> None:
    lines[:] = with_imports(lines, inspect.getmodule(thing))


def _without_constructor(
    _app: Sphinx, _what: str, _name: str, thing: object, *_: object
) -> tuple[str, None] | None:
    """Say nothing of how a result is made: nobody makes one by hand."""
    return ("", None) if isinstance(thing, type) and issubclass(thing, Result) else None


@cache
def _named() -> dict[str, str]:
    """Return where what has a page is documented: by its home, and by its bare name."""
    found = {}
    for family in FAMILIES:
        for name in family:
            function: Any = family.function(name)
            path = f"{function.__module__}.{function.__qualname__}"
            found[path] = found[function.__name__] = path
    for home, name in api.homes().items():
        found[home] = found[name.rpartition(".")[2]] = name
    return found


def _by_its_name(app: Sphinx, env: Any, node: Any, contnode: Any) -> Any:
    """Find what a docstring calls by another name than its page does."""
    if node.get("refdomain") != "py":
        return None
    target = node["reftarget"].removesuffix("()")
    owner, _, member = target.rpartition(".")
    named = _named().get(target) or _named().get(target.rpartition(".")[2])
    if owner in _named() and named is None:
        named = f"{_named()[owner]}.{member}"
    if named is None or named == node["reftarget"]:
        return None
    return env.domains["py"].resolve_xref(
        env, node["refdoc"], app.builder, "obj", named, node, contnode
    )


def _inline(self: Any, node: Any) -> None:
    self.body.append(_formula(node, block=False))
    raise SkipNode


def _block(self: Any, node: Any) -> None:
    # A long one scrolls by itself: by the keyboard too.
    self.body.append(self.starttag(node, "div", CLASS="formula", tabindex="0"))
    self.body.append(_formula(node, block=True) + "</div>\n")
    raise SkipNode


def _formula(node: Any, *, block: bool) -> str:
    try:
        return mathml(node.astext(), block=block)
    except MathError as error:
        logging.getLogger(__name__).warning("%s: %s", node.astext(), error, location=node)
        return escape(node.astext())


def _lines(found: re.Match[str]) -> str:
    inside = found[1].replace("<dd>", "<span>").replace("</dd>", "</span>")
    return f'<span class="lines">{inside}</span>'


_HEARD: dict[re.Pattern[str], Callable[[re.Match[str]], str]] = {
    # Parameters on lines of their own are no list of definitions.
    re.compile(r"<dl>\s*(<dd><em class=.sig-param.(?:(?!</dl>).)*)</dl>", re.DOTALL): _lines,
    re.compile("<summary>"): lambda _: '<summary aria-label="Unfold">',
    re.compile(' role="(?:list|doc-biblioentry)"'): lambda _: "",
}
"""What a reader by ear would stumble over in the pages that Sphinx and its theme write."""


def _heard(app: Sphinx, exception: Exception | None) -> None:
    if exception is not None or app.builder.format != "html":
        return
    for path in Path(app.outdir).rglob("*.html"):
        page = path.read_text(encoding="utf-8")
        for pattern, better in _HEARD.items():
            page = pattern.sub(better, page)
        path.write_text(page, encoding="utf-8")


def figures_of(_block: object, block_vars: dict[str, Any], gallery_conf: dict[str, Any]) -> str:
    """Save the figures that a block of an example has made, for Sphinx-Gallery."""
    seen: set[int] = block_vars["example_globals"].setdefault("__seen__", set())
    paths = []
    for thing in list(block_vars["example_globals"].values()):
        if isinstance(thing, Figure) and id(thing) not in seen:
            seen.add(id(thing))
            path = Path(next(block_vars["image_path_iterator"])).with_suffix(".svg")
            paths.append(str(save(thing, path)))
    return str(figure_rst(paths, gallery_conf["src_dir"]))
