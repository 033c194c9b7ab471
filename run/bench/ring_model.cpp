// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/bench/ring_model.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <span>

#include "decomposition/ranks/agree.hpp"
#include "decomposition/ring/ring_forces.hpp"
#include "host/base/error.hpp"
#include "host/base/phase_timer.hpp"
#include "host/time/direct_integrator.hpp"
#include "ic/models/plummer.hpp"

namespace multiwalk {

namespace {

using nlohmann::json;

constexpr std::size_t bytes_of_source = 2 * sizeof(Vec3d) + sizeof(double);

/// The fastest of three, after a first one.
template <class Act>
double seconds_of(Act act) {
  act();
  double least = std::numeric_limits<double>::infinity();
  for (int repeat = 0; repeat < 3; ++repeat) {
    const double began = wall_time();
    act();
    least = std::min(least, wall_time() - began);
  }
  return least;
}

/// The cost of sum(), which uses the back end.
template <class Act>
SumCost cost_of(std::uint64_t bodies, DirectBackend& backend, const Act& sum) {
  SumCost cost{bodies, 0, std::numeric_limits<double>::infinity()};
  cost.seconds = seconds_of([&] {
    sum();
    cost.kernel_seconds = std::min(cost.kernel_seconds, backend.kernel_seconds());
  });
  return cost;
}

SumCost cost_of_sum(std::uint64_t bodies, const RingBenchTask& task, DirectBackend& backend) {
  Bodies all = make_plummer_bodies(bodies, 1);
  DirectTask sum;
  sum.source_position = sum.target_position = all.position;
  sum.source_velocity = sum.target_velocity = all.velocity;
  sum.source_mass = sum.target_mass = all.mass;
  sum.acceleration = all.acceleration;
  sum.jerk = all.jerk;
  sum.potential = all.potential;
  sum.softening2 = task.softening * task.softening;
  sum.precision = task.precision;
  return cost_of(bodies, backend, [&] { backend.sum(sum); });
}

SumCost cost_of_both(std::uint64_t bodies, const RingBenchTask& task, DirectBackend& backend) {
  Bodies first = make_plummer_bodies(bodies, 1), second = make_plummer_bodies(bodies, 2);
  const auto block = [](Bodies& b) {
    return DirectBlock{b.position, b.velocity, b.mass, b.acceleration, b.jerk, b.potential};
  };
  const DirectCouple couple{block(first), block(second), task.softening * task.softening, task.precision};
  return cost_of(bodies, backend, [&] { backend.sum_both(couple); });
}

/// A message to the next rank while one comes from the rank before.
double seconds_of_shift(std::size_t bytes, const Communicator& comm) {
  const std::vector<std::byte> mine(bytes);
  std::vector<std::byte> others(bytes);
  const int next = (comm.rank() + 1) % comm.size(), before = (comm.rank() + comm.size() - 1) % comm.size();
  return comm.max(seconds_of([&] {
    comm.barrier();
    Transfer in = comm.receive(std::span(others), before, 1);
    Transfer out = comm.send(std::span(mine), next, 1);
    in.wait();
    out.wait();
  }));
}

/// Seconds, each of the slowest rank: of the fastest step and of one on average; in a step, waiting for messages; of a
/// body, outside of summations.
struct RingStep {
  double least = 0, mean = 0, waiting = 0, host = 0;
};

RingStep cost_of_step(std::uint64_t bodies, const RingBenchTask& task, DirectBackend& backend,
                      const Communicator& comm) {
  DirectOptions options;
  options.steps = DirectSteps::fixed;
  options.step = 1e-4;
  options.softening = task.softening;
  options.precision = task.precision;
  RingForces forces(backend, comm);
  const auto integrator = make_direct_integrator(options, make_plummer_bodies(bodies, 1, comm), {}, forces);
  integrator->step(1);
  comm.barrier();
  const DirectForceCounts before = forces.counts();
  std::vector<double> seconds;
  for (int step = 0; step < task.steps; ++step) {
    const double began = wall_time();
    integrator->step(1);
    seconds.push_back(wall_time() - began);
  }
  const DirectForceCounts& after = forces.counts();
  const double spent = std::accumulate(seconds.begin(), seconds.end(), 0.0);
  const double waiting = after.waiting - before.waiting, outside = spent - waiting - (after.summing - before.summing);
  const double own = static_cast<double>(task.steps) * static_cast<double>(integrator->bodies().size());
  comm.max(std::span(seconds));
  return {std::ranges::min(seconds), comm.max(spent) / task.steps, comm.max(waiting) / task.steps,
          comm.max(outside / std::max(own, 1.0))};
}

/// Everything but t_host. The sums are measured on one rank while the others wait, so that none disturbs another.
RingModel measure_parts(const RingBenchTask& task, DirectBackend& backend, const Communicator& comm) {
  RingModel model;
  const std::uint64_t most = *std::ranges::max_element(task.particles);
  constexpr std::uint64_t fewest = 64;
  for (std::uint64_t bodies = fewest; bodies <= std::max(fewest, 2 * most); bodies *= 2) {
    SumCost cost, both;
    if (comm.root()) cost = cost_of_sum(bodies, task, backend);
    if (comm.root() && !comm.alone()) both = cost_of_both(bodies, task, backend);
    comm.broadcast(std::span(&cost, 1));
    comm.broadcast(std::span(&both, 1));
    model.sums.push_back(cost);
    if (!comm.alone()) model.both.push_back(both);
    if (cost.seconds > task.longest_sum) break;
  }
  const SumCost& last = model.sums.back();
  const double n = static_cast<double>(last.bodies);
  const bool kernel_known = last.kernel_seconds > 0;
  model.pair = (kernel_known ? last.kernel_seconds : last.seconds) / (n * n);
  model.pcie = kernel_known ? (last.seconds - last.kernel_seconds) / n : 0;
  if (comm.alone()) return model;
  constexpr std::size_t long_message = std::size_t{1} << 22;
  model.latency = seconds_of_shift(1, comm);
  model.net = std::max(0.0, seconds_of_shift(long_message, comm) - model.latency) * bytes_of_source / long_message;
  return model;
}

std::vector<int> rank_counts(const RingBenchTask& task, int all) {
  std::vector<int> counts = task.ranks;
  if (counts.empty()) {
    for (int ranks = 1; ranks < all; ranks *= 2) counts.push_back(ranks);
    counts.push_back(all);
  }
  for (const int ranks : counts) {
    if (ranks < 1 || ranks > all)
      throw SharedError("--ranks " + std::to_string(ranks) + ": the job has " + std::to_string(all));
  }
  return counts;
}

json json_of(const SumCost& cost) {
  return {{"bodies", cost.bodies},
          {"seconds", cost.seconds},
          {"kernel_seconds", cost.kernel_seconds > 0 ? json(cost.kernel_seconds) : json()}};
}

json json_of(const RingModel& model) {
  json sums = json::array(), both = json::array();
  for (const SumCost& cost : model.sums) {
    sums.push_back(json_of(cost));
    sums.back()["efficiency"] = model.efficiency(static_cast<double>(cost.bodies));
  }
  for (const SumCost& cost : model.both) both.push_back(json_of(cost));
  return {{"t_host", model.host}, {"t_pair", model.pair},    {"t_pcie", model.pcie},   {"t_latency", model.latency},
          {"t_net", model.net},   {"sums", std::move(sums)}, {"both", std::move(both)}};
}

/// Between the measured costs by powers of n, n^2 beyond; seconds(cost) is that of one.
template <class Seconds>
double seconds_at(const std::vector<SumCost>& costs, double bodies, const Seconds& seconds) {
  require(!costs.empty(), "a model without sums");
  if (costs.size() == 1 || bodies <= static_cast<double>(costs.front().bodies)) return seconds(costs.front());
  const double largest = static_cast<double>(costs.back().bodies);
  if (bodies >= largest) return seconds(costs.back()) * (bodies / largest) * (bodies / largest);
  const auto after =
      std::ranges::find_if(costs, [&](const SumCost& s) { return static_cast<double>(s.bodies) >= bodies; });
  const SumCost &high = *after, &low = *(after - 1);
  const double n = static_cast<double>(low.bodies);
  const double power = std::log(seconds(high) / seconds(low)) / std::log(static_cast<double>(high.bodies) / n);
  return seconds(low) * std::pow(bodies / n, power);
}

}  // namespace

double RingModel::sum(double bodies) const {
  return seconds_at(sums, bodies, [](const SumCost& cost) { return cost.seconds; });
}

double RingModel::sum_both(double bodies) const {
  return seconds_at(both, bodies,
                    [](const SumCost& cost) { return cost.kernel_seconds > 0 ? cost.kernel_seconds : cost.seconds; });
}

double RingModel::step(double bodies, int ranks) const {
  const double own = std::ceil(bodies / ranks), message = latency + net * own;
  if (ranks == 1) return host * own + sum(own);
  const int whole = (ranks - 1) / 2;
  double seconds = host * own + std::max(sum(own), message);
  if (whole > 0) seconds += whole * std::max(sum_both(own), 2 * message);
  if (own < static_cast<double>(RingForces::worth_splitting)) seconds += message;
  if (ranks % 2 == 0) seconds += sum_both(own / std::numbers::sqrt2);
  return seconds;
}

json bench_ring(const RingBenchTask& task, DirectBackend& backend, const Communicator& comm) {
  const std::vector<int> counts = rank_counts(task, comm.size());
  RingModel model = measure_parts(task, backend, comm);
  json rows = json::array();
  for (const int ranks : counts) {
    const Communicator some = comm.split(comm.rank() < ranks ? 0 : 1);
    for (const std::uint64_t particles : task.particles) {
      RingStep cost;
      if (comm.rank() < ranks) cost = cost_of_step(particles, task, backend, some);
      comm.broadcast(std::span(&cost, 1));
      // From the largest number on the fewest ranks: with few bodies the call takes more time than the bodies.
      if (ranks == counts.front()) model.host = cost.host;
      rows.push_back({{"particles", particles},
                      {"ranks", ranks},
                      {"seconds", {{"measured", cost.least}, {"mean", cost.mean}, {"waiting", cost.waiting}}}});
    }
  }
  for (json& row : rows) {
    row["seconds"]["predicted"] = model.step(row.at("particles").get<double>(), row.at("ranks").get<int>());
  }
  for (json& row : rows) {
    const auto alone = std::ranges::find_if(
        rows, [&](const json& r) { return r.at("ranks") == 1 && r.at("particles") == row.at("particles"); });
    for (const char* which : {"measured", "predicted"}) {
      row["efficiency"][which] =
          alone == rows.end() ? json()
                              : json(alone->at("seconds").at(which).get<double>() /
                                     (row.at("ranks").get<double>() * row.at("seconds").at(which).get<double>()));
    }
  }
  return {{"model", json_of(model)}, {"rows", std::move(rows)}};
}

}  // namespace multiwalk
