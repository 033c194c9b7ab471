// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/outputs/image_output.hpp"

#include <algorithm>

#include "decomposition/ranks/agree.hpp"
#include "run/files/atomic_file.hpp"
#include "run/outputs/pictures.hpp"

namespace multiwalk {

namespace {

/// The particles with these ids, without velocities.
ParticleSystem only(const std::vector<IdRange>& ids, const ParticleSystem& system) {
  ParticleSystem chosen;
  chosen.frame = system.frame;
  chosen.boundary = system.boundary;
  chosen.time = system.time;
  const ParticleStore& all = system.particles;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto holds = [id = all.id[i]](const IdRange& range) { return range.first <= id && id < range.end; };
    if (std::ranges::none_of(ids, holds)) continue;
    chosen.particles.position.push_back(all.position[i]);
    chosen.particles.mass.push_back(all.mass[i]);
  }
  return chosen;
}

}  // namespace

void write_picture(const std::string& path, const std::vector<std::uint8_t>& png, const Communicator& comm) {
  collectively(comm, [&] {
    if (comm.root()) write_file_atomically(path, {reinterpret_cast<const char*>(png.data()), png.size()});
  });
}

View view_of(const OutputParameters& output) {
  const double width = output.image_width;
  View view{.pixels = output.image_pixels, .axis = output.image_axis, .extent = {width, width, width}};
  const std::vector<double>&centre = output.image_centre, &range = output.image_range;
  if (!centre.empty()) view.centre = Vec3d{centre[0], centre[1], centre[2]};
  view.slab = output.image_slab;
  view.style.colours = output.image_colours;
  if (!range.empty()) view.style.scale = ColourScale{range[0], range[1]};
  view.style.lettered = output.image_labels;
  return view;
}

nlohmann::json ImageOutput::write(const OutputMoment& moment) {
  if (!moment.parameters.output.images) return "";
  const std::string path = moment.path("image") + ".png";
  const OutputParameters& output = moment.parameters.output;
  const View view = view_of(output);
  if (moment.trails != nullptr) {
    write_picture(path, draw_bodies(moment.particles.on_host(), *moment.trails, view, moment.comm), moment.comm);
    return path;
  }
  const std::vector<IdRange> stars = output.image_stars ? stars_of(moment.parameters.model) : std::vector<IdRange>();
  const auto draw = [&](const ParticleSystem& system) { return draw_system(system, view, moment.comm); };
  const ParticleSystem& system = moment.particles.on_host();
  write_picture(path, stars.empty() ? draw(system) : draw(only(stars, system)), moment.comm);
  return path;
}

}  // namespace multiwalk
