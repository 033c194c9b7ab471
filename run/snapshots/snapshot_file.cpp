// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/snapshots/snapshot_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <vector>

#include "host/base/error.hpp"
#include "run/formats/file_set.hpp"

namespace multiwalk {

SnapshotFile SnapshotFile::open(const std::string& named) {
  const std::string path = first_of_set(named);
  if (!std::filesystem::is_directory(path) && GadgetFile::is_one(path)) {
    return SnapshotFile(std::variant<hdf5::File, GadgetFile>(std::in_place_type<GadgetFile>, path));
  }
  return SnapshotFile(hdf5::File::open(path));
}

const std::string& SnapshotFile::name() const {
  return hdf5() != nullptr ? hdf5()->name() : gadget()->name();
}

hdf5::Object SnapshotFile::particles(int type) const {
  const std::string group = "PartType" + std::to_string(type);
  auto found = hdf5()->group(group);
  if (!found) throw InputError(name() + ": has no /" + group);
  return std::move(*found);
}

void SnapshotFile::expect_mass(const Species& species, std::uint64_t first, std::uint64_t count) const {
  constexpr double rounding = 1e-5;
  if (species.mass == 0 || count == 0) return;
  if (gadget() != nullptr ? !gadget()->repeats_masses() : !particles(species.type).has("Masses")) return;
  std::vector<double> piece(std::min(rows_at_once, count));
  for (std::uint64_t done = 0; done < count; done += piece.size()) {
    piece.resize(std::min<std::uint64_t>(piece.size(), count - done));
    read(Column::masses, species.type, first + done, std::span(piece));
    for (const double mass : piece) {
      if (std::fabs(mass / species.mass - 1) <= rounding) continue;
      throw InputError(
          fmt::format("{}: MassTable gives particles of type {} the mass {} and their own masses say {}: "
                      "set the entry of MassTable to 0 or remove the masses",
                      name(), species.type, species.mass, mass));
    }
  }
}

unsigned SnapshotFile::width(Column column, int type) const {
  if (const GadgetFile* binary = gadget()) return binary->width(column);
  return particles(type).dataset_shape(names_of(column).dataset).bytes;
}

}  // namespace multiwalk
