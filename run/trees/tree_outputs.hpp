// SPDX-License-Identifier: GPL-3.0-or-later
// The tree outputs of a run: their times, their files, and the state of the tracker between them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/subhalos/subhalo_tracker.hpp"
#include "decomposition/domains/domain_map.hpp"
#include "decomposition/ranks/communicator.hpp"
#include "host/particles/particle_system.hpp"
#include "run/outputs/output.hpp"
#include "run/parameters/parameters.hpp"

namespace multiwalk {

/// The expansion factors at which tree outputs are due, in increasing order: `outputs` of them, equally spaced in ln a
/// from the first redshift (or the start) to the last, and those of `redshifts` that are not before the start.
std::vector<double> tree_times(const TreeParameters& trees, double first, double last);
/// Only those of `redshifts`, at which steps end.
std::vector<double> exact_tree_times(TreeParameters trees, double first, double last);

/// Subhalos and their merger trees.
class TreeOutputs final : public Output {
 public:
  static constexpr std::string_view files =
      R"(fof_subhalo_hbt_tab_\d+\.0\.hdf5|tracks_\d+\.hdf5|trees\.(hdf5|html)|main_branches\.csv)";

  /// `first`, `last`: expansion factors of the run. `directory`: for fof_subhalo_hbt_tab_NNN.0.hdf5, trees.hdf5,
  /// trees.html, main_branches.csv and, beside each checkpoint, tracks_STEP.hdf5.
  TreeOutputs(const Parameters& parameters, std::string directory, double first, double last, Communicator comm);

  /// Numbers of outputs made and of tracks begun so far.
  [[nodiscard]] std::int32_t outputs() const { return memory_.outputs; }
  [[nodiscard]] std::int64_t tracks() const { return memory_.next_track; }
  /// Whether an output has become due since the last one.
  [[nodiscard]] bool due(double time) const override;
  /// Follows the subhalos and writes their catalogue, aside if that may be, from a copy of the particles (bytes_aside).
  nlohmann::json write(const OutputMoment& moment) override;
  [[nodiscard]] std::optional<OwnTimes> own_times() const override {
    return OwnTimes{"tree outputs", "fof_subhalo_hbt_tab_", exact_, times_};
  }
  /// Writes the merger trees of all outputs so far, if there are any.
  std::string finish() override;

  /// Stores the state of the tracker beside the checkpoint of this step, and its checksum in the checkpoint; restore()
  /// reads both.
  OutputState save(std::uint64_t step) override;
  void checkpoint_written() override;
  void restore(std::uint64_t step, const OutputState& stored);

 private:
  void follow(const std::string& path, const ParticleSystem& system, const DomainMap& domains, double softening);
  void write_trees() const;
  [[nodiscard]] std::string catalogue(std::int32_t output) const;

  std::string directory_;
  Communicator comm_;
  CosmologyParameters cosmology_;
  std::uint64_t min_particles_;
  std::vector<double> times_, exact_;  ///< exact_: those at which steps end
  double last_made_ = 0;               ///< time of the last output
  TrackMemory memory_;
  std::vector<std::uint32_t> catalogues_;  ///< checksums of the files of all outputs so far
  ParticleSystem aside_;  ///< positions, velocities, masses and ids of the last output that was left for later
};

/// Null without [trees] and for Newtonian runs. Collective.
std::unique_ptr<Output> make_tree_outputs(const OutputSetup& setup);

}  // namespace multiwalk
