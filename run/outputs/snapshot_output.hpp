// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "run/outputs/output.hpp"

namespace multiwalk {

/// The run's parameters and this program's name and version, as every snapshot states them; `softening`: comoving,
/// internal length, without its physical cap.
SnapshotOptions snapshot_options(Parameters parameters, double softening);

/// snapshot_NNN: the particles; if halos were found, in their order. Entry: the paths of its files.
class SnapshotOutput final : public Output {
 public:
  static constexpr std::string_view files = R"(snapshot_\d+(\.\d+)?\.hdf5)";

  nlohmann::json write(const OutputMoment& moment) override;
  [[nodiscard]] bool needs_halos(const Parameters& parameters) const override;
};

}  // namespace multiwalk
