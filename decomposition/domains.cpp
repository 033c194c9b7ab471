#include "decomposition/domains.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <utility>

#include "decomposition/migrate.hpp"
#include "host/base/error.hpp"

namespace multiwalk {

namespace {

double imbalance(double most, double sum, int ranks) {
  return sum > 0 ? most * ranks / sum : 1;
}

}  // namespace

Distribution Domains::distribute(ParticleStore& particles) {
  map_ = multisection(comm_, comm_.size(), particles.position, particles.work, options_, map_ ? &*map_ : nullptr);
  Distribution distribution;
  distribution.moved = comm_.sum(migrate(comm_, *map_, particles));
  // Whole numbers: the sum does not depend on the threads.
  std::uint64_t work = 0;
#pragma omp parallel for schedule(static) reduction(+ : work)
  for (std::size_t i = 0; i < particles.size(); ++i)
    work += static_cast<std::uint64_t>(std::max(particles.work[i], 0.0F));
  const std::array<double, 2> mine{static_cast<double>(work), static_cast<double>(particles.size())};
  std::array<double, 2> most = mine, sum = mine;
  comm_.max(std::span<double>(most));
  comm_.sum(std::span<double>(sum));
  distribution.work_imbalance = imbalance(most[0], sum[0], comm_.size());
  distribution.particle_imbalance = imbalance(most[1], sum[1], comm_.size());
  return distribution;
}

void Domains::restore(DomainMap map) {
  if (!map.consistent()) throw InputError("the checkpoint's domain cuts are damaged: restart from an older checkpoint");
  map_.reset();
  if (map.ranks() == comm_.size()) map_ = std::move(map);
}

}  // namespace multiwalk
