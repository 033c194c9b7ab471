// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/evolve/self_measurements.hpp"

#include <algorithm>

#include "analysis/forces/census_tree.hpp"
#include "analysis/sums/sampling.hpp"
#include "host/base/phase_timer.hpp"

namespace multiwalk {

namespace {

constexpr std::uint64_t census_sample = 20000;

/// The pulls on a sample of particles, to which errors are relative. Split forces are taken as the run computed them,
/// which is accurate enough for that.
ForceTruth pulls_of_sample(const ParticleStore& particles, const PairLaw& law, const Sample& sample,
                           const Communicator& comm, ForceBackend& backend) {
  if (!(law.split.scale > 0)) return sum_directly(particles, law, sample, comm, {&backend});
  ForceTruth pulls{sample_by_id(particles.id, sample, comm), {}};
  for (const std::uint32_t i : pulls.chosen) pulls.pull.emplace_back(Vec3d(particles.acceleration[i]));
  return pulls;
}

}  // namespace

void sample_force_error(const Simulation& simulation, const Sample& sample, RunRecord& record,
                        const MeasuringListener& listener) {
  if (sample.size == 0) return;
  const double began = wall_time();
  MeasuringProgress progress("measuring the force error", listener);
  const ForceError error = measure_force_error(
      simulation.on_host().particles, simulation.pair_law(), sample, simulation.background(), simulation.communicator(),
      {&simulation.backend(), [&](double fraction) { progress.at(fraction); }});
  record.errors.push_back({simulation.time(), simulation.redshift(), error.total, error.peculiar});
  record.measuring.errors += wall_time() - began;
}

void take_census(Simulation& simulation, const Parameters& parameters, std::uint64_t raw_pairs, RunRecord& record,
                 const MeasuringListener& listener) {
  const Communicator& comm = simulation.communicator();
  // Ewald sums are long: boxes take the error that was measured last.
  const bool split = simulation.pair_law().split.scale > 0;
  const Sample chosen{parameters.output.error_sample, parameters.model.seed};
  if (split && record.errors.empty()) sample_force_error(simulation, chosen, record, listener);
  const double began = wall_time();
  const MeasuringProgress progress("counting effective interactions", listener);
  simulation.release_scratch();
  if (comm.alone()) simulation.sort_particles();
  const ParticleStore& particles = simulation.on_host().particles;
  const PairLaw law = simulation.pair_law();
  const CensusTree tree(particles, enclosing_cube(bounding_box(particles.position)), law, comm);
  CensusRecord census;
  census.step = simulation.step_count();
  census.a = simulation.comoving() ? simulation.time() : 1;
  census.raw_pairs = raw_pairs;
  census.effective = count_effective(tree, particles, parameters.force.theta, {census_sample, chosen.seed}, comm);
  if (chosen.size > 0) {
    const ForceTruth truth = pulls_of_sample(particles, law, chosen, comm, simulation.backend());
    ErrorPercentiles error = split ? record.errors.back().total : measure_force_error(particles, truth, 0, comm).total;
    error.sample = std::min<std::uint64_t>(error.sample, chosen.size);  // the walk's error must be known as well
    const ErrorLevel level = level_of(error);
    const EqualErrorCount equal = count_equal_error_monopole(tree, particles, law, truth, level, comm);
    census.equal_error_theta = equal.theta;
    census.equal_error_pairs = equal.count.pairs;
    census.equal_error_of_median = level.of_median;
  }
  record.census.push_back(census);
  record.measuring.census += wall_time() - began;
}

}  // namespace multiwalk
