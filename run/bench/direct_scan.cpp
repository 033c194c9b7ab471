// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/bench/direct_scan.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "host/direct/pair_counts.hpp"
#include "ic/models/plummer.hpp"
#include "run/backends/device_sums.hpp"
#include "run/bench/direct_measure.hpp"
#include "run/bench/strategy_bench.hpp"
#include "run/parameters/force_names.hpp"

namespace multiwalk {

namespace {

using nlohmann::json;

/// A Plummer sphere and what its forces are.
struct Sphere {
  Bodies bodies;
  std::vector<Vec3d> copy;  ///< of the positions
  DirectTruth truth;

  Sphere(const DirectBenchTask& asked, std::uint64_t particles)
      : bodies(make_plummer_bodies(particles, asked.seed)),
        copy(bodies.position),
        truth(bodies, asked.softening, false, asked.sample) {}
};

/// One way to sum over the spheres.
struct Entry {
  json row;  ///< what it is
  DirectBackend* backend;
  DirectPrecision precision{Accumulation::mixed, Splitting::single};
  bool one_way = false;
  double patience_seconds = 0;  ///< of the sphere before
  std::uint64_t before = 0;     ///< its bodies; 0: none
};

class Scan {
 public:
  Scan(const DirectScanTask& task, const Tell& tell) : task_(task), tell_(tell) {}

  /// Every entry on every sphere.
  json rows(std::vector<Entry> entries) const {
    json rows = json::array();
    for (const std::uint64_t particles : task_.bench.particles) {
      const Sphere sphere(task_.bench, particles);
      for (Entry& entry : entries) rows.push_back(row(entry, sphere));
    }
    compare(rows);
    return rows;
  }

  json row(Entry& entry, const Sphere& sphere) const {
    json row = entry.row;
    const std::uint64_t n = sphere.bodies.size();
    row.update({{"particles", n}, {"measured", false}});
    for (const char* figure : {"seconds", "pairs_per_second", "gflops", "error", "of_best"}) row[figure] = nullptr;
    if (entry.before > 0 && entry.patience_seconds * ratio2(n, entry.before) > task_.longest) return row;
    tell_(fmt::format("{}, {} bodies", row.at("name").get<std::string>(), n));
    DirectTask sum = direct_task(sphere.bodies, task_.bench.softening, false);
    if (entry.one_way) sum.target_position = sphere.copy;
    sum.precision = entry.precision;
    DirectSums sums(n, false);
    sums.ask(sum);
    entry.backend->sum(sum);
    const SumSeconds seconds = time_sums(*entry.backend, sum, task_.bench.repeats, task_.longest);
    const double spent = seconds.kernel.value_or(seconds.call), pairs = static_cast<double>(n) * static_cast<double>(n);
    entry.patience_seconds = spent;
    entry.before = n;
    row.update({{"measured", true},
                {"seconds", spent},
                {"pairs_per_second", pairs / spent},
                {"gflops", 1e-9 * operations_of_pair(false) * pairs / spent},
                {"error", sphere.truth.acceleration_errors(sums).back()}});
    return row;
  }

  /// Sets of_best.
  static void compare(json& rows) {
    for (json& row : rows) {
      if (!row.at("measured").get<bool>()) continue;
      double best = 0;
      for (const json& other : rows) {
        if (other.at("particles") == row.at("particles") && other.at("measured").get<bool>())
          best = std::max(best, other.at("gflops").get<double>());
      }
      row["of_best"] = row.at("gflops").get<double>() / best;
    }
  }

 private:
  static double ratio2(std::uint64_t a, std::uint64_t b) {
    const double ratio = static_cast<double>(a) / static_cast<double>(b);
    return ratio * ratio;
  }

