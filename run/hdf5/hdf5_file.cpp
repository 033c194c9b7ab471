// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/hdf5/hdf5_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string_view>

#include "host/base/error.hpp"
#include "host/threads/fair_lock.hpp"
#include "host/threads/fork.hpp"
#include "run/files/partial_file.hpp"
#include "run/files/plain_file.hpp"
#include "run/hdf5/hdf5_storage.hpp"

namespace multiwalk::hdf5 {

namespace {

constexpr hssize_t most_numbers = 16;
constexpr hsize_t most_values = hsize_t{1} << 59;  ///< of 8 bytes: their size in bytes is still a number
constexpr std::size_t longest_text = std::size_t{1} << 20;

/// No clean-up at exit or at the end of MPI, which crashes inside the library (1.10) once a file could not be closed
/// because the disk was full. The library notes both when it starts; before main, MPI has not begun. Every file is
/// closed and checked by its owner anyway. With HDF5_VDS_PREFIX the sources of virtual datasets would be read from
/// another folder than the one in which they are checked (hdf5_storage.hpp).
herr_t start_without_clean_up() {
  ::unsetenv("HDF5_VDS_PREFIX");
  return H5dont_atexit() < 0 ? -1 : H5open();
}

const herr_t started_without_clean_up = start_without_clean_up();

FairLock& library() {
  static auto* const lock = new FairLock;  // its holders may outlive every static object
  return *lock;
}

/// Closes a file that may have been written to. One that cannot be flushed stays open: the library (2.2, with
/// assertions) ends the program where it cannot write what it still holds.
herr_t close_written(hid_t file) {
  return H5Fflush(file, H5F_SCOPE_LOCAL) < 0 ? -1 : H5Fclose(file);
}

/// For calls that read: a failure is the file's.
template <class Id>
Id readable(Id status, const std::string& name) {
  if (status < 0) throw InputError(name + ": cannot be read, it is damaged or truncated (HDF5: " + error_text() + ")");
  return status;
}

/// For calls that write.
template <class Id>
Id written(Id status, const std::string& name, const std::source_location& where = std::source_location::current()) {
  if (status < 0) throw Error("cannot write " + name + " (HDF5: " + error_text() + ")", where);
  return status;
}

/// Creation properties of objects that do not record when they were made: the same contents are the same bytes.
Handle timeless(hid_t kind, const std::string& name) {
  Handle properties(written(H5Pcreate(kind), name), H5Pclose);
  written(H5Pset_obj_track_times(properties.get(), false), name);
  return properties;
}

Handle open_attribute(hid_t object, const std::string& attribute, const std::string& name) {
  return {readable(H5Aopen(object, attribute.c_str(), H5P_DEFAULT), name), H5Aclose};
}

/// Transfer properties that make reading fail at a number which the type in memory cannot hold; by default the library
/// would replace it by the nearest one.
class FaithfulReading {
 public:
  FaithfulReading() { H5Pset_type_conv_cb(properties_.get(), &judge, &changed_); }

  [[nodiscard]] hid_t get() const { return properties_.get(); }
  void refuse_changed(const std::string& label) const {
    if (changed_) throw InputError(label + " holds a number that is negative, too large or not whole");
  }

 private:
  static H5T_conv_ret_t judge(H5T_conv_except_t what, hid_t, hid_t to, void*, void*, void* changed) {
    const bool whole = H5Tget_class(to) == H5T_INTEGER;
    if (!whole || what == H5T_CONV_EXCEPT_PRECISION) return H5T_CONV_UNHANDLED;
    *static_cast<bool*>(changed) = true;
    return H5T_CONV_ABORT;
  }

