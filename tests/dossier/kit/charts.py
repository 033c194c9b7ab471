# SPDX-License-Identifier: GPL-3.0-or-later
"""Charts as SVG whose colours and fonts are the page's, light or dark."""
from __future__ import annotations

import io
import re
import zlib
from contextlib import contextmanager

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt  # noqa: E402

# Stand-ins while matplotlib draws; the page's own variables take their place.
_INK, _RULE = "#010203", "#010204"
_SERIES = {"blue": "#010205", "red": "#010206", "teal": "#010207", "gold": "#010208", "purple": "#010209",
           "grey": "#01020a"}
INK, (BLUE, RED, TEAL, GOLD, PURPLE, GREY) = _INK, _SERIES.values()

_STYLE = {
    "svg.fonttype": "none", "svg.hashsalt": "dossier", "font.size": 12, "axes.titlesize": 13, "legend.frameon": False,
    "text.color": _INK, "axes.labelcolor": _INK, "axes.edgecolor": _RULE, "xtick.color": _INK, "ytick.color": _INK,
    "xtick.labelcolor": _INK, "ytick.labelcolor": _INK, "grid.color": _RULE, "axes.grid": True, "grid.linewidth": 0.6,
    "axes.spines.top": False, "axes.spines.right": False, "axes.facecolor": "none", "figure.facecolor": "none",
    "lines.linewidth": 1.8, "mathtext.fontset": "dejavusans",
}


class Chart:
    """One figure while it is drawn; `svg` afterwards."""

    def __init__(self, rows: int):
        heights = [3] + [1.6] * (rows - 1)
        self.figure, axes = plt.subplots(rows, 1, figsize=(5.6, 3.5 + 1.6 * (rows - 1)), sharex=True, squeeze=False,
                                         layout="constrained", gridspec_kw={"height_ratios": heights})
        self.axes = list(axes[:, 0])
        self.svg = ""


@contextmanager
def chart(title: str, rows: int = 1):
    """A figure with `rows` panels on one x axis; the title is also what a screen reader says."""
    with plt.rc_context(_STYLE):
        drawn = Chart(rows)
        drawn.axes[0].set_title(title, loc="left")
        yield drawn
        text = io.StringIO()
        drawn.figure.savefig(text, format="svg", metadata={"Date": None, "Creator": None})
        plt.close(drawn.figure)
        drawn.svg = _for_page(text.getvalue(), title)


def _for_page(svg: str, title: str) -> str:
    svg = svg[svg.index("<svg"):]
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.S)
    box = re.search(r'viewBox="[^"]*"', svg).group(0)
    label = title.replace("&", "&amp;").replace('"', "&quot;").replace("<", "&lt;")
    svg = re.sub(r"<svg[^>]*>", f'<svg {box} role="img" aria-label="{label}" xmlns:xlink="http://www.w3.org/1999/xlink">',
                 svg, count=1)
    for name, colour in {"ink": _INK, "rule": _RULE, **_SERIES}.items():
        svg = svg.replace(colour, f"var(--{name})")
    prefix = f"c{zlib.crc32(title.encode())}_"  # ids are the page's, not the figure's
    svg = re.sub(r'\bid="', f'id="{prefix}', svg)
    svg = svg.replace('href="#', f'href="#{prefix}').replace("url(#", f"url(#{prefix}")
    return re.sub(r"font: [^;\"]*?([0-9.]+px)[^;\"]*", r"font: \1 inherit", svg)


def limits(axes, low: float, high: float) -> None:
    """The range within which a curve passes."""
    axes.axhspan(low, high, color=GREY, alpha=0.15, linewidth=0)