  const DirectScanTask& task_;
  const Tell& tell_;
};

json strategy_rows(const Scan& scan, int device) {
  const std::vector<DeviceSum> sums = device_sums(device);
  std::vector<Entry> entries;
  for (const DeviceSum& sum : sums) {
    Entry entry{{{"name", sum.name}, {"one_block", sum.one_block}}, sum.backend.get()};
    entry.one_way = sum.one_way;
    entries.push_back(std::move(entry));
  }
  return scan.rows(std::move(entries));
}

json shape_rows(const Scan& scan, const DirectScanTask& task, int device) {
  json rows = json::array();
  const std::uint64_t particles = std::ranges::max(task.bench.particles);
  const Sphere sphere(task.bench, particles);
  for (const unsigned threads : task.block_sizes) {
    for (const unsigned blocks : task.grid_sizes) {
      if (std::uint64_t{blocks} * threads >= particles + threads) continue;  // some blocks without targets
      const auto backend = tiled_device_sum(device, threads, blocks);
      Entry entry{
          {{"name", fmt::format("{} blocks of {} threads", blocks, threads)}, {"threads", threads}, {"blocks", blocks}},
          backend.get()};
      rows.push_back(scan.row(entry, sphere));
    }
  }
  Scan::compare(rows);
  return {{"particles", particles}, {"rows", std::move(rows)}};
}

json copy_rows(const DirectScanTask& task, int device) {
  std::vector<std::size_t> sizes = task.messages;
  if (sizes.empty()) {
    for (std::size_t bytes = 1024; bytes <= std::size_t{1} << 28; bytes *= 4) sizes.push_back(bytes);
  }
  json rows = json::array();
  for (const MessageSeconds& message : message_seconds(device, sizes)) {
    const auto rate = [&](double seconds) { return static_cast<double>(message.bytes) / seconds; };
    rows.push_back(
        {{"bytes", message.bytes},
         {"to_device", {{"locked", rate(message.to_device_locked)}, {"pageable", rate(message.to_device_pageable)}}},
         {"to_host", {{"locked", rate(message.to_host_locked)}, {"pageable", rate(message.to_host_pageable)}}}});
  }
  return rows;
}

/// Sets of_scalar: against the scalar loop with as many bodies, or with the most that it was given time for.
void compare_with_scalar(json& rows) {
  double scalar = 0;
  for (json& row : rows) {
    row["of_scalar"] = nullptr;
    if (!row.at("measured").get<bool>()) continue;
    const double gflops = row.at("gflops").get<double>();
    if (row.at("loop") == "scalar") scalar = gflops;
    if (scalar > 0) row["of_scalar"] = gflops / scalar;
  }
}

}  // namespace

json scan_device(const DirectScanTask& task, int device, const Tell& tell) {
  const Scan scan(task, tell);
  json result{{"strategies", strategy_rows(scan, device)}, {"shapes", shape_rows(scan, task, device)}};
  tell("messages to and from the device");
  result["copies"] = copy_rows(task, device);
  return result;
}

json scan_cpu(const DirectScanTask& task, const std::string& instruction_set, int threads, const Tell& tell) {
  const auto scalar = make_scalar_direct_backend();
  std::vector<std::unique_ptr<DirectBackend>> simd;
  std::vector<Entry> entries{
      {{{"name", "scalar loop"}, {"loop", "scalar"}, {"threads", 1}, {"accumulation", "full"}}, scalar.get()}};
  for (const int each : scanned_threads(threads)) {
    simd.push_back(make_simd_direct_backend(each, instruction_set));
    for (const Accumulation accumulation : {Accumulation::plain, Accumulation::chamomile, Accumulation::compensated,
                                            Accumulation::mixed, Accumulation::full}) {
      const std::string_view kind = accumulation_names[static_cast<std::size_t>(accumulation)];
      entries.push_back({{{"name", fmt::format("SIMD, {} thread{}, {}", each, each == 1 ? "" : "s", kind)},
                          {"loop", "SIMD"},
                          {"threads", each},
                          {"accumulation", kind}},
                         simd.back().get(),
                         {accumulation, Splitting::single}});
    }
  }
  json rows = Scan(task, tell).rows(std::move(entries));
  compare_with_scalar(rows);
  return {{"cpu", std::move(rows)}};
}

}  // namespace multiwalk
