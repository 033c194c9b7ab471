// SPDX-License-Identifier: GPL-3.0-or-later
// The census of a run: which error the monopole walk of equal error shares with the run's forces.
#include <gtest/gtest.h>
#include <omp.h>

#include "host/force/simd_backend.hpp"
#include "ic/models/model.hpp"
#include "run/evolve/self_measurements.hpp"

namespace multiwalk {
namespace {

CensusRecord census_of(Parameters parameters, std::uint32_t sample, RunRecord record = {}) {
  omp_set_num_threads(1);
  parameters.run.threads = 1;
  parameters.output.error_sample = sample;
  const auto backend = make_simd_backend();
  Simulation simulation(parameters, make_model(parameters.model, parameters.ic, parameters.cosmology), *backend);
  simulation.start();
  take_census(simulation, parameters, simulation.forces().raw.total(), record);
  return record.census.back();
}

Parameters census_sphere() {
  Parameters parameters;
  parameters.model.kind = ModelKind::plummer;
  parameters.model.particles = 1200;
  parameters.softening.softening = 0.05;
  return parameters;
}

TEST(RunCensus, SmallSamplesAreComparedByTheirMedian) {
  const CensusRecord large = census_of(census_sphere(), 1000), small = census_of(census_sphere(), 999);
  EXPECT_FALSE(large.equal_error_of_median);
  EXPECT_TRUE(small.equal_error_of_median);
  EXPECT_GT(large.equal_error_pairs, 0);
  EXPECT_GT(small.equal_error_pairs, 0);
  EXPECT_NE(large.equal_error_theta, small.equal_error_theta);
}

/// A box uses the error that was measured last, whose sample may be larger than the walk's.
TEST(RunCensus, BothErrorsMustKnowTheir99Percent) {
  Parameters parameters;
  parameters.model.kind = ModelKind::box;
  parameters.model.box_size = 50;
  parameters.ic.grid = 12;
  ErrorRecord error;
  error.total = {1e-3, 2e-3, 5e-3, 1e-2, 2000};
  RunRecord record;
  record.errors.push_back(error);
  EXPECT_TRUE(census_of(parameters, 50, record).equal_error_of_median);
  EXPECT_FALSE(census_of(parameters, 1000, record).equal_error_of_median);
  record.errors.back().total.sample = 50;
  EXPECT_TRUE(census_of(parameters, 1000, record).equal_error_of_median);
}

}  // namespace
}  // namespace multiwalk
