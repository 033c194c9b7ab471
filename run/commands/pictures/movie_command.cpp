// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>
#include <omp.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <regex>

#include "decomposition/ranks/agree.hpp"
#include "run/commands/commands.hpp"
#include "run/commands/options/file_options.hpp"
#include "run/commands/options/number_checks.hpp"
#include "run/commands/options/unsaid_option.hpp"
#include "run/commands/options/view_options.hpp"
#include "run/files/atomic_file.hpp"
#include "run/files/partial_file.hpp"
#include "run/files/printable.hpp"
#include "run/machine/child_process.hpp"
#include "run/machine/machine.hpp"
#include "run/outputs/movie_frames.hpp"
#include "run/snapshots/snapshot.hpp"

namespace multiwalk {

namespace {

namespace fs = std::filesystem;

struct MovieArguments {
  std::vector<std::string> inputs;
  std::string output = "movie.mp4";
  double seconds = 20;
  std::uint32_t rate = 25;
  bool keep_frames = false;
  ViewOptions look;
  UnsaidOption unsaid;

  [[nodiscard]] std::uint32_t frames() const {
    return static_cast<std::uint32_t>(std::max(2.0, std::round(seconds * rate)));
  }
};

/// Files of a run directory whose names match, in the order of their numbers.
std::vector<std::string> numbered_files(const std::string& directory, const std::string& names) {
  const std::regex pattern(names);
  std::vector<std::pair<int, std::string>> found;
  for (const fs::directory_entry& entry : fs::directory_iterator(directory)) {
    std::smatch match;
    const std::string name = entry.path().filename().string();
    if (std::regex_match(name, match, pattern)) found.emplace_back(std::stoi(match[1]), entry.path().string());
  }
  std::ranges::sort(found);
  std::vector<std::string> files;
  for (auto& [number, file] : found) files.push_back(std::move(file));
  return files;
}

/// The snapshots, or images, that the arguments name: a run's snapshots, or its images if it has no two snapshots.
std::vector<std::string> sources_of(const std::vector<std::string>& inputs) {
  if (inputs.size() > 1 || !fs::is_directory(inputs[0])) return inputs;
  std::vector<std::string> files = numbered_files(inputs[0], R"(snapshot_(\d{1,6})(\.0)?\.hdf5)");
  if (files.size() < 2) files = numbered_files(inputs[0], R"(image_(\d{1,6})\.png)");
  if (files.size() < 2) {
    throw SharedError("movie: " + printable(inputs[0]) +
                      " holds fewer than two snapshots and fewer than two images: run with output.evenly_spaced = 60");
  }
  return files;
}

bool is_image(const std::string& file) {
  return file.ends_with(".png");
}

/// Copies of images, as frames. Returns their number.
std::size_t copy_images(const std::vector<std::string>& images, const std::string& folder) {
  for (std::size_t i = 0; i < images.size(); ++i) {
    if (!is_image(images[i])) throw SharedError("movie: give snapshots or images, not both");
    write_file_atomically(frame_path(folder, i), read_whole_file(images[i]));
  }
  return images.size();
}

std::size_t draw_frames(const MovieArguments& arguments, const std::vector<std::string>& files,
                        const std::string& folder) {
  const Unsaid unsaid = arguments.unsaid.resolve({});
  const auto read = [&](const std::string& file) { return read_snapshot(file, {}, unsaid, RepeatedIds::warned_of); };
  const auto view = [&](const SnapshotInfo& info) { return arguments.look.view_of(info); };
  const auto drawn = [&](std::size_t frame) {
    std::printf("\rframe %zu of %u", frame, arguments.frames());
    std::fflush(stdout);
  };
  const bool followed = draw_movie({files, arguments.frames(), folder}, read, view, drawn);
  std::printf("\n");
  if (!followed) {
    std::fprintf(stderr, "the snapshots hold different particles: each frame shows the nearest snapshot\n");
  }
  return arguments.frames();
}

/// "frames per second" of a movie of this length as ffmpeg reads it.
std::vector<std::string> ffmpeg_words(const std::string& folder, double rate, const std::string& output) {
  return {"ffmpeg",     "-y",
          "-loglevel",  "error",
          "-framerate", fmt::format("{:.6g}", rate),
          "-i",         folder + "/frame_%05d.png",
          "-vf",        "pad=ceil(iw/2)*2:ceil(ih/2)*2",
          "-c:v",       "libx264",
          "-crf",       "18",
          "-pix_fmt",   "yuv420p",
          "-movflags",  "+faststart",
          "-f",         "mp4",
          output};
}

void make_movie(const MovieArguments& arguments) {
  omp_set_num_threads(default_threads({}));
  output_of(arguments.output, "-o");  // which may be the default
  if (!(arguments.seconds * arguments.rate <= most_frames)) {
    throw SharedError(fmt::format("movie: {:g} s of {} frames per second are more than {} frames", arguments.seconds,
                                  arguments.rate, most_frames));
  }
  const std::vector<std::string> sources = sources_of(arguments.inputs);
  if (sources.size() < 2) throw SharedError("movie: give a run directory, or at least two snapshots or images");
  const std::string folder = arguments.output + ".frames";
  prepare_frames(folder, sources);
  const std::size_t frames =
      is_image(sources[0]) ? copy_images(sources, folder) : draw_frames(arguments, sources, folder);
  const double rate = static_cast<double>(frames) / arguments.seconds;
  PartialFile movie(arguments.output);
  const std::optional<int> code = run_child(ffmpeg_words(folder, rate, movie.partial_path()));
  if (!code) {
    std::printf("%s: %zu frames. ffmpeg is not installed; with it,\n  %s\nmakes the movie\n", printable(folder).c_str(),
                frames, printable(shell_line(ffmpeg_words(folder, rate, arguments.output))).c_str());
    return;
  }
  if (*code != 0) {
    throw SharedError(fmt::format("ffmpeg failed with exit code {}; the frames are in {}", *code, printable(folder)));
  }
  movie.commit();
  if (!arguments.keep_frames) remove_frames(folder);
  std::printf("%s: %zu frames, %.4g s\n", printable(arguments.output).c_str(), frames, arguments.seconds);
}

}  // namespace

void add_movie_command(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("movie", "Make a movie of a run: frames between its snapshots, put together by ffmpeg");
  auto arguments = std::make_shared<MovieArguments>();
  command
      ->add_option("input", arguments->inputs,
                   "run directory, or snapshots in the order of time, or images; particles move between snapshots on "
                   "cubics through their positions and velocities")
      ->required();
  arguments->unsaid.add_to(*command);
  add_output(*command, "-o,--output", arguments->output,
             "MP4 file to write; frames are kept in OUTPUT.frames if ffmpeg is not installed", mp4_names)
      ->capture_default_str();
  command->add_option("--seconds", arguments->seconds, "length of the movie, in seconds")
      ->check(number_between(0.001, 86400))
      ->capture_default_str();
  command->add_option("--rate", arguments->rate, "frames per second, between snapshots")
      ->check(CLI::Range(1, 240))
      ->capture_default_str();
  command->add_flag("--keep-frames", arguments->keep_frames, "keep the frames after ffmpeg has made the movie");
  arguments->look.add_to(*command);
  command->callback([arguments] { make_movie(*arguments); });
}

}  // namespace multiwalk
