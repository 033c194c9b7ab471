// SPDX-License-Identifier: GPL-3.0-or-later
// Reports of runs side by side: bins, statistics of runs and pairs, the HDF5 file and the page's data.
#include <gtest/gtest.h>

#include <cmath>

#include "host/base/error.hpp"
#include "run/ensemble/collect.hpp"
#include "run/ensemble/ensemble_page.hpp"
#include "run/ensemble/ensemble_parameters.hpp"
#include "run/ensemble/ensemble_results.hpp"
#include "run/hdf5/hdf5_file.hpp"
#include "tests/support/page_data.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/unit/run/ensemble/ensemble_cases.hpp"

namespace multiwalk {
namespace {

using test::halo_entry;
using test::leave_run;
using test::TemporaryDirectory;

/// Three seeds, two of them with partners; the first bins of a pair cancel about 20.
void leave_ensemble(const TemporaryDirectory& ensemble) {
  Parameters parameters;
  parameters.model.kind = ModelKind::box;
  parameters.model.box_size = 64;
  parameters.run.title = "Some boxes";
  keep_parameters(ensemble.path(), parameters);
  leave_run(ensemble.path(), {1, false}, 0, {18, 5}, halo_entry({4, 2}));
  leave_run(ensemble.path(), {1, true}, 0, {22, 5}, halo_entry({6}));
  leave_run(ensemble.path(), {2, false}, 0, {24, 9}, halo_entry({5, 0, 1}));
  leave_run(ensemble.path(), {2, true}, 0, {16, 9}, halo_entry({5, 2}));
  leave_run(ensemble.path(), {3, false}, 0, {21, 7}, halo_entry({5, 2}));
  leave_run(ensemble.path(), {4, false}, 1, {99, 99});  // not finished
}

EnsembleResults results_of(const TemporaryDirectory& ensemble) {
  std::vector<RunMeasurement> runs;
  for (const RealisationState& state : looked_up_manifest(ensemble.path(), {}).realisations) {
    if (!state.finished()) continue;
    runs.push_back(run_measurement(state.realisation, read_report(ensemble.path(), state.realisation)));
  }
  return collected_results(runs);
}

TEST(EnsembleResults, RunsAndPairsOfPower) {
  const TemporaryDirectory ensemble;
  leave_ensemble(ensemble);
  const EnsembleResults results = results_of(ensemble);
  ASSERT_EQ(results.realisations.size(), 5U);
  EXPECT_EQ(paired_seeds(results.realisations), (std::vector<std::uint64_t>{1, 2}));
  const EnsembleFunction& power = results.outputs.at(0).functions.at(0);
  EXPECT_EQ(power.name, "PowerSpectrum");
  EXPECT_EQ(power.column("Modes"), (std::vector<double>{6, 12}));
  const FunctionStatistics s = function_statistics(power, results.realisations);
  EXPECT_DOUBLE_EQ(s.runs.mean[0], (18 + 22 + 24 + 16 + 21) / 5.0);
  // Runs 18, 24, 21 about 21; partners 22, 16 about 19.
  EXPECT_DOUBLE_EQ(s.runs.covariance[0], (9 + 9 + 0 + 9 + 9) / 3.0);
  EXPECT_EQ(s.pairs.samples, 2U);
  EXPECT_DOUBLE_EQ(s.pairs.mean[0], 20);
  EXPECT_DOUBLE_EQ(s.variance_ratio[0], 0);
  EXPECT_DOUBLE_EQ(s.pairs.covariance[3], 8);  // 5 and 9
}

TEST(EnsembleResults, MassFunctionsHaveTheBinsOfTheRunWithTheMost) {
  const TemporaryDirectory ensemble;
  leave_ensemble(ensemble);
  const EnsembleResults results = results_of(ensemble);
  const EnsembleFunction& fof = results.outputs.at(0).functions.at(1);
  EXPECT_EQ(fof.name, "MassFunctionFOF");
  EXPECT_EQ(fof.column("MassLow"), (std::vector<double>{1e12, 2e12, 4e12}));
  EXPECT_EQ(fof.column("Halos"), (std::vector<double>{25, 6, 1}));
  EXPECT_NEAR(fof.column("Mass")[0], (4 * 1.28 + 6 * 1.32 + 15 * 1.3) / 25 * 1e12, 1);  // of all halos alike
  EXPECT_NEAR(fof.column("Mass")[2], 1.22 * 4e12, 1);
  const SampleStatistics s = function_statistics(fof, results.realisations).runs;
  EXPECT_DOUBLE_EQ(s.mean[2], 1e-3 / 5);
  EXPECT_DOUBLE_EQ(s.mean[1], 6e-3 / 5);
}

TEST(EnsembleResults, OtherBinsAndOutputsAreRefusedByName) {
  for (const bool other_time : {false, true}) {
    const TemporaryDirectory ensemble;
    leave_run(ensemble.path(), {1, false}, 0, {1, 2});
    leave_run(ensemble.path(), {2, false}, other_time ? -0.1 : 0, {1, 2, 3});
    try {
      results_of(ensemble);
      ADD_FAILURE() << other_time;
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find(other_time ? "seed_0002: its output times" : "seed_0002: its bins"),
                std::string::npos)
          << error.what();
    }
  }
}

TEST(EnsembleFile, HoldsEverythingWithUnits) {
  const TemporaryDirectory ensemble;
  leave_ensemble(ensemble);
  const std::string line = collect_ensemble(ensemble.path());
  EXPECT_NE(line.find("collected 5 of 6 realisations"), std::string::npos) << line;
  const hdf5::File file = hdf5::File::open(ensemble / "ensemble.hdf5");
  EXPECT_EQ(file.number("NumPairs"), 2);
  const auto read = [](const hdf5::Object& group, const std::string& link) {
    return group.read_dataset<double>(link, group.dataset_shape(link).columns);
  };
  const auto realisations = file.group("Realisations");
  EXPECT_EQ(read(*realisations, "Seed"), (std::vector<double>{1, 1, 2, 2, 3}));
  EXPECT_EQ(read(*realisations, "Paired"), (std::vector<double>{0, 1, 0, 1, 0}));
  EXPECT_EQ(read(*realisations, "WallSeconds"), (std::vector<double>{11, 11, 12, 12, 13}));
  EXPECT_EQ(read(*realisations, "Joules"), (std::vector<double>(5, 500)));
  const auto output = file.group("Output_000");
  EXPECT_EQ(output->number("Redshift"), 0);
  const auto power = output->group("PowerSpectrum");
  EXPECT_EQ(power->number("ShotNoise"), 2);
  EXPECT_EQ(power->dataset("Covariance").text("unit"), "(Mpc/h)^6");
  EXPECT_EQ(read(*power, "Values").size(), 10U);
  EXPECT_DOUBLE_EQ(read(*power, "Covariance")[0], 12);
  EXPECT_EQ(read(*power, "Correlation")[3], 1);
  EXPECT_EQ(read(*power->group("Pairs"), "VarianceRatio")[0], 0);
  EXPECT_TRUE(output->group("MassFunctionM200m").has_value());
}

TEST(EnsemblePage, HasMeansScatterAndMatrices) {
  const TemporaryDirectory ensemble;
  leave_ensemble(ensemble);
  collect_ensemble(ensemble.path());
  const std::string page = test::read_bytes(ensemble / "ensemble.html");
  EXPECT_EQ(test::fault_of(page), "");
  const nlohmann::json data = test::page_data(page);
  EXPECT_EQ(data.at("title"), "Some boxes");
  EXPECT_EQ(data.at("realisations").size(), 6U);
  const nlohmann::json& power = data.at("outputs").at(0).at("power");
  const nlohmann::json& bin = power.at("bins").at(0);
  EXPECT_NEAR(bin.at("scatter").get<double>(), std::sqrt(12.0), 1e-12);
  EXPECT_NEAR(bin.at("expected_scatter").get<double>(), 20.2 * std::sqrt(2 / 6.0), 1e-12);
  // The two pairs have means of 20 and 20, and of 5 and 9: a scatter of sqrt(8), of which two samples leave 2.
  EXPECT_EQ(bin.at("error_of_mean").get<double>(), 0);
  EXPECT_NEAR(power.at("bins").at(1).at("error_of_mean").get<double>(), 2, 1e-12);
  EXPECT_EQ(power.at("matrix").at("rows").at(1).at(1), 1);
  EXPECT_EQ(power.at("pair_matrix").at("x").size(), 2U);
}

/// Runs of 18, 24, 21 and 25 scatter by sqrt(10) about 22.
TEST(EnsemblePage, WithoutPairsTheErrorIsThatOfTheRuns) {
  const TemporaryDirectory ensemble;
  keep_parameters(ensemble.path(), {});
  std::uint64_t seed = 0;
  for (const double power : {18.0, 24.0, 21.0, 25.0}) {
    leave_run(ensemble.path(), {++seed, false}, 0, {power}, halo_entry({power}));
  }
  collect_ensemble(ensemble.path());
  const nlohmann::json data = test::page_data(test::read_bytes(ensemble / "ensemble.html"));
  const nlohmann::json& output = data.at("outputs").at(0);
  EXPECT_NEAR(output.at("power").at("bins").at(0).at("error_of_mean").get<double>(), std::sqrt(10.0) / 2, 1e-12);
  const nlohmann::json& halos = output.at("fof").at("bins").at(0);
  EXPECT_NEAR(halos.at("error_of_mean").get<double>(), std::sqrt(10.0) / 2 / 1000, 1e-15);
  EXPECT_NEAR(halos.at("scatter").get<double>(), std::sqrt(10.0) / 1000, 1e-15);
  EXPECT_NEAR(halos.at("expected_scatter").get<double>(), std::sqrt(22.0) / 1000, 1e-15);
}

TEST(EnsembleResults, OneRunHasNoScatter) {
  const TemporaryDirectory ensemble;
  keep_parameters(ensemble.path(), {});
  EXPECT_NE(collect_ensemble(ensemble.path()).find("collected 0 of 0"), std::string::npos);
  leave_run(ensemble.path(), {1, false}, 0, {18, 5}, halo_entry({4, 2}));
  EXPECT_NE(collect_ensemble(ensemble.path()).find("collected 1 of 1"), std::string::npos);
  const hdf5::File file = hdf5::File::open(ensemble / "ensemble.hdf5");
  const auto power = file.group("Output_000")->group("PowerSpectrum");
  EXPECT_TRUE(power->has("Mean"));
  EXPECT_FALSE(power->has("Covariance") || power->has("Pairs"));
}

}  // namespace
}  // namespace multiwalk
