// SPDX-License-Identifier: GPL-3.0-or-later
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
#include <utility>
#include <vector>

namespace multiwalk::hdf5 {

/// Holds the library, which only one thread may use at a time; others wait. A thread may hold it several times.
class Hold {
 public:
  /// Throws Error in a forked process if another thread of its parent held the library.
  Hold();
  Hold(Hold&& other) noexcept : holds_(std::exchange(other.holds_, false)) {}
  Hold& operator=(Hold&&) = delete;
  ~Hold();

 private:
  bool holds_ = true;
};

/// Owns one identifier, and with it the library. It belongs to the thread that made it.
class Handle {
 public:
  using Closer = herr_t (*)(hid_t);

  Handle(hid_t id, Closer closer) : id_(id), closer_(closer) {}
  Handle(Handle&& other) noexcept
      : hold_(std::move(other.hold_)), id_(std::exchange(other.id_, H5I_INVALID_HID)), closer_(other.closer_) {}
  Handle& operator=(Handle&&) = delete;
  ~Handle() {
    if (id_ >= 0) closer_(id_);
  }

  [[nodiscard]] hid_t get() const { return id_; }
  /// Closes now and returns the library's status.
  herr_t close() {
    const hid_t id = id_;
    id_ = H5I_INVALID_HID;
    return closer_(id);
  }
  /// Never closes it.
  void abandon() { id_ = H5I_INVALID_HID; }

 private:
  Hold hold_;  ///< ends last
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

/// The shape of a dataset, known before anything is allocated for it.
struct DatasetShape {
  std::uint64_t rows = 0, columns = 1;  ///< one-dimensional: columns = 1
  bool integer = false;
  unsigned bytes = 8;  ///< of each number
};

/// How a dataset is stored in its file.
enum class Storage {
  checked,     ///< Fletcher-32 checked chunks, written by one process
  compressed,  ///< the same, shuffled and deflated
  shared       ///< in one piece at a fixed place in the file, so that many may write without new metadata
};

/// Rows of a dataset, made piece by piece: make(first, count, out) writes count rows of `columns` numbers of `type`.
struct RowSource {
  std::string link;
  hid_t type = H5I_INVALID_HID;
  std::uint64_t columns = 1;  ///< 1: one-dimensional
  std::size_t row_bytes = 0;
  std::function<void(std::uint64_t first, std::uint64_t count, void* out)> make;
  std::uint64_t lines = 1;  ///< above 1: three-dimensional, each row is lines x (columns / lines) numbers and a chunk

  template <class T>
  static RowSource of(std::string link, std::uint64_t columns,
                      std::function<void(std::uint64_t, std::uint64_t, T*)> make) {
    return {std::move(link), native_type<T>(), columns, columns * sizeof(T),
            [make = std::move(make)](std::uint64_t first, std::uint64_t count, void* out) {
              make(first, count, static_cast<T*>(out));
            }};
  }
  /// Of rows in memory, which must stay: at(row, column).
  template <class T, class Row, class At>
  static RowSource of_rows(std::string link, std::uint64_t columns, std::span<const Row> rows, At at) {
    return of<T>(std::move(link), columns, [rows, columns, at](std::uint64_t first, std::uint64_t count, T* out) {
      for (const Row& row : rows.subspan(first, count))
        for (std::uint64_t c = 0; c < columns; ++c) *out++ = static_cast<T>(at(row, static_cast<int>(c)));
    });
  }
};

/// Rows per piece in which datasets are written: bounds the memory.
inline constexpr std::uint64_t rows_per_piece = 262144;

/// A file, group or dataset: something with attributes.
class Object {
 public:
  Object(Handle handle, std::string name) : handle_(std::move(handle)), name_(std::move(name)) {}

  [[nodiscard]] hid_t id() const { return handle_.get(); }
  [[nodiscard]] const std::string& name() const { return name_; }  ///< file and path inside, for messages

