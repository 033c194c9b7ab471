// SPDX-License-Identifier: GPL-3.0-or-later
// Which runs an ensemble asks for, in which order, and what it does with their ends; the runs themselves are faked.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <optional>

#include "decomposition/ranks/agree.hpp"
#include "run/ensemble/ensemble.hpp"
#include "run/files/atomic_file.hpp"
#include "run/files/json_input.hpp"
#include "run/machine/version.hpp"
#include "run/setup/run_directory.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/unit/run/ensemble/ensemble_cases.hpp"

namespace multiwalk {
namespace {

using test::leave_run;
using test::TemporaryDirectory;

/// Runs that end at once, with a report, unless their names are those to fail or to stop.
class FakeRuns {
 public:
  explicit FakeRuns(const std::string& ensemble) : ensemble_(ensemble) {}

  ExitCode operator()(const RunRequest& request) {
    const Parameters parameters =
        parse_parameters("[model]\nkind = \"box\"\nbox_size = 64\n", "test", request.settings);
    const Realisation realisation{parameters.model.seed, parameters.ic.paired};
    made.push_back((request.restart.empty() ? "" : "restart ") + realisation.name());
    if (realisation.name() == "seed_0002_paired" && after_last) after_last();
    if (realisation.name() == busy) throw SharedError("the directory x " + std::string(in_use_words));
    if (realisation.name() == failing) throw SharedError("no space left\nat all");
    const bool whole = realisation.name() != stopping && realisation.name() != ends_early;
    leave_run(ensemble_, realisation, whole ? 0 : 3, {1.0 + realisation.seed});
    return realisation.name() == stopping ? ExitCode::stopped : ExitCode::ok;
  }

  std::vector<std::string> made;
  std::string failing, busy, stopping, ends_early;
  std::function<void()> after_last;  ///< in the last run of the request

 private:
  std::string ensemble_;
};

struct Case {
  TemporaryDirectory folder;
  std::string ensemble = folder / "ensemble";
  FakeRuns runs{ensemble};
  EnsembleRequest request;

