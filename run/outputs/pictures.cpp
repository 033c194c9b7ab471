// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/outputs/pictures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/pictures/projection.hpp"
#include "decomposition/ranks/agree.hpp"
#include "decomposition/ranks/quantile.hpp"
#include "host/base/large_memory.hpp"
#include "host/base/separation.hpp"
#include "run/files/number_text.hpp"

namespace multiwalk {

namespace {

constexpr double halo_reach = 2.5;  ///< half side of a halo's cube over its radius

/// Half-size of the cube that holds 95 % of all ranks' particles.
double inner_radius(const ParticleStore& particles, const Communicator& comm) {
  LargeArray<double> reach(particles.size());
#pragma omp parallel for schedule(static)
  for (std::size_t i = 0; i < reach.size(); ++i) {
    const Vec3d p = particles.position[i];
    reach[i] = std::max({std::fabs(p.x), std::fabs(p.y), std::fabs(p.z)});
  }
  const double inner = quantile(comm, reach, 0.95);
  return inner > 0 ? inner : 1;
}

Box region_of(const ParticleSystem& system, const View& view, const Communicator& comm) {
  const int axis = view.axis;
  if (view.width > 0) {
    const double half = view.width / 2;
    return {{-half, -half, -half}, {half, half, half}};
  }
  if (system.boundary == Boundary::periodic) {
    Box box{{0, 0, 0}, {system.box_size, system.box_size, system.box_size}};
    box.hi[axis] = system.box_size / 4;
    return box;
  }
  const bool sphere = system.sphere_radius > 0;
  const double half = sphere ? 1.05 * system.sphere_radius : 1.1 * inner_radius(system.particles, comm);
  Box box{{-half, -half, -half}, {half, half, half}};
  if (sphere && system.frame == Frame::comoving) {
    box.lo[axis] = -system.sphere_radius / 6;
    box.hi[axis] = system.sphere_radius / 6;
  }
  return box;
}

std::string caption_of(const ParticleSystem& system) {
  return system.frame == Frame::comoving ? fmt::format("z = {:.2f}", 1 / system.time - 1)
                                         : fmt::format("t = {:.4g}", system.time);
}

}  // namespace

Panel panel_of(const ParticleSystem& system, const View& view, const Communicator& comm) {
  const ProjectionOptions options{region_of(system, view, comm), view.axis, view.pixels};
  return {project_density(system.particles.position, system.particles.mass, options, comm),
          {system.frame == Frame::comoving ? "Mpc/h" : "", caption_of(system)}};
}

std::vector<std::uint8_t> draw_panels(const std::vector<Panel>& panels, const Communicator& comm) {
  const auto columns = static_cast<std::uint32_t>(std::ceil(std::sqrt(static_cast<double>(panels.size()))));
  return collectively(comm, [&]() -> std::vector<std::uint8_t> {
    if (!comm.root()) return {};
    return encode_png(render_panels(panels, columns));
  });
}

std::vector<std::uint8_t> draw_panel(const Panel& panel, const Communicator& comm) {
  return collectively(comm, [&]() -> std::vector<std::uint8_t> {
    if (!comm.root()) return {};
    return encode_png(render(panel.density, panel.labels));
  });
}

std::vector<std::uint8_t> draw_system(const ParticleSystem& system, const View& view, const Communicator& comm) {
  return draw_panel(panel_of(system, view, comm), comm);
}

Panel panel_about(const ParticleSystem& system, const Vec3d& centre, const View& view, const std::string& caption,
                  const Communicator& comm) {
  const double period = period_of(system);
  const double half = period > 0 ? std::min(view.width, period) / 2 : view.width / 2;
  const ProjectionOptions options{{{-half, -half, -half}, {half, half, half}}, view.axis, view.pixels};
  std::vector<Vec3d> position;
  std::vector<float> mass;
  for (std::size_t i = 0; i < system.particles.size(); ++i) {
    const Vec3d place = separation(centre, system.particles.position[i], period);
    if (!options.region.contains(place)) continue;
    position.push_back(place);
    mass.push_back(system.particles.mass[i]);
  }
  return {project_density(position, mass, options, comm),
          {system.frame == Frame::comoving ? "Mpc/h" : "", caption_of(system) + caption}};
}

std::vector<std::uint8_t> draw_halo(const ParticleSystem& system, const Halo& halo, std::uint32_t pixels, int axis,
                                    const Communicator& comm) {
  const double half = halo.crit200.radius > 0 ? halo_reach * halo.crit200.radius : halo.extent;
  const std::string mass = ", " + scientific(halo.mass * 1e10) + " M☉/h";
  return draw_panel(panel_about(system, halo.centre, {pixels, axis, 2 * half}, mass, comm), comm);
}

}  // namespace multiwalk
