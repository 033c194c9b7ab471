// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/plan/time_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "run/evolve/output_schedule.hpp"
#include "run/evolve/starting_system.hpp"
#include "run/plan/planned_model.hpp"

namespace multiwalk {

MeanList mean_list(const RawCount& raw, double targets) {
  return {static_cast<double>(raw.particle_pairs) / targets, static_cast<double>(raw.cell_pairs) / targets,
          static_cast<double>(raw.expansions) / targets};
}

MeanList list_among(MeanList measured, const GravityOptions& walks, bool all_pairs, double from, double to) {
  if (all_pairs) measured.particles *= to / from;
  if (all_pairs || walks.relative()) return measured;
  const double longer = std::log(std::max(10.0, to)) / std::log(std::max(10.0, from));
  measured.cells *= longer;
  measured.expanded_cells *= longer;
  return measured;
}

std::string mean_list_text(const MeanList& list) {
  const std::string expanded =
      list.expanded_cells > 0 ? fmt::format(" + {} x {:.1f} expanded cells", pairs_of_expansion, list.expanded_cells)
                              : "";
  return fmt::format("{:.0f} particles + {:.0f} cells{} = {:.0f} per particle", list.particles, list.cells, expanded,
                     list.total());
}

nlohmann::json mean_list_json(const MeanList& list) {
  return {{"pp", list.particles}, {"pc", list.cells}, {"expansions", list.expanded_cells}, {"raw", list.total()}};
}

TimePlan plan_time(const Parameters& parameters, ForceBackend& backend, std::uint64_t particles) {
  constexpr std::uint64_t of_all_pairs = 8000;
  const auto all = static_cast<double>(planned_particles(parameters));
  Parameters small = smaller_model(parameters, backend.all_pairs() ? of_all_pairs : particles);
  ParticleSystem system = starting_system(small);
  const double begin = system.time;
  const bool comoving = system.frame == Frame::comoving;
  comoving ? OutputSchedule::comoving(small, begin) : OutputSchedule::newtonian(small, begin);  // may refuse it
  const auto sample = static_cast<double>(std::max<std::size_t>(system.particles.size(), 1));
  small.time.steps = Steps::global;                // a step is one evaluation then
  if (!comoving && small.softening.softening < 0)  // the default falls with the number of particles
    small.softening.softening = resolve_softening(small, system) * std::min(1.0, std::cbrt(sample / all));
  TimePlan plan;
  plan.small = std::make_unique<const Parameters>(std::move(small));
  plan.model = std::make_unique<Simulation>(*plan.small, std::move(system), backend);
  Simulation& model = *plan.model;
  model.start();
  plan.expected = comoving ? expected_cosmic_steps(parameters, model.on_host(), model.uncapped_softening())
                           : expected_newtonian_steps(parameters, model);
  for (int s = 0; s < 3; ++s) {
    const StepRecord step = model.step(model.next_time());
    if (s == 0 || step.particles_per_second > plan.step.particles_per_second) plan.step = step;
  }
  const MeanList measured = mean_list(plan.step.raw, sample);
  plan.list = list_among(measured, model.walk_options(), backend.all_pairs(), sample, all);
  if (measured.total() > 0) plan.longer = plan.list.total() / measured.total();
  plan.particles_per_second = plan.step.particles_per_second / plan.longer;
  plan.seconds_per_step = all / plan.particles_per_second;
  return plan;
}

}  // namespace multiwalk
