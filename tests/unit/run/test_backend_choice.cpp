#include <gtest/gtest.h>

#include "run/backend_choice.hpp"
#include "run/direct_backend_choice.hpp"

namespace multiwalk {
namespace {

TEST(BackendChoice, AutoLeavesFewPairsToTheCpu) {
  const DirectBackendChoice direct = choose_direct_backend("auto", {}, 1, 5000);
  EXPECT_EQ(direct.backend->name(), "cpu");
  EXPECT_NE(direct.why.find("5e+03 pairs"), std::string::npos) << direct.why;
  EXPECT_TRUE(direct.devices.empty());
  const BackendChoice walks = choose_backend("auto", {}, 5000);
  EXPECT_EQ(walks.backend->name(), "cpu");
  EXPECT_NE(walks.why.find("5e+03 pairs"), std::string::npos) << walks.why;
  EXPECT_EQ(choose_backend("auto", {}, 1e9).why.find("pairs"), std::string::npos);
}

}  // namespace
}  // namespace multiwalk
