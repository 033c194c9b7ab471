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
#include "host/simd/simd_kernels.hpp"

namespace multiwalk {

namespace {

class SimdBackend final : public ForceBackend {
 public:
  explicit SimdBackend(const SimdKernels& kernels) : kernels_(kernels) {}

  std::string_view name() const override { return "cpu"; }
  std::string description() const override {
    return std::string(kernels_.name).append(", ") + std::to_string(kernels_.width) + " single-precision lanes";
  }
  std::size_t batch_entries() const override { return 1; }
  std::uint32_t preferred_group_size() const override { return 128; }
  bool evaluates(const PairLaw& law) const override { return law.box_size == 0 || law.split.scale > 0; }

  bool expands(const PairLaw& law) const override { return law.order == MultipoleOrder::quadrupole && evaluates(law); }

  void begin(const PairLaw& law, const TreeView& sources, const TargetView& targets, int lanes) override {
    law_ = law;
    if (law.split.scale > 0) split_ = ShortRange(law.split, law.expansion);
    sources_ = sources;
    targets_ = targets;
    lanes_.resize(static_cast<std::size_t>(lanes));
    for (Lane& lane : lanes_) lane.times = {};
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
  struct alignas(128) Lane {
    WalkBatch batch;
    BackendTimes times;
    AlignedBuffer<float> particles, cells, expanded, near_particles, near_cells;
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
                               const Walk& walk) {
    PackedSources packed{};
    reserve_columns(particle_buffer, walk.source_count, packed.particle);
    reserve_columns(cell_buffer, walk.cell_count, packed.cell);
    return packed;
  }

  void evaluate(Lane& lane, const Walk& walk) {
    const bool quadrupole = law_.order == MultipoleOrder::quadrupole;
    const double start = wall_time();
    PackedSources packed = reserve(lane.particles, lane.cells, walk);
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
      store_force(law_, targets_, walk.target_first + t, lane.sums[t]);
    }
    lane.times.pack += packed_at - start;
    lane.times.device += wall_time() - packed_at;
  }

  void evaluate(Lane& lane, const Walk& walk, const PackedSources& packed, bool quadrupole) const {
    const float softening2 = static_cast<float>(law_.softening * law_.softening);
    const Vec3d* target = targets_.position.data() + walk.target_first;
    if (law_.split.scale == 0) {
      kernels_.evaluate(packed, {target, walk.target_count, walk.centre}, {softening2, quadrupole, nullptr},
                        lane.sums.data());
      return;
    }
    // Most of a list is beyond the cut-off of most targets.
    PackedSources near = reserve(lane.near_particles, lane.near_cells, walk);
    for (std::size_t t = 0; t < walk.target_count; t += targets_together) {
      const std::size_t count = std::min<std::size_t>(targets_together, walk.target_count - t);
      const WalkTargets some{target + t, count, walk.centre};
      kernels_.select(packed, some, static_cast<float>(law_.split.cutoff), quadrupole, near);
      kernels_.evaluate(near, some, {softening2, quadrupole, &split_}, lane.sums.data() + t);
    }
  }

  /// The unit keeps all derivatives of distant cells in the range of single precision.
  [[nodiscard]] ExpansionConstants expansion_of(const Walk& walk) const {
    double farthest2 = 0;
    for (const Vec3d& x : targets_.position.subspan(walk.target_first, walk.target_count)) {
      farthest2 = std::max(farthest2, norm2(x - walk.centre));
    }
    constexpr double share = 4;  // log2 of unit / greatest distance: distances of cells are 0.05 to 1e4 units or so
    const double unit = farthest2 > 0 ? std::exp2(std::ceil(0.5 * std::log2(farthest2)) + share) : 1;
    return {law_.expansion, static_cast<float>(unit),
            static_cast<float>(law_.softening * law_.softening / (unit * unit)),
            law_.split.scale > 0 ? &split_ : nullptr};
  }

  static constexpr std::size_t targets_together = 8;  ///< share a selection of sources within the cut-off of their box

  const SimdKernels& kernels_;
  PairLaw law_;
  ShortRange split_;
  TreeView sources_;
  TargetView targets_;
  std::vector<Lane> lanes_;
};

}  // namespace

std::unique_ptr<ForceBackend> make_simd_backend(std::string_view instruction_set) {
  return std::make_unique<SimdBackend>(simd_kernels(instruction_set));
}

}  // namespace multiwalk
