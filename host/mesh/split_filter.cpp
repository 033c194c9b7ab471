// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/mesh/split_filter.hpp"

#include <numbers>

#include "host/gravity/softened_wave.hpp"
#include "host/mesh/missed_pairs.hpp"

namespace multiwalk {

namespace {

constexpr double damped_beyond = 2;  // q at which the damping is 1/e
constexpr double last_q = 5;         // there the filter is 1e-11, and damped missed pairs are below 1e-7 of it

}  // namespace

SplitFilter::SplitFilter(const ForceSplit& split, double softening, double box_size)
    : value_(FilterValues::size),
      places_(static_cast<float>((FilterValues::size - 1) * 2 * std::numbers::pi * split.scale / (box_size * last_q))) {
  const MissedPairs missed(split, softening);
  const double eps = softening / split.scale;
#pragma omp parallel for schedule(static)
  for (int i = 0; i < FilterValues::size; ++i) {
    const double q = last_q * i / (FilterValues::size - 1), q2 = q * q, x2 = q2 / (damped_beyond * damped_beyond);
    value_[static_cast<std::size_t>(i)] =
        static_cast<float>(softened_wave(q2, q2 * eps * eps) + std::exp(q2 - x2 * x2) * missed(q));
  }
}

}  // namespace multiwalk
