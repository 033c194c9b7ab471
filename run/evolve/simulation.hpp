// SPDX-License-Identifier: GPL-3.0-or-later
// A run in memory: this rank's particles, forces and the clock. The driver (run/driver) handles files, outputs and
// stopping.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <utility>

#include "analysis/conservation/conservation.hpp"
#include "decomposition/domains/domains.hpp"
#include "decomposition/essential_trees/essential_trees.hpp"
#include "decomposition/ranks/communicator.hpp"
#include "host/cosmology/expansion.hpp"
#include "host/motion/particles.hpp"
#include "host/particles/particle_system.hpp"
#include "host/solver/gravity_solver.hpp"
#include "host/time/drift_observer.hpp"
#include "host/time/leapfrog.hpp"
#include "host/time/rungs.hpp"
#include "host/time/step_control.hpp"
#include "run/evolve/block_watch.hpp"
#include "run/evolve/box_forces.hpp"
#include "run/evolve/step_figures.hpp"
#include "run/parameters/parameters.hpp"
#include "run/records/run_record.hpp"

namespace multiwalk {

/// Longest block of an isolated system, if none is given, in crossing times.
inline constexpr double block_crossing = 0.1;

/// Owns this rank's particles. Time is the expansion factor a (comoving) or t (Newtonian). Constructor, start,
/// next_time and step are collective.
class Simulation {
 public:
  /// `system`: this rank's share, wherever its particles are, as made by make_model or read from a snapshot or
  /// checkpoint. Parameters and back end must outlive the simulation. Throws InputError if the back end does not
  /// support the boundary.
  Simulation(const Parameters& parameters, ParticleSystem system, ForceBackend& backend, const Communicator& comm = {});
  Simulation(const Parameters&&, ParticleSystem, ForceBackend&, const Communicator& = {}) = delete;
  Simulation(const Simulation&) = delete;
  Simulation& operator=(const Simulation&) = delete;

  /// Evaluates the first forces unless a checkpoint holds them.
  StepRecord start();
  /// The time at which the next step (or block of steps) should end by the step criterion.
  [[nodiscard]] double next_time() const;
  /// Advances to `next` by one kick-drift-kick step of all particles or, with block steps, by one block.
  StepRecord step(double next);

