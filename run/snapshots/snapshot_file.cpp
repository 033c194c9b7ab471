// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/snapshots/snapshot_file.hpp"

#include <filesystem>

#include "host/base/error.hpp"

namespace multiwalk {

SnapshotFile SnapshotFile::open(const std::string& path) {
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

unsigned SnapshotFile::width(Column column, int type) const {
  if (const GadgetFile* binary = gadget()) return binary->width(column);
  return particles(type).dataset_shape(names_of(column).dataset).bytes;
}

}  // namespace multiwalk
