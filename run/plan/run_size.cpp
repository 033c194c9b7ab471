// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/plan/run_size.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <functional>
#include <numbers>
#include <vector>

#include "analysis/sky/light_path.hpp"
#include "host/base/error.hpp"
#include "run/evolve/output_schedule.hpp"
#include "run/machine/device_share.hpp"
#include "run/machine/memory_limit.hpp"
#include "run/plan/planned_model.hpp"
#include "run/sky/sky_shell.hpp"

namespace multiwalk {

namespace fs = std::filesystem;

namespace {

double host_bytes(const Parameters& parameters, const RunShape& shape) {
  const MemoryPlan plan = plan_memory(parameters, shape);
  return shape.only_begins ? plan.program + plan.initial_conditions : plan.peak();
}

/// A quantity that may be left out or made smaller, and whether it is what does not fit.
struct Wish {
  std::string text;
  std::function<void(Parameters&)> leave_out;
};

std::vector<Wish> wishes(const Parameters& p) {
  std::vector<Wish> all;
  const auto add = [&](bool wanted, std::string text, std::function<void(Parameters&)> leave_out) {
    if (wanted) all.push_back({std::move(text), std::move(leave_out)});
  };
  add(p.grids.wanted(), fmt::format("grids.cells = {}", p.grids.cells), [](Parameters& q) { q.grids.cells = 0; });
  add(p.planes.wanted(), fmt::format("planes.pixels = {}", p.planes.pixels),
      [](Parameters& q) { q.planes.pixels = 0; });
  add(p.lightcone.shells, fmt::format("lightcone.nside = {}", p.lightcone.nside),
      [](Parameters& q) { q.lightcone.shells = false; });
  add(p.output.images, fmt::format("output.image_pixels = {}", p.output.image_pixels),
      [](Parameters& q) { q.output.images = false; });
  add(p.box_force.mesh > 0, fmt::format("force.mesh = {}", p.box_force.mesh),
      [](Parameters& q) { q.box_force.mesh = 0; });
  add(p.lightcone.halos, "lightcone.halos", [](Parameters& q) { q.lightcone.halos = false; });
  add(p.output.halos, "output.halos", [](Parameters& q) { q.output.halos = false; });
  add(p.trees.wanted(), "[trees]", [](Parameters& q) { q.trees = {}; });
  add(p.output.power, "output.power", [](Parameters& q) { q.output.power = false; });
  add(p.output.census_epochs > 0, "output.census_epochs", [](Parameters& q) { q.output.census_epochs = 0; });
  return all;
}

/// What to change so that the run fits.
std::string remedy(const Parameters& parameters, const RunShape& shape, double room) {
  const std::vector<Wish> all = shape.only_begins ? std::vector<Wish>() : wishes(parameters);
  for (const Wish& wish : all) {
    Parameters less = parameters;
    wish.leave_out(less);
    const double bytes = host_bytes(less, shape);
    if (bytes <= room) return fmt::format("without {} it needs {}", wish.text, size_text(bytes));
  }
  const std::string more = "or take more hosts, with ranks on each";
  if (!has_grid(parameters)) return "take fewer particles, " + more;
  const auto grid = largest_grid(parameters, shape, room);
  return grid ? fmt::format("the largest ic.grid that fits is {}; take that, {}", *grid, more) : "take more memory";
}

double cone_bytes(const Parameters& p, std::uint64_t particles) {
  constexpr double row = 2 * sizeof(Vec3f) + sizeof(std::uint64_t), pixel = sizeof(float);
  const LightConeParameters& cone = p.lightcone;
  const double seen = solid_angle(sky_view(cone, 0)) / (4 * std::numbers::pi);
  double bytes = 0;
  if (cone.shells && cone.shell_redshifts.empty() && cone.shell_distances.empty())
    bytes += cone.shell_count * 12.0 * cone.nside * cone.nside * pixel * seen;
  if (cone.particles && p.model.kind == ModelKind::box) {
    const Expansion expansion(p.cosmology);
    const double near = light_distance(expansion, 1 / (1 + cone.z_near));
    const double far = light_distance(expansion, 1 / (1 + cone.z_far));
    const double volume = 4 * std::numbers::pi / 3 * (std::pow(far, 3) - std::pow(near, 3)) * seen;
    bytes += row * static_cast<double>(particles) * volume / std::pow(planned_period(p), 3);
  }
  return bytes;
}

}  // namespace

RunShape planned_shape(const Parameters& parameters, int ranks) {
  RunShape shape;
  shape.ranks = ranks;
  shape.program = static_cast<double>(resident_memory());
  const RunParameters& run = parameters.run;
  std::string ignored;
  if (run.backend != "auto" && !run.backend.starts_with("cuda")) return shape;
  if (visible_devices(ignored).empty()) return shape;
  shape.devices = 1;
  const WalkFacts facts{asked_walks(run.backend, run.walks), static_cast<double>(planned_particles(parameters)), ranks};
  shape.device_walks = choose_walks(facts).by_devices;
  return shape;
}

std::optional<std::uint32_t> largest_grid(const Parameters& parameters, const RunShape& shape, double room) {
  const auto fits = [&](std::uint32_t grid) {
    Parameters other = parameters;
    other.ic.grid = grid;
    try {
      return host_bytes(other, shape) <= room;
    } catch (const InputError&) {  // a mesh that is too coarse for so many, or more than a mesh can have
      return false;
    }
  };
  constexpr std::uint32_t step = 8, most = 65535 / step;
  std::uint32_t low = 0, high = most + 1;  // in steps: fits, does not fit
  while (high - low > 1) {
    const std::uint32_t middle = (low + high) / 2;
    (fits(middle * step) ? low : high) = middle;
  }
  return low > 0 ? std::optional(low * step) : std::nullopt;
}

std::string judge_run_memory(const Parameters& parameters, const RunShape& shape, const MemoryRoom& room) {
  const MemoryPlan plan = plan_memory(parameters, shape);
  const double bytes = host_bytes(parameters, shape);
  const std::string each = shape.ranks > 1 ? " on each rank" : "";
  const double on_device = plan.not_kept > 0 ? std::min(plan.device, plan.not_kept) : plan.device;
  if (shape.device_room > 0 && on_device > shape.device_room * most_below_plan) {
    throw InputError(
        fmt::format("the run needs about {} of GPU memory{}, but there are {}: take fewer particles, more ranks with a "
                    "GPU each, or run.backend = \"cpu\"",
                    size_text(on_device), each, size_text(shape.device_room)));
  }
  const std::string needs =
      fmt::format("{} of {} particles needs about {} of memory{}", shape.only_begins ? "a model" : "a run",
                  plan.particles, size_text(bytes), each);
  if (bytes > room.bytes * most_below_plan) {
    throw InputError(fmt::format("{}, but {}: {}", needs, room.whose, remedy(parameters, shape, room.bytes)));
  }
  if (bytes <= std::min(room.available, room.bytes / most_above_plan)) return "";
  return fmt::format("{}, and {}, of which {} are free now: it may not fit", needs, room.whose,
                     size_text(room.available));
}

std::uint64_t planned_outputs(const Parameters& parameters) {
  if (!has_grid(parameters)) return OutputSchedule::newtonian(parameters, 0).times().size();
  return OutputSchedule::comoving(parameters, 1 / (1 + parameters.ic.z_start)).times().size();
}

double planned_files(const Parameters& p, std::uint64_t particles, std::uint64_t outputs) {
  const auto n = static_cast<double>(particles), times = static_cast<double>(outputs);
  const double forces = p.output.accelerations ? n * sizeof(Vec3f) : 0;
  const double snapshot = p.output.snapshots ? snapshot_bytes(particles) + forces : 0;
  const double grid = p.grids.redshifts.empty() ? std::pow(p.grids.cells, 3) * sizeof(float) : 0;
  const double planes = p.planes.redshifts.empty() && outputs > 1
                            ? std::pow(p.planes.pixels, 2) * sizeof(float) * p.planes.slabs *
                                  static_cast<double>(p.planes.normals.size()) * (times - 1) / times
                            : 0;
  constexpr double row_of_checkpoint = 80;  // counted: 89 to 92
  const bool ends_with_checkpoint = p.run.final_checkpoint || p.lightcone.wanted() || p.trees.wanted();
  const double checkpoint = ends_with_checkpoint ? row_of_checkpoint * n : 0;
  return times * (snapshot + grid + planes) + checkpoint + cone_bytes(p, particles);
}

void require_disk(const std::string& path, double bytes) {
  std::error_code failed;
  fs::path there = fs::absolute(path, failed);
  while (!failed && !fs::exists(there, failed) && there.has_relative_path()) there = there.parent_path();
  const fs::space_info space = fs::space(there, failed);
  if (failed || space.capacity == 0 || static_cast<double>(space.available) >= bytes) return;
  throw InputError(
      fmt::format("{}: the files that are to be written there need at least {}, and its disk has {} of free space: "
                  "make room, take another "
                  "disk, or ask for fewer or smaller outputs",
                  path, size_text(bytes), size_text(static_cast<double>(space.available))));
}

}  // namespace multiwalk
