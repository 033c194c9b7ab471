// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <algorithm>
#include <concepts>
#include <cstring>
#include <limits>
#include <numeric>
#include <vector>

#include "host/base/error.hpp"
#include "run/files/partial_file.hpp"
#include "run/formats/file_contents.hpp"
#include "run/formats/gadget_layout.hpp"

namespace multiwalk {

namespace {

class GadgetWriter {
 public:
  GadgetWriter(const std::string& path, const FileContents& contents, int format)
      : contents_(contents), named_(format == 2), file_(FileDescriptor::create(path)) {}

  void write() {
    header();
    column<double>(Column::positions, contents_.width_of(Column::positions));
    column<double>(Column::velocities, contents_.width_of(Column::positions));
    column<std::uint64_t>(Column::ids, contents_.width_of(Column::ids));
    column<double>(Column::masses, contents_.width_of(Column::positions));
    file_.close();
  }

 private:
  [[nodiscard]] bool holds(Column column, int type) const {
    return contents_.count[type] > 0 && (column != Column::masses || contents_.mass[type] == 0);
  }

  [[nodiscard]] std::uint64_t bytes_of(Column column, unsigned width) const {
    std::uint64_t rows = 0;
    for (int type = 0; type < gadget_types; ++type) rows += holds(column, type) ? contents_.count[type] : 0;
    return rows * numbers_of(column) * width;
  }

  template <class T>
  void put(const T& value) {
    file_.write(&value, sizeof value);
  }

  /// Begins a record: in format 2 its name and the length of what follows come first.
  void begin(std::string_view name, std::uint32_t bytes) {
    if (named_) {
      put(gadget::label_bytes);
      file_.write(name.data(), 4);
      put(static_cast<std::uint32_t>(bytes + 8));
      put(gadget::label_bytes);
    }
    put(bytes);
  }

  void header() {
    gadget::RawHeader raw;
    std::memset(&raw, 0, sizeof raw);
    for (int type = 0; type < gadget_types; ++type) {
      raw.here[type] = raw.total[type] = static_cast<std::uint32_t>(contents_.count[type]);
      raw.mass[type] = contents_.mass[type];
    }
    raw.time = contents_.a;
    raw.redshift = 1 / contents_.a - 1;
    raw.files = 1;
    raw.box = contents_.box;
    raw.omega_m = contents_.cosmology.omega_m;
    raw.omega_lambda = contents_.cosmology.omega_lambda;
    raw.h = contents_.cosmology.h;
    raw.flag_double = contents_.width_of(Column::positions) == 8 ? 1 : 0;
    begin("HEAD", gadget::header_bytes);
    put(raw);
    put(gadget::header_bytes);
  }

  template <class T>
  void column(Column column, unsigned width) {
    const auto bytes = static_cast<std::uint32_t>(bytes_of(column, width));
    if (bytes == 0) return;
    begin(names_of(column).block, bytes);
    for (int type = 0; type < gadget_types; ++type) {
      if (holds(column, type)) rows<T>(column, type, width);
    }
    put(bytes);
  }

  template <class T>
  void rows(Column column, int type, unsigned width) {
    using Narrow = std::conditional_t<std::integral<T>, std::uint32_t, float>;
    std::vector<T> made(rows_at_once * numbers_of(column));
    for (std::uint64_t done = 0; done < contents_.count[type]; done += rows_at_once) {
      const std::uint64_t count = std::min(rows_at_once, contents_.count[type] - done);
      if constexpr (std::integral<T>)
        contents_.ids(type, done, count, made.data());
      else
        contents_.numbers(column, type, done, count, made.data());
      const std::size_t numbers = count * numbers_of(column);
      if (width == sizeof(T)) {
        file_.write(made.data(), numbers * sizeof(T));
      } else {
        std::vector<Narrow> narrow(numbers);
        std::transform(made.begin(), made.begin() + static_cast<std::ptrdiff_t>(numbers), narrow.begin(),
                       [](T value) { return static_cast<Narrow>(value); });
        file_.write(narrow.data(), numbers * sizeof(Narrow));
      }
    }
  }

  const FileContents& contents_;
  bool named_;
  FileDescriptor file_;
};

}  // namespace

void write_gadget_file(const std::string& path, const FileContents& contents, int format) {
  const std::uint64_t particles = std::accumulate(contents.count.begin(), contents.count.end(), std::uint64_t{0});
  const std::uint64_t largest = particles * 3 * contents.width_of(Column::positions);
  if (largest > std::numeric_limits<std::int32_t>::max()) {
    throw InputError(
        fmt::format("{} particles need a record of {} bytes, too long for one file of GADGET's format {}: use --format "
                    "hdf5",
                    particles, largest, format));
  }
  GadgetWriter(path, contents, format).write();
}

}  // namespace multiwalk
