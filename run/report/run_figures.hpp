// SPDX-License-Identifier: GPL-3.0-or-later
// The figures by which a run and a published one are compared (Hamada et al. 2009, section 5 and Table 2).
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>

#include "run/parameters/parameters.hpp"
#include "run/parameters/published_runs.hpp"
#include "run/records/run_record.hpp"

namespace multiwalk {

/// Figures of the steps alone, without initial conditions, the first forces and the measurements made there. Null
/// before the first step.
std::optional<RunFigures> sustained_figures(const RunRecord& record, const CostParameters& prices);

/// {particles, steps, devices, seconds_per_step, raw_list, effective_list (pairs per particle and step), tflops_raw,
/// tflops_effective, particles_per_second, tflops_effective_per_device, price, price_per_gflops_effective,
/// particles_per_second_per_price, joules_per_step, joules_per_effective_pair}; null where it is not known.
nlohmann::json figures_json(const RunFigures& figures);

}  // namespace multiwalk
