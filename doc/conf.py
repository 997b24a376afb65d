# SPDX-License-Identifier: Apache-2.0
"""Sphinx: the site of `make docs` (tools/docs/build.sh), from Debian's packages alone; nothing is fetched when it is read."""
import os
import re
from pathlib import Path

import furo

ROOT = Path(os.environ["TESSERA_ROOT"])
project = "Tessera"
copyright = "the authors of Tessera; Apache-2.0"
version = ".".join(re.findall(r"#define TESSERA_VERSION_\w+ (\d+)", (ROOT / "include/oneapi/dnnl/dnnl_tessera.h").read_text()))
release = version

extensions = ["myst_parser", "breathe", "sphinx_copybutton"]
myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 4
breathe_projects = {"tessera": os.environ["TESSERA_XML"]}
breathe_default_project = "tessera"
breathe_domain_by_extension = {"h": "c", "hpp": "cpp"}
breathe_show_include = False
suppress_warnings = ["misc.highlighting_failure"]  # console blocks with `…` in them
exclude_patterns = ["conf.py"]

html_theme = "furo"
html_title = f"Tessera {version}"
# Debian's style sheet of the theme has the colours of a dark page for the button alone. Named here, they are those of readers whose
# system asks for dark pages as well.
dark = re.search(r'body\[data-theme="?dark"?\]\s*{([^}]*)}', (Path(furo.__file__).parent / "theme/furo/static/styles/furo.css").read_text())
html_theme_options = {"dark_css_variables": dict(re.findall(r"--([\w-]+):\s*([^;]+);", dark[1]))}
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_show_sphinx = False
html_copy_source = False
pygments_style = "friendly"
pygments_dark_style = "native"
# The button copies the commands of a console block without prompts and output.
copybutton_prompt_text = "$ "
copybutton_selector = ", ".join(f"div.highlight-{language} pre" for language in ("console", "sh", "c", "cpp", "cmake", "python"))
