// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "run/outputs/output_kind.hpp"

namespace multiwalk {

/// fof_subhalo_tab_NNN.hdf5 and images of the most massive halos. Entry: {file, halos, members, mass_functions,
/// images}.
class HaloOutput final : public OutputKind {
 public:
  [[nodiscard]] std::string_view name() const override { return "halos"; }
  [[nodiscard]] std::string_view files() const override {
    return R"(fof_subhalo_tab_\d+(\.\d+)?\.hdf5|image_\d+_halo_?\d+\.png)";
  }
  nlohmann::json write(const OutputMoment& moment, const nlohmann::json& earlier) const override;
};

}  // namespace multiwalk
