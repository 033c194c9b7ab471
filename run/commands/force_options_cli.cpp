// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/commands/force_options_cli.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "host/base/error.hpp"
#include "run/commands/number_checks.hpp"
#include "run/parameters/force_names.hpp"

namespace multiwalk {

namespace {

std::uint32_t group_size_from(const std::string& text) {
  if (text == "auto") return 0;
  try {
    std::size_t used = 0;
    const unsigned long size = std::stoul(text, &used);
    if (used == text.size() && size >= 1 && size <= 65536) return static_cast<std::uint32_t>(size);
  } catch (const std::logic_error&) {
  }
  throw InputError("--group-size " + text + ": give auto or a number from 1 to 65536");
}

}  // namespace

void ForceArguments::add_to(CLI::App& command) {
  const GravityOptions usual = Parameters().force;
  command.add_option(
      "--mac", mac,
      fmt::format("opening criterion: bh86, barnes90, offset or relative (default: as of runs, {}, or {} "
                  "where theta alone is given)",
                  mac_name(usual.mac), mac_name(default_mac(true, false))));
  command
      .add_option("--alpha", alpha,
                  fmt::format("force error aimed at by the relative criterion (default: {})", usual.alpha))
      ->check(positive_number());
  command.add_option("--multipole", multipole, "monopole or quadrupole")->capture_default_str();
  command.add_option("--group-size", group_size, "most particles sharing a walk, or auto")->capture_default_str();
  command.add_option("--leaf-size", leaf_size, "most particles in a leaf of the tree")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  command
      .add_option("--accuracy", accuracy,
                  "periodic boxes: fast, standard, reference or (--mac, --theta, --alpha as given) custom")
      ->capture_default_str();
  command.add_option("--long-range", long_range, "periodic boxes: from a mesh or summed by modes")
      ->capture_default_str();
  command.add_option("--mesh", box.mesh, "periodic boxes: cells a side of the mesh (default: by accuracy)")
      ->check(whole_number());
  command.add_option("--split", box.split, "periodic boxes: scale of the split, in cells (default: by accuracy)")
      ->check(number_from_zero());
  command.add_option("--cutoff", box.cutoff, "periodic boxes: farthest pairs, in scales (default: by accuracy)")
      ->check(number_from_zero())
      ->check(CLI::Range(0.0, 8.0));
  command
      .add_option(
          "--backend", backend,
          "auto, cpu, cuda, direct or (periodic boxes) ewald; for comparison cuda-i or cuda-j (one walk per launch)")
      ->capture_default_str();
  command.add_option("--devices", devices, "CUDA device numbers on each machine (default: all)")->delimiter(',');
  command.add_option("--threads", threads, "OpenMP threads of each rank (default: its share of the machine)")
      ->check(CLI::Range(0, 4096));
  command.add_option("--sample", sample, "particles compared with direct summation; 0: all")
      ->check(whole_number())
      ->capture_default_str();
  command.add_option("--seed", seed, "seed of model and samples")->check(whole_number())->capture_default_str();
  command.add_option("--json", json, "write the figures to this file (- for standard output)");
}

GravityOptions ForceArguments::resolve() const {
  GravityOptions options = Parameters().force;
  options.mac = mac.empty() ? default_mac(theta > 0, alpha > 0) : mac_from_name(mac);
  if (theta > 0) options.theta = theta;
  if (alpha > 0) options.alpha = alpha;
  options.multipole = multipole_from_name(multipole);
  options.group_size = group_size_from(group_size);
  options.leaf_size = leaf_size;
  return options;
}

BoxForceParameters ForceArguments::resolve_box() const {
  BoxForceParameters resolved = box;
  resolved.accuracy = static_cast<Accuracy>(place_of(accuracy, accuracy_names, "accuracy"));
  resolved.long_range = static_cast<LongRange>(place_of(long_range, long_range_names, "long range"));
  return resolved;
}

}  // namespace multiwalk
