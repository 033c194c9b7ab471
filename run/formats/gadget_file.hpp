// SPDX-License-Identifier: GPL-3.0-or-later
// Binary files of GADGET's formats 1 and 2 (Springel 2005; the user guide of GADGET-2, section 6), as N-GenIC, 2LPTic
// and MUSIC write them: Fortran records, each between two copies of its length.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "run/files/plain_file.hpp"
#include "run/formats/columns.hpp"

namespace multiwalk {

/// The 256 bytes of the first record; numbers in the file's units.
struct GadgetHeader {
  std::array<std::uint64_t, gadget_types> here{}, total{};  ///< particles in this file, in the whole set
  std::array<double, gadget_types> mass{};                  ///< 0: in the record of masses
  double time = 0, redshift = 0, box = 0, omega_m = 0, omega_lambda = 0, h = 0;
  std::uint64_t files = 1;

  /// Particles here whose masses are in the record of masses.
  [[nodiscard]] std::uint64_t with_own_masses() const;
};

class GadgetFile {
 public:
  /// Whether a file begins as files of these formats do, in either byte order.
  static bool is_one(const std::string& path);

  /// Reads the header and finds the records of positions, velocities, ids and masses. Their lengths must agree with
  /// each other, the header's counts and the file's size; nothing is allocated. Throws InputError naming file and byte.
  explicit GadgetFile(const std::string& path);

  [[nodiscard]] const std::string& name() const { return path_; }
  [[nodiscard]] const GadgetHeader& header() const { return header_; }
  [[nodiscard]] int format() const { return named_ ? 2 : 1; }
  /// Bytes of each number: 4 or 8; 0 if the file lacks the column.
  [[nodiscard]] unsigned width(Column column) const { return place(column).width; }

  /// Whether the record of masses has an entry for every particle though the header states all masses (format 2).
  [[nodiscard]] bool repeats_masses() const { return repeats_masses_; }

  /// The rows of a type of particles from `first` on for which `out` has room, as double, float or (ids) std::uint64_t.
  template <class T>
  void read(Column column, int type, std::uint64_t first, std::span<T> out) const;

 private:
  /// Where a column's numbers begin.
  struct Place {
    std::uint64_t at = 0;
    unsigned width = 0;
  };
  /// A record's data in the file.
  struct Record {
    std::uint64_t at, bytes;
    [[nodiscard]] std::uint64_t end() const { return at + bytes + 4; }
  };

  [[nodiscard]] const Place& place(Column column) const { return places_[static_cast<std::size_t>(column)]; }
  [[noreturn]] void refuse(const std::string& what, std::uint64_t at) const;
  [[nodiscard]] std::uint32_t word(std::uint64_t at, const char* what) const;
  [[nodiscard]] std::string label(std::uint64_t at) const;
  [[nodiscard]] Record record(std::uint64_t at, const char* what) const;
  [[nodiscard]] Place column(std::uint64_t at, Column column) const;
  [[nodiscard]] std::uint64_t rows(Column column) const;
  void read_header(std::uint64_t at);
  void find_in_order(std::uint64_t at);
  void find_by_name(std::uint64_t next);
  void find_repeated_masses(std::uint64_t at);

  std::string path_;
  PlainFile file_;
  bool swapped_ = false, named_ = false;  // byte order; records with names (format 2)
  bool repeats_masses_ = false;
  GadgetHeader header_;
  std::array<Place, 4> places_{};
};

}  // namespace multiwalk
