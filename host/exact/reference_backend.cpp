// SPDX-License-Identifier: GPL-3.0-or-later
// Walks in scalar double precision, or sums over all particles, in a vacuum or with all their images.
#include "host/exact/reference_backend.hpp"

#include <optional>
#include <string>
#include <vector>

#include "host/base/phase_timer.hpp"
#include "host/exact/direct_sum.hpp"
#include "host/exact/ewald.hpp"
#include "host/exact/walk_expansion.hpp"
#include "host/force/store_forces.hpp"

namespace multiwalk {

namespace {

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

enum class Sums { walks, direct, ewald };

class ReferenceBackend final : public ForceBackend {
 public:
  explicit ReferenceBackend(Sums sums) : ForceBackend(facts_of(sums)), sums_(sums) {}

  bool begin(const PairLaw& law, const TreeView& sources, const TargetView& targets, int lanes) override {
    ewald_.reset();
    if (sums_ == Sums::ewald) ewald_.emplace(EwaldLaw{law.box_size, law.softening});
    law_ = law;
    depth_ = own_depth(law);
    sources_ = sources;
    targets_ = targets;
    lanes_.clear();
    lanes_.resize(static_cast<std::size_t>(lanes));
    return false;
  }
  WalkBatch& open(int lane) override { return lanes_[static_cast<std::size_t>(lane)].batch; }
  void submit(int lane) override {
    Lane& mine = lanes_[static_cast<std::size_t>(lane)];
    const double start = wall_time();
    for (const Walk& walk : mine.batch.walks) {
      const ExpansionTerms terms = expansion_of(mine.batch, walk);
      for (std::uint32_t i = walk.target_first; i < walk.target_first + walk.target_count; ++i) {
        ForceSum<double> sum = sum_for(mine.batch, walk, targets_.position[i]);
        if (walk.expanded_count > 0) {
          const ForceSum<double> far = force_of_terms(law_.expansion, terms, targets_.position[i] - walk.centre);
          sum = {sum.x + far.x, sum.y + far.y, sum.z + far.z, sum.potential + far.potential};
        }
        store_force(law_.gravitational_constant, depth_, targets_, i, sum);
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
  static BackendFacts facts_of(Sums sums) {
    BackendFacts facts{.preferred_group_size = 64};
    facts.name = sums == Sums::walks ? "reference" : sums == Sums::direct ? "direct" : "ewald";
    facts.description = sums == Sums::walks    ? "walks in double precision"
                        : sums == Sums::direct ? "double-precision direct summation"
                                               : "double-precision Ewald summation";
    facts.vacuum = sums != Sums::ewald;
    facts.whole_boxes = sums == Sums::ewald;
    facts.expansions = sums == Sums::walks;
    facts.all_pairs = sums != Sums::walks;
    return facts;
  }

  struct Lane {
    WalkBatch batch;
    double seconds = 0;
  };

  [[nodiscard]] ExpansionTerms expansion_of(const WalkBatch& batch, const Walk& walk) const {
    const auto cells = std::span(batch.cells).subspan(walk.cell_first + walk.cell_count, walk.expanded_count);
    if (cells.empty()) return {};
    return expand_cells(law_.expansion, sources_, cells, walk.centre, law_.softening * law_.softening);
  }

  ForceSum<double> sum_for(const WalkBatch& batch, const Walk& walk, Vec3d target) const {
    if (sums_ == Sums::direct) return direct_sum(sources_.position, sources_.mass, target, law_.softening);
    if (ewald_) return (*ewald_)(sources_.position, sources_.mass, target);
    return is_softened(law_.softening * law_.softening) ? sum_list<true>(sources_, batch, walk, target, law_)
                                                        : sum_list<false>(sources_, batch, walk, target, law_);
  }

  Sums sums_;
  std::optional<EwaldSum> ewald_;
  PairLaw law_;
  double depth_ = 0;  ///< own_depth
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
