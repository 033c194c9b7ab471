// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/bench/strategy_bench.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "host/base/error.hpp"
#include "host/exact/all_pairs.hpp"
#include "run/bench/median.hpp"
#include "run/files/json_output.hpp"
#include "run/files/number_text.hpp"
#include "run/machine/machine.hpp"
#include "run/parameters/force_names.hpp"

namespace multiwalk {

namespace {

using nlohmann::json;
using Listener = std::function<void(const std::string&)>;

constexpr double flops_per_pair = 38;

double phase(const BenchResult& result, Phase p) {
  return result.ranks.seconds[static_cast<std::size_t>(p)].mean;
}

/// Figures of an evaluation whose time counts as `seconds`.
json figures(const BenchResult& result, double seconds) {
  const auto n = static_cast<double>(result.particles), pairs = static_cast<double>(result.raw.total());
  const auto walks = static_cast<double>(std::max<std::uint64_t>(1, result.raw.walks));
  return {{"seconds", seconds},
          {"particles_per_second", n / seconds},
          {"pairs", pairs},
          {"pairs_per_second", pairs / seconds},
          {"gflops", 1e-9 * flops_per_pair * pairs / seconds},
          {"list", pairs / n},
          {"mean_group", n / walks},
          {"threads", result.threads},
          {"error", percentiles_json(result.errors.total)}};
}

/// On one device, so that strategies are compared with each other.
BackendChoice backend_of(const Strategy& strategy, const std::vector<int>& devices) {
  if (!strategy.needs_device) return choose_backend(strategy.backend, {});
  BackendChoice none;
  int device = 0;
  if (!devices.empty()) {
    device = devices.front();
  } else {
    const std::vector<VisibleDevice> visible = visible_devices(none.why);
    if (visible.empty()) return none;
    device = visible.front().number;
  }
  if (strategy.one_walk) return try_single_walk(strategy.backend, device);
  return try_cuda({device}, 0, strategy.device_walks);
}

class StrategyRuns {
 public:
  StrategyRuns(const StrategyTask& task, const Listener& tell) : task_(task), tell_(tell) {}

  json rows(bool direct) const {
    BenchTask bench = task_.evaluation;
    const std::uint64_t particles = direct ? task_.direct_particles : task_.tree_particles;
    ParticleSystem system = bench_model("plummer", particles, bench.seed, bench, alone_);
    json rows = json::array();
    for (const Strategy& strategy : strategies) {
      if (!direct || !strategy.device_walks) rows.push_back(row(strategy, direct, system, bench));
    }
    return rows;
  }

  json scans() const {
    BenchTask bench = task_.evaluation;
    const BackendChoice choice = choose_backend(task_.scanned_backend, task_.devices);
    ParticleSystem system = bench_model("plummer", task_.tree_particles, bench.seed, bench, alone_);
    json scans{{"backend", choice.backend->name()},
               {"description", choice.backend->description()},
               {"devices", choice.devices_in_all},
               {"overlaps", choice.backend->overlaps()},
               {"particles", system.particles.size()}};
    scans["group_size"] =
        scan(task_.group_sizes, "groups of at most {}", system, choice, [&](std::uint32_t size) -> const BenchTask& {
          bench.force.group_size = size;
          return bench;
        });
    bench.force.group_size = task_.evaluation.force.group_size;
    scans["threads"] = threads_scan("{} walking threads", system, bench, choice);
    const bool on_devices = !choice.devices.empty() && !task_.threads.empty();
    scans["device_walks"] = on_devices ? device_walks(system, bench, choice.devices.front()) : json();
    return scans;
  }

 private:
  json threads_scan(const char* what, ParticleSystem& system, BenchTask bench, const BackendChoice& choice) const {
    return scan(task_.threads, what, system, choice, [&](int threads) -> const BenchTask& {
      bench.threads = threads;
      return bench;
    });
  }

  json device_walks(ParticleSystem& system, BenchTask bench, int device) const {
    const BackendChoice choice = try_cuda({device}, 0, true);
    json scans{{"backend", "cuda-resident"}, {"measured", choice.backend != nullptr}, {"why", choice.why}};
    if (!choice.backend) return scans;
    scans["description"] = choice.backend->description();
    scans["threads"] = threads_scan("the device walks, {} host threads", system, bench, choice);
    bench.resident = can_keep(*choice.backend, system);
    scans["threads_resident"] = nullptr;
    if (!bench.resident) return scans;
    scans["threads_resident"] =
        threads_scan("the device walks, {} host threads, particles resident", system, bench, choice);
    return scans;
  }

