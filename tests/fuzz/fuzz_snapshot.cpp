// SPDX-License-Identifier: GPL-3.0-or-later
// A snapshot whose attributes and datasets are other than they should be: the input says which are missing, of another
// type or size, or hold other values. Files that are damaged below that are the HDF5 library's to refuse.
#include <fuzzer/FuzzedDataProvider.h>

#include <array>
#include <vector>

#include "run/hdf5/hdf5_file.hpp"
#include "run/snapshots/snapshot.hpp"
#include "tests/fuzz/fuzz_input.hpp"

using namespace multiwalk;
using hdf5::Handle;

namespace {

struct Attribute {
  const char* name;
  std::vector<double> values;  ///< in a good file
};
using Attributes = std::vector<Attribute>;

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
constexpr std::array columns{"Coordinates", "Velocities", "ParticleIDs", "Masses", "Potential"};

/// One time in eight; never once the input is used up, so that an empty one makes a good file.
bool deviates(FuzzedDataProvider& input) {
  return input.ConsumeIntegralInRange(0, 7) == 1;
}

hid_t any_type(FuzzedDataProvider& input) {
  const std::array types{H5T_NATIVE_DOUBLE, H5T_NATIVE_FLOAT, H5T_NATIVE_INT32, H5T_NATIVE_UINT64, H5T_NATIVE_INT8};
  return input.PickValueInArray(types);
}

/// `count` numbers of a kind that files hold, or any bits.
std::vector<double> any_numbers(FuzzedDataProvider& input, std::size_t count) {
  std::vector<double> values(count);
  for (double& value : values) {
    const int kind = input.ConsumeIntegralInRange(0, 3);
    value = kind == 0   ? input.ConsumeIntegralInRange(-2, 9)
            : kind == 1 ? input.ConsumeFloatingPointInRange(0.0, 1.0)
            : kind == 2 ? input.ConsumeFloatingPoint<double>()
                        : 3.085678e21;
  }
  return values;
}

void write_numbers(const Handle& group, const char* name, hid_t type, const std::vector<double>& values) {
  const hsize_t count = values.size();
  const Handle space(count == 1 ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &count, nullptr), H5Sclose);
  const Handle attribute(H5Acreate2(group.get(), name, type, space.get(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  H5Awrite(attribute.get(), H5T_NATIVE_DOUBLE, values.data());
}

void write_text(const Handle& group, const char* name, FuzzedDataProvider& input) {
  const std::array texts{"", "newtonian", "comoving", "vacuum", "periodic", "monofonIC"};
  const std::string text = texts[input.ConsumeIntegralInRange<std::size_t>(0, texts.size() - 1)];
  const Handle type(H5Tcopy(H5T_C_S1), H5Tclose), space(H5Screate(H5S_SCALAR), H5Sclose);
  H5Tset_size(type.get(), text.size() + 1);
  const Handle attribute(H5Acreate2(group.get(), name, type.get(), space.get(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  H5Awrite(attribute.get(), type.get(), text.c_str());
}

void write_attribute(const Handle& group, const Attribute& attribute, bool whole, FuzzedDataProvider& input) {
  if (!deviates(input)) {
    if (attribute.values.empty()) return write_text(group, attribute.name, input);
    return write_numbers(group, attribute.name, whole ? H5T_NATIVE_INT32 : H5T_NATIVE_DOUBLE, attribute.values);
  }
  const int kind = input.ConsumeIntegralInRange(0, 3);
  if (kind == 0) return;
  if (kind == 1) return write_text(group, attribute.name, input);
  const std::size_t count =
      kind == 2 ? std::max<std::size_t>(attribute.values.size(), 1) : input.ConsumeIntegralInRange<std::size_t>(1, 20);
  write_numbers(group, attribute.name, any_type(input), any_numbers(input, count));
}

void write_column(const Handle& group, std::size_t column, FuzzedDataProvider& input) {
  std::array<hsize_t, 3> extent{2, 3, 1};
  int rank = column < 2 ? 2 : 1;
  hid_t type = column == 2 ? H5T_NATIVE_UINT32 : H5T_NATIVE_FLOAT;
  const Handle properties(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  bool written = true;
  if (column == 4 && !deviates(input)) return;
  if (deviates(input)) {
    rank = input.ConsumeIntegralInRange(0, 3);
    extent = {input.ConsumeIntegralInRange<hsize_t>(0, 5), input.ConsumeIntegralInRange<hsize_t>(1, 4), 1};
    type = any_type(input);
    written = input.ConsumeBool();
    const std::array<hsize_t, 3> chunk{1, 1, 1};
    if (rank > 0 && input.ConsumeBool()) H5Pset_chunk(properties.get(), rank, chunk.data());
    if (input.ConsumeBool()) return;
  }
  const Handle space(rank == 0 ? H5Screate(H5S_SCALAR) : H5Screate_simple(rank, extent.data(), nullptr), H5Sclose);
  const hid_t id =
      H5Dcreate2(group.get(), columns[column], type, space.get(), H5P_DEFAULT, properties.get(), H5P_DEFAULT);
  if (id < 0) return;
  const Handle dataset(id, H5Dclose);
  std::vector<double> values{1, 2, 3, 500, 600, 700};
  values.resize(20);
  if (deviates(input)) values = any_numbers(input, 20);
  if (written) H5Dwrite(id, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
}

Handle make_group(const Handle& file, const char* name) {
  return {H5Gcreate2(file.get(), name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose};
}

void write_file(const std::string& path, FuzzedDataProvider& input) {
  const Handle file(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), H5Fclose);
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
  for (std::size_t column = 0; column < columns.size(); ++column) write_column(particles, column, input);
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t bytes) {
  FuzzedDataProvider input(data, bytes);
  const fuzz::MemoryFile file(nullptr, 0);
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  write_file(file.path(), input);
  fuzz::expect_input_error_at_most([&] {
    read_snapshot_info(file.path());
    read_snapshot(file.path());
  });
  return 0;
}
