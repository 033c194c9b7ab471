// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/outputs/halo_output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "analysis/halos/group_order.hpp"
#include "run/outputs/halo_mass_functions.hpp"
#include "run/outputs/image_output.hpp"
#include "run/outputs/pictures.hpp"
#include "run/snapshots/halo_catalogue.hpp"

namespace multiwalk {

namespace {

/// Draws the most massive halos, half as wide as the images of the system; returns the paths.
std::vector<std::string> draw_halos(const OutputMoment& moment, std::uint64_t halos) {
  const OutputParameters& output = moment.parameters.output;
  std::vector<std::string> paths;
  View view{.pixels = std::max(output.image_pixels / 2, 16U), .axis = output.image_axis};
  view.style = {output.image_colours, std::nullopt, output.image_labels};
  for (std::uint64_t place = 0; place < std::min<std::uint64_t>(output.halo_images, halos); ++place) {
    const Halo halo = halo_at(moment.halos->halos, place, moment.comm);
    paths.push_back(fmt::format("{}_halo_{}.png", moment.path("image"), place));
    write_picture(paths.back(), draw_halo(moment.particles.on_host(), halo, view, moment.comm), moment.comm);
  }
  return paths;
}

}  // namespace

bool HaloOutput::needs_halos(const Parameters& parameters) const {
  return parameters.output.halos;
}

nlohmann::json HaloOutput::write(const OutputMoment& moment) {
  if (!needs_halos(moment.parameters)) return nullptr;
  const Communicator& comm = moment.comm;
  const ParticleSystem& system = moment.particles.on_host();
  const Parameters& parameters = moment.parameters;
  const std::vector<Halo>& halos = moment.halos->halos;
  const std::string path = moment.path("fof_subhalo_tab") + ".hdf5";
  const std::vector<std::uint64_t> ids = member_ids(*moment.halos, system.particles.id, comm);
  write_halo_file(path, halos, ids,
                  {system.time, snapshot_box(system, comm), parameters.cosmology, parameters.output.snapshots}, comm);
  const std::uint64_t count = comm.sum(static_cast<std::uint64_t>(halos.size()));
  nlohmann::json entry{
      {"file", path},
      {"halos", count},
      {"members", comm.sum(static_cast<std::uint64_t>(ids.size()))},
      {"mass_functions", halo_mass_functions(halos, system, parameters.cosmology, parameters.ic.transfer_file,
                                             HaloOptions().min_particles, comm)}};
  if (parameters.output.images) entry["images"] = draw_halos(moment, count);
  return entry;
}

}  // namespace multiwalk
