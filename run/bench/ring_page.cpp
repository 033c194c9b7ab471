// SPDX-License-Identifier: GPL-3.0-or-later
// The output of `bench ring`: a table, and a page of charts.
#include <fmt/format.h>

#include <cmath>

#include "run/bench/ring_model.hpp"
#include "run/pages/page_style.hpp"
#include "run/pages/report_charts.hpp"

namespace multiwalk {

namespace {

using nlohmann::json;

/// A dashed line predicted and points measured for each number of ranks.
std::vector<ChartSeries> series_of(const json& result, const char* figure) {
  std::vector<ChartSeries> all;
  int colour = 0;
  int ranks = 0;
  for (const json& row : result.at("rows")) {
    if (row.at("ranks") != ranks) {
      ranks = row.at("ranks").get<int>();
      const std::string name = fmt::format("{} rank{}", ranks, ranks == 1 ? "" : "s");
      all.push_back({name, colour, {}, {}, {}, Mark::points, false});
      all.push_back({"", colour, {}, {}, {}, Mark::line, true});
      colour = (colour + 1) % palette_size;
    }
    const char* kinds[] = {"measured", "predicted"};
    for (std::size_t k = 0; k < 2; ++k) {
      ChartSeries& series = all[all.size() - 2 + k];
      series.x.push_back(number_or_nan(row.at("particles")));
      series.y.push_back(number_or_nan(row.at(figure).at(kinds[k])));
    }
  }
  return all;
}

ReportChart step_chart(const json& result) {
  return {"Time of a step",
          {"Seconds of a step against the number of bodies",
           {"bodies", true, {}, false},
           {"seconds per step", true, {}, false},
           series_of(result, "seconds"),
           false},
          "Points: Hermite steps of all bodies, the fastest of several. Dashed: predicted from the parts measured "
          "alone, as in section 5 of Schive et al. (2008): t_host, t_pair with its efficiency for few bodies, t_pcie "
          "and t_net."};
}

ReportChart efficiency_chart(const json& result) {
  return {"Efficiency of the ring",
          {"Parallel efficiency against the number of bodies",
           {"bodies", true, {}, false},
           {"T(1) / (P T(P))", false, {}, true},
           series_of(result, "efficiency"),
           false},
          "One means that P ranks take a P-th of one rank's time."};
}

ReportChart sum_chart(const json& result) {
  const json& sums = result.at("model").at("sums");
  return {
      "Efficiency of a summation",
      {"Efficiency of one summation against its bodies",
       {"bodies", true, {}, false},
       {"t_pair n^2 / S(n)", false, {}, true},
       {{"", 3, column(sums, "bodies"), column(sums, "efficiency"), {}, Mark::line_and_points, false}},
       false},
      "How near a summation of so many bodies over as many comes to the speed of the largest one: few bodies do not "
      "fill a device or the threads."};
}

}  // namespace

std::string ring_text(const json& result) {
  const json& model = result.at("model");
  const auto part = [&](const char* name) { return model.at(name).get<double>(); };
  std::string text = fmt::format(
      "t_host {:.3g} s a body, t_pair {:.3g} s, t_pcie {:.3g} s a body, t_net {:.3g} s a body and {:.3g} s a message\n"
      "  ranks    bodies    s/step      mean  waiting  predicted  ratio  efficiency  predicted\n",
      part("t_host"), part("t_pair"), part("t_pcie"), part("t_net"), part("t_latency"));
  for (const json& row : result.at("rows")) {
    const auto figure = [&](const char* what, const char* which) { return number_or_nan(row.at(what).at(which)); };
    const double measured = figure("seconds", "measured"), predicted = figure("seconds", "predicted");
    text += fmt::format("{:>7} {:>9} {:>9.3g} {:>9.3g} {:>8.2g} {:>10.3g} {:>6.2f} {:>11.3f} {:>10.3f}\n",
                        row.at("ranks").get<int>(), row.at("particles").get<std::uint64_t>(), measured,
                        figure("seconds", "mean"), figure("seconds", "waiting"), predicted, predicted / measured,
                        figure("efficiency", "measured"), figure("efficiency", "predicted"));
  }
  return text;
}

std::string ring_page(const json& result) {
  const std::string body = chart_panels({step_chart(result), efficiency_chart(result), sum_chart(result)}) +
                           "<section class=\"panel\"><pre>" + escape_html(ring_text(result)) + "</pre></section>\n";
  return html_page({"Ring", "ring", "Direct summation on a ring of ranks", result.value("machine", "")}, body);
}

}  // namespace multiwalk
