// SPDX-License-Identifier: GPL-3.0-or-later
// A run beside a published one, as a table of the report.
#include <fmt/format.h>

#include <cmath>

#include "run/files/number_text.hpp"
#include "run/pages/report_charts.hpp"
#include "run/report/run_figures.hpp"

namespace multiwalk {

namespace {

using nlohmann::json;

struct Row {
  const char* key;
  std::string what;
};

std::vector<Row> rows(const std::string& currency) {
  return {{"particles", "particles"},
          {"devices", "GPUs"},
          {"steps", "steps timed"},
          {"seconds_per_step", "seconds per step"},
          {"particles_per_second", "particles per second"},
          {"raw_list", "raw interactions per particle and step"},
          {"effective_list", "effective interactions per particle and step"},
          {"tflops_raw", "raw speed, Tflops"},
          {"tflops_effective", "effective speed, Tflops"},
          {"tflops_effective_per_device", "effective speed per GPU, Tflops"},
          {"price", "price, " + currency},
          {"price_per_gflops_effective", currency + " per effective Gflops"},
          {"particles_per_second_per_price", "particles per second per " + currency},
          {"joules_per_step", "joules per step, GPUs only"},
          {"joules_per_effective_pair", "joules per effective interaction"}};
}

std::string text_of(double value) {
  if (!std::isfinite(value)) return "&ndash;";
  return value >= 1000 && value < 1e10 ? with_commas(value) : scientific(value);
}

}  // namespace

std::string comparison_section(const json& report) {
  const json comparison = report.value("comparison", json());
  const json now = report.value("sustained", json());
  if (!comparison.is_object() || !now.is_object()) return "";
  const json& then = comparison.at("figures");
  std::string table;
  for (const Row& row : rows(escape_html(comparison.at("currency")))) {
    const double theirs = number_or_nan(then.at(row.key)), ours = number_or_nan(now.at(row.key));
    const double ratio = ours / theirs;
    table += fmt::format("<tr><td>{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td></tr>\n",
                         row.what, text_of(theirs), text_of(ours),
                         std::isfinite(ratio) && ratio > 0 ? scientific(ratio) : "&ndash;");
  }
  return fmt::format(
      "<section class=\"panel\"><h3>Beside {0}</h3><table><tr><th></th><th class=\"n\">{0}</th><th class=\"n\">this "
      "run</th><th class=\"n\">this / that</th></tr>\n{1}</table><p class=\"how\">{0}: {2}. This run: the steps alone, "
      "without initial conditions, the first forces and what was measured at them. Prices are of their own days. "
      "Where the particles differ in number, compare particles per second.</p></section>\n",
      escape_html(comparison.at("title")), table, escape_html(comparison.at("machine")));
}

}  // namespace multiwalk
