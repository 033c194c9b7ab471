// SPDX-License-Identifier: GPL-3.0-or-later
// The interface that turns walks into forces. Called per batch, never per pair.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "host/base/error.hpp"
#include "host/gravity/pair_law.hpp"
#include "host/tree/octree.hpp"
#include "host/walk/walk_batch.hpp"

namespace multiwalk {

class TreeGrower;
class DeviceWalker;
class ParticleKeeper;
class MeshBackend;
class ExactPulls;
class ParticleFeed;

/// The targets of one evaluation, and where their results go.
struct TargetView {
  std::span<const Vec3d> position;         ///< (N) key order
  std::span<const float> mass;             ///< (N), for the own pair's potential
  std::span<Vec3f> acceleration;           ///< (N) written, or added to if accumulate
  std::span<float> potential;              ///< (N) own pair excluded
  bool own_tree = true;                    ///< the sources contain the targets themselves (own pair to be excluded)
  bool accumulate = false;                 ///< add to what is there (second and later source trees)
  bool unchanged = false;                  ///< position and mass are as in the previous evaluation
  std::span<const std::uint32_t> order{};  ///< (N) index in these arrays of each place in key order; empty: the place
  std::span<const std::uint8_t> rung{};    ///< (N) for a grown tree: rungs below least_rung keep their results
  int least_rung = 0;
  std::span<float> work{};       ///< (N) interactions of each target's walk, if the back end counts them
  ParticleFeed* feed = nullptr;  ///< deliver may give it accelerations and potentials, instead of these arrays
};

/// Seconds that the back end spent, summed over lanes, for the report; overlapped work counts fully.
struct BackendTimes {
  double pack = 0;      ///< gathering sources for the kernels (CPU)
  double transfer = 0;  ///< copies to and from the device
  double device = 0;    ///< evaluating pairs
  double wait = 0;      ///< a lane waiting for a free batch or for the last results
};

/// One evaluation: begin (or begin_grown of a TreeGrower); then `lanes` threads at once, each with its own lane number,
/// open a batch, fill it, submit it, and finally drain; then one thread calls collect. Further sources for the same
/// targets start with begin again. The last call is deliver. A lane's batches may be evaluated later, while threads
/// walk on; arguments of begin must not change before collect returns, and the targets' arrays not before deliver
/// returns.
class ForceBackend {
 public:
  virtual ~ForceBackend() = default;

  [[nodiscard]] virtual std::string_view name() const = 0;    ///< "cpu", "cuda", "direct", ...
  [[nodiscard]] virtual std::string description() const = 0;  ///< for people: instruction set or device name
  /// List entries after which a batch should be submitted.
  [[nodiscard]] virtual std::size_t batch_entries() const = 0;
  /// Groups of about this many particles suit the back end.
  [[nodiscard]] virtual std::uint32_t preferred_group_size() const = 0;

  /// Whether it can evaluate forces by this law. By default only those of a vacuum.
  [[nodiscard]] virtual bool evaluates(const PairLaw& law) const { return law.box_size == 0; }
  /// Whether it can evaluate local expansions (host/gravity/local_expansion.hpp) of this law.
  [[nodiscard]] virtual bool expands(const PairLaw&) const { return false; }
  /// True if batches are evaluated while the lanes walk on (a device), false if submit returns when the forces are
  /// complete.
  [[nodiscard]] virtual bool overlaps() const { return false; }
  /// The largest number of bytes held on any device.
  [[nodiscard]] virtual std::size_t peak_device_memory() const { return 0; }
  /// True if it needs no lists because every walk is a sum over all particles.
  [[nodiscard]] virtual bool all_pairs() const { return false; }

  /// Whether deliver writes the targets' work; if not, lanes count it. Valid after begin.
  [[nodiscard]] virtual bool counts_work() const { return false; }

  /// The services that it offers besides walks; null: the host does that work.
  [[nodiscard]] virtual TreeGrower* tree_grower() { return nullptr; }
  [[nodiscard]] virtual DeviceWalker* device_walker() { return nullptr; }
  [[nodiscard]] virtual ParticleKeeper* particle_keeper() { return nullptr; }
  [[nodiscard]] virtual MeshBackend* mesh() { return nullptr; }
  [[nodiscard]] virtual ExactPulls* exact_pulls() { return nullptr; }

  /// Copies `rows` rows of `bytes` between the host and arrays that the caller has on the back end's device, after all
  /// work of the caller there. Rows lie `stride` bytes apart in `from` and follow each other in `to`. Throws InputError
  /// if there is no such device, or the array does not lie there.
  virtual void copy_rows(void* /*to*/, const void* /*from*/, std::size_t /*bytes*/, std::size_t /*stride*/,
                         std::size_t /*rows*/) {
    throw InputError("the arrays lie on a GPU, but the back end " + std::string(name()) +
                     " works in host memory: copy them to the host");
  }

  virtual void begin(const PairLaw& law, const TreeView& sources, const TargetView& targets, int lanes) = 0;
  /// An empty batch for this lane; waits while all its batches are in flight. Throws the errors of earlier batches.
  virtual WalkBatch& open(int lane) = 0;
  /// Submits the batch that was opened last on this lane.
  virtual void submit(int lane) = 0;
  /// Waits for this lane's batches and stores their results; throws their errors.
  virtual void drain(int /*lane*/) {}
  /// Waits for everything.
  virtual BackendTimes collect() = 0;
  /// After the last collect of an evaluation: when it returns, results are in the targets' arrays. True if the order of
  /// these arrays costs nothing or the feed got the results; otherwise results were written one by one, which is slow
  /// if neighbours are far apart.
  virtual bool deliver() { return false; }
};

}  // namespace multiwalk
