// SPDX-License-Identifier: GPL-3.0-or-later
// A run in memory: this rank's particles, forces and the clock. Files, outputs and stopping are run_command's affair.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "analysis/conservation/conservation.hpp"
#include "decomposition/domains/domains.hpp"
#include "decomposition/essential_trees/essential_trees.hpp"
#include "decomposition/ranks/communicator.hpp"
#include "host/cosmology/expansion.hpp"
#include "host/force/gravity_solver.hpp"
#include "host/particles/particle_system.hpp"
#include "host/time/leapfrog.hpp"
#include "host/time/rungs.hpp"
#include "host/time/step_control.hpp"
#include "run/evolve/box_forces.hpp"
#include "run/evolve/step_figures.hpp"
#include "run/parameters/parameters.hpp"
#include "run/records/run_record.hpp"

namespace multiwalk {

/// Owns this rank's particles. Time is the expansion factor a (comoving) or t (Newtonian). Constructor, start,
/// next_time and step are collective.
class Simulation {
 public:
  /// `system`: this rank's share, whatever its place, as made by make_model or read from a snapshot or checkpoint; the
  /// back end must outlive the simulation. Throws InputError if it does not serve the system's boundary.
  Simulation(const Parameters& parameters, ParticleSystem system, ForceBackend& backend, const Communicator& comm = {});
  Simulation(const Simulation&) = delete;
  Simulation& operator=(const Simulation&) = delete;

  /// First forces, unless a checkpoint brought them.
  StepRecord start();
  /// Where the next step (or block of steps) should end by the step criterion.
  [[nodiscard]] double next_time() const;
  /// To `next` by one kick-drift-kick step of all particles, or with block steps by one block.
  StepRecord step(double next);

  [[nodiscard]] const Communicator& communicator() const { return comm_; }
  /// This rank's particles in host memory, where outputs, analysis and checkpoints read them: the only way to them, so
  /// that a back end may keep them elsewhere between outputs. Valid until the next step.
  [[nodiscard]] const ParticleSystem& host_view() const { return system_; }
  /// Who owns which part of space; after a step every particle lies in its rank's.
  [[nodiscard]] DomainMap domains() const { return domains_.map().value_or(DomainMap()); }
  [[nodiscard]] std::uint64_t particle_count() const { return particle_count_; }  ///< of all ranks
  [[nodiscard]] double time() const { return system_.time; }
  [[nodiscard]] bool comoving() const { return system_.frame == Frame::comoving; }
  [[nodiscard]] double redshift() const { return comoving() ? 1 / system_.time - 1 : 0; }
  [[nodiscard]] std::uint64_t step_count() const { return step_; }
  [[nodiscard]] bool block_steps() const { return block_steps_; }
  [[nodiscard]] PairLaw pair_law() const;                                 ///< at the present time
  [[nodiscard]] double softening() const;                                 ///< comoving, internal length
  [[nodiscard]] double uncapped_softening() const { return softening_; }  ///< before the physical cap
  [[nodiscard]] double background() const { return motion_.background(); }
  [[nodiscard]] const Expansion& expansion() const { return expansion_; }
  /// Puts this rank's particles in the key order of their enclosing cube: a back end that grows trees of its own leaves
  /// them nearly so, and without keys.
  void sort_particles();
  /// Frees what forces need anew at every step, for something else that takes much memory.
  void release_scratch() { gravity_.release_scratch(); }
  /// Of the last evaluation, this rank's.
  [[nodiscard]] const ForceStatistics& forces() const { return forces_; }
  [[nodiscard]] ForceBackend& backend() const { return gravity_.backend(); }
  /// Of the walks: in a box as its accuracy chose them, with the sizes of the last evaluation.
  [[nodiscard]] const GravityOptions& walk_options() const { return gravity_.options(); }
  /// What the accuracy came to in a periodic box; none where forces need no mesh.
  [[nodiscard]] const std::optional<BoxForces>& box_forces() const { return box_forces_; }
  /// Sizes of groups and leaves: given, or found on line from 100,000 particles a rank on; settled: found for good.
  [[nodiscard]] TreeSizes sizes() const { return tuner_.sizes(); }
  [[nodiscard]] bool sizes_settled() const { return tuner_.settled(); }
  /// Seconds that evaluations with sizes on trial took longer than those with the best then known.
  [[nodiscard]] double seconds_of_trials() const { return tuner_.lost(); }
  /// What the sizes were found for: back end, threads, ranks and particles.
  [[nodiscard]] std::string sizes_are_for() const;
  /// Takes sizes found before, if these are left to be found, and searches on from there unless they are settled.
  void take_sizes(TreeSizes sizes, bool settled);
  /// Relative energy error, or violation of the Layzer-Irvine balance.
  [[nodiscard]] double energy_error() const;
  /// What it is relative to, of an isolated system.
  [[nodiscard]] const char* energy_scale() const;

