// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/snapshots/convert_snapshot.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <vector>

#include "host/base/error.hpp"
#include "run/files/partial_file.hpp"
#include "run/formats/file_contents.hpp"
#include "run/formats/file_set.hpp"
#include "run/snapshots/snapshot_header.hpp"

namespace multiwalk {

namespace {

/// The files of a snapshot as one: rows of a type go through the files in turn.
class SnapshotSet {
 public:
  SnapshotSet(const std::string& path, const Unsaid& unsaid) : path_(path) {
    const int files = read_snapshot_header(SnapshotFile::open(path), unsaid).info.files;
    for (const std::string& each : files_of_set(path, files)) {
      files_.push_back(SnapshotFile::open(each));
      headers_.push_back(read_snapshot_header(files_.back(), unsaid));
    }
    for (const SnapshotHeader& header : headers_) {
      if (header.info.particles != first().info.particles || header.info.system.time != first().info.system.time ||
          header.units != first().units)
        throw InputError(path + ": its files belong to different snapshots");
    }
    for (const Species& species : first().species) {
      std::uint64_t found = 0;
      for (const SnapshotHeader& header : headers_) found += here(header, species.type);
      if (found != species.total)
        throw InputError(path + ": its files do not hold the number of particles that their headers state");
    }
  }

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] const SnapshotHeader& first() const { return headers_.front(); }

  /// The widest number of a column in any file.
  [[nodiscard]] unsigned width(Column column) const {
    unsigned widest = 4;
    for (std::size_t k = 0; k < files_.size(); ++k) {
      for (const Species& species : headers_[k].species) {
        if (species.here == 0 || (column == Column::masses && species.mass > 0)) continue;
        widest = std::max(widest, files_[k].width(column, species.type));
      }
    }
    return widest;
  }

  template <class T>
  void read(Column column, int type, std::uint64_t from, std::uint64_t count, T* out) const {
    std::uint64_t before = 0;
    for (std::size_t k = 0; k < files_.size(); ++k) {
      const std::uint64_t rows = here(headers_[k], type);
      const std::uint64_t begin = std::max(from, before), end = std::min(from + count, before + rows);
      if (begin < end)
        files_[k].read(column, type, begin - before, end - begin, out + (begin - from) * numbers_of(column));
      before += rows;
    }
  }

 private:
  static std::uint64_t here(const SnapshotHeader& header, int type) {
    const auto found = std::ranges::find(header.species, type, &Species::type);
    return found == header.species.end() ? 0 : found->here;
  }

  std::string path_;
  std::vector<SnapshotFile> files_;
  std::vector<SnapshotHeader> headers_;
};

/// The mass of every particle of a species, which may be stated for each; 0 if they differ.
double one_mass(const SnapshotSet& set, const Species& species) {
  if (species.mass > 0) return species.mass;
  double least = std::numeric_limits<double>::infinity(), most = -least;
  std::vector<double> piece(std::min(rows_at_once, species.total));
  for (std::uint64_t done = 0; done < species.total; done += piece.size()) {
    const std::uint64_t count = std::min<std::uint64_t>(piece.size(), species.total - done);
    set.read(Column::masses, species.type, done, count, piece.data());
    const auto [low, high] = std::minmax_element(piece.begin(), piece.begin() + static_cast<std::ptrdiff_t>(count));
    least = std::min(least, *low);
    most = std::max(most, *high);
  }
  return least == most ? least : 0;
}

void require_box(const SnapshotHeader& header, const std::string& path) {
  const ParticleSystem& system = header.info.system;
  if (system.frame == Frame::comoving && system.boundary == Boundary::periodic) return;
  throw InputError(path +
                   ": only comoving periodic boxes can be converted; the other formats cannot describe anything else");
}

/// Units of the new file: those of a GADGET file are kept.
GadgetUnits new_units(const SnapshotHeader& header, FileFormat format) {
  constexpr GadgetUnits without_h;
  const double h = header.info.cosmology.h;
  if (format == FileFormat::swift) return {without_h.length * h, without_h.mass * h, without_h.velocity};
  constexpr GadgetUnits kpc{units::cm_per_mpc / 1000};
  return header.info.layout == "swift" ? kpc : header.units;
}

/// Numbers by which the input's values are multiplied.
struct Factors {
  double length, velocity, mass;

