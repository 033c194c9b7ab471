// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/snapshots/convert_snapshot.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "host/base/error.hpp"
#include "run/files/partial_file.hpp"
#include "run/files/printable.hpp"
#include "run/formats/box_filling.hpp"
#include "run/formats/file_contents.hpp"
#include "run/formats/file_set.hpp"
#include "run/snapshots/snapshot.hpp"
#include "run/snapshots/snapshot_header.hpp"

namespace multiwalk {

namespace {

/// The files of a snapshot as one: rows of a type go through the files in turn.
class SnapshotSet {
 public:
  SnapshotSet(const std::string& named, const Unsaid& unsaid) : path_(first_of_set(named)) {
    const std::string& path = path_;
    const int files = read_snapshot_header(SnapshotFile::open(path), unsaid).info.files;
    for (const std::string& each : files_of_set(path, files)) {
      files_.push_back(SnapshotFile::open(each));
      headers_.push_back(read_snapshot_header(files_.back(), unsaid));
    }
    for (std::size_t k = 0; k < files_.size(); ++k) expect_same_set(first(), headers_[k], files_[k].name());
    for (const Species& species : first().species) {
      std::uint64_t found = 0;
      for (const SnapshotHeader& header : headers_) found += here(header, species.type);
      if (found != species.total)
        throw InputError(path + ": its files do not hold the number of particles that their headers state");
    }
  }

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] const SnapshotHeader& first() const { return headers_.front(); }

  /// Bytes in which a column's numbers keep their values: 4 or 8.
  [[nodiscard]] unsigned width(Column column) const {
    unsigned widest = 0;
    for (std::size_t k = 0; k < files_.size(); ++k) {
      for (const Species& species : headers_[k].species) {
        if (species.here == 0 || (column == Column::masses && species.mass > 0)) continue;
        widest = std::max(widest, files_[k].width(column, species.type));
      }
    }
    return widest > 4 ? 8 : 4;
  }

  template <class T>
  void read(Column column, int type, std::uint64_t from, std::span<T> out) const {
    const std::uint64_t count = out.size() / numbers_of(column);
    std::uint64_t before = 0;
    for (std::size_t k = 0; k < files_.size(); ++k) {
      const std::uint64_t rows = here(headers_[k], type);
      const std::uint64_t begin = std::max(from, before), end = std::min(from + count, before + rows);
      if (begin < end)
        files_[k].read(column, type, begin - before,
                       out.subspan((begin - from) * numbers_of(column), (end - begin) * numbers_of(column)));
      before += rows;
    }
  }

