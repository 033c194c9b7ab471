// SPDX-License-Identifier: GPL-3.0-or-later
// A snapshot whose attributes and datasets are other than they should be (deviating_file.hpp).
#include <vector>

#include "run/snapshots/snapshot.hpp"
#include "tests/fuzz/deviating_file.hpp"

using namespace multiwalk;
using namespace multiwalk::fuzz;

namespace {

const Attributes counts{{"NumPart_ThisFile", {0, 2}}, {"NumPart_Total", {0, 2}}, {"NumPart_Total_HighWord", {0, 0}}};
const Attributes header{
    {"BoxSize", {1000}},    {"Time", {0.5}},        {"Redshift", {1}},     {"Omega0", {0.3}},
    {"OmegaLambda", {0.7}}, {"HubbleParam", {0.7}}, {"MassTable", {0, 0}}, {"NumFilesPerSnapshot", {1}}};
const Attributes units{{"UnitLength_in_cm", {3.085678e21}},
                       {"UnitMass_in_g", {1.989e43}},
                       {"UnitVelocity_in_cm_per_s", {1e5}},
                       {"ComovingIntegrationOn", {1}}};
const Attributes swift_units{
    {"Unit length in cgs (U_L)", {3e24}}, {"Unit mass in cgs (U_M)", {2e43}}, {"Unit time in cgs (U_t)", {3e19}}};
const Attributes swift{{"Cosmological run", {1}}, {"Scale-factor", {0.5}}, {"h", {0.7}}, {"Omega_m", {0.3}},
                       {"Omega_lambda", {0.7}},   {"w_0", {-1}},           {"w_a", {0}}};
const Attributes own{{"frame", {}},    {"boundary", {}},  {"sphere_radius", {0}},
                     {"spacing", {1}}, {"box_size", {1}}, {"origin", {0, 0, 0}}};
const Attributes softenings{{"SofteningComovingClass0", {1}}, {"SofteningMaxPhysClass0", {1}}};

/// Of two particles.
std::vector<Dataset> columns(FuzzedDataProvider& input) {
  const std::vector<double> six{1, 2, 3, 500, 600, 700}, two{1, 2};
  std::vector<Dataset> all{{"Coordinates", six, 3, H5T_NATIVE_FLOAT},
                           {"Velocities", six, 3, H5T_NATIVE_FLOAT},
                           {"ParticleIDs", two, 1, H5T_NATIVE_UINT32},
                           {"Masses", two, 1, H5T_NATIVE_FLOAT}};
  if (deviates(input)) all.push_back({"Potential", two, 1, H5T_NATIVE_FLOAT});
  return all;
}

void write_file(const std::string& path, FuzzedDataProvider& input) {
  const Handle file = make_file(path);
  const auto write = [&](const Handle& group, const Attributes& attributes, bool whole = false) {
    for (const Attribute& each : attributes) write_attribute(group, each, whole, input);
  };
  const bool is_swift = input.ConsumeBool(), is_own = input.ConsumeBool(), is_monofonic = input.ConsumeBool();
  const Handle top = make_group(file, "Header");
  write(top, counts, true);
  write(top, header);
  write(make_group(file, "Units"), is_swift ? swift_units : units);
  if (is_swift) write(make_group(file, "Cosmology"), swift);
  if (is_own) write(make_group(file, "Run"), own);
  if (is_own) write(make_group(file, "Parameters"), softenings);
  if (is_monofonic) write_text(make_group(file, "ICs_parameters"), "Code", input);
  if (deviates(input)) return;
  const Handle particles = make_group(file, "PartType1");
  for (const Dataset& column : columns(input)) write_dataset(particles, column, input);
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t bytes) {
  FuzzedDataProvider input(data, bytes);
  const fuzz::MemoryFile file(nullptr, 0);
  write_file(file.path(), input);
  fuzz::expect_input_error_at_most([&] {
    read_snapshot_info(file.path());
    read_snapshot(file.path());
  });
  return 0;
}