  static Factors of(const SnapshotHeader& from, const GadgetUnits& to, FileFormat format) {
    SnapshotHeader header;
    header.set_units(to);
    const double a = from.info.system.time;
    header.velocity *= format == FileFormat::swift ? a : std::pow(a, 1.5);
    return {from.length / header.length, from.velocity / header.velocity, from.mass / header.mass};
  }
  [[nodiscard]] double operator[](Column column) const {
    return column == Column::positions ? length : column == Column::velocities ? velocity : mass;
  }
};

/// The contents to be written; refers to the set.
FileContents contents_of(const SnapshotSet& set, const ConvertRequest& request) {
  const SnapshotHeader& header = set.first();
  const bool swift = request.format == FileFormat::swift;
  const GadgetUnits units = new_units(header, request.format);
  const Factors factors = Factors::of(header, units, request.format);
  const double h = header.info.cosmology.h;
  FileContents contents;
  contents.units = swift ? GadgetUnits{units.length / h, units.mass / h, units.velocity} : units;
  contents.a = header.info.system.time;
  contents.cosmology = header.info.cosmology;
  contents.box = header.info.system.box_size / (units.length / units::cm_per_mpc);
  std::array<double, gadget_types> stated{};
  for (const Species& species : header.species) {
    contents.count[species.type] = species.total;
    contents.mass[species.type] = one_mass(set, species) * factors.mass;
    stated[species.type] = species.mass;
  }
  for (const Column column : {Column::positions, Column::velocities, Column::masses})
    contents.width[static_cast<std::size_t>(column)] = request.width.value_or(set.width(column));
  contents.width[static_cast<std::size_t>(Column::ids)] = set.width(Column::ids);
  contents.numbers = [&set, factors, stated](Column column, int type, std::uint64_t first, std::uint64_t count,
                                             double* out) {
    const std::uint64_t numbers = count * numbers_of(column);
    if (column == Column::masses && stated[type] > 0)
      std::fill_n(out, numbers, stated[type]);
    else
      set.read(column, type, first, count, out);
    const double factor = factors[column];
    for (std::uint64_t i = 0; i < numbers; ++i) {
      out[i] *= factor;
      if (!std::isfinite(out[i]))
        throw InputError(set.path() + ": its " + names_of(column).words + " hold NaN or infinity");
    }
  };
  contents.ids = [&set](int type, std::uint64_t first, std::uint64_t count, std::uint64_t* out) {
    set.read(Column::ids, type, first, count, out);
  };
  return contents;
}

void write_contents(const std::string& path, const FileContents& contents, FileFormat format) {
  switch (format) {
    case FileFormat::gadget1:
      return write_gadget_file(path, contents, 1);
    case FileFormat::gadget2:
      return write_gadget_file(path, contents, 2);
    case FileFormat::hdf5:
      return write_gadget_hdf5(path, contents);
    case FileFormat::swift:
      return write_swift_hdf5(path, contents);
  }
}

}  // namespace

std::uint64_t convert_snapshot(const ConvertRequest& request) {
  const SnapshotSet set(request.input, request.unsaid);
  require_box(set.first(), request.input);
  std::error_code ignored;
  if (std::filesystem::equivalent(request.input, request.output, ignored))
    throw InputError(request.output + ": is the input; give another name");
  const FileContents contents = contents_of(set, request);
  PartialFile file(request.output);
  write_contents(file.partial_path(), contents, request.format);
  file.commit();
  return set.first().info.particles;
}

}  // namespace multiwalk
