// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/pages/power_charts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace multiwalk {

namespace {

using nlohmann::json;

constexpr std::size_t most_drawn = 5;  ///< spectra in one chart
constexpr int noise_colour = 9;
constexpr double largest_waves = 0.1;  ///< h/Mpc

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

/// The bins up to the Nyquist wavenumber of the particles, beyond which they hold no linear wave.
json linear_rows(const json& power) {
  const double per_side = std::cbrt(power.at("particles").get<double>());
  const double last = std::numbers::pi * per_side / power.at("box_size").get<double>();
  json rows = json::array();
  for (const json& row : drawn_rows(power)) {
    if (row.at("k").get<double>() <= last) rows.push_back(row);
  }
  return rows;
}

ChartAxis k_axis() {
  return {"k (h/Mpc)", true, {}, false};
}

/// Colours of several spectra, their linear theory in the same; of one alone the theory stands out.
int colour_of(std::size_t spectrum) {
  constexpr int colours[most_drawn] = {0, 1, 2, 5, 4};
  return colours[spectrum % most_drawn];
}

ReportChart power_chart(const std::vector<NamedSpectrum>& spectra) {
  ReportChart out{"Power spectrum",
                  {"Power spectrum of matter against wavenumber", k_axis(), {"P (Mpc/h)³", true, {}, false}, {}, false},
                  "How strongly matter clusters on the scale 2&pi;/k. The bars are P sqrt(2/modes), the scatter of a "
                  "Gaussian field: few waves fit into the box at small k. "};
  bool theory = false;
  for (std::size_t s = 0; s < spectra.size(); ++s) {
    const json& power = spectra[s].power;
    const json rows = drawn_rows(power);
    const std::vector<double> k = column(rows, "k");
    out.chart.series.push_back(
        {spectra[s].name, colour_of(s), k, column(rows, "power"), column(rows, "sigma"), Mark::points, false});
    if (power.at("cosmology").is_null()) continue;
    const int colour = spectra.size() > 1 ? colour_of(s) : 3;
    out.chart.series.push_back(
        {theory ? "" : "linear theory", colour, k, column(rows, "linear"), {}, Mark::line, false});
    theory = true;
  }
  if (theory) {
    out.how_to_read +=
        "The line is linear theory for the cosmology and the epoch, of Eisenstein &amp; Hu (1998) unless the initial "
        "conditions had a table; nonlinear growth lifts the points above it at large k. ";
  }
  const json& last = spectra.back().power;
  const std::vector<double> k = column(drawn_rows(last), "k");
  const std::vector<double> noise(k.size(), last.at("shot_noise").get<double>());
  out.chart.series.push_back({"shot noise", noise_colour, k, noise, {}, Mark::line, true});
  out.how_to_read += last.at("shot_noise_subtracted").get<bool>()
                         ? "The shot noise of the particles (dashed) is subtracted."
                         : "Below the shot noise of randomly placed particles (dashed), which is not "
                           "subtracted, the points say little; particles still near their lattice have less.";
  return out;
}

ReportChart ratio_chart(const std::vector<NamedSpectrum>& spectra) {
  ReportChart out{
      "Over linear theory",
      {"Ratio of the measured power to linear theory", k_axis(), {"P / linear P", true, {}, false}, {}, false},
      "At small k the points scatter about 1 as the few waves of this realisation do; a trend there means that "
      "growth is wrong, or that the particles were made from another linear spectrum. Drawn up to the Nyquist "
      "wavenumber of the particles, &pi; over their mean spacing."};
  for (std::size_t s = 0; s < spectra.size(); ++s) {
    const json rows = linear_rows(spectra[s].power);
    out.chart.series.push_back({spectra.size() > 1 ? spectra[s].name : "", colour_of(s), column(rows, "k"),
                                over_linear(rows, "power"), over_linear(rows, "sigma"), Mark::points, false});
  }
  return out;
}

/// Of so many things the places of at most most_drawn, spread evenly, the first and the last among them.
std::vector<std::size_t> drawn_places(std::size_t things) {
  std::vector<std::size_t> places;
  const std::size_t drawn = std::min(things, most_drawn);
  for (std::size_t i = 0; i < drawn; ++i) places.push_back(drawn > 1 ? i * (things - 1) / (drawn - 1) : 0);
  return places;
}

ReportChart growth_chart(const json& report, const std::vector<double>& epochs, const std::vector<WaveGrowth>& growth) {
  std::vector<double> measured, linear;
  for (const WaveGrowth& g : growth) {
    measured.push_back(g.measured);
    linear.push_back(g.linear);
  }
  ReportChart out{"Growth of the largest waves",
                  {"Power of the largest waves over that of the first output",
                   epoch_axis(report),
                   {"P / P at first", true, {}, false},
                   {{"measured", 0, epochs, measured, {}, Mark::points, false},
                    {"linear theory, D²", 3, epochs, linear, {}, Mark::line, false}},
                   false},
                  ""};
  out.how_to_read = fmt::format(
      "The same few longest waves of the box (k up to {:g} h/Mpc, two bins at least) at each output, over the first: "
      "while they are linear they grow as D&sup2;, so what they began with cancels. At the last output they have "
      "{:.3f} of linear theory. In a box of less than some 200 Mpc/h the longest waves do not stay linear.",
      largest_waves, growth.back().measured / growth.back().linear);
  return out;
}

}  // namespace

std::vector<ReportChart> spectrum_charts(const std::vector<NamedSpectrum>& spectra) {
  std::vector<ReportChart> charts{power_chart(spectra)};
  if (!spectra.front().power.at("cosmology").is_null()) charts.push_back(ratio_chart(spectra));
  return charts;
}

std::vector<WaveGrowth> wave_growth(const std::vector<json>& spectra) {
  std::vector<WaveGrowth> sums;
  for (const json& power : spectra) {
    WaveGrowth sum{0, 0};
    std::size_t bins = 0;
    for (const json& row : power.at("bins")) {
      if (bins++ >= 2 && row.at("k").get<double>() > largest_waves) break;
      const double modes = row.at("modes").get<double>();
      sum.measured += modes * number_or_nan(row.at("power"));
      sum.linear += modes * number_or_nan(row.at("linear"));
    }
    sums.push_back(sum);
  }
  std::vector<WaveGrowth> growth;
  for (const WaveGrowth& sum : sums)
    growth.push_back({sum.measured / sums.front().measured, sum.linear / sums.front().linear});
  return growth;
}

std::string power_section(const json& report) {
  std::vector<json> spectra;
  std::vector<double> epochs;
  std::vector<std::string> names;
  for (const json& output : report.at("outputs")) {
    const json power = output.value("power", json());
    if (!power.is_object()) continue;
    spectra.push_back(power);
    epochs.push_back(epoch(report, output));
    names.push_back(epoch_text(report, output));
  }
  if (spectra.empty()) return "";
  std::vector<NamedSpectrum> drawn;
  for (const std::size_t i : drawn_places(spectra.size())) drawn.push_back({names[i], spectra[i]});
  std::vector<ReportChart> charts = spectrum_charts(drawn);
  if (spectra.size() > 1 && report.at("comoving").get<bool>())
    charts.push_back(growth_chart(report, epochs, wave_growth(spectra)));
  return "<h2>Clustering by scale</h2><p class=\"lead\">Power spectra of the outputs; all their bins are in "
         "report.json and in the tables power_NNN.csv.</p>\n" +
         chart_panels(charts);
}

}  // namespace multiwalk
