// SPDX-License-Identifier: GPL-3.0-or-later
// The table of `bench ring`.
#include <fmt/format.h>

#include <cmath>

#include "run/bench/ring_model.hpp"

namespace multiwalk {

namespace {

using nlohmann::json;

double value_or_nan(const json& value) {
  return value.is_number() ? value.get<double>() : NAN;
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
    const auto figure = [&](const char* what, const char* which) { return value_or_nan(row.at(what).at(which)); };
    const double measured = figure("seconds", "measured"), predicted = figure("seconds", "predicted");
    text += fmt::format("{:>7} {:>9} {:>9.3g} {:>9.3g} {:>8.2g} {:>10.3g} {:>6.2f} {:>11.3f} {:>10.3f}\n",
                        row.at("ranks").get<int>(), row.at("particles").get<std::uint64_t>(), measured,
                        figure("seconds", "mean"), figure("seconds", "waiting"), predicted, predicted / measured,
                        figure("efficiency", "measured"), figure("efficiency", "predicted"));
  }
  return text;
}

}  // namespace multiwalk