  [[nodiscard]] const Communicator& communicator() const { return comm_; }
  /// This rank's particles, wherever they are, for outputs, analysis and checkpoints. Valid until the next step.
  [[nodiscard]] ParticleView particles() const { return particles_.view(); }
  [[nodiscard]] const ParticleSystem& on_host() const { return particles_.on_host(); }
  /// The domains of all ranks; after a step every particle lies in the domain of its rank.
  [[nodiscard]] DomainMap domains() const { return domains_.map().value_or(DomainMap()); }
  [[nodiscard]] std::uint64_t particle_count() const { return particle_count_; }  ///< of all ranks
  [[nodiscard]] double time() const { return particles_.facts().time; }
  [[nodiscard]] bool comoving() const { return particles_.facts().frame == Frame::comoving; }
  [[nodiscard]] double box_size() const { return particles_.facts().box_size; }
  [[nodiscard]] double redshift() const { return comoving() ? 1 / time() - 1 : 0; }
  [[nodiscard]] std::uint64_t step_count() const { return step_; }
  [[nodiscard]] bool block_steps() const { return block_steps_; }
  /// Whether threads of the hosts made the last walks, although devices make walks.
  [[nodiscard]] bool hosts_walked_for_devices() const { return devices_walk_ && !forces_.by_devices; }
  [[nodiscard]] PairLaw pair_law() const;                                 ///< at the present time
  [[nodiscard]] double softening() const;                                 ///< comoving, internal length
  [[nodiscard]] double uncapped_softening() const { return softening_; }  ///< before the physical cap
  [[nodiscard]] double background() const { return motion_.background(); }
  [[nodiscard]] const Expansion& expansion() const { return expansion_; }
  /// From now on the observer is called before every drift that it watches; a back end that keeps the particles finds
  /// those of a passage, or copies the positions and velocities of all to the store for it. It must outlive the
  /// simulation.
  void observe_drifts(DriftObserver* observer) { observer_ = observer; }
  /// Calls `watch` after every substep of a block but its last.
  void watch_blocks(BlockWatch watch) { block_watch_ = std::move(watch); }
  /// Whether the last block was abandoned; step() then returned an empty record, and counted no step.
  [[nodiscard]] bool abandoned() const { return abandoned_; }
  /// Whether all particles are at one time: an abandoned block may have left them between two.
  [[nodiscard]] bool synchronised() const { return !abandoned_ || kept_start_; }
  /// Puts this rank's particles in the key order of their enclosing cube. A back end that grows its own trees leaves
  /// them only nearly in that order, and without keys.
  void sort_particles();
  /// Frees memory that forces fill again at every step, for other work that takes much memory.
  void release_scratch() { gravity_.release_scratch(); }
  /// Statistics of the last evaluation on this rank.
  [[nodiscard]] const ForceStatistics& forces() const { return forces_; }
  [[nodiscard]] ForceBackend& backend() const { return gravity_.backend(); }
  /// Options of the walks, with the sizes of the last evaluation; in a box, as force.accuracy chose them.
  [[nodiscard]] const GravityOptions& walk_options() const { return gravity_.options(); }
  /// The choices that force.accuracy made in a periodic box; none where forces need no mesh.
  [[nodiscard]] const std::optional<BoxForces>& box_forces() const { return box_forces_; }
  /// Sizes of groups and leaves: given, or found during the run from 100,000 particles per rank on; settled: found for
  /// good.
  [[nodiscard]] TreeSizes sizes() const { return tuner_.sizes(); }
  [[nodiscard]] bool sizes_settled() const { return tuner_.settled(); }
  /// Seconds that evaluations with sizes on trial took longer than those with the best then known.
  [[nodiscard]] double seconds_of_trials() const { return tuner_.lost(); }
  /// The conditions for which the sizes were found: back end, threads, ranks and particles.
  [[nodiscard]] std::string sizes_are_for() const;
  /// Takes sizes that were found earlier, if the parameters give none, and searches on from there unless they are
  /// settled.
  void take_sizes(TreeSizes sizes, bool settled);
  /// Relative energy error, or violation of the Layzer-Irvine balance.
  [[nodiscard]] double energy_error() const;
  /// The energy to which the error of an isolated system is relative.
  [[nodiscard]] const char* energy_scale() const;

  /// The state that a checkpoint needs besides the particles; the same on every rank.
  [[nodiscard]] nlohmann::json state() const;
  void restore(const nlohmann::json& state);

