// SPDX-License-Identifier: GPL-3.0-or-later
// Run time before a run is made: a few steps of a small model on this machine, continued to the whole.
#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "host/walk/raw_count.hpp"
#include "run/evolve/simulation.hpp"
#include "run/plan/expected_steps.hpp"

namespace multiwalk {

/// The interactions of a particle in one evaluation of the forces; means over particles.
struct MeanList {
  double particles = 0;       ///< that act on it
  double cells = 0;           ///< that act on it alone
  double expanded_cells = 0;  ///< that act on its group, each divided among the group's particles

  /// As RawCount::total: an expanded cell counts as pairs_of_expansion interactions (host/gravity/EXPANSIONS.md).
  [[nodiscard]] double total() const { return particles + cells + pairs_of_expansion * expanded_cells; }
};

/// The list of the same walks among `to` particles if it is `measured` among `from` at the same density: the relative
/// criterion's stays (from 10^5 to 10^6 particles it shrinks by 7 to 26%, measured), with an opening angle distant
/// cells grow with the logarithm, and without a tree it names all particles.
MeanList list_among(MeanList measured, const GravityOptions& walks, bool all_pairs, double from, double to);
MeanList mean_list(const RawCount& raw, double targets);
/// "634 particles + 256 cells + 16 x 8.6 expanded cells = 1028 per particle"; the third kind only if there is any.
std::string mean_list_text(const MeanList& list);
/// Keys as in the JSON of `bench forces`.
nlohmann::json mean_list_json(const MeanList& list);

struct TimePlan {
  std::unique_ptr<const Parameters> small;  ///< of the model
  std::unique_ptr<Simulation> model;        ///< a small one of the same kind, after three steps of all its particles
  StepRecord step;                          ///< the fastest, because other programs may use this machine meanwhile
  ExpectedSteps expected;                   ///< of the whole run
  MeanList list;                            ///< of all particles of the run
  double longer = 1;                        ///< that list over the model's
  double particles_per_second = 0;          ///< of the whole run
  double seconds_per_step = 0;              ///< of all particles

  [[nodiscard]] double seconds() const { return expected.evaluations * seconds_per_step; }
};

/// With a model of about `particles` particles, or 8000 if the back end, which must outlive the plan, sums over all
/// pairs. Throws InputError for whatever a run would refuse.
TimePlan plan_time(const Parameters& parameters, ForceBackend& backend, std::uint64_t particles = 100000);

}  // namespace multiwalk
