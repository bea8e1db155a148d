"""Sphinx configuration of the documentation site.

Build it with ``python -m sphinx -W --keep-going -b html docs build/site``.
"""

import os
import re
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
# This checkout is what is described and run, by the commands of the gallery too.
sys.path[:0] = [str(HERE / "_ext"), str(ROOT)]
os.environ["PYTHONPATH"] = os.pathsep.join(
    [str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
)

project = "sfm-pacbayes"
author = "The sfm-pacbayes authors"
copyright = author
[release] = re.findall(r'"(.+?)"', (ROOT / "sfmcore" / "version.py").read_text())[-1:]
version = release

extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.doctest",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
    # Of docs/_ext.
    "every_page",
    "equations",
    "internal_links",
    "mathml",
    "repository_links",
]
# Sources of the gallery's pages, which sphinx-gallery writes to `auto_gallery`.
exclude_patterns = ["gallery", "_ext", "**/sg_execution_times.rst", "sg_execution_times.rst"]
nitpicky = False
root_doc = "index"
default_role = "code"

# Markdown. Anchors are those that GitHub makes, so that a link works in both places.
myst_heading_anchors = 4
myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
suppress_warnings = ["config.cache"]

# Reference.
autosummary_generate = True
autodoc_typehints = "none"  # numpydoc's sections say it
autodoc_member_order = "bysource"
toc_object_entries_show_parents = "hide"
numpydoc_show_class_members = False
numpydoc_xref_param_type = False
# All but: extended summaries, examples and lists of related functions everywhere; types where a
# section says "As of fit"; and the sections of methods that follow a protocol, which says it once.
numpydoc_validation_checks = {
    "all", "ES01", "EX01", "SA01", "PR01", "PR02", "PR03", "PR04", "PR07", "PR08", "RT01", "RT02",
    "RT03", "RT04", "SS02", "SS05",
}  # fmt: skip
templates_path = ["_templates"]

# Doctests run with pytest, where the files that they need are.
doctest_test_doctest_blocks = ""

sphinx_gallery_conf = {
    "examples_dirs": "gallery",
    "gallery_dirs": "auto_gallery",
    "filename_pattern": r"/plot_",
    "within_subsection_order": "FileNameSortKey",
    "abort_on_example_error": True,
    "download_all_examples": False,
    "show_signature": False,
    "show_memory": False,
    "remove_config_comments": True,
    "min_reported_time": 10_000,
    "write_computation_times": False,
    "image_scrapers": ("matplotlib",),
    "matplotlib_animations": False,
    "plot_gallery": "True",
    "copyfile_regex": r"^$",
    "capture_repr": (),
}

html_theme = "pydata_sphinx_theme"
html_title = project
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_sidebars = {page: [] for page in ("index", "theory")}
html_show_sourcelink = False
html_copy_source = False
html_theme_options = {
    "show_nav_level": 1,
    "navigation_with_keys": False,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "navbar_end": ["theme-switcher"],
    "header_links_before_dropdown": 7,
}
