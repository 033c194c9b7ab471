// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/pages/page_style.hpp"

#include <fmt/format.h>

#include <array>

#include "run/pages/chart.hpp"

namespace multiwalk {

namespace {

constexpr std::array<const char*, palette_size> light{"#2f6db3", "#2c9c8f", "#e0a526", "#d5673a", "#8e5aa8", "#b23a5e",
                                                      "#7d8f35", "#4aa3d8", "#8a6d52", "#9aa0a8", "#3d4c8f"};
constexpr std::array<const char*, palette_size> dark{"#6ea8ee", "#4fc7b8", "#f2c14e", "#f08a5d", "#bb8ad6", "#ef6f92",
                                                     "#aec05a", "#84cdf5", "#bf9f80", "#8b929c", "#98a5ea"};

constexpr const char* rules = R"css(
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--ink);font:16px/1.55 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif}
main{max-width:1060px;margin:0 auto;padding:0 20px 60px}
header{background:radial-gradient(120% 160% at 85% -20%,#6b1f5e 0,#2a1148 42%,#0c0a1d 78%);color:#fbf4e9;padding:44px 20px 40px}
header>div{max-width:1020px;margin:0 auto}
header .brand{letter-spacing:.16em;text-transform:uppercase;font-size:12px;color:#f6b35c;font-weight:600}
h1{font-size:34px;line-height:1.2;margin:6px 0 10px;font-weight:650}
header p{margin:4px 0;color:#e4d8e4;max-width:860px}
h2{font-size:22px;margin:46px 0 4px;font-weight:640}
h2+p{margin-top:2px}
pre{overflow-x:auto;font-size:12px}
.lead{color:var(--soft);max-width:860px}
.tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(184px,1fr));gap:12px;margin:-22px 0 0}
.tile{background:var(--card);border:1px solid var(--rule);border-radius:12px;padding:14px 16px;box-shadow:0 3px 14px rgba(20,10,40,.07)}
.tile b{display:block;font-size:25px;line-height:1.25;font-weight:650;font-variant-numeric:tabular-nums}
.tile b small{font-size:15px;font-weight:500;color:var(--soft)}
.tile span{font-size:13px;font-weight:600;color:var(--soft)}
.tile em{display:block;font-style:normal;font-size:12.5px;line-height:1.4;color:var(--soft);margin-top:3px}
.images{display:grid;grid-template-columns:repeat(auto-fit,minmax(300px,1fr));gap:14px;margin-top:14px}
.images figure{margin:0;background:#000004;border-radius:12px;overflow:hidden;border:1px solid var(--rule)}
.images img{display:block;width:100%;height:auto}
.images figcaption{color:#d9d2de;font-size:13px;padding:8px 14px 10px;background:#0c0a1d}
.panel{background:var(--card);border:1px solid var(--rule);border-radius:12px;padding:16px 18px 14px;margin:14px 0}
.panel h3{margin:0 0 6px;font-size:17px;font-weight:640}
.panel .how{margin:8px 0 0;font-size:14px;color:var(--soft)}
.how b{color:var(--ink);font-weight:600}
.legend{display:flex;flex-wrap:wrap;gap:4px 16px;font-size:13px;color:var(--soft);margin:2px 0 4px}
.key{display:inline-block;width:11px;height:11px;border-radius:3px;margin-right:6px;vertical-align:-1px}
svg.chart{display:block;width:100%;height:auto}
svg text{fill:var(--soft);font-size:12px;font-family:inherit}
svg .label{font-size:12.5px;fill:var(--ink)}
svg .mid{text-anchor:middle}
svg .end{text-anchor:end}
.grid{stroke:var(--rule);stroke-width:1}
.axis{stroke:var(--soft);stroke-width:1}
.line{fill:none;stroke-width:2;stroke-linejoin:round;stroke-linecap:round}
.dashed{stroke-dasharray:6 5}
.mark{stroke-width:2}
circle.mark[class*=" s"]{fill:var(--card)}
.area{opacity:.88}
.nothing{color:var(--soft);font-style:italic}
table{border-collapse:collapse;width:100%;font-size:14px;font-variant-numeric:tabular-nums}
th,td{text-align:left;padding:5px 10px 5px 0;border-bottom:1px solid var(--rule);vertical-align:top}
th{font-weight:600;color:var(--soft);font-size:13px}
td.n,th.n{text-align:right}
.bar{height:11px;border-radius:3px;min-width:1px}
.columns{columns:2 360px;column-gap:34px}
.columns section{break-inside:avoid;margin-bottom:16px}
.columns h3{margin:0 0 2px;font-size:14px;font-family:ui-monospace,Menlo,Consolas,monospace}
.columns td:first-child{color:var(--soft);width:52%}
dl{margin:0}
dt{font-weight:600;margin-top:10px}
dd{margin:0;color:var(--soft);max-width:900px}
details summary{cursor:pointer;font-weight:600}
footer{margin-top:44px;color:var(--soft);font-size:13px;border-top:1px solid var(--rule);padding-top:14px}
@media print{body{background:#fff}.panel,.tile,figure{break-inside:avoid}}
)css";

std::string variables(const char* base, const std::array<const char*, palette_size>& palette) {
  std::string out = base;
  for (std::size_t i = 0; i < palette.size(); ++i) out += fmt::format("--c{}:{};", i, palette[i]);
  return out;
}

}  // namespace

std::string report_style() {
  std::string css =
      fmt::format(":root{{color-scheme:light dark;{}}}\n@media(prefers-color-scheme:dark){{:root{{{}}}}}\n",
                  variables("--page:#f6f4f8;--card:#fff;--ink:#1d1828;--soft:#625b70;--rule:#e5e0ea;", light),
                  variables("--page:#120f1b;--card:#1b1727;--ink:#efeaf6;--soft:#a9a1b8;--rule:#332c42;", dark));
  css += rules;
  for (int i = 0; i < palette_size; ++i) {
    css += fmt::format(
        ".s{0}{{stroke:var(--c{0})}}.c{0}{{fill:var(--c{0});stroke:var(--c{0})}}.b{0}{{background:var(--c{0})}}"
        ".b{0}.open{{background:none;border:2px dashed var(--c{0})}}\n",
        i);
  }
  return css + ".area{stroke:none}\n";
}

std::string html_page(const PageHead& head, const std::string& body) {
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
      "content=\"width=device-width,initial-scale=1\"><title>{} &ndash; "
      "Multiwalk</title>\n<style>{}</style></head><body>\n"
      "<header><div><div class=\"brand\">Multiwalk &middot; {}</div><h1>{}</h1><p>{}</p></div></header><main>\n{}"
      "</main></body></html>\n",
      escape_html(head.title), report_style(), escape_html(head.brand), escape_html(head.heading),
      escape_html(head.about), body);
}

}  // namespace multiwalk
