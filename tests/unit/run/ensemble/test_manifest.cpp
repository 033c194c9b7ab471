// SPDX-License-Identifier: GPL-3.0-or-later
// States of realisations as their directories tell them, and ensemble.json.
#include <gtest/gtest.h>

#include <filesystem>

#include "host/base/error.hpp"
#include "run/ensemble/ensemble_parameters.hpp"
#include "run/ensemble/manifest.hpp"
#include "run/files/atomic_file.hpp"
#include "run/files/json_input.hpp"
#include "run/setup/run_directory.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/unit/run/ensemble/ensemble_cases.hpp"

namespace multiwalk {
namespace {

using test::leave_run;
using test::TemporaryDirectory;

TEST(RealisationState, FollowsFromTheDirectory) {
  const TemporaryDirectory ensemble;
  const Realisation one{3, true};
  const auto state = [&] { return look_at(ensemble.path(), one); };
  EXPECT_EQ(state().progression, Progression::waiting);
  std::filesystem::create_directories(ensemble / one.name());
  EXPECT_EQ(state().progression, Progression::waiting);
  write_file_atomically(ensemble / one.name() + "/log.txt", "killed");
  EXPECT_EQ(state().progression, Progression::unfinished);
  leave_run(ensemble.path(), one, 0.5, {1});
  EXPECT_EQ(state().progression, Progression::unfinished);
  EXPECT_EQ(state().seconds, 13);
  note_failure(ensemble.path(), one, "the disk is full\nsecond line");
  EXPECT_EQ(state().progression, Progression::failed);
  EXPECT_EQ(state().error, "the disk is full");
  leave_run(ensemble.path(), one, 0, {1});
  EXPECT_TRUE(state().finished());
  EXPECT_EQ(state().error, "");
  EXPECT_EQ(state().joules, 500);
  EXPECT_DOUBLE_EQ(state().cost.value(), 13);  // 3600 an hour
  forget_failure(ensemble.path(), one);
  forget_failure(ensemble.path(), one);
  EXPECT_EQ(ensemble.count(), 1U);
}

TEST(RealisationState, RunsOfOtherSeedsAreRefused) {
  const TemporaryDirectory ensemble;
  leave_run(ensemble.path(), {4, false}, 0, {1});
  std::filesystem::rename(ensemble / "seed_0004", ensemble / "seed_0005");
  try {
    look_at(ensemble.path(), {5, false});
    ADD_FAILURE() << "a run of seed 4 is taken for seed 5";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("seed_0005 holds a run of seed 4"), std::string::npos) << error.what();
  }
}

TEST(Manifest, IsMadeAgainFromDirectoriesAlone) {
  const TemporaryDirectory ensemble;
  leave_run(ensemble.path(), {1, false}, 0, {1});
  leave_run(ensemble.path(), {1, true}, 2, {1});
  note_failure(ensemble.path(), {2, false}, "an error");
  Manifest asked;
  asked.parameter_file = "box.toml";
  asked.settings = {"time.eta=0.05"};
  asked.realisations = {{.realisation = {2, false}}, {.realisation = {3, false}}};
  const Manifest first = looked_up_manifest(ensemble.path(), asked);
  ASSERT_EQ(first.realisations.size(), 4U);
  const Progression expected[] = {Progression::finished, Progression::unfinished, Progression::failed,
                                  Progression::waiting};
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(first.realisations[i].progression, expected[i]) << i;
  EXPECT_EQ(first.names(Progression::failed), "seed_0002");
  write_manifest(ensemble.path(), first);
  EXPECT_EQ(manifest_json(read_manifest(ensemble.path())), manifest_json(first));
  EXPECT_EQ(manifest_json(looked_up_manifest(ensemble.path(), {})), manifest_json(first));
  write_file_atomically(ensemble / "ensemble.json", "{\"realisations\": 7");
  EXPECT_TRUE(read_manifest(ensemble.path()).realisations.empty());
  EXPECT_EQ(looked_up_manifest(ensemble.path(), {}).realisations.size(), 2U);  // those that began
  std::filesystem::remove(ensemble / "ensemble.json");
  EXPECT_EQ(manifest_json(looked_up_manifest(ensemble.path(), asked)), manifest_json(first));
}

TEST(Manifest, StatesWhatEachRunTook) {
  const TemporaryDirectory ensemble;
  leave_run(ensemble.path(), {2, false}, 0, {1});
  write_manifest(ensemble.path(), looked_up_manifest(ensemble.path(), {}));
  const nlohmann::json row = read_json(ensemble / "ensemble.json").at("realisations").at(0);
  EXPECT_EQ(row, nlohmann::json::parse(R"({"seed": 2, "paired": false, "directory": "seed_0002", "state": "finished",
    "wall_seconds": 12.0, "joules": 500.0, "cost": 12.0, "error": null})"));
}

TEST(Manifest, OneRealisationIsUpdatedWithoutALookAtOthers) {
  const TemporaryDirectory ensemble;
  Manifest manifest;
  manifest.realisations = {{.realisation = {1, false}}, {.realisation = {4, false}}};
  write_manifest(ensemble.path(), manifest);
  update_manifest(ensemble.path(), {.realisation = {4, false}, .progression = Progression::finished, .seconds = 5});
  const Manifest now = update_manifest(ensemble.path(), {.realisation = {2, false}, .error = "lost"});
  ASSERT_EQ(now.realisations.size(), 3U);
  EXPECT_EQ(now.realisations[1].realisation.seed, 2U);
  EXPECT_TRUE(now.realisations[2].finished());
  EXPECT_EQ(now.realisations[2].seconds, 5);
}

TEST(EnsembleParameters, OthersAreRefusedByName) {
  const TemporaryDirectory ensemble;
  const std::string text = "[model]\nkind = \"box\"\nbox_size = 64\n[time]\neta = 0.05\n";
  keep_parameters(ensemble.path(), parse_parameters(text, "test"));
  const auto refusal = [&](const std::vector<std::string>& settings) -> std::string {
    try {
      keep_parameters(ensemble.path(), parse_parameters(text, "test", settings));
      return "";
    } catch (const InputError& error) {
      return error.what();
    }
  };
  EXPECT_EQ(refusal({}), "");
  EXPECT_EQ(refusal({"model.seed=9", "ic.paired=true", "run.threads=1", "run.title=\"other\""}), "");
  EXPECT_NE(refusal({"time.eta=0.1"}).find("other parameters: time.eta is 0.05 there and 0.1 here; give another -o"),
            std::string::npos)
      << refusal({"time.eta=0.1"});
  const std::string many = refusal({"time.eta=0.1", "model.box_size=32", "ic.grid=32", "cosmology.h=0.5"});
  EXPECT_NE(many.find(" and 1 more; give"), std::string::npos) << many;
  EXPECT_NE(refusal({"cost.hourly_price=3"}).find("cost.hourly_price is not set there and 3"), std::string::npos)
      << refusal({"cost.hourly_price=3"});
}

TEST(EnsembleParameters, NamesOfDirectoriesMayHoldAnything) {
  const std::string odd = "it's \"5 # x\" \\ here";
  const auto settings = realisation_settings({"time.eta=0.05"}, {3, true}, "A \"title\"", odd);
  const Parameters parameters = parse_parameters("[model]\nkind = \"box\"\nbox_size = 64\n", "test", settings);
  EXPECT_EQ(parameters.run.directory, odd + "/seed_0003_paired");
  EXPECT_EQ(parameters.run.title, "A \"title\", seed 3, paired");
  EXPECT_EQ(parameters.model.seed, 3U);
  EXPECT_TRUE(parameters.ic.paired);
}

TEST(RunDirectoryLock, OfARunInUseIsRecognised) {
  const TemporaryDirectory directory;
  EXPECT_FALSE(is_in_use(directory.path()));
  {
    const RunDirectoryLock lock(directory.path());
    EXPECT_TRUE(is_in_use(directory.path()));
  }
  EXPECT_FALSE(is_in_use(directory.path()));
}

}  // namespace
}  // namespace multiwalk
