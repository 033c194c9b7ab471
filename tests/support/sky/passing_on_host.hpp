// SPDX-License-Identifier: GPL-3.0-or-later
// The choice of particles that may pass, on the host, as a device makes it.
#pragma once

#include <cmath>
#include <cstdint>
#include <memory>
#include <vector>

#include "host/particles/kick.hpp"
#include "host/particles/particle_store.hpp"
#include "host/sky/passage.hpp"

namespace multiwalk::test {

struct PassingOnHost {
  std::vector<std::uint32_t> index;
  std::vector<Vec3d> position;
  std::vector<Vec3f> velocity;
  PassingParticles particles;
};

inline bool passes(const Passage& passage, Vec3d position, Vec3f velocity) {
  const LightSweep& light = passage.light;
  const Vec3d x = in_box(position, light.period);
  const double way = norm(light.factor * widened(velocity));
  if (passage.copies.empty()) return false;
  if (way > light.light_way) return true;
  for (const PassageCopy& copy : passage.copies) {
    if (may_pass(light, copy, x, way)) return true;
  }
  return false;
}

inline std::shared_ptr<const PassingParticles> passing_on_host(const Passage& passage, const ParticleStore& store) {
  auto chosen = std::make_shared<PassingOnHost>();
  for (std::uint32_t i = 0; i < store.size(); ++i) {
    if (!passes(passage, store.position[i], store.velocity[i])) continue;
    chosen->index.push_back(i);
    chosen->position.push_back(store.position[i]);
    chosen->velocity.push_back(store.velocity[i]);
  }
  chosen->particles = {chosen->index, chosen->position, chosen->velocity};
  return {chosen, &chosen->particles};
}

}  // namespace multiwalk::test
