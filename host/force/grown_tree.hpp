// A tree that a back end grew itself, as far as the host needs it to walk.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "host/base/phase_timer.hpp"
#include "host/force/gravity_options.hpp"
#include "host/walk/group.hpp"
#include "host/walk/walk_families.hpp"

namespace multiwalk {

/// What a tree is grown for.
struct GrowthTask {
  GravityOptions options;
  std::uint32_t group_size = 0;
  double gravitational_constant = 1;
  double background = 0;  ///< relative criterion: old accelerations are the store's, plus background times position
};

/// Places are counted in key order; the particles in that order stay with the back end.
struct GrownTree {
  WalkTree walk{};
  std::span<const Group> groups;
  std::vector<double> smallest;          ///< (groups) relative criterion: smallest old acceleration; else empty
  std::span<const std::uint32_t> order;  ///< (N) index in the store of the particle at each place
  PhaseSeconds seconds{};
};

}  // namespace multiwalk
