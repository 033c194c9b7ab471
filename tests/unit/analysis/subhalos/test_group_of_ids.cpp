// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <unordered_map>

#include "analysis/subhalos/group_of_ids.hpp"

namespace multiwalk {
namespace {

/// Groups of 1 to 40 members, each named by its smallest id; every third particle is in none.
struct Groups {
  std::vector<std::uint64_t> id;
  GroupMembers members;
  std::unordered_map<std::uint64_t, std::uint64_t> group_of;

  Groups() {
    std::mt19937_64 engine(3);
    for (std::uint32_t i = 0; i < 3000; ++i) id.push_back(i < 1000 ? i : engine() >> (i % 20));
    id[2999] = no_group_name - 1;
    members.first.push_back(0);
    for (std::uint32_t i = 0; i < id.size(); i += 40) {
      const std::uint32_t end = i + 1 + static_cast<std::uint32_t>(engine() % 40);
      members.group.push_back(*std::min_element(id.begin() + i, id.begin() + end));
      for (std::uint32_t k = i; k < end; ++k) {
        members.member.push_back(k);
        group_of[id[k]] = members.group.back();
      }
      members.first.push_back(members.member.size());
    }
  }
};

TEST(GroupOfIds, IsThatOfTheMember) {
  const Groups groups;
  ASSERT_EQ(groups.group_of.size(), groups.members.member.size()) << "ids are unique";
  std::vector<std::uint64_t> asked(groups.id.rbegin(), groups.id.rend());
  asked.insert(asked.end(), groups.id.begin(), groups.id.begin() + 100);  // again
  for (std::uint64_t k = 0; k < 1000; ++k) asked.push_back((std::uint64_t{1} << 40) + k);
  const std::vector<std::uint64_t> found = groups_of_ids(groups.members, groups.id, asked, {});
  ASSERT_EQ(found.size(), asked.size());
  std::size_t in_none = 0;
  for (std::size_t i = 0; i < asked.size(); ++i) {
    const auto expected = groups.group_of.find(asked[i]);
    EXPECT_EQ(found[i], expected == groups.group_of.end() ? no_group_name : expected->second) << asked[i];
    in_none += found[i] == no_group_name ? 1 : 0;
  }
  EXPECT_GT(in_none, 1000U);
  EXPECT_TRUE(groups_of_ids(groups.members, groups.id, {}, {}).empty());
}

}  // namespace
}  // namespace multiwalk
