// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <vector>

#include "host/base/units.hpp"
#include "host/cosmology/expansion.hpp"
#include "run/formats/file_contents.hpp"
#include "run/hdf5/hdf5_file.hpp"

namespace multiwalk {

namespace {

using hdf5::Object;

template <class T>
void put_list(const Object& group, const std::string& name, const std::vector<T>& values) {
  group.write(name, std::span<const T>(values));
}

/// A number as SWIFT writes it: a list of one.
template <class T>
void put_one(const Object& group, const std::string& name, T value) {
  group.write(name, std::span<const T>(&value, 1));
}

/// Counts and masses by type; `types`: entries of each list.
void put_counts(const Object& header, const FileContents& contents, std::size_t types, bool masses) {
  std::vector<std::uint64_t> count(contents.count.begin(), contents.count.end());
  std::vector<double> mass(types, 0);
  if (masses) std::ranges::copy(contents.mass, mass.begin());
  count.resize(types);
  std::vector<std::uint32_t> low(types), high(types);
  for (std::size_t type = 0; type < types; ++type) {
    low[type] = static_cast<std::uint32_t>(count[type]);
    high[type] = static_cast<std::uint32_t>(count[type] >> 32);
  }
  put_list(header, "NumPart_ThisFile", count);
  put_list(header, "NumPart_Total", low);
  put_list(header, "NumPart_Total_HighWord", high);
  put_list(header, "MassTable", mass);
}

/// Writes what swiftsimio needs to give a column its unit: powers of units and of a.
void describe_for_swift(const Object& dataset, Column column) {
  const bool place = column == Column::positions, speed = column == Column::velocities;
  const std::pair<const char*, double> powers[] = {
      {"U_I exponent", 0}, {"U_L exponent", place || speed ? 1 : 0}, {"U_M exponent", column == Column::masses ? 1 : 0},
      {"U_T exponent", 0}, {"U_t exponent", speed ? -1 : 0},         {"a-scale exponent", place ? 1 : 0}};
  for (const auto& [name, power] : powers) put_one(dataset, name, power);
}

/// A column of a type in the width that the contents ask for.
template <class T, class Narrow, class Make>
hdf5::RowSource column_rows(Column column, unsigned width, const Make& make) {
  const std::uint64_t numbers = numbers_of(column);
  if (width == sizeof(T)) return hdf5::RowSource::of<T>(names_of(column).dataset, numbers, make);
  const auto narrowed = [make, numbers](std::uint64_t first, std::uint64_t count, Narrow* out) {
    std::vector<T> made(count * numbers);
    make(first, count, made.data());
    std::ranges::transform(made, out, [](T value) { return static_cast<Narrow>(value); });
  };
  return hdf5::RowSource::of<Narrow>(names_of(column).dataset, numbers, narrowed);
}

/// `swift`: every particle has its mass, and columns are described.
void put_particles(const hdf5::File& file, const FileContents& contents, bool swift) {
  for (int type = 0; type < gadget_types; ++type) {
    const std::uint64_t count = contents.count[type];
    if (count == 0) continue;
    const Object group = file.create_group(fmt::format("PartType{}", type));
    for (const Column column : {Column::positions, Column::velocities, Column::masses}) {
      if (column == Column::masses && contents.mass[type] > 0 && !swift) continue;
      const auto make = [&contents, column, type](std::uint64_t first, std::uint64_t rows, double* out) {
        contents.numbers(column, type, first, rows, out);
      };
      const auto rows = column_rows<double, float>(column, contents.width_of(column), make);
      const Object dataset = group.write_dataset(rows, 0, count);
      if (swift) describe_for_swift(dataset, column);
    }
    const auto make = [&contents, type](std::uint64_t first, std::uint64_t rows, std::uint64_t* out) {
      contents.ids(type, first, rows, out);
    };
    const auto rows = column_rows<std::uint64_t, std::uint32_t>(Column::ids, contents.width_of(Column::ids), make);
    const Object dataset = group.write_dataset(rows, 0, count);
    if (swift) describe_for_swift(dataset, Column::ids);
  }
}

void put_densities(const Object& group, const FileContents& contents) {
  const CosmologyParameters& c = contents.cosmology;
  const std::pair<const char*, double> values[] = {
      {"BoxSize", contents.box}, {"Omega0", c.omega_m}, {"OmegaLambda", c.omega_lambda}, {"HubbleParam", c.h}};
  for (const auto& [name, value] : values) group.write(name, value);
  if (contents.states_baryons) group.write("OmegaBaryon", c.omega_b);
}

void put_gadget_units(const Object& group, const GadgetUnits& units) {
  group.write("UnitLength_in_cm", units.length);
  group.write("UnitMass_in_g", units.mass);
  group.write("UnitVelocity_in_cm_per_s", units.velocity);
}

}  // namespace

void write_gadget_hdf5(const std::string& path, const FileContents& contents) {
  hdf5::File file = hdf5::File::create(path);
  const Object header = file.create_group("Header");
  put_counts(header, contents, gadget_types, true);
  header.write("NumFilesPerSnapshot", std::int32_t{1});
  header.write("Time", contents.a);
  header.write("Redshift", 1 / contents.a - 1);
  header.write("Flag_Entropy_ICs", std::int32_t{0});
  put_densities(header, contents);
  for (const char* flag : {"Flag_Sfr", "Flag_Cooling", "Flag_StellarAge", "Flag_Metals", "Flag_Feedback"})
    header.write(flag, std::int32_t{0});
  header.write("Flag_DoublePrecision", std::int32_t{contents.width_of(Column::positions) == 8});
  const Object parameters = file.create_group("Parameters");
  put_densities(parameters, contents);
  put_gadget_units(parameters, contents.units);
  put_gadget_units(file.create_group("Units"), contents.units);
  put_particles(file, contents, false);
  file.close();
}

void write_swift_hdf5(const std::string& path, const FileContents& contents) {
  constexpr std::size_t types = 7;
  hdf5::File file = hdf5::File::create(path);
  const Object header = file.create_group("Header");
  put_counts(header, contents, types, false);
  const CosmologyParameters& c = contents.cosmology;
  const Expansion expansion(c);
  const double unit_time = contents.units.length / contents.units.velocity;            // s
  const double hubble = 100 * c.h * units::cm_per_km / units::cm_per_mpc * unit_time;  // internal
  put_one(header, "NumFilesPerSnapshot", std::int32_t{1});
  put_one(header, "Time", expansion.time(contents.a) * expansion.hubble0() / hubble);
  put_one(header, "Redshift", 1 / contents.a - 1);
  put_one(header, "Flag_Entropy_ICs", std::int32_t{0});
  put_list(header, "BoxSize", std::vector<double>(3, contents.box));
  put_one(header, "Dimension", std::int32_t{3});
  const Object group = file.create_group("Units");
  put_one(group, "Unit length in cgs (U_L)", contents.units.length);
  put_one(group, "Unit mass in cgs (U_M)", contents.units.mass);
  put_one(group, "Unit time in cgs (U_t)", unit_time);
  put_one(group, "Unit current in cgs (U_I)", 1.0);
  put_one(group, "Unit temperature in cgs (U_T)", 1.0);
  const Object cosmology = file.create_group("Cosmology");
  const std::pair<const char*, double> values[] = {{"H0 [internal units]", hubble},
                                                   {"Omega_r", expansion.omega_r()},
                                                   {"Scale-factor", contents.a},
                                                   {"Redshift", 1 / contents.a - 1},
                                                   {"h", c.h},
                                                   {"Omega_m", c.omega_m},
                                                   {"Omega_lambda", c.omega_lambda},
                                                   {"Omega_b", c.omega_b},
                                                   {"w_0", c.w0},
                                                   {"w_a", c.wa}};
  for (const auto& [name, value] : values) put_one(cosmology, name, value);
  put_one(cosmology, "Cosmological run", std::int32_t{1});
  put_particles(file, contents, true);
  file.close();
}

}  // namespace multiwalk
