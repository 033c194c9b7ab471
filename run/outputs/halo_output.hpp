// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "run/outputs/output.hpp"

namespace multiwalk {

/// fof_subhalo_tab_NNN.hdf5 and images of the most massive halos. Entry: {file, halos, members, mass_functions,
/// images}.
class HaloOutput final : public Output {
 public:
  static constexpr std::string_view files = R"(fof_subhalo_tab_\d+(\.\d+)?\.hdf5|image_\d+_halo_?\d+\.png)";

  nlohmann::json write(const OutputMoment& moment) override;
  [[nodiscard]] bool needs_halos(const Parameters& parameters) const override;
};

}  // namespace multiwalk
