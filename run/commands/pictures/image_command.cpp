// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>
#include <omp.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <optional>

#include "decomposition/ranks/agree.hpp"
#include "run/commands/commands.hpp"
#include "run/commands/options/file_options.hpp"
#include "run/commands/options/number_checks.hpp"
#include "run/commands/options/unsaid_option.hpp"
#include "run/commands/options/view_options.hpp"
#include "run/commands/snapshot_halos.hpp"
#include "run/files/atomic_file.hpp"
#include "run/files/printable.hpp"
#include "run/machine/machine.hpp"
#include "run/machine/memory_room.hpp"
#include "run/machine/program_ranks.hpp"
#include "run/outputs/pictures.hpp"
#include "run/plan/memory_plan.hpp"
#include "run/snapshots/snapshot.hpp"

namespace multiwalk {

namespace {

struct ImageArguments {
  std::vector<std::string> snapshots;
  std::string output = "image.png";
  std::optional<std::uint64_t> halo;
  ViewOptions look;
  UnsaidOption unsaid;
};

/// PNG bytes on rank 0. Collective.
std::vector<std::uint8_t> draw_halo_as_asked(const ImageArguments& arguments, const Communicator& comm) {
  if (arguments.snapshots.size() > 1) throw SharedError("image --halo: give one snapshot");
  if (!arguments.look.region.empty()) throw SharedError("image: give --halo or --region, not both");
  HaloArguments all;
  all.snapshot = arguments.snapshots[0];
  all.unsaid = arguments.unsaid;
  const SnapshotHalos found = find_in_snapshot(all, comm);
  const View view = arguments.look.view_of(found.info);
  const Halo halo = halo_at(found.catalogue.halos, *arguments.halo, comm);
  return draw_halo(found.info.system, halo, view, comm);
}

/// PNG bytes on rank 0. Collective.
std::vector<std::uint8_t> draw_as_asked(const ImageArguments& arguments, const Communicator& comm) {
  if (arguments.halo) return draw_halo_as_asked(arguments, comm);
  std::vector<Panel> panels;
  ImageStyle style;
  for (const std::string& snapshot : arguments.snapshots) {
    const SnapshotInfo info = look_at_snapshot(snapshot, comm, arguments.unsaid.resolve(comm), RepeatedIds::warned_of);
    const View view = arguments.look.view_of(info);
    style = view.style;
    panels.push_back(panel_of(info.system, view, "", comm));
  }
  return draw_panels(panels, style, comm);
}

void draw_image(const ImageArguments& arguments) {
  const Communicator& comm = world_of_program();
  omp_set_num_threads(default_threads(comm));
  collectively(comm, [&] { output_of(arguments.output, "-o"); });  // which may be the default
  const auto panels = static_cast<double>(arguments.snapshots.size());
  require_memory(image_bytes(arguments.look.pixels) * panels, fmt::format("--pixels {}", arguments.look.pixels), comm);
  const std::vector<std::uint8_t> png = draw_as_asked(arguments, comm);
  collectively(comm, [&] {
    if (!comm.root()) return;
    write_file_atomically(arguments.output, {reinterpret_cast<const char*>(png.data()), png.size()});
    std::printf("%s\n", printable(arguments.output).c_str());
  });
}

}  // namespace

void add_image_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand(
      "image", "Draw the projected density of a snapshot or of one of its halos, or several snapshots as one figure");
  auto arguments = std::make_shared<ImageArguments>();
  command
      ->add_option("snapshot", arguments->snapshots,
                   "snapshot file; several: panels of one figure, on one colour scale")
      ->required();
  arguments->unsaid.add_to(*command);
  add_output(*command, "-o,--output", arguments->output, "PNG file to write", png_names)->capture_default_str();
  arguments->look.add_to(*command);
  command
      ->add_option("--halo", arguments->halo,
                   "draw the cube of 5 r200 around the halo at this place in the list by mass; 0: the most massive")
      ->check(whole_number());
  command->callback([arguments] { draw_image(*arguments); });
}

}  // namespace multiwalk
