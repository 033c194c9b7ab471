// SPDX-License-Identifier: GPL-3.0-or-later
// Lists of seeds and names of realisations.
#include <gtest/gtest.h>

#include "host/base/error.hpp"
#include "run/ensemble/realisation.hpp"

namespace multiwalk {
namespace {

using Seeds = std::vector<std::uint64_t>;

TEST(Seeds, AreRangesListsAndBoth) {
  EXPECT_EQ(parse_seeds("0:3"), (Seeds{0, 1, 2}));
  EXPECT_EQ(parse_seeds("7"), Seeds{7});
  EXPECT_EQ(parse_seeds("1,2,7"), (Seeds{1, 2, 7}));
  EXPECT_EQ(parse_seeds("9,2:4,0"), (Seeds{9, 2, 3, 0}));
  EXPECT_EQ(parse_seeds("9199999999999999999"), Seeds{9199999999999999999U});
  EXPECT_EQ(parse_seeds("0:100000").size(), 100000U);
}

std::string refusal_of(const std::string& text) {
  try {
    parse_seeds(text);
    return "";
  } catch (const InputError& error) {
    return error.what();
  }
}

TEST(Seeds, OfOtherTextsAreRefusedByName) {
  for (const char* text : {"", ",", "1,", ",1", "a", "1:b", ":3", "3:", "-1", "1:2:3", "1 ,2", "0x10", "1.5",
                           "9300000000000000000", "99999999999999999999"}) {
    EXPECT_NE(refusal_of(text).find("is not a seed"), std::string::npos) << text << ": " << refusal_of(text);
  }
  for (const char* text : {"3:3", "4:2"}) {
    EXPECT_NE(refusal_of(text).find("contains no seed"), std::string::npos) << refusal_of(text);
  }
  EXPECT_NE(refusal_of("1,0:5").find("seed 1 appears twice"), std::string::npos);
  for (const char* text : {"0:100001", "0:9000000000000000000", "0:60000,60000:120000"}) {
    EXPECT_NE(refusal_of(text).find("more than 100000 seeds"), std::string::npos) << refusal_of(text);
  }
}

TEST(Realisation, NamesAreReadBack) {
  EXPECT_EQ((Realisation{7, false}.name()), "seed_0007");
  EXPECT_EQ((Realisation{123456, true}.name()), "seed_123456_paired");
  for (const Realisation& one : {Realisation{0, false}, Realisation{12, true}, Realisation{98765, false}}) {
    EXPECT_EQ(realisation_named(one.name()), one);
  }
  for (const char* name : {"", "seed_", "seed_7", "seed_00007", "seed_0007.failed", "seed_0007_pair", "seed_0007paired",
                           "seed__paired", "_paired", "seed_paired", "Seed_0007", "seed_-001"}) {
    EXPECT_EQ(realisation_named(name), std::nullopt) << name;
  }
}

TEST(Realisation, PartnersFollowTheirRuns) {
  const std::vector<Realisation> all = realisations_of({5, 2}, true);
  EXPECT_EQ(all, (std::vector<Realisation>{{5, false}, {5, true}, {2, false}, {2, true}}));
  EXPECT_EQ(realisations_of({5, 2}, false).size(), 2U);
}

}  // namespace
}  // namespace multiwalk