 private:
  /// The time at which the next block should end. Rungs resolve the pair forces; the impulses of the mesh limit how far
  /// particles may move in a block.
  [[nodiscard]] double end_of_block() const;
  [[nodiscard]] StepOptions step_options() const;
  /// Makes a step but for its last kick, whose factor is returned.
  std::optional<double> step_together(double next, StepFigures& figures);
  /// Makes a whole block, unless it is abandoned; no kick is left.
  std::optional<double> step_on_rungs(double next, StepFigures& figures);
  [[nodiscard]] bool is_watched(const Drift& drift) const { return observer_ != nullptr && observer_->watches(drift); }
  /// Drifts all particles to `next`, after telling the observer.
  void drift_to(double next, StepFigures& figures);
  /// Shows the observer the particles that pass, if the back ends of all ranks find them, else all of them.
  void show_before(const Drift& drift);
  void keep_start_of_block();
  /// Puts the particles back to where the block began, if that was kept.
  void abandon_block();
  /// Throws Error if a step that the criterion asks for would not move the clock. Collective.
  void require_resolvable_steps(double scale);
  /// Assigns new rungs to particles whose steps end now; returns the deepest rung of all ranks.
  int assign_rungs(const Block& block, int synchronised, StepFigures& figures);
  /// Whether devices that keep the particles can do all the work of a step; the same on all ranks.
  [[nodiscard]] bool may_stay_on_devices() const;
  /// Leaves the particles to the devices, if they can: of several ranks, all stay on theirs or none does. Collective.
  void stay_on_devices();
  /// Whether the evaluation of rung `least` and deeper, for `targets` particles, needs a new tree.
  [[nodiscard]] bool needs_new_tree(int least, std::uint64_t targets, bool begins_block) const;
  /// Whether new domains are cut in this step. Depends only on what a restarted run also knows.
  [[nodiscard]] bool cuts_are_due() const;
  /// Whether that is done at the start of a block; else before an evaluation for all particles.
  [[nodiscard]] bool cuts_begin_blocks() const;
  /// Moves particles to the ranks that own their positions, by the present cuts or anew.
  void distribute(StepFigures& figures, bool anew);
  /// Evaluates the forces on all particles, or on those of rung `least` and deeper.
  void accelerate(StepFigures& figures, int least = 0);
  /// Kicks the particles and sums their energies, part by part, so that each particle is read once.
  EnergySums kick_and_sum(double factor, const std::function<void()>& summed);
  /// Records the energy after the last kick, which is made first (none: it was made already).
  void record_energy(std::optional<double> last_kick, StepFigures& figures);
  /// Collective.
  StepRecord record(StepFigures& figures) const;
  BlockRecord block_record(StepFigures& figures) const;

  Communicator comm_;
  const Parameters& parameters_;
  Particles particles_;
  DriftObserver* observer_ = nullptr;
  Expansion expansion_;
  EquationOfMotion motion_;
  std::string backend_text_;
  std::optional<BoxForces> box_forces_;  ///< in a periodic box, unless the back end sums over all pairs
  bool block_steps_;
  GravitySolver gravity_;
  std::unique_ptr<LongRangeForce> long_range_;  ///< under the same condition
  Domains domains_;
  EssentialTrees essential_trees_;  ///< used on several ranks
  ForceStatistics forces_;
  std::uint64_t particle_count_;
  bool sizes_open_;  ///< no group size is given
  SizeTuner tuner_;
  double total_mass_;
  bool devices_walk_;                     ///< every rank's back end has a device that makes walks
  std::optional<double> work_imbalance_;  ///< over ranks, of the last step
  bool all_stay_ = false;                 ///< all ranks have agreed that their particles stay on devices
  std::uint64_t next_staying_ = 0;        ///< the step from which on that is tried, after it failed on some rank
  double softening_;                      ///< without the physical cap
  double crossing_time_ = 0;              ///< isolated systems
  std::uint64_t step_ = 0;
  bool forces_known_ = false;
  std::optional<EnergySums> first_energy_;
  EnergySums energy_;
  std::optional<double> largest_pull_;  ///< of this rank, found by the last kick; none if that did not look for it
  LayzerIrvine layzer_irvine_;

  /// What a block changes.
  struct StartOfBlock {
    ParticleSystem system;
    std::uint64_t next_staying = 0;
  };
  BlockWatch block_watch_;
  StartOfBlock start_of_block_;
  bool kept_start_ = false, abandoned_ = false;
  bool saturated_ = false;                          ///< the present block has used the deepest rung
  double block_seconds_ = 0, keeping_seconds_ = 0;  ///< of the last block, and of keeping a start
};

/// Throws InputError if the back end does not evaluate the forces of a periodic system, or of one in a vacuum.
void require_boundary(const SystemFacts& system, const ForceBackend& backend);

/// 1/2 Omega_m H0^2, the linear background term of a comoving sphere in vacuum (host/time/leapfrog.hpp); else 0.
double background_term(const SystemFacts& system, const CosmologyParameters& cosmology);

/// Softening length in internal units from the parameters: given, or mean spacing / 25 (isolated: the spacing inside
/// the median radius). Collective.
double resolve_softening(const Parameters& parameters, const ParticleSystem& system, const Communicator& comm = {});

MultisectionOptions multisection_options(const DecompositionParameters& parameters);

}  // namespace multiwalk
