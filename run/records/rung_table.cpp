// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/records/rung_table.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace multiwalk {

std::string rung_table(const RunRecord& record) {
  std::size_t rungs = 0;
  for (const StepRecord& step : record.steps) rungs = std::max(rungs, step.block.rungs.size());
  if (rungs == 0) return "";
  std::string text = record.comoving ? "step,a,z,substeps,evaluations" : "step,time,substeps,evaluations";
  for (std::size_t k = 0; k < rungs; ++k) text += fmt::format(",rung_{}", k);
  text += '\n';
  for (const StepRecord& step : record.steps) {
    if (step.block.substeps == 0) continue;
    text += record.comoving ? fmt::format("{},{:.8g},{:.6g}", step.step, step.a, step.z)
                            : fmt::format("{},{:.8g}", step.step, step.time);
    text += fmt::format(",{},{}", step.block.substeps, step.block.evaluations);
    for (std::size_t k = 0; k < rungs; ++k) {
      text += fmt::format(",{}", k < step.block.rungs.size() ? step.block.rungs[k] : 0);
    }
    text += '\n';
  }
  return text;
}

}  // namespace multiwalk
