// Kepler orbit at apocentre.
#include "ic/two_body.hpp"

#include <cmath>

#include "decomposition/agree.hpp"
#include "ic/isolated.hpp"

namespace multiwalk {

ParticleSystem make_two_body(double eccentricity, const Communicator& comm) {
  if (!(eccentricity >= 0 && eccentricity < 1)) throw SharedError("model.eccentricity must lie in [0, 1)");
  ParticleSystem system = isolated_system(2, {});
  if (!comm.root()) system.particles.resize(0);
  const double separation = 1 + eccentricity;
  const double speed = std::sqrt((1 - eccentricity) / (1 + eccentricity));
  for (std::size_t p = 0; p < system.particles.size(); ++p) {
    const double side = p == 0 ? 0.5 : -0.5;
    system.particles.position[p] = {side * separation, 0, 0};
    system.particles.velocity[p] = Vec3f(Vec3d{0, side * speed, 0});
  }
  set_bounding_side(system, comm);
  return system;
}

}  // namespace multiwalk
