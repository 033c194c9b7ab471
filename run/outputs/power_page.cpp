// SPDX-License-Identifier: GPL-3.0-or-later
// The page of `multiwalk power`, in the style of report.html.
#include "run/outputs/power_report.hpp"
#include "run/pages/chart.hpp"
#include "run/pages/page_style.hpp"
#include "run/pages/power_charts.hpp"

namespace multiwalk {

std::string power_page(const nlohmann::json& power) {
  return html_page({"Power spectrum", "power spectrum", "Clustering by scale", power.at("snapshot").get<std::string>()},
                   chart_panels(spectrum_charts({{"measured", power}})) + "<section class=\"panel\"><pre>" +
                       escape_html(power_text(power)) + "</pre></section>\n");
}

}  // namespace multiwalk
