# SPDX-License-Identifier: GPL-3.0-or-later
# The documentation site (run/site/build.sh): the pages of the repository as they are, by Sphinx and MyST, and the tutorials
# of the Python module, executed as notebooks by MyST-NB.
import os
import pathlib
import re

root = pathlib.Path(__file__).parents[2]
project = "Multiwalk"
copyright = "the Multiwalk developers"
release = re.search(r"^version: (.*)$", (root / "CITATION.cff").read_text(), re.MULTILINE)[1]

extensions = ["myst_nb"]
root_doc = "run/site/contents"
include_patterns = ["*.md", "host/**.md", "device/**.md", "decomposition/**.md", "ic/**.md", "analysis/**.md", "run/**.md",
                    "run/python/tutorials/*.py", "tests/bench/peers/*.md", "tests/dossier/*.md", "tests/fault_injection/*.md"]
myst_enable_extensions = ["html_image"]
myst_heading_anchors = 3
highlight_language = "none"
suppress_warnings = ["myst.header",     # pages may begin below the first level
                     "myst-nb.lexer"]  # tutorials may be left unexecuted

nb_custom_formats = {".py": ["jupytext.reads", {"fmt": "py:percent"}]}
nb_execution_mode = "force" if os.environ.get("MULTIWALK_TUTORIALS") else "off"
nb_execution_in_temp = True  # they write files
nb_execution_raise_on_error = True
nb_execution_timeout = 300
nb_merge_streams = True

html_theme = "furo"
html_static_path = ["tutorials.css"]
html_css_files = ["tutorials.css"]
html_title = f"Multiwalk {release}"
html_show_copyright = False
html_show_sphinx = False
html_copy_source = False
