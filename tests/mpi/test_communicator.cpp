#include <gtest/gtest.h>

#include <array>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "decomposition/communicator.hpp"
#include "tests/mpi/world.hpp"

namespace multiwalk {
namespace {

TEST(World, RanksAreCounted) {
  EXPECT_EQ(world().sum(1), world().size());
  EXPECT_EQ(world().sum_before(1), static_cast<std::uint64_t>(world().rank()));
}

}  // namespace
}  // namespace multiwalk
