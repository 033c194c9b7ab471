// SPDX-License-Identifier: GPL-3.0-or-later
// [cost]: prices for the report.
#pragma once

#include <optional>
#include <string>

#include "run/parameters/parameter_key.hpp"
#include "run/parameters/published_runs.hpp"

namespace multiwalk {

struct CostParameters {
  std::string currency = "USD";
  std::optional<double> machine_price, device_price, network_price, hourly_price;
  std::string date;
  std::string compare_with = "none";

  void describe(const auto& key) {
    const Range price = Range::from(0);
    key("cost.currency", currency, "currency of the prices");
    key("cost.machine_price", machine_price, "purchase price without devices and network", price, "currency");
    key("cost.device_price", device_price, "purchase price of one device", price, "currency");
    key("cost.network_price", network_price, "purchase price of the network", price, "currency");
    key("cost.hourly_price", hourly_price, "price per hour of the whole machine", price, "currency/h");
    key("cost.date", date, "date of the prices");
    key("cost.compare_with", compare_with, {"none", published_runs[0].name},
        "published run with which the report compares this one");
  }
};

}  // namespace multiwalk
