#include "run/force_options_cli.hpp"

#include <CLI/CLI.hpp>
#include <array>
#include <utility>

#include "host/base/error.hpp"

namespace multiwalk {

namespace {

constexpr std::array<std::pair<const char*, Mac>, 4> mac_names{
    {{"bh86", Mac::bh86}, {"barnes90", Mac::barnes90}, {"offset", Mac::offset}, {"relative", Mac::relative}}};

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

Mac mac_from_name(const std::string& name) {
  for (const auto& [known, mac] : mac_names) {
    if (name == known) return mac;
  }
  throw InputError("unknown MAC '" + name + "': use bh86, barnes90, offset or relative");
}

std::string mac_name(Mac mac) {
  for (const auto& [name, known] : mac_names) {
    if (mac == known) return name;
  }
  return "?";
}

MultipoleOrder multipole_from_name(const std::string& name) {
  if (name == "monopole") return MultipoleOrder::monopole;
  if (name == "quadrupole") return MultipoleOrder::quadrupole;
  throw InputError("unknown multipole order '" + name + "': use monopole or quadrupole");
}

std::string multipole_name(MultipoleOrder order) {
  return order == MultipoleOrder::monopole ? "monopole" : "quadrupole";
}

void ForceArguments::add_to(CLI::App& command) {
  command.add_option("--mac", mac, "opening criterion: bh86, barnes90, offset or relative")->capture_default_str();
  command.add_option("--alpha", alpha, "force error aimed at by the relative criterion")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command.add_option("--multipole", multipole, "monopole or quadrupole")->capture_default_str();
  command.add_option("--group-size", group_size, "most particles sharing a walk, or auto")->capture_default_str();
  command.add_option("--leaf-size", leaf_size, "most particles in a leaf of the tree")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  command.add_option("--backend", backend, "auto, cpu, cuda or direct")->capture_default_str();
  command.add_option("--devices", devices, "CUDA device numbers (default: all)")->delimiter(',');
  command.add_option("--threads", threads, "OpenMP threads (default: all)")->check(CLI::Range(0, 4096));
  command.add_option("--sample", sample, "particles compared with direct summation; 0: all")->capture_default_str();
  command.add_option("--seed", seed, "seed of model and samples")->capture_default_str();
  command.add_option("--json", json, "write the figures to this file (- for standard output)");
}

GravityOptions ForceArguments::resolve() const {
  GravityOptions options;
  options.mac = mac_from_name(mac);
  options.theta = theta;
  options.alpha = alpha;
  options.multipole = multipole_from_name(multipole);
  options.group_size = group_size_from(group_size);
  options.leaf_size = leaf_size;
  return options;
}

}  // namespace multiwalk
