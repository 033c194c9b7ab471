// SPDX-License-Identifier: GPL-3.0-or-later
// Published runs that a report may be compared with: [cost] compare_with.
#pragma once

#include <array>
#include <optional>
#include <string_view>

namespace multiwalk {

/// Sums over the steps of a run.
struct RunFigures {
  double particles = 0, steps = 0, devices = 0;
  double seconds = 0;
  double raw_pairs = 0;
  std::optional<double> effective_pairs;
  std::optional<double> price;   ///< of all hardware
  std::optional<double> joules;  ///< of the devices
  double operations = 38;        ///< of a pair, by convention
};

struct PublishedRun {
  std::string_view name;     ///< in the parameter file
  std::string_view title;    ///< in the report
  std::string_view machine;  ///< with the day of its price
  std::string_view currency;
  RunFigures figures;
};

inline constexpr std::array published_runs{
    // SC '09, sections 4 and 5: z = 24.0 to 20.5; the price in yen was 17,279,632. No joules are given.
    PublishedRun{"hamada2009",
                 "Hamada et al. (2009)",
                 "128 GPUs in 128 hosts, prices of 2009",
                 "USD",
                 {562232867, 394, 128, 4894, 2.583082e15, 1.09e15, 168172, std::nullopt, 38}},
};

}  // namespace multiwalk
