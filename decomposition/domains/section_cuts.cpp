// SPDX-License-Identifier: GPL-3.0-or-later
#include "decomposition/domains/section_cuts.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "decomposition/domains/domain_map.hpp"

namespace multiwalk {

namespace {

constexpr double tolerance = 1.0 / 1024;  // of a part's cost
constexpr std::size_t most_bins = 1024, least_bins = 16, bins_of_all = std::size_t{1} << 16;

/// Part of a section in which cuts are searched: [lo, hi) in equal bins. The bins' edges alone determine a sample's
/// bin, so rounding does not matter.
struct Interval {
  double lo, hi;
  std::uint32_t section;
  Load below;  ///< of the section, below lo
  double width = 0, inverse = 0;
  std::uint32_t bins = 1;

  void set_bins(std::size_t count) {
    bins = static_cast<std::uint32_t>(count);
    width = (hi - lo) / static_cast<double>(count);
    inverse = width > 1e-300 ? 1 / width : 0;
  }
  [[nodiscard]] double edge(std::uint32_t bin) const {
    return bin < bins ? std::min(lo + width * static_cast<double>(bin), hi) : hi;
  }
  [[nodiscard]] std::uint32_t bin_of(double x) const {
    auto bin = static_cast<std::uint32_t>(std::min((x - lo) * inverse, static_cast<double>(bins - 1)));
    while (x < edge(bin)) --bin;
    while (x >= edge(bin + 1)) ++bin;
    return bin;
  }
};

struct SoughtCut {
  std::size_t place;       ///< index of the result
  std::uint32_t interval;  ///< the interval that contains it
  double target;           ///< cost of the section below it
};

class CutSearch {
 public:
  CutSearch(const Communicator& comm, std::span<CutSample> samples, const SectionTask& task,
            std::span<const Load> total)
      : comm_(comm), samples_(samples), task_(task), total_(total), interval_of_slot_(total.size()) {
    const auto each = static_cast<std::size_t>(task.parts - 1);
    cuts_.resize(total.size() * each);
    std::iota(interval_of_slot_.begin(), interval_of_slot_.end(), 0U);
    const double end = std::nextafter(task.hi, INFINITY);
    for (std::uint32_t section = 0; section < total.size(); ++section) {
      intervals_.push_back({task.lo, end, section, {}});
      for (std::size_t k = 0; k < each; ++k) {
        const double fraction = static_cast<double>(k + 1) / task.parts;
        const std::size_t place = section * each + k;
        cuts_[place] = task.lo + fraction * (task.hi - task.lo);
        if (total[section].number > 0) sought_.push_back({place, section, fraction * cost(section, total[section])});
      }
    }
#pragma omp parallel for schedule(static)
    for (std::size_t i = 0; i < samples.size(); ++i)
      samples[i].slot = samples[i].load.number > 0 ? samples[i].section : no_bin;
  }

  std::vector<double> find() {
    while (!sought_.empty()) refine();
    return std::move(cuts_);
  }

 private:
  /// Sections without work are cut by number.
  [[nodiscard]] double cost(std::uint32_t section, const Load& load) const {
    return task_.cost(total_[section]) > 0 ? task_.cost(load) : static_cast<double>(load.number);
  }

  /// Makes one histogram of all intervals; afterwards every cut is settled or has a bin as its next interval.
  void refine() {
    const std::size_t bins = std::clamp(bins_of_all / intervals_.size(), least_bins, most_bins);
    for (Interval& interval : intervals_) interval.set_bins(bins);
    const std::vector<Load> load = tally(comm_, samples_, intervals_.size() * bins, [&](CutSample& sample) {
      if (sample.slot == no_bin) return no_bin;
      const std::uint32_t i = interval_of_slot_[sample.slot];
      if (i == no_bin) return sample.slot = no_bin;
      return sample.slot = static_cast<std::uint32_t>(i * bins + intervals_[i].bin_of(sample.position[task_.axis]));
    });
    std::vector<Interval> finer;
    std::vector<SoughtCut> still;
    interval_of_slot_.assign(load.size(), no_bin);
    for (std::size_t c = 0; c < sought_.size();) {
      const std::uint32_t i = sought_[c].interval;
      const Interval& interval = intervals_[i];
      const Load* in_bin = load.data() + i * bins;
      Load below = interval.below;
      std::uint32_t bin = 0;
      for (; c < sought_.size() && sought_[c].interval == i; ++c) {
        while (bin + 1 < bins && cost(interval.section, sum(below, in_bin[bin])) < sought_[c].target)
          below += in_bin[bin++];
        const Load upto = sum(below, in_bin[bin]);
        if (settle(sought_[c], interval, bin, below, upto)) continue;
        std::uint32_t& next = interval_of_slot_[i * bins + bin];
        if (next == no_bin) {
          next = static_cast<std::uint32_t>(finer.size());
          finer.push_back({interval.edge(bin), interval.edge(bin + 1), interval.section, below});
        }
        still.push_back({sought_[c].place, next, sought_[c].target});
      }
    }
    intervals_ = std::move(finer);
    sought_ = std::move(still);
  }

  static Load sum(Load a, const Load& b) {
    return a += b;
  }

  /// Settles on one of the bin's edges if no position between them would be better.
  bool settle(const SoughtCut& cut, const Interval& interval, std::uint32_t bin, const Load& below, const Load& upto) {
    const double lo = interval.edge(bin), hi = interval.edge(bin + 1);
    const double under = cost(interval.section, below), over = cost(interval.section, upto);
    const double part = cost(interval.section, total_[interval.section]) / task_.parts;
    const bool fine = over - under <= tolerance * part || upto.number - below.number <= task_.single;
    if (!fine && std::nextafter(lo, hi) < hi && hi - lo > 1e-290) return false;
    cuts_[cut.place] = cut.target - under <= over - cut.target ? lo : hi;
    return true;
  }

  const Communicator& comm_;
  std::span<CutSample> samples_;
  const SectionTask& task_;
  std::span<const Load> total_;
  std::vector<double> cuts_;
  std::vector<Interval> intervals_;
  std::vector<std::uint32_t> interval_of_slot_;
  std::vector<SoughtCut> sought_;
};

}  // namespace

std::vector<double> cut_sections(const Communicator& comm, std::span<CutSample> samples, const SectionTask& task,
                                 std::span<const Load> total) {
  if (task.parts == 1) return {};
  const std::vector<double> cuts = CutSearch(comm, samples, task, total).find();
  const auto parts = static_cast<std::uint32_t>(task.parts);
#pragma omp parallel for schedule(static)
  for (std::size_t i = 0; i < samples.size(); ++i) {
    CutSample& sample = samples[i];
    const auto own = std::span(cuts).subspan(sample.section * (parts - 1), parts - 1);
    const auto part = static_cast<std::uint32_t>(part_among(own, sample.position[task.axis]));
    sample.section = sample.section * parts + part;
  }
  return cuts;
}

}  // namespace multiwalk
