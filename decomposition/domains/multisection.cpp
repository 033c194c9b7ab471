// SPDX-License-Identifier: GPL-3.0-or-later
#include "decomposition/domains/multisection.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "decomposition/domains/section_cuts.hpp"
#include "decomposition/ranks/agree.hpp"
#include "host/base/error.hpp"

namespace multiwalk {

namespace {

constexpr double largest_coordinate = 1e150;
/// Smoothed cuts may cost this much imbalance.
constexpr double smoothing_cost = 0.03;
constexpr int bisections = 3;

bool usable(Vec3d p) {
  return std::fabs(p.x) < largest_coordinate && std::fabs(p.y) < largest_coordinate &&
         std::fabs(p.z) < largest_coordinate;
}

double usable(float work) {
  return work > 0 && std::isfinite(work) ? static_cast<double>(work) : 0;
}

/// This rank's sample, and what is common to the samples of all ranks.
struct Samples {
  std::vector<CutSample> sample;
  Box extent;                ///< of all ranks' samples; a unit cube if there are none
  Load total;                ///< of all ranks
  std::uint64_t single = 1;  ///< the smallest number of particles that a sample represents
};

Box extent_of(const Communicator& comm, std::span<const CutSample> samples) {
  Box box;
#pragma omp parallel
  {
    Box mine;
#pragma omp for schedule(static) nowait
    for (std::size_t i = 0; i < samples.size(); ++i)
      if (samples[i].load.number > 0) mine.include(samples[i].position);
#pragma omp critical
    box.include(mine);
  }
  std::array<double, 6> bounds{box.lo.x, box.lo.y, box.lo.z, -box.hi.x, -box.hi.y, -box.hi.z};
  comm.min(std::span<double>(bounds));
  const Box all{{bounds[0], bounds[1], bounds[2]}, {-bounds[3], -bounds[4], -bounds[5]}};
  return all.empty() ? Box{{0, 0, 0}, {1, 1, 1}} : all;
}

/// Converts work to integers fine enough for any contrast, and small enough for exact sums over all particles.
Samples take_samples(const Communicator& comm, std::span<const Vec3d> position, std::span<const float> work,
                     std::uint64_t most) {
  require(work.size() == position.size(), "multisection: one work per position");
  const std::uint64_t n = position.size();
  const std::uint64_t stride = std::max<std::uint64_t>((n + most - 1) / std::max<std::uint64_t>(most, 1), 1);
  Samples samples;
  samples.sample.resize((n + stride - 1) / stride);
  std::vector<CutSample>& sample = samples.sample;
  double greatest = 0;
#pragma omp parallel for schedule(static) reduction(max : greatest)
  for (std::size_t k = 0; k < sample.size(); ++k) {
    const std::size_t i = k * stride;
    if (!usable(position[i])) continue;
    sample[k].position = position[i];
    sample[k].load.number = std::min(stride, n - i);
    greatest = std::max(greatest, usable(work[i]));
  }
  greatest = comm.max(greatest);
  const auto by_zero = [](CutSample&) { return 0U; };
  const std::uint64_t count = tally(comm, sample, 1, by_zero)[0].number;
  const double unit =
      greatest > 0 ? std::ldexp(1.0, std::min(40, 62 - static_cast<int>(std::bit_width(count)))) / greatest : 0;
#pragma omp parallel for schedule(static)
  for (std::size_t k = 0; k < sample.size(); ++k) {
    Load& load = sample[k].load;
    load.work = load.number * static_cast<std::uint64_t>(usable(work[k * stride]) * unit);
  }
  samples.total = tally(comm, sample, 1, by_zero)[0];
  samples.extent = extent_of(comm, sample);
  samples.single = comm.min(stride);
  return samples;
}

/// Cuts and the resulting boxes.
struct Division {
  DomainMap map;
  std::uint64_t most_number = 0;  ///< maximum of a box
  double most_cost = 0;           ///< maximum of a box; the sum over boxes is 1
};

class Divider {
 public:
  Divider(const Communicator& comm, Samples samples, const DomainGrid& grid)
      : comm_(comm), samples_(std::move(samples)), grid_(grid) {}

  /// By work and number, where work has this share.
  Division divide(double work_share) {
    Division division;
    division.map.grid = grid_;
    for (CutSample& sample : samples_.sample) sample.section = 0;
    std::vector<Load> load{samples_.total};
    const CostLaw cost = cost_law(work_share);
    for (int axis = 0; axis < 3; ++axis) {
      const int parts = grid_[static_cast<std::size_t>(axis)];
      const SectionTask task{axis, parts, samples_.extent.lo[axis], samples_.extent.hi[axis], cost, samples_.single};
      (axis == 0   ? division.map.x
       : axis == 1 ? division.map.y
                   : division.map.z) = cut_sections(comm_, samples_.sample, task, load);
      load = tally(comm_, samples_.sample, load.size() * static_cast<std::size_t>(parts),
                   [](CutSample& sample) { return sample.section; });
    }
    return judge(std::move(division), load, cost);
  }

