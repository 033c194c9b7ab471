// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/force/simd_backend.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "host/base/aligned_buffer.hpp"
#include "host/base/error.hpp"
#include "host/base/phase_timer.hpp"
#include "host/force/store_forces.hpp"
#include "host/gravity/pair_strength.hpp"
#include "host/simd/simd_kernels.hpp"

namespace multiwalk {

namespace {

/// Targets that share a selection of sources within the cut-off of their box; each selection is made from the one
/// before.
constexpr std::array<std::size_t, 2> targets_together{128, 8};

class SimdBackend final : public ForceBackend {
 public:
  explicit SimdBackend(const SimdKernels& kernels) : ForceBackend(facts_of(kernels)), kernels_(kernels) {}

  bool begin(const PairLaw& law, const TreeView& sources, const TargetView& targets, int lanes) override {
    law_ = law;
    depth_ = own_depth(law);
    if (law.split.scale > 0) split_ = ShortRange(law.split, law.expansion);
    sources_ = sources;
    targets_ = targets;
    lanes_.resize(static_cast<std::size_t>(lanes));
    for (Lane& lane : lanes_) lane.times = {};
    return false;
  }
  WalkBatch& open(int lane) override { return lanes_[static_cast<std::size_t>(lane)].batch; }
  void submit(int lane) override {
    Lane& mine = lanes_[static_cast<std::size_t>(lane)];
    for (const Walk& walk : mine.batch.walks) evaluate(mine, walk);
    mine.batch.clear();
  }
  BackendTimes collect() override {
    BackendTimes sum;
    for (const Lane& lane : lanes_) {
      sum.pack += lane.times.pack;
      sum.device += lane.times.device;
    }
    return sum;
  }

 private:
  static BackendFacts facts_of(const SimdKernels& kernels) {
    BackendFacts facts{.name = "cpu", .preferred_group_size = 128, .split_boxes = true, .expansions = true};
    facts.description =
        std::string(kernels.name).append(", ") + std::to_string(kernels.width) + " single-precision lanes";
    return facts;
  }

  struct alignas(128) Lane {
    WalkBatch batch;
    BackendTimes times;
    AlignedBuffer<float> particles, cells, expanded;
    std::array<AlignedBuffer<float>, targets_together.size()> near_particles, near_cells;
    std::vector<ForceSum<double>> sums;
  };

  /// Columns of the packed arrays, an odd number of cache lines apart, so that they are in different cache sets.
  template <std::size_t columns>
  static void reserve_columns(AlignedBuffer<float>& buffer, std::size_t entries, float* (&column)[columns]) {
    const std::size_t stride = (((entries + 31) / 16) | 1U) * 16;
    float* const first = buffer.reserve(columns * stride);
    for (std::size_t k = 0; k < columns; ++k) column[k] = first + k * stride;
  }

  static PackedSources reserve(AlignedBuffer<float>& particle_buffer, AlignedBuffer<float>& cell_buffer,
                               std::size_t particles, std::size_t cells) {
    PackedSources packed{};
    reserve_columns(particle_buffer, particles, packed.particle);
    reserve_columns(cell_buffer, cells, packed.cell);
    return packed;
  }

  void evaluate(Lane& lane, const Walk& walk) {
    const bool quadrupole = law_.order == MultipoleOrder::quadrupole;
    const double start = wall_time();
    PackedSources packed = reserve(lane.particles, lane.cells, walk.source_count, walk.cell_count);
    reserve_columns(lane.expanded, walk.expanded_count, packed.expanded);
    const ExpansionConstants expansion = expansion_of(walk);
    kernels_.pack(sources_, walk, lane.batch.cells.data() + walk.cell_first,
                  lane.batch.ranges.data() + walk.range_first, {quadrupole, expansion.unit}, packed);
    const double packed_at = wall_time();
    lane.sums.resize(walk.target_count);
    evaluate(lane, walk, packed, quadrupole);
    if (walk.expanded_count > 0) {
      kernels_.expand(packed, {targets_.position.data() + walk.target_first, walk.target_count, walk.centre}, expansion,
                      lane.sums.data());
    }
    for (std::uint32_t t = 0; t < walk.target_count; ++t) {
      store_force(pair_strength() * law_.gravitational_constant, depth_, targets_, walk.target_first + t, lane.sums[t]);
    }
    lane.times.pack += packed_at - start;
    lane.times.device += wall_time() - packed_at;
  }

  void evaluate(Lane& lane, const Walk& walk, const PackedSources& packed, bool quadrupole) const {
    const WalkTargets targets{targets_.position.data() + walk.target_first, walk.target_count, walk.centre};
    const PairConstants law{static_cast<float>(law_.softening * law_.softening), quadrupole, split()};
    if (law.split != nullptr) {
      evaluate_near(lane, 0, packed, targets, law, lane.sums.data());
    } else {
      kernels_.evaluate(packed, targets, law, lane.sums.data());
    }
  }

  /// Most of a list is beyond the cut-off of most targets: fewer and fewer of them share a selection of sources.
  void evaluate_near(Lane& lane, std::size_t level, const PackedSources& from, const WalkTargets& targets,
                     const PairConstants& law, ForceSum<double>* sums) const {
    if (level == targets_together.size()) {
      kernels_.evaluate(from, targets, law, sums);
      return;
    }
    // The next selection would be the same.
    if (level + 1 < targets_together.size() && targets.count <= targets_together[level + 1]) {
      evaluate_near(lane, level + 1, from, targets, law, sums);
      return;
    }
    PackedSources near = reserve(lane.near_particles[level], lane.near_cells[level], from.particles, from.cells);
    for (std::size_t t = 0; t < targets.count; t += targets_together[level]) {
      const std::size_t count = std::min(targets_together[level], targets.count - t);
      const WalkTargets some{targets.position + t, count, targets.centre};
      kernels_.select(from, some, static_cast<float>(law_.split.cutoff), law.quadrupole, near);
      evaluate_near(lane, level + 1, near, some, law, sums + t);
    }
  }

  /// Null: whole forces are summed.
  [[nodiscard]] const ShortRange* split() const { return law_.split.scale > 0 ? &split_ : nullptr; }

  /// The unit keeps all derivatives of distant cells in the range of single precision.
  [[nodiscard]] ExpansionConstants expansion_of(const Walk& walk) const {
    double farthest2 = 0;
    for (const Vec3d& x : targets_.position.subspan(walk.target_first, walk.target_count)) {
      farthest2 = std::max(farthest2, norm2(x - walk.centre));
    }
    constexpr double share = 4;  // log2 of unit / greatest distance: distances of cells are 0.05 to 1e4 units or so
    const double unit = farthest2 > 0 ? std::exp2(std::ceil(0.5 * std::log2(farthest2)) + share) : 1;
    return {law_.expansion, static_cast<float>(unit),
            static_cast<float>(law_.softening * law_.softening / (unit * unit)), split()};
  }

  const SimdKernels& kernels_;
  PairLaw law_;
  ShortRange split_;
  double depth_ = 0;  ///< own_depth
  TreeView sources_;
  TargetView targets_;
  std::vector<Lane> lanes_;
};

}  // namespace

std::unique_ptr<ForceBackend> make_simd_backend(std::string_view instruction_set) {
  return std::make_unique<SimdBackend>(simd_kernels(instruction_set));
}

}  // namespace multiwalk
