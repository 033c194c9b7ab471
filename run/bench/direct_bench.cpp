// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/bench/direct_bench.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>

#include "host/base/phase_timer.hpp"
#include "host/direct/pair_counts.hpp"
#include "host/particles/bodies.hpp"
#include "ic/models/plummer.hpp"
#include "run/parameters/sections/force.hpp"

namespace multiwalk {

namespace {

using nlohmann::json;

/// Room for the sums of n targets.
struct DirectSums {
  std::vector<Vec3d> acceleration, jerk;
  std::vector<double> potential;

  DirectSums(std::size_t n, bool with_jerk) : acceleration(n), jerk(with_jerk ? n : 0), potential(n) {}
  void ask(DirectTask& task) {
    task.acceleration = acceleration;
    task.jerk = jerk;
    task.potential = potential;
  }
};

/// All bodies over all; no results asked for yet.
DirectTask direct_task(const Bodies& bodies, const DirectBenchTask& asked) {
  DirectTask task;
  task.source_position = task.target_position = bodies.position;
  task.source_mass = task.target_mass = bodies.mass;
  if (asked.jerk) task.source_velocity = task.target_velocity = bodies.velocity;
  task.softening2 = asked.softening * asked.softening;
  return task;
}

/// A regular sample of the bodies with their sums in double precision, by the scalar loop.
class DirectTruth {
 public:
  DirectTruth(const Bodies& bodies, const DirectBenchTask& asked)
      : index_(std::min<std::size_t>(asked.sample, bodies.size())), exact_(index_.size(), asked.jerk) {
    Bodies targets;
    targets.resize(index_.size());
    for (std::size_t i = 0; i < index_.size(); ++i) {
      index_[i] = i * bodies.size() / index_.size();
      targets.position[i] = bodies.position[index_[i]];
      targets.velocity[i] = bodies.velocity[index_[i]];
      targets.mass[i] = bodies.mass[index_[i]];
    }
    DirectTask task = direct_task(bodies, asked);
    task.target_position = targets.position;
    task.target_mass = targets.mass;
    if (asked.jerk) task.target_velocity = targets.velocity;
    exact_.ask(task);
    make_scalar_direct_backend()->sum(task);
  }

  /// Relative errors of the sample, rising.
  [[nodiscard]] std::vector<double> acceleration_errors(const DirectSums& sums) const {
    return errors(sums.acceleration, exact_.acceleration);
  }
  [[nodiscard]] std::vector<double> jerk_errors(const DirectSums& sums) const { return errors(sums.jerk, exact_.jerk); }

 private:
  [[nodiscard]] std::vector<double> errors(const std::vector<Vec3d>& measured, const std::vector<Vec3d>& exact) const {
    std::vector<double> error(index_.size());
    for (std::size_t i = 0; i < error.size(); ++i) error[i] = norm(measured[index_[i]] - exact[i]) / norm(exact[i]);
    std::ranges::sort(error);
    return error;
  }

