// SPDX-License-Identifier: GPL-3.0-or-later
// HDF5 files whose attributes and datasets are other than they should be: the input says which are missing, of another
// type or size, or hold other values. Files that are damaged below that are the HDF5 library's to refuse.
#pragma once

#include <fuzzer/FuzzedDataProvider.h>

#include <array>
#include <string>
#include <vector>

#include "run/hdf5/hdf5_file.hpp"
#include "tests/fuzz/fuzz_input.hpp"

namespace multiwalk::fuzz {

using hdf5::Handle;

struct Attribute {
  const char* name;
  std::vector<double> values;  ///< in a good file
};
using Attributes = std::vector<Attribute>;

/// One time in eight; never once the input is used up, so that an empty one makes a good file.
inline bool deviates(FuzzedDataProvider& input) {
  return input.ConsumeIntegralInRange(0, 7) == 1;
}

inline hid_t any_type(FuzzedDataProvider& input) {
  const std::array types{H5T_NATIVE_DOUBLE, H5T_NATIVE_FLOAT, H5T_NATIVE_INT32, H5T_NATIVE_UINT64, H5T_NATIVE_INT8};
  return input.PickValueInArray(types);
}

/// `count` numbers of a kind that files hold, or any bits.
inline std::vector<double> any_numbers(FuzzedDataProvider& input, std::size_t count) {
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

inline void write_numbers(const Handle& group, const char* name, hid_t type, const std::vector<double>& values) {
  const hsize_t count = values.size();
  const Handle space(count == 1 ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &count, nullptr), H5Sclose);
  const Handle attribute(H5Acreate2(group.get(), name, type, space.get(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  H5Awrite(attribute.get(), H5T_NATIVE_DOUBLE, values.data());
}

inline void write_text(const Handle& group, const char* name, FuzzedDataProvider& input) {
  const std::array texts{"", "newtonian", "comoving", "vacuum", "periodic", "monofonIC"};
  const std::string text = texts[input.ConsumeIntegralInRange<std::size_t>(0, texts.size() - 1)];
  const Handle type(H5Tcopy(H5T_C_S1), H5Tclose), space(H5Screate(H5S_SCALAR), H5Sclose);
  H5Tset_size(type.get(), text.size() + 1);
  const Handle attribute(H5Acreate2(group.get(), name, type.get(), space.get(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  H5Awrite(attribute.get(), type.get(), text.c_str());
}

inline void write_attribute(const Handle& group, const Attribute& attribute, bool whole, FuzzedDataProvider& input) {
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

struct Dataset {
  const char* name;
  std::vector<double> values;  ///< in a good file: rows of `columns` numbers
  hsize_t columns;             ///< 1: one dimension
  hid_t type;                  ///< in a good file
};

inline void write_dataset(const Handle& group, const Dataset& good, FuzzedDataProvider& input) {
  constexpr std::size_t room = 64;
  std::array<hsize_t, 3> extent{good.values.size() / good.columns, good.columns, 1};
  int rank = good.columns > 1 ? 2 : 1;
  hid_t type = good.type;
  const Handle properties(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  bool written = true;
  if (deviates(input)) {
    rank = input.ConsumeIntegralInRange(0, 3);
    extent = {input.ConsumeIntegralInRange<hsize_t>(0, 12), input.ConsumeIntegralInRange<hsize_t>(1, 4), 1};
    type = any_type(input);
    written = input.ConsumeBool();
    const std::array<hsize_t, 3> chunk{1, 1, 1};
    if (rank > 0 && input.ConsumeBool()) H5Pset_chunk(properties.get(), rank, chunk.data());
    if (input.ConsumeBool()) return;
  }
  const Handle space(rank == 0 ? H5Screate(H5S_SCALAR) : H5Screate_simple(rank, extent.data(), nullptr), H5Sclose);
  const hid_t id = H5Dcreate2(group.get(), good.name, type, space.get(), H5P_DEFAULT, properties.get(), H5P_DEFAULT);
  if (id < 0) return;
  const Handle dataset(id, H5Dclose);
  std::vector<double> values = good.values;
  values.resize(room);
  if (deviates(input)) values = any_numbers(input, room);
  if (written) H5Dwrite(id, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
}

inline Handle make_group(const Handle& file, const char* name) {
  return {H5Gcreate2(file.get(), name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose};
}

inline Handle make_file(const std::string& path) {
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  return {H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), H5Fclose};
}

}  // namespace multiwalk::fuzz