  Handle properties_{H5Pcreate(H5P_DATASET_XFER), H5Pclose};
  bool changed_ = false;
};

bool has_attribute(hid_t object, const std::string& attribute, const std::string& name) {
  return readable(H5Aexists(object, attribute.c_str()), name) > 0;
}

}  // namespace

Hold::Hold() {
  if (library().lock()) return;
  throw Error("HDF5 files cannot be used in this process: when it was forked, another thread of its parent used one; " +
              std::string(spawn_advice));
}

Hold::~Hold() {
  if (holds_) library().unlock();
}

void start_library() {
  static_cast<void>(started_without_clean_up);
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

void require_success(herr_t status, const std::string& name) {
  written(status, name);
}

std::string whole_error_text() {
  std::string text;
  const auto keep_first = [](unsigned, const H5E_error2_t* error, void* out) -> herr_t {
    auto& kept = *static_cast<std::string*>(out);
    if (kept.empty() && error->desc) kept = error->desc;
    return 0;
  };
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, keep_first, &text);
  return text;
}

std::string error_text() {
  std::string text = whole_error_text();
  // "file write failed: time = ..., error message = 'No space left on device', buf = ...": the system's words are
  // enough.
  constexpr std::string_view label = "error message = '";
  if (const std::size_t start = text.find(label); start != std::string::npos) {
    text.erase(0, start + label.size());
    text.erase(std::min(text.size(), text.find('\'')));
  }
  std::ranges::replace(text, '\n', ' ');
  return text.empty() ? "no details" : text;
}

bool Object::has(const std::string& link) const {
  const InsideAccess inside(H5P_LINK_ACCESS);
  const htri_t found = H5Lexists(id(), link.c_str(), inside.get());
  inside.refuse_links_out(name_ + "/" + link);
  return readable(found, name_) > 0;
}

std::optional<Object> Object::group(const std::string& link) const {
  if (!has(link)) return std::nullopt;
  const std::string label = name_ + "/" + link;
  const InsideAccess inside(H5P_GROUP_ACCESS);
  const hid_t group = H5Gopen2(id(), link.c_str(), inside.get());
  inside.refuse_links_out(label);
  return Object({readable(group, name_), H5Gclose}, label);
}

Object Object::group_of(const std::string& link, const std::string& kind) const {
  std::optional<Object> found = group(link);
  if (!found) throw InputError(name_ + " has no group " + link + ": it is not a file of " + kind);
  return std::move(*found);
}

std::optional<std::vector<double>> Object::numbers(const std::string& attribute) const {
  if (!has_attribute(id(), attribute, name_)) return std::nullopt;
  const std::string label = name_ + " attribute " + attribute;
  const Handle handle = open_attribute(id(), attribute, label);
  const Handle space(readable(H5Aget_space(handle.get()), label), H5Sclose);
  const Handle type(readable(H5Aget_type(handle.get()), label), H5Tclose);
  const H5T_class_t kind = H5Tget_class(type.get());
  const hssize_t count = readable(H5Sget_simple_extent_npoints(space.get()), label);
  if ((kind != H5T_INTEGER && kind != H5T_FLOAT) || count < 1 || count > most_numbers)
    throw InputError(label + " should be a number or a short list of numbers");
  std::vector<double> values(static_cast<std::size_t>(count));
  readable(H5Aread(handle.get(), H5T_NATIVE_DOUBLE, values.data()), label);
  return values;
}

std::optional<std::vector<std::uint64_t>> Object::counts(const std::string& attribute) const {
  if (!has_attribute(id(), attribute, name_)) return std::nullopt;
  const std::string label = name_ + " attribute " + attribute;
  const Handle handle = open_attribute(id(), attribute, label);
  const Handle space(readable(H5Aget_space(handle.get()), label), H5Sclose);
  const Handle type(readable(H5Aget_type(handle.get()), label), H5Tclose);
  const hssize_t count = readable(H5Sget_simple_extent_npoints(space.get()), label);
  if (H5Tget_class(type.get()) != H5T_INTEGER || count < 1 || count > most_numbers)
    throw InputError(label + " should be a short list of whole numbers");
  std::vector<std::int64_t> stored(static_cast<std::size_t>(count));
  const bool is_signed = H5Tget_sign(type.get()) == H5T_SGN_2;
  readable(H5Aread(handle.get(), is_signed ? H5T_NATIVE_INT64 : H5T_NATIVE_UINT64, stored.data()), label);
  if (is_signed && std::ranges::any_of(stored, [](std::int64_t value) { return value < 0; }))
    throw InputError(label + " holds a negative number");
  return std::vector<std::uint64_t>(stored.begin(), stored.end());
}

std::optional<double> Object::number(const std::string& attribute) const {
  const auto values = numbers(attribute);
  if (!values) return std::nullopt;
  if (values->size() > 1) throw InputError(name_ + " attribute " + attribute + " should be one number");
  return values->front();
}

std::optional<std::string> Object::text(const std::string& attribute) const {
  if (!has_attribute(id(), attribute, name_)) return std::nullopt;
  const std::string label = name_ + " attribute " + attribute;
  const Handle handle = open_attribute(id(), attribute, label);
  const Handle space(readable(H5Aget_space(handle.get()), label), H5Sclose);
  const Handle type(readable(H5Aget_type(handle.get()), label), H5Tclose);
  if (H5Tget_class(type.get()) != H5T_STRING || H5Sget_simple_extent_npoints(space.get()) != 1)
    throw InputError(label + " should be a text");
  if (H5Tis_variable_str(type.get()) > 0) {
    char* raw = nullptr;
    readable(H5Aread(handle.get(), type.get(), static_cast<void*>(&raw)), label);
    std::string value = raw ? raw : "";
    H5free_memory(raw);
    return value;
  }
  const std::size_t size = H5Tget_size(type.get());
  if (size == 0 || size > longest_text) throw InputError(label + " is too long for a text");
  std::string value(size, '\0');
  readable(H5Aread(handle.get(), type.get(), value.data()), label);
  return value.substr(0, strnlen(value.data(), size));
}

Object Object::stored_dataset(const std::string& link, bool checked) const {
  const std::string label = name_ + "/" + link;
  if (!has(link)) throw InputError(label + " is missing");
  std::string path(static_cast<std::size_t>(readable(H5Fget_name(id(), nullptr, 0), label)) + 1, '\0');
  readable(H5Fget_name(id(), path.data(), path.size()), label);
  path.pop_back();
  InsideAccess inside(H5P_DATASET_ACCESS);
  inside.look_for_sources_beside(path);
  const hid_t opened = H5Dopen2(id(), link.c_str(), inside.get());
  inside.refuse_links_out(label);
  Object dataset({readable(opened, label), H5Dclose}, label);
  if (checked) require_stored(dataset.id(), path, label);
  return dataset;
}

DatasetShape Object::dataset_shape(const std::string& link) const {
  const Object stored = stored_dataset(link, true);
  return stored.own_shape();
}

DatasetShape Object::own_shape() const {
  const std::string& label = name_;
  const Handle space(readable(H5Dget_space(id()), label), H5Sclose);
  const Handle type(readable(H5Dget_type(id()), label), H5Tclose);
  const int rank = readable(H5Sget_simple_extent_ndims(space.get()), label);
  const H5T_class_t kind = H5Tget_class(type.get());
  if (rank < 1 || rank > 2 || (kind != H5T_INTEGER && kind != H5T_FLOAT))
    throw InputError(label + " should be an array of numbers with one or two dimensions");
  std::array<hsize_t, 2> extent{0, 1};
  readable(H5Sget_simple_extent_dims(space.get(), extent.data(), nullptr), label);
  if (extent[1] > 0 && extent[0] > most_values / extent[1]) throw InputError(label + " claims too many numbers");
  return {extent[0], extent[1], kind == H5T_INTEGER, static_cast<unsigned>(H5Tget_size(type.get()))};
}

std::uint64_t Object::numbers_of_rows(const std::string& link, const DatasetShape& shape, std::uint64_t columns) const {
  if (shape.columns != columns) {
    const std::string rows = columns == 1 ? "be a list of numbers" : "have " + std::to_string(columns) + " columns";
    throw InputError(name_ + "/" + link + " should " + rows + ", but its rows have " + std::to_string(shape.columns));
  }
  return shape.rows * columns;
}

void Object::read_rows_as(const std::string& link, const WantedRows& wanted, void* out) const {
  if (wanted.numbers == 0) return;
  const std::uint64_t first = wanted.first, count = wanted.numbers / wanted.columns;
  require(count * wanted.columns == wanted.numbers, "Object::read_rows: room for a part of a row");
  const Object dataset = stored_dataset(link, first == 0);  // of many pieces the first is looked at
  const DatasetShape shape = dataset.own_shape();
  static_cast<void>(numbers_of_rows(link, shape, wanted.columns));
  const std::string& label = dataset.name();
  if (first > shape.rows || count > shape.rows - first) throw InputError(label + " has too few rows");
  const Handle file_space(readable(H5Dget_space(dataset.id()), label), H5Sclose);
  const std::array<hsize_t, 2> start{first, 0}, size{count, shape.columns};
  readable(H5Sselect_hyperslab(file_space.get(), H5S_SELECT_SET, start.data(), nullptr, size.data(), nullptr), label);
  const int rank = readable(H5Sget_simple_extent_ndims(file_space.get()), label);
  const Handle memory_space(readable(H5Screate_simple(rank, size.data(), nullptr), label), H5Sclose);
  const FaithfulReading reading;
  const herr_t status = H5Dread(dataset.id(), wanted.type, memory_space.get(), file_space.get(), reading.get(), out);
  reading.refuse_changed(label);
  readable(status, label);
}

Object Object::create_group(const std::string& link) const {
  const Handle properties = timeless(H5P_GROUP_CREATE, name_);
  return {{written(H5Gcreate2(id(), link.c_str(), H5P_DEFAULT, properties.get(), H5P_DEFAULT), name_), H5Gclose},
          name_ + "/" + link};
}

void Object::write_attribute(const std::string& attribute, hid_t type, const void* values, std::int64_t count) const {
  const hsize_t extent = count < 0 ? 1 : static_cast<hsize_t>(count);
  const Handle space(written(count < 0 ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &extent, nullptr), name_),
                     H5Sclose);
  const Handle handle(written(H5Acreate2(id(), attribute.c_str(), type, space.get(), H5P_DEFAULT, H5P_DEFAULT), name_),
                      H5Aclose);
  written(H5Awrite(handle.get(), type, values), name_);
}

