// SPDX-License-Identifier: GPL-3.0-or-later
// The interface behind which walks become forces. Called per batch, never per pair.
#pragma once

#include <cmath>
#include <cstdint>
#include <memory>
#include <numbers>
#include <span>
#include <string>
#include <string_view>

#include "host/force/short_range.hpp"
#include "host/mesh/mesh_force_options.hpp"
#include "host/particles/particle_store.hpp"
#include "host/tree/octree.hpp"
#include "host/walk/walk_batch.hpp"

namespace multiwalk {

struct GrowthTask;
struct GrownTree;

enum class MultipoleOrder { monopole, quadrupole };

/// The pair law for one evaluation: a = G sum m d/R^3, phi = -G sum m/R, R^2 = r^2 + softening^2 (Plummer); in a
/// periodic box with all images less the mean density (host/force/ewald.hpp).
struct PairLaw {
  double gravitational_constant = 1;
  double softening = 0;  ///< length, in the coordinates of the particles; 0: a coincident pair exerts no force
  MultipoleOrder order = MultipoleOrder::quadrupole;
  double box_size = 0;  ///< side of the periodic box; 0: vacuum
  ForceSplit split{};   ///< of a box: pairs give the short-range part only (TreePM)
};

/// What kernels count of a unit mass at its own place: the sum of 1/R, or of its short-range part.
inline double own_depth(const PairLaw& law) {
  const double whole = is_softened(law.softening * law.softening) ? 1 / law.softening : 0;
  return whole - (law.split.scale > 0 ? 1 / (law.split.scale * std::sqrt(std::numbers::pi)) : 0);
}

/// Where the results of one evaluation go and whom they concern.
struct TargetView {
  std::span<const Vec3d> position;         ///< (N) key order
  std::span<const float> mass;             ///< (N), for the own pair's potential
  std::span<Vec3f> acceleration;           ///< (N) written, or added to if accumulate
  std::span<float> potential;              ///< (N) own pair excluded
  bool own_tree = true;                    ///< the sources contain the targets themselves (own pair to be excluded)
  bool accumulate = false;                 ///< add to what is there (second and later source trees)
  bool unchanged = false;                  ///< position and mass are as in the evaluation before this one
  std::span<const std::uint32_t> order{};  ///< (N) index in these arrays of each place in key order; empty: the place
  std::span<const std::uint8_t> rung{};    ///< (N) of a grown tree: those below least_rung keep what they have
  int least_rung = 0;
};

/// Seconds the back end spent, summed over lanes, for the report; overlapped work counts fully.
struct BackendTimes {
  double pack = 0;      ///< gathering sources for the kernels (CPU)
  double transfer = 0;  ///< copies to and from the device
  double device = 0;    ///< evaluating pairs
  double wait = 0;      ///< a lane waiting for a free batch or for the last results
};

/// Moments that some nodes of a grown tree should have instead of their own.
struct ChangedMoments {
  std::span<const std::uint32_t> node;   ///< (changed)
  std::span<const Multipole> multipole;  ///< (changed)
};

/// One evaluation: begin (or grow and begin_grown); then from `lanes` threads at once, each with its own lane number:
/// open a batch, fill it, submit it, and drain; then, from one thread, collect. Further sources of the same targets
/// start again with begin. Finally deliver. A lane's batches may be evaluated later, concurrently with further walking;
/// what begin was given must not change before collect returns, nor the targets' arrays before deliver returns.
class ForceBackend {
 public:
  virtual ~ForceBackend() = default;

  [[nodiscard]] virtual std::string_view name() const = 0;    ///< "cpu", "cuda", "direct", ...
  [[nodiscard]] virtual std::string description() const = 0;  ///< for people: instruction set or device name
  /// List entries after which a batch should be submitted.
  [[nodiscard]] virtual std::size_t batch_entries() const = 0;
  /// Groups of about this many particles suit the back end.
  [[nodiscard]] virtual std::uint32_t preferred_group_size() const = 0;

  /// Whether it evaluates forces by this law: those of a vacuum, unless it says otherwise.
  [[nodiscard]] virtual bool serves(const PairLaw& law) const { return law.box_size == 0; }
  /// True if batches are evaluated while the lanes walk on (a device), false if submit returns with the forces.
  [[nodiscard]] virtual bool overlaps() const { return false; }
  /// Bytes held at most on any device.
  [[nodiscard]] virtual std::size_t peak_device_memory() const { return 0; }
  /// True if lists are not needed because every walk is a sum over all particles.
  [[nodiscard]] virtual bool all_pairs() const { return false; }

  virtual void begin(const PairLaw& law, const TreeView& sources, const TargetView& targets, int lanes) = 0;
  /// Grows tree, groups and walk records of the store's particles itself; valid until the next evaluation. Null if the
  /// back end leaves that to the host: it cannot, or has not the memory.
  virtual GrownTree* grow(const ParticleStore&, const GrowthTask&) { return nullptr; }
  /// begin with the tree grown last as the sources and its particles as the targets.
  virtual void begin_grown(const PairLaw&, const ChangedMoments&, const TargetView&, int /*lanes*/) {}
  /// Adds what the mesh (as decomposition/mesh_force.hpp, in single precision) gives to accelerations and potentials of
  /// the particles of a box; false, and nothing is added: the back end leaves that to the host: it cannot, or has not
  /// the memory.
  virtual bool add_mesh_force(ParticleStore&, const PairLaw&, const MeshForceOptions&) { return false; }
  /// Adds to sums (targets) the pull of these particles at `targets`, without G, in double precision, by direct
  /// or, in a box, Ewald summation (host/force/ewald.hpp). False, with nothing added, leaves that to the host.
  virtual bool add_exact_pulls(std::span<const Vec3d> /*position*/, std::span<const float> /*mass*/, const PairLaw&,
                               std::span<const Vec3d> /*targets*/, std::span<Vec3d> /*sums*/) {
    return false;
  }
  /// An empty batch for this lane; waits while all its batches are in flight. Throws what a former batch met.
  virtual WalkBatch& open(int lane) = 0;
  /// Hands over the batch opened last on this lane.
  virtual void submit(int lane) = 0;
  /// Waits for this lane's batches and stores their results; throws what they met.
  virtual void drain(int /*lane*/) {}
  /// Waits for everything.
  virtual BackendTimes collect() = 0;
  /// Called after the last collect of an evaluation; when it returns, results are in the targets' arrays. True if the
  /// order of these arrays cost nothing; otherwise results were written singly, slowly where neighbours are far apart.
  virtual bool deliver() { return false; }
};

}  // namespace multiwalk
