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

PlaneOutput::PlaneOutput(const Parameters& parameters, std::vector<double> times, Communicator comm, std::size_t next)
    : TimedOutput({"lens planes", stem, std::move(times)}, next, std::move(comm)),
      parameters_(parameters.planes),
      directory_(parameters.run.directory),
      expansion_(parameters.cosmology) {}

std::vector<std::string> PlaneOutput::make(const MappedMatter& matter, std::size_t number) {
  std::vector<std::string> paths;
  for (const int normal : parameters_.normals) {
    const auto write = [&](std::uint32_t s, const ProjectedSlab& slab) {
      paths.push_back(fmt::format("{}/snap{}_densityPlane{}_normal{}.fits", directory_, number, s, normal));
      collectively(comm(), [&] {
        if (comm().root()) write_plane(paths.back(), slab, matter.time, matter.particles.box_size);
      });
    };
    project_slabs(matter.particles, matter.masses,
                  {parameters_.pixels, parameters_.assignment, normal, parameters_.slabs}, comm(), write);
  }
  return paths;
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
                   {{"H0", 100 * c.h, "km/s/Mpc"},
                    {"H", c.h, "H0 / (100 km/s/Mpc)"},
                    {"OMEGA_M", c.omega_m, "all matter, today"},
                    {"OMEGA_L", c.omega_lambda, "today"},
                    {"W0", c.w0, "w = W0 + WA (1 - a)"},
                    {"WA", c.wa, "as above"},
                    {"Z", 1 / time - 1, "at which the plane was written"},
                    {"CHI", distance, "comoving, Mpc/h"},
                    {"SIDE", side, "of the box, comoving, Mpc/h"},
                    {"ANGLE", side / distance * 180 / std::numbers::pi, "degrees under which SIDE is seen"},
                    {"NPART", static_cast<double>(slab.particles), "particles in the slab"},
                    {"UNIT", "", "none: convergence has no unit"}});
  partial.commit();
}

std::unique_ptr<Output> make_plane_output(const OutputSetup& setup) {
  const PlaneParameters& planes = setup.parameters.planes;
  if (!planes.wanted()) return nullptr;
  std::vector<double> times = map_times(setup, "planes.redshifts", planes.redshifts);
  std::erase_if(times, [](double a) { return a > 1 - 1e-6; });  // there a plane would have no distance
  return std::make_unique<PlaneOutput>(setup.parameters, std::move(times), setup.comm,
                                       next_number(setup.record, PlaneOutput::stem));
}

}  // namespace multiwalk