void Object::change_attribute(const std::string& attribute, hid_t type, const void* value) const {
  const Handle handle(written(H5Aopen(id(), attribute.c_str(), H5P_DEFAULT), name_), H5Aclose);
  written(H5Awrite(handle.get(), type, value), name_);
}

void Object::write_text(const std::string& attribute, const std::string& text) const {
  const Handle type(written(H5Tcopy(H5T_C_S1), name_), H5Tclose);
  written(H5Tset_size(type.get(), std::max<std::size_t>(text.size(), 1)), name_);
  written(H5Tset_strpad(type.get(), H5T_STR_NULLPAD), name_);
  write_attribute(attribute, type.get(), text.data(), -1);
}

namespace {

int rank_of(const RowSource& source) {
  return source.lines > 1 ? 3 : source.columns > 1 ? 2 : 1;
}

/// The dataset has as many dimensions as its source; further extents are 1.
std::array<hsize_t, 3> extent_of(const RowSource& source, hsize_t rows) {
  if (source.lines > 1) return {rows, source.lines, source.columns / source.lines};
  return {rows, source.columns, 1};
}

}  // namespace

Object Object::create_dataset(const RowSource& source, std::uint64_t rows, Storage storage) const {
  constexpr hsize_t rows_per_chunk = 65536;
  const int rank = rank_of(source);
  const std::array<hsize_t, 3> extent = extent_of(source, rows);
  const std::array<hsize_t, 3> chunk = extent_of(source, rank == 3 ? 1 : std::clamp<hsize_t>(rows, 1, rows_per_chunk));
  const Handle space(written(H5Screate_simple(rank, extent.data(), nullptr), name_), H5Sclose);
  const Handle properties = timeless(H5P_DATASET_CREATE, name_);
  if (storage != Storage::shared) {
    written(H5Pset_chunk(properties.get(), rank, chunk.data()), name_);
    if (storage == Storage::compressed) {
      written(H5Pset_shuffle(properties.get()), name_);
      written(H5Pset_deflate(properties.get(), 4), name_);
    }
    written(H5Pset_fletcher32(properties.get()), name_);
  } else {
    written(H5Pset_alloc_time(properties.get(), H5D_ALLOC_TIME_EARLY), name_);
    written(H5Pset_fill_time(properties.get(), H5D_FILL_TIME_NEVER), name_);
  }
  const std::string label = name_ + "/" + source.link;
  const hid_t dataset =
      H5Dcreate2(id(), source.link.c_str(), source.type, space.get(), H5P_DEFAULT, properties.get(), H5P_DEFAULT);
  return {{written(dataset, label), H5Dclose}, label};
}