  /// The division by given cuts.
  Division look_at(DomainMap map, double work_share) {
    const auto boxes = static_cast<std::size_t>(map.ranks());
    const std::vector<Load> load = tally(comm_, samples_.sample, boxes, [&](CutSample& sample) {
      return static_cast<std::uint32_t>(map.rank_of(sample.position));
    });
    return judge({std::move(map)}, load, cost_law(work_share));
  }

 private:
  [[nodiscard]] CostLaw cost_law(double work_share) const {
    if (samples_.total.work == 0) work_share = 0;
    const auto per = [](double share, std::uint64_t total) {
      return total > 0 ? share / static_cast<double>(total) : 0;
    };
    return {per(1 - work_share, samples_.total.number), per(work_share, samples_.total.work)};
  }

  static Division judge(Division division, std::span<const Load> load, const CostLaw& cost) {
    for (const Load& box : load) {
      division.most_number = std::max(division.most_number, box.number);
      division.most_cost = std::max(division.most_cost, cost(box));
    }
    return division;
  }

  const Communicator& comm_;
  Samples samples_;
  DomainGrid grid_;
};

/// The largest share of work in the cost for which no box has more than `limit` particles, by bisection. In theory 1 -
/// mean/limit always suffices, apart from the graininess of single particles.
std::pair<Division, double> divide_within(Divider& divider, std::uint64_t limit, double mean) {
  double fits = std::max(0.0, 1 - mean / static_cast<double>(limit)), too_much = 1;
  Division division = divider.divide(too_much);
  if (division.most_number <= limit) return {std::move(division), too_much};
  bool found = false;
  for (int step = 0; step < bisections; ++step) {
    const double share = (fits + too_much) / 2;
    Division trial = divider.divide(share);
    if (trial.most_number <= limit) {
      division = std::move(trial);
      found = true;
      fits = share;
    } else {
      too_much = share;
    }
  }
  if (!found) division = divider.divide(fits);
  if (division.most_number <= limit) return {std::move(division), fits};
  return {divider.divide(0), 0};
}

DomainMap blend(const DomainMap& former, const DomainMap& wanted, double part) {
  DomainMap map = former;
  const auto move = [&](std::vector<double>& cuts, const std::vector<double>& to) {
    for (std::size_t k = 0; k < cuts.size(); ++k) cuts[k] = (1 - part) * cuts[k] + part * to[k];
  };
  move(map.x, wanted.x);
  move(map.y, wanted.y);
  move(map.z, wanted.z);
  return map;
}

constexpr DomainGrid any_grid{0, 0, 0};

void check_grid(const DomainGrid& grid, int boxes) {
  const auto [nx, ny, nz] = grid;
  if (grid == any_grid) return;
  if (nx > 0 && ny > 0 && nz > 0 && std::int64_t{nx} * ny <= boxes && std::int64_t{nx} * ny * nz == boxes) return;
  throw SharedError("decomposition.grid = [" + std::to_string(nx) + ", " + std::to_string(ny) + ", " +
                    std::to_string(nz) + "] does not multiply to the number of ranks, " + std::to_string(boxes) +
                    ": change it, or leave it out");
}

}  // namespace

DomainMap multisection(const Communicator& comm, int boxes, std::span<const Vec3d> position,
                       std::span<const float> work, const MultisectionOptions& options, const DomainMap* former) {
  check_grid(options.grid, boxes);
  if (boxes == 1) return {};
  Samples samples = take_samples(comm, position, work, options.sample);
  const double mean = static_cast<double>(samples.total.number) / boxes;
  const auto limit = static_cast<std::uint64_t>(std::max({options.max_memory_imbalance * mean, std::ceil(mean), 1.0}));
  DomainGrid grid = options.grid;
  if (grid == any_grid && former != nullptr && former->ranks() == boxes) grid = former->grid;
  if (grid == any_grid) grid = choose_grid(boxes, samples.extent.hi - samples.extent.lo);
  if (former != nullptr && former->grid != grid) former = nullptr;
  if (former != nullptr && samples.total.number == 0) return *former;
  Divider divider(comm, std::move(samples), grid);
  auto [wanted, work_share] = divide_within(divider, limit, mean);
  if (former == nullptr || options.smoothing >= 1) return std::move(wanted.map);
  Division smoothed = divider.look_at(blend(*former, wanted.map, options.smoothing), work_share);
  const bool light = smoothed.most_number <= std::max(limit, wanted.most_number);
  const bool balanced = (smoothed.most_cost - wanted.most_cost) * boxes <= smoothing_cost;
  return light && balanced ? std::move(smoothed.map) : std::move(wanted.map);
}

}  // namespace multiwalk
