// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/sky/run_power.hpp"

#include <algorithm>
#include <cmath>

#include "run/files/json_input.hpp"

namespace multiwalk {

RunPower::RunPower(const Parameters& parameters, const nlohmann::json& report)
    : growth_(Expansion(parameters.cosmology)),
      today_(LinearPower::of(parameters.cosmology, parameters.ic.transfer_file)) {
  values_from("report.json", [&] { take_epochs(report); });
}

void RunPower::take_epochs(const nlohmann::json& report) {
  for (const nlohmann::json& output : report.at("outputs")) {
    const nlohmann::json power = output.value("power", nlohmann::json());
    if (!power.is_object()) continue;
    shot_noise_ = power.at("shot_noise").get<double>();
    Epoch epoch{1 / (1 + output.at("z").get<double>()), {}, {}};
    for (const nlohmann::json& bin : power.at("bins")) {
      const double k = bin.at("k").get<double>(),
                   less = power.at("shot_noise_subtracted").get<bool>() ? 0 : shot_noise_;
      const nlohmann::json& theory = bin.at("linear");
      if (!(k > 0) || (!epoch.k.empty() && k <= epoch.k.back())) continue;
      epoch.k.push_back(k);
      epoch.ratio.push_back((bin.at("power").get<double>() - less) /
                            (theory.is_number() ? theory.get<double>() : linear(k, epoch.a)));
    }
    if (!epoch.k.empty()) epochs_.push_back(std::move(epoch));
  }
  std::ranges::sort(epochs_, {}, &Epoch::a);
}

double RunPower::linear(double k, double a) const {
  const double growth = growth_.factor(a) / growth_.factor(1);
  return growth * growth * today_(k);
}

double RunPower::ratio_at(const Epoch& epoch, double k) {
  if (k <= epoch.k.front()) return 1;
  const auto above = std::ranges::lower_bound(epoch.k, k);
  if (above == epoch.k.end()) return 0;
  const auto i = static_cast<std::size_t>(above - epoch.k.begin());
  const double u = std::log(k / epoch.k[i - 1]) / std::log(epoch.k[i] / epoch.k[i - 1]);
  return (1 - u) * epoch.ratio[i - 1] + u * epoch.ratio[i];
}

double RunPower::measured(double k, double a) const {
  if (epochs_.empty()) return linear(k, a);
  const auto later = std::ranges::lower_bound(epochs_, a, {}, &Epoch::a);
  if (later == epochs_.begin() || later == epochs_.end()) {
    return linear(k, a) * ratio_at(later == epochs_.end() ? epochs_.back() : epochs_.front(), k);
  }
  const Epoch &one = *std::prev(later), &two = *later;
  const double u = std::log(a / one.a) / std::log(two.a / one.a);
  return linear(k, a) * ((1 - u) * ratio_at(one, k) + u * ratio_at(two, k));
}

}  // namespace multiwalk
