// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/outputs/movie_frames.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <optional>
#include <regex>
#include <utility>

#include "host/base/error.hpp"
#include "run/files/atomic_file.hpp"
#include "run/outputs/particle_paths.hpp"

namespace multiwalk {

namespace fs = std::filesystem;

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

constexpr const char* mark_name = "frames_of_multiwalk_movie.txt";

bool is_frame(const fs::directory_entry& entry) {
  static const std::regex names(R"(frame_\d{5}\.png(\.partial)?)");
  return entry.symlink_status().type() == fs::file_type::regular &&
         std::regex_match(entry.path().filename().string(), names);
}

}  // namespace

void prepare_frames(const std::string& folder, const std::vector<std::string>& sources) {
  std::error_code ignored;
  const fs::path mark = fs::path(folder) / mark_name;
  for (const std::string& source : sources) {
    if (fs::equivalent(fs::path(source).parent_path() / ".", folder, ignored)) {
      throw InputError("movie: " + source + " lies in " + folder +
                       ", the folder of this movie's own frames, which are removed: give another -o");
    }
  }
  const fs::file_type type = fs::symlink_status(folder, ignored).type();
  if (type == fs::file_type::not_found) {
    fs::create_directories(folder);
    write_file_atomically(mark.string(), "multiwalk movie made the frames in this folder, and removes them.\n");
  } else if (type != fs::file_type::directory || !fs::is_regular_file(fs::symlink_status(mark, ignored))) {
    throw InputError("movie: " + folder +
                     " exists and was not made by multiwalk movie, which keeps its frames there: move it, or give "
                     "another -o");
  }
  std::vector<fs::path> frames;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    if (is_frame(entry)) frames.push_back(entry.path());
  }
  for (const fs::path& frame : frames) fs::remove(frame);
}

void remove_frames(const std::string& folder) {
  std::vector<fs::path> own;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    if (is_frame(entry)) own.push_back(entry.path());
  }
  own.push_back(fs::path(folder) / mark_name);
  for (const fs::path& file : own) fs::remove(file);
  std::error_code not_empty;
  fs::remove(folder, not_empty);
}

std::vector<double> frame_times(Frame frame, double begin, double end, std::uint32_t number) {
  std::vector<double> times;
  for (std::uint32_t i = 0; i < number; ++i) {
    const double done = static_cast<double>(i) / (number - 1);
    times.push_back(frame == Frame::comoving ? begin * std::pow(end / begin, done) : begin + done * (end - begin));
  }
  return times;
}

std::string frame_path(const std::string& folder, std::size_t number) {
  return fmt::format("{}/frame_{:05d}.png", folder, number);
}

bool draw_movie(const MoviePlan& plan, const std::function<SnapshotInfo(const std::string&)>& read,
                const std::function<View(const SnapshotInfo&)>& view_of,
                const std::function<void(std::size_t)>& drawn) {
  const Common common = common_of(plan, read, view_of);
  std::size_t next = 1;
  auto interval = std::make_unique<Interval>(read(plan.snapshots[0]), read(plan.snapshots[1]));
  const ParticleSystem& first = interval->before.system;
  const std::vector<double> times = frame_times(first.frame, first.time, common.end, plan.frames);
  bool followed = true;
  for (std::size_t frame = 0; frame < times.size(); ++frame) {
    const double time = times[frame];
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
