"""How Sphinx builds the site: ``make docs`` leaves it in site/.

Nothing on its pages is fetched from another host. ``PALIO_DOCS_URL`` says where the site will be
published, with all versions side by side: then the pages have a switch between versions, and
link to the documentation of other packages, for which their inventories are fetched.
``PALIO_DOCS_VERSION`` is the folder of this version there.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from sphinx_gallery.sorting import ExplicitOrder  # noqa: E402

import palio  # noqa: E402
from docs import extension  # noqa: E402

project = "Palio"
author = "The Palio developers"
copyright = author  # noqa: A001
version = os.environ.get("PALIO_DOCS_VERSION") or ".".join(palio.__version__.split(".")[:2])
release = palio.__version__
PUBLISHED = os.environ.get("PALIO_DOCS_URL", "").rstrip("/")

FIRST = ("verdict", "multitest", "audit", "region", "rankings")
"""The examples that the gallery begins with."""

extension.write(HERE)

extensions = [
    "docs.extension",
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
    "sphinxcontrib.bibtex",
]
exclude_patterns = ["gallery", "pages", "_templates"]
templates_path = ["_templates"]
html_static_path = ["_static"]
html_css_files = ["palio.css"]
html_favicon = "_static/palio.svg"
nitpicky = True
# Types of signatures and words in single quotes need not be names that have a page.
nitpick_ignore_regex = [("py:class", ".*"), ("py:obj", ".*")]
default_role = "py:obj"
html_math_renderer = "mathml"
highlight_language = "text"
smartquotes = False
copybutton_exclude = ".linenos, .gp, .go"

myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
autodoc_preserve_defaults = True
autodoc_type_aliases = {
    "ArrayLike": "ArrayLike",
    "FloatArray": "FloatArray",
    "IntArray": "IntArray",
}
python_maximum_signature_line_length = 80
autosummary_generate = False
numpydoc_show_class_members = False

bibtex_bibfiles = [extension.BIBLIOGRAPHY]
bibtex_default_style = "palio"
bibtex_reference_style = "author_year"

sphinx_gallery_conf = {
    "examples_dirs": "gallery",
    "gallery_dirs": "examples",
    "image_scrapers": ("docs.extension.figures_of",),
    "reset_modules": (),
    "within_subsection_order": ExplicitOrder([f"plot_{name}.py" for name in FIRST] + ["*"]),
    "capture_repr": ("__repr__",),
    "copyfile_regex": r".*\.rst",
    "remove_config_comments": True,
    "show_memory": False,
    "show_signature": False,
    "min_reported_time": 1e9,
    "write_computation_times": False,
    "only_warn_on_example_error": False,
}

if PUBLISHED:
    extensions.append("sphinx.ext.intersphinx")
    intersphinx_mapping = {
        "python": ("https://docs.python.org/3", None),
        "numpy": ("https://numpy.org/doc/stable", None),
        "scipy": ("https://docs.scipy.org/doc/scipy", None),
        "pandas": ("https://pandas.pydata.org/docs", None),
        "matplotlib": ("https://matplotlib.org/stable", None),
        "sklearn": ("https://scikit-learn.org/stable", None),
    }

html_theme = "pydata_sphinx_theme"
html_title = "Palio"
html_context = {"default_mode": "auto"}
html_baseurl = f"{PUBLISHED}/{version}/" if PUBLISHED else ""
html_show_sphinx = False
html_copy_source = False
html_show_sourcelink = False
html_theme_options = {
    "logo": {
        "text": "Palio",
        "image_light": "_static/palio.svg",
        "image_dark": "_static/palio.svg",
    },
    "navigation_with_keys": False,
    "show_prev_next": True,
    "header_links_before_dropdown": 6,
    "show_nav_level": 1,
    "navigation_depth": 3,
    "show_toc_level": 2,
    "footer_start": ["copyright"],
    "footer_end": [],
    "navbar_end": ["theme-switcher"],
    "secondary_sidebar_items": ["page-toc"],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
if PUBLISHED:
    html_theme_options["navbar_end"] = ["version-switcher", "theme-switcher"]
    html_theme_options["switcher"] = {
        "json_url": f"{PUBLISHED}/switcher.json",
        "version_match": version,
    }
    html_theme_options["check_switcher"] = False
