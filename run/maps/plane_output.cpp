// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/maps/plane_output.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <numbers>
#include <utility>

#include "analysis/sky/light_path.hpp"
#include "decomposition/ranks/agree.hpp"
#include "run/files/partial_file.hpp"
#include "run/sky/fits_image.hpp"

namespace multiwalk {

PlaneOutput::PlaneOutput(const Parameters& parameters, std::vector<double> times, Communicator comm)
    : TimedOutput("lens planes", std::move(times), std::move(comm)),
      parameters_(parameters.planes),
      directory_(parameters.run.directory),
      expansion_(parameters.cosmology) {}

std::size_t PlaneOutput::make(const ParticleSystem& system, std::size_t number) {
  const PeriodicParticles particles{system.particles.position, system.particles.mass, system.box_size};
  const MassSums masses = sum_masses(particles, comm());
  std::size_t planes = 0;
  for (const int normal : parameters_.normals) {
    for (std::uint32_t s = 0; s < parameters_.slabs; ++s, ++planes) {
      const SlabOptions options{parameters_.pixels, parameters_.assignment, normal, parameters_.slabs};
      const ProjectedSlab slab = project_slab(particles, masses, options, s, comm());
      collectively(comm(), [&] {
        if (!comm().root()) return;
        write_plane(fmt::format("{}/snap{}_densityPlane{}_normal{}.fits", directory_, number, s, normal), slab,
                    system.time, system.box_size);
      });
    }
  }
  return planes;
}

void PlaneOutput::write_plane(const std::string& path, const ProjectedSlab& slab, double time, double side) const {
  const CosmologyParameters& c = expansion_.parameters();
  const double distance = light_distance(expansion_, time);
  const double convergence = plane_convergence(expansion_, distance, side / parameters_.slabs, time);
  std::vector<double> values;
  for (const double density : slab.density) values.push_back(convergence * (density - 1));
  PartialFile partial(path);
  std::remove(partial.partial_path().c_str());  // left by a run that was killed
  write_fits_image(partial.partial_path(), values, parameters_.pixels,
                   {{"H0", 100 * c.h, "Hubble constant in km/s*Mpc"},
                    {"H", c.h, "Dimensionless Hubble constant"},
                    {"OMEGA_M", c.omega_m, "Dark Matter density"},
                    {"OMEGA_L", c.omega_lambda, "Dark Energy density"},
                    {"W0", c.w0, "Dark Energy equation of state"},
                    {"WA", c.wa, "Dark Energy running equation of state"},
                    {"Z", 1 / time - 1, "Redshift of the lens plane"},
                    {"CHI", distance, "Comoving distance in Mpc/h"},
                    {"SIDE", side, "Side length in Mpc/h"},
                    {"ANGLE", side / distance * 180 / std::numbers::pi, "Side angle in degrees"},
                    {"NPART", static_cast<double>(slab.particles), "Number of particles on the plane"},
                    {"UNIT", "", "Measure units of the pixel values"}});
  partial.commit();
}

}  // namespace multiwalk
