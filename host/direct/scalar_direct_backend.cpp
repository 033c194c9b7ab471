// SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>

#include "host/direct/direct_backend.hpp"
#include "host/gravity/gravity_pairs.hpp"

namespace multiwalk {

namespace {

/// Runs through all sources of target t; returns the sums without the own pair's potential.
template <bool softened>
ForceSum<double> force_on(const DirectTask& task, std::size_t t) {
  const GravityPair<softened, SingleVector> pair{task.softening2};
  const SingleVector<double> position{task.target_position[t]};
  ForceSum<double> sum;
  for (std::size_t s = 0; s < task.source_position.size(); ++s) {
    using Source = typename GravityPair<softened, SingleVector>::template Source<double>;
    pair({position}, Source{{task.source_position[s]}, task.source_mass[s]}, sum);
  }
  return sum;
}

template <bool softened>
auto jerk_on(const DirectTask& task, std::size_t t) {
  using Pair = GravityJerkPair<softened, SingleVector>;
  const Pair pair{task.softening2};
  const typename Pair::template Target<double> target{{task.target_position[t]}, {task.target_velocity[t]}};
  typename Pair::template Sum<double> sum;
  for (std::size_t s = 0; s < task.source_position.size(); ++s) {
    using Source = typename Pair::template Source<double>;
    pair(target, Source{{task.source_position[s]}, {task.source_velocity[s]}, task.source_mass[s]}, sum);
  }
  return sum;
}

template <bool softened>
void sum_all(const DirectTask& task) {
  for (std::size_t t = 0; t < task.target_position.size(); ++t) {
    ForceSum<double> force;
    if (task.jerk.empty()) {
      force = force_on<softened>(task, t);
    } else {
      const auto sum = jerk_on<softened>(task, t);
      force = sum.force;
      task.jerk[t] = sum.jerk;
    }
    if (!task.acceleration.empty()) task.acceleration[t] = {force.x, force.y, force.z};
    if (!task.potential.empty()) {
      const double own = softened && !task.target_mass.empty() ? task.target_mass[t] / std::sqrt(task.softening2) : 0;
      task.potential[t] = own - force.potential;
    }
  }
}

class ScalarDirectBackend final : public DirectBackend {
 public:
  std::string_view name() const override { return "scalar"; }
  std::string description() const override { return "scalar loop in double precision"; }
  void sum(const DirectTask& task) override {
    check_task(task);
    is_softened_in_double(task.softening2) ? sum_all<true>(task) : sum_all<false>(task);
  }
};

}  // namespace

std::unique_ptr<DirectBackend> make_scalar_direct_backend() {
  return std::make_unique<ScalarDirectBackend>();
}

}  // namespace multiwalk
