// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/setup/output_kinds.hpp"

#include <array>

#include "run/maps/grid_output.hpp"
#include "run/maps/plane_output.hpp"
#include "run/outputs/halo_output.hpp"
#include "run/outputs/image_output.hpp"
#include "run/outputs/power_output.hpp"
#include "run/outputs/snapshot_output.hpp"
#include "run/sky/light_cone.hpp"
#include "run/trees/tree_outputs.hpp"

namespace multiwalk {

namespace {

/// Of an output without a state, whose write() looks at the parameters.
template <class Kind>
std::unique_ptr<Output> make(const OutputSetup& /*setup*/) {
  return std::make_unique<Kind>();
}

// Trees last: the run waits for their work beside the steps before another output writes.
constexpr std::array kinds{
    OutputKind{"snapshots", SnapshotOutput::files, make<SnapshotOutput>},
    OutputKind{"image", ImageOutput::files, make<ImageOutput>},
    OutputKind{"halos", HaloOutput::files, make<HaloOutput>},
    OutputKind{"power", PowerOutput::files, make<PowerOutput>},
    OutputKind{"light_cone", light_cone_files, make_light_cone, true},
    OutputKind{"grids", GridOutput::files, make_grid_output, true},
    OutputKind{"planes", PlaneOutput::files, make_plane_output, true},
    OutputKind{"trees", TreeOutputs::files, make_tree_outputs, true},
};

}  // namespace

std::span<const OutputKind> output_kinds() {
  return kinds;
}

}  // namespace multiwalk
