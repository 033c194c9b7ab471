# SPDX-License-Identifier: GPL-3.0-or-later
"""The page: one file without scripts, links to other files or fonts of its own."""
from __future__ import annotations

from html import escape
from pathlib import Path

from .comparison import Comparison, Figure

_OWN_STYLE = """
.outcome { font-weight: 650; white-space: nowrap } .pass { color: var(--teal) } .fail { color: var(--red) }
.not-run { color: var(--soft) }
table.summary, table.figures { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; font-size: 15px }
.summary td, .summary th, .figures td, .figures th { text-align: left; padding: 5px 10px 5px 0; vertical-align: top;
  border-bottom: 1px solid var(--rule); overflow-wrap: anywhere }
.summary td:not(:first-child), .figures td:not(:first-child) { white-space: nowrap; width: 1% }
section.comparison { background: var(--card); border: 1px solid var(--rule); border-radius: 12px; padding: 16px 20px;
  margin: 22px 0; min-width: 0 }
section.comparison h2 { margin-top: 0 } .charts { display: grid; gap: 14px; margin-top: 14px;
  grid-template-columns: repeat(auto-fit, minmax(min(100%, 430px), 1fr)) }
.charts svg { width: 100%; height: auto; max-width: 620px; font-family: inherit }
dl.about { display: grid; grid-template-columns: max-content 1fr; gap: 2px 14px; margin: 8px 0 12px }
.about dt { color: var(--soft) } .about dd { margin: 0; overflow-wrap: anywhere }
@media (max-width: 560px) { main { padding: 0 10px 40px } section.comparison { padding: 12px }
  dl.about { grid-template-columns: 1fr } .about dd { margin-bottom: 6px } table.summary, table.figures { font-size: 14px } }
"""


def _number(value: float) -> str:
    return f"{value:.3g}"


def _figure_row(figure: Figure) -> str:
    limit = f"≤ {_number(figure.high)}" if figure.low == 0 else f"{_number(figure.low)} to {_number(figure.high)}"
    mark = "pass" if figure.passed else "fail"
    return (f"<tr><td>{escape(figure.what)}</td><td>{_number(figure.value)}</td><td>{limit}</td>"
            f"<td>{figure.share:.2f}</td>"
            f'<td class="outcome {mark}">{mark}</td></tr>')


def _outcome(comparison: Comparison) -> str:
    verdict = comparison.verdict()
    return f'<span class="outcome {verdict.replace(" ", "-")}">{verdict}</span>'


def _section(name: str, comparison: Comparison) -> str:
    about = [("Reference", comparison.reference), ("Our run", comparison.setting), ("Why not", comparison.reason)]
    rows = "".join(f"<dt>{word}</dt><dd>{escape(text)}</dd>" for word, text in about if text)
    table = ""
    if comparison.figures:
        table = ('<table class="figures"><thead><tr><th>figure</th><th>measured</th><th>tolerance</th><th>share of it</th><th></th></tr></thead>'
                 f"<tbody>{''.join(map(_figure_row, comparison.figures))}</tbody></table>")
    charts = "".join(f"<figure style='margin:0'>{svg}</figure>" for svg in comparison.charts)
    return (f'<section class="comparison" id="{name}"><h2>{escape(comparison.title)}</h2>'
            f"<p>{_outcome(comparison)} · {comparison.seconds:.0f} s</p><dl class='about'>{rows}</dl>{table}"
            f'<div class="charts">{charts}</div></section>')


def page(comparisons: dict[str, Comparison], facts: dict[str, str], style: Path) -> str:
    """HTML of everything; `facts` are lines about program and machine, `style` the sheet of the program's pages."""
    rows = "".join(f'<tr><td><a href="#{name}">{escape(c.title)}</a></td><td>{_outcome(c)}</td>'
                   f"<td>{c.seconds:.0f} s</td></tr>" for name, c in comparisons.items())
    lines = "".join(f"<p>{escape(word)}: {escape(text)}</p>" for word, text in facts.items())
    sections = "".join(_section(name, comparison) for name, comparison in comparisons.items())
    return f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Multiwalk: comparisons with other people's results</title>
<style>{style.read_text()}{_OWN_STYLE}</style></head>
<body><header><div><div class="brand">Multiwalk</div><h1>Comparisons with other people's results</h1>{lines}</div></header>
<main><h2>Outcomes</h2><table class="summary"><thead><tr><th>comparison</th><th>outcome</th><th>time</th></tr></thead>
<tbody>{rows}</tbody></table>{sections}</main></body></html>
"""
