#include "host/force/active_targets.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace multiwalk {

void ActiveTargets::choose(const ParticleStore& particles, std::span<const Group> groups,
                           std::span<const double> smallest, std::span<const std::uint32_t> order, bool grown,
                           int least, double background) {
  order_ = order;
  grown_ = grown;
  groups_.clear();
  smallest_.clear();
  runs_.clear();
  active_.clear();
  for (const Group& group : groups) {
    const auto before = static_cast<std::uint32_t>(active_.size());
    Group chosen = group;
    chosen.box = {};
    double least2 = std::numeric_limits<double>::infinity();
    std::uint32_t first = 0, end = 0;
    for (std::uint32_t place = group.first; place < group.first + group.count; ++place) {
      const std::uint32_t i = order.empty() ? place : order[place];
      if (particles.rung[i] < least) continue;
      if (active_.size() == before) first = place;
      end = place + 1;
      active_.push_back(i);
      chosen.box.include(particles.position[i]);
      if (!smallest.empty()) least2 = std::min(least2, norm2(peculiar_acceleration(particles, i, background)));
    }
    const auto count = static_cast<std::uint32_t>(active_.size()) - before;
    if (count == 0) continue;
    groups_.push_back(chosen);
    runs_.push_back(grown ? ParticleRange{first, end - first} : ParticleRange{before, count});
    if (!smallest.empty()) smallest_.push_back(std::sqrt(least2));
  }
}

TargetView ActiveTargets::view(const ParticleStore& particles) {
  const std::size_t n = grown_ ? particles.size() : active_.size();
  acceleration_.resize(n);
  potential_.resize(n);
  if (grown_) return {particles.position, particles.mass, acceleration_, potential_};
  position_.resize(n);
  mass_.resize(n);
#pragma omp parallel for schedule(static)
  for (std::size_t t = 0; t < n; ++t) {
    position_[t] = particles.position[active_[t]];
    mass_[t] = particles.mass[active_[t]];
  }
  return {position_, mass_, acceleration_, potential_};
}

void ActiveTargets::store(ParticleStore& particles) const {
#pragma omp parallel for schedule(static)
  for (std::size_t t = 0; t < active_.size(); ++t) {
    const std::uint32_t i = active_[t];
    particles.acceleration[i] = acceleration_[grown_ ? i : t] + particles.long_range[i];
  }
}

}  // namespace multiwalk
