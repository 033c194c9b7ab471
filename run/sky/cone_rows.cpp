// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/sky/cone_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

#include "host/base/error.hpp"
#include "host/base/units.hpp"
#include "run/files/checksum.hpp"
#include "run/files/plain_file.hpp"
#include "run/hdf5/hdf5_file.hpp"

namespace multiwalk {

namespace {

constexpr std::size_t most_waiting_rows = 65536;  // rows

/// The rows of all ranks as one list.
class AllRows {
 public:
  AllRows(const std::string& directory, std::span<const StoredRows> files) {
    for (std::size_t k = 0; k < files.size(); ++k) {
      const std::uint64_t rows = files[k].rows;
      if (rows > 0) parts_.push_back({PlainFile(cone_rows_path(directory, k)), count_, rows});
      count_ += rows;
    }
  }

  [[nodiscard]] std::uint64_t count() const { return count_; }

  [[nodiscard]] std::vector<ConeRow> read(std::uint64_t first, std::uint64_t count) const {
    std::vector<ConeRow> rows(count);
    for (const Part& part : parts_) {
      const std::uint64_t from = std::max(first, part.first);
      const std::uint64_t to = std::min(first + count, part.first + part.rows);
      if (from >= to) continue;
      part.file.read((from - part.first) * sizeof(ConeRow), &rows[from - first], (to - from) * sizeof(ConeRow));
    }
    return rows;
  }

 private:
  struct Part {
    PlainFile file;
    std::uint64_t first, rows;
  };
  std::vector<Part> parts_;
  std::uint64_t count_ = 0;
};

/// The scaling that GADGET-4 states of a dataset: numbers times a^`a_power` h^`h_power` and `to_cgs` are physical cgs.
struct CgsScaling {
  double a_power, h_power, length, mass, velocity, to_cgs;
};

template <class T>
void put_column(const hdf5::Object& group, const AllRows& rows, const std::string& name, const CgsScaling& scaling,
                std::uint64_t columns, const std::function<void(const ConeRow&, T*)>& take) {
  const auto make = [&, columns](std::uint64_t first, std::uint64_t count, T* out) {
    for (const ConeRow& row : rows.read(first, count)) {
      take(row, out);
      out += columns;
    }
  };
  const hdf5::RowSource source = hdf5::RowSource::of<T>(name, columns, make);
  const hdf5::Object dataset = group.write_dataset(source, 0, rows.count());
  dataset.write("a_scaling", scaling.a_power);
  dataset.write("h_scaling", scaling.h_power);
  dataset.write("length_scaling", scaling.length);
  dataset.write("mass_scaling", scaling.mass);
  dataset.write("velocity_scaling", scaling.velocity);
  dataset.write("to_cgs", scaling.to_cgs);
}

template <class V, class T>
void take_vector(const V& v, T* out) {
  out[0] = v.x, out[1] = v.y, out[2] = v.z;
}

void put_cone_particles(const hdf5::Object& group, const AllRows& rows) {
  put_column<double>(group, rows, "Coordinates", {1, -1, 1, 0, 0, units::cm_per_mpc}, 3,
                     [](const ConeRow& row, double* out) { take_vector(row.position, out); });
  put_column<float>(group, rows, "Velocities", {0.5, 0, 0, 0, 1, units::cm_per_km}, 3,
                    [](const ConeRow& row, float* out) { take_vector(row.velocity, out); });
  put_column<std::uint64_t>(group, rows, "ParticleIDs", {0, 0, 0, 0, 0, 0}, 1,
                            [](const ConeRow& row, std::uint64_t* out) { *out = row.id; });
  put_column<float>(group, rows, "Masses", {0, -1, 0, 1, 0, units::gram_per_1e10_msun}, 1,
                    [](const ConeRow& row, float* out) { *out = row.mass; });
  put_column<double>(group, rows, "Ascale", {0, 0, 0, 0, 0, 0}, 1,
                     [](const ConeRow& row, double* out) { *out = row.a; });
}

void put_cone_units(const hdf5::Object& group) {
  group.write("UnitLength_in_cm", units::cm_per_mpc);
  group.write("UnitMass_in_g", units::gram_per_1e10_msun);
  group.write("UnitVelocity_in_cm_per_s", units::cm_per_km);
}

void require_rows(const std::string& path, const StoredRows& before) {
  if (before.rows == 0) return;
  const PlainFile file(path);
  const std::string instead = ": begin the run anew, or from an earlier checkpoint";
  if (file.size() / sizeof(ConeRow) < before.rows) {
    throw InputError(path + " lacks rows that the checkpoint counted" + instead);
  }
  if (checksum_of(file, before.rows * sizeof(ConeRow)) != before.checksum) {
    throw InputError(path + " has other rows than the checkpoint counted: it is damaged or of another run" + instead);
  }
}

}  // namespace

std::string cone_rows_path(const std::string& directory, std::size_t part) {
  return fmt::format("{}/lightcone_particles_{:05}.rows", directory, part);
}

ConeRows::ConeRows(const std::string& path, const StoredRows& before)
    : file_((require_rows(path, before), FileDescriptor::create_or_open(path))), stored_(before) {
  file_.cut(before.rows * sizeof(ConeRow));
}

void ConeRows::add(const ConeRow& row) {
  waiting_.push_back(row);
  stored_.checksum = checksum_of(std::as_bytes(std::span(&row, 1)), stored_.checksum);
  ++stored_.rows;
  if (waiting_.size() >= most_waiting_rows) flush();
}

void ConeRows::flush() {
  file_.write(waiting_.data(), waiting_.size() * sizeof(ConeRow));
  waiting_.clear();
}

void ConeRows::sync() {
  flush();
  file_.sync();
}

void write_cone_file(const std::string& path, const std::string& directory, std::span<const StoredRows> rows,
                     std::span<const std::pair<std::string, double>> header) {
  constexpr std::size_t types = 6;
  const AllRows all(directory, rows);
  hdf5::write_file(path, [&](hdf5::File& file) {
    const hdf5::Object head = file.create_group("Header");
    std::vector<std::uint64_t> count(types);
    count[1] = all.count();
    head.write("NumPart_ThisFile", std::span<const std::uint64_t>(count));
    head.write("NumPart_Total", std::span<const std::uint64_t>(count));
    head.write("NumFiles", std::int32_t{1});
    const hdf5::Object parameters = file.create_group("Parameters");
    for (const auto& [name, value] : header) parameters.write(name, value);
    put_cone_units(parameters);
    if (all.count() > 0) put_cone_particles(file.create_group("PartType1"), all);
  });
}

}  // namespace multiwalk
