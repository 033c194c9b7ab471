// SPDX-License-Identifier: GPL-3.0-or-later
// A shell of a light cone whose header and maps are other than they should be (deviating_file.hpp).
#include "run/sky/sky_shell.hpp"
#include "tests/fuzz/deviating_file.hpp"

using namespace multiwalk;
using namespace multiwalk::fuzz;

namespace {

const Attributes whole{{"Nside", {1}}, {"Shell", {0}}, {"NumPart", {12}}};
const Attributes figures{{"Near", {100}},         {"Far", {200}},       {"RedshiftNear", {0.03}},
                         {"RedshiftFar", {0.07}}, {"MeanDensity", {1}}, {"ParticleMass", {1}},
                         {"SolidAngle", {6}},     {"Omega0", {0.3}},    {"OmegaLambda", {0.7}},
                         {"HubbleParam", {0.7}},  {"w0", {-1}},         {"wa", {0}}};

void write_file(const std::string& path, FuzzedDataProvider& input) {
  const Handle file = make_file(path);
  const bool listed = input.ConsumeBool();
  const Handle header = make_group(file, "Header");
  for (const Attribute& each : whole) write_attribute(header, each, true, input);
  for (const Attribute& each : figures) write_attribute(header, each, false, input);
  const std::vector<double> ones(12, 1), two{5, 7}, places{3, 8};
  write_dataset(file, {"Counts", listed ? two : ones, 1, H5T_NATIVE_UINT32}, input);
  if (listed) write_dataset(file, {"Pixels", places, 1, H5T_NATIVE_INT64}, input);
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t bytes) {
  FuzzedDataProvider input(data, bytes);
  const MemoryFile file(nullptr, 0);
  write_file(file.path(), input);
  expect_input_error_at_most([&] {
    const StoredShell shell = read_shell(file.path());
    for (const std::uint64_t p : shell.pixel)
      if (p >= 12 * std::uint64_t{shell.nside} * shell.nside) std::abort();
  });
  return 0;
}
