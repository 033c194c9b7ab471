// SPDX-License-Identifier: GPL-3.0-or-later
// The interface that turns walks into forces. Called per batch, never per pair.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "host/base/error.hpp"
#include "host/gravity/pair_law.hpp"
#include "host/tree/octree.hpp"
#include "host/walk/walk_batch.hpp"

namespace multiwalk {

class TreeGrower;
class DeviceWalker;
class ParticleKeeper;
class SkyCounter;
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

/// Fixed properties of a back end.
struct BackendFacts {
  std::string name{};                      ///< "cpu", "cuda", "direct", ...
  std::string description{};               ///< for people: instruction set or device name
  std::size_t batch_entries = 1;           ///< list entries after which a batch should be submitted
  std::uint32_t preferred_group_size = 1;  ///< groups of about this many particles suit it
  // Forces that it evaluates:
  bool vacuum = true;        ///< of isolated systems
  bool split_boxes = false;  ///< the short-range part of those in a periodic box
  bool whole_boxes = false;  ///< of all images of a periodic box
  bool expansions = false;   ///< local expansions (host/gravity/local_expansion.hpp) of cells with quadrupoles

  bool all_pairs = false;  ///< every walk is a sum over all particles, so it needs no lists
  bool overlaps = false;   ///< batches are evaluated while the lanes walk on (a device); else submit does it
};

/// Fewer particles of a rank are sorted, walked for, kicked and drifted faster by the host.
inline constexpr std::size_t least_on_device = 20000;

/// The other work that a back end can take over from the host; null: the host does it.
struct BackendServices {
  TreeGrower* tree_grower = nullptr;
  DeviceWalker* device_walker = nullptr;
  ParticleKeeper* particle_keeper = nullptr;
  SkyCounter* sky_counter = nullptr;  ///< of kept particles
  MeshBackend* mesh = nullptr;
  ExactPulls* exact_pulls = nullptr;
};

/// One evaluation: begin (or begin_grown of a TreeGrower); then `lanes` threads at once, each with its own lane number,
/// open a batch, fill it, submit it, and finally drain; then one thread calls collect. Further sources for the same
/// targets start with begin again. The last call is deliver. A lane's batches may be evaluated later, while threads
/// walk on; arguments of begin must not change before collect returns, and the targets' arrays not before deliver
/// returns.
class ForceBackend {
 public:
  virtual ~ForceBackend() = default;

  [[nodiscard]] std::string_view name() const { return facts_.name; }
  [[nodiscard]] const std::string& description() const { return facts_.description; }
  [[nodiscard]] std::size_t batch_entries() const { return facts_.batch_entries; }
  [[nodiscard]] std::uint32_t preferred_group_size() const { return facts_.preferred_group_size; }
  [[nodiscard]] bool all_pairs() const { return facts_.all_pairs; }
  [[nodiscard]] bool overlaps() const { return facts_.overlaps; }
  /// Whether it can evaluate forces, and local expansions, by this law.
  [[nodiscard]] bool evaluates(const PairLaw& law) const {
    if (law.box_size == 0) return facts_.vacuum;
    return law.split.scale > 0 ? facts_.split_boxes : facts_.whole_boxes;
  }
  [[nodiscard]] bool expands(const PairLaw& law) const {
    return facts_.expansions && law.order == MultipoleOrder::quadrupole && evaluates(law);
  }

  [[nodiscard]] virtual BackendServices services() { return {}; }
  [[nodiscard]] TreeGrower* tree_grower() { return services().tree_grower; }
  [[nodiscard]] DeviceWalker* device_walker() { return services().device_walker; }
  [[nodiscard]] ParticleKeeper* particle_keeper() { return services().particle_keeper; }
  [[nodiscard]] SkyCounter* sky_counter() { return services().sky_counter; }
  [[nodiscard]] MeshBackend* mesh() { return services().mesh; }
  [[nodiscard]] ExactPulls* exact_pulls() { return services().exact_pulls; }

  /// Returns whether deliver writes the targets' work; if not, lanes count it.
  virtual bool begin(const PairLaw& law, const TreeView& sources, const TargetView& targets, int lanes) = 0;
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

  /// The largest number of bytes held on any device.
  [[nodiscard]] virtual std::size_t peak_device_memory() const { return 0; }
  /// Copies `rows` rows of `bytes` between the host and arrays that the caller has on the back end's device, after all
  /// work of the caller there. Rows lie `stride` bytes apart in `from` and follow each other in `to`. Throws InputError
  /// if there is no such device, or the array does not lie there.
  virtual void copy_rows(void* /*to*/, const void* /*from*/, std::size_t /*bytes*/, std::size_t /*stride*/,
                         std::size_t /*rows*/) {
    throw InputError("the arrays lie on a GPU, but the back end " + facts_.name +
                     " works in host memory: copy them to the host");
  }

 protected:
  explicit ForceBackend(BackendFacts facts) : facts_(std::move(facts)) {}

 private:
  BackendFacts facts_;
};

}  // namespace multiwalk