  Case() {
    write_file_atomically(folder / "box.toml", "[model]\nkind = \"box\"\nbox_size = 64\n");
    request.directory = ensemble;
    request.parameter_file = folder / "box.toml";
    request.seeds = "1:3";
    request.paired = true;
  }
  ExitCode make() {
    return make_ensemble(request, [this](const RunRequest& run) { return runs(run); }, {});
  }
  std::string refusal() {
    try {
      make();
      return "";
    } catch (const SharedError& error) {
      return error.what();
    }
  }
};

using Names = std::vector<std::string>;

TEST(Ensemble, MakesWhatIsMissing) {
  Case c;
  c.request.seeds = "1";
  EXPECT_EQ(c.make(), ExitCode::ok);
  EXPECT_EQ(c.runs.made, (Names{"seed_0001", "seed_0001_paired"}));
  c.request.seeds = "1:3";
  EXPECT_EQ(c.make(), ExitCode::ok);
  EXPECT_EQ(c.runs.made, (Names{"seed_0001", "seed_0001_paired", "seed_0002", "seed_0002_paired"}));
  EXPECT_TRUE(std::filesystem::exists(c.ensemble + "/ensemble.hdf5"));
  EXPECT_TRUE(std::filesystem::exists(c.ensemble + "/ensemble.html"));
}

/// A program that was killed while it wrote its first file leaves the rest of it.
TEST(Ensemble, BeginsWhereOneWasKilledAtOnce) {
  Case c;
  std::filesystem::create_directories(c.ensemble + "/seed_0007");
  write_file_atomically(c.ensemble + "/parameters.toml.partial", "[mo");
  EXPECT_EQ(c.make(), ExitCode::ok);
  std::filesystem::remove(c.ensemble + "/parameters.toml");
  write_file_atomically(c.ensemble + "/letter.txt", "dear");
  EXPECT_NE(c.refusal().find("holds other files and no ensemble"), std::string::npos) << c.refusal();
}

TEST(Ensemble, StopsWithARunAndContinuesIt) {
  Case c;
  c.runs.stopping = "seed_0001_paired";
  EXPECT_EQ(c.make(), ExitCode::stopped);
  EXPECT_EQ(c.runs.made.size(), 2U);
  EXPECT_FALSE(std::filesystem::exists(c.ensemble + "/ensemble.hdf5"));
  c.runs.stopping = "";
  c.runs.made.clear();
  EXPECT_EQ(c.make(), ExitCode::ok);
  EXPECT_EQ(c.runs.made, (Names{"restart seed_0001_paired", "seed_0002", "seed_0002_paired"}));
}

TEST(Ensemble, GoesOnAfterAFailureAndEndsWithALine) {
  Case c;
  c.runs.failing = "seed_0001_paired";
  const std::string line = c.refusal();
  EXPECT_NE(line.find("1 of 4 realisations failed (seed_0001_paired)"), std::string::npos) << line;
  EXPECT_EQ(line.find('\n'), std::string::npos);
  EXPECT_EQ(c.runs.made.size(), 4U);
  EXPECT_TRUE(std::filesystem::exists(c.ensemble + "/ensemble.hdf5"));
  const nlohmann::json row = read_json(c.ensemble + "/ensemble.json").at("realisations").at(1);
  EXPECT_EQ(row.at("state"), "failed");
  EXPECT_EQ(row.at("error"), "no space left");
  c.runs.failing = "";
  c.runs.made.clear();
  EXPECT_EQ(c.make(), ExitCode::ok);
  EXPECT_EQ(c.runs.made, Names{"seed_0001_paired"});
  EXPECT_FALSE(std::filesystem::exists(c.ensemble + "/seed_0001_paired.failed"));
}

TEST(Ensemble, TheLastTaskCollects) {
  Case c;
  const std::string file = c.ensemble + "/ensemble.hdf5";
  for (const std::size_t task : {2, 0, 3, 1}) {
    EXPECT_FALSE(std::filesystem::exists(file)) << task;
    c.request.task = task;
    EXPECT_EQ(c.make(), ExitCode::ok);
  }
  EXPECT_EQ(c.runs.made, (Names{"seed_0002", "seed_0001", "seed_0002_paired", "seed_0001_paired"}));
  EXPECT_TRUE(std::filesystem::exists(file));
  c.request.task = 4;
  EXPECT_NE(c.refusal().find("--task 4: there are 4 realisations, number 0 to 3"), std::string::npos) << c.refusal();
}

TEST(Ensemble, AFailedTaskEndsWithItsError) {
  Case c;
  c.request.task = 0;
  c.runs.failing = "seed_0001";
  EXPECT_NE(c.refusal().find("seed_0001 failed: no space left"), std::string::npos) << c.refusal();
  c.request.task = 1;
  EXPECT_EQ(c.make(), ExitCode::ok);
}

/// The other program ends after this one has looked at all realisations.
TEST(Ensemble, WaitsForARunOfAnotherProgram) {
  Case c;
  const std::string theirs = c.ensemble + "/seed_0001";
  std::filesystem::create_directories(theirs);
  write_file_atomically(c.ensemble + "/parameters.toml", "[model]\nkind = \"box\"\nbox_size = 64\n");
  for (const bool they_finish : {true, false}) {
    std::filesystem::remove(theirs + "/report.json");
    c.runs.made.clear();
    c.runs.busy = "seed_0001";
    std::optional<RunDirectoryLock> other(theirs);
    c.runs.after_last = [&] {
      if (they_finish) leave_run(c.ensemble, {1, false}, 0, {2.0});
      c.runs.busy = "";
      other.reset();
    };
    EXPECT_EQ(c.make(), ExitCode::ok);
    EXPECT_EQ(std::ranges::count(c.runs.made, "restart seed_0001"), they_finish ? 1 : 2);
    EXPECT_FALSE(std::filesystem::exists(theirs + ".failed"));
    const nlohmann::json manifest = read_json(c.ensemble + "/ensemble.json");
    for (const nlohmann::json& row : manifest.at("realisations")) {
      EXPECT_EQ(row.at("state"), "finished");
    }
    std::filesystem::remove_all(c.ensemble + "/seed_0002_paired");
  }
}

TEST(Ensemble, WaitingHasALimit) {
  Case c;
  std::filesystem::create_directories(c.ensemble + "/seed_0001");
  c.request.settings = {"run.wall_limit=\"0.3 s\""};
  c.runs.busy = "seed_0001";
  const RunDirectoryLock other(c.ensemble + "/seed_0001");
  EXPECT_EQ(c.make(), ExitCode::stopped);
  EXPECT_FALSE(std::filesystem::exists(c.ensemble + "/seed_0001.failed"));
}

/// Cut, without a key, of another type, or without what is to be collected.
TEST(Ensemble, ARunWithADamagedReportIsMadeAgain) {
  Case c;
  c.request.paired = false;
  c.make();
  const std::string report = c.ensemble + "/seed_0001/report.json", whole = read_whole_file(report);
  const auto spoilt = [&](const auto& spoil) {
    nlohmann::json json = nlohmann::json::parse(whole);
    json["version"] = version_short();
    spoil(json);
    return json.dump();
  };
  const std::string damaged[] = {"",
                                 whole.substr(0, whole.size() / 2),
                                 "[]",
                                 spoilt([](auto& json) { json.erase("totals"); }),
                                 spoilt([](auto& json) { json["parameters"].erase("model"); }),
                                 spoilt([](auto& json) { json["outputs"][0]["power"] = "none"; })};
  for (const std::string& text : damaged) {
    write_file_atomically(report, text);
    c.runs.made.clear();
    EXPECT_EQ(c.make(), ExitCode::ok) << text.substr(0, 200);
    EXPECT_EQ(c.runs.made, Names{"restart seed_0001"}) << text.substr(0, 200);
  }
  write_file_atomically(report, spoilt([](auto& json) {
                          json.erase("totals");
                          json["version"] = "0.0.1";
                        }));
  EXPECT_NE(c.refusal().find("use the program that wrote it"), std::string::npos) << c.refusal();
}

/// It would wait for a reader, or write elsewhere.
TEST(Ensemble, SpecialFilesUnderItsNamesAreRefused) {
  Case c;
  c.make();
  for (const char* name : {"ensemble.json", "ensemble.html", "parameters.toml", "seed_0001.failed"}) {
    const std::string file = c.ensemble + "/" + name;
    std::filesystem::remove(file);
    for (const bool link : {false, true}) {
      if (link) {
        std::filesystem::create_symlink("/dev/null", file);
      } else {
        ASSERT_EQ(::mkfifo(file.c_str(), 0600), 0);
      }
      EXPECT_NE(c.refusal().find(std::string(name) + " has the name of a file of the ensemble but is a link, a pipe"),
                std::string::npos)
          << c.refusal();
      std::filesystem::remove(file);
    }
    c.make();
  }
}

TEST(Ensemble, ARunThatEndsUnfinishedIsAnError) {
  Case c;
  c.runs.ends_early = "seed_0002";
  EXPECT_NE(c.refusal().find("seed_0002 is not finished"), std::string::npos) << c.refusal();
}

TEST(Ensemble, CollectsWithoutRuns) {
  Case c;
  c.make();
  std::filesystem::remove(c.ensemble + "/ensemble.hdf5");
  std::filesystem::remove(c.ensemble + "/ensemble.json");
  c.runs.made.clear();
  c.request = {};
  c.request.directory = c.ensemble;
  c.request.collect_only = true;
  EXPECT_EQ(c.make(), ExitCode::ok);
  EXPECT_TRUE(c.runs.made.empty());
  EXPECT_EQ(read_json(c.ensemble + "/ensemble.json").at("realisations").size(), 4U);
  EXPECT_TRUE(std::filesystem::exists(c.ensemble + "/ensemble.hdf5"));
  c.request.directory = c.folder / "nowhere";
  EXPECT_NE(c.refusal().find("holds no ensemble"), std::string::npos) << c.refusal();
}

TEST(Ensemble, WrongRequestsAreRefusedBeforeAnythingIsWritten) {
  Case c;
  const auto refused = [&](const std::string& words) {
    EXPECT_NE(c.refusal().find(words), std::string::npos) << words << " in: " << c.refusal();
    EXPECT_FALSE(std::filesystem::exists(c.ensemble));
    c.request.settings.clear();
    c.request.seeds = "1:3";
  };
  c.request.seeds = "3:1";
  refused("contains no seed");
  for (const char* setting : {"model.seed=4", "ic.paired=true", "run.directory=\"x\""}) {
    c.request.settings = {setting};
    refused(std::string("leave out --set ") + setting);
  }
  c.request.settings = {"time.max_steps=5"};
  refused("time.max_steps");
  c.request.settings = {"model.kind=\"plummer\""};
  refused("have no partners");
  c.request.settings = {"model.kind=\"two_body\""};
  refused("does not depend on model.seed");
  c.request.settings = {"tme.eta=1"};
  refused("tme");
  c.request.directory = c.folder.path();
  EXPECT_NE(c.refusal().find("holds other files and no ensemble"), std::string::npos) << c.refusal();
}

}  // namespace
}  // namespace multiwalk
