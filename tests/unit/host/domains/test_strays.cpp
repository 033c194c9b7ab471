// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>

#include "host/base/error.hpp"
#include "host/domains/strays.hpp"

namespace multiwalk {
namespace {

constexpr double far_off = std::numeric_limits<double>::infinity();

TEST(Strays, LieOutsideADomainWithoutItsUpperFaces) {
  const Box domain{{-1, -far_off, 0}, {1, 2, far_off}};
  EXPECT_TRUE(lies_in(domain, {0, 0, 0}));
  EXPECT_TRUE(lies_in(domain, {-1, -1e300, 1e300}));
  EXPECT_FALSE(lies_in(domain, {1, 0, 0}));
  EXPECT_FALSE(lies_in(domain, {0, 2, 0}));
  EXPECT_FALSE(lies_in(domain, {std::nextafter(-1.0, -2.0), 0, 0}));
  EXPECT_FALSE(lies_in(domain, {0, 0, -1e-300}));
  for (const double bad : {far_off, -far_off, static_cast<double>(NAN)}) {
    for (int axis = 0; axis < 3; ++axis) {
      Vec3d x{0, 0, 0};
      x[axis] = bad;
      EXPECT_FALSE(lies_in(domain, x)) << axis << ' ' << bad;
      EXPECT_FALSE(lies_in({{-far_off, -far_off, -far_off}, {far_off, far_off, far_off}}, x)) << axis << ' ' << bad;
    }
  }
}

/// All sets of leavers of six particles, and up to eight that arrive.
TEST(Strays, AreReplacedWithoutGaps) {
  constexpr std::size_t before = 6;
  for (unsigned bits = 0; bits < 1U << before; ++bits) {
    std::vector<std::uint32_t> left;
    for (std::uint32_t i = 0; i < before; ++i)
      if ((bits >> i & 1U) != 0) left.push_back(i);
    for (std::size_t coming = 0; coming <= 8; ++coming) {
      const StoreChange change = plan_exchange(left, coming, before);
      EXPECT_EQ(change.left, left);
      EXPECT_EQ(change.before, before);
      ASSERT_EQ(change.after, before - left.size() + coming);
      ASSERT_EQ(change.arrived.size(), coming);
      ASSERT_EQ(change.moved_from.size(), change.moved_to.size());
      std::set<std::uint32_t> used;
      for (std::uint32_t i = 0; i < before; ++i) used.insert(i);
      for (const std::uint32_t i : left) used.erase(i);
      for (std::size_t k = 0; k < change.moved_from.size(); ++k) {
        EXPECT_GE(change.moved_from[k], change.after);
        EXPECT_EQ(used.erase(change.moved_from[k]), 1U);
        EXPECT_TRUE(used.insert(change.moved_to[k]).second);
      }
      for (const std::uint32_t i : change.arrived) EXPECT_TRUE(used.insert(i).second);
      EXPECT_EQ(used.size(), change.after);
      EXPECT_TRUE(used.empty() || *used.rbegin() == change.after - 1);
    }
  }
}

TEST(Strays, FillHolesOfTheirNumber) {
  const std::vector<std::uint32_t> holes{1, 4};
  EXPECT_EQ(fillers(holes, 4, 6), (std::vector<std::uint32_t>{5}));
  EXPECT_THROW(fillers(holes, 4, 8), Error);
}

}  // namespace
}  // namespace multiwalk
