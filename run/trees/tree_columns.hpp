// SPDX-License-Identifier: GPL-3.0-or-later
// Reads a file of merger trees (tree_file.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace multiwalk {

/// The columns that tables and pages need. Halos are named by their rows; none: -1.
struct TreeColumns {
  std::size_t trees = 0;
  std::vector<std::int64_t> main_progenitor, descendant, output, particles;
  std::vector<double> mass, v_max, place;  ///< 1e10 Msun/h, km/s, (rows x 3) Mpc/h
  std::vector<double> redshift;            ///< (outputs)
  std::vector<std::size_t> root;  ///< without a descendant: from the last output back, in it by decreasing mass

  /// Throws InputError.
  explicit TreeColumns(const std::string& path);

  [[nodiscard]] double redshift_of(std::size_t row) const { return redshift[static_cast<std::size_t>(output[row])]; }
  /// A halo and its main progenitors.
  [[nodiscard]] std::vector<std::size_t> main_branch(std::size_t row) const;
  /// The row after the last one that descends to this root.
  [[nodiscard]] std::size_t end_of(std::size_t root_row) const;
};

}  // namespace multiwalk
