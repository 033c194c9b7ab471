// SPDX-License-Identifier: GPL-3.0-or-later
#include "decomposition/domains/domains.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "decomposition/domains/migrate.hpp"
#include "host/base/error.hpp"

namespace multiwalk {

namespace {

double imbalance(double most, double sum, int ranks) {
  return sum > 0 ? most * ranks / sum : 1;
}

}  // namespace

Distribution Domains::distribute(ParticleStore& particles) {
  map_ = multisection(comm_, comm_.size(), particles.position, particles.work, options_, map_ ? &*map_ : nullptr);
  struct Share {
    double moved, work, number;
  };
  Share own{};
  own.moved = static_cast<double>(migrate(comm_, *map_, particles));
  own.number = static_cast<double>(particles.size());
  // Integers, so that the sum does not depend on the threads.
  const std::size_t n = particles.size(), most = std::max<std::size_t>(options_.sample, 1);
  const std::size_t stride = std::max<std::size_t>((n + most - 1) / most, 1), count = (n + stride - 1) / stride;
  std::uint64_t work = 0;
#pragma omp parallel for schedule(static) reduction(+ : work)
  for (std::size_t k = 0; k < count; ++k)
    work += static_cast<std::uint64_t>(std::max(particles.work[k * stride], 0.0F));
  if (count > 0) own.work = static_cast<double>(work) * own.number / static_cast<double>(count);
  Share sum{}, greatest{};
  for (const Share& share : comm_.all_gather(own)) {
    sum = {sum.moved + share.moved, sum.work + share.work, sum.number + share.number};
    greatest = {0, std::max(greatest.work, share.work), std::max(greatest.number, share.number)};
  }
  return {static_cast<std::uint64_t>(sum.moved), imbalance(greatest.work, sum.work, comm_.size()),
          imbalance(greatest.number, sum.number, comm_.size())};
}

void Domains::return_strays(ParticleStore& particles) {
  if (map_) {
    migrate(comm_, *map_, particles);
  } else {
    distribute(particles);
  }
}

bool Domains::return_strays(Particles& particles) {
  return return_strays(particles.location());
}

bool Domains::return_strays(const Particles::Location& particles) {
  if (!particles.on_device()) {
    return_strays(particles.store);
    return true;
  }
  require(map_.has_value(), "return_strays: devices keep particles, but there are no cuts yet");
  if (!kept_) kept_ = std::make_unique<KeptExchange>(comm_);
  return kept_->run(*map_, particles);
}

void Domains::restore(DomainMap map) {
  if (!map.consistent()) throw InputError("the checkpoint's domain cuts are damaged: restart from an older checkpoint");
  if (map.ranks() == comm_.size()) {
    map_.emplace(std::move(map));
  } else {
    map_.reset();
  }
}

}  // namespace multiwalk
