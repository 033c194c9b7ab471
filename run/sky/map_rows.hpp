// SPDX-License-Identifier: GPL-3.0-or-later
// The rows of a shell's files: pixels and what was summed in them.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/sky/sky_counts.hpp"
#include "analysis/sky/sky_pixels.hpp"
#include "analysis/sky/sky_view.hpp"

namespace multiwalk {

/// The pixels whose centre is in view.
class SeenPixels {
 public:
  /// Uses all threads if only part of the sky is in view. `nside`: as SkyCounts.
  SeenPixels(std::uint32_t nside, const SkyView& view);

  [[nodiscard]] bool all() const { return all_; }
  [[nodiscard]] bool contains(std::uint64_t pixel) const {
    if (all_) return true;
    const std::vector<bool>& block = seen_[pixel / SkyCounts::block_pixels];
    return !block.empty() && block[pixel % SkyCounts::block_pixels];
  }
  /// Whether the pixel and all its neighbours are seen, so that the border of the view does not cut it.
  [[nodiscard]] bool contains_around(std::uint64_t pixel) const;

 private:
  bool all_;
  SkyPixels sky_;
  std::vector<std::vector<bool>> seen_;  ///< of each block; empty if none is seen
};

/// All pixels of a full sky; otherwise the pixels that are seen or have particles.
class MapRows {
 public:
  /// Some rows.
  struct Rows {
    std::vector<std::int64_t> pixel;  ///< empty if all pixels are listed
    std::vector<std::uint32_t> count;
    std::vector<double> velocity;  ///< mean, km/s; empty without velocities
  };

  /// Both must outlive it. Uses all threads.
  MapRows(const SkyMaps& maps, const SeenPixels& seen);

  [[nodiscard]] std::uint64_t rows() const { return rows_before_.back(); }
  [[nodiscard]] bool partial() const { return !seen_.all(); }
  [[nodiscard]] bool velocities() const { return maps_.velocities.has_value(); }
  /// The rows first ... first + count - 1. Several threads may call it.
  [[nodiscard]] Rows read(std::uint64_t first, std::uint64_t count) const;

 private:
  /// Consecutive pixels.
  static constexpr std::uint64_t piece_blocks = 16, piece_pixels = piece_blocks * SkyCounts::block_pixels;

  [[nodiscard]] std::uint64_t pieces() const { return (maps_.counts.pixels() + piece_pixels - 1) / piece_pixels; }
  /// All pixels of a piece, then those that are rows.
  [[nodiscard]] Rows all_of(std::uint64_t piece) const;
  [[nodiscard]] Rows load(std::uint64_t piece) const;
  [[nodiscard]] std::uint64_t count_rows(std::uint64_t piece) const;

  const SkyMaps& maps_;
  const SeenPixels& seen_;
  std::vector<std::uint64_t> rows_before_;  ///< rows before each piece, and all rows
};

}  // namespace multiwalk
