// RAII over the HDF5 C API: files, groups, attributes and row-wise datasets. Every call is checked, the library's own
// error printing is off and its text goes into the exception: InputError when reading, Error when writing.
#pragma once

#include <hdf5.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <source_location>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace multiwalk::hdf5 {

/// Owns one identifier.
class Handle {
 public:
  using Closer = herr_t (*)(hid_t);

  Handle(hid_t id, Closer closer) : id_(id), closer_(closer) {}
  Handle(Handle&& other) noexcept : id_(other.id_), closer_(other.closer_) { other.id_ = H5I_INVALID_HID; }
  Handle& operator=(Handle&&) = delete;
  ~Handle() {
    if (id_ >= 0) closer_(id_);
  }

  [[nodiscard]] hid_t get() const { return id_; }
  /// Closes now; the library's verdict is returned.
  herr_t close() {
    const hid_t id = id_;
    id_ = H5I_INVALID_HID;
    return closer_(id);
  }

 private:
  hid_t id_;
  Closer closer_;
};

template <class T>
hid_t native_type() {
  if constexpr (std::is_same_v<T, double>) return H5T_NATIVE_DOUBLE;
  if constexpr (std::is_same_v<T, float>) return H5T_NATIVE_FLOAT;
  if constexpr (std::is_same_v<T, std::int32_t>) return H5T_NATIVE_INT32;
  if constexpr (std::is_same_v<T, std::int64_t>) return H5T_NATIVE_INT64;
  if constexpr (std::is_same_v<T, std::uint32_t>) return H5T_NATIVE_UINT32;
  if constexpr (std::is_same_v<T, std::uint64_t>) return H5T_NATIVE_UINT64;
}

/// What a dataset holds, before anything is allocated for it.
struct DatasetShape {
  std::uint64_t rows = 0, columns = 1;  ///< one-dimensional: columns = 1
  bool integer = false;
};

/// A file, group or dataset: something with attributes.
class Object {
 public:
  Object(Handle handle, std::string name) : handle_(std::move(handle)), name_(std::move(name)) {}

  [[nodiscard]] hid_t id() const { return handle_.get(); }
  [[nodiscard]] const std::string& name() const { return name_; }  ///< file and path inside, for messages

  // Reading: absent attributes give nullopt; more than 16 numbers or a wrong class throw InputError.
  [[nodiscard]] bool has(const std::string& link) const;
  [[nodiscard]] std::optional<Object> group(const std::string& link) const;
  [[nodiscard]] std::optional<std::vector<double>> numbers(const std::string& attribute) const;
  [[nodiscard]] std::optional<std::vector<std::uint64_t>> counts(const std::string& attribute) const;
  [[nodiscard]] std::optional<double> number(const std::string& attribute) const;  ///< first of `numbers`
  [[nodiscard]] std::optional<std::string> text(const std::string& attribute) const;
  [[nodiscard]] DatasetShape dataset_shape(const std::string& link) const;
  /// All rows into `out` (rows x columns), converted to T.
  template <class T>
  void read_dataset(const std::string& link, T* out) const {
    read_dataset_as(link, native_type<T>(), out);
  }

  // Writing.
  [[nodiscard]] Object create_group(const std::string& link) const;
  template <class T>
  void write(const std::string& attribute, T value) const {
    write_attribute(attribute, native_type<T>(), &value, -1);
  }
  template <class T>
  void write(const std::string& attribute, std::span<const T> values) const {
    write_attribute(attribute, native_type<T>(), values.data(), static_cast<std::int64_t>(values.size()));
  }
  void write_text(const std::string& attribute, const std::string& text) const;  ///< fixed length
  /// Rows x columns numbers in Fletcher-32 checked chunks; fill(first, count, buffer) makes them. columns = 1: 1-d.
  template <class T>
  Object write_dataset(const std::string& link, std::uint64_t rows, std::uint64_t columns,
                       const std::function<void(std::uint64_t, std::uint64_t, T*)>& fill) const {
    Object dataset = create_dataset(link, native_type<T>(), rows, columns);
    std::vector<T> buffer(std::min(rows, rows_per_chunk) * columns);
    for (std::uint64_t first = 0; first < rows; first += rows_per_chunk) {
      const std::uint64_t count = std::min(rows - first, rows_per_chunk);
      fill(first, count, buffer.data());
      dataset.write_rows(native_type<T>(), first, count, columns, buffer.data());
    }
    return dataset;
  }

 protected:
  Handle handle_;

 private:
  static constexpr std::uint64_t rows_per_chunk = 65536;

  void read_dataset_as(const std::string& link, hid_t type, void* out) const;
  void write_attribute(const std::string& attribute, hid_t type, const void* values, std::int64_t count) const;
  [[nodiscard]] Object create_dataset(const std::string& link, hid_t type, std::uint64_t rows,
                                      std::uint64_t columns) const;
  void write_rows(hid_t type, std::uint64_t first, std::uint64_t count, std::uint64_t columns, const void* data) const;

  std::string name_;
};

class File : public Object {
 public:
  /// Throws InputError: missing, unreadable, not HDF5, truncated.
  static File open(const std::string& path);
  /// Truncates; metadata carry checksums (HDF5 1.10 format).
  static File create(const std::string& path);
  /// Flushes and closes; throws Error if anything could not be written.
  void close();

 private:
  using Object::Object;
};

/// The library's innermost message about the call that just failed, on one line.
std::string error_text();

}  // namespace multiwalk::hdf5
