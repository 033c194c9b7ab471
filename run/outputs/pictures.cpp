// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/outputs/pictures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/pictures/draw_orbits.hpp"
#include "analysis/pictures/projection.hpp"
#include "analysis/pictures/render_image.hpp"
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

/// What the reports show.
Box usual_region(const ParticleSystem& system, int axis, const Communicator& comm) {
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

bool crosses_faces(const Box& region, double period) {
  for (int axis = 0; axis < 3; ++axis) {
    const double slack = 1e-9 * period;
    if (region.lo[axis] < -slack || region.hi[axis] > period + slack) return true;
  }
  return false;
}

/// The map of a region that crosses the faces of a periodic box.
SurfaceDensity project_images(const ParticleSystem& system, const ProjectionOptions& options,
                              const Communicator& comm) {
  const Vec3d centre = options.region.centre(), inside = wrapped(centre, system.box_size);
  std::vector<Vec3d> position;
  std::vector<float> mass;
  for (std::size_t i = 0; i < system.particles.size(); ++i) {
    const Vec3d place = centre + separation(inside, system.particles.position[i], system.box_size);
    if (!options.region.contains(place)) continue;
    position.push_back(place);
    mass.push_back(system.particles.mass[i]);
  }
  return project_density(position, mass, options, comm);
}

std::string caption_of(const ParticleSystem& system) {
  return system.frame == Frame::comoving ? fmt::format("z = {:.2f}", 1 / system.time - 1)
                                         : fmt::format("t = {:.4g}", system.time);
}

}  // namespace

Box region_of(const ParticleSystem& system, const View& view, const Communicator& comm) {
  const bool asked = view.extent.x > 0, periodic = system.boundary == Boundary::periodic;
  Box region = asked ? Box{-0.5 * view.extent, 0.5 * view.extent} : usual_region(system, view.axis, comm);
  if (view.slab > 0) {
    const double front = periodic && !asked ? 0 : region.centre()[view.axis] - view.slab / 2;
    region.lo[view.axis] = front;
    region.hi[view.axis] = front + view.slab;
  }
  Vec3d move = view.centre ? *view.centre - region.centre() : Vec3d{0, 0, 0};
  if (periodic && asked && !view.centre) move = 0.5 * system.box_size * Vec3d{1, 1, 1};
  const Vec3d centre = region.centre() + move;
  for (int axis = 0; axis < 3; ++axis) {
    double half = (region.hi[axis] - region.lo[axis]) / 2;
    if (periodic) half = std::min(half, system.box_size / 2);
    region.lo[axis] = centre[axis] - half;
    region.hi[axis] = centre[axis] + half;
  }
  return region;
}

Panel panel_of(const ParticleSystem& system, const View& view, const std::string& caption, const Communicator& comm) {
  const ProjectionOptions options{region_of(system, view, comm), view.axis, view.pixels};
  const bool images = system.boundary == Boundary::periodic && crosses_faces(options.region, system.box_size);
  const ParticleStore& all = system.particles;
  ImageLabels labels{"", caption_of(system) + caption, "mass per area", 1};
  if (system.frame == Frame::comoving) labels = {"Mpc/h", labels.caption, "M☉ h/Mpc²", 1e10};
  return {images ? project_images(system, options, comm) : project_density(all.position, all.mass, options, comm),
          std::move(labels)};
}

std::vector<std::uint8_t> draw_panels(const std::vector<Panel>& panels, const ImageStyle& style,
                                      const Communicator& comm) {
  const auto columns = static_cast<std::uint32_t>(std::ceil(std::sqrt(static_cast<double>(panels.size()))));
  return collectively(comm, [&]() -> std::vector<std::uint8_t> {
    if (!comm.root()) return {};
    return encode_png(render_panels(panels, columns, style));
  });
}

std::vector<std::uint8_t> draw_system(const ParticleSystem& system, const View& view, const Communicator& comm) {
  return draw_panels({panel_of(system, view, "", comm)}, view.style, comm);
}

std::vector<std::uint8_t> draw_bodies(const ParticleSystem& system, const BodyTrails& trails, const View& view,
                                      const Communicator& comm) {
  const std::vector<Trail> all = trails.gather(comm);
  return collectively(comm, [&]() -> std::vector<std::uint8_t> {
    if (!comm.root()) return {};
    const double width = view.extent[(view.axis + 1) % 3];
    return encode_png(
        draw_orbits(all, {view.pixels, view.axis, view.centre, width}, {"", caption_of(system)}, view.style));
  });
}

std::vector<std::uint8_t> draw_halo(const ParticleSystem& system, const Halo& halo, View view,
                                    const Communicator& comm) {
  const double width = 2 * (halo.crit200.radius > 0 ? halo_reach * halo.crit200.radius : halo.extent);
  view.centre = halo.centre;
  view.extent = {width, width, width};
  const std::string mass = ", " + scientific(halo.mass * 1e10) + " M☉/h";
  return draw_panels({panel_of(system, view, mass, comm)}, view.style, comm);
}

}  // namespace multiwalk