  std::vector<std::size_t> index_;
  DirectSums exact_;
};

struct SumSeconds {
  double call = std::numeric_limits<double>::infinity();  ///< host arrays to host arrays
  std::optional<double> kernel;                           ///< of the device, where the back end measures it
};

/// The fastest of `asked.repeats` summations, fewer once they have taken `asked.patience` in all.
SumSeconds time_sums(DirectBackend& backend, const DirectTask& task, const DirectBenchTask& asked) {
  SumSeconds best;
  double spent = 0;
  for (int repeat = 0; repeat < asked.repeats && (repeat == 0 || spent < asked.patience); ++repeat) {
    const double began = wall_time();
    backend.sum(task);
    const double seconds = wall_time() - began, kernel = backend.kernel_seconds();
    spent += seconds;
    best.call = std::min(best.call, seconds);
    if (kernel > 0) best.kernel = std::min(best.kernel.value_or(kernel), kernel);
  }
  return best;
}

/// The paper's figures: maximum errors at both ends of Table 2, speed at the smallest N.
json paper_figures(std::uint64_t particles, Accumulation accumulation) {
  json paper{{"error", nullptr}, {"gflops", nullptr}};
  const bool plain = accumulation == Accumulation::plain, chamomile = accumulation == Accumulation::chamomile;
  if (particles == 2048 && plain) paper["error"] = 2.2e-6;
  if (particles == 131072 && plain) paper["error"] = 2.2e-5;
  if (particles == 2048 && chamomile) paper["error"] = 5.4e-7;
  if (particles == 131072 && chamomile) paper["error"] = 1.5e-6;
  if (particles == 2048 && chamomile) paper["gflops"] = 173;
  return paper;
}

std::string_view name_of(Accumulation accumulation) {
  return accumulation_names[static_cast<std::size_t>(accumulation)];
}
std::string_view name_of(Splitting splitting) {
  return splitting_names[static_cast<std::size_t>(splitting)];
}

json row_of(const Bodies& bodies, const DirectTruth& truth, const DirectPrecision& precision,
            const DirectBenchTask& asked, DirectBackend& backend) {
  DirectTask task = direct_task(bodies, asked);
  task.precision = precision;
  DirectSums sums(bodies.size(), asked.jerk);
  sums.ask(task);
  backend.sum(task);
  const std::vector<double> error = truth.acceleration_errors(sums);
  const SumSeconds seconds = time_sums(backend, task, asked);
  std::optional<double> kernel = seconds.kernel;
  if (asked.in_a_row > 1 && kernel) {
    backend.evaluate_in_a_row(asked.in_a_row);
    kernel = time_sums(backend, task, asked).kernel;
    backend.evaluate_in_a_row(1);
  }
  const double n = static_cast<double>(bodies.size());
  json row{{"particles", bodies.size()},
           {"accumulation", name_of(precision.accumulation)},
           {"splitting", name_of(precision.splitting)},
           {"sample", error.size()},
           {"error", {{"max", error.back()}, {"median", error[error.size() / 2]}, {"jerk_max", nullptr}}},
           {"paper", asked.jerk ? paper_figures(0, precision.accumulation)
                                : paper_figures(bodies.size(), precision.accumulation)}};
  if (asked.jerk) row["error"]["jerk_max"] = truth.jerk_errors(sums).back();
  const auto record = [&](const char* what, std::optional<double> spent) {
    row["seconds"][what] = spent ? json(*spent) : json();
    row["pairs_per_second"][what] = spent ? json(n * n / *spent) : json();
    row["gflops"][what] = spent ? json(1e-9 * operations_of_pair(asked.jerk) * n * n / *spent) : json();
  };
  record("call", seconds.call);
  record("launch", seconds.kernel);
  record("kernel", kernel);
  return row;
}

std::vector<DirectPrecision> precisions() {
  std::vector<DirectPrecision> all;
  for (const Splitting splitting : {Splitting::single, Splitting::hi_lo})
    for (const Accumulation accumulation :
         {Accumulation::plain, Accumulation::chamomile, Accumulation::compensated, Accumulation::mixed})
      all.push_back({accumulation, splitting});
  all.push_back({Accumulation::full, Splitting::single});
  return all;
}

/// A line for each number of particles, a column for each precision.
template <class Cell>
std::string table(const json& rows, std::size_t per_line, Cell cell) {
  std::string text;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    if (r % per_line == 0) text += fmt::format("{:>8}", rows[r].at("particles").get<std::uint64_t>());
    text += fmt::format(" {:>11}", cell(rows[r]));
    if (r % per_line == per_line - 1) text += "\n";
  }
  return text;
}

std::string figure(const json& value, const char* format) {
  return value.is_null() ? "-" : fmt::format(fmt::runtime(format), value.get<double>());
}

}  // namespace

json bench_direct(const DirectBenchTask& task, DirectBackend& backend, const Tell& tell) {
  json result{{"softening2", task.softening * task.softening},
              {"jerk", task.jerk},
              {"operations_per_pair", operations_of_pair(task.jerk)},
              {"rows", json::array()}};
  for (const std::uint64_t particles : task.particles) {
    const Bodies bodies = make_plummer_bodies(particles, task.seed);
    tell(fmt::format("{} bodies: double precision", particles));
    const DirectTruth truth(bodies, task);
    for (const DirectPrecision& precision : precisions()) {
      tell(fmt::format("{} bodies: {}, {}", particles, name_of(precision.accumulation), name_of(precision.splitting)));
      result["rows"].push_back(row_of(bodies, truth, precision, task, backend));
    }
  }
  return result;
}

std::string direct_bench_text(const json& result) {
  const json& rows = result.at("rows");
  const std::size_t width = precisions().size();
  std::string heads(8, ' '), splittings = "       N";
  for (std::size_t r = 0; r < width && r < rows.size(); ++r) {
    heads += fmt::format(" {:>11}", rows[r].at("accumulation").get<std::string>());
    const bool full = rows[r].at("accumulation") == "full";
    splittings += fmt::format(" {:>11}", full ? "" : rows[r].at("splitting").get<std::string>());
  }
  const std::string head = heads + "\n" + splittings + "\n";
  std::string text =
      fmt::format(
          "Maximum relative error of the acceleration, Plummer spheres, eps^2 = {:g}; Hamada & Iitaka (2007), "
          "Table 2: plain 2.2e-6 (2048) to 2.2e-5 (131072), Chamomile 5.4e-7 to 1.5e-6\n",
          result.at("softening2").get<double>()) +
      head + table(rows, width, [](const json& row) { return figure(row.at("error").at("max"), "{:.2e}"); });
  if (result.at("jerk").get<bool>()) {
    text += "Maximum relative error of the jerk\n" + head +
            table(rows, width, [](const json& row) { return figure(row.at("error").at("jerk_max"), "{:.2e}"); });
  }
  const int operations = result.at("operations_per_pair").get<int>();
  const auto add = [&](const char* what, const char* key) {
    const auto measured = [key](const json& row) { return !row.at("gflops").at(key).is_null(); };
    if (std::ranges::none_of(rows, measured)) return;
    text += fmt::format("Gflop/s ({} per pair) of {}; the paper: 173 at N = 2048\n", operations, what) + head +
            table(rows, width, [key](const json& row) { return figure(row.at("gflops").at(key), "{:.1f}"); });
  };
  add("a whole call, host arrays to host arrays", "call");
  add("one launch on the device", "launch");
  add("a launch among --in-a-row many on the device", "kernel");
  return text;
}

}  // namespace multiwalk
