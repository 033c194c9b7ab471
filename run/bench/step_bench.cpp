// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/bench/step_bench.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "host/base/error.hpp"
#include "ic/models/model.hpp"
#include "run/bench/median.hpp"
#include "run/evolve/simulation.hpp"
#include "run/evolve/starting_system.hpp"
#include "run/files/json_output.hpp"
#include "run/snapshots/snapshot.hpp"

namespace multiwalk {

void shuffle(ParticleStore& particles, std::uint64_t seed, int rank) {
  std::vector<std::uint32_t> order(particles.size());
  std::iota(order.begin(), order.end(), 0U);
  std::mt19937_64 random(seed + static_cast<std::uint64_t>(rank));
  std::shuffle(order.begin(), order.end(), random);
  particles.reorder(order);
}

ParticleSystem make_bench_system(Parameters& parameters, const StepBenchTask& task, const Communicator& comm) {
  if (is_direct(parameters)) throw SharedError("bench steps times tree runs: for direct sums use bench direct");
  ParticleSystem system = starting_system(parameters, comm);
  if (task.shuffled) shuffle(system.particles, task.seed, comm.rank());
  return system;
}

StepBenchResult bench_steps(const Parameters& asked, const StepBenchTask& task, const BackendChoice& choice,
                            const Communicator& comm) {
  Parameters parameters = asked;
  ParticleSystem system = make_bench_system(parameters, task, comm);
  if (!choice.devices.empty()) system.particles.reallocate();
  Simulation simulation(parameters, std::move(system), *choice.backend, comm);
  StepBenchResult result;
  result.particles = simulation.particle_count();
  const auto timed = [&](auto&& act) {
    comm.barrier();
    const double began = wall_time();
    act();
    return comm.max(wall_time() - began);
  };
  result.first_forces = timed([&] { simulation.start(); });
  for (int s = 0; s < task.warm; ++s) simulation.step(simulation.next_time());
  for (int s = 0; s < task.steps; ++s) {
    result.seconds.push_back(timed([&] { result.records.push_back(simulation.step(simulation.next_time())); }));
  }
  result.sizes = simulation.sizes();
  result.energy_error = simulation.energy_error();
  if (task.sample > 0) {
    result.error = measure_force_error(simulation.on_host().particles, simulation.pair_law(), {task.sample, task.seed},
                                       simulation.background(), comm, {choice.backend.get()})
                       .peculiar;
  }
  return result;
}

nlohmann::json step_bench_json(const StepBenchTask& task, const StepBenchResult& result, const BackendChoice& choice) {
  const std::size_t middle = index_of_median(result.seconds);
  const auto fastest = static_cast<std::size_t>(std::ranges::min_element(result.seconds) - result.seconds.begin());
  const StepRecord& step = result.records[middle];
  const double median = median_of(result.seconds);
  const auto speed = [&](std::size_t s, double seconds) {
    return result.records[s].evaluations(result.particles) * static_cast<double>(result.particles) / seconds;
  };
  nlohmann::json phases = nlohmann::json::object();
  for (std::size_t p = 0; p < phase_count; ++p) phases[std::string(phase_names[p])] = step.seconds[p];
  return {
      {"particles", result.particles},
      {"order", task.shuffled ? "random" : "model"},
      {"backend", choice.backend->name()},
      {"device_walks", choice.backend->device_walker() != nullptr},
      {"backend_description", choice.backend->description()},
      {"ranks", step.ranks.ranks},
      {"first_forces", result.first_forces},
      {"steps", result.seconds},
      {"seconds", {{"median", median}, {"best", result.seconds[fastest]}, {"phases", phases}}},
      {"particles_per_second", {{"median", speed(middle, median)}, {"best", speed(fastest, result.seconds[fastest])}}},
      {"group_size", result.sizes.group},
      {"leaf_size", result.sizes.leaf},
      {"raw_pairs", step.raw.total()},
      {"energy_error", result.energy_error},
      {"error", task.sample > 0 ? percentiles_json(result.error) : nlohmann::json()}};
}

std::string step_bench_text(const nlohmann::json& j) {
  const auto number = [&](const char* a, const char* b) { return j.at(a).at(b).get<double>(); };
  std::string text = fmt::format("particles   {} from {} order, groups of at most {}, leaves of at most {}\n",
                                 j.at("particles").get<std::uint64_t>(), j.at("order").get<std::string>(),
                                 j.at("group_size").get<unsigned>(), j.at("leaf_size").get<unsigned>());
  text += fmt::format("first       {:.4f} s for the first forces\n", j.at("first_forces").get<double>());
  text += fmt::format("step        {:.4f} s median, {:.4f} s fastest of {}:", number("seconds", "median"),
                      number("seconds", "best"), j.at("steps").size());
  for (const auto& [phase, seconds] : j.at("seconds").at("phases").items()) {
    if (seconds.get<double>() > 0) text += fmt::format(" {} {:.4f}", phase, seconds.get<double>());
  }
  text += fmt::format("\nspeed       {:.4g} particles/s median\n", number("particles_per_second", "median"));
  if (!j.at("error").is_null()) {
    text += "error       " + percentiles_text(j.at("error")) + ", of the peculiar acceleration\n";
  }
  return text;
}

}  // namespace multiwalk
