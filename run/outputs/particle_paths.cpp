// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/outputs/particle_paths.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

#include "host/base/error.hpp"
#include "host/base/separation.hpp"

namespace multiwalk {

namespace {

constexpr double longest_tangent = 3;  ///< over the way between both positions

std::vector<std::uint32_t> order_by_id(const ParticleStore& particles) {
  std::vector<std::uint32_t> order(particles.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::sort(order, {}, [&](std::uint32_t i) { return particles.id[i]; });
  return order;
}

Vec3f limited(Vec3f tangent, Vec3d way) {
  const double most = longest_tangent * std::sqrt(norm2(way)), length = std::sqrt(static_cast<double>(norm2(tangent)));
  return length > most ? static_cast<float>(most / length) * tangent : tangent;
}

}  // namespace

ParticlePaths::ParticlePaths(const ParticleSystem& before, const ParticleSystem& after,
                             const CosmologyParameters& cosmology)
    : begin_(before.time), end_(after.time), expansion_(cosmology) {
  const ParticleStore &first = before.particles, &last = after.particles;
  if (!(begin_ < end_)) throw InputError("the second of two snapshots is not later than the first");
  const std::vector<std::uint32_t> from = order_by_id(first), to = order_by_id(last);
  const auto same = [&](std::uint32_t i, std::uint32_t j) { return first.id[i] == last.id[j]; };
  if (!std::ranges::equal(from, to, same)) throw InputError("two snapshots hold different particles");
  frame_ = {before, {}};
  const auto duration = static_cast<float>(span(begin_, end_));
  start_.resize(from.size());
  way_.resize(from.size());
  first_tangent_.resize(from.size());
  last_tangent_.resize(from.size());
  frame_.particles.mass.resize(from.size());
  frame_.particles.id.resize(from.size());
#pragma omp parallel for schedule(static)
  for (std::size_t i = 0; i < from.size(); ++i) {
    start_[i] = first.position[from[i]];
    way_[i] = separation(start_[i], last.position[to[i]], period_of(before));
    first_tangent_[i] = limited(duration * first.velocity[from[i]], way_[i]);
    last_tangent_[i] = limited(duration * last.velocity[to[i]], way_[i]);
    frame_.particles.mass[i] = first.mass[from[i]];
    frame_.particles.id[i] = first.id[from[i]];
  }
}

double ParticlePaths::span(double from, double to) const {
  return frame_.frame == Frame::comoving ? expansion_.drift_factor(from, to) : to - from;
}

ParticleSystem ParticlePaths::at(double time) const {
  ParticleSystem system = frame_;
  system.time = time;
  system.particles.position.resize(start_.size());
  const double s = std::clamp(span(begin_, time) / span(begin_, end_), 0.0, 1.0);
  const double on_way = s * s * (3 - 2 * s), on_first = s * (1 - s) * (1 - s), on_last = -s * s * (1 - s);
#pragma omp parallel for schedule(static)
  for (std::size_t i = 0; i < start_.size(); ++i) {
    const Vec3d place =
        start_[i] + on_way * way_[i] + on_first * Vec3d(first_tangent_[i]) + on_last * Vec3d(last_tangent_[i]);
    system.particles.position[i] = wrapped(place, period_of(frame_));
  }
  return system;
}

}  // namespace multiwalk
