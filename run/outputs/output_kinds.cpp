// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include "run/outputs/halo_output.hpp"
#include "run/outputs/image_output.hpp"
#include "run/outputs/output_kind.hpp"
#include "run/outputs/power_output.hpp"
#include "run/outputs/snapshot_output.hpp"

namespace multiwalk {

namespace {

OutputKinds make_kinds() {
  OutputKinds kinds;
  kinds.push_back(std::make_unique<SnapshotOutput>());
  kinds.push_back(std::make_unique<ImageOutput>());
  kinds.push_back(std::make_unique<HaloOutput>());
  kinds.push_back(std::make_unique<PowerOutput>());
  return kinds;
}

}  // namespace

const OutputKinds& output_kinds() {
  static const OutputKinds kinds = make_kinds();
  return kinds;
}

std::string OutputMoment::path(std::string_view stem) const {
  return fmt::format("{}/{}_{:03d}", parameters.run.directory, stem, number);
}

OutputRecord write_output(const OutputMoment& moment) {
  const SystemFacts& system = moment.particles.facts();
  OutputRecord output;
  output.time = system.time;
  output.z = system.frame == Frame::comoving ? 1 / system.time - 1 : 0;
  for (const auto& kind : output_kinds()) {
    output.entries[std::string(kind->name())] = kind->write(moment, output.entries);
  }
  return output;
}

}  // namespace multiwalk