  // Reading: absent attributes give nullopt; more than 16 numbers or a wrong class throw InputError, and so do whole
  // numbers that the type asked for cannot hold.
  [[nodiscard]] bool has(const std::string& link) const;
  [[nodiscard]] std::optional<Object> group(const std::string& link) const;
  /// A group that every file of `kind` has. Throws InputError if there is none.
  [[nodiscard]] Object group_of(const std::string& link, const std::string& kind) const;
  [[nodiscard]] std::optional<std::vector<double>> numbers(const std::string& attribute) const;
  [[nodiscard]] std::optional<std::vector<std::uint64_t>> counts(const std::string& attribute) const;
  [[nodiscard]] std::optional<double> number(const std::string& attribute) const;  ///< exactly one
  [[nodiscard]] std::optional<std::string> text(const std::string& attribute) const;
  [[nodiscard]] DatasetShape dataset_shape(const std::string& link) const;
  /// The rows from `first` on for which `out` has room, converted to T. The dataset must have `columns` numbers in each
  /// row.
  template <class T>
  void read_rows(const std::string& link, std::uint64_t first, std::uint64_t columns, std::span<T> out) const {
    read_rows_as(link, {native_type<T>(), first, columns, out.size()}, out.data());
  }
  /// (rows x columns) A whole dataset, converted to T.
  template <class T>
  [[nodiscard]] std::vector<T> read_dataset(const std::string& link, std::uint64_t columns = 1) const {
    std::vector<T> values(numbers_of_rows(link, dataset_shape(link), columns));
    read_rows(link, 0, columns, std::span(values));
    return values;
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
  /// Gives an existing attribute another value of the same type.
  template <class T>
  void change(const std::string& attribute, T value) const {
    change_attribute(attribute, native_type<T>(), &value);
  }
  void write_text(const std::string& attribute, const std::string& text) const;  ///< fixed length
  [[nodiscard]] Object create_dataset(const RowSource& source, std::uint64_t rows, Storage storage) const;
  /// A new dataset of the source's rows [first, first + count).
  Object write_dataset(const RowSource& source, std::uint64_t first, std::uint64_t count,
                       Storage storage = Storage::checked) const;
  [[nodiscard]] Object dataset(const std::string& link) const;  ///< an existing one, to write rows into
  /// For a dataset: the source's rows [first, first + count) become its rows from `at` on.
  void write_rows(const RowSource& source, std::uint64_t first, std::uint64_t count, std::uint64_t at) const;
  /// For a dataset: writes `count` rows that exist already.
  void write_made_rows(const RowSource& source, const void* rows, std::uint64_t count, std::uint64_t at) const;
  /// For a dataset that one process writes: stores rows that the library has buffered, whose loss when the dataset is
  /// closed would go unnoticed. Throws Error.
  void finish_rows() const;

 protected:
  Handle handle_;

 private:
  /// Opens a dataset; if `checked`, all its values must be stored (hdf5_storage.hpp).
  [[nodiscard]] Object stored_dataset(const std::string& link, bool checked) const;
  [[nodiscard]] DatasetShape own_shape() const;  ///< of a dataset
  struct WantedRows {
    hid_t type;
    std::uint64_t first, columns, numbers;
  };
  /// rows x columns of a dataset; throws InputError if it has another number of columns.
  [[nodiscard]] std::uint64_t numbers_of_rows(const std::string& link, const DatasetShape& shape,
                                              std::uint64_t columns) const;
  void read_rows_as(const std::string& link, const WantedRows& wanted, void* out) const;
  void write_attribute(const std::string& attribute, hid_t type, const void* values, std::int64_t count) const;
  void change_attribute(const std::string& attribute, hid_t type, const void* value) const;

  std::string name_;
};

class File : public Object {
 public:
  /// Throws InputError: missing, unreadable, not HDF5, truncated.
  static File open(const std::string& path);
  /// Truncates; metadata carry checksums (HDF5 1.10 format).
  static File create(const std::string& path);
  /// A finished file whose datasets are to be filled. `access`: file access properties; with MPI's, collective.
  static File open_to_fill(const std::string& path, hid_t access = H5P_DEFAULT);
  /// Throws Error if anything could not be written, as `close` does, which flushes first.
  void flush();
  void close();
  /// Leaves it open until the program ends.
  void abandon() { handle_.abandon(); }

 private:
  using Object::Object;
};

/// Writes a file that appears whole or not at all (run/files/partial_file.hpp): fill(file).
void write_file(const std::string& path, const std::function<void(File&)>& fill);

/// The library prints nothing from now on. Everything that opens or creates a file calls this, holding the library.
void start_library();

/// Throws Error if `status` is that of a failed call.
void require_success(herr_t status, const std::string& name);

/// The library's innermost message about the call that just failed, on one line.
std::string error_text();
/// The same as the library has it, with the call and the number of the system's error.
std::string whole_error_text();

}  // namespace multiwalk::hdf5
