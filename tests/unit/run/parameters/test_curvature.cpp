// SPDX-License-Identifier: GPL-3.0-or-later
// Curved universes: only if asked for, and without the outputs that assume a flat one.
#include <gtest/gtest.h>

#include <initializer_list>
#include <string>
#include <vector>

#include "host/base/error.hpp"
#include "run/parameters/parameters.hpp"

namespace multiwalk {
namespace {

void accept(const std::string& text) {
  (void)parse_parameters(text, "test.toml");
}

std::string refusal_of(const std::string& text, const std::vector<std::string>& settings = {}) {
  try {
    (void)parse_parameters(text, "test.toml", settings);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

void expect_parts(const std::string& message, std::initializer_list<const char*> parts) {
  for (const char* part : parts) EXPECT_NE(message.find(part), std::string::npos) << part << " not in: " << message;
}

/// Both densities are given, or together with the other's default they leave no curvature.
TEST(CurvatureParameters, MustBeAskedFor) {
  expect_parts(refusal_of("[cosmology]\nomega_m = 0.25"),
               {"test.toml:2", "omega_lambda = 0.75 for a flat", "omega_lambda = 0.6889 for this curved", "0.0611"});
  expect_parts(refusal_of("[cosmology]\nomega_lambda = 0.7"), {"test.toml:2", "omega_m = 0.3 for a flat"});
  expect_parts(refusal_of("", {"cosmology.omega_m=0.3"}), {"--set cosmology.omega_m", "omega_lambda = 0.7 for a flat"});
  for (const char* fine : {"omega_m = 0.25\nomega_lambda = 0.75", "omega_m = 0.25\nomega_lambda = 0.6889", "h = 0.5",
                           "omega_m = 0.3111", "omega_m = 0.31105", "omega_m = 0.3111\nradiation = true"}) {
    EXPECT_NO_THROW(accept(std::string("[cosmology]\n") + fine)) << fine;
  }
  EXPECT_NO_THROW(accept("[model]\nkind = \"plummer\"\n[cosmology]\nomega_m = 0.25"));
  const std::string echo = to_toml(parse_parameters("[cosmology]\nomega_m = 0.2\nomega_lambda = 0.5", "test"));
  EXPECT_EQ(parse_parameters(echo, "echo").cosmology.omega_lambda, 0.5);
}

TEST(CurvatureParameters, OutputsThatNeedAFlatUniverseAreNamed) {
  const std::string box = "[model]\nkind = \"box\"\nbox_size = 50\n",
                    open = box + "[cosmology]\nomega_m = 0.3\nomega_lambda = 0.6\n";
  const std::string cone = "[lightcone]\nshells = true\nz_far = 1\n", planes = "[planes]\npixels = 64\n";
  for (const std::string& output : {cone, planes}) {
    expect_parts(refusal_of(open + output), {"flat universe only", "omega_m = 0.3", "omega_lambda = 0.6", "0.1"});
    EXPECT_NO_THROW(accept(box + output));
    EXPECT_NO_THROW(accept(box + "[cosmology]\nradiation = true\n" + output));
  }
  const std::string halos = "[output]\nhalos = true\n";
  EXPECT_NO_THROW(accept(open + halos));
  expect_parts(refusal_of(open + "w0 = -0.9\n" + halos), {"output.halos", "virial", "w0"});
  EXPECT_NO_THROW(accept(box + "[cosmology]\nw0 = -0.9\n" + halos));
}

}  // namespace
}  // namespace multiwalk
