// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/commands/force_options_cli.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <span>
#include <string_view>

#include "host/base/error.hpp"
#include "host/text/plain_number.hpp"
#include "run/commands/options/file_options.hpp"
#include "run/commands/options/number_checks.hpp"
#include "run/parameters/parameter_table.hpp"

namespace multiwalk {

namespace {

std::uint32_t group_size_from(const std::string& text) {
  if (text == "auto") return 0;
  if (const auto size = number_in<std::uint32_t>(text); size && *size >= 1 && *size <= 65536) return *size;
  throw InputError("--group-size " + text + ": give auto or a number from 1 to 65536");
}

/// The words for an enumeration, in its order, and their name in messages.
struct Words {
  std::span<const std::string_view> names;
  const char* what;
};

/// `value`: an enumeration, which holds the default, or an optional one.
template <class Enumeration, class Value>
CLI::Option* add_choice(CLI::App& command, const char* option, Value& value, const Words& words,
                        const std::string& help) {
  return command.add_option_function<std::string>(
      option,
      [&value, words](const std::string& name) {
        value = static_cast<Enumeration>(place_of(name, words.names, words.what));
      },
      help);
}
template <class Enumeration>
void add_choice_with_default(CLI::App& command, const char* option, Enumeration& value, const Words& words,
                             const std::string& help) {
  add_choice<Enumeration>(command, option, value, words, help)
      ->default_str(std::string(words.names[static_cast<std::size_t>(value)]));
}

std::string help_of_criteria() {
  std::string text = fmt::format("opening criterion (default as in runs: {}, or {} if theta alone is given)",
                                 mac_name(default_mac(false, false)), mac_name(default_mac(true, false)));
  for (const MacWords& row : mac_words) text += fmt::format("; {}: {}", row.name, row.help);
  return text;
}

}  // namespace

void ForceArguments::add_to(CLI::App& command) {
  add_choice<Mac>(command, "--mac", mac, {mac_names, "MAC"}, help_of_criteria());
  command
      .add_option("--alpha", alpha,
                  fmt::format("force error aimed at by the relative criterion (default: {})", force.alpha))
      ->check(within_range_of("force.alpha"));
  add_choice_with_default(command, "--multipole", force.multipole, {multipole_names, "multipole order"},
                          "monopole or quadrupole");
  command
      .add_option_function<std::string>(
          "--group-size", [this](const std::string& text) { force.group_size = group_size_from(text); },
          "largest number of particles that share a walk, or auto")
      ->default_str("auto");
  command.add_option("--leaf-size", force.leaf_size, "largest number of particles in a leaf of the tree")
      ->check(within_range_of("force.leaf_size"))
      ->capture_default_str();
  command.add_option("--expansion", force.expansion, "order of local expansions of far cells; 0: none")
      ->check(within_range_of("force.expansion"))
      ->capture_default_str();
  add_choice_with_default(command, "--accuracy", box.accuracy, {accuracy_names, "accuracy"},
                          "periodic boxes: fast, standard, reference or (--mac, --theta, --alpha as given) custom");
  command.add_option("--mesh", box.mesh, "periodic boxes: cells per side of the mesh (default: set by --accuracy)")
      ->check(whole_number())
      ->check(within_range_of("force.mesh"));
  command.add_option("--split", box.split, "periodic boxes: scale of the split, in cells (default: set by --accuracy)")
      ->check(within_range_of("force.split"));
  command
      .add_option("--cutoff", box.cutoff,
                  "periodic boxes: cut-off of pair forces, in scales of the split (default: set by --accuracy)")
      ->check(within_range_of("force.cutoff"));
  command.add_option("--backend", backend, "auto, cpu, cuda, direct or (periodic boxes) ewald")->capture_default_str();
  add_choice_with_default(command, "--walks", walks, {who_walks_words, "walks"},
                          "who walks the tree for GPUs: auto, host or device (run.walks)");
  command.add_option("--devices", devices, "CUDA device numbers on each machine (default: one per rank)")
      ->delimiter(',')
      ->check(within_range_of("run.devices"));
  command.add_option("--threads", threads, "OpenMP threads of each rank (default: its share of the machine)")
      ->check(within_range_of("run.threads"));
  command
      .add_option("--sample", sample,
                  least_sample == 0 ? "particles compared with direct summation, or all; 0: none"
                                    : "particles compared with direct summation, or all")
      ->transform(sample_size(least_sample))
      ->capture_default_str();
  command.add_option("--seed", seed, "seed of model and samples")->check(whole_number())->capture_default_str();
  add_json_output(command, json);
}

}  // namespace multiwalk