  /// Throws InputError if masses of particles contradict MassTable.
  void expect_mass(const Species& species) const {
    for (std::size_t k = 0; k < files_.size(); ++k) files_[k].expect_mass(species, 0, here(headers_[k], species.type));
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
  set.expect_mass(species);
  if (species.mass > 0) return species.mass;
  double least = std::numeric_limits<double>::infinity(), most = -least;
  std::vector<double> piece(std::min(rows_at_once, species.total));
  for (std::uint64_t done = 0; done < species.total; done += piece.size()) {
    const std::uint64_t count = std::min<std::uint64_t>(piece.size(), species.total - done);
    set.read(Column::masses, species.type, done, std::span(piece).first(count));
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

/// The type of the new file that a species becomes: SWIFT's dark matter is of type 1, and 2 in the background of zooms.
int new_type(const Species& species, FileFormat format) {
  return format == FileFormat::swift && species.type != 1 ? 2 : species.type;
}

/// The rows of each type of the new file: species of the input, one after another.
class NewTypes {
 public:
  NewTypes(const SnapshotSet& set, FileFormat format) : set_(set) {
    for (const Species& each : set.first().species) parts_[new_type(each, format)].push_back(each);
  }

  [[nodiscard]] std::uint64_t count(int type) const { return particles_in_all(parts_[type]); }
  /// The mass of every particle of a type, in the input's unit; 0: each has its own.
  [[nodiscard]] double mass(int type) const {
    return parts_[type].size() == 1 ? one_mass(set_, parts_[type].front()) : 0;
  }
  template <class T>
  void read(Column column, int type, std::uint64_t first, std::uint64_t count, T* out) const {
    std::uint64_t before = 0;
    for (const Species& part : parts_[type]) {
      const std::uint64_t begin = std::max(first, before), end = std::min(first + count, before + part.total);
      T* to = out + (begin - first) * numbers_of(column);
      if (begin < end && column == Column::masses && part.mass > 0)
        std::fill_n(to, end - begin, static_cast<T>(part.mass));
      else if (begin < end)
        set_.read(column, part.type, begin - before, std::span(to, (end - begin) * numbers_of(column)));
      before += part.total;
    }
  }

 private:
  const SnapshotSet& set_;
  std::array<std::vector<Species>, gadget_types> parts_;
};

/// Moves coordinates into the new box, which they stay below in `width` bytes.
void keep_inside(std::span<double> coordinates, double box, unsigned width) {
  const double below = width == 4 ? static_cast<double>(highest_inside<float>(box)) : highest_inside<double>(box);
  for (double& x : coordinates) {
    if (x < 0 || x >= box) x -= box * std::floor(x / box);
    x = std::min(x, below);
  }
}

/// What the new file states; no rows yet.
FileContents contents_of(const SnapshotSet& set, const ConvertRequest& request) {
  const SnapshotHeader& header = set.first();
  const bool swift = request.format == FileFormat::swift;
  const GadgetUnits units = new_units(header, request.format);
  const double h = header.info.cosmology.h;
  FileContents contents;
  contents.units = swift ? GadgetUnits{units.length / h, units.mass / h, units.velocity} : units;
  contents.a = header.info.system.time;
  contents.cosmology = header.info.cosmology;
  contents.states_baryons = header.info.power.contains("omega_b");
  contents.box = header.info.system.box_size / (exact_length(units.length) / units::cm_per_mpc);
  for (const Column column : {Column::positions, Column::velocities, Column::masses})
    contents.width[static_cast<std::size_t>(column)] = request.width.value_or(set.width(column));
  contents.width[static_cast<std::size_t>(Column::ids)] = set.width(Column::ids);
  return contents;
}

/// The functions that fill the rows. `filling`: meets all positions.
void add_rows(FileContents& contents, const SnapshotSet& set, FileFormat format, BoxFilling& filling) {
  const Factors factors = Factors::of(set.first(), new_units(set.first(), format), format);
  const NewTypes types(set, format);
  for (int type = 0; type < gadget_types; ++type) {
    contents.count[type] = types.count(type);
    contents.mass[type] = types.mass(type) * factors.mass;
  }
  contents.numbers = [&set, &filling, factors, types, box = contents.box, width = contents.width_of(Column::positions)](
                         Column column, int type, std::uint64_t first, std::uint64_t count, double* out) {
    const std::span<double> numbers(out, count * numbers_of(column));
    types.read(column, type, first, count, out);
    for (double& number : numbers) {
      number *= factors[column];
      if (!std::isfinite(number))
        throw InputError(set.path() + ": its " + names_of(column).words + " hold NaN or infinity");
    }
    if (column != Column::positions) return;
    for (std::size_t i = 0; i < numbers.size(); i += 3) filling.add({numbers[i], numbers[i + 1], numbers[i + 2]});
    keep_inside(numbers, box, width);
  };
  contents.ids = [types](int type, std::uint64_t first, std::uint64_t count, std::uint64_t* out) {
    types.read(Column::ids, type, first, count, out);
  };
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
  FileContents contents = contents_of(set, request);
  BoxFilling filling(contents.box);
  add_rows(contents, set, request.format, filling);
  PartialFile file(request.output);
  write_contents(file.partial_path(), contents, request.format);
  const bool full_mass =
      set.first().total_mass() > 0 && has_mass_of_box(read_snapshot_info(request.input, request.unsaid));
  warn_on_stderr(filling.judge(request.input, full_mass));
  file.commit();
  return set.first().info.particles;
}

}  // namespace multiwalk
