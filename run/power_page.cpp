// The charts of `multiwalk power`, in the style of report.html.
#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "run/power_report.hpp"
#include "run/report_charts.hpp"
#include "run/report_style.hpp"

namespace multiwalk {

namespace {

using nlohmann::json;

std::vector<double> over_linear(const json& rows, const char* key) {
  std::vector<double> values;
  for (const json& row : rows) values.push_back(number_or_nan(row.at(key)) / number_or_nan(row.at("linear")));
  return values;
}

/// The bins, or of many those that a logarithmic axis can keep apart.
json drawn_rows(const json& power) {
  json rows = json::array();
  double next = 0;
  for (const json& row : power.at("bins")) {
    const double k = row.at("k").get<double>();
    if (k < next) continue;
    next = 1.03 * k;
    rows.push_back(row);
  }
  return rows;
}

ChartAxis k_axis() {
  return {"k (h/Mpc)", true, {}, false};
}

ReportChart power_chart(const json& power, const json& rows) {
  const std::vector<double> k = column(rows, "k");
  const bool subtracted = power.at("shot_noise_subtracted").get<bool>();
  ReportChart out{"Power spectrum",
                  {"Power spectrum of matter against wavenumber",
                   k_axis(),
                   {"P (Mpc/h)³", true, {}, false},
                   {{"measured", 0, k, column(rows, "power"), column(rows, "sigma"), Mark::points, false}},
                   false},
                  "How strongly matter clusters on the scale 2&pi;/k. The bars are P sqrt(2/modes), the scatter of a "
                  "Gaussian field: few waves fit into the box at small k. "};
  if (!power.at("cosmology").is_null()) {
    out.chart.series.push_back({"linear theory", 3, k, column(rows, "linear"), {}, Mark::line, false});
    out.how_to_read +=
        "The line is linear theory (Eisenstein &amp; Hu 1998) for the snapshot's cosmology and epoch; nonlinear growth "
        "lifts the points above it at large k. ";
  }
  const std::vector<double> noise(k.size(), power.at("shot_noise").get<double>());
  out.chart.series.push_back({"shot noise", 9, k, noise, {}, Mark::line, true});
  out.how_to_read += subtracted ? "The shot noise of the particles (dashed) is subtracted."
                                : "Below the shot noise of randomly placed particles (dashed), which is not "
                                  "subtracted, the points say little; particles still near their lattice have less.";
  return out;
}

/// Up to the Nyquist wavenumber of the particles, beyond which they hold no linear wave.
ReportChart ratio_chart(const json& power, const json& drawn) {
  const double per_side = std::cbrt(power.at("particles").get<double>());
  const double last = std::numbers::pi * per_side / power.at("box_size").get<double>();
  json rows = json::array();
  for (const json& row : drawn) {
    if (row.at("k").get<double>() <= last) rows.push_back(row);
  }
  return {"Over linear theory",
          {"Ratio of the measured power to linear theory",
           k_axis(),
           {"P / linear P", true, {}, false},
           {{"", 0, column(rows, "k"), over_linear(rows, "power"), over_linear(rows, "sigma"), Mark::points, false}},
           false},
          "At small k the points scatter about 1 as the few waves of this realisation do; a trend there means that "
          "growth is wrong, or that the snapshot was made from another linear spectrum. Drawn up to the Nyquist "
          "wavenumber of the particles, &pi; over their mean spacing."};
}

}  // namespace

std::string power_page(const json& power) {
  const json rows = drawn_rows(power);
  std::vector<ReportChart> charts{power_chart(power, rows)};
  if (!power.at("cosmology").is_null()) charts.push_back(ratio_chart(power, rows));
  std::string page =
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
      "content=\"width=device-width,initial-scale=1\"><title>Power spectrum &ndash; Multiwalk</title>\n<style>" +
      report_style() + "pre{overflow-x:auto;font-size:12px}</style></head><body>\n";
  page += fmt::format(
      "<header><div><div class=\"brand\">Multiwalk &middot; power spectrum</div><h1>Clustering by "
      "scale</h1><p>{}</p></div></header><main>\n",
      escape_html(power.at("snapshot").get<std::string>()));
  page += chart_panels(charts);
  page += "<section class=\"panel\"><pre>" + escape_html(power_text(power)) + "</pre></section>\n";
  return page + "</main></body></html>\n";
}

}  // namespace multiwalk
