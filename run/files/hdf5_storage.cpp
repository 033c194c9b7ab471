// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/files/hdf5_storage.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <vector>

#include "host/base/error.hpp"
#include "run/files/hdf5_file.hpp"

namespace multiwalk::hdf5 {

namespace fs = std::filesystem;

namespace {

[[noreturn]] void refuse(const std::string& label, const std::string& why) {
  throw InputError(label + " " + why);
}

template <class Id>
Id checked(Id status, const std::string& label) {
  if (status < 0) refuse(label, "cannot be read, it is damaged or truncated (HDF5: " + error_text() + ")");
  return status;
}

hsize_t points(hid_t space, const std::string& label) {
  return static_cast<hsize_t>(checked(H5Sget_simple_extent_npoints(space), label));
}

/// Chunks that cover the dataset.
hsize_t chunks_of(hid_t space, hid_t properties, const std::string& label) {
  const int rank = checked(H5Sget_simple_extent_ndims(space), label);
  std::vector<hsize_t> extent(static_cast<std::size_t>(rank)), chunk(extent.size());
  checked(H5Sget_simple_extent_dims(space, extent.data(), nullptr), label);
  checked(H5Pget_chunk(properties, rank, chunk.data()), label);
  hsize_t chunks = 1;
  for (std::size_t d = 0; d < extent.size(); ++d) {
    const hsize_t size = std::max<hsize_t>(chunk[d], 1);
    chunks *= extent[d] / size + (extent[d] % size > 0 ? 1 : 0);
  }
  return chunks;
}

void require_complete(hid_t dataset, hid_t properties, const std::string& label) {
  const Handle space(checked(H5Dget_space(dataset), label), H5Sclose);
  const hsize_t expected = points(space.get(), label);
  if (expected == 0) return;
  const std::string why = "was never written, or only in part: make the file anew";
  const H5D_layout_t layout = H5Pget_layout(properties);
  if (layout == H5D_CHUNKED) {
    hsize_t written = 0;
    checked(H5Dget_num_chunks(dataset, space.get(), &written), label);
    if (written < chunks_of(space.get(), properties, label)) refuse(label, why);
  } else if (layout == H5D_CONTIGUOUS) {
    const Handle type(checked(H5Dget_type(dataset), label), H5Tclose);
    if (H5Dget_storage_size(dataset) / std::max<std::size_t>(H5Tget_size(type.get()), 1) < expected) {
      refuse(label, why);
    }
  }
}

void refuse_external_storage(hid_t properties, const std::string& label) {
  if (checked(H5Pget_external_count(properties), label) > 0) {
    refuse(label, "keeps its values in another file (external storage), which is not read: copy the dataset");
  }
}

template <class Call>
std::string text_of(const Call& call, const std::string& label) {
  const ssize_t size = checked(call(nullptr, std::size_t{0}), label);
  std::string text(static_cast<std::size_t>(size) + 1, '\0');
  checked(call(text.data(), text.size()), label);
  text.pop_back();
  return text;
}

/// One source of a virtual dataset: a complete dataset of a plain file beside it.
void require_source(const std::string& directory, const std::string& self, const std::string& file,
                    const std::string& link, const std::string& label) {
  const std::string source = "is virtual, and its source " + file + " (" + link + ") ";
  if (file.find('/') != std::string::npos || file.find('%') != std::string::npos || file == "." || file == self) {
    refuse(label, source + "is not another file beside it: copy the dataset into one file");
  }
  const std::string path = directory + file;
  std::error_code ignored;
  if (fs::symlink_status(path, ignored).type() != fs::file_type::regular) {
    refuse(label, source + "is missing: put all files of the snapshot into one directory");
  }
  if (H5Fis_hdf5(path.c_str()) <= 0) refuse(label, source + "is not an HDF5 file");
  const Handle opened(checked(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), label), H5Fclose);
  refuse_external_links(opened.get(), link, path);
  const hid_t id = H5Dopen2(opened.get(), link.c_str(), H5P_DEFAULT);
  if (id < 0) refuse(label, source + "has no such dataset");
  const Handle dataset(id, H5Dclose);
  const Handle properties(checked(H5Dget_create_plist(dataset.get()), label), H5Pclose);
  if (H5Pget_layout(properties.get()) == H5D_VIRTUAL) refuse(label, source + "is virtual itself: copy the dataset");
  refuse_external_storage(properties.get(), path + "/" + link);
  require_complete(dataset.get(), properties.get(), path + "/" + link);
}

void require_sources(hid_t dataset, hid_t properties, const std::string& path, const std::string& label) {
  std::size_t count = 0;
  checked(H5Pget_virtual_count(properties, &count), label);
  const std::string directory = (fs::path(path).has_parent_path() ? fs::path(path).parent_path() : ".").string() + "/";
  const std::string self = fs::path(path).filename().string();
  hsize_t mapped = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::string file =
        text_of([&](char* out, std::size_t n) { return H5Pget_virtual_filename(properties, i, out, n); }, label);
    const std::string link =
        text_of([&](char* out, std::size_t n) { return H5Pget_virtual_dsetname(properties, i, out, n); }, label);
    require_source(directory, self, file, link, label);
    const Handle part(checked(H5Pget_virtual_vspace(properties, i), label), H5Sclose);
    mapped += static_cast<hsize_t>(std::max<hssize_t>(H5Sget_select_npoints(part.get()), 0));
  }
  const Handle space(checked(H5Dget_space(dataset), label), H5Sclose);
  if (mapped < points(space.get(), label)) refuse(label, "is virtual, and no source is named for a part of it");
}

}  // namespace

void require_stored(hid_t dataset, const std::string& path, const std::string& label) {
  const Handle properties(checked(H5Dget_create_plist(dataset), label), H5Pclose);
  refuse_external_storage(properties.get(), label);
  if (H5Pget_layout(properties.get()) == H5D_VIRTUAL) {
    require_sources(dataset, properties.get(), path, label);
  } else {
    require_complete(dataset, properties.get(), label);
  }
}

void refuse_external_links(hid_t object, const std::string& link, const std::string& name) {
  for (std::size_t end = link.find('/', 1);; end = link.find('/', end + 1)) {
    const std::string part = link.substr(0, end);
    H5L_info_t info{};
    if (!part.empty() && H5Lget_info(object, part.c_str(), &info, H5P_DEFAULT) >= 0 && info.type != H5L_TYPE_HARD &&
        info.type != H5L_TYPE_SOFT) {
      refuse(name + "/" + part, "is a link into another file, which is not followed: copy what it names");
    }
    if (end == std::string::npos) return;
  }
}

hid_t beside_access(const std::string& path) {
  const hid_t access = H5Pcreate(H5P_DATASET_ACCESS);
  const std::string directory = fs::path(path).has_parent_path() ? fs::path(path).parent_path().string() : ".";
  if (access >= 0) H5Pset_virtual_prefix(access, directory.c_str());
  return access;
}

}  // namespace multiwalk::hdf5
