// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/sky/map_rows.hpp"

#include <algorithm>
#include <numeric>

#include "run/sky/sky_shell.hpp"

namespace multiwalk {

SeenPixels::SeenPixels(std::uint32_t nside, const SkyView& view) : all_(view.opening == SkyOpening::full), sky_(nside) {
  if (all_) return;
  constexpr std::uint32_t across = 64;  // a block of 64^2 pixels is a pixel of a coarse map
  const SkyPixels coarse(std::max(nside / across, 1U));
  const std::uint64_t block_pixels = std::min<std::uint64_t>(SkyCounts::block_pixels, sky_.number());
  seen_.resize((sky_.number() + block_pixels - 1) / block_pixels);
  const double radius = 1.0 / coarse.nside();  // of a coarse pixel, at least
  const SkyWindow window = view.window();
#pragma omp parallel for schedule(dynamic, 16)
  for (std::uint64_t b = 0; b < seen_.size(); ++b) {
    if (nside >= across && !view.may_meet(coarse.centre(b), radius)) continue;
    std::vector<bool> block(block_pixels);
    for (std::uint64_t k = 0; k < block_pixels; ++k) block[k] = window.contains(sky_.centre(b * block_pixels + k));
    if (std::ranges::find(block, true) != block.end()) seen_[b] = std::move(block);
  }
}

bool SeenPixels::contains_around(std::uint64_t pixel) const {
  return contains(pixel) &&
         (all_ || std::ranges::all_of(sky_.around(pixel), [&](std::uint64_t p) { return contains(p); }));
}

MapRows::MapRows(const SkyMaps& maps, const SeenPixels& seen) : maps_(maps), seen_(seen), rows_before_(pieces() + 1) {
#pragma omp parallel for schedule(dynamic, 16)
  for (std::uint64_t p = 0; p < pieces(); ++p) rows_before_[p + 1] = count_rows(p);
  std::partial_sum(rows_before_.begin(), rows_before_.end(), rows_before_.begin());
}

std::uint64_t MapRows::count_rows(std::uint64_t piece) const {
  const std::uint64_t first = piece * piece_pixels, end = std::min(first + piece_pixels, maps_.counts.pixels());
  if (!partial()) return end - first;
  std::uint64_t rows = 0;
  for (std::uint64_t pixel = first; pixel < end;) {
    const auto counts = maps_.counts.block(pixel / SkyCounts::block_pixels);
    const std::uint64_t last = std::min(pixel + SkyCounts::block_pixels, end);
    for (std::uint64_t k = 0; pixel < last; ++pixel, ++k) {
      rows += (!counts.empty() && counts[k] > 0) || seen_.contains(pixel) ? 1 : 0;
    }
  }
  return rows;
}

MapRows::Rows MapRows::all_of(std::uint64_t piece) const {
  const std::uint64_t first = piece * piece_blocks, end = std::min(first + piece_blocks, maps_.counts.blocks());
  Rows rows;
  rows.count.resize(std::min(piece_pixels, maps_.counts.pixels() - piece * piece_pixels));
  if (velocities()) rows.velocity.assign(rows.count.size(), unseen_sky);
  for (std::uint64_t b = first; b < end; ++b) {
    const std::size_t at = (b - first) * SkyCounts::block_pixels;
    std::ranges::copy(maps_.counts.block(b), rows.count.begin() + static_cast<std::ptrdiff_t>(at));
    if (!velocities()) continue;
    const auto sums = maps_.velocities->block(b);
    for (std::size_t k = 0; k < sums.size(); ++k) {
      const std::uint32_t count = rows.count[at + k];
      if (count > 0) rows.velocity[at + k] = static_cast<double>(sums[k]) * sky_velocity_unit / count;
    }
  }
  return rows;
}

MapRows::Rows MapRows::load(std::uint64_t piece) const {
  Rows rows = all_of(piece);
  if (!partial()) return rows;
  for (std::size_t k = 0; k < rows.count.size(); ++k) {
    const std::uint64_t pixel = piece * piece_pixels + k;
    if (rows.count[k] == 0 && !seen_.contains(pixel)) continue;
    const std::size_t at = rows.pixel.size();
    rows.count[at] = rows.count[k];
    if (velocities()) rows.velocity[at] = rows.velocity[k];
    rows.pixel.push_back(static_cast<std::int64_t>(pixel));
  }
  rows.count.resize(rows.pixel.size());
  if (velocities()) rows.velocity.resize(rows.pixel.size());
  return rows;
}

MapRows::Rows MapRows::read(std::uint64_t first, std::uint64_t count) const {
  auto piece = static_cast<std::uint64_t>(std::ranges::upper_bound(rows_before_, first) - rows_before_.begin()) - 1;
  if (rows_before_[piece] == first && rows_before_[piece + 1] == first + count) return load(piece);
  Rows rows;
  for (; rows.count.size() < count; ++piece) {
    const Rows some = load(piece);
    const std::uint64_t from = std::max(first, rows_before_[piece]) - rows_before_[piece];
    const std::uint64_t to = std::min(first + count, rows_before_[piece + 1]) - rows_before_[piece];
    const auto append = [&](const auto& values, auto& all) {
      if (values.empty()) return;
      all.insert(all.end(), values.begin() + static_cast<std::ptrdiff_t>(from),
                 values.begin() + static_cast<std::ptrdiff_t>(to));
    };
    append(some.pixel, rows.pixel);
    append(some.count, rows.count);
    append(some.velocity, rows.velocity);
  }
  return rows;
}

}  // namespace multiwalk
