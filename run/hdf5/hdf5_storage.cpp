// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/hdf5/hdf5_storage.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <functional>
#include <vector>

#include "host/base/error.hpp"
#include "run/files/command_files.hpp"

namespace multiwalk::hdf5 {

namespace fs = std::filesystem;

namespace {

[[noreturn]] void refuse(const std::string& label, const std::string& why) {
  throw InputError(label + " " + why);
}

template <class Id>
Id checked(Id status, const std::string& label) {
  if (status < 0) refuse(label, "cannot be read: it is damaged or truncated (HDF5: " + error_text() + ")");
  return status;
}

hsize_t points(hid_t space, const std::string& label) {
  return static_cast<hsize_t>(checked(H5Sget_simple_extent_npoints(space), label));
}

/// The number of chunks that cover the dataset.
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

/// Chunks may have gone through filters that this library lacks.
void require_filters(hid_t properties, const std::string& label) {
  const int filters = H5Pget_layout(properties) == H5D_CHUNKED ? checked(H5Pget_nfilters(properties), label) : 0;
  for (int i = 0; i < filters; ++i) {
    std::array<char, 64> name{};
    unsigned flags = 0, settings = 0;
    std::size_t values = 0;
    const H5Z_filter_t filter = H5Pget_filter2(properties, static_cast<unsigned>(i), &flags, &values, nullptr,
                                               name.size() - 1, name.data(), &settings);
    if (checked(filter, label) >= 0 && H5Zfilter_avail(filter) > 0) continue;
    refuse(label,
           fmt::format("is compressed by the filter {} (number {}), which the HDF5 library here lacks: write the "
                       "file without it, for instance by h5repack -f GZIP=4 where it is known, or let "
                       "HDF5_PLUGIN_PATH name the folder of its plugin",
                       name[0] == '\0' ? "without a name" : name.data(), filter));
  }
}

hsize_t size_of_file(hid_t dataset, const std::string& label) {
  const Handle file(checked(H5Iget_file_id(dataset), label), H5Fclose);
  hsize_t bytes = 0;
  checked(H5Fget_filesize(file.get(), &bytes), label);
  return bytes;
}

void require_complete(hid_t dataset, hid_t properties, const std::string& label) {
  const Handle space(checked(H5Dget_space(dataset), label), H5Sclose);
  const hsize_t expected = points(space.get(), label);
  if (expected == 0) return;
  const std::string why = "was never written, or only in part: write the file again";
  const H5D_layout_t layout = H5Pget_layout(properties);
  require_filters(properties, label);
  if (layout == H5D_CHUNKED) {
    hsize_t written = 0;
    checked(H5Dget_num_chunks(dataset, space.get(), &written), label);
    if (written < chunks_of(space.get(), properties, label)) refuse(label, why);
  } else if (layout == H5D_CONTIGUOUS) {
    const Handle type(checked(H5Dget_type(dataset), label), H5Tclose);
    if (H5Dget_storage_size(dataset) > size_of_file(dataset, label))
      refuse(label, "reaches beyond the end of its file");
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

/// One part of a virtual dataset: `shown` of it are the elements `wanted` of a dataset in another file.
struct Source {
  std::string file, link;
  Handle wanted, shown;

  static Source of(hid_t properties, std::size_t number, const std::string& label) {
    const auto file = [&](char* out, std::size_t n) { return H5Pget_virtual_filename(properties, number, out, n); };
    const auto link = [&](char* out, std::size_t n) { return H5Pget_virtual_dsetname(properties, number, out, n); };
    return {text_of(file, label),
            text_of(link, label),
            {checked(H5Pget_virtual_srcspace(properties, number), label), H5Sclose},
            {checked(H5Pget_virtual_vspace(properties, number), label), H5Sclose}};
  }

  /// Whether a dataset of this extent contains `wanted`.
  [[nodiscard]] bool lies_in(hid_t extent, const std::string& label) const {
    const hssize_t count = checked(H5Sget_select_npoints(shown.get()), label);
    if (H5Sget_select_type(wanted.get()) == H5S_SEL_ALL) return points(extent, label) == static_cast<hsize_t>(count);
    const int rank = checked(H5Sget_simple_extent_ndims(extent), label);
    if (rank < 1 || rank != H5Sget_simple_extent_ndims(wanted.get())) return false;
    if (H5Sget_select_npoints(wanted.get()) != count) return false;
    std::vector<hsize_t> size(static_cast<std::size_t>(rank)), first(size.size()), last(size.size());
    checked(H5Sget_simple_extent_dims(extent, size.data(), nullptr), label);
    checked(H5Sget_select_bounds(wanted.get(), first.data(), last.data()), label);
    return std::ranges::equal(last, size, std::less<>{});
  }
};

/// A source must be a complete dataset in an ordinary file beside that of the virtual dataset.
void require_source(const std::string& directory, const std::string& self, const Source& source,
                    const std::string& label) {
  const auto& [file, link, wanted, shown] = source;
  const std::string what = "is virtual, and its source " + file + " (" + link + ") ";
  if (file.find('/') != std::string::npos || file.find('%') != std::string::npos || file == "." || file == self) {
    refuse(label, what + "is not another file beside it: copy the dataset into one file");
  }
  const std::string path = directory + file, name = path + "/" + link;
  std::error_code ignored;
  if (fs::symlink_status(path, ignored).type() != fs::file_type::regular) {
    refuse(label, what + "is missing: put all files of the snapshot into one directory");
  }
  note_input(path);
  if (H5Fis_hdf5(path.c_str()) <= 0) refuse(label, what + "is not an HDF5 file");
  const Handle opened = open_to_read(path);
  const InsideAccess inside(H5P_DATASET_ACCESS);
  const hid_t id = H5Dopen2(opened.get(), link.c_str(), inside.get());
  inside.refuse_links_out(name);
  if (id < 0) refuse(label, what + "has no such dataset");
  const Handle dataset(id, H5Dclose);
  const Handle properties(checked(H5Dget_create_plist(dataset.get()), label), H5Pclose);
  if (H5Pget_layout(properties.get()) == H5D_VIRTUAL) refuse(label, what + "is virtual itself: copy the dataset");
  refuse_external_storage(properties.get(), name);
  require_complete(dataset.get(), properties.get(), name);
  const Handle extent(checked(H5Dget_space(dataset.get()), label), H5Sclose);
  if (!source.lies_in(extent.get(), label)) refuse(label, what + "does not have the expected shape");
}

/// Adds the elements of `part` to those of `all`: HDF5 itself unites only hyperslabs.
void unite(hid_t all, hid_t part, const std::string& label) {
  if (H5Sget_select_type(part) == H5S_SEL_ALL) {
    checked(H5Sselect_all(all), label);
  } else if (H5Sget_select_type(all) == H5S_SEL_NONE) {
    checked(H5Sselect_copy(all, part), label);
  } else if (H5Sget_select_type(all) != H5S_SEL_ALL) {
    checked(H5Smodify_select(all, H5S_SELECT_OR, part), label);
  }
}

/// Where the sources of a file's virtual datasets are checked and read.
std::string folder_of(const std::string& path) {
  const fs::path folder = fs::path(path).parent_path();
  return folder.empty() ? "." : folder.string();
}

void require_sources(hid_t dataset, hid_t properties, const std::string& path, const std::string& label) {
  std::size_t count = 0;
  checked(H5Pget_virtual_count(properties, &count), label);
  const std::string directory = folder_of(path) + "/";
  const std::string self = fs::path(path).filename().string();
  const Handle space(checked(H5Dget_space(dataset), label), H5Sclose),
      all(checked(H5Scopy(space.get()), label), H5Sclose);
  checked(H5Sselect_none(all.get()), label);
  for (std::size_t i = 0; i < count; ++i) {
    const Source source = Source::of(properties, i, label);
    require_source(directory, self, source, label);
    unite(all.get(), source.shown.get(), label);
  }
  if (static_cast<hsize_t>(checked(H5Sget_select_npoints(all.get()), label)) < points(space.get(), label)) {
    refuse(label, "is virtual, and no source is named for a part of it");
  }
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

void write_without_locks(hid_t access, const std::string& path) {
  require_success(H5Pset_file_locking(access, false, true), path);
}

Handle open_to_read(const std::string& path) {
  const hid_t opened = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  if (opened >= 0) return {opened, H5Fclose};
  const std::string why = whole_error_text();
  if (why.find("unable to lock file") != std::string::npos) {
    if (why.find(fmt::format("errno = {},", EAGAIN)) != std::string::npos)
      refuse(path + ":", "another program has it open for writing: close it there first");
    const Handle access(checked(H5Pcreate(H5P_FILE_ACCESS), path), H5Pclose);
    write_without_locks(access.get(), path);
    return {checked(H5Fopen(path.c_str(), H5F_ACC_RDONLY, access.get()), path + ":"), H5Fclose};
  }
  if (why.find("already open for") != std::string::npos) {
    refuse(path + ":",
           "another program has it open for writing, or was killed while it had: close it there, or remove the mark by "
           "h5clear -s");
  }
  return {checked(opened, path + ":"), H5Fclose};
}

InsideAccess::InsideAccess(hid_t kind) : properties_(H5Pcreate(kind), H5Pclose) {
  const auto note = [](const char*, const char*, const char*, const char*, unsigned*, hid_t, void* met) -> herr_t {
    *static_cast<bool*>(met) = true;
    return -1;
  };
  require(H5Pset_elink_cb(properties_.get(), note, met_link_out_.get()) >= 0, "HDF5 does not accept a rule for links");
}

void InsideAccess::look_for_sources_beside(const std::string& path) {
  require(H5Pset_virtual_prefix(properties_.get(), folder_of(path).c_str()) >= 0,
          "HDF5 does not accept a folder of sources");
}

void InsideAccess::refuse_links_out(const std::string& name) const {
  if (*met_link_out_) refuse(name, "is a link into another file, which is not followed: copy its target");
}

}  // namespace multiwalk::hdf5
