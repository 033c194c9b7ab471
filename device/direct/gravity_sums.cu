// SPDX-License-Identifier: GPL-3.0-or-later
#include "device/direct/gravity_sums.cuh"
#include "device/direct/launch_gravity.cuh"

namespace multiwalk {

void sum_gravity(const GravityTask& task, DirectScratch& scratch, const Stream& stream) {
  with_softening(task, [&]<bool softened>() {
    if (task.precision.splitting == Splitting::hi_lo) {
      sum_in_single<GravityPair<softened, SplitVector>, 8, 2>(task, scratch, stream);
    } else {
      sum_in_single<GravityPair<softened, SingleVector>, 8, 2>(task, scratch, stream);
    }
  });
}

}  // namespace multiwalk
