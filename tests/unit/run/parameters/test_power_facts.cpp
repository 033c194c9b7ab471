// SPDX-License-Identifier: GPL-3.0-or-later
// What a run does not use is neither stated nor called used.
#include <gtest/gtest.h>

#include <fstream>

#include "run/outputs/snapshot_output.hpp"
#include "run/parameters/parameter_table.hpp"
#include "tests/support/temporary_directory.hpp"

namespace multiwalk {
namespace {

Parameters box_with(const std::string& cosmology) {
  Parameters p = parse_parameters("[model]\nkind = \"box\"\nbox_size = 50\n[cosmology]\n" + cosmology, "test.toml");
  p.power = power_facts(p);
  return p;
}

/// Names of [cosmology] in the group Parameters of this run's snapshots.
std::set<std::string> stated_by(const Parameters& p) {
  std::set<std::string> names;
  for (const auto& [name, value] : snapshot_options(p, 0).parameters)
    if (name.starts_with("cosmology.")) names.insert(name.substr(10));
  return names;
}

std::string idle_in(const Parameters& p) {
  ParticleSystem system;
  system.frame = Frame::comoving;
  system.boundary = Boundary::periodic;
  system.time = 0.02;
  return idle_settings(p, p, system);
}

TEST(PowerFacts, AnAmplitudeReplacesSigma8) {
  const Parameters p = box_with("a_s = 4e-9\n");
  const std::set<std::string> names = stated_by(p);
  EXPECT_TRUE(names.contains("a_s") && names.contains("n_s") && names.contains("omega_b"));
  EXPECT_FALSE(names.contains("sigma8") || names.contains("shape_gamma"));
  EXPECT_GT(p.power->at("sigma8_derived"), 1);
  EXPECT_EQ(to_toml(p).find("0.8102"), std::string::npos);
  EXPECT_EQ(to_toml(parse_parameters(to_toml(p), "again")), to_toml(p));
  EXPECT_FALSE(stated_by(box_with("")).contains("a_s"));
}

TEST(PowerFacts, TablesReplaceTheFit) {
  const test::TemporaryDirectory directory;
  const std::string path = directory / "table.txt";
  std::ofstream file(path);
  for (double k = 1e-4; k < 100; k *= 1.1) file << k << " " << 1e5 * k / (1 + 1e6 * k * k * k * k) << "\n";
  file.close();
  const std::string table = "transfer = \"file\"\ntransfer_file = \"" + path + "\"\nn_s = 0.9\nomega_b = 0.04\n";
  const Parameters scaled = box_with(table);
  EXPECT_TRUE(stated_by(scaled).contains("sigma8"));
  EXPECT_FALSE(stated_by(scaled).contains("n_s") || stated_by(scaled).contains("omega_b"));
  EXPECT_EQ(idle_in(scaled), "cosmology.omega_b, cosmology.n_s (this linear power does not depend on it)");
  const Parameters kept = box_with(table + "a_s = 2e-9\n");
  EXPECT_FALSE(stated_by(kept).contains("a_s") || stated_by(kept).contains("sigma8"));
  EXPECT_NE(idle_in(kept).find("cosmology.a_s"), std::string::npos) << idle_in(kept);
}

TEST(PowerFacts, OtherModelsHaveNone) {
  Parameters p = parse_parameters("[model]\nkind = \"plummer\"\n", "test.toml");
  p.power = power_facts(p);
  EXPECT_TRUE(p.power->empty());
  EXPECT_FALSE(stated_by(p).contains("sigma8"));
}

}  // namespace
}  // namespace multiwalk