  json row(const Strategy& strategy, bool direct, ParticleSystem& system, BenchTask bench) const {
    const std::size_t n = system.particles.size();
    json row{{"strategy", strategy.name},
             {"backend", strategy.backend},
             {"problem", direct ? "direct" : "tree"},
             {"particles", n}};
    BackendChoice choice = backend_of(strategy, task_.devices);
    row["measured"] = choice.backend != nullptr;
    row["why"] = choice.why;
    if (!choice.backend) return row;
    tell_(fmt::format("{}, {}, {} particles", strategy.name, direct ? "direct" : "tree",
                      with_commas(static_cast<double>(n))));
    if (direct) {
      choice.backend = make_all_pairs_backend(std::move(choice.backend));
      bench.force.group_size = strategy.one_walk ? static_cast<std::uint32_t>(n) : 0;
    }
    const BenchResult result = bench_forces(system, bench, choice, alone_);
    // Groups come from a sorted tree; direct summation itself needs neither.
    const double unneeded = direct ? phase(result, Phase::sort) + phase(result, Phase::tree) : 0;
    row["description"] = choice.backend->description();
    row["seconds_with_tree"] = result.seconds;
    row["seconds_with_tree_median"] = median_of(result.repeats);
    row.update(figures(result, result.seconds - unneeded));
    return row;
  }

  template <class Value, class TaskOf>
  json scan(const std::vector<Value>& values, const char* what, ParticleSystem& system, const BackendChoice& choice,
            TaskOf task_of) const {
    json rows = json::array();
    for (const Value value : values) {
      tell_(fmt::format("scan: {}", fmt::format(fmt::runtime(what), value)));
      const BenchResult result = bench_forces(system, task_of(value), choice, alone_);
      json row = figures(result, result.seconds);
      row["value"] = value;
      row["walking"] = phase(result, Phase::walk);
      row["evaluating"] = phase(result, Phase::pack) + phase(result, Phase::transfer) + phase(result, Phase::device);
      row["device_busy"] = result.device_busy;
      row["walkers_busy"] = result.walkers_busy;
      row["hidden_walking"] = result.hidden_walking;
      rows.push_back(row);
    }
    const json fastest = rows.empty() ? json() : json(fastest_row(rows));
    return {{"rows", std::move(rows)}, {"fastest", fastest}};
  }

  const StrategyTask& task_;
  const Listener& tell_;
  Communicator alone_;
};

}  // namespace

std::vector<int> scanned_threads(int most) {
  std::vector<int> threads;
  for (int t = 1; t < most; t *= 2) threads.push_back(t);
  threads.push_back(most);
  return threads;
}

std::size_t fastest_row(const json& rows) {
  const auto seconds = [](const json& row) { return row.at("seconds").get<double>(); };
  return static_cast<std::size_t>(std::ranges::min_element(rows, {}, seconds) - rows.begin());
}

json compare_strategies(const StrategyTask& task, const Listener& tell) {
  if (task.scanned_backend != "auto" && task.scanned_backend != "cuda" && task.scanned_backend.rfind("cpu", 0) != 0) {
    throw InputError("--backend " + task.scanned_backend + ": the scans need auto, cuda or cpu");
  }
  const BenchTask& bench = task.evaluation;
  const StrategyRuns comparison(task, tell);
  json result{{"machine", describe(this_machine())}, {"model", "plummer"},
              {"softening", bench.law.softening},    {"theta", bench.force.theta},
              {"mac", mac_name(bench.force.mac)},    {"multipole", multipole_name(bench.force.multipole)},
              {"leaf_size", bench.force.leaf_size},  {"seed", bench.seed},
              {"alpha", bench.force.alpha},          {"expansion", bench.force.expansion}};
  result["strategies"] = comparison.rows(true);
  for (json& row : comparison.rows(false)) result["strategies"].push_back(std::move(row));
  result["scans"] = nullptr;
  if (!task.group_sizes.empty() || !task.threads.empty()) result["scans"] = comparison.scans();
  return result;
}

}  // namespace multiwalk
