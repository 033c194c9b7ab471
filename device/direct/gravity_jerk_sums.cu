// SPDX-License-Identifier: GPL-3.0-or-later
#include "device/direct/launch_gravity.cuh"

namespace multiwalk {

void sum_gravity_and_jerk(const GravityTask& task, DirectScratch& scratch, const Stream& stream) {
  with_softening(task, [&]<bool softened>() {
    if (task.precision.splitting == Splitting::hi_lo) {
      sum_in_single<GravityJerkPair<softened, SplitVector>, 6, 1>(task, scratch, stream);
    } else {
      sum_in_single<GravityJerkPair<softened, SingleVector>, 4, 2>(task, scratch, stream);
    }
  });
}

}  // namespace multiwalk
