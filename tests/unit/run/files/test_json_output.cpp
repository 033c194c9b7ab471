// SPDX-License-Identifier: GPL-3.0-or-later
// Force errors as JSON and as text: a 99% error comes with its interval, or not at all.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "analysis/forces/force_error.hpp"
#include "run/files/json_output.hpp"

namespace multiwalk {
namespace {

using nlohmann::json;

ErrorPercentiles errors_of(std::uint64_t sample) {
  ErrorPercentiles e{2e-4, 5e-4, 8e-4, 3e-3, sample};
  e.p99_low = 7e-4;
  e.p99_high = 9.5e-4;
  e.median_low = 1.5e-4;
  e.median_high = 2.5e-4;
  return e;
}

TEST(JsonOutput, AThousandErrorsKnowTheir99PercentAndItsInterval) {
  const json e = percentiles_json(errors_of(1000));
  EXPECT_EQ(e.at("p99"), 8e-4);
  EXPECT_EQ(e.at("p99_interval"), (json{7e-4, 9.5e-4}));
  EXPECT_EQ(e.at("median_interval"), (json{1.5e-4, 2.5e-4}));
  EXPECT_EQ(e.at("sample"), 1000);
  EXPECT_EQ(percentiles_text(e),
            "median 0.0002, 90% 0.0005, 99% 0.0008 (7.0e-04 to 9.5e-04), max 0.003 of 1000 particles");
  EXPECT_EQ(tail_column(e), " 8.00e-04 (7.0e-04 to 9.5e-04)");
}

TEST(JsonOutput, FewerKnowTheirMedianAndItsInterval) {
  const json e = percentiles_json(errors_of(999));
  EXPECT_TRUE(e.at("p99").is_null());
  EXPECT_FALSE(e.contains("p99_interval"));
  EXPECT_EQ(e.at("median"), 2e-4);
  EXPECT_EQ(percentiles_text(e), "median 0.0002 (1.5e-04 to 2.5e-04), max 0.003 of 999 particles");
  EXPECT_EQ(tail_column(e), "  median in 1.5e-04 to 2.5e-04");
}

/// As in older files.
TEST(JsonOutput, IntervalsThatAreNotThereAreLeftOut) {
  const json small{{"median", 1e-4}, {"p90", 2e-4}, {"p99", nullptr}, {"max", 1e-3}, {"sample", 20}};
  EXPECT_EQ(percentiles_text(small), "median 0.0001, max 0.001 of 20 particles");
  EXPECT_EQ(tail_column(small), std::string(29, ' ') + "-");
  for (const json& odd : {json(), json("no"), json{1}, json{"a", "b"}, json{1, 2, 3}}) {
    EXPECT_EQ(interval_text({{"p99_interval", odd}}, "p99_interval"), "") << odd;
  }
  EXPECT_FALSE(percentiles_json(ErrorPercentiles{}).contains("median_interval"));
}

}  // namespace
}  // namespace multiwalk
