// SPDX-License-Identifier: GPL-3.0-or-later
// Walks in scalar double precision, or sums over all particles, in a vacuum or with all their images.
#include "host/exact/reference_backend.hpp"

#include <array>
#include <string>
#include <vector>

#include "host/base/phase_timer.hpp"
#include "host/exact/direct_sum.hpp"
#include "host/exact/ewald.hpp"
#include "host/force/store_forces.hpp"
#include "host/gravity/ewald_table.hpp"
#include "host/gravity/local_expansion.hpp"

namespace multiwalk {

namespace {

SecondMoment<double> second_moment(const Multipole& m) {
  return {static_cast<double>(m.xx), static_cast<double>(m.xy), static_cast<double>(m.xz),
          static_cast<double>(m.yy), static_cast<double>(m.yz), static_cast<double>(m.zz)};
}

template <bool softened>
ForceSum<double> sum_list(const TreeView& sources, const WalkBatch& batch, const Walk& walk, Vec3d target,
                          const PairLaw& law) {
  const double softening2 = law.softening * law.softening;
  ForceSum<double> sum;
  for (std::uint32_t r = walk.range_first; r < walk.range_first + walk.range_count; ++r) {
    const ParticleRange range = batch.ranges[r];
    for (std::uint32_t j = range.first; j < range.first + range.count; ++j) {
      accumulate_monopole<softened>(sources.position[j] - target, static_cast<double>(sources.mass[j]), softening2,
                                    sum);
    }
  }
  for (std::uint32_t c = walk.cell_first; c < walk.cell_first + walk.cell_count; ++c) {
    const Multipole& m = sources.multipole[batch.cells[c]];
    const Vec3d d = m.centre_of_mass - target;
    const auto mass = static_cast<double>(m.mass);
    if (law.order == MultipoleOrder::quadrupole) {
      accumulate_quadrupole<softened>(d, mass, second_moment(m), softening2, sum);
    } else {
      accumulate_monopole<softened>(d, mass, softening2, sum);
    }
  }
  return sum;
}

/// The terms of a walk's local expansion, lengths in the coordinates' unit.
using Terms = std::array<double, expansion_terms(most_expansion_order)>;

template <int order>
void sum_expansion(const TreeView& sources, std::span<const std::uint32_t> cells, Vec3d centre, double softening2,
                   Terms& terms) {
  for (const std::uint32_t c : cells) {
    const Multipole& m = sources.multipole[c];
    add_expansion<order>(m.centre_of_mass - centre, static_cast<double>(m.mass), second_moment(m),
                         NewtonDerivatives<double>{softening2}, terms.data());
  }
}

/// Adds the force at `u` from the centre.
template <int order>
void add_expanded(const Terms& terms, Vec3d u, ForceSum<double>& sum) {
  const ForceSum<double> force = expanded_force<order>(terms.data(), u);
  sum.x += force.x;
  sum.y += force.y;
  sum.z += force.z;
  sum.potential += force.potential;
}

constexpr decltype(&sum_expansion<1>) sum_by_order[] = {sum_expansion<1>, sum_expansion<2>, sum_expansion<3>,
                                                        sum_expansion<4>, sum_expansion<5>, sum_expansion<6>};
constexpr decltype(&add_expanded<1>) add_by_order[] = {add_expanded<1>, add_expanded<2>, add_expanded<3>,
                                                       add_expanded<4>, add_expanded<5>, add_expanded<6>};

enum class Sums { walks, direct, ewald };

class ReferenceBackend final : public ForceBackend {
 public:
  explicit ReferenceBackend(Sums sums) : sums_(sums) {}

  std::string_view name() const override {
    return sums_ == Sums::walks ? "reference" : sums_ == Sums::direct ? "direct" : "ewald";
  }
  std::string description() const override {
    return sums_ == Sums::walks    ? "walks in double precision"
           : sums_ == Sums::direct ? "double-precision direct summation"
                                   : "double-precision Ewald summation";
  }
  std::size_t batch_entries() const override { return 1; }
  std::uint32_t preferred_group_size() const override { return 64; }
  bool all_pairs() const override { return sums_ != Sums::walks; }
  bool evaluates(const PairLaw& law) const override { return (law.box_size > 0) == (sums_ == Sums::ewald); }

  bool expands(const PairLaw& law) const override {
    return sums_ == Sums::walks && law.order == MultipoleOrder::quadrupole && evaluates(law);
  }

  void begin(const PairLaw& law, const TreeView& sources, const TargetView& targets, int lanes) override {
    if (sums_ == Sums::ewald) ewald_table();
    law_ = law;
    sources_ = sources;
    targets_ = targets;
    lanes_.clear();
    lanes_.resize(static_cast<std::size_t>(lanes));
  }
  WalkBatch& open(int lane) override { return lanes_[static_cast<std::size_t>(lane)].batch; }
  void submit(int lane) override {
    Lane& mine = lanes_[static_cast<std::size_t>(lane)];
    const double start = wall_time();
    for (const Walk& walk : mine.batch.walks) {
      const Terms terms = expansion_of(mine.batch, walk);
      for (std::uint32_t i = walk.target_first; i < walk.target_first + walk.target_count; ++i) {
        ForceSum<double> sum = sum_for(mine.batch, walk, targets_.position[i]);
        if (walk.expanded_count > 0) {
          add_by_order[law_.expansion - 1](terms, targets_.position[i] - walk.centre, sum);
        }
        store_force(law_, targets_, i, sum);
      }
    }
    mine.batch.clear();
    mine.seconds += wall_time() - start;
  }
  BackendTimes collect() override {
    BackendTimes times;
    for (const Lane& lane : lanes_) times.device += lane.seconds;
    return times;
  }

 private:
  struct Lane {
    WalkBatch batch;
    double seconds = 0;
  };

  [[nodiscard]] Terms expansion_of(const WalkBatch& batch, const Walk& walk) const {
    Terms terms{};
    const auto cells = std::span(batch.cells).subspan(walk.cell_first + walk.cell_count, walk.expanded_count);
    const double softening2 = law_.softening * law_.softening;
    if (!cells.empty()) sum_by_order[law_.expansion - 1](sources_, cells, walk.centre, softening2, terms);
    return terms;
  }

  ForceSum<double> sum_for(const WalkBatch& batch, const Walk& walk, Vec3d target) const {
    if (sums_ == Sums::direct) return direct_sum(sources_.position, sources_.mass, target, law_.softening);
    if (sums_ == Sums::ewald) {
      return ewald_sum(sources_.position, sources_.mass, target, {law_.box_size, law_.softening});
    }
    return is_softened(law_.softening * law_.softening) ? sum_list<true>(sources_, batch, walk, target, law_)
                                                        : sum_list<false>(sources_, batch, walk, target, law_);
  }

  Sums sums_;
  PairLaw law_;
  TreeView sources_;
  TargetView targets_;
  std::vector<Lane> lanes_;
};

}  // namespace

std::unique_ptr<ForceBackend> make_reference_backend(bool all_pairs) {
  return std::make_unique<ReferenceBackend>(all_pairs ? Sums::direct : Sums::walks);
}

std::unique_ptr<ForceBackend> make_ewald_backend() {
  return std::make_unique<ReferenceBackend>(Sums::ewald);
}

}  // namespace multiwalk
