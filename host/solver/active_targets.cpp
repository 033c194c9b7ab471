// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/solver/active_targets.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace multiwalk {

void ActiveTargets::choose(const ParticleStore& particles, const LocalTree& tree, int least) {
  order_ = tree.order;
  grown_ = tree.grown();
  least_ = least;
  const std::span<const Group> groups = tree.groups;
  const bool judged = !tree.smallest.empty();
  count_.resize(groups.size());
#pragma omp parallel for schedule(static)
  for (std::size_t g = 0; g < groups.size(); ++g) {
    std::uint32_t active = 0;
    for (std::uint32_t k = 0; k < groups[g].count; ++k) {
      active += particles.rung[tree.index(groups[g].first + k)] >= least ? 1 : 0;
    }
    count_[g] = active;
  }
  groups_.clear();
  runs_.clear();
  std::uint32_t before = 0;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    if (count_[g] == 0) continue;
    groups_.push_back(groups[g]);
    runs_.push_back({before, count_[g]});
    before += count_[g];
  }
  active_.resize(grown_ ? 0 : before);
  smallest_.resize(judged ? groups_.size() : 0);
#pragma omp parallel for schedule(static)
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    Group& group = groups_[g];
    group.box = {};
    double least2 = std::numeric_limits<double>::infinity();
    std::uint32_t target = runs_[g].first, first = group.first + group.count, end = 0;
    for (std::uint32_t place = group.first; place < group.first + group.count; ++place) {
      const std::size_t i = tree.index(place);
      if (particles.rung[i] < least) continue;
      first = std::min(first, place);
      end = place + 1;
      if (!grown_) active_[target++] = static_cast<std::uint32_t>(i);
      group.box.include(particles.position[i]);
      if (judged) least2 = std::min(least2, norm2(peculiar_acceleration(particles, i, tree.walks.background)));
    }
    if (judged) smallest_[g] = std::sqrt(least2);
    if (grown_) runs_[g] = {first, end - first};
  }
}

TargetView ActiveTargets::view(ParticleStore& particles) {
  if (grown_) {
    TargetView view{particles.position, particles.mass, particles.acceleration, particles.potential};
    view.rung = particles.rung;
    view.least_rung = least_;
    return view;
  }
  const std::size_t n = active_.size();
  acceleration_.resize(n);
  potential_.resize(n);
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
  if (grown_) {
#pragma omp parallel for schedule(static)
    for (std::size_t g = 0; g < runs_.size(); ++g) {
      for (std::uint32_t place = runs_[g].first; place < runs_[g].first + runs_[g].count; ++place) {
        const std::uint32_t i = order_.empty() ? place : order_[place];
        if (particles.rung[i] >= least_) particles.acceleration[i] += particles.long_range[i];
      }
    }
    return;
  }
#pragma omp parallel for schedule(static)
  for (std::size_t t = 0; t < active_.size(); ++t) {
    const std::uint32_t i = active_[t];
    particles.acceleration[i] = acceleration_[t] + particles.long_range[i];
  }
}

}  // namespace multiwalk
