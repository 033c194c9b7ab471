// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/backends/who_walks.hpp"

#include <fmt/format.h>

#include "decomposition/ranks/agree.hpp"
#include "host/force/force_backend.hpp"

namespace multiwalk {

namespace {

/// Why devices cannot make the walks; empty if they can.
std::string obstacle_to_device_walks(const WalkFacts& facts) {
  if (facts.devices > 1) {
    return fmt::format("GPUs walk only where a rank has one of them, not {}", facts.devices);
  }
  if (facts.particles < static_cast<double>(least_on_device) * facts.ranks) {
    return fmt::format("a GPU walks only for {} particles of its rank or more", least_on_device);
  }
  return "";
}

}  // namespace

ChosenWalks choose_walks(const WalkFacts& facts) {
  const bool alone = facts.ranks == 1;
  const std::string hosts = alone ? "the host makes the walks" : "the hosts make the walks";
  if (facts.asked == WhoWalks::host) return {false, hosts + ", as asked"};
  const bool by_name = facts.asked == WhoWalks::device;
  const std::string obstacle = obstacle_to_device_walks(facts);
  if (!obstacle.empty()) {
    return {false, fmt::format("{}{}, because {}", hosts, by_name ? " and not devices, as asked" : "", obstacle)};
  }
  const std::string devices = alone ? "it also makes the walks" : "they also make the walks";
  return {true, devices + (by_name ? ", as asked" : "")};
}

WhoWalks asked_walks(std::string_view backend, WhoWalks walks) {
  if (backend != "cuda-resident") return walks;
  if (walks == WhoWalks::host) {
    throw SharedError("back end cuda-resident means walks by devices: choose cuda for walks by the host");
  }
  return WhoWalks::device;
}

}  // namespace multiwalk