Object Object::write_dataset(const RowSource& source, std::uint64_t first, std::uint64_t count, Storage storage) const {
  Object dataset = create_dataset(source, count, storage);
  dataset.write_rows(source, first, count, 0);
  dataset.finish_rows();
  return dataset;
}

Object Object::dataset(const std::string& link) const {
  const std::string label = name_ + "/" + link;
  return {{written(H5Dopen2(id(), link.c_str(), H5P_DEFAULT), label), H5Dclose}, label};
}

void Object::write_rows(const RowSource& source, std::uint64_t first, std::uint64_t count, std::uint64_t at) const {
  std::vector<std::byte> buffer(std::min(count, rows_per_piece) * source.row_bytes);
  for (std::uint64_t done = 0; done < count; done += rows_per_piece) {
    const std::uint64_t piece = std::min(count - done, rows_per_piece);
    source.make(first + done, piece, buffer.data());
    write_made_rows(source, buffer.data(), piece, at + done);
  }
}

void Object::write_made_rows(const RowSource& source, const void* rows, std::uint64_t count, std::uint64_t at) const {
  const std::array<hsize_t, 3> start{at, 0, 0}, size = extent_of(source, count);
  const Handle file_space(written(H5Dget_space(id()), name_), H5Sclose);
  written(H5Sselect_hyperslab(file_space.get(), H5S_SELECT_SET, start.data(), nullptr, size.data(), nullptr), name_);
  const Handle memory_space(written(H5Screate_simple(rank_of(source), size.data(), nullptr), name_), H5Sclose);
  written(H5Dwrite(id(), source.type, memory_space.get(), file_space.get(), H5P_DEFAULT, rows), name_);
}