  /// What a checkpoint needs beside the particles: the same on every rank.
  [[nodiscard]] nlohmann::json state() const;
  void restore(const nlohmann::json& state);

 private:
  /// Where the next block should end: pairs follow their rungs, the mesh's impulses need slow particles.
  [[nodiscard]] double end_of_block() const;
  [[nodiscard]] StepOptions step_options() const;
  /// All but the step's last kick, whose factor is returned.
  std::optional<double> step_together(double next, StepFigures& figures);
  /// A block is complete: there is no kick left.
  std::optional<double> step_on_rungs(double next, StepFigures& figures);
  /// New rungs for those whose steps end now; returns the deepest of all ranks.
  int assign_rungs(const Block& block, int synchronised, StepFigures& figures);
  /// Particles have drifted to this time.
  void arrive_at(double next);
  /// Particles move to the ranks that own their places: all, or those that strayed too far between two full
  /// evaluations.
  void distribute(StepFigures& figures, int least);
  /// Forces on all particles, or on those of rung `least` and deeper.
  void accelerate(StepFigures& figures, int least = 0);
  /// Kicks the particles and sums their energies, one part of them after the other: each is read once.
  EnergySums kick_and_sum(double factor, const std::function<void()>& summed);
  /// After the last kick (none: it is done).
  void record_energy(std::optional<double> last_kick, StepFigures& figures);
  /// Collective.
  StepRecord record(StepFigures& figures) const;
  BlockRecord block_record(StepFigures& figures) const;

  Communicator comm_;
  Parameters parameters_;
  ParticleSystem system_;
  Expansion expansion_;
  EquationOfMotion motion_;
  std::string backend_text_;
  std::optional<BoxForces> box_forces_;  ///< in a periodic box, unless the back end sums over all pairs
  bool block_steps_;
  GravitySolver gravity_;
  std::unique_ptr<LongRangeForce> long_range_;  ///< likewise
  Domains domains_;
  EssentialTrees essential_trees_;  ///< used on several ranks
  ForceStatistics forces_;
  std::uint64_t particle_count_;
  bool sizes_open_;  ///< no group size is given
  SizeTuner tuner_;
  double total_mass_;
  double softening_;          ///< without the physical cap
  double crossing_time_ = 0;  ///< isolated systems
  std::uint64_t step_ = 0;
  bool forces_known_ = false;
  std::optional<EnergySums> first_energy_;
  EnergySums energy_;
  std::optional<double> largest_pull_;  ///< of this rank, found by the last kick; none where that did not look
  LayzerIrvine layzer_irvine_;
};

/// Throws InputError if the back end does not evaluate the forces of a periodic system, or of one in a vacuum.
void require_boundary(const ParticleSystem& system, const ForceBackend& backend);

/// 1/2 Omega_m H0^2, the linear background term of a comoving sphere in vacuum (host/time/leapfrog.hpp); else 0.
double background_term(const ParticleSystem& system, const CosmologyParameters& cosmology);

/// Softening length in internal units from the parameters: given, or mean spacing / 25 (isolated: the spacing inside
/// the median radius). Collective.
double resolve_softening(const Parameters& parameters, const ParticleSystem& system, const Communicator& comm = {});

MultisectionOptions multisection_options(const DecompositionParameters& parameters);

}  // namespace multiwalk
