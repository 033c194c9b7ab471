// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <filesystem>
#include <regex>
#include <set>

#include "ic/models/model.hpp"
#include "run/outputs/outputs.hpp"
#include "run/setup/output_kinds.hpp"
#include "run/snapshots/checkpoint_format.hpp"
#include "tests/support/temporary_directory.hpp"

namespace multiwalk {
namespace {

Parameters small_box(const std::string& directory) {
  Parameters parameters;
  parameters.run.directory = directory;
  parameters.model.kind = ModelKind::box;
  parameters.model.box_size = 20;
  parameters.ic.grid = 12;
  parameters.output.halos = true;
  parameters.output.halo_images = 1;
  parameters.output.image_pixels = 32;
  return parameters;
}

/// Names of all files that outputs of these parameters write.
std::set<std::string> files_of(const Parameters& parameters, nlohmann::json& entries) {
  const Communicator alone;
  ParticleSystem system = make_model(parameters.model, parameters.ic, parameters.cosmology);
  OutputSchedule schedule({}, system.time, 1);
  const RunRecord record;
  Outputs outputs(output_kinds(), {parameters, system, alone, schedule, record}, {});
  OutputMoment moment{.comm = alone, .parameters = parameters, .particles = system, .number = 7};
  outputs.find_halos(moment);
  entries = outputs.write(moment).entries;
  std::set<std::string> names;
  for (const auto& file : std::filesystem::directory_iterator(parameters.run.directory)) {
    names.insert(file.path().filename());
  }
  return names;
}

TEST(OutputKinds, EveryFileBelongsToOneKind) {
  const test::TemporaryDirectory directory;
  nlohmann::json entries;
  const std::set<std::string> names = files_of(small_box(directory.path()), entries);
  EXPECT_GE(names.size(), 4U);
  for (const std::string& name : names) {
    int owners = 0;
    for (const OutputKind& kind : output_kinds()) {
      owners += std::regex_match(name, std::regex(std::string(kind.files))) ? 1 : 0;
    }
    EXPECT_EQ(owners, 1) << name;
    EXPECT_NE(name.find("_007"), std::string::npos) << name;
  }
  for (const char* name : {"snapshots", "image", "halos", "power"}) EXPECT_TRUE(entries.contains(name)) << name;
  EXPECT_EQ(entries["power"]["snapshot"], entries["snapshots"][0]);
}

TEST(OutputKinds, HaveNamesThatACheckpointCanHold) {
  std::set<std::string_view> names;
  for (const OutputKind& kind : output_kinds()) {
    EXPECT_LT(kind.name.size(), sizeof(checkpoint_format::BlockEntry::name));
    EXPECT_TRUE(names.insert(kind.name).second) << kind.name;
  }
}

TEST(OutputKinds, WriteNothingThatIsNotAskedFor) {
  const test::TemporaryDirectory directory;
  Parameters parameters = small_box(directory.path());
  parameters.output.snapshots = parameters.output.images = parameters.output.halos = parameters.output.power = false;
  nlohmann::json entries;
  EXPECT_TRUE(files_of(parameters, entries).empty());
  EXPECT_EQ(
      entries,
      (nlohmann::json{{"snapshots", nlohmann::json::array()}, {"image", ""}, {"halos", nullptr}, {"power", nullptr}}));
}

}  // namespace
}  // namespace multiwalk