void Object::finish_rows() const {
  written(H5Dflush(id()), name_);
}

File File::open(const std::string& path) {
  const Hold alone;
  start_library();
  if (std::filesystem::is_directory(path)) throw InputError(path + ": is a directory: name a snapshot in it");
  { const PlainFile readable_at_all(path); }
  if (H5Fis_hdf5(path.c_str()) <= 0) throw InputError(path + ": is not an HDF5 file");
  return File(open_to_read(path), path);
}

File File::create(const std::string& path) {
  const Hold alone;
  start_library();
  const Handle access(written(H5Pcreate(H5P_FILE_ACCESS), path), H5Pclose);
  written(H5Pset_libver_bounds(access.get(), H5F_LIBVER_V110, H5F_LIBVER_V110), path);
  written(H5Pset_fclose_degree(access.get(), H5F_CLOSE_STRONG), path);
  write_without_locks(access.get(), path);
  const Handle properties = timeless(H5P_FILE_CREATE, path);
  return File({written(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, properties.get(), access.get()), path), close_written},
              path);
}

File File::open_to_fill(const std::string& path, hid_t access) {
  const Hold alone;
  start_library();
  const Handle own(written(access == H5P_DEFAULT ? H5Pcreate(H5P_FILE_ACCESS) : H5Pcopy(access), path), H5Pclose);
  write_without_locks(own.get(), path);
  return File({written(H5Fopen(path.c_str(), H5F_ACC_RDWR, own.get()), path), close_written}, path);
}

void File::flush() {
  written(H5Fflush(id(), H5F_SCOPE_LOCAL), name());
}

void File::close() {
  flush();
  written(handle_.close(), name());
}

void write_file(const std::string& path, const std::function<void(File&)>& fill) {
  PartialFile partial(path);
  File file = File::create(partial.partial_path());
  fill(file);
  file.close();
  partial.commit();
}

}  // namespace multiwalk::hdf5
