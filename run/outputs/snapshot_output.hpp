// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "run/outputs/output_kind.hpp"

namespace multiwalk {

/// The run's parameters and this program's name and version, as every snapshot states them; `softening`: comoving,
/// internal length, without its physical cap.
SnapshotOptions snapshot_options(Parameters parameters, double softening);

/// snapshot_NNN: the particles; if halos were found, in their order. Entry: the paths of its files.
class SnapshotOutput final : public OutputKind {
 public:
  [[nodiscard]] std::string_view name() const override { return "snapshots"; }
  [[nodiscard]] std::string_view files() const override { return R"(snapshot_\d+(\.\d+)?\.hdf5)"; }
  nlohmann::json write(const OutputMoment& moment, const nlohmann::json& earlier) const override;
};

}  // namespace multiwalk
