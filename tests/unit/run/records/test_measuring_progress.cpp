// SPDX-License-Identifier: GPL-3.0-or-later
// What a run reports while it measures itself, and how that time is accounted for.
#include <gtest/gtest.h>
#include <omp.h>

#include <chrono>
#include <vector>

#include "host/force/simd_backend.hpp"
#include "ic/models/model.hpp"
#include "run/evolve/self_measurements.hpp"
#include "run/records/measuring_progress.hpp"

namespace multiwalk {
namespace {

void sleep(double seconds) {
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
}

TEST(MeasuringProgress, SpeaksAgainAndAgainUntilItEnds) {
  std::vector<std::string> said;
  {
    MeasuringProgress progress("counting", {[&](const std::string& text) { said.push_back(text); }, 0.01});
    sleep(0.1);
    progress.at(0.25);
    sleep(0.1);
  }
  const std::size_t lines = said.size();
  ASSERT_GE(lines, 4U);
  EXPECT_LE(lines, 20U);
  EXPECT_EQ(said.front().find("counting: "), 0U);
  EXPECT_NE(said.front().find(" ms so far"), std::string::npos) << said.front();
  EXPECT_EQ(said.front().find('%'), std::string::npos) << said.front();
  EXPECT_EQ(said.back().find("counting: 25 %, "), 0U) << said.back();
  sleep(0.05);
  EXPECT_EQ(said.size(), lines);
}

TEST(MeasuringProgress, WhatIsShortIsSilent) {
  MeasuringProgress progress("counting", {[](const std::string& text) { ADD_FAILURE() << text; }});
  EXPECT_EQ(MeasuringListener().silence, 10);
  MeasuringProgress unheard("counting", {});
}

/// A sphere with forces; one thread measures it.
struct MeasuredSphere {
  Parameters parameters;
  std::unique_ptr<ForceBackend> backend = make_simd_backend();
  std::unique_ptr<Simulation> simulation;
  RunRecord record;
  std::vector<std::string> said;
  MeasuringListener listener{[this](const std::string& text) { said.push_back(text); }, 0.001};

  explicit MeasuredSphere(std::uint64_t particles) {
    omp_set_num_threads(1);
    parameters.model.kind = ModelKind::plummer;
    parameters.model.particles = particles;
    parameters.softening.softening = 0.05;
    parameters.run.threads = 1;
    parameters.output.error_sample = 1000;
    simulation = std::make_unique<Simulation>(
        parameters, make_model(parameters.model, parameters.ic, parameters.cosmology), *backend);
    simulation->start();
  }
};

TEST(MeasuringProgress, TellsHowFarTheErrorOfForcesIs) {
  MeasuredSphere sphere(60000);
  sample_force_error(*sphere.simulation, {1000}, sphere.record, sphere.listener);
  ASSERT_GE(sphere.said.size(), 3U);
  EXPECT_EQ(sphere.said.front().find("measuring the force error: "), 0U) << sphere.said.front();
  EXPECT_NE(sphere.said.back().find(" %, "), std::string::npos) << sphere.said.back();
  EXPECT_GT(sphere.record.measuring.errors, 0.002);
  EXPECT_EQ(sphere.record.measuring.total(), sphere.record.measuring.errors);
}

TEST(MeasuringProgress, TellsThatInteractionsAreCounted) {
  MeasuredSphere sphere(8000);
  take_census(*sphere.simulation, sphere.parameters, 1, sphere.record, sphere.listener);
  ASSERT_GE(sphere.said.size(), 3U);
  EXPECT_EQ(sphere.said.front().find("counting effective interactions: "), 0U) << sphere.said.front();
  EXPECT_GT(sphere.record.measuring.census, 0.01);
  EXPECT_EQ(sphere.record.measuring.total(), sphere.record.measuring.census);
}

}  // namespace
}  // namespace multiwalk
