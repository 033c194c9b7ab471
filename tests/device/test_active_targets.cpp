// SPDX-License-Identifier: GPL-3.0-or-later
// Forces on the particles of deep rungs: a tree of the host's, its targets packed, and one grown by the device.
#include "tests/device/random_walks.hpp"
#include "tests/support/active_targets.hpp"

namespace multiwalk::device_test {
namespace {

TEST(ActiveTargetsOnDevice, GetTheirForcesAndNothingElseChanges) {
  const auto cuda = backend_or_null();
  if (!cuda) GTEST_SKIP() << "no CUDA device";
  for (const Mac mac : {Mac::barnes90, Mac::relative}) {
    test::expect_only_the_active(*cuda, mac, 0.05, 6000, true);
    test::expect_only_the_active(*cuda, mac, 0.001, 40000, false);
  }
}

}  // namespace
}  // namespace multiwalk::device_test
