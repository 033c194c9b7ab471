// SPDX-License-Identifier: GPL-3.0-or-later
// Particle arrays in page-locked host memory.
#pragma once

namespace multiwalk {

/// Large particle arrays made from now on lie in memory that every device copies from at full speed, as far as the
/// system lets pages be locked; `device` has the context in which they are locked. Calls after the first do nothing.
void pin_particles(int device);

}  // namespace multiwalk
