// SPDX-License-Identifier: GPL-3.0-or-later
#include "device/direct/launch_gravity.cuh"

namespace multiwalk {

void sum_gravity_in_double(const GravityTask& task, DirectScratch& scratch, const Stream& stream) {
  with_softening(task, [&]<bool softened>() {
    if (task.jerk()) {
      sum_one_way<GravityJerkPair<softened, SingleVector>, double, Accumulation::full>(task, scratch, stream);
    } else {
      sum_one_way<GravityPair<softened, SingleVector>, double, Accumulation::full>(task, scratch, stream);
    }
  });
}

}  // namespace multiwalk
