// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/outputs/movie_frames.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>

#include "host/base/error.hpp"
#include "run/files/atomic_file.hpp"
#include "run/outputs/particle_paths.hpp"

namespace multiwalk {

namespace {

/// What all frames have in common.
struct Common {
  View view;  ///< with a colour scale
  double end = 0;
};

Common common_of(const MoviePlan& plan, const std::function<SnapshotInfo(const std::string&)>& read,
                 const std::function<View(const SnapshotInfo&)>& view_of) {
  const std::size_t last = plan.snapshots.size() - 1;
  Common common;
  View& view = common.view;
  Box all;
  std::vector<float> values;
  for (const std::size_t s : {last, last / 2, std::size_t{0}}) {
    const SnapshotInfo info = read(plan.snapshots[s]);
    const View asked = view_of(info);
    if (s == last) common = {asked, info.system.time};
    all.include(region_of(info.system, asked));
    const Panel panel = panel_of(info.system, asked);
    for (const float value : panel.density.value) {
      values.push_back(static_cast<float>(panel.labels.density_factor) * value);
    }
  }
  view.centre = all.centre();
  view.extent = all.hi - all.lo;
  view.slab = 0;
  if (!view.style.scale) view.style.scale = choose_scale(values);
  return common;
}

/// The interval between two snapshots.
struct Interval {
  SnapshotInfo before, after;
  std::unique_ptr<ParticlePaths> paths;  ///< null: the snapshots hold different particles

  Interval(SnapshotInfo first, SnapshotInfo second) : before(std::move(first)), after(std::move(second)) {
    if (!(before.system.time < after.system.time)) throw InputError("movie: give snapshots in the order of time");
    try {
      paths = std::make_unique<ParticlePaths>(before.system, after.system, before.cosmology);
    } catch (const InputError&) {
      paths = nullptr;
    }
  }
  [[nodiscard]] std::vector<std::uint8_t> draw(double time, const View& view) const {
    if (paths) return draw_system(paths->at(time), view);
    const bool first = time - before.system.time < after.system.time - time;
    return draw_system(first ? before.system : after.system, view);
  }
};

/// Time of a frame: equal steps of ln a, or of time.
double frame_time(Frame frame, double begin, double end, double done) {
  return frame == Frame::comoving ? begin * std::pow(end / begin, done) : begin + done * (end - begin);
}

}  // namespace

std::string frame_path(const std::string& folder, std::size_t number) {
  return fmt::format("{}/frame_{:05d}.png", folder, number);
}

bool draw_movie(const MoviePlan& plan, const std::function<SnapshotInfo(const std::string&)>& read,
                const std::function<View(const SnapshotInfo&)>& view_of,
                const std::function<void(std::size_t)>& drawn) {
  const Common common = common_of(plan, read, view_of);
  std::size_t next = 1;
  auto interval = std::make_unique<Interval>(read(plan.snapshots[0]), read(plan.snapshots[1]));
  const Frame kind = interval->before.system.frame;
  const double begin = interval->before.system.time;
  bool followed = true;
  for (std::uint32_t frame = 0; frame < plan.frames; ++frame) {
    const double time = frame_time(kind, begin, common.end, static_cast<double>(frame) / (plan.frames - 1));
    while (time > interval->after.system.time && next + 1 < plan.snapshots.size()) {
      SnapshotInfo before = std::move(interval->after);
      interval.reset();
      interval = std::make_unique<Interval>(std::move(before), read(plan.snapshots[++next]));
    }
    followed = followed && interval->paths;
    const std::vector<std::uint8_t> png = interval->draw(time, common.view);
    write_file_atomically(frame_path(plan.folder, frame), {reinterpret_cast<const char*>(png.data()), png.size()});
    drawn(frame + 1);
  }
  return followed;
}

}  // namespace multiwalk
