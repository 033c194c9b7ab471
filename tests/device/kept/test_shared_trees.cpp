// SPDX-License-Identifier: GPL-3.0-or-later
// Devices of several ranks keep their particles and cut parts of their trees for each other: forces are those of all
// particles, with errors like those of one rank.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <numbers>
#include <vector>

#include "host/force/backend_services.hpp"
#include "host/force/particle_keeper.hpp"
#include "host/solver/gravity_solver.hpp"
#include "tests/device/kept/kept_backend.hpp"
#include "tests/device/kept/ranks_of_threads.hpp"
#include "tests/device/random_walks.hpp"
#include "tests/support/models.hpp"
#include "tests/support/periodic_models.hpp"

namespace multiwalk::device_test {
namespace {

/// A sphere cut into domains at these planes.
std::vector<ParticleStore> cut_domains(const ParticleStore& all, std::vector<double> cuts) {
  std::vector<std::vector<std::uint32_t>> members(cuts.size() + 1);
  for (std::uint32_t i = 0; i < all.size(); ++i) {
    const auto domain = std::ranges::upper_bound(cuts, all.position[i].x) - cuts.begin();
    members[static_cast<std::size_t>(domain)].push_back(i);
  }
  std::vector<ParticleStore> stores;
  for (const std::vector<std::uint32_t>& of_domain : members) {
    ParticleStore store = all;
    std::vector<std::uint32_t> order = of_domain;
    for (std::uint32_t i = 0; i < all.size(); ++i) {
      if (!std::ranges::binary_search(of_domain, i)) order.push_back(i);
    }
    store.reorder(order);
    store.resize(of_domain.size());
    stores.push_back(std::move(store));
  }
  return stores;
}

struct SharedForces {
  ParticleStore store;  ///< in the order of ids
  std::vector<ExchangedParts> parts;
  std::uint64_t pairs = 0;
};

struct SharedTask {
  GravityOptions options;
  PairLaw law = kept_law;
  bool on_one_host = true;
  double drift = 0;  ///< then particles move by this factor, and those of rung 3 and deeper have new forces
};

/// Forces on particles that the ranks' devices keep, evaluated twice as in two steps.
SharedForces shared_forces(std::vector<ParticleStore> stores, const SharedTask& task) {
  const std::size_t ranks = stores.size();
  test::SharedBoard board(ranks, task.on_one_host);
  SharedForces result;
  result.parts.resize(ranks);
  std::vector<std::uint64_t> pairs(ranks);
  test::on_ranks(ranks, [&](std::size_t rank) {
    const auto backend = keeping_backend();
    test::ThreadTrees others(board, rank);
    ForceContext context;
    context.remote = &others;
    EXPECT_TRUE(backend->particle_keeper()->keep(stores[rank]));
    GravitySolver solver(task.options, *backend, 1);
    for (int step = 0; step < 2; ++step) pairs[rank] = solver.accelerate(stores[rank], task.law, context).raw.total();
    if (task.drift > 0 && backend->particle_keeper()->keeps(stores[rank])) {
      backend->particle_keeper()->move(DriftAlone{task.drift});
      if (task.law.box_size > 0) backend->particle_keeper()->move(WrapIntoBox{task.law.box_size});
      context.least_rung = 3;
      solver.accelerate(stores[rank], task.law, context);
    }
    EXPECT_TRUE(backend->particle_keeper()->keeps(stores[rank])) << "the host has made the forces";
    if (backend->particle_keeper()->keeps(stores[rank])) backend->particle_keeper()->copy_home(Copied::all);
    result.parts[rank] = others.recorded;
    board.barrier.arrive_and_wait();  // others may still read this rank's part
  });
  for (std::size_t r = 0; r < ranks; ++r) {
    ParticleStore& part = stores[r];
    const std::size_t before = result.store.size();
    result.store.set_rungs(part.has_rungs());
    result.store.resize(before + part.size());
    for (std::size_t i = 0; i < part.size(); ++i) {
      result.store.id[before + i] = part.id[i];
      result.store.position[before + i] = part.position[i];
      result.store.mass[before + i] = part.mass[i];
      result.store.acceleration[before + i] = part.acceleration[i];
      if (part.has_rungs()) result.store.rung[before + i] = part.rung[i];
      result.store.potential[before + i] = part.potential[i];
    }
    result.pairs += pairs[r];
  }
  result.store = test::in_order_of_ids(std::move(result.store));
  return result;
}

struct SharedErrors {
  double median = 0, p99 = 0;
};

/// Relative errors of the accelerations of every 40th particle against sums in double precision.
SharedErrors shared_errors_of(const ParticleStore& store, ForceBackend& backend) {
  std::vector<Vec3d> targets;
  for (std::size_t i = 0; i < store.size(); i += 40) targets.push_back(store.position[i]);
  std::vector<Vec3d> exact(targets.size());
  EXPECT_TRUE(backend.exact_pulls()->add_exact_pulls(store.position, store.mass, kept_law, targets, exact));
  std::vector<double> error(targets.size());
  for (std::size_t k = 0; k < targets.size(); ++k) {
    error[k] = norm(Vec3d(store.acceleration[40 * k]) - exact[k]) / norm(exact[k]);
  }
  std::ranges::sort(error);
  return {error[error.size() / 2], error[error.size() * 99 / 100]};
}

class SharedTrees : public testing::Test {
 protected:
  void SetUp() override {
    one_rank_ = keeping_backend();
    if (!one_rank_) GTEST_SKIP() << "no CUDA device";
  }
  ParticleStore forces_of_one_rank(ParticleStore all, const GravityOptions& options) {
    GravitySolver solver(options, *one_rank_, 1);
    solver.accelerate(all, kept_law);
    return test::in_order_of_ids(std::move(all));
  }
  std::unique_ptr<ForceBackend> one_rank_;
};

TEST_F(SharedTrees, GiveErrorsLikeThoseOfOneRank) {
  const ParticleStore all = test::plummer(100000);
  for (const Mac mac : {Mac::barnes90, Mac::offset, Mac::relative}) {
    const GravityOptions options = kept_options(mac, 0.002);
    const SharedErrors one = shared_errors_of(forces_of_one_rank(all, options), *one_rank_);
    for (const std::vector<double>& cuts : {std::vector{0.1}, std::vector{-0.4, 0.3}}) {
      const SharedErrors several = shared_errors_of(shared_forces(cut_domains(all, cuts), {options}).store, *one_rank_);
      // Groups at the faces of a domain are smaller, for which the other criteria accept more.
      const double more = mac == Mac::relative ? 1.1 : 1.25;
      EXPECT_LT(several.median, more * one.median) << mac_words[static_cast<std::size_t>(mac)].name;
      EXPECT_LT(several.p99, more * one.p99) << mac_words[static_cast<std::size_t>(mac)].name;
    }
  }
}

TEST_F(SharedTrees, AreParts) {
  const ParticleStore all = test::plummer(50000);
  const std::vector<ParticleStore> stores = cut_domains(all, {0.1});
  const SharedForces shared = shared_forces(stores, {kept_options(Mac::relative, 0.05)});  // few pairs: run by checkers
  for (std::size_t r = 0; r < 2; ++r) {
    const ExchangedParts &mine = shared.parts[r], &theirs = shared.parts[1 - r];
    EXPECT_GT(mine.particles_sent, 0U);
    EXPECT_LT(mine.particles_sent, stores[r].size() / 2);
    EXPECT_EQ(mine.particles_sent, theirs.particles_received);
    EXPECT_EQ(mine.nodes_sent, theirs.nodes_received);
    EXPECT_EQ(mine.bytes_sent, theirs.bytes_received);
  }
}

TEST_F(SharedTrees, AreReproducible) {
  const std::vector<ParticleStore> stores = cut_domains(test::plummer(100000), {-0.4, 0.3});
  const SharedForces first = shared_forces(stores, {kept_options(Mac::relative, 0.002)}),
                     second = shared_forces(stores, {kept_options(Mac::relative, 0.002)});
  EXPECT_TRUE(std::ranges::equal(first.store.acceleration, second.store.acceleration));
  EXPECT_TRUE(std::ranges::equal(first.store.potential, second.store.potential));
  EXPECT_EQ(first.pairs, second.pairs);
}

TEST_F(SharedTrees, AreTheSameThroughTheHost) {
  const std::vector<ParticleStore> stores = cut_domains(test::plummer(100000), {-0.4, 0.3});
  const SharedForces direct = shared_forces(stores, {kept_options(Mac::relative, 0.002)}),
                     through_host =
                         shared_forces(stores, {.options = kept_options(Mac::relative, 0.002), .on_one_host = false});
  EXPECT_TRUE(std::ranges::equal(direct.store.acceleration, through_host.store.acceleration));
  EXPECT_TRUE(std::ranges::equal(direct.store.potential, through_host.store.potential));
  EXPECT_EQ(direct.pairs, through_host.pairs);
}

/// The short-range law of a box of side 1.
PairLaw split_box_law() {
  return {1, 0.002, MultipoleOrder::quadrupole, 1, {0.04, 0.22}};
}

/// On the particle `target` of a box, by sums over nearest images (host/gravity/short_range.hpp).
Vec3d exact_short_pull(const ParticleStore& store, std::size_t target, const PairLaw& law) {
  const auto weight = [&](double r) {
    const double x = r / (2 * law.split.scale);
    return (std::erfc(x) + 2 * x / std::sqrt(std::numbers::pi) * std::exp(-x * x)) / (r * r * r);
  };
  const double lost = weight(law.split.cutoff);
  Vec3d sum;
  for (std::size_t i = 0; i < store.size(); ++i) {
    Vec3d d = store.position[i] - store.position[target];
    for (int axis = 0; axis < 3; ++axis) d[axis] -= law.box_size * std::rint(d[axis] / law.box_size);
    const double r = std::hypot(norm(d), law.softening);
    if (i != target && r < law.split.cutoff) sum += static_cast<double>(store.mass[i]) * (weight(r) - lost) * d;
  }
  return law.gravitational_constant * sum;
}

/// Of every 197th of the particles on rung `least` and deeper, relative to the rms pull on these.
SharedErrors box_errors_of(const ParticleStore& store, int least) {
  std::vector<double> error;
  double square = 0;
  for (std::size_t i = 0; i < store.size(); i += 197) {
    if (store.rung[i] < least) continue;
    const Vec3d exact = exact_short_pull(store, i, split_box_law());
    error.push_back(norm(Vec3d(store.acceleration[i]) - exact));
    square += norm2(exact);
  }
  EXPECT_GT(error.size(), 100U);
  const double rms = std::sqrt(square / static_cast<double>(error.size()));
  std::ranges::sort(error);
  return {error[error.size() / 2] / rms, error[error.size() * 99 / 100] / rms};
}

/// As shared_forces, on one rank.
ParticleStore forces_in_box(ParticleStore all, const SharedTask& task) {
  const auto backend = keeping_backend();
  ParticleKeeper& keeper = *backend->particle_keeper();
  EXPECT_TRUE(keeper.keep(all));
  GravitySolver solver(task.options, *backend, 1);
  for (int step = 0; step < 2; ++step) solver.accelerate(all, task.law);
  if (task.drift > 0) {
    keeper.move(DriftAlone{task.drift});
    keeper.move(WrapIntoBox{task.law.box_size});
    solver.accelerate(all, task.law, {.least_rung = 3});
  }
  keeper.copy_home(Copied::all);
  keeper.forget();
  return test::in_order_of_ids(std::move(all));
}

/// Clusters lie on the faces of the box and of domains; then the deepest rungs are evaluated alone.
TEST_F(SharedTrees, GiveErrorsLikeThoseOfOneRankInABox) {
  ParticleStore all = test::clusters_at_faces(150000);  // devices keep domains of 20,000 and more
  all.set_rungs(true);
  for (std::size_t i = 0; i < all.size(); ++i) {
    all.rung[i] = static_cast<std::uint8_t>(i % 4);
    all.velocity[i] = {0.3F, -0.2F + 0.1F * static_cast<float>(i % 5), 0.4F};
  }
  SharedTask task{.options = kept_options(Mac::relative, 0.003), .law = split_box_law()};
  for (const double drift : {0.0, 0.01}) {
    task.drift = drift;
    const int least = drift > 0 ? 3 : 0;
    const SharedErrors one = box_errors_of(forces_in_box(all, task), least);
    for (const std::vector<double>& cuts : {std::vector{0.5}, std::vector{0.35, 0.62}}) {
      const SharedErrors several = box_errors_of(shared_forces(cut_domains(all, cuts), task).store, least);
      std::printf("drift %g: errors of one rank (median, 99%%) %.2e, %.2e; of %zu ranks %.2e, %.2e\n", drift,
                  one.median, one.p99, cuts.size() + 1, several.median, several.p99);
      EXPECT_LT(several.median, 1.1 * one.median);
      EXPECT_LT(several.p99, 1.1 * one.p99);
      EXPECT_LT(several.p99, 2e-3);
    }
  }
}

/// Far fewer particles travel if pair forces do not reach as far.
TEST_F(SharedTrees, ReachAsFarAsPairForcesDo) {
  ParticleStore all = test::clusters_at_faces(60000);
  all.set_rungs(true);
  PairLaw near = split_box_law();
  near.split = {0.01, 0.045};
  const auto sent = [&](const PairLaw& law) {
    const SharedTask task{.options = kept_options(Mac::relative, 0.003), .law = law};
    return static_cast<double>(shared_forces(cut_domains(all, {0.5}), task).parts[0].particles_sent);
  };
  EXPECT_LT(sent(near), 0.6 * sent(split_box_law()));
}

}  // namespace
}  // namespace multiwalk::device_test
