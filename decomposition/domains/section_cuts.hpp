// SPDX-License-Identifier: GPL-3.0-or-later
// Cuts of many sections at once along one axis, by successively refined histograms of integers summed over ranks.
// Internal to the multisection.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "decomposition/ranks/communicator.hpp"
#include "host/base/box.hpp"

namespace multiwalk {

/// The weight of some particles. Sums are exact, so their order does not matter.
struct Load {
  std::uint64_t number = 0;
  std::uint64_t work = 0;  ///< in the multisection's own integer unit

  Load& operator+=(const Load& other) {
    number += other.number;
    work += other.work;
    return *this;
  }
};

/// Cost of a load, 1 for all particles together: a fraction `work` of it is their share of all work, the rest their
/// share of all particles.
struct CostLaw {
  double per_number = 0, per_work = 0;
  [[nodiscard]] double operator()(const Load& load) const {
    return per_number * static_cast<double>(load.number) + per_work * static_cast<double>(load.work);
  }
};

/// A sample with number 0 is ignored.
struct CutSample {
  Vec3d position;
  Load load;
  std::uint32_t section = 0;  ///< section that contains the sample
  std::uint32_t slot = 0;     ///< used by the search
};

/// (bins) loads of all ranks' samples. bin(sample) is called once per sample; `no_bin` leaves it out. Collective.
inline constexpr std::uint32_t no_bin = 0xffffffffU;
template <class Bin>
std::vector<Load> tally(const Communicator& comm, std::span<CutSample> samples, std::size_t bins, Bin bin) {
  std::vector<Load> sum(bins);
#pragma omp parallel if (samples.size() > bins)
  {
    std::vector<Load> mine(bins);
#pragma omp for schedule(static) nowait
    for (std::size_t i = 0; i < samples.size(); ++i) {
      const std::uint32_t b = bin(samples[i]);
      if (b != no_bin) mine[b] += samples[i].load;
    }
#pragma omp critical
    for (std::size_t b = 0; b < bins; ++b) sum[b] += mine[b];
  }
  static_assert(sizeof(Load) == 2 * sizeof(std::uint64_t));
  comm.sum(std::span<std::uint64_t>(&sum.data()->number, 2 * bins));
  return sum;
}

/// One dimension of a multisection: every section is cut along `axis` into `parts` of the same cost.
struct SectionTask {
  int axis = 0;
  int parts = 1;
  double lo = 0, hi = 0;  ///< of all samples along the axis
  CostLaw cost;
  std::uint64_t single = 1;  ///< a load of this number is one sample
};

/// (sections, parts - 1) cuts, rising in each section; accurate to 1/1024 of a part's cost, to one sample or to
/// rounding. `total`: (sections) all ranks' loads. Samples get their new section = section parts + part. Sections
/// without particles are cut evenly. Collective.
std::vector<double> cut_sections(const Communicator& comm, std::span<CutSample> samples, const SectionTask& task,
                                 std::span<const Load> total);

}  // namespace multiwalk
